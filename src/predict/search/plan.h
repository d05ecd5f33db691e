/* A plan: what is known so far about the witnesses of one goal.
 *
 * It stands for all witnesses that run at least the first cut[u] events of each thread u, put the
 * two ends of every edge in that order, and keep the listed reads fresh. The search starts from
 * what every witness must contain and only ever adds; a plan that contradicts itself stands for
 * none. The threads of the stops run exactly up to them.
 */
#ifndef HD_PREDICT_SEARCH_PLAN_H
#define HD_PREDICT_SEARCH_PLAN_H

#include "predict/search/goal.h"
#include "predict/search/saturate.h"
#include "predict/index/world.h"

struct hd_edge {
    hd_eid from, to;
};

struct hd_plan {
    const struct hd_world *w;
    struct hd_goal goal;
    uint8_t *parked;        /* by thread: it has a stop */
    uint32_t *cut;          /* by thread */
    struct hd_vec edges;    /* struct hd_edge */
    uint32_t *fresh_below;  /* by thread: every read before this position must be fresh (a source of
                             * a  needed read depends on it); 0 when nothing is asked */
    struct hd_u32vec fresh; /* single reads that must be fresh */
    bool unnotified; /* waits end without a notification, too: for proofs, since more can happen */
    const struct hd_saturation *saturation; /* or NULL: all orders, in place of edges and must */
};

void hd_plan_init(struct hd_plan *p, const struct hd_world *w);
void hd_plan_fini(struct hd_plan *p);

/* Starts over with what every witness of the goal must contain. False: there is none. */
bool hd_plan_start(struct hd_plan *p, const struct hd_goal *goal);

/* Adds an event with all that must come before it. False: contradiction (the plan is then useless).
 */
bool hd_plan_include(struct hd_plan *p, hd_eid e);

/* Adds all events before `base` in the trace, all of which come before the stops.
 * Requires: no stop is before base. False: contradiction. */
bool hd_plan_widen(struct hd_plan *p, hd_eid base);

/* Adds an order between two events that are included, or will be. False: contradiction. */
bool hd_plan_order(struct hd_plan *p, hd_eid from, hd_eid to);

/* Asks that w stores its traced value. */
void hd_plan_concrete(struct hd_plan *p, hd_eid w);

/* Whether the plan needs the read to return its traced value. */
bool hd_plan_needs(const struct hd_plan *p, hd_eid r);

static inline bool hd_plan_has(const struct hd_plan *p, hd_eid e)
{
    return p->w->t->pos[e] < p->cut[p->w->t->thread[e]];
}

/* Takes a copy of what a plan asks, to come back to it. The copy must be initialised for the world.
 */
void hd_plan_copy(struct hd_plan *to, const struct hd_plan *from);

#endif
