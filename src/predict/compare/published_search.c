#include "predict/compare/published_search.h"

#include "base/alloc.h"

#include <string.h>

/* What one pair may cost: simulations, and simulated events. */
enum { MOST_NODES = 100, EARLY_NODES = 10 };
#define MOST_STEPS UINT64_C(1000000)

struct hd_published_search {
    const struct hd_world *w;
    struct hd_sim *sim;
    struct hd_plan plan;
    uint32_t *least; /* by thread: events that the pair in hand needs */
    hd_eid *waits;   /* by thread: the wait it is in and not yet notified, or HD_EID_NONE */
};

struct hd_published_search *hd_published_search_new(const struct hd_world *w,
                                                    const struct hd_matching *matching)
{
    struct hd_published_search *s = hd_calloc(1, sizeof *s);
    s->w = w;
    s->sim = hd_sim_new(w, matching);
    hd_plan_init(&s->plan, w);
    s->waits = hd_calloc(w->n_threads, sizeof *s->waits);
    s->least = hd_calloc(w->n_threads, sizeof *s->least);
    return s;
}

void hd_published_search_free(struct hd_published_search *s)
{
    hd_sim_free(s->sim);
    hd_plan_fini(&s->plan);
    hd_free(s->waits, s->w->n_threads * sizeof *s->waits);
    hd_free(s->least, s->w->n_threads * sizeof *s->least);
    hd_free(s, sizeof *s);
}

/* ---- rv: who notifies whom ---- */

/* A sig or bcast: it finds all whom it notified in the recorded run, and a sig no thread if it
 * notified none; a bcast finds no other. */
static bool notifies_as_recorded(struct hd_published_search *s, hd_eid e,
                                 const struct hd_published_pair *pair)
{
    const struct hd_trace *t = s->w->t;
    uint32_t found = 0;
    for (hd_tid u = 0; u < s->w->n_threads; u++) {
        hd_eid wait = s->waits[u];
        if (wait == HD_EID_NONE || t->obj[wait] != t->obj[e])
            continue;
        if (pair->notifier[wait] != e) {
            if (t->op[e] == HD_OP_BCAST || !pair->notified[e])
                return false;
            continue;
        }
        s->waits[u] = HD_EID_NONE;
        found++;
    }
    return found == pair->notified[e];
}

/* One event on a condition; false: not as recorded. */
static bool run_wait(struct hd_published_search *s, hd_eid e, const struct hd_published_pair *pair)
{
    hd_eid *wait = &s->waits[s->w->t->thread[e]];
    bool waits = *wait != HD_EID_NONE;
    switch ((enum hd_op)s->w->t->op[e]) {
    case HD_OP_WAIT:
        *wait = e;
        return true;
    case HD_OP_WAKE:
        return !waits;
    case HD_OP_TMO:
        *wait = HD_EID_NONE;
        return waits;
    case HD_OP_SIG:
    case HD_OP_BCAST:
        return notifies_as_recorded(s, e, pair);
    default:
        return true;
    }
}

/* Whether all are notified as recorded in the order of the simulation. */
static bool is_as_recorded(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    const struct hd_u32vec *order = hd_sim_order(s->sim);
    for (hd_tid u = 0; u < s->w->n_threads; u++)
        s->waits[u] = HD_EID_NONE;
    for (hd_eid e = 0; e < pair->from; e++)
        run_wait(s, e, pair);
    for (size_t i = 0; i < order->len; i++)
        if (!run_wait(s, order->data[i], pair))
            return false;
    return true;
}

/* ---- the plan ---- */

static bool in_window(const struct hd_published_pair *pair, hd_eid e)
{
    return e != HD_EID_NONE && e >= pair->from && e < pair->to;
}

/* x comes after the predecessor and before the successor of y in y's thread. */
static bool put_between(struct hd_published_search *s, const struct hd_published_pair *pair,
                        hd_eid x, hd_eid y)
{
    const struct hd_trace *t = s->w->t;
    hd_tid u = t->thread[y];
    hd_eid before = t->pos[y] ? hd_trace_back(t, y, 1) : t->fork_of[u], after = HD_EID_NONE;
    if (t->pos[y] + 1 < hd_world_thread_len(s->w, u))
        after = hd_world_event(s->w, u, t->pos[y] + 1);
    return (!in_window(pair, before) || hd_plan_order(&s->plan, before, x)) &&
           (!in_window(pair, after) || hd_plan_order(&s->plan, x, after));
}

/* What the fresh reads of thread u below `pos` need comes before the last of them. */
static bool order_sources(struct hd_published_search *s, const struct hd_published_pair *pair,
                          hd_tid u, uint32_t pos)
{
    hd_eid last = hd_world_event(s->w, u, pos - 1);
    const uint32_t *clock = hd_must_all_fresh(s->w->must, u, pos);
    for (hd_tid v = 0; v < s->w->n_threads && last >= pair->from && last < pair->to; v++) {
        hd_eid needed = v != u && clock[v] ? hd_world_event(s->w, v, clock[v] - 1) : HD_EID_NONE;
        if (in_window(pair, needed) && !hd_plan_order(&s->plan, needed, last))
            return false;
    }
    return true;
}

/* The plan of all complete reorderings that the model asks for. False: there are none. */
static bool make_plan(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    const struct hd_goal all = {HD_PROPERTY_RACE, NULL, 0, HD_EID_NONE, HD_EID_NONE};
    hd_plan_start(&s->plan, &all);
    for (hd_tid u = 0; u < s->w->n_threads; u++) {
        s->plan.cut[u] = hd_world_events_before(s->w, u, pair->to);
        s->plan.fresh_below[u] = pair->fresh_below[u];
        if (pair->fresh_below[u] && !order_sources(s, pair, u, pair->fresh_below[u]))
            return false;
    }
    return put_between(s, pair, pair->a, pair->b) && put_between(s, pair, pair->b, pair->a);
}

/* What must have run before both accesses, and all that comes before them in the trace, into
 * s->least. False: there is no such schedule. */
static bool find_least(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    const hd_eid events[] = {pair->a, pair->b};
    struct hd_goal goal = hd_goal_race(events);
    if (!hd_plan_start(&s->plan, &goal) ||
        !hd_plan_widen(&s->plan, pair->a < pair->b ? pair->a : pair->b))
        return false;
    memcpy(s->least, s->plan.cut, s->w->n_threads * sizeof *s->least);
    return true;
}

/* The order that greedy tries for max, gone on with: all that the two do not need comes after them.
 * A completed simulation is a race, as in any plan; else nothing is known. */
static enum hd_verdict search_early(struct hd_published_search *s,
                                    const struct hd_published_pair *pair)
{
    const struct hd_closure_budget budget = {EARLY_NODES, MOST_STEPS, pair->deadline};
    const struct hd_trace *t = s->w->t;
    if (!find_least(s, pair) || !make_plan(s, pair))
        return HD_UNKNOWN;
    for (hd_tid u = 0; u < s->w->n_threads; u++) {
        if (u == t->thread[pair->a] || u == t->thread[pair->b] || s->least[u] >= s->plan.cut[u])
            continue;
        hd_eid next = hd_world_event(s->w, u, s->least[u]);
        if (!hd_plan_order(&s->plan, pair->a, next) || !hd_plan_order(&s->plan, pair->b, next))
            return HD_UNKNOWN;
    }
    return hd_closure_after(s->sim, &s->plan, pair->from, budget);
}

enum hd_verdict hd_published_search_pair(struct hd_published_search *s,
                                         const struct hd_published_pair *pair)
{
    const struct hd_closure_budget budget = {MOST_NODES, MOST_STEPS, pair->deadline};
    if (search_early(s, pair) == HD_RACE && (!pair->notifier || is_as_recorded(s, pair)))
        return HD_RACE;
    if (!make_plan(s, pair))
        return HD_IMPOSSIBLE;
    enum hd_verdict verdict = hd_closure_window(s->sim, &s->plan, pair->from, budget);
    if (verdict == HD_RACE && pair->notifier && !is_as_recorded(s, pair))
        return HD_UNKNOWN;
    return verdict;
}

bool hd_published_search_exclude(struct hd_published_search *s, hd_eid a, hd_eid b, double deadline)
{
    const struct hd_closure_budget budget = {MOST_NODES, MOST_STEPS, deadline};
    const hd_eid pair[] = {a, b};
    struct hd_goal goal = hd_goal_race(pair);
    return !hd_plan_start(&s->plan, &goal) ||
           hd_closure_decide(s->sim, &s->plan, budget) == HD_IMPOSSIBLE;
}
