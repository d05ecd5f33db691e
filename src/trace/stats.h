/* What is in a trace, in numbers: for `heddle trace stats`, benches and choosing an analysis.
 *
 * One pass over each thread. Works on any well-formed trace, consistent or not: a release without
 * its acquire counts as an event and nothing more.
 */
#ifndef HD_TRACE_STATS_H
#define HD_TRACE_STATS_H

#include "trace/trace.h"

/* A critical section: from the outermost acquire of a lock, for reading or writing, to its release,
 * or to the wait that lets go of it. Its length is the number of events of its thread in between.
 */
struct hd_stats_section {
    uint64_t length;
    hd_eid from; /* the acquire (or the wake or tmo that took the lock back); HD_EID_NONE: no
                    section */
    hd_eid to;   /* the release; HD_EID_NONE when the trace ends inside */
    uint32_t lock;
};

struct hd_stats {
    uint64_t by_op[HD_OP_COUNT];
    uint64_t shared;                 /* locations that two or more threads access */
    uint64_t shared_written;         /* of these, the ones that are written */
    uint64_t omitted;                /* accesses whose value was left out */
    uint64_t dependences;            /* events that give deps, val or addr */
    uint64_t sections;               /* critical sections */
    struct hd_stats_section longest; /* the first of the longest ones */
    uint32_t nesting;                /* the most different locks that a thread holds at once */
    hd_eid nesting_at;               /* the acquire that first reaches it */
    uint32_t reentrance;             /* the deepest re-entrant hold of one lock */
};

void hd_stats_compute(const struct hd_trace *t, struct hd_stats *stats);

#endif
