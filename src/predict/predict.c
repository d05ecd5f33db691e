#include "predict/predict.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/progress.h"
#include "predict/candidates.h"
#include "predict/crew.h"

#include <stdlib.h>

const char *const hd_step_names[HD_STEPS] = {"lockset", "must", "ucg", "greedy", "closure", "smt"};
const char *const hd_reason_texts[HD_REASONS] = {"time budget of the run",
                                                 "time budget of the pair",
                                                 "interrupted",
                                                 "steps switched off",
                                                 "more candidates than can be listed",
                                                 "memory limit of the solver",
                                                 "the solver failed",
                                                 "internal error: its witness was rejected"};

/* One unit of work: a group of bundles (by places) or a single bundle (by events). */
struct unit {
    uint32_t start, end; /* in bundles */
    struct hd_vec races; /* struct hd_race */
    struct hd_vec undecided;
    uint64_t proved[HD_STEPS];
    uint64_t found[HD_STEPS];
    uint64_t skipped, open;
    size_t kept; /* entries of schedules */
};

struct job {
    const struct hd_world *w;
    const struct hd_candidates *c;
    const struct hd_predict_options *options;
    struct unit *units;
    size_t n_units;
};

void hd_predict_defaults(struct hd_predict_options *options)
{
    *options = (struct hd_predict_options){
        .steps = (1u << HD_STEPS) - 1, .pair_seconds = 60, .solver_memory = HD_SOLVER_MEMORY};
}

/* ---- one pair ---- */

static void keep_race(struct unit *u, struct hd_worker *k)
{
    const hd_eid pair[] = {k->witness.a, k->witness.b};
    struct hd_goal goal = hd_goal_race(pair);
    enum hd_step step = k->step;
    *(struct hd_race *)hd_vec_push(&u->races) =
        (struct hd_race){.witness = hd_worker_take(k, &goal, &u->kept), .found_by = step};
    u->found[step]++;
}

static enum hd_verdict decide_quick(struct hd_worker *k, hd_eid a, hd_eid b, bool greedy_only)
{
    const hd_eid pair[] = {a, b};
    struct hd_goal goal = hd_goal_race(pair);
    return hd_worker_decide_quick(k, &goal, greedy_only);
}

static enum hd_verdict decide_exact(struct hd_worker *k, hd_eid a, hd_eid b, enum hd_reason *why)
{
    const hd_eid pair[] = {a, b};
    struct hd_goal goal = hd_goal_race(pair);
    return hd_worker_decide_exact(k, &goal, why);
}

static void keep_undecided(struct unit *u, hd_eid a, hd_eid b, enum hd_reason why, uint64_t pairs)
{
    *(struct hd_undecided *)hd_vec_push(&u->undecided) =
        (struct hd_undecided){a < b ? a : b, a < b ? b : a, why, pairs};
}

/* Keeps what a step said of a pair. UNKNOWN pairs wait for the solver in `undecided`. */
static void keep(struct unit *u, struct hd_worker *k, hd_eid a, hd_eid b, enum hd_verdict verdict,
                 enum hd_reason why)
{
    if (verdict == HD_RACE)
        keep_race(u, k);
    else if (verdict == HD_IMPOSSIBLE)
        u->proved[k->step]++;
    else
        keep_undecided(u, a, b, why, 1);
}

/* ---- one bundle ---- */

/* The candidates of event e in class y that the filters leave open. */
static void open_range(const struct job *j, const struct hd_worker *k, hd_eid e,
                       const struct hd_class *y, uint32_t *from, uint32_t *to)
{
    *from = y->start;
    *to = y->end;
    if (hd_worker_may(k, HD_STEP_MUST))
        hd_candidates_open(j->w, j->c, e, y, from, to);
}

static bool excluded_by_locks(const struct job *j, const struct hd_worker *k,
                              const struct hd_class *x, const struct hd_class *y)
{
    return hd_worker_may(k, HD_STEP_LOCKSET) &&
           hd_sections_exclude(j->w->sections, j->c->events[x->start], j->c->events[y->start]);
}

static uint64_t class_size(const struct hd_class *x)
{
    return x->end - x->start;
}

/* A quick look for a race near the diagonal: for some events of x, the next open one of y. */
static bool probe_bundle(const struct job *j, struct hd_worker *k, struct unit *u,
                         const struct hd_class *x, const struct hd_class *y)
{
    enum { PROBES = 16 };
    enum hd_reason why;
    uint32_t stride = (uint32_t)(class_size(x) / PROBES) + 1;
    for (uint32_t i = x->start; i < x->end && !hd_worker_stopped(k, &why); i += stride) {
        uint32_t from, to;
        hd_eid e = j->c->events[i];
        open_range(j, k, e, y, &from, &to);
        while (from < to && from + 1 < to && j->c->events[from] < e)
            from += (to - from) / 2; /* towards the events of y just after e */
        if (from < to && decide_quick(k, e, j->c->events[from], true) == HD_RACE) {
            keep_race(u, k);
            return true;
        }
    }
    return false;
}

/* Event e with the next events of its class: what the last filter says of these pairs. */
static void filter_ahead(const struct job *j, struct hd_worker *k, hd_eid e, uint32_t from,
                         uint32_t n, bool *impossible)
{
    struct hd_goal goals[HD_UCG_ASK];
    hd_eid pairs[HD_UCG_ASK][2];
    for (uint32_t i = 0; i < n; i++) {
        pairs[i][0] = e;
        pairs[i][1] = j->c->events[from + i];
        goals[i] = hd_goal_race(pairs[i]);
    }
    hd_worker_filter(k, goals, n, impossible);
}

/* The pairs of e with events [from, to), until a race when one is enough. When the time is up, one
 * undecided pair stands for all that are left. *ahead: how many the filter looks at together, which
 * grows while no race is found. */
static void sweep_event(const struct job *j, struct hd_worker *k, struct unit *u, hd_eid e,
                        uint32_t from, uint32_t to, uint32_t *ahead)
{
    bool impossible[HD_UCG_ASK];
    enum hd_reason why;
    for (uint32_t some; from < to; from += some, *ahead = 2 * *ahead) {
        *ahead = *ahead < HD_UCG_ASK ? *ahead : HD_UCG_ASK;
        some = *ahead < to - from ? *ahead : to - from;
        if (hd_worker_stopped(k, &why)) {
            keep_undecided(u, e, j->c->events[from], why, to - from);
            return;
        }
        filter_ahead(j, k, e, from, some, impossible);
        for (uint32_t i = 0; i < some; i++) {
            hd_eid f = j->c->events[from + i];
            if (hd_worker_stopped(k, &why)) {
                keep_undecided(u, e, f, why, to - from - i);
                return;
            }
            k->step = HD_STEP_UCG;
            keep(u, k, e, f, impossible[i] ? HD_IMPOSSIBLE : decide_quick(k, e, f, false),
                 hd_worker_open_reason(k));
            if (u->races.len && !j->options->all_pairs)
                return;
        }
    }
}

/* All pairs of a bundle by the quick steps. Stops at a race when one is enough. */
static void sweep_bundle(const struct job *j, struct hd_worker *k, struct unit *u,
                         const struct hd_class *x, const struct hd_class *y)
{
    uint32_t ahead = j->options->all_pairs ? HD_UCG_ASK : 1;
    for (uint32_t i = x->start; i < x->end; i++) {
        uint32_t from, to;
        hd_eid e = j->c->events[i];
        open_range(j, k, e, y, &from, &to);
        u->proved[HD_STEP_MUST] += class_size(y) - (to - from);
        sweep_event(j, k, u, e, from, to, &ahead);
        if (u->races.len && !j->options->all_pairs)
            return;
    }
}

/* The solver's turn: what the quick steps left open. */
static void solve_rest(const struct job *j, struct hd_worker *k, struct unit *u)
{
    struct hd_vec open = u->undecided;
    u->undecided = HD_VEC_INIT(struct hd_undecided);
    for (size_t i = 0; i < open.len; i++) {
        struct hd_undecided pair = *(struct hd_undecided *)hd_vec_at(&open, i);
        if (u->races.len && !j->options->all_pairs)
            break;
        enum hd_reason why = pair.why;
        enum hd_verdict verdict =
            pair.pairs > 1 ? HD_UNKNOWN : decide_exact(k, pair.a, pair.b, &why);
        if (verdict == HD_UNKNOWN)
            keep_undecided(u, pair.a, pair.b, why, pair.pairs);
        else
            keep(u, k, pair.a, pair.b, verdict, why);
    }
    hd_vec_fini(&open);
}

/* Names the other locations of a group whose race has been found. */
static void note_others(const struct job *j, const struct unit *u, struct hd_race *race)
{
    const struct hd_trace *t = j->w->t;
    struct hd_map seen = {0};
    bool fresh;
    hd_map_put(&seen, t->obj[race->witness.a], &fresh);
    for (uint32_t i = u->start; i < u->end; i++) {
        const struct hd_bundle *bundle = hd_vec_at(&j->c->bundles, i);
        uint32_t loc = t->obj[j->c->events[hd_class_at(j->c, bundle->x)->start]];
        hd_map_put(&seen, loc, &fresh);
        if (fresh && race->n_others < sizeof race->others / sizeof *race->others)
            race->others[race->n_others] = loc;
        race->n_others += fresh;
    }
    hd_map_fini(&seen);
}

static void run_unit(struct job *j, struct unit *u, struct hd_worker *k)
{
    uint64_t pairs = 0, settled = 0;
    for (int sweep = 0; sweep < 2; sweep++) {
        for (uint32_t i = u->start; i < u->end; i++) {
            const struct hd_bundle *bundle = hd_vec_at(&j->c->bundles, i);
            const struct hd_class *x = hd_class_at(j->c, bundle->x);
            const struct hd_class *y = hd_class_at(j->c, bundle->y);
            pairs += sweep ? class_size(x) * class_size(y) : 0;
            if (u->races.len && !j->options->all_pairs)
                continue;
            if (excluded_by_locks(j, k, x, y))
                u->proved[HD_STEP_LOCKSET] += sweep ? class_size(x) * class_size(y) : 0;
            else if (sweep)
                sweep_bundle(j, k, u, x, y);
            else if (!j->options->all_pairs)
                probe_bundle(j, k, u, x, y);
        }
    }
    solve_rest(j, k, u);
    if (u->races.len && !j->options->all_pairs) {
        hd_vec_fini(&u->undecided);
        note_others(j, u, u->races.data);
    }
    for (int s = 0; s < HD_STEPS; s++)
        settled += u->proved[s];
    for (size_t i = 0; i < u->undecided.len; i++)
        u->open += ((struct hd_undecided *)hd_vec_at(&u->undecided, i))->pairs;
    u->skipped = pairs - settled - u->races.len - u->open;
}

static void run_item(void *ctx, size_t item, struct hd_worker *k)
{
    struct job *j = ctx;
    run_unit(j, &j->units[item], k);
}

/* ---- the run ---- */

static void make_units(struct job *j)
{
    const struct hd_candidates *c = j->c;
    j->n_units = j->options->all_pairs ? c->bundles.len : c->groups.len;
    j->units = hd_calloc(j->n_units, sizeof *j->units);
    for (uint32_t i = 0; i < j->n_units; i++) {
        struct unit *u = &j->units[i];
        const struct hd_group *group = j->options->all_pairs ? NULL : hd_vec_at(&c->groups, i);
        u->start = group ? group->start : i;
        u->end = group ? group->end : i + 1;
        u->races = HD_VEC_INIT(struct hd_race);
        u->undecided = HD_VEC_INIT(struct hd_undecided);
    }
}

static int by_pair(hd_eid a, hd_eid b, hd_eid c, hd_eid d)
{
    if (a != c)
        return a < c ? -1 : 1;
    return b < d ? -1 : b > d;
}

static int race_order(const void *x, const void *y)
{
    const struct hd_race *p = x, *q = y;
    return by_pair(p->witness.a, p->witness.b, q->witness.a, q->witness.b);
}

static int undecided_order(const void *x, const void *y)
{
    const struct hd_undecided *p = x, *q = y;
    return by_pair(p->a, p->b, q->a, q->b);
}

static void gather(struct job *j, struct hd_prediction *r)
{
    for (size_t i = 0; i < j->n_units; i++) {
        struct unit *u = &j->units[i];
        for (size_t n = 0; n < u->races.len; n++)
            *(struct hd_race *)hd_vec_push(&r->races) = *(struct hd_race *)hd_vec_at(&u->races, n);
        for (size_t n = 0; n < u->undecided.len; n++)
            *(struct hd_undecided *)hd_vec_push(&r->undecided) =
                *(struct hd_undecided *)hd_vec_at(&u->undecided, n);
        for (int s = 0; s < HD_STEPS; s++) {
            r->proved[s] += u->proved[s];
            r->found[s] += u->found[s];
        }
        r->skipped += u->skipped;
        r->open += u->open;
        hd_vec_fini(&u->races);
        hd_vec_fini(&u->undecided);
    }
    if (r->races.len)
        qsort(r->races.data, r->races.len, sizeof(struct hd_race), race_order);
    if (r->undecided.len)
        qsort(r->undecided.data, r->undecided.len, sizeof(struct hd_undecided), undecided_order);
    hd_free(j->units, j->n_units * sizeof *j->units);
}

/* How many pairs of places have a race, and how many of the others an undecided instance. */
static void count_places(struct job *j, struct hd_prediction *r)
{
    const struct hd_candidates *c = j->c;
    r->places = c->groups.len;
    for (size_t g = 0; g < c->groups.len; g++) {
        const struct hd_group *group = hd_vec_at(&c->groups, g);
        bool raced = false, open = false;
        uint32_t from = j->options->all_pairs ? group->start : (uint32_t)g;
        uint32_t to = j->options->all_pairs ? group->end : (uint32_t)g + 1;
        for (uint32_t i = from; i < to; i++) {
            raced |= j->units[i].races.len > 0;
            open |= j->units[i].undecided.len > 0;
        }
        r->places_raced += raced;
        r->places_undecided += open && !raced;
    }
}

enum hd_status hd_predict(const struct hd_trace *t, const struct hd_predict_options *options,
                          struct hd_prediction *result, struct hd_err *err)
{
    double started = hd_progress_now();
    *result = (struct hd_prediction){.races = HD_VEC_INIT(struct hd_race),
                                     .undecided = HD_VEC_INIT(struct hd_undecided)};
    struct hd_world *w = hd_world_new(t);
    uint32_t *spots = options->spots ? options->spots(t) : NULL;
    w->spots = spots;
    struct hd_candidates *c = hd_candidates_new(w);
    result->conflicting = c->pairs;
    result->seconds[HD_STEP_MUST] = hd_progress_now() - started;
    struct job j = {.w = w, .c = c, .options = options};
    make_units(&j);
    const struct hd_crew crew = {.w = w,
                                 .options = options,
                                 .started = started,
                                 .n_items = j.n_units,
                                 .ctx = &j,
                                 .decide = run_item};
    hd_crew_run(&crew, &(struct hd_crew_result){result->seconds, &result->shorten_seconds,
                                                &result->rejected});
    count_places(&j, result);
    gather(&j, result);
    hd_candidates_free(c);
    hd_world_free(w);
    hd_free(spots, t->n_events * sizeof *spots);
    (void)err;
    return HD_OK;
}

void hd_prediction_fini(struct hd_prediction *result)
{
    for (size_t i = 0; i < result->races.len; i++)
        hd_witness_fini(&((struct hd_race *)hd_vec_at(&result->races, i))->witness);
    hd_vec_fini(&result->races);
    hd_vec_fini(&result->undecided);
}
