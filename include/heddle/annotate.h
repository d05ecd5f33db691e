/* Marks for Heddle in a program. They lock nothing and cost nothing to speak of: without Heddle's
 * runtime in the program, or when it is not being recorded, they have no effect.
 *
 * Blocks: what lies between begin and end, in one thread, is meant to happen in one step. `heddle
 * analyze --property atomicity` then decides whether another thread can come between.
 *
 *     heddle_atomic_begin();
 *     if (account->balance >= amount)
 *         withdraw(account, amount);
 *     heddle_atomic_end();
 *
 * Blocks nest. An end without a begin is ignored.
 *
 * Inputs: heddle_make_symbolic(&order, sizeof order, "order") says that these bytes are an input of
 * that name. `heddle hunt` looks for values that take other paths (compile with `heddle cc
 * --concolic`); elsewhere the bytes stay as they are.
 */
#ifndef HEDDLE_ANNOTATE_H
#define HEDDLE_ANNOTATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Given by the runtime. Weak: a program that is linked without it finds them absent. */
void __hd_atomic_begin(void) __attribute__((weak));
void __hd_atomic_end(void) __attribute__((weak));
void __hd_make_symbolic(void *p, size_t n, const char *name) __attribute__((weak));

#ifdef __cplusplus
}
#endif

/* Macros, so that the trace names the line of the block. */
#define heddle_atomic_begin() (__hd_atomic_begin ? __hd_atomic_begin() : (void)0)
#define heddle_atomic_end()   (__hd_atomic_end ? __hd_atomic_end() : (void)0)
#define heddle_make_symbolic(p, n, name)                                                           \
    (__hd_make_symbolic ? __hd_make_symbolic(p, n, name) : (void)0)

#endif
