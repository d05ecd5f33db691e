/* Orders between threads that the detectors take from the observed run, other than lock order and
 * reads from writes:
 *
 *   fork to the first event of the thread; last event of a thread to its join;
 *   the wait of a notified thread to the sig that notifies it, and that sig, or the bcast, to its
 * wake (the matching of model/matching.h); the k-th post that is needed to the k-th sem beyond the
 * initial count; arrivals of a barrier to the arrival that completes their round, from there to the
 * departures of the round and to the next completion; the acquire of a thread that holds the lock
 * to a tryfail.
 *
 * If a set of events holds, with each event, its program order past and all that these edges, the
 * reads-from edges and the lock rule of sync-preservation demand, then running the set in trace
 * order is a schedule of docs/MODEL.md. docs/algorithms/detectors.md has the argument.
 */
#ifndef HD_DETECT_EDGES_H
#define HD_DETECT_EDGES_H

#include "detect/clock.h"

struct hd_order_edge {
    hd_eid to, from; /* from < to */
};

struct hd_edges {
    struct hd_order_edge *edge; /* ascending by (to, from) */
    size_t n, cap;
    hd_eid *source; /* all `from`, ascending, each once */
    uint32_t *uses; /* by source: its edges */
    size_t n_sources;
    uint32_t *slot; /* by edge: index of its source */
};

void hd_edges_init(struct hd_edges *edges, const struct hd_trace *t);
/* Only those that order memory (docs/MODEL.md section 8), and barriers are left out: fork, join,
 * the notification of a wake, the post of a sem. */
void hd_edges_init_memory(struct hd_edges *edges, const struct hd_trace *t);
void hd_edges_fini(struct hd_edges *edges); /* a zeroed struct is fine */

/* Carries stamps along the edges during one walk of the trace: at each event first hd_relay_take,
 * and after the event's own effect hd_relay_give. */
struct hd_relay {
    const struct hd_edges *edges;
    struct hd_clock_pool *pool;
    size_t next_edge, next_source;
    hd_eid to, from; /* the next events of interest, or HD_EID_NONE */
    struct hd_stamp *stamp;
    uint32_t *left; /* edges that still need the stamp */
};

void hd_relay_init(struct hd_relay *r, const struct hd_edges *edges, struct hd_clock_pool *pool);
void hd_relay_fini(struct hd_relay *r);
bool hd_relay_take_now(struct hd_relay *r, struct hd_clock **c, hd_tid self);
void hd_relay_give_now(struct hd_relay *r, struct hd_clock *c, hd_tid self, uint32_t tick);

/* Joins what leads to e into *c, the clock of thread self. True if *c changed. */
static inline bool hd_relay_take(struct hd_relay *r, hd_eid e, struct hd_clock **c, hd_tid self)
{
    return r->to == e && hd_relay_take_now(r, c, self);
}

static inline void hd_relay_give(struct hd_relay *r, hd_eid e, struct hd_clock *c, hd_tid self,
                                 uint32_t tick)
{
    if (r->from == e)
        hd_relay_give_now(r, c, self, tick);
}

#endif
