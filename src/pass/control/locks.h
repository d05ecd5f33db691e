/* Calls of absl::Mutex and what belongs to it, as locks; and the functions that the library calls
 * to see whether a condition holds. */
#ifndef HD_PASS_LOCKS_H
#define HD_PASS_LOCKS_H

#include "pass/pass.h"

void hd_locks_call(struct hd_fn *f, LLVMValueRef call);
/* A function that absl::Mutex calls, with the mutex held, and by whose result it goes on. */
bool hd_locks_is_condition(LLVMValueRef fn);
void hd_locks_finish(struct hd_fn *f); /* when all other hooks of f are there */

#endif
