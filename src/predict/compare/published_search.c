#include "predict/compare/published_search.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "predict/search/frontier.h"
#include "predict/search/repair.h"
#include "predict/search/saturate.h"

#include <string.h>

/* What one pair may cost: simulations, simulated events, and states when it is looked at again. */
enum {
    FIRST_NODES = 20,
    RV_NODES = 4, /* hd_published_search_list costs less than more of them */
    MOST_NODES = 100,
    EARLY_NODES = 10,
    MOST_AGAIN = 5000,
    MOST_STATES = 300000
};
#define MOST_STEPS UINT64_C(1000000)
/* States of a window. */
enum { MOST_ALL_STATES = 2000000 };

struct hd_published_search {
    const struct hd_world *w;
    struct hd_sim *sim;
    struct hd_frontier *frontier; /* NULL: not needed yet */
    const struct hd_matching *matching;
    struct hd_u32vec order; /* see hd_published_search_order */
    struct hd_plan plan;
    struct hd_saturation *saturation; /* of the last window, or NULL */
    hd_eid from, to;                  /* that window */
    bool possible;                    /* the window has orders at all */
    size_t root;                      /* what is said of the window alone */
    uint64_t nodes_left;
    uint32_t *least; /* by thread: events that the pair in hand needs */
    hd_eid *waits;   /* by thread: the wait it is in and not yet notified, or HD_EID_NONE */
};

struct hd_published_search *hd_published_search_new(const struct hd_world *w,
                                                    const struct hd_matching *matching)
{
    struct hd_published_search *s = hd_calloc(1, sizeof *s);
    s->w = w;
    s->sim = hd_sim_new(w, matching);
    s->matching = matching;
    hd_plan_init(&s->plan, w);
    s->waits = hd_calloc(w->n_threads, sizeof *s->waits);
    s->least = hd_calloc(w->n_threads, sizeof *s->least);
    return s;
}

void hd_published_search_free(struct hd_published_search *s)
{
    hd_sim_free(s->sim);
    hd_frontier_free(s->frontier);
    hd_u32vec_fini(&s->order);
    hd_plan_fini(&s->plan);
    hd_saturation_free(s->saturation);
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

/* The events of y's thread before and after it, or HD_EID_NONE; before its first is its fork. */
static void find_neighbours(const struct hd_published_search *s, hd_eid y, hd_eid *before,
                            hd_eid *after)
{
    const struct hd_trace *t = s->w->t;
    hd_tid u = t->thread[y];
    *before = t->pos[y] ? hd_trace_back(t, y, 1) : t->fork_of[u];
    *after = t->pos[y] + 1 < hd_world_thread_len(s->w, u) ? hd_world_event(s->w, u, t->pos[y] + 1)
                                                          : HD_EID_NONE;
}

/* x comes after the predecessor and before the successor of y in y's thread. */
static bool put_between(struct hd_published_search *s, const struct hd_published_pair *pair,
                        hd_eid x, hd_eid y)
{
    hd_eid before, after;
    find_neighbours(s, y, &before, &after);
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

/* ---- saturation: every node of the search knows all that follows from its orders ---- */

/* rv: as recorded, a wait is notified by its notifier, and no other finds it (a sig that notifies
 * another thread may). */
static bool keep_notified(struct hd_published_search *s, const struct hd_published_pair *pair,
                          hd_eid wait, hd_eid by)
{
    const struct hd_trace *t = s->w->t;
    hd_eid leave = HD_EID_NONE, gone = pair->notifier[wait];
    if (t->pos[wait] + 1 < hd_world_thread_len(s->w, t->thread[wait]))
        leave = hd_world_event(s->w, t->thread[wait], t->pos[wait] + 1);
    if (by == gone)
        return hd_saturation_order(s->saturation, wait, by) &&
               (leave >= pair->to || hd_saturation_order(s->saturation, by, leave));
    if (t->op[by] == HD_OP_SIG && pair->notified[by])
        return true;
    if (gone == HD_EID_NONE)
        gone = leave;
    hd_saturation_apart(s->saturation, wait, gone < pair->to ? gone : HD_EID_NONE, by);
    return true;
}

static bool keep_all_notified(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    const struct hd_trace *t = s->w->t;
    for (uint32_t cond = 0; cond < hd_trace_n_objs(t, HD_OBJ_COND); cond++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, cond, &n);
        for (size_t i = 0; i < n && events[i] < pair->to; i++)
            for (size_t k = 0; k < n && events[k] < pair->to; k++)
                if (t->op[events[i]] == HD_OP_WAIT && events[k] >= pair->from &&
                    (t->op[events[k]] == HD_OP_SIG || t->op[events[k]] == HD_OP_BCAST) &&
                    !keep_notified(s, pair, events[i], events[k]))
                    return false;
    }
    return true;
}

/* Makes the saturation of the pair's window, if it is not the last one. False: no order of the
 * window is one of the model. */
static bool saturate_window(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    if (s->saturation && s->from == pair->from && s->to == pair->to)
        return s->possible;
    hd_saturation_free(s->saturation);
    s->saturation = hd_saturation_new(s->w, pair->from, pair->to);
    s->from = pair->from;
    s->to = pair->to;
    for (hd_tid u = 0; u < s->w->n_threads && !pair->notifier; u++)
        hd_saturation_fresh(s->saturation, u, pair->fresh_below[u]); /* said: all reads */
    s->possible =
        (!pair->notifier || keep_all_notified(s, pair)) && hd_saturation_close(s->saturation);
    s->root = hd_saturation_mark(s->saturation);
    return s->possible;
}

static bool say_order(struct hd_published_search *s, hd_eid x, hd_eid y)
{
    return x < s->to && y < s->to && hd_saturation_order(s->saturation, x, y);
}

static bool apply(struct hd_published_search *s, const struct hd_repair *repair)
{
    const struct hd_trace *t = s->w->t;
    hd_eid w = repair->concrete;
    for (uint32_t i = 0; i < repair->n_edges; i++)
        if (!say_order(s, repair->edges[i].from, repair->edges[i].to))
            return false;
    if (w != HD_EID_NONE)
        hd_saturation_fresh(s->saturation, t->thread[w], t->pos[w] + (t->op[w] == HD_OP_RMW));
    return hd_saturation_close(s->saturation);
}

static enum hd_verdict explore(struct hd_published_search *s, const struct hd_published_pair *pair);

static enum hd_verdict try_all(struct hd_published_search *s, const struct hd_published_pair *pair,
                               const struct hd_vec *repairs)
{
    enum hd_verdict verdict = HD_IMPOSSIBLE;
    size_t mark = hd_saturation_mark(s->saturation);
    for (size_t i = 0; i < repairs->len && verdict != HD_RACE; i++) {
        enum hd_verdict one = apply(s, hd_vec_at(repairs, i)) ? explore(s, pair) : HD_IMPOSSIBLE;
        hd_saturation_undo(s->saturation, mark);
        if (one != HD_IMPOSSIBLE)
            verdict = one;
        if (verdict == HD_UNKNOWN && !s->nodes_left)
            break;
    }
    return verdict;
}

static enum hd_verdict explore(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    struct hd_sim_failure failure;
    if (!s->nodes_left || hd_interrupt_requested() ||
        (pair->deadline != 0 && hd_progress_now() >= pair->deadline)) {
        s->nodes_left = 0;
        return HD_UNKNOWN;
    }
    s->nodes_left--;
    memcpy(s->plan.fresh_below, hd_saturation_fresh_below(s->saturation),
           s->w->n_threads * sizeof *s->plan.fresh_below);
    enum hd_sim_result result = hd_sim_run(s->sim, &s->plan, pair->from, &failure);
    if (result == HD_SIM_DONE)
        return !pair->notifier || is_as_recorded(s, pair) ? HD_RACE : HD_UNKNOWN;
    if (result == HD_SIM_CUT)
        return HD_UNKNOWN;
    struct hd_vec repairs = HD_VEC_INIT(struct hd_repair);
    bool complete = hd_repair_list(&s->plan, s->sim, result, &failure, &repairs);
    enum hd_verdict verdict = try_all(s, pair, &repairs);
    hd_vec_fini(&repairs);
    return verdict == HD_IMPOSSIBLE && !complete ? HD_UNKNOWN : verdict;
}

/* x comes after the predecessor and before the successor of y in y's thread. */
static bool say_between(struct hd_published_search *s, const struct hd_published_pair *pair,
                        hd_eid x, hd_eid y)
{
    hd_eid before, after;
    find_neighbours(s, y, &before, &after);
    return (!in_window(pair, before) || say_order(s, before, x)) &&
           (!in_window(pair, after) || say_order(s, x, after));
}

/* Says what is asked of the pair, on top of the window. False: there is no such order. */
static bool saturate_pair(struct hd_published_search *s, const struct hd_published_pair *pair)
{
    if (!saturate_window(s, pair))
        return false;
    for (hd_tid u = 0; u < s->w->n_threads; u++)
        hd_saturation_fresh(s->saturation, u, pair->fresh_below[u]);
    return say_between(s, pair, pair->a, pair->b) && say_between(s, pair, pair->b, pair->a) &&
           hd_saturation_close(s->saturation);
}

/* Requires what saturate_pair has said. */
static enum hd_verdict search_saturated(struct hd_published_search *s,
                                        const struct hd_published_pair *pair, uint64_t nodes)
{
    const struct hd_goal all = {HD_PROPERTY_RACE, NULL, 0, HD_EID_NONE, HD_EID_NONE};
    hd_plan_start(&s->plan, &all);
    for (hd_tid u = 0; u < s->w->n_threads; u++)
        s->plan.cut[u] = hd_world_events_before(s->w, u, pair->to);
    s->plan.saturation = s->saturation;
    s->nodes_left = nodes;

    enum hd_verdict verdict = explore(s, pair);

    s->plan.saturation = NULL;
    return verdict;
}

/* ---- states ---- */

static struct hd_frontier_question question(struct hd_published_search *s,
                                            const struct hd_published_pair *pair, uint64_t states)
{
    if (!s->frontier)
        s->frontier = hd_frontier_new(s->w, s->matching);
    return (struct hd_frontier_question){.known = s->saturation,
                                         .from = pair->from,
                                         .to = pair->to,
                                         .notifier = pair->notifier,
                                         .notified = pair->notified,
                                         .states = states,
                                         .deadline = pair->deadline};
}

/* Requires what saturate_pair has said. */
static enum hd_verdict search_states(struct hd_published_search *s,
                                     const struct hd_published_pair *pair)
{
    struct hd_frontier_question q = question(s, pair, MOST_STATES);
    enum hd_verdict verdict = hd_frontier_decide(s->frontier, &q);
    if (verdict != HD_RACE || pair->to - pair->from != s->w->t->n_events)
        return verdict;
    const struct hd_u32vec *order = hd_frontier_order(s->frontier);
    for (size_t i = 0; i < order->len; i++)
        hd_u32vec_push(&s->order, order->data[i]);
    return verdict;
}

const struct hd_u32vec *hd_published_search_order(const struct hd_published_search *s)
{
    return &s->order;
}

struct hd_meetings *hd_published_search_meetings(struct hd_published_search *s,
                                                 const struct hd_published_pair *pair)
{
    struct hd_meetings *m = hd_meetings_new(s->w, pair->to);
    if (!m || !saturate_window(s, pair))
        return m; /* nothing meets */
    struct hd_frontier_question q = question(s, pair, MOST_ALL_STATES);
    if (hd_frontier_find_meetings(s->frontier, &q, m))
        return m;
    hd_meetings_free(m);
    return NULL;
}

bool hd_published_search_list(struct hd_published_search *s, const struct hd_published_pair *pair,
                              const uint8_t *branch, struct hd_frontier_pair *list, size_t n)
{
    if (!saturate_window(s, pair))
        return true; /* nothing runs */
    struct hd_frontier_question q = question(s, pair, MOST_ALL_STATES);
    return hd_frontier_find_pairs(s->frontier, &q, branch, list, n);
}

/* ---- one pair ---- */

enum hd_verdict hd_published_search_pair(struct hd_published_search *s,
                                         const struct hd_published_pair *pair)
{
    enum hd_verdict verdict = HD_IMPOSSIBLE;
    s->order.len = 0;
    if (saturate_pair(s, pair)) {
        if (pair->again) {
            verdict = pair->notifier ? search_saturated(s, pair, FIRST_NODES) : HD_UNKNOWN;
            if (verdict == HD_UNKNOWN)
                verdict = search_states(s, pair);
            if (verdict == HD_UNKNOWN)
                verdict = search_saturated(s, pair, MOST_AGAIN);
        } else {
            verdict = search_early(s, pair);
            if (verdict != HD_RACE || (pair->notifier && !is_as_recorded(s, pair)))
                verdict = search_saturated(s, pair, pair->notifier ? RV_NODES : FIRST_NODES);
        }
    }
    hd_saturation_undo(s->saturation, s->root);
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
