/* The symbolic shadow: expressions, shadow memory, path condition, inputs (abi/sym_abi.h).
 *
 * Runs in the user's process; see the rules in rt.h. Everything here is called by instrumented code
 * of the holder of the token, so there are no locks, and no hook of this part is a point to switch.
 * There is no solver here: the arena is read by src/concolic after the run.
 *
 * Without an arena (HD_SYM_ENV is not set) no byte is symbolic, no id is ever made, and the
 * instrumented code calls none of the slow hooks.
 */
#ifndef HD_RT_CONCOLIC_RT_SYM_H
#define HD_RT_CONCOLIC_RT_SYM_H

#include "abi/sym_abi.h"
#include "rt/core/rt.h"

#include <signal.h>

struct hd_sym {
    bool on;
    struct hd_sym_header *header;
    uint8_t *base; /* the mapped arena */
    struct hd_sym_node *nodes;
    uint32_t *shapes; /* by id: a hash of the expression that is the same in every run */
    uint32_t *told;   /* by id: number of new steps when the path last spoke of it, plus one */
};
extern struct hd_sym hd_rt_sym;
extern uint64_t __hd_sym_past, __hd_sym_inside; /* see sym_path.c */
extern uint32_t *__hd_sym_shapes;

/* sym_arena.c */
void hd_rt_sym_open(void); /* takes the arena named in the environment, once */
void hd_rt_sym_lost(enum hd_sym_lost why);
/* The id of an expression; 0 when it is a constant or there is no room. Value is masked. */
uint32_t hd_rt_sym_make(enum hd_sym_op op, unsigned width, uint32_t a, uint32_t b, uint32_t c,
                        uint64_t value);
uint32_t hd_rt_sym_const(unsigned width, uint64_t value); /* a node also for a constant */
uint32_t hd_rt_sym_string(const char *text, size_t len);  /* offset in the arena's strings */
uint32_t hd_rt_sym_extract(uint32_t id, unsigned low, unsigned width);
static inline const struct hd_sym_node *hd_rt_sym_node(uint32_t id)
{
    return &hd_rt_sym.nodes[id];
}

/* sym_shadow.c */
uint32_t hd_rt_sym_byte(const void *p);
void hd_rt_sym_set_byte(const void *p, uint32_t id);
uint32_t hd_rt_sym_bytes(const void *p, unsigned n, uint64_t value); /* little-endian number */
void hd_rt_sym_set_bytes(const void *p, unsigned n, uint32_t id);    /* 0: concrete */
void hd_rt_sym_copy(const void *to, const void *from, size_t n);
void hd_rt_sym_clear(const void *p, size_t n);
bool hd_rt_sym_any(const void *p, size_t n);
bool hd_rt_sym_has_page(const void *p); /* a byte of its page was symbolic at some time */
/* The ids of n bytes whose memory is about to move, taken away from there. NULL: none is symbolic.
 * hd_rt_sym_put gives them to their new place and frees them. */
uint32_t *hd_rt_sym_lift(const void *p, size_t n);
void hd_rt_sym_put(const void *p, size_t n, uint32_t *ids);

/* sym_index.c */
void hd_rt_sym_born(const void *p, size_t n); /* a heap block */
/* A symbolic address: the value loaded, or the effect of the store. False: no object is known. */
bool hd_rt_sym_read_at(const void *p, unsigned n, uint32_t addr, uint32_t *id);
bool hd_rt_sym_write_at(const void *p, unsigned n, uint32_t addr, uint32_t value_id,
                        uint64_t value);

/* sym_fence.c. Entered. NULL: take libc's. */
void *hd_rt_sym_fence(size_t n);
bool hd_rt_sym_fenced(const void *p, size_t *size); /* as asked for */
bool hd_rt_sym_unfence(const void *p);              /* false: it is libc's */
void hd_rt_sym_fence_watch(void); /* a crash inside the pages of a block says what it is */
void hd_rt_sym_explain(const void *address); /* of a crash: ends the program with it, or returns */
void hd_rt_sym_on_fault(int sig, siginfo_t *info, void *context);
/* The program uses memory wrongly: prints so on standard error, and ends it. bytes 0: no access. */
_Noreturn void hd_rt_sym_misuse(const char *what, unsigned bytes, int64_t offset, uint64_t size,
                                const char *object);

/* sym_threads.c: ids over pthread_create and pthread_join */
void hd_rt_sym_given(struct hd_thread *me, const void *fn, unsigned i); /* argument i of fn */
void hd_rt_sym_start(struct hd_thread *me, const void *start); /* before the start routine */
void hd_rt_sym_end(struct hd_thread *me, const void *start);   /* after it */
void hd_rt_sym_joined(uint32_t id, void *out, unsigned n);

/* sym_path.c */
void hd_rt_sym_step(uint32_t expr, bool taken, enum hd_sym_step_kind kind, uint32_t branch,
                    uint32_t other);
/* The value is taken as it is, and the path says so: others may be tried in runs of their own. 0 is
 * fine. */
void hd_rt_sym_fix(uint32_t id);
void hd_rt_sym_past(uint64_t what);         /* later code can see this of what was done */
void hd_rt_sym_name_call(const char *name); /* something symbolic went into this function */

/* sym_input.c */
/* Makes n bytes at p an input object; they get the given bytes, if any. Answers its number. */
uint32_t hd_rt_sym_input(const char *name, void *p, size_t n);
/* The error that the call of a function shall end with, without being made; 0: it is made. Entered.
 */
int hd_rt_sym_fails(const char *name);
bool hd_rt_sym_setting(const char *kind, const char *name, uint64_t *number);

void __hd_make_symbolic(void *p, size_t n, const char *name); /* heddle/annotate.h */

/* sym_split.c: sorts with expressions. False: there are none. */
bool hd_rt_sym_sort(void *p, size_t n, size_t size, int (*compare)(const void *, const void *));

/* sym_stream.c */
void hd_rt_sym_stdin(size_t size);
void hd_rt_sym_streams_end(void); /* inputs that were read, but not by a function with a model */

#endif
