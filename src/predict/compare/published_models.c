#include "predict/compare/published_models.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "model/matching.h"
#include "predict/compare/published_frame.h"
#include "predict/compare/published_search.h"
#include "predict/index/candidates.h"
#include "predict/index/protocol.h"
#include "predict/smt/encode_int.h"

#include <stdlib.h>
#include <string.h>

/* The trace with the dependences of the model. said: every read matters. rv: branches need nothing
 * by themselves, and a written value depends on all earlier reads of its thread. All columns but
 * the dependences are shared with the given one. */
static struct hd_trace as_in_model(const struct hd_trace *t, enum hd_published model)
{
    static uint32_t pool[3] = {0, 1, 0}; /* 0: nothing is given; 1: an empty set (see trace.c) */
    struct hd_trace copy = *t;
    copy.dep = hd_calloc(t->n_events, sizeof *copy.dep);
    copy.dep_pool = pool;
    copy.n_dep_pool = 3;
    copy.control = model == HD_PUBLISHED_SAID ? HD_CONTROL_ALL : HD_CONTROL_BRANCHES;
    for (hd_eid e = 0; e < t->n_events; e++)
        copy.dep[e] = t->op[e] == HD_OP_BRANCH ? 1 : 0;
    return copy;
}

/* The formula grows with the square of the trace: beyond this it would only eat memory. */
enum { MOST_ENCODED = 20000 };
/* So often is asked who meets whom; longer traces have more windows. */
enum { MOST_ASKED = 12 };
/* Fewer open pairs than this are decided one by one: looking at all states would cost more. */
enum { FEW = 8 };
/* When the search has failed so often for one pair of places, the others are left to the filters
 * and the solver. */
enum { MOST_IN_VAIN = 32 };

/* So many pairs of rv wait for a look at all states. */
enum { MOST_OPEN = 20000 };

/* A pair that the search does not decide. */
struct open {
    hd_eid a, b;
    uint32_t group;
    bool settled; /* it is none, it is a race, or its group has one and that is enough */
    bool met;     /* its window has been asked who meets whom */
};

struct run {
    enum hd_published model;
    const struct hd_trace *t; /* as given */
    struct hd_encoder *e;
    struct hd_published_search *search;
    struct hd_vec open;                 /* struct open, by group */
    struct hd_protocols *protocols;     /* of said, when first needed */
    struct hd_published_frames *frames; /* of rv, or NULL */
    uint32_t in_vain;                   /* pairs of the group in hand that the search left open */
    uint32_t *fresh_below;              /* by thread: of the pair in hand, see published_search.h */
    uint32_t *before;                   /* by thread: events that must happen before an event */
    struct hd_matching matching;
    hd_eid
        *notifier; /* by event: of a wait, what notified it in the recorded run, or HD_EID_NONE */
    struct hd_meetings *meetings; /* said: of the window that begins at meetings_from, or NULL */
    hd_eid meetings_from;         /* HD_EID_NONE: not asked yet */
    uint32_t asked;               /* how often */
    uint8_t *branch;              /* by event: rv takes it as a branch */
    uint32_t *notified;           /* by event: of a sig or bcast, how many it notified */
    struct hd_u32vec order; /* all events, as the solver put them for the pair in hand, or none */
    uint32_t *rank;         /* by event: its place in that order */
    uint32_t *stale;        /* by thread: position of the first read that is stale there */
    const struct hd_published_options *options;
    double deadline;
    struct hd_published_result *result;
};

/* Who notified whom in the recorded run. */
static void find_notifiers(struct run *r)
{
    const struct hd_trace *t = r->t;
    size_t threads = hd_trace_n_threads(t);
    hd_eid *waits = hd_alloc(threads * sizeof *waits); /* by thread: the wait it is in */
    for (size_t u = 0; u < threads; u++)
        waits[u] = HD_EID_NONE;
    for (hd_eid e = 0; e < t->n_events; e++) {
        hd_tid woken = t->op[e] == HD_OP_SIG ? hd_matching_woken(&r->matching, e) : HD_TID_NONE;
        r->notifier[e] = HD_EID_NONE;
        if (t->op[e] == HD_OP_WAIT)
            waits[t->thread[e]] = e;
        else if (t->op[e] == HD_OP_WAKE || t->op[e] == HD_OP_TMO)
            waits[t->thread[e]] = HD_EID_NONE;
        for (hd_tid u = 0; u < threads && (woken != HD_TID_NONE || t->op[e] == HD_OP_BCAST); u++)
            if (waits[u] != HD_EID_NONE && t->obj[waits[u]] == t->obj[e] &&
                r->notifier[waits[u]] == HD_EID_NONE && (woken == HD_TID_NONE || woken == u)) {
                r->notifier[waits[u]] = e;
                r->notified[e]++;
            }
    }
    hd_free(waits, threads * sizeof *waits);
}

/* rv: `wait` is notified by its recorded notifier; every other notification finds it not in the set
 * (a sig may find it there if it notifies another thread). */
static void imply_recorded(struct run *r, hd_eid wait, hd_eid by)
{
    struct hd_encoder *e = r->e;
    const struct hd_trace *t = r->t;
    bool wakes_other = t->op[by] == HD_OP_SIG && hd_matching_woken(&r->matching, by) != HD_TID_NONE;
    hd_eid leave = t->pos[wait] + 1 < hd_world_thread_len(e->w, t->thread[wait])
                       ? hd_world_event(e->w, t->thread[wait], t->pos[wait] + 1)
                       : HD_EID_NONE;
    hd_eid gone = r->notifier[wait] != HD_EID_NONE ? r->notifier[wait] : leave;
    if (by == r->notifier[wait]) {
        hd_encode_implies(e, HD_LIT_TRUE, hd_encode_before(e, wait, by));
        if (leave != HD_EID_NONE)
            hd_encode_implies(e, HD_LIT_TRUE, hd_encode_before(e, by, leave));
    } else if (!wakes_other && t->thread[by] != t->thread[wait]) {
        hd_encode_implies3(e, HD_LIT_TRUE, hd_encode_before(e, by, wait),
                           gone == HD_EID_NONE ? HD_LIT_FALSE : hd_encode_before(e, gone, by),
                           HD_LIT_FALSE);
    }
}

static void encode_recorded(struct run *r)
{
    const struct hd_trace *t = r->t;
    for (uint32_t cond = 0; cond < hd_trace_n_objs(t, HD_OBJ_COND); cond++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, cond, &n);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n && t->op[events[i]] == HD_OP_WAIT; k++)
                if (t->op[events[k]] == HD_OP_SIG || t->op[events[k]] == HD_OP_BCAST)
                    imply_recorded(r, events[i], events[k]);
    }
}

/* Raises `before` for thread u to count events, with all that must happen before them. */
static void reach(struct run *r, hd_tid u, uint32_t count)
{
    const struct hd_trace *t = r->t;
    while (r->before[u] < count) {
        hd_eid e = hd_world_event(r->e->w, u, r->before[u]++);
        if (t->pos[e] == 0 && t->fork_of[u] != HD_EID_NONE)
            reach(r, t->thread[t->fork_of[u]], t->pos[t->fork_of[u]] + 1);
        if (t->op[e] == HD_OP_JOIN)
            reach(r, t->obj[e], hd_world_thread_len(r->e->w, t->obj[e]));
        if (t->op[e] == HD_OP_WAKE) {
            hd_eid by = r->notifier[hd_trace_back(t, e, 1)];
            reach(r, t->thread[by], t->pos[by] + 1);
        }
    }
}

/* Whether rv takes the event as a branch. */
static bool branches(const struct hd_trace *t, hd_eid e)
{
    return t->control == HD_CONTROL_ALL || t->op[e] == HD_OP_BRANCH ||
           (hd_op_is_access(t->op[e]) && hd_trace_deps(t, e, HD_DEP_ADDR).n > 0);
}

/* Raises fresh_below to what guards access x in the sense of rv. */
static void add_guards(struct run *r, hd_eid x)
{
    const struct hd_trace *t = r->t;
    hd_tid own = t->thread[x];
    memset(r->before, 0, r->e->w->n_threads * sizeof *r->before);
    reach(r, own, t->pos[x]);
    if (t->pos[x] == 0 && t->fork_of[own] != HD_EID_NONE)
        reach(r, t->thread[t->fork_of[own]], t->pos[t->fork_of[own]] + 1);
    for (hd_tid u = 0; u < r->e->w->n_threads; u++) {
        uint32_t last = r->before[u]; /* one more than the position of the last branch */
        while (last > 0 && !branches(t, hd_world_event(r->e->w, u, last - 1)))
            last--;
        if (u == own && branches(t, x))
            last = t->pos[x] + 1;
        if (last > 0 && last - 1 > r->fresh_below[u])
            r->fresh_below[u] = last - 1;
    }
}

/* What must be fresh: all reads, or those that guard a or b. */
static void find_fresh(struct run *r, hd_eid a, hd_eid b)
{
    for (hd_tid u = 0; u < r->e->w->n_threads; u++)
        r->fresh_below[u] = r->model == HD_PUBLISHED_SAID ? hd_world_thread_len(r->e->w, u) : 0;
    if (r->model == HD_PUBLISHED_SAID)
        return;
    add_guards(r, a);
    add_guards(r, b);
}

/* `pair` implies that the reads which must be fresh are. */
static void imply_feasible(struct run *r, hd_lit pair)
{
    for (hd_tid u = 0; u < r->e->w->n_threads; u++)
        if (r->fresh_below[u])
            hd_encode_implies(
                r->e, pair,
                hd_encode_all_fresh(r->e, hd_world_event(r->e->w, u, r->fresh_below[u])));
}

/* The events of y's thread that stand before and after it, or HD_EID_NONE. The predecessor of a
 * thread's first event is its fork. */
static void neighbours(const struct run *r, hd_eid y, hd_eid *before, hd_eid *after)
{
    const struct hd_trace *t = r->t;
    const struct hd_world *w = r->e->w;
    hd_tid u = t->thread[y];
    *before = t->pos[y] > 0 ? hd_world_event(w, u, t->pos[y] - 1) : t->fork_of[u];
    *after = t->pos[y] + 1 < hd_world_thread_len(w, u) ? hd_world_event(w, u, t->pos[y] + 1)
                                                       : HD_EID_NONE;
}

/* x comes after the predecessor and before the successor of y in y's thread. For rv that is as much
 * as next to each other: see "Search" in docs/algorithms/published-models.md. */
static void imply_between(struct run *r, hd_lit pair, hd_eid x, hd_eid y)
{
    struct hd_encoder *e = r->e;
    hd_eid before, after;
    neighbours(r, y, &before, &after);
    if (before != HD_EID_NONE)
        hd_encode_implies(e, pair, hd_encode_before(e, before, x));
    if (after != HD_EID_NONE)
        hd_encode_implies(e, pair, hd_encode_before(e, x, after));
}

static bool is_over(const struct run *r)
{
    return hd_interrupt_requested() || (r->deadline != 0 && hd_progress_now() >= r->deadline);
}

/* Everything runs; for said every read is fresh as well. */
static void encode_complete(struct run *r)
{
    struct hd_encoder *e = r->e;
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        e->cut[u] = hd_world_thread_len(e->w, u);
    hd_encode_events(e);
    for (hd_eid x = 0; x < r->t->n_events; x++) {
        hd_lit runs = hd_enc_inc(e, x);
        hd_solver_clause(e->s, &runs, 1);
        if (r->model == HD_PUBLISHED_SAID && hd_op_reads(r->t->op[x]))
            hd_encode_implies(e, HD_LIT_TRUE, hd_encode_fresh(e, x));
    }
    if (r->model == HD_PUBLISHED_RV)
        encode_recorded(r);
    hd_encode_settle(e);
}

static enum hd_sat ask_solver(struct run *r, hd_eid a, hd_eid b)
{
    struct hd_encoder *e = r->e;
    if (!e->s)
        encode_complete(r);
    double left = r->deadline != 0 ? r->deadline - hd_progress_now() : 0;
    if (is_over(r))
        return HD_SAT_UNKNOWN;
    find_fresh(r, a, b);
    hd_lit pair = hd_solver_bool(e->s), done = -pair;
    imply_between(r, pair, a, b);
    imply_between(r, pair, b, a);
    if (r->model == HD_PUBLISHED_RV)
        imply_feasible(r, pair);
    hd_encode_settle(e);
    enum hd_sat sat = hd_encode_check(e, pair, left);
    if (sat != HD_SAT_YES || !hd_encode_order(e, &r->order))
        r->order.len = 0;
    hd_solver_clause(e->s, &done, 1);
    return sat;
}

static hd_eid window_of(const struct run *r)
{
    return r->options->window ? r->options->window : HD_PUBLISHED_WINDOW;
}

static hd_eid window_start(const struct run *r, hd_eid e)
{
    return e / window_of(r) * window_of(r);
}

/* The window of a pair. */
static void find_window(const struct run *r, struct hd_published_pair *pair)
{
    hd_eid n = (hd_eid)r->t->n_events, window = window_of(r);
    pair->from = window_start(r, pair->a);
    pair->to = n - pair->from > window ? pair->from + window : n;
}

/* said: every order that it asks for is one of max, when every read matters; so what keeps two
 * events apart there does so here. rv: see published_frame.h. */
static bool keeps_apart(struct run *r, hd_eid a, hd_eid b)
{
    struct hd_stand x, y;
    if (r->model == HD_PUBLISHED_RV)
        return r->frames && hd_published_frames_keep_apart(r->frames, a, b);
    if (!r->protocols)
        r->protocols = hd_protocols_new(r->e->w, HD_PROTOCOLS_STATES, HD_PROTOCOL_STATES);
    hd_protocols_stand(r->protocols, a, &x);
    hd_protocols_stand(r->protocols, b, &y);
    return hd_protocols_apart(r->protocols, &x, &y);
}

/* The same by closure. */
static bool is_excluded(struct run *r, hd_eid a, hd_eid b)
{
    if (r->model == HD_PUBLISHED_RV)
        return r->frames && hd_published_frames_exclude(r->frames, a, b, r->deadline);
    return hd_published_search_exclude(r->search, a, b, r->deadline);
}

static struct hd_published_pair pair_of(struct run *r, hd_eid a, hd_eid b)
{
    struct hd_published_pair pair = {
        .a = a, .b = b, .fresh_below = r->fresh_below, .deadline = r->deadline};
    find_window(r, &pair);
    if (r->model == HD_PUBLISHED_RV) {
        pair.notifier = r->notifier;
        pair.notified = r->notified;
    }
    return pair;
}

/* By plan and simulation, or by states. */
static enum hd_verdict search_orders(struct run *r, const struct hd_published_pair *pair)
{
    find_fresh(r, pair->a, pair->b);
    return hd_published_search_pair(r->search, pair);
}

/* said: asks who meets whom in the window of the pair, if that is not known. */
static void ask_meetings(struct run *r, const struct hd_published_pair *pair)
{
    if (r->model != HD_PUBLISHED_SAID || r->meetings_from == pair->from || r->asked >= MOST_ASKED)
        return;
    r->asked++;
    hd_meetings_free(r->meetings);
    r->meetings = hd_published_search_meetings(r->search, pair);
    r->meetings_from = pair->from;
}

static bool never_meet(const struct run *r, const struct hd_published_pair *pair)
{
    return r->meetings && r->meetings_from == pair->from &&
           !hd_meetings_have(r->meetings, pair->a, pair->b);
}

static enum hd_sat search(struct run *r, hd_eid a, hd_eid b)
{
    struct hd_published_pair pair = pair_of(r, a, b);
    if (b < pair.from || b >= pair.to)
        return HD_SAT_NO;
    if (is_over(r) || r->options->steps != HD_PUBLISHED_ALL)
        return HD_SAT_UNKNOWN;
    if ((r->frames && hd_published_frames_ordered(r->frames, a, b)) || never_meet(r, &pair))
        return HD_SAT_NO;
    bool rv = r->model == HD_PUBLISHED_RV; /* its proofs come after all states, see decide_open */
    if (r->in_vain >= MOST_IN_VAIN)
        return (!rv || r->open.len > MOST_OPEN) && keeps_apart(r, a, b) ? HD_SAT_NO
                                                                        : HD_SAT_UNKNOWN;
    enum hd_verdict verdict = search_orders(r, &pair);
    if (verdict == HD_UNKNOWN) {
        r->in_vain++;
        ask_meetings(r, &pair);
    }
    if (verdict == HD_UNKNOWN && !rv &&
        (never_meet(r, &pair) || keeps_apart(r, a, b) || is_excluded(r, a, b)))
        verdict = HD_IMPOSSIBLE;
    return verdict == HD_UNKNOWN ? HD_SAT_UNKNOWN : verdict == HD_RACE ? HD_SAT_YES : HD_SAT_NO;
}

/* All pairs of one bundle, by search. True when one race is found and is enough. */
static bool search_bundle(struct run *r, const struct hd_candidates *c,
                          const struct hd_bundle *bundle, uint32_t group)
{
    const struct hd_world *w = r->e->w;
    const struct hd_class *x = hd_class_at(c, bundle->x), *y = hd_class_at(c, bundle->y);
    if (hd_sections_exclude(w->sections, c->events[x->start], c->events[y->start]))
        return false;
    for (uint32_t i = x->start; i < x->end; i++) {
        uint32_t from, to;
        hd_candidates_open(w, c, c->events[i], y, &from, &to);
        for (; from < to; from++) {
            hd_eid a = c->events[i], b = c->events[from];
            enum hd_sat sat = search(r, a, b);
            if (sat == HD_SAT_YES)
                hd_pairs_push(&r->result->pairs, a, b);
            if (sat == HD_SAT_UNKNOWN)
                *(struct open *)hd_vec_push(&r->open) = (struct open){
                    .a = a, .b = b, .group = group, .met = r->meetings_from == window_start(r, a)};
            if (sat == HD_SAT_UNKNOWN && is_over(r))
                break; /* one stands for the rest of this event's pairs */
            if (sat == HD_SAT_YES && !r->options->all_pairs)
                return true;
        }
    }
    return false;
}

static void search_group(struct run *r, const struct hd_candidates *c, uint32_t group)
{
    struct hd_bundle_walk walk = hd_bundle_walk(c, hd_vec_at(&c->groups, group));
    struct hd_bundle bundle;
    size_t open = r->open.len;
    bool raced = false;
    r->in_vain = 0;
    while (!raced && hd_bundle_next(&walk, &bundle))
        raced = search_bundle(r, c, &bundle, group);
    if (raced)
        r->open.len = open;
}

/* ---- what one order of the solver shows about other pairs ---- */

/* Where each event stands in the order, and of each thread the first read that it makes stale. */
static void follow_order(struct run *r)
{
    const struct hd_trace *t = r->t;
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    hd_eid *last = hd_alloc(locs * sizeof *last); /* by location: its last write */
    uint8_t *good = hd_calloc(t->n_events, 1);    /* by write: it stores its traced value */
    for (size_t x = 0; x < locs; x++)
        last[x] = HD_EID_NONE;
    for (hd_tid u = 0; u < r->e->w->n_threads; u++)
        r->stale[u] = UINT32_MAX;
    for (uint32_t i = 0; i < r->order.len; i++) {
        hd_eid e = r->order.data[i], w = hd_op_is_access(t->op[e]) ? last[t->obj[e]] : 0;
        uint32_t *stale = &r->stale[t->thread[e]];
        r->rank[e] = i;
        if (hd_op_reads(t->op[e]) && *stale == UINT32_MAX) {
            const struct hd_loc_init *init = &t->loc_init[t->obj[e]];
            bool fresh = w == HD_EID_NONE ? init->how != HD_INIT_UNKNOWN &&
                                                hd_value_eq(init->value, hd_trace_read_value(t, e))
                                          : good[w] && hd_value_eq(hd_trace_write_value(t, w),
                                                                   hd_trace_read_value(t, e));
            *stale = fresh ? UINT32_MAX : t->pos[e];
        }
        if (hd_op_writes(t->op[e])) {
            good[e] = *stale == UINT32_MAX;
            last[t->obj[e]] = e;
        }
    }
    hd_free(last, locs * sizeof *last);
    hd_free(good, t->n_events);
}

/* The order has x between the neighbours of y. */
static bool stands_between(const struct run *r, hd_eid x, hd_eid y)
{
    hd_eid before, after;
    neighbours(r, y, &before, &after);
    return (before == HD_EID_NONE || r->rank[before] < r->rank[x]) &&
           (after == HD_EID_NONE || r->rank[x] < r->rank[after]);
}

/* The order that the solver gave for another pair is one for this. */
static bool order_serves(struct run *r, hd_eid a, hd_eid b)
{
    if (!stands_between(r, a, b) || !stands_between(r, b, a))
        return false;
    find_fresh(r, a, b);
    for (hd_tid u = 0; u < r->e->w->n_threads; u++)
        if (r->stale[u] < r->fresh_below[u])
            return false;
    return true;
}

/* Entry i is a race; without all pairs that settles its group. */
static void take_race(struct run *r, size_t i)
{
    struct open *list = r->open.data;
    hd_pairs_push(&r->result->pairs, list[i].a, list[i].b);
    list[i].settled = true;
    for (size_t k = i; !r->options->all_pairs && k-- > 0 && list[k].group == list[i].group;)
        list[k].settled = true;
    for (size_t k = i + 1;
         !r->options->all_pairs && k < r->open.len && list[k].group == list[i].group; k++)
        list[k].settled = true;
}

/* Looks for more races in the order that the solver gave for entry i. */
static void use_order(struct run *r, size_t i)
{
    if (!r->order.len)
        return;
    follow_order(r);
    for (size_t k = i + 1; k < r->open.len; k++) {
        const struct open *o = hd_vec_at(&r->open, k);
        if (!o->settled && order_serves(r, o->a, o->b))
            take_race(r, k);
    }
}

/* A pair that the search has left open: by more of it, then by the solver, if the formula is not
 * too large. */
static enum hd_sat decide_open(struct run *r, const struct open *o)
{
    struct hd_published_pair pair = pair_of(r, o->a, o->b);
    pair.again = true;
    if (r->model == HD_PUBLISHED_RV && r->options->steps == HD_PUBLISHED_ALL && !is_over(r) &&
        (keeps_apart(r, o->a, o->b) || is_excluded(r, o->a, o->b)))
        return HD_SAT_NO;
    enum hd_verdict verdict = r->options->steps == HD_PUBLISHED_SOLVER || is_over(r)
                                  ? HD_UNKNOWN
                                  : search_orders(r, &pair);
    const struct hd_u32vec *order = hd_published_search_order(r->search);
    for (size_t i = 0; verdict == HD_RACE && i < order->len; i++)
        hd_u32vec_push(&r->order, order->data[i]);
    if (verdict != HD_UNKNOWN)
        return verdict == HD_RACE ? HD_SAT_YES : HD_SAT_NO;
    bool fits = r->t->n_events <= MOST_ENCODED && r->t->n_events <= window_of(r);
    return fits && !is_over(r) ? ask_solver(r, o->a, o->b) : HD_SAT_UNKNOWN;
}

static int by_events(const void *x, const void *y)
{
    const struct hd_frontier_pair *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static bool is_asked_with(const struct run *r, const struct open *o, hd_eid window)
{
    return !o->settled && !o->met && window_start(r, o->a) == window;
}

/* The open pairs of a window, from entry i on, sorted by events: struct hd_frontier_pair. */
static struct hd_vec list_with(const struct run *r, size_t i)
{
    const struct open *list = r->open.data;
    hd_eid window = window_start(r, list[i].a);
    struct hd_vec pairs = HD_VEC_INIT(struct hd_frontier_pair);
    for (size_t k = i; k < r->open.len; k++)
        if (is_asked_with(r, &list[k], window))
            *(struct hd_frontier_pair *)hd_vec_push(&pairs) =
                (struct hd_frontier_pair){list[k].a < list[k].b ? list[k].a : list[k].b,
                                          list[k].a < list[k].b ? list[k].b : list[k].a, false};
    qsort(pairs.data, pairs.len, pairs.size, by_events);
    return pairs;
}

/* What all states of the window of entry i say of it and the others in the list. */
static void look_at_states(struct run *r, size_t i, struct hd_vec *pairs)
{
    struct open *list = r->open.data;
    struct hd_published_pair pair = pair_of(r, list[i].a, list[i].b);
    struct hd_meetings *m = NULL;
    bool all = false;
    find_fresh(r, pair.a, pair.b);
    if (r->model == HD_PUBLISHED_RV)
        all = hd_published_search_list(r->search, &pair, r->branch, pairs->data, pairs->len);
    else
        m = hd_published_search_meetings(r->search, &pair);
    for (size_t k = i; k < r->open.len; k++) {
        struct hd_frontier_pair key = {list[k].a < list[k].b ? list[k].a : list[k].b,
                                       list[k].a < list[k].b ? list[k].b : list[k].a, false};
        const struct hd_frontier_pair *at =
            bsearch(&key, pairs->data, pairs->len, pairs->size, by_events);
        if (!at || !is_asked_with(r, &list[k], pair.from))
            continue;
        list[k].met = true;
        if (at->found)
            take_race(r, k);
        else if (all || (m && !hd_meetings_have(m, key.a, key.b)))
            list[k].settled = true;
    }
    hd_meetings_free(m);
}

/* Settles open pairs by all states of their windows, where there are enough of them. */
static void settle_by_states(struct run *r)
{
    const struct open *list = r->open.data;
    size_t least = r->options->steps == HD_PUBLISHED_MEETINGS ? 1 : FEW;
    for (size_t i = 0; i < r->open.len && r->asked < MOST_ASKED && !is_over(r); i++) {
        if (list[i].met || list[i].settled)
            continue;
        struct hd_vec pairs = list_with(r, i);
        if (pairs.len >= least) {
            r->asked++;
            look_at_states(r, i, &pairs);
        }
        hd_vec_fini(&pairs);
    }
}

static void decide_rest(struct run *r)
{
    if (r->options->steps == HD_PUBLISHED_ALL || r->options->steps == HD_PUBLISHED_MEETINGS)
        settle_by_states(r);
    for (size_t i = 0; i < r->open.len; i++) {
        const struct open *o = hd_vec_at(&r->open, i);
        if (o->settled)
            continue;
        r->order.len = 0;
        enum hd_sat sat = decide_open(r, o);
        if (sat == HD_SAT_YES) {
            take_race(r, i);
            use_order(r, i);
        } else if (sat == HD_SAT_UNKNOWN) {
            hd_pairs_push(&r->result->undecided, o->a, o->b);
        }
    }
}

static void run_init(struct run *r, const struct hd_world *w)
{
    size_t n = r->t->n_events;
    r->deadline = r->options->seconds != 0 ? hd_progress_now() + r->options->seconds : 0;
    r->meetings_from = HD_EID_NONE;
    r->e = hd_encoder_new(w, (struct hd_solver_limits){r->deadline, HD_SOLVER_MEMORY});
    r->before = hd_calloc(w->n_threads, sizeof *r->before);
    r->fresh_below = hd_calloc(w->n_threads, sizeof *r->fresh_below);
    r->notifier = hd_alloc(n * sizeof *r->notifier);
    r->notified = hd_calloc(n, sizeof *r->notified);
    r->rank = hd_calloc(n, sizeof *r->rank);
    r->branch = hd_calloc(n, 1);
    for (hd_eid e = 0; e < n; e++)
        r->branch[e] = branches(r->t, e);
    r->stale = hd_calloc(w->n_threads, sizeof *r->stale);
    hd_matching_check(r->t, &r->matching);
    find_notifiers(r);
    r->search = hd_published_search_new(w, &r->matching);
    r->open = HD_VEC_INIT(struct open);
    if (r->model == HD_PUBLISHED_RV)
        r->frames = hd_published_frames_new(r->t, &r->matching);
}

static void run_fini(struct run *r, const struct hd_world *w)
{
    size_t n = r->t->n_events;
    hd_published_search_free(r->search);
    hd_vec_fini(&r->open);
    hd_protocols_free(r->protocols);
    hd_published_frames_free(r->frames);
    hd_free(r->before, w->n_threads * sizeof *r->before);
    hd_free(r->fresh_below, w->n_threads * sizeof *r->fresh_below);
    hd_free(r->notifier, n * sizeof *r->notifier);
    hd_free(r->notified, n * sizeof *r->notified);
    hd_free(r->rank, n * sizeof *r->rank);
    hd_free(r->branch, n);
    hd_meetings_free(r->meetings);
    hd_free(r->stale, w->n_threads * sizeof *r->stale);
    hd_u32vec_fini(&r->order);
    hd_matching_fini(&r->matching);
    hd_encoder_free(r->e);
}

void hd_published_run(enum hd_published model, const struct hd_trace *t,
                      const struct hd_published_options *options,
                      struct hd_published_result *result)
{
    struct hd_trace copy = as_in_model(t, model);
    struct hd_world *w = hd_world_new(&copy);
    struct hd_candidates *c = hd_candidates_new(w);
    struct run r = {.model = model, .t = t, .options = options, .result = result};
    *result = (struct hd_published_result){0};
    run_init(&r, w);
    for (uint32_t g = 0; g < c->groups.len; g++)
        search_group(&r, c, g);
    decide_rest(&r);
    hd_pairs_sort(&result->pairs);
    hd_pairs_sort(&result->undecided);
    run_fini(&r, w);
    hd_candidates_free(c);
    hd_world_free(w);
    hd_free(copy.dep, t->n_events * sizeof *copy.dep);
}

void hd_published_fini(struct hd_published_result *result)
{
    hd_pairs_fini(&result->pairs);
    hd_pairs_fini(&result->undecided);
}
