/* The order that holds in every schedule like a given execution: happens-before over its steps.
 *
 * Two steps are ordered when they are of one thread, when operations of theirs depend on each other
 * (log/rt_depend.h), when one is what the other had to wait for (fork, the end of a joined
 * thread, a notification, the last arrival at a barrier), and through others. Executions with the
 * same steps and the same order are one schedule: a Mazurkiewicz trace.
 *
 * A race, here, is a pair of steps i < j of different threads that depend on each other without
 * another step between them in the order, such that j could have run before i: then the schedule
 * with all steps between them that need not wait for i, followed by j, is a different one. A step
 * that takes a lock, or a token of a semaphore, races in this sense with the step that took it
 * before, not with the one that gave it back.
 */
#ifndef HD_EXPLORE_ORDER_H
#define HD_EXPLORE_ORDER_H

#include "explore/exec.h"

struct hd_order_race {
    uint32_t i, j;
    uint32_t thread;     /* of j */
    uint32_t op_i, op_j; /* two operations that depend */
};

struct hd_order {
    const struct hd_exec_run *run;
    uint32_t width;         /* names of threads */
    uint32_t *clocks;       /* a row for each step: how many of each thread come before or are it */
    size_t cap;             /* rows */
    struct hd_u32vec index; /* of each step among those of its thread, from 1 */
    struct hd_u32vec step_of; /* by operation */
    struct hd_map lists_of;   /* objects and granules of memory to lists */
    struct hd_vec lists;      /* struct hd_u32vec: operations on it */
    size_t n_lists;
    struct hd_vec threads;  /* what is known of threads by name */
    struct hd_vec races;    /* struct hd_order_race */
    struct hd_u32vec found; /* scratch */
    uint32_t *scratch;      /* two rows */
};

void hd_order_init(struct hd_order *o);
void hd_order_fini(struct hd_order *o);

/* Orders all steps of run, which must outlive it; races of steps from `from` on are listed, by j
 * and within it the latest i first. Steps that blocked threads are about to do take part: what
 * keeps them from a lock or a semaphore is a race like any other; j is then run->steps.len. */
void hd_order_make(struct hd_order *o, const struct hd_exec_run *run, uint32_t n_threads,
                   uint32_t from);

/* Whether step i comes before step j > i. */
static inline bool hd_order_before(const struct hd_order *o, uint32_t i, uint32_t j)
{
    HD_DCHECK(i < j && j < o->index.len);
    uint32_t t = hd_run_step(o->run, i)->thread;
    return o->clocks[(size_t)j * o->width + t] >= o->index.data[i];
}

/* The same for all executions that are one schedule; for others it differs, as far as 64 bits go.
 */
uint64_t hd_order_class(const struct hd_order *o);

#endif
