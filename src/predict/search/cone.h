/* The cone of a goal: every event that can matter for a witness of it, as a number of first events
 * for each thread.
 *
 * It holds what must run, and for each of its events all that may help it to run: sources of a read
 * that may have to be fresh, the end of a section, notifiers, posts, arrivals, holders for a failed
 * try-lock, other waiters for a signal. It never goes beyond a stop, nor to an event that one
 * of them must precede. A witness that has events outside the cone stays one without them.
 */
#ifndef HD_PREDICT_SEARCH_CONE_H
#define HD_PREDICT_SEARCH_CONE_H

#include "predict/search/goal.h"
#include "predict/index/world.h"

struct hd_cone {
    const struct hd_world *w;
    struct hd_goal goal;
    uint8_t *parked;    /* by thread: it has a stop */
    uint8_t *again;     /* by thread: all its events have to be looked at again */
    uint32_t *cut;      /* by thread */
    uint32_t *seen;     /* by thread: events whose helpers have been added */
    uint32_t *may_need; /* by thread: every read before this position may have to be fresh */
    bool changed;
};

void hd_cone_init(struct hd_cone *c, const struct hd_world *w);
void hd_cone_fini(struct hd_cone *c);

/* Starts from `cut` (the plan of the goal) and adds all that may help. False: the deadline (0:
 * none) passed, or the user interrupted; the cone is not whole then. */
bool hd_cone_build(struct hd_cone *c, const struct hd_goal *goal, const uint32_t *cut,
                   double deadline);

static inline bool hd_cone_has(const struct hd_cone *c, hd_eid e)
{
    return c->w->t->pos[e] < c->cut[c->w->t->thread[e]];
}

size_t hd_cone_size(const struct hd_cone *c);

#endif
