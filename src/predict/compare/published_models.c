#include "predict/compare/published_models.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "model/matching.h"
#include "predict/index/candidates.h"
#include "predict/smt/encode_int.h"

#include <string.h>

/* A trace that says of every event that it depends on nothing: what rv takes as the frame in which
 * orders are looked for. It shares all columns with the given one but the dependences. */
static struct hd_trace free_of_deps(const struct hd_trace *t)
{
    static uint32_t nothing[3] = {3, 0, 0}; /* both sets given, both empty (see trace.c) */
    struct hd_trace copy = *t;
    copy.control = HD_CONTROL_BRANCHES;
    copy.dep = hd_calloc(t->n_events, sizeof *copy.dep);
    copy.dep_pool = nothing;
    copy.n_dep_pool = 3;
    return copy;
}

struct run {
    enum hd_published model;
    const struct hd_trace *t; /* as given */
    struct hd_encoder *e;
    uint32_t *before; /* by thread: events that must happen before an event */
    struct hd_matching matching;
    hd_eid
        *notifier; /* by event: of a wait, what notified it in the recorded run, or HD_EID_NONE */
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
                r->notifier[waits[u]] == HD_EID_NONE && (woken == HD_TID_NONE || woken == u))
                r->notifier[waits[u]] = e;
    }
    hd_free(waits, threads * sizeof *waits);
}

/* rv: `wait` is notified by its recorded notifier; every other notification finds it not in the set
 * (a sig may find it there if it notifies somebody else). */
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
        hd_enc_implies(e, HD_LIT_TRUE, hd_enc_before(e, wait, by));
        if (leave != HD_EID_NONE)
            hd_enc_implies(e, HD_LIT_TRUE, hd_enc_before(e, by, leave));
    } else if (!wakes_other && t->thread[by] != t->thread[wait]) {
        hd_enc_implies3(e, HD_LIT_TRUE, hd_enc_before(e, by, wait),
                        gone == HD_EID_NONE ? HD_LIT_FALSE : hd_enc_before(e, gone, by),
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

/* `pair` implies that access x is feasible in the sense of rv. */
static void imply_feasible(struct run *r, hd_lit pair, hd_eid x)
{
    const struct hd_trace *t = r->t;
    memset(r->before, 0, r->e->w->n_threads * sizeof *r->before);
    reach(r, t->thread[x], t->pos[x]);
    if (t->pos[x] == 0 && t->fork_of[t->thread[x]] != HD_EID_NONE)
        reach(r, t->thread[t->fork_of[t->thread[x]]], t->pos[t->fork_of[t->thread[x]]] + 1);
    if (branches(t, x))
        hd_enc_implies(r->e, pair, hd_enc_all_fresh(r->e, x));
    for (hd_tid u = 0; u < r->e->w->n_threads; u++)
        for (uint32_t p = r->before[u]; p-- > 0;) {
            hd_eid y = hd_world_event(r->e->w, u, p);
            if (!branches(t, y))
                continue;
            hd_enc_implies(r->e, pair, hd_enc_all_fresh(r->e, y));
            break;
        }
}

/* rv: nothing comes between the two, in either order. */
static void imply_adjacent(struct run *r, hd_lit pair, hd_eid a, hd_eid b)
{
    struct hd_encoder *e = r->e;
    hd_ord x = hd_enc_ord(e, a), y = hd_enc_ord(e, b);
    hd_enc_implies3(e, pair, hd_solver_right_before(e->s, x, y), hd_solver_right_before(e->s, y, x),
                    HD_LIT_FALSE);
}

/* said: x comes after the predecessor and before the successor of y in y's thread. The predecessor
 * of a thread's first event is its fork. */
static void imply_between(struct run *r, hd_lit pair, hd_eid x, hd_eid y)
{
    struct hd_encoder *e = r->e;
    const struct hd_trace *t = r->t;
    hd_tid u = t->thread[y];
    hd_eid before = t->pos[y] > 0 ? hd_world_event(e->w, u, t->pos[y] - 1) : t->fork_of[u];
    if (before != HD_EID_NONE)
        hd_enc_implies(e, pair, hd_enc_before(e, before, x));
    if (t->pos[y] + 1 < hd_world_thread_len(e->w, u))
        hd_enc_implies(e, pair, hd_enc_before(e, x, hd_world_event(e->w, u, t->pos[y] + 1)));
}

static enum hd_sat ask(struct run *r, hd_eid a, hd_eid b)
{
    struct hd_encoder *e = r->e;
    double left = r->deadline != 0 ? r->deadline - hd_progress_now() : 0;
    if (hd_interrupt_requested() || (r->deadline != 0 && left <= 0))
        return HD_SAT_UNKNOWN;
    hd_lit pair = hd_solver_bool(e->s), done = -pair;
    if (r->model == HD_PUBLISHED_SAID) {
        imply_between(r, pair, a, b);
        imply_between(r, pair, b, a);
    } else {
        imply_adjacent(r, pair, a, b);
        imply_feasible(r, pair, a);
        imply_feasible(r, pair, b);
    }
    hd_enc_settle(e);
    enum hd_sat sat = hd_enc_check(e, pair, left);
    hd_solver_clause(e->s, &done, 1);
    return sat;
}

/* All pairs of one bundle. True when one race is found and is enough. */
static bool run_bundle(struct run *r, const struct hd_candidates *c, const struct hd_bundle *bundle)
{
    const struct hd_world *w = r->e->w;
    const struct hd_class *x = hd_class_at(c, bundle->x), *y = hd_class_at(c, bundle->y);
    if (hd_sections_exclude(w->sections, c->events[x->start], c->events[y->start]))
        return false;
    for (uint32_t i = x->start; i < x->end; i++) {
        uint32_t from, to;
        hd_candidates_open(w, c, c->events[i], y, &from, &to);
        for (; from < to; from++) {
            enum hd_sat sat = ask(r, c->events[i], c->events[from]);
            if (sat == HD_SAT_YES)
                hd_pairs_push(&r->result->pairs, c->events[i], c->events[from]);
            if (sat == HD_SAT_UNKNOWN) {
                hd_pairs_push(&r->result->undecided, c->events[i], c->events[from]);
                break; /* one stands for the rest of this event's pairs */
            }
            if (sat == HD_SAT_YES && !r->options->all_pairs)
                return true;
        }
    }
    return false;
}

static void run_group(struct run *r, const struct hd_candidates *c, const struct hd_group *group)
{
    struct hd_vec bundles = HD_VEC_INIT(struct hd_bundle);
    hd_candidates_bundles(c, group, &bundles);
    for (size_t i = 0; i < bundles.len; i++) {
        const struct hd_bundle *bundle = hd_vec_at(&bundles, i);
        if (!r->e->s)
            hd_pairs_push(&r->result->undecided, c->events[hd_class_at(c, bundle->x)->start],
                          c->events[hd_class_at(c, bundle->y)->start]);
        else if (run_bundle(r, c, bundle))
            break;
    }
    hd_vec_fini(&bundles);
}

/* Everything runs; for said every read is fresh as well. */
static void encode_complete(struct run *r)
{
    struct hd_encoder *e = r->e;
    for (hd_tid u = 0; u < e->w->n_threads; u++)
        e->cut[u] = hd_world_thread_len(e->w, u);
    hd_enc_events(e);
    for (hd_eid x = 0; x < r->t->n_events; x++) {
        hd_lit runs = hd_enc_inc(e, x);
        hd_solver_clause(e->s, &runs, 1);
        if (r->model == HD_PUBLISHED_SAID && hd_op_reads(r->t->op[x]))
            hd_enc_implies(e, HD_LIT_TRUE, hd_enc_fresh(e, x));
    }
    if (r->model == HD_PUBLISHED_RV)
        encode_recorded(r);
    hd_enc_settle(e);
}

void hd_published_run(enum hd_published model, const struct hd_trace *t,
                      const struct hd_published_options *options,
                      struct hd_published_result *result)
{
    struct hd_trace copy = free_of_deps(t);
    struct hd_world *w = hd_world_new_unguarded(model == HD_PUBLISHED_RV ? &copy : t);
    struct hd_candidates *c = hd_candidates_new(w);
    struct run r = {.model = model, .t = t, .options = options, .result = result};
    *result = (struct hd_published_result){0};
    r.deadline = options->seconds != 0 ? hd_progress_now() + options->seconds : 0;
    r.e = hd_encoder_new(w, (struct hd_solver_limits){r.deadline, HD_SOLVER_MEMORY});
    r.e->whole_history = model == HD_PUBLISHED_RV;
    r.before = hd_calloc(w->n_threads, sizeof *r.before);
    r.notifier = hd_alloc(t->n_events * sizeof *r.notifier);
    hd_check_matching(t, &r.matching);
    find_notifiers(&r);
    /* The formula grows with the square of the trace: beyond this it would only eat memory. */
    bool fits = t->n_events <= 20000;
    if (fits && options->seconds >= 0)
        encode_complete(&r);
    for (size_t g = 0; g < c->groups.len; g++)
        run_group(&r, c, hd_vec_at(&c->groups, g));
    hd_pairs_sort(&result->pairs);
    hd_pairs_sort(&result->undecided);
    hd_free(r.before, w->n_threads * sizeof *r.before);
    hd_free(r.notifier, t->n_events * sizeof *r.notifier);
    hd_matching_fini(&r.matching);
    hd_encoder_free(r.e);
    hd_candidates_free(c);
    hd_world_free(w);
    hd_free(copy.dep, t->n_events * sizeof *copy.dep);
}

void hd_published_fini(struct hd_published_result *result)
{
    hd_pairs_fini(&result->pairs);
    hd_pairs_fini(&result->undecided);
}
