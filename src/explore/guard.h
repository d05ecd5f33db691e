/* Which memory is guarded by a lock, as far as executions have shown: bytes that several threads
 * use, one of them writing, without one lock that all of them hold are *open*. Accesses while only
 * one thread exists do not count.
 *
 * Two accesses to one byte by different threads, one of them a write, without a common lock are a
 * *pair*: places and values. An execution that shows a pair that none before it has shown is worth
 * predicting on. Of one pair of places only HD_GUARDS_VALUES combinations of values count as new.
 */
#ifndef HD_EXPLORE_GUARD_H
#define HD_EXPLORE_GUARD_H

#include "explore/exec.h"

#define HD_GUARDS_VALUES 4

struct hd_guards {
    struct hd_map lock_of; /* locks to numbers */
    uint32_t n_locks;
    struct hd_map byte_of;
    struct hd_vec cells, users;
    struct hd_map pairs; /* with values */
    struct hd_map tally; /* pairs of places to how many combinations of values */
};

void hd_guards_init(struct hd_guards *g);
void hd_guards_fini(struct hd_guards *g);
/* Learns from an execution. True: it shows a new pair, and *fresh (if not NULL) is an access of the
 * first one. */
bool hd_guards_see(struct hd_guards *g, const struct hd_exec_run *run, struct hd_steer_op *fresh);
struct hd_freezer;                                                /* freeze.h */
void hd_guards_freeze(struct hd_guards *g, struct hd_freezer *z); /* read into empty ones */
/* Whether an access touches an open byte. */
bool hd_guards_open(const struct hd_guards *g, const struct hd_steer_op *o);

#endif
