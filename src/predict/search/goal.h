/* What a witness has to reach, whatever the property: each of the `stops` is the next event of its
 * thread, so that the thread has run exactly the events before it; and `first` has run before
 * `then`, if these are given.
 *
 *   race       stops at both accesses, which are enabled;
 *   atomicity  stops at c', which is enabled; c has run before r;
 *   deadlock   stops at every event of the cycle. These are not enabled: what an event that takes
 *              a lock needs from others (a free lock, a notification) is not asked of a stop here,
 *              only what its reads ask.
 *
 * A goal refers to the stops of its maker, who keeps them as long as the goal is used.
 */
#ifndef HD_PREDICT_SEARCH_GOAL_H
#define HD_PREDICT_SEARCH_GOAL_H

#include "model/property.h"
#include "trace/trace.h"

struct hd_goal {
    enum hd_property property;
    const hd_eid *stops;
    uint32_t n_stops;
    hd_eid first, then; /* or HD_EID_NONE */
};

static inline struct hd_goal hd_goal_race(const hd_eid *pair)
{
    return (struct hd_goal){HD_PROPERTY_RACE, pair, 2, HD_EID_NONE, HD_EID_NONE};
}

/* c, r, c' */
static inline struct hd_goal hd_goal_atomicity(const hd_eid *triple)
{
    return (struct hd_goal){HD_PROPERTY_ATOMICITY, triple + 2, 1, triple[0], triple[1]};
}

static inline struct hd_goal hd_goal_deadlock(const hd_eid *cycle, uint32_t n)
{
    return (struct hd_goal){HD_PROPERTY_DEADLOCK, cycle, n, HD_EID_NONE, HD_EID_NONE};
}

/* The goal of a candidate: a pair, a triple or a cycle. */
static inline struct hd_goal hd_goal_of(enum hd_property property, const hd_eid *events, size_t n)
{
    return property == HD_PROPERTY_RACE        ? hd_goal_race(events)
           : property == HD_PROPERTY_ATOMICITY ? hd_goal_atomicity(events)
                                               : hd_goal_deadlock(events, (uint32_t)n);
}

/* The event whose must-clock holds in every state that reaches the goal at this stop: the stop
 * itself, or the event before it, since a cycle's event is not enabled. HD_EID_NONE: there is none.
 */
static inline hd_eid hd_goal_needs(const struct hd_trace *t, const struct hd_goal *g, hd_eid stop)
{
    if (g->property != HD_PROPERTY_DEADLOCK)
        return stop;
    return t->pos[stop] ? hd_trace_back(t, stop, 1) : HD_EID_NONE;
}

/* How many entries of a schedule follow the state that the goal describes: the pair, c', none. */
static inline size_t hd_goal_tail(const struct hd_goal *g)
{
    return g->property == HD_PROPERTY_RACE ? 2 : g->property == HD_PROPERTY_ATOMICITY ? 1 : 0;
}

#endif
