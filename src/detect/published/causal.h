/* What the weak relations share: cp and wcp (docs/algorithms/detectors.md).
 *
 * Three clocks for each thread. hb: happens-before. before: what strictly precedes by the weak
 * relation (written a < b below). known: that, and what the thread's own order and the recorded
 * orders (edges.h, atomic store to the atomic load that reads it) put before; two accesses race
 * when neither knows the other. All of happens-before may follow or precede a weak step, so
 * whatever passes hb on also passes `before` on; and joining an event of hb into `before` brings
 * its whole past along.
 *
 * The detectors add the weak steps themselves with hd_causal_follow.
 */
#ifndef HD_DETECT_PUBLISHED_CAUSAL_H
#define HD_DETECT_PUBLISHED_CAUSAL_H

#include "detect/edges.h"
#include "detect/published/lockclock.h"

struct hd_causal_thread {
    struct hd_clock *hb, *before, *known;
    uint32_t version; /* changes of known */
};

struct hd_causal_pass; /* clocks on their way from one event to others */
struct hd_causal_lock; /* `before` at releases */

struct hd_causal {
    const struct hd_trace *t;
    struct hd_clock_pool pool;
    struct hd_causal_thread *thread;
    struct hd_lock_clock *lock; /* hb */
    struct hd_causal_lock *lock_before;
    const struct hd_edges *edges;
    size_t next_edge, next_source;
    hd_eid to, from;
    struct hd_causal_pass *pass;  /* by source of edges */
    struct hd_causal_pass *store; /* by location: its last write, if atomic */
};

void hd_causal_init(struct hd_causal *c, const struct hd_trace *t, const struct hd_edges *edges);
void hd_causal_fini(struct hd_causal *c);

/* Passing event e: enter (recorded orders and lock order arrive), then the detector's own rules,
 * then leave (what e hands on, with those rules applied). */
void hd_causal_enter(struct hd_causal *c, hd_eid e);
void hd_causal_leave(struct hd_causal *c, hd_eid e);

/* The event of stamp s (an hb stamp) weakly precedes the next step of thread u. True if that is
 * news. */
bool hd_causal_follow(struct hd_causal *c, hd_tid u, const struct hd_stamp *s);

#endif
