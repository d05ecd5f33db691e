/* The state that an execution has come to, as a number: what its threads have seen, what memory
 * holds, what happened to conditions. Two executions with equal numbers go on in the same way, as
 * far as 64 bits go.
 *
 * What a thread is about to do depends on its code and on what it has seen: so its position is the
 * series of its operations with the values that it read. Who holds a lock, how often a semaphore
 * was posted and who arrived at a barrier follows from these. Memory counts by its present values,
 * so that it does not matter who wrote them.
 */
#ifndef HD_EXPLORE_TRAIL_H
#define HD_EXPLORE_TRAIL_H

#include "explore/exec.h"

struct hd_trail {
    uint64_t seen[HD_STEER_THREADS];
    struct hd_map cells;  /* bytes of memory and conditions to index */
    struct hd_vec values; /* uint64_t */
    uint64_t sum;         /* of mixed cells */
};

void hd_trail_init(struct hd_trail *t);
void hd_trail_fini(struct hd_trail *t);
void hd_trail_restart(struct hd_trail *t);
void hd_trail_step(struct hd_trail *t, const struct hd_exec_run *run, const struct hd_exec_step *s);
uint64_t hd_trail_mark(const struct hd_trail *t);

#endif
