/* Who called a function that we stand before, and on what its arguments depend.
 *
 * What such a function accesses is given by its arguments and by what it read itself on the way.
 * The tokens of the arguments are logged as a choice of control before its first event
 * (hd_rt_depend); the records of the ranges it accesses then say so (HD_LOG_CALL), and the driver
 * adds its own reads.
 */
#ifndef HD_RT_HOOKS_CALLER_H
#define HD_RT_HOOKS_CALLER_H

#include "rt/core/rt.h"

struct hd_caller {
    uintptr_t pc;
    uint32_t first; /* id of the thread's last event before the call */
    hd_tok tok;     /* on what its arguments depend */
    hd_tok numbers; /* the same of numbers that it formats, which are not among those */
};

/* Takes the tokens of the first n arguments of fn from the flow record, if they are there;
 * HD_FLOW_ARGS: of a function that formats them. */
struct hd_caller hd_rt_caller(uintptr_t pc, const void *fn, unsigned n);

#define HD_BY(fn, n) hd_rt_caller(HD_PC, (const void *)(fn), n)

/* The same of a function with a list of arguments. What is in the list was decided when it was made
 * (list_made of the pass), or its address depends on that. */
struct hd_caller hd_rt_caller_list(uintptr_t pc, const void *fn, unsigned n);

#define HD_BY_LIST(fn, n) hd_rt_caller_list(HD_PC, (const void *)(fn), n)

/* Logs on what the next events of the call depend. Entered. */
void hd_rt_depend_slow(struct hd_thread *me, const struct hd_caller *by);

static inline void hd_rt_depend(struct hd_thread *me, struct hd_caller by)
{
    if (rt.pass)
        hd_rt_depend_slow(me, &by);
}

/* What is written next is made of the numbers. Entered. */
void hd_rt_depend_numbers(struct hd_thread *me, struct hd_caller by);

/* All of that for a function that enters once. */
static inline void hd_rt_args_dep(const void *fn, unsigned n)
{
    if (rt.pass)
        hd_rt_depend(hd_rt_me, hd_rt_caller(0, fn, n));
}

static inline void hd_rt_arg_dep(const void *fn)
{
    hd_rt_args_dep(fn, 1);
}

#endif
