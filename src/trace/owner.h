/* Who owns a piece of memory: is every access of it ordered with every write by fork and join
 * alone?
 *
 * Every schedule obeys forks and joins, so such memory has the same writer for each read in all of
 * them (docs/ALGORITHMS.md, "Reduction by ownership"). All other memory is shared.
 *
 * A thread's events between two forks or joins of its own are a segment. Segments are numbered from
 * 1 in the order of the trace, so within a thread a smaller number is earlier. The order asked for
 * here follows joins up from the earlier event and forks up from the later one; a way that first
 * goes down a fork and then up the join of another thread is not seen. That makes memory shared
 * that need not be, never the other way round.
 *
 * Of a piece of memory its last write and the reads since then are kept: one segment, or a set of
 * threads when reads are not ordered among each other. A set is ordered before a write when all its
 * threads were joined.
 */
#ifndef HD_TRACE_OWNER_H
#define HD_TRACE_OWNER_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define HD_OWNER_SHARED UINT32_MAX
#define HD_OWNER_SET    (UINT32_C(1) << 31) /* in `read`: a set of threads */

/* A zeroed struct: not touched yet. */
struct hd_owner {
    uint32_t write; /* segment; 0: none; HD_OWNER_SHARED: for good */
    uint32_t read;  /* segment, or HD_OWNER_SET and the number of a set; 0: none since the write */
};

struct hd_owner_thread {
    uint32_t segment;           /* that it is in; 0: nothing known of it yet */
    uint32_t parent, forked_in; /* parent's segment before the fork; 0: none known */
    uint32_t joiner, joined_in; /* joiner's segment after the join; 0: not joined */
};

struct hd_owners {
    struct hd_vec threads;      /* struct hd_owner_thread, by number */
    struct hd_u32vec thread_of; /* by segment */
    struct hd_vec sets;         /* struct hd_u32vec: threads, ascending */
    struct hd_map set_ids;      /* set and thread -> set with it */
    struct hd_owner_asked {
        uint32_t before, after; /* segments */
        bool yes;
    } asked[256];
};

void hd_owners_init(struct hd_owners *o);
void hd_owners_fini(struct hd_owners *o);
/* The segment that the thread is in. */
uint32_t hd_owners_segment(struct hd_owners *o, uint32_t thread);
void hd_owners_fork(struct hd_owners *o, uint32_t thread, uint32_t child);
void hd_owners_join(struct hd_owners *o, uint32_t thread, uint32_t other);
/* Does only this thread appear in the state? */
bool hd_owners_only(const struct hd_owners *o, const struct hd_owner *state, uint32_t thread);
/* An access that the state does not cover yet. False: it is shared now. */
bool hd_owners_change(struct hd_owners *o, struct hd_owner *state, uint32_t thread, bool writes);

static inline bool hd_owner_shared(const struct hd_owner *state)
{
    return state->write == HD_OWNER_SHARED;
}

/* An access by a thread in this segment. False: the memory is shared. */
static inline bool hd_owners_access(struct hd_owners *o, struct hd_owner *state, uint32_t thread,
                                    uint32_t segment, bool writes)
{
    if (state->write == segment && (!writes || !state->read))
        return true;
    if (!writes && state->read == segment)
        return true;
    return !hd_owner_shared(state) && hd_owners_change(o, state, thread, writes);
}

#endif
