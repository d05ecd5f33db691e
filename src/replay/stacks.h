/* Stacks for events of a recorded run that were not taken while it was recorded.
 *
 * Recording keeps no stacks: they would cost too much. Instead the program is run again in the
 * order in which it was recorded, up to the last event of interest, and the runtime takes the
 * stacks on the way. At the first step that is not as it was recorded the run ends; what was
 * reached by then is kept all the same.
 */
#ifndef HD_REPLAY_STACKS_H
#define HD_REPLAY_STACKS_H

#include "replay/replay.h"
#include "symbols/objects.h"

struct hd_stacks {
    /* What is wanted: the caller's, each ascending and without repetitions. */
    const hd_eid *events;
    size_t n_events;
    const uint64_t *blocks; /* numbers of heap blocks, as in "heap#3" */
    size_t n_blocks;
    /* What is known; n 0 where it is not. In the order of the above. */
    struct hd_replay_stack *at;   /* by event: of its thread when it happened */
    struct hd_replay_stack *made; /* by event that takes a lock: of the call that made the lock */
    struct hd_replay_stack *from; /* by block: of the call that allocated it */
    struct hd_object *object;     /* by event: what it accesses; without a name: not known */
    char reason[1024];            /* not empty: why some are missing */
};

struct hd_stacks_options {
    const struct hd_trace *trace; /* as for a replay */
    char **argv;                  /* may be NULL, as for a replay */
    const char *dir;
    double timeout; /* seconds; 0: none */
};

/* Fills `at`, `made`, `from` and `reason` of s. HD_OK also when nothing could be found out. Other
 * results as of hd_replay_run. hd_stacks_fini in every case. */
enum hd_status hd_stacks_record(const struct hd_stacks_options *o, struct hd_stacks *s,
                                struct hd_err *err);
void hd_stacks_fini(struct hd_stacks *s);

#endif
