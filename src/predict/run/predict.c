#include "predict/run/predict.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "detect/detect.h"
#include "predict/index/near.h"
#include "predict/index/protocol.h"
#include "predict/orders/orders.h"
#include "predict/run/crew.h"
#include "predict/run/fold.h"
#include "predict/run/priced.h"
#include "predict/run/share.h"

#include <stdlib.h>
#include <string.h>

/* One unit of work: a group of bundles (by places) or a single bundle (by events). */
struct unit {
    uint32_t id;         /* of the group, or of the bundle */
    bool closed;         /* the filters leave no pair open */
    struct hd_vec races; /* struct hd_race */
    struct hd_vec undecided;
    uint64_t proved[HD_STEPS];
    uint64_t found[HD_STEPS];
    uint64_t open;
    size_t kept;  /* entries of schedules */
    uint32_t cut; /* row of cuts + 1 for the pair below; 0: none */
    hd_eid pair[2];
};

struct job {
    const struct hd_world *w;
    const struct hd_candidates *c;
    const struct hd_predict_options *options;
    struct hd_vec bundles;        /* struct hd_bundle, when every pair of events is asked for */
    struct hd_u32vec bundles_end; /* by group, of its bundles */
    struct hd_near *near;         /* by group */
    struct unit *units;
    size_t n_units;
    size_t n_raced;        /* when witnesses are made short */
    uint32_t *order;       /* of the units, in some phases */
    struct hd_u32vec cuts; /* of the schedules that syncp gave, a row of threads for each */
    struct hd_map unit_of; /* places, the smaller first: unit; for syncp */
    struct hd_protocols *protocols; /* from the sweep on; or NULL */
};

/* Each goes over all units before the next begins. */
enum phase { NEAR, PROBE, SCHEDULES, SWEEP, NEARBY, CLOSE, SOLVE, RETRY, SHORTEN, PHASES };

/* What making all witnesses short may cost, in simulated events; and when there are so many races
 * that nobody reads them all. */
#define SHORTEN_ALL  UINT64_C(40000000)
#define SHORTEN_MANY UINT64_C(10000000)
enum { MANY_RACES = 1000 };
/* Loops over cheap things look at the clock once in so many turns. */
enum { LOOK_EVERY = 16 };

/* ---- one pair ---- */

/* With one race for two places, the witness is made short when all races are known. */
static void keep_race(struct unit *u, struct hd_worker *k)
{
    const hd_eid pair[] = {k->witness.a, k->witness.b};
    struct hd_goal goal = hd_goal_race(pair);
    enum hd_step step = k->step;
    *(struct hd_race *)hd_vec_push(&u->races) =
        (struct hd_race){.witness = k->options->all_pairs ? hd_worker_take_short(k, &goal, &u->kept)
                                                          : hd_worker_take(k),
                         .found_by = step};
    u->found[step]++;
    HD_DEBUG_LINE(PREDICT, "events %u and %u: a race, found by %s", pair[0] + 1, pair[1] + 1,
                  hd_step_names[step]);
}

static enum hd_verdict decide_greedy(struct hd_worker *k, hd_eid a, hd_eid b, bool follow)
{
    const hd_eid pair[] = {a, b};
    struct hd_goal goal = hd_goal_race(pair);
    return hd_worker_greedy(k, &goal, follow);
}

/* The steps that come when greedy has left a pair open. */
static enum hd_verdict decide_open(struct hd_worker *k, const struct hd_undecided *open,
                                   enum phase phase, enum hd_reason *why)
{
    const hd_eid pair[] = {open->a, open->b};
    struct hd_goal goal = hd_goal_race(pair);
    if (phase == SOLVE || phase == RETRY)
        return hd_worker_decide_exact(k, &goal, why);
    k->goal_rejected = open->why == HD_WHY_REJECTED;
    enum hd_verdict verdict =
        phase == NEARBY ? hd_worker_nearby(k, &goal) : hd_worker_closure(k, &goal);
    *why = hd_worker_open_reason(k);
    return verdict;
}

static void keep_undecided(struct unit *u, hd_eid a, hd_eid b, enum hd_reason why, uint64_t pairs)
{
    HD_DEBUG_LINE(PREDICT, "events %u and %u are left open, for %llu: %s", a + 1, b + 1,
                  (unsigned long long)pairs, hd_reason_texts[why]);
    *(struct hd_undecided *)hd_vec_push(&u->undecided) =
        (struct hd_undecided){a < b ? a : b, a < b ? b : a, why, pairs};
}

/* Keeps what a step said of a pair. UNKNOWN pairs wait for the next step in `undecided`. */
static void keep(struct unit *u, struct hd_worker *k, hd_eid a, hd_eid b, enum hd_verdict verdict,
                 enum hd_reason why)
{
    if (verdict == HD_RACE) {
        keep_race(u, k);
    } else if (verdict == HD_IMPOSSIBLE) {
        u->proved[k->step]++;
        HD_DEBUG_LINE(PREDICT, "events %u and %u: impossible, by %s", a + 1, b + 1,
                      hd_step_names[k->step]);
    } else {
        keep_undecided(u, a, b, why, 1);
    }
}

/* ---- one bundle ---- */

static bool settled(const struct job *j, const struct unit *u)
{
    return u->races.len && !j->options->all_pairs;
}

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
        k->looks++;
        hd_eid e = j->c->events[i];
        open_range(j, k, e, y, &from, &to);
        while (from < to && from + 1 < to && j->c->events[from] < e)
            from += (to - from) / 2; /* towards the events of y just after e */
        if (from < to && decide_greedy(k, e, j->c->events[from], false) == HD_RACE) {
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
            keep(u, k, e, f, impossible[i] ? HD_IMPOSSIBLE : decide_greedy(k, e, f, true),
                 hd_worker_open_reason(k));
            if (u->races.len && !j->options->all_pairs)
                return;
        }
    }
}

/* The same without those pairs that protocols keep apart. stands: those of y's events. */
static void sweep_together(const struct job *j, struct hd_worker *k, struct unit *u, hd_eid e,
                           const struct hd_class *y, const struct hd_stand *stands, uint32_t from,
                           uint32_t to, uint32_t *ahead)
{
    struct hd_stand mine;
    hd_protocols_stand(j->protocols, e, &mine);
    for (uint32_t end; from < to && !settled(j, u); from = end) {
        bool apart = hd_protocols_apart(j->protocols, &mine, &stands[from - y->start]);
        for (end = from + 1; end < to; end++)
            if (hd_protocols_apart(j->protocols, &mine, &stands[end - y->start]) != apart)
                break;
        if (apart)
            u->proved[HD_STEP_PROTOCOL] += end - from;
        else
            sweep_event(j, k, u, e, from, end, ahead);
    }
}

static struct hd_stand *stands_of(const struct job *j, const struct hd_class *y)
{
    struct hd_stand *stands = j->protocols ? hd_alloc(class_size(y) * sizeof *stands) : NULL;
    for (uint32_t i = y->start; i < y->end && stands; i++)
        hd_protocols_stand(j->protocols, j->c->events[i], &stands[i - y->start]);
    return stands;
}

/* All pairs of a bundle by filters and greedy. Stops at a race when one is enough. */
static void sweep_bundle(const struct job *j, struct hd_worker *k, struct unit *u,
                         const struct hd_class *x, const struct hd_class *y)
{
    uint32_t ahead = j->options->all_pairs ? HD_UCG_ASK : 1;
    struct hd_stand *stands = stands_of(j, y);
    enum hd_reason why;
    for (uint32_t i = x->start; i < x->end && !settled(j, u); i++) {
        uint32_t from, to;
        hd_eid e = j->c->events[i];
        if ((i - x->start) % LOOK_EVERY == 0 && hd_worker_stopped(k, &why)) {
            keep_undecided(u, e, j->c->events[y->start], why, (x->end - i) * class_size(y));
            break;
        }
        k->looks++;
        open_range(j, k, e, y, &from, &to);
        u->proved[HD_STEP_MUST] += class_size(y) - (to - from);
        if (stands)
            sweep_together(j, k, u, e, y, stands, from, to, &ahead);
        else
            sweep_event(j, k, u, e, from, to, &ahead);
    }
    hd_free(stands, stands ? class_size(y) * sizeof *stands : 0);
}

/* A pair that used up its share of the time. */
static bool gave_up(const struct hd_undecided *pair)
{
    return pair->why == HD_WHY_TIME && pair->pairs == 1;
}

/* What greedy left open, by closure or by the solver. */
static void take_up_rest(const struct job *j, struct hd_worker *k, struct unit *u, enum phase phase)
{
    struct hd_vec open = u->undecided;
    u->undecided = HD_VEC_INIT(struct hd_undecided);
    for (size_t i = 0; i < open.len && !settled(j, u); i++) {
        struct hd_undecided *pair = hd_vec_at(&open, i);
        enum hd_reason why = pair->why;
        bool waits = phase == RETRY ? gave_up(pair)
                                    : pair->why == HD_WHY_STEPS || pair->why == HD_WHY_REJECTED;
        enum hd_verdict verdict = HD_UNKNOWN;
        if (waits && !hd_worker_stopped(k, &why))
            verdict = decide_open(k, pair, phase, &why);
        if (verdict == HD_UNKNOWN)
            keep_undecided(u, pair->a, pair->b, why, pair->pairs);
        else
            keep(u, k, pair->a, pair->b, verdict, why);
    }
    hd_vec_fini(&open);
}

/* Names the other locations of a group whose race has been found. */
static void note_others(const struct job *j, const struct unit *u, struct hd_race *race)
{
    const struct hd_group *group = hd_vec_at(&j->c->groups, u->id);
    for (uint32_t i = group->start; i < group->end; i++) {
        const struct hd_site_pair *link = hd_vec_at(&j->c->links, i);
        uint32_t loc = hd_site_at(j->c, link->x)->loc;
        if (loc == j->w->t->obj[race->witness.a])
            continue;
        if (race->n_others < sizeof race->others / sizeof *race->others)
            race->others[race->n_others] = loc;
        race->n_others++;
    }
}

/* ---- one unit ---- */

/* The pair of the group that stands nearest together. */
static void try_near(const struct job *j, struct unit *u, struct hd_worker *k)
{
    const struct hd_near *near = &j->near[u->id];
    enum hd_reason why;
    if (!hd_worker_stopped(k, &why) && decide_greedy(k, near->a, near->b, false) == HD_RACE)
        keep_race(u, k);
}

/* Whether locks and must-orders leave no pair of these bundles open; if so they are counted. */
static void try_close(const struct job *j, struct hd_worker *k, struct unit *u,
                      const struct hd_vec *bundles)
{
    uint64_t by_locks = 0, by_must = 0;
    enum hd_reason why;
    for (size_t i = 0; i < bundles->len; i++) {
        const struct hd_bundle *bundle = hd_vec_at(bundles, i);
        const struct hd_class *x = hd_class_at(j->c, bundle->x), *y = hd_class_at(j->c, bundle->y);
        uint64_t pairs = class_size(x) * class_size(y);
        bool locked = excluded_by_locks(j, k, x, y);
        if (hd_worker_stopped(k, &why))
            return;
        for (uint32_t e = x->start; e < x->end && !locked; e++) {
            uint32_t from, to;
            k->looks++;
            open_range(j, k, j->c->events[e], y, &from, &to);
            if (from < to)
                return;
        }
        by_locks += locked ? pairs : 0;
        by_must += locked ? 0 : pairs;
    }
    u->proved[HD_STEP_LOCKSET] += by_locks;
    u->proved[HD_STEP_MUST] += by_must;
    u->closed = true;
}

/* Bundles of a unit: a first look, or every pair. */
static void run_bundles(struct job *j, struct unit *u, struct hd_worker *k, enum phase phase,
                        const struct hd_vec *bundles)
{
    enum hd_reason why;
    bool stopped = false;
    for (size_t i = 0; i < bundles->len && !settled(j, u); i++) {
        const struct hd_bundle *bundle = hd_vec_at(bundles, i);
        const struct hd_class *x = hd_class_at(j->c, bundle->x);
        const struct hd_class *y = hd_class_at(j->c, bundle->y);
        k->looks++;
        stopped = stopped || (i % LOOK_EVERY == LOOK_EVERY - 1 && hd_worker_stopped(k, &why));
        if (stopped) {
            if (phase == SWEEP)
                keep_undecided(u, j->c->events[x->start], j->c->events[y->start], why,
                               class_size(x) * class_size(y));
        } else if (excluded_by_locks(j, k, x, y))
            u->proved[HD_STEP_LOCKSET] += phase == SWEEP ? class_size(x) * class_size(y) : 0;
        else if (phase == SWEEP)
            sweep_bundle(j, k, u, x, y);
        else
            probe_bundle(j, k, u, x, y);
    }
}

/* There is no time for the group: its pairs are counted, not looked at. */
static void leave_group(struct job *j, struct unit *u, enum hd_reason why)
{
    hd_eid pair[2] = {0, 0};
    uint64_t pairs = hd_candidates_count(j->c, hd_vec_at(&j->c->groups, u->id), pair);
    keep_undecided(u, pair[0], pair[1], why, pairs);
}

static void run_unit_bundles(struct job *j, struct unit *u, struct hd_worker *k, enum phase phase)
{
    struct hd_vec bundles = HD_VEC_INIT(struct hd_bundle);
    enum hd_reason why;
    if (u->closed)
        return;
    if (!j->options->all_pairs && hd_worker_stopped(k, &why)) {
        if (phase == SWEEP)
            leave_group(j, u, why);
        return;
    }
    if (j->options->all_pairs)
        *(struct hd_bundle *)hd_vec_push(&bundles) =
            *(struct hd_bundle *)hd_vec_at(&j->bundles, u->id);
    else
        hd_candidates_bundles(j->c, hd_vec_at(&j->c->groups, u->id), &bundles);
    run_bundles(j, u, k, phase, &bundles);
    if (phase == PROBE && !settled(j, u))
        try_close(j, k, u, &bundles);
    hd_vec_fini(&bundles);
}

static void try_schedule(struct job *j, struct unit *u, struct hd_worker *k)
{
    struct hd_goal goal = hd_goal_race(u->pair);
    enum hd_reason why;
    if (u->cut && !hd_worker_stopped(k, &why) &&
        hd_worker_try_prefix(k, &goal, j->cuts.data + (size_t)(u->cut - 1) * j->w->n_threads) ==
            HD_RACE)
        keep_race(u, k);
}

/* What a witness may cost when it is made short: less when there are many. */
static uint64_t shorten_steps(size_t races)
{
    uint64_t all = races > MANY_RACES ? SHORTEN_MANY : SHORTEN_ALL;
    uint64_t steps = all / (races ? races : 1);
    return steps < HD_SHORTEN_STEPS ? steps : HD_SHORTEN_STEPS;
}

static void shorten_race(const struct job *j, struct unit *u, struct hd_worker *k)
{
    struct hd_race *race = u->races.data;
    const hd_eid pair[] = {race->witness.a, race->witness.b};
    struct hd_goal goal = hd_goal_race(pair);
    enum hd_reason why;
    if (!hd_worker_stopped(k, &why))
        hd_worker_shorten(k, &goal, &race->witness, shorten_steps(j->n_raced));
}

static void run_unit(void *ctx, unsigned phase, size_t item, struct hd_worker *k)
{
    struct job *j = ctx;
    bool ordered = phase != PROBE && phase != SCHEDULES && phase != SWEEP;
    struct unit *u = &j->units[ordered ? j->order[item] : item];
    if (phase == SHORTEN)
        shorten_race(j, u, k);
    if (settled(j, u) || (phase == PROBE && j->options->all_pairs))
        return;
    switch ((enum phase)phase) {
    case NEAR:
        try_near(j, u, k);
        break;
    case PROBE:
    case SWEEP:
        run_unit_bundles(j, u, k, phase);
        break;
    case SCHEDULES:
        try_schedule(j, u, k);
        break;
    default:
        take_up_rest(j, k, u, phase);
        break;
    }
}

/* When all is done: what a unit leaves open. */
static void sum_up(const struct job *j, struct unit *u)
{
    if (settled(j, u)) {
        hd_vec_fini(&u->undecided);
        note_others(j, u, u->races.data);
    }
    for (size_t i = 0; i < u->undecided.len; i++)
        u->open += ((struct hd_undecided *)hd_vec_at(&u->undecided, i))->pairs;
}

/* ---- before a phase ---- */

static uint64_t places_key(uint32_t p, uint32_t q)
{
    return p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p;
}

static uint32_t spot_of(const struct job *j, hd_eid e)
{
    return j->w->spots ? j->w->spots[e] : j->w->t->place[e];
}

/* Keeps the schedule that syncp has for a pair of places without a race. */
static void keep_schedule(void *ctx, hd_eid a, hd_eid b, const uint32_t *ran)
{
    struct job *j = ctx;
    size_t n = j->w->n_threads;
    uint32_t unit;
    if (!hd_map_get(&j->unit_of, places_key(spot_of(j, a), spot_of(j, b)), &unit))
        return;
    struct unit *u = &j->units[unit];
    if (u->races.len || u->cut)
        return;
    hd_u32vec_reserve(&j->cuts, j->cuts.len + n);
    memcpy(j->cuts.data + j->cuts.len, ran, n * sizeof *ran);
    j->cuts.len += n;
    u->cut = (uint32_t)(j->cuts.len / n);
    u->pair[0] = a;
    u->pair[1] = b;
}

/* One walk of the detector syncp: every pair that it reports comes with a schedule. */
static size_t find_schedules(struct job *j, double deadline)
{
    struct hd_detect_opts opts = {.spots = j->w->spots,
                                  .deadline = deadline,
                                  .looks = hd_crew_free(j->w),
                                  .found = keep_schedule,
                                  .ctx = j};
    struct hd_detect_result result;
    bool fresh;
    if (j->options->all_pairs || !(j->options->steps >> HD_STEP_SYNCP & 1))
        return 0;
    for (size_t i = 0; i < j->n_units; i++) {
        const struct hd_group *group = hd_vec_at(&j->c->groups, i);
        if (!j->units[i].races.len && !j->units[i].closed)
            *hd_map_put(&j->unit_of, places_key(group->place_x, group->place_y), &fresh) =
                (uint32_t)i;
    }
    if (!j->unit_of.len)
        return 0;
    hd_detector_find("syncp")->run(j->w->t, &opts, &result, NULL);
    hd_detect_result_fini(&result);
    return j->cuts.len ? j->n_units : 0;
}

/* The units with open pairs, the cheapest first. */
static size_t order_units(struct job *j)
{
    struct hd_priced *list = hd_alloc(j->n_units * sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; i < j->n_units; i++) {
        const struct unit *u = &j->units[i];
        if (!u->undecided.len || settled(j, u))
            continue;
        list[n] = (struct hd_priced){UINT64_MAX, i};
        for (size_t k = 0; k < u->undecided.len; k++) {
            const struct hd_undecided *pair = hd_vec_at(&u->undecided, k);
            uint64_t cost = hd_priced_pair(j->w, pair->a, pair->b);
            list[n].cost = cost < list[n].cost ? cost : list[n].cost;
        }
        n++;
    }
    hd_priced_order(list, n, j->order);
    hd_free(list, j->n_units * sizeof *list);
    return n;
}

/* The groups with two accesses near together, by the first of these: the checker then goes through
 * the trace once. */
static size_t order_near(struct job *j)
{
    struct hd_near_options o = {.locks = j->options->steps >> HD_STEP_LOCKSET & 1,
                                .must = j->options->steps >> HD_STEP_MUST & 1};
    if (j->options->all_pairs || !(j->options->steps >> HD_STEP_GREEDY & 1))
        return 0;
    j->near = hd_near_find(j->w, j->c, &o);
    struct hd_priced *list = hd_alloc(j->n_units * sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; i < j->n_units; i++)
        if (j->near[i].a != HD_EID_NONE)
            list[n++] = (struct hd_priced){j->near[i].a, i};
    hd_priced_order(list, n, j->order);
    hd_free(list, j->n_units * sizeof *list);
    return n;
}

/* The units whose witnesses are still to be made short. */
static size_t list_raced(struct job *j)
{
    j->n_raced = 0;
    for (uint32_t i = 0; i < j->n_units && !j->options->all_pairs; i++)
        if (j->units[i].races.len)
            j->order[j->n_raced++] = i;
    return j->n_raced;
}

/* For the pairs that locks and must-orders leave open. Not linear: with no time there are none. */
static size_t find_protocols(struct job *j, double deadline)
{
    bool open = false;
    for (size_t i = 0; i < j->n_units; i++)
        open |= !j->units[i].closed && !settled(j, &j->units[i]);
    if (open && j->options->steps >> HD_STEP_PROTOCOL & 1 &&
        (deadline == 0 || hd_progress_now() < deadline)) {
        struct hd_stop_scope around = hd_stop_begin(deadline, hd_alloc_limit() / 8 * 7);
        j->protocols = hd_protocols_new(j->w);
        hd_stop_end(around);
    }
    return j->n_units;
}

static size_t prepare(void *ctx, unsigned phase, double deadline)
{
    struct job *j = ctx;
    switch ((enum phase)phase) {
    case NEAR:
        return order_near(j);
    case SHORTEN:
        return list_raced(j);
    case SCHEDULES:
        return find_schedules(j, deadline);
    case SWEEP:
        return find_protocols(j, deadline);
    case NEARBY:
    case CLOSE:
    case SOLVE:
        return order_units(j);
    case RETRY:
        return deadline != 0 && hd_progress_now() < deadline ? order_units(j) : 0;
    default:
        return j->n_units;
    }
}

/* ---- the run ---- */

static void make_units(struct job *j)
{
    const struct hd_candidates *c = j->c;
    j->bundles = HD_VEC_INIT(struct hd_bundle);
    for (size_t i = 0; i < c->groups.len && j->options->all_pairs; i++) {
        hd_candidates_bundles(c, hd_vec_at(&c->groups, i), &j->bundles);
        hd_u32vec_push(&j->bundles_end, (uint32_t)j->bundles.len);
    }
    j->n_units = j->options->all_pairs ? j->bundles.len : c->groups.len;
    j->units = hd_calloc(j->n_units, sizeof *j->units);
    j->order = hd_calloc(j->n_units, sizeof *j->order);
    for (uint32_t i = 0; i < j->n_units; i++) {
        struct unit *u = &j->units[i];
        u->id = i;
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
        r->open += u->open;
        hd_vec_fini(&u->races);
        hd_vec_fini(&u->undecided);
    }
    r->skipped = r->conflicting - r->races.len - r->open;
    for (int s = 0; s < HD_STEPS; s++)
        r->skipped -= r->proved[s];
    if (r->races.len)
        qsort(r->races.data, r->races.len, sizeof(struct hd_race), race_order);
    if (r->undecided.len)
        qsort(r->undecided.data, r->undecided.len, sizeof(struct hd_undecided), undecided_order);
    hd_free(j->units, j->n_units * sizeof *j->units);
    hd_free(j->order, j->n_units * sizeof *j->order);
    hd_free(j->near, j->near ? j->c->groups.len * sizeof *j->near : 0);
    hd_vec_fini(&j->bundles);
    hd_u32vec_fini(&j->bundles_end);
    hd_u32vec_fini(&j->cuts);
    hd_map_fini(&j->unit_of);
    hd_protocols_free(j->protocols);
}

/* How many pairs of places have a race, and how many of the others an undecided instance. */
static void count_places(struct job *j, struct hd_prediction *r)
{
    const struct hd_candidates *c = j->c;
    r->places = c->groups.len;
    for (size_t g = 0; g < c->groups.len; g++) {
        bool raced = false, open = false, all = j->options->all_pairs;
        uint32_t from = all ? (g ? j->bundles_end.data[g - 1] : 0) : (uint32_t)g;
        uint32_t to = all ? j->bundles_end.data[g] : (uint32_t)g + 1;
        for (uint32_t i = from; i < to; i++) {
            raced |= j->units[i].races.len > 0;
            open |= j->units[i].undecided.len > 0;
        }
        r->places_raced += raced;
        r->places_undecided += open && !raced;
    }
}

/* All pairs, when they are known. */
static void decide_all(const struct hd_world *w, const struct hd_candidates *c,
                       const struct hd_predict_options *options, double started,
                       struct hd_prediction *result)
{
    struct job j = {.w = w, .c = c, .options = options};
    make_units(&j);
    const struct hd_crew crew = {.w = w,
                                 .options = options,
                                 .started = started,
                                 .ctx = &j,
                                 .items = j.n_units,
                                 .phases = PHASES,
                                 .cheap = NEARBY,
                                 .shared = SOLVE,
                                 .n_shared = 2,
                                 .prepare = prepare,
                                 .decide = run_unit};
    hd_crew_run(&crew, &(struct hd_crew_result){result->seconds, &result->shorten_seconds,
                                                &result->rejected});
    for (size_t i = 0; i < j.n_units; i++)
        sum_up(&j, &j.units[i]);
    count_places(&j, result);
    gather(&j, result);
}

enum hd_status hd_predict(const struct hd_trace *t, const struct hd_predict_options *options,
                          struct hd_prediction *result, struct hd_err *err)
{
    double started = hd_progress_now();
    *result = (struct hd_prediction){.races = HD_VEC_INIT(struct hd_race),
                                     .undecided = HD_VEC_INIT(struct hd_undecided),
                                     .follows = HD_VEC_INIT(struct hd_followed)};
    struct hd_fold fold;
    hd_fold_init(&fold, t, options);
    struct hd_stop_scope around = hd_crew_scope(options, started, fold.few);
    struct hd_world *w = hd_world_new(fold.in);
    uint32_t *spots = hd_fold_numbers(&fold, options->spots ? options->spots(t) : NULL);
    w->spots = spots;
    struct hd_candidates *c = hd_candidates_new(w);
    enum hd_stop why = hd_stop_end(around);
    HD_DEBUG_LINE(PREDICT, "%zu events, %zu after chains; indices in %.3f s%s", t->n_events,
                  fold.in->n_events, hd_progress_now() - started, why == HD_STOP_NO ? "" : ", cut");
    result->seconds[HD_STEP_MUST] = hd_progress_now() - started;
    struct hd_map owners = {0};
    if (why == HD_STOP_NO && hd_share_divided(options))
        hd_share_keep(c, options, &owners);
    if (why == HD_STOP_NO) {
        result->conflicting = c->pairs;
        decide_all(w, c, options, started, result);
        if (!options->sc)
            hd_predict_orders(w, options, &owners, result);
        hd_fold_races(&fold, result);
    } else {
        result->cut = true;
        result->cut_why = hd_predict_stopped(why);
    }
    hd_map_fini(&owners);
    hd_candidates_free(c);
    hd_world_free(w);
    hd_free(spots, fold.in->n_events * sizeof *spots);
    hd_fold_fini(&fold);
    (void)err;
    return HD_OK;
}
