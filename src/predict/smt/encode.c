#include "predict/smt/encode.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "predict/smt/encode_int.h"
#include "predict/ucg/ucg.h"

#include <stdlib.h>
#include <string.h>

/* ---- clauses ---- */

void hd_encode_begin(struct hd_encoder *e)
{
    e->clause.len = 0;
}

void hd_encode_add(struct hd_encoder *e, hd_lit lit)
{
    *(hd_lit *)hd_vec_push(&e->clause) = lit;
}

void hd_encode_end(struct hd_encoder *e)
{
    hd_lit *lits = e->clause.data;
    size_t kept = 0;
    for (size_t i = 0; i < e->clause.len; i++) {
        if (lits[i] == HD_LIT_TRUE)
            return;
        if (lits[i] != HD_LIT_FALSE)
            lits[kept++] = lits[i];
    }
    hd_solver_clause(e->s, lits, kept);
}

void hd_encode_implies(struct hd_encoder *e, hd_lit from, hd_lit to)
{
    hd_encode_implies3(e, from, to, HD_LIT_FALSE, HD_LIT_FALSE);
}

void hd_encode_implies3(struct hd_encoder *e, hd_lit from, hd_lit x, hd_lit y, hd_lit z)
{
    hd_encode_begin(e);
    hd_encode_add(e, -from);
    hd_encode_add(e, x);
    hd_encode_add(e, y);
    hd_encode_add(e, z);
    hd_encode_end(e);
}

hd_lit hd_encode_before(struct hd_encoder *e, hd_eid x, hd_eid y)
{
    if (hd_world_before(e->w, x, y))
        return HD_LIT_TRUE;
    if (x == y || hd_world_before(e->w, y, x))
        return HD_LIT_FALSE;
    return hd_solver_before(e->s, hd_enc_ord(e, x), hd_enc_ord(e, y));
}

/* ---- reads ---- */

static hd_lit lit_of(struct hd_encoder *e, struct hd_map *map, hd_eid key, bool *fresh)
{
    uint32_t *index = hd_map_put(map, key, fresh);
    if (*fresh) {
        *index = (uint32_t)e->lits.len;
        *(hd_lit *)hd_vec_push(&e->lits) = hd_solver_bool(e->s);
    }
    return *(hd_lit *)hd_vec_at(&e->lits, *index);
}

/* "This read returned its traced value." What it takes is said later, by hd_encode_settle. */
hd_lit hd_encode_fresh(struct hd_encoder *e, hd_eid r)
{
    bool fresh;
    hd_lit lit = lit_of(e, &e->fresh, r, &fresh);
    if (fresh)
        hd_u32vec_push(&e->todo, r);
    return lit;
}

/* "All reads of the thread before this event are fresh", as a chain from read to read. */
hd_lit hd_encode_all_fresh(struct hd_encoder *e, hd_eid x)
{
    const struct hd_trace *t = e->w->t;
    hd_tid u = t->thread[x];
    hd_lit first = HD_LIT_TRUE, later = 0;
    for (uint32_t p = t->pos[x]; p-- > 0;) {
        hd_eid r = hd_world_event(e->w, u, p);
        if (!hd_op_reads(t->op[r]))
            continue;
        bool fresh;
        hd_lit lit = lit_of(e, &e->all, r, &fresh); /* r and all reads before it */
        if (!later)
            first = lit;
        else
            hd_encode_implies(e, later, lit);
        if (!fresh)
            return first;
        hd_encode_implies(e, lit, hd_encode_fresh(e, r));
        later = lit;
    }
    return first;
}

/* `from` implies that the reads of a dependence set are fresh. */
static void imply_deps(struct hd_encoder *e, hd_lit from, hd_eid x, enum hd_dep_role role)
{
    const struct hd_trace *t = e->w->t;
    struct hd_deps deps = hd_trace_deps(t, x, role);
    if (role == HD_DEP_VALUE && hd_op_writes(t->op[x]) && e->whole_history)
        deps = (struct hd_deps){.all = true};
    if (deps.all)
        hd_encode_implies(e, from, hd_encode_all_fresh(e, x));
    if (deps.all && role == HD_DEP_VALUE && t->op[x] == HD_OP_RMW)
        hd_encode_implies(e, from, hd_encode_fresh(e, x));
    for (uint32_t i = 0; i < deps.n; i++)
        hd_encode_implies(e, from, hd_encode_fresh(e, hd_trace_back(t, x, deps.dist[i])));
}

/* "This write stored its traced value." */
static hd_lit stores_lit(struct hd_encoder *e, hd_eid w)
{
    bool fresh;
    hd_lit lit = lit_of(e, &e->stores, w, &fresh);
    if (fresh)
        imply_deps(e, lit, w, HD_DEP_VALUE);
    return lit;
}

/* `from` implies that no other write comes between the source (HD_EID_NONE: the beginning) and r.
 */
static void imply_unhidden(struct hd_encoder *e, hd_lit from, hd_eid source, hd_eid r)
{
    const struct hd_accesses *locs = e->w->locs;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, e->w->t->obj[r], &n);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++) {
            hd_eid other = locs->writes[k];
            if (!hd_enc_has(e, other))
                break;
            if (other == source || other == r)
                continue;
            hd_lit earlier =
                source == HD_EID_NONE ? HD_LIT_FALSE : hd_encode_before(e, other, source);
            hd_lit later = earlier == HD_LIT_TRUE ? HD_LIT_TRUE : hd_encode_before(e, r, other);
            hd_encode_implies3(e, from, -hd_enc_inc(e, other), earlier, later);
        }
}

/* A fresh read has a source of the right value: a write that stored it, or the initial value. */
static void settle_read(struct hd_encoder *e, hd_eid r)
{
    const struct hd_trace *t = e->w->t;
    const struct hd_accesses *locs = e->w->locs;
    struct hd_value value = hd_trace_read_value(t, r);
    struct hd_vec sources = HD_VEC_INIT(hd_lit);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, t->obj[r], &n);
    *(hd_lit *)hd_vec_push(&sources) = -hd_encode_fresh(e, r);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++) {
            hd_eid w = locs->writes[k];
            if (!hd_enc_has(e, w))
                break;
            if (w == r || !hd_value_eq(hd_trace_write_value(t, w), value))
                continue;
            hd_lit before = hd_encode_before(e, w, r);
            if (before == HD_LIT_FALSE)
                break;
            hd_lit source = hd_solver_bool(e->s);
            *(hd_lit *)hd_vec_push(&sources) = source;
            hd_encode_implies(e, source, hd_enc_inc(e, w));
            hd_encode_implies(e, source, before);
            hd_encode_implies(e, source, stores_lit(e, w));
            imply_unhidden(e, source, w, r);
        }
    const struct hd_loc_init *init = &t->loc_init[t->obj[r]];
    if (init->how != HD_INIT_UNKNOWN && hd_value_eq(init->value, value)) {
        hd_lit source = hd_solver_bool(e->s);
        *(hd_lit *)hd_vec_push(&sources) = source;
        imply_unhidden(e, source, HD_EID_NONE, r);
    }
    hd_solver_clause(e->s, sources.data, sources.len);
    hd_vec_fini(&sources);
}

/* Whether to stop making the formula; then no check may be made. */
static bool is_late(struct hd_encoder *e)
{
    double deadline = e->limits.deadline;
    e->late |= hd_interrupt_requested() || (deadline != 0 && hd_progress_now() >= deadline);
    return e->late || hd_solver_lost(e->s) != HD_LOST_NOT;
}

void hd_encode_settle(struct hd_encoder *e)
{
    while (e->todo.len && !is_late(e))
        settle_read(e, e->todo.data[--e->todo.len]);
}

/* ---- events ---- */

/* What event x takes of the reads before it: `from` is "x runs", or "this pair" for a and b. */
static void imply_enabled(struct hd_encoder *e, hd_lit from, hd_eid x)
{
    const struct hd_trace *t = e->w->t;
    if (t->control == HD_CONTROL_ALL)
        hd_encode_implies(e, from, hd_encode_all_fresh(e, x));
    if (t->op[x] == HD_OP_BRANCH)
        imply_deps(e, from, x, HD_DEP_CONTROL);
    else if (hd_op_is_access(t->op[x]))
        imply_deps(e, from, x, HD_DEP_ADDR);
}

/* The must-orders hold whatever runs, if events that do not run are thought to come after all that
 * do, in observed order. They tie the order variables together. Clauses that the must-order makes
 * true are left out elsewhere, so what must run is said here as well. */
static void encode_must(struct hd_encoder *e, hd_eid x)
{
    const struct hd_trace *t = e->w->t;
    hd_tid u = t->thread[x];
    uint32_t p = t->pos[x];
    const uint32_t *clock = hd_must_clock(e->w->must, x);
    const uint32_t *before = p ? hd_must_clock(e->w->must, hd_world_event(e->w, u, p - 1)) : NULL;
    hd_ord mine = hd_enc_ord(e, x);
    for (hd_tid v = 0; v < e->w->n_threads; v++) {
        uint32_t count = v == u ? p : clock[v];
        if (!count || (v != u && before && before[v] == count))
            continue;
        hd_eid last = hd_world_event(e->w, v, count - 1);
        hd_encode_implies(e, hd_enc_inc(e, x), hd_enc_inc(e, last));
        if (!hd_enc_has(e, last))
            continue;
        hd_lit lit = hd_solver_before(e->s, hd_enc_ord(e, last), mine);
        hd_solver_clause(e->s, &lit, 1);
    }
}

static void make_variables(struct hd_encoder *e)
{
    e->inc.len = 0;
    e->ord.len = 0;
    for (hd_tid u = 0; u < e->w->n_threads; u++) {
        e->first[u] = (uint32_t)e->inc.len;
        for (uint32_t p = 0; p < e->cut[u]; p++) {
            *(hd_lit *)hd_vec_push(&e->inc) = hd_solver_bool(e->s);
            *(hd_ord *)hd_vec_push(&e->ord) = hd_solver_order(e->s);
        }
    }
}

void hd_encode_events(struct hd_encoder *e)
{
    hd_solver_free(e->s);
    e->s = hd_solver_new(e->limits);
    hd_map_clear(&e->fresh);
    hd_map_clear(&e->all);
    hd_map_clear(&e->stores);
    e->lits.len = 0;
    e->todo.len = 0;
    make_variables(e);
    /* From the end: Z3 then moves one variable for each link of a chain, not all before it. */
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        for (uint32_t p = e->cut[u]; p-- > 0 && !is_late(e);) {
            hd_eid x = hd_world_event(e->w, u, p);
            encode_must(e, x);
            imply_enabled(e, hd_enc_inc(e, x), x);
        }
    hd_encode_locks(e);
    hd_encode_waits(e);
    hd_encode_sems(e);
    hd_encode_barriers(e);
    hd_encode_settle(e);
}

/* ---- goals ---- */

/* Whether the encoded events serve for the cone, without being many times as large. */
static bool serves(const struct hd_encoder *e)
{
    if (!e->s || e->inc.len > 4 * hd_cone_size(&e->cone) + 256)
        return false;
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        if (e->cone.cut[u] > e->cut[u])
            return false;
    return true;
}

/* Makes the encoder say at least all about the cone; keeps what it said when that is not much more.
 */
static void prepare(struct hd_encoder *e)
{
    if (serves(e))
        return;
    size_t size = hd_cone_size(&e->cone), joint = 0;
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        joint += e->cone.cut[u] > e->cut[u] ? e->cone.cut[u] : e->cut[u];
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        if (e->cone.cut[u] > e->cut[u] || joint > 2 * size + 64)
            e->cut[u] = e->cone.cut[u];
    hd_encode_events(e);
}

struct placed {
    int64_t place;
    hd_eid event;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* False: the solver was lost meanwhile. */
bool hd_encode_order(struct hd_encoder *e, struct hd_u32vec *order)
{
    size_t n = e->inc.len;
    bool *runs = hd_alloc(n * sizeof *runs);
    int64_t *places = hd_alloc(n * sizeof *places);
    struct hd_vec placed = HD_VEC_INIT(struct placed);
    bool good = hd_solver_values(e->s, e->inc.data, n, runs) &&
                hd_solver_places(e->s, e->ord.data, n, places);
    for (hd_tid u = 0; u < e->w->n_threads && good; u++)
        for (uint32_t p = 0; p < e->cut[u] && runs[e->first[u] + p]; p++)
            *(struct placed *)hd_vec_push(&placed) =
                (struct placed){places[e->first[u] + p], hd_world_event(e->w, u, p)};
    if (placed.len)
        qsort(placed.data, placed.len, sizeof(struct placed), by_place);
    order->len = 0;
    for (size_t i = 0; i < placed.len; i++)
        hd_u32vec_push(order, ((struct placed *)hd_vec_at(&placed, i))->event);
    hd_vec_fini(&placed);
    hd_free(runs, n * sizeof *runs);
    hd_free(places, n * sizeof *places);
    return good;
}

void hd_encoder_reset(struct hd_encoder *e)
{
    if (!e)
        return;
    hd_solver_free(e->s);
    e->s = NULL;
    if (e->w->n_threads)
        memset(e->cut, 0, e->w->n_threads * sizeof *e->cut);
}

/* Events beyond the cut can not matter, whatever the hint asks of them. */
static void encode_hint(struct hd_encoder *e, const struct hd_ucg_order *order, hd_lit selected)
{
    if (!hd_enc_has(e, order->from))
        return;
    if (order->to == HD_EID_NONE)
        hd_encode_implies(e, selected, hd_enc_inc(e, order->from));
    else if (hd_enc_has(e, order->to))
        hd_encode_implies(e, selected, hd_encode_before(e, order->from, order->to));
}

/* What `selected` asks: the goal, and all that its plan asks. */
static void encode_goal(struct hd_encoder *e, const struct hd_goal *goal, hd_lit selected)
{
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        imply_enabled(e, selected, goal->stops[i]);
        hd_encode_implies(e, selected, -hd_enc_inc(e, goal->stops[i]));
    }
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        if (e->plan.cut[u])
            hd_encode_implies(e, selected,
                              hd_enc_inc(e, hd_world_event(e->w, u, e->plan.cut[u] - 1)));
    if (goal->then != HD_EID_NONE)
        hd_encode_implies(e, selected, hd_encode_before(e, goal->first, goal->then));
    for (size_t i = 0; e->hints && i < e->hints->len; i++)
        encode_hint(e, hd_vec_at(e->hints, i), selected);
    hd_encode_settle(e);
}

void hd_encoder_hints(struct hd_encoder *e, const struct hd_vec *orders)
{
    e->hints = orders;
}

enum hd_sat hd_encode_check(struct hd_encoder *e, hd_lit assumption, double seconds)
{
    return e->late ? HD_SAT_UNKNOWN : hd_solver_check(e->s, &assumption, 1, seconds);
}

enum hd_lost hd_encoder_lost(const struct hd_encoder *e)
{
    return e->lost;
}

static double cone_deadline(const struct hd_encoder *e, double seconds)
{
    double deadline = e->limits.deadline, own = hd_progress_now() + seconds;
    return seconds > 0 && (deadline == 0 || own < deadline) ? own : deadline;
}

enum hd_verdict hd_encoder_decide(struct hd_encoder *e, const struct hd_goal *goal, double seconds,
                                  struct hd_u32vec *order)
{
    if (!hd_plan_start(&e->plan, goal))
        return HD_IMPOSSIBLE;
    if (!hd_cone_build(&e->cone, goal, e->plan.cut, cone_deadline(e, seconds))) {
        e->lost = HD_LOST_TIME;
        return HD_UNKNOWN;
    }
    prepare(e);
    hd_lit selected = hd_solver_bool(e->s);
    encode_goal(e, goal, selected);
    enum hd_sat sat = hd_encode_check(e, selected, seconds);
    if (sat == HD_SAT_YES && !hd_encode_order(e, order))
        sat = HD_SAT_UNKNOWN;
    if (sat == HD_SAT_UNKNOWN) {
        e->lost = hd_solver_lost(e->s);
        hd_encoder_reset(e); /* the solver is of no use any more */
        return HD_UNKNOWN;
    }
    hd_lit done = -selected;
    hd_solver_clause(e->s, &done, 1);
    return sat == HD_SAT_YES ? HD_RACE : HD_IMPOSSIBLE;
}

struct hd_encoder *hd_encoder_new(const struct hd_world *w, struct hd_solver_limits limits)
{
    struct hd_encoder *e = hd_calloc(1, sizeof *e);
    e->limits = limits;
    e->w = w;
    hd_plan_init(&e->plan, w);
    hd_cone_init(&e->cone, w);
    e->cut = hd_calloc(w->n_threads, sizeof *e->cut);
    e->first = hd_calloc(w->n_threads, sizeof *e->first);
    e->inc = HD_VEC_INIT(hd_lit);
    e->ord = HD_VEC_INIT(hd_ord);
    e->lits = HD_VEC_INIT(hd_lit);
    e->clause = HD_VEC_INIT(hd_lit);
    return e;
}

void hd_encoder_free(struct hd_encoder *e)
{
    if (!e)
        return;
    hd_solver_free(e->s);
    hd_plan_fini(&e->plan);
    hd_cone_fini(&e->cone);
    hd_free(e->cut, e->w->n_threads * sizeof *e->cut);
    hd_free(e->first, e->w->n_threads * sizeof *e->first);
    hd_vec_fini(&e->inc);
    hd_vec_fini(&e->ord);
    hd_vec_fini(&e->lits);
    hd_vec_fini(&e->clause);
    hd_map_fini(&e->fresh);
    hd_map_fini(&e->all);
    hd_map_fini(&e->stores);
    hd_u32vec_fini(&e->todo);
    hd_free(e, sizeof *e);
}
