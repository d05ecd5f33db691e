/* Candidates for races: pairs of conflicting accesses, by bundles of classes (candidates.h). What
 * the driver's phases up to the sweep do with them. */
#include "predict/run/races.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/progress.h"
#include "detect/detect.h"
#include "predict/index/near.h"
#include "predict/index/protocol.h"
#include "predict/run/crew.h"
#include "predict/run/driver.h"
#include "predict/run/priced.h"

#include <string.h>

/* What is known of a unit before the sweep: a group of bundles (by places), or a single bundle (by
 * events). */
struct look {
    bool closed;  /* the filters leave no pair open */
    uint32_t cut; /* row of cuts + 1 for the pair below; 0: none */
    hd_eid pair[2];
};

struct races {
    const struct hd_world *w;
    const struct hd_candidates *c;
    const struct hd_predict_options *options;
    const struct hd_driver *driver;
    double started;                 /* hd_progress_now() */
    struct hd_vec bundles;          /* struct hd_bundle, when every pair of events is asked for */
    struct hd_u32vec bundles_end;   /* by group, of its bundles */
    struct hd_near *near;           /* by group */
    struct look *looks;             /* by unit */
    struct hd_u32vec cuts;          /* of the schedules that syncp gave, a row of threads each */
    struct hd_map unit_of;          /* places, the smaller first: unit; for syncp */
    struct hd_protocols *protocols; /* from the sweep on; or NULL */
};

/* Loops over cheap things look at the clock once in so many turns. */
enum { LOOK_EVERY = 16 };

/* ---- one pair ---- */

static enum hd_verdict decide_greedy(struct hd_worker *k, hd_eid a, hd_eid b, bool follow)
{
    const hd_eid pair[] = {a, b};
    struct hd_goal goal = hd_goal_race(pair);
    return hd_worker_greedy(k, &goal, follow);
}

/* The pair stands for so many. */
static void leave(struct hd_driver_unit *u, hd_eid a, hd_eid b, enum hd_reason why, uint64_t pairs)
{
    const hd_eid pair[] = {a < b ? a : b, a < b ? b : a};
    hd_driver_open(u, pair, 2, why, pairs);
}

static void keep(const struct races *j, struct hd_driver_unit *u, struct hd_worker *k, hd_eid a,
                 hd_eid b, enum hd_verdict verdict)
{
    const hd_eid pair[] = {a < b ? a : b, a < b ? b : a};
    hd_driver_keep(j->driver, u, k, pair, 2, verdict, hd_worker_open_reason(k));
}

/* ---- one bundle ---- */

static bool settled(const struct races *j, const struct hd_driver_unit *u)
{
    return hd_driver_settled(j->driver, u);
}

/* The candidates of event e in class y that the filters leave open. */
static void open_range(const struct races *j, const struct hd_worker *k, hd_eid e,
                       const struct hd_class *y, uint32_t *from, uint32_t *to)
{
    *from = y->start;
    *to = y->end;
    if (hd_worker_may(k, HD_STEP_MUST))
        hd_candidates_open(j->w, j->c, e, y, from, to);
}

/* The classes are those of a bundle: of different threads, of one location. */
static bool excluded_by_locks(const struct races *j, const struct hd_worker *k,
                              const struct hd_class *x, const struct hd_class *y)
{
    return hd_worker_may(k, HD_STEP_LOCKSET) &&
           hd_sections_locksets_exclude(j->w->sections, x->lockset, x->held, y->lockset, y->held);
}

static uint64_t class_size(const struct hd_class *x)
{
    return x->end - x->start;
}

/* A quick look for a race near the diagonal: for some events of x, the next open one of y. */
static bool probe_bundle(const struct races *j, struct hd_worker *k, struct hd_driver_unit *u,
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
            hd_driver_found(j->driver, u, k);
            return true;
        }
    }
    return false;
}

/* Event e with the next events of its class: what the last filter returns for these pairs, if it is
 * asked now. */
static void filter_ahead(const struct races *j, struct hd_worker *k, hd_eid e, uint32_t from,
                         uint32_t n, bool *impossible)
{
    struct hd_goal goals[HD_UCG_ASK];
    hd_eid pairs[HD_UCG_ASK][2];
    for (uint32_t i = 0; i < n; i++) {
        pairs[i][0] = e;
        pairs[i][1] = j->c->events[from + i];
        goals[i] = hd_goal_race(pairs[i]);
        impossible[i] = false;
    }
    if (hd_driver_filters(j->driver))
        hd_worker_filter(k, goals, n, impossible);
}

/* The pairs of e with events [from, to), until a race when one is enough. When the time is up, one
 * undecided pair stands for all that are left. *ahead: how many the filter looks at together, which
 * grows while no race is found. */
static void sweep_event(const struct races *j, struct hd_worker *k, struct hd_driver_unit *u,
                        hd_eid e, uint32_t from, uint32_t to, uint32_t *ahead)
{
    bool impossible[HD_UCG_ASK];
    enum hd_reason why;
    for (uint32_t some; from < to; from += some, *ahead = 2 * *ahead) {
        *ahead = *ahead < HD_UCG_ASK ? *ahead : HD_UCG_ASK;
        some = *ahead < to - from ? *ahead : to - from;
        if (hd_worker_stopped(k, &why)) {
            leave(u, e, j->c->events[from], why, to - from);
            return;
        }
        filter_ahead(j, k, e, from, some, impossible);
        for (uint32_t i = 0; i < some; i++) {
            hd_eid f = j->c->events[from + i];
            if (hd_worker_stopped(k, &why)) {
                leave(u, e, f, why, to - from - i);
                return;
            }
            k->step = HD_STEP_UCG;
            keep(j, u, k, e, f, impossible[i] ? HD_IMPOSSIBLE : decide_greedy(k, e, f, true));
            if (settled(j, u))
                return;
        }
    }
}

/* The same without those pairs that protocols keep apart. stands: those of y's events. */
static void sweep_together(const struct races *j, struct hd_worker *k, struct hd_driver_unit *u,
                           hd_eid e, const struct hd_class *y, const struct hd_stand *stands,
                           uint32_t from, uint32_t to, uint32_t *ahead)
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

static struct hd_stand *stands_of(const struct races *j, const struct hd_class *y)
{
    struct hd_stand *stands = j->protocols ? hd_alloc(class_size(y) * sizeof *stands) : NULL;
    for (uint32_t i = y->start; i < y->end && stands; i++)
        hd_protocols_stand(j->protocols, j->c->events[i], &stands[i - y->start]);
    return stands;
}

/* All pairs of a bundle by filters and greedy. Stops at a race when one is enough. */
static void sweep_bundle(const struct races *j, struct hd_worker *k, struct hd_driver_unit *u,
                         const struct hd_class *x, const struct hd_class *y)
{
    uint32_t ahead = j->options->all_pairs ? HD_UCG_ASK : 1;
    struct hd_stand *stands = stands_of(j, y);
    enum hd_reason why;
    for (uint32_t i = x->start; i < x->end && !settled(j, u); i++) {
        uint32_t from, to;
        hd_eid e = j->c->events[i];
        if ((i - x->start) % LOOK_EVERY == 0 && hd_worker_stopped(k, &why)) {
            leave(u, e, j->c->events[y->start], why, (x->end - i) * class_size(y));
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

/* Names the other locations of a group whose race has been found. */
static void note_others(struct hd_driver *d, uint32_t unit, struct hd_predicted *race)
{
    const struct races *j = d->ctx;
    const struct hd_group *group = hd_vec_at(&j->c->groups, unit);
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
static void try_near(const struct races *j, uint32_t unit, struct hd_driver_unit *u,
                     struct hd_worker *k)
{
    const struct hd_near *near = &j->near[unit];
    enum hd_reason why;
    if (!hd_worker_stopped(k, &why) && decide_greedy(k, near->a, near->b, false) == HD_RACE)
        hd_driver_found(j->driver, u, k);
}

/* The bundles of a unit: those of a group, or a single one. */
struct unit_walk {
    struct hd_bundle_walk group;
    bool single;
    struct hd_bundle one;
};

static struct unit_walk walk_unit(const struct races *j, uint32_t unit)
{
    if (j->options->all_pairs)
        return (struct unit_walk){.single = true,
                                  .one = *(struct hd_bundle *)hd_vec_at(&j->bundles, unit)};
    return (struct unit_walk){.group = hd_bundle_walk(j->c, hd_vec_at(&j->c->groups, unit))};
}

static bool next_bundle(struct unit_walk *walk, struct hd_bundle *bundle)
{
    bool single = walk->single;
    *bundle = walk->one;
    walk->single = false;
    return single || (walk->group.c && hd_bundle_next(&walk->group, bundle));
}

/* Whether locks and must-orders leave no pair of these bundles open; if so they are counted. */
static bool try_close(const struct races *j, struct hd_worker *k, struct hd_driver_unit *u,
                      struct unit_walk walk)
{
    uint64_t by_locks = 0, by_must = 0;
    struct hd_bundle bundle;
    enum hd_reason why;
    while (next_bundle(&walk, &bundle)) {
        const struct hd_class *x = hd_class_at(j->c, bundle.x), *y = hd_class_at(j->c, bundle.y);
        uint64_t pairs = class_size(x) * class_size(y);
        bool locked = excluded_by_locks(j, k, x, y);
        if (hd_worker_stopped(k, &why))
            return false;
        for (uint32_t e = x->start; e < x->end && !locked; e++) {
            uint32_t from, to;
            k->looks++;
            open_range(j, k, j->c->events[e], y, &from, &to);
            if (from < to)
                return false;
        }
        by_locks += locked ? pairs : 0;
        by_must += locked ? 0 : pairs;
    }
    u->proved[HD_STEP_LOCKSET] += by_locks;
    u->proved[HD_STEP_MUST] += by_must;
    return true;
}

/* The same for a group that is known to have no open pair: its pairs are counted in bulk. False:
 * that is not known, or they cannot be counted so. */
static bool close_group(const struct races *j, const struct hd_worker *k, uint32_t unit,
                        struct hd_driver_unit *u)
{
    hd_eid unused[2];
    uint64_t locked = 0;
    if (!j->near || !j->near[unit].closed)
        return false;
    const struct hd_group *group = hd_vec_at(&j->c->groups, unit);
    if (hd_worker_may(k, HD_STEP_LOCKSET) &&
        !hd_candidates_locked(j->c, j->w->sections, group, &locked))
        return false;
    u->proved[HD_STEP_LOCKSET] += locked;
    u->proved[HD_STEP_MUST] += hd_candidates_count(j->c, group, unused) - locked;
    return true;
}

/* The same for a group all of whose accesses are made under one lock, or one for each location. */
static bool close_locked(const struct races *j, const struct hd_worker *k, uint32_t unit,
                         struct hd_driver_unit *u)
{
    hd_eid unused[2];
    if (j->options->all_pairs || !hd_worker_may(k, HD_STEP_LOCKSET))
        return false;
    const struct hd_group *group = hd_vec_at(&j->c->groups, unit);
    if (!hd_candidates_one_lock(j->c, j->w->sections, group))
        return false;
    u->proved[HD_STEP_LOCKSET] += hd_candidates_count(j->c, group, unused);
    return true;
}

/* Bundles of a unit: every pair, or a first look. When the time is up, one pair stands for those of
 * all bundles that are left. */
static void run_bundles(const struct races *j, struct hd_driver_unit *u, struct hd_worker *k,
                        bool sweep, struct unit_walk walk)
{
    enum hd_reason why;
    struct hd_bundle bundle;
    hd_eid a = 0, b = 0;
    uint64_t rest = 0;
    for (size_t i = 0; !settled(j, u) && next_bundle(&walk, &bundle); i++) {
        const struct hd_class *x = hd_class_at(j->c, bundle.x), *y = hd_class_at(j->c, bundle.y);
        uint64_t pairs = class_size(x) * class_size(y);
        k->looks++;
        if (rest || (i % LOOK_EVERY == LOOK_EVERY - 1 && hd_worker_stopped(k, &why))) {
            a = rest ? a : j->c->events[x->start];
            b = rest ? b : j->c->events[y->start];
            rest += pairs;
            if (!sweep)
                return;
        } else if (excluded_by_locks(j, k, x, y)) {
            u->proved[HD_STEP_LOCKSET] += sweep ? pairs : 0;
        } else if (sweep) {
            sweep_bundle(j, k, u, x, y);
        } else {
            probe_bundle(j, k, u, x, y);
        }
    }
    if (rest)
        leave(u, a, b, why, rest);
}

static uint64_t unit_pairs(const struct races *j, uint32_t unit)
{
    hd_eid unused[2];
    if (!j->options->all_pairs)
        return hd_candidates_count(j->c, hd_vec_at(&j->c->groups, unit), unused);
    const struct hd_bundle *bundle = hd_vec_at(&j->bundles, unit);
    return class_size(hd_class_at(j->c, bundle->x)) * class_size(hd_class_at(j->c, bundle->y));
}

/* There is no time for the group: its pairs are counted, not looked at. */
static void leave_group(const struct races *j, uint32_t unit, struct hd_driver_unit *u,
                        enum hd_reason why)
{
    hd_eid pair[2] = {0, 0};
    uint64_t pairs = hd_candidates_count(j->c, hd_vec_at(&j->c->groups, unit), pair);
    leave(u, pair[0], pair[1], why, pairs);
}

static void run_unit_bundles(const struct races *j, uint32_t unit, struct hd_driver_unit *u,
                             struct hd_worker *k, bool sweep)
{
    enum hd_reason why;
    if (!sweep && (close_locked(j, k, unit, u) || close_group(j, k, unit, u)))
        j->looks[unit].closed = true;
    if (j->looks[unit].closed)
        return;
    if (!j->options->all_pairs && hd_worker_stopped(k, &why)) {
        if (sweep)
            leave_group(j, unit, u, why);
        return;
    }
    run_bundles(j, u, k, sweep, walk_unit(j, unit));
    if (!sweep && !settled(j, u))
        j->looks[unit].closed = try_close(j, k, u, walk_unit(j, unit));
}

static void try_schedule(const struct races *j, uint32_t unit, struct hd_driver_unit *u,
                         struct hd_worker *k)
{
    const struct look *look = &j->looks[unit];
    struct hd_goal goal = hd_goal_race(look->pair);
    enum hd_reason why;
    if (look->cut && !hd_worker_stopped(k, &why) &&
        hd_worker_try_prefix(k, &goal, j->cuts.data + (size_t)(look->cut - 1) * j->w->n_threads) ==
            HD_RACE)
        hd_driver_found(j->driver, u, k);
}

/* What closure left open, and protocols keep apart. */
static void try_states(const struct races *j, struct hd_driver_unit *u, struct hd_worker *k)
{
    struct hd_vec open = u->undecided;
    u->undecided = HD_VEC_INIT(struct hd_undecided);
    for (size_t i = 0; i < open.len; i++) {
        const struct hd_undecided *one = hd_vec_at(&open, i);
        const hd_eid *events = hd_undecided_events(one);
        struct hd_stand x, y;
        hd_protocols_stand(j->protocols, events[0], &x);
        hd_protocols_stand(j->protocols, events[1], &y);
        k->step = HD_STEP_PROTOCOL;
        if (one->goals == 1 && hd_protocols_apart(j->protocols, &x, &y))
            hd_driver_keep(j->driver, u, k, events, one->n, HD_IMPOSSIBLE, one->why);
        else
            hd_driver_open(u, events, one->n, one->why, one->goals);
    }
    hd_undecided_fini(&open);
}

static void visit(struct hd_driver *d, enum hd_phase phase, uint32_t unit, struct hd_worker *k)
{
    const struct races *j = d->ctx;
    struct hd_driver_unit *u = &d->units[unit];
    if (phase == HD_PHASE_NEAR)
        try_near(j, unit, u, k);
    else if (phase == HD_PHASE_SCHEDULES)
        try_schedule(j, unit, u, k);
    else if (phase == HD_PHASE_STATES)
        try_states(j, u, k);
    else
        run_unit_bundles(j, unit, u, k, phase == HD_PHASE_SWEEP);
}

/* ---- before a phase ---- */

static uint64_t places_key(uint32_t p, uint32_t q)
{
    return p < q ? (uint64_t)p << 32 | q : (uint64_t)q << 32 | p;
}

static uint32_t spot_of(const struct races *j, hd_eid e)
{
    return j->w->spots ? j->w->spots[e] : j->w->t->place[e];
}

/* Keeps the schedule that syncp has for a pair of places without a race. */
static void keep_schedule(void *ctx, hd_eid a, hd_eid b, const uint32_t *ran)
{
    struct races *j = ctx;
    size_t n = j->w->n_threads;
    uint32_t unit;
    if (!hd_map_get(&j->unit_of, places_key(spot_of(j, a), spot_of(j, b)), &unit))
        return;
    struct look *look = &j->looks[unit];
    if (j->driver->units[unit].found.len || look->cut)
        return;
    hd_u32vec_reserve(&j->cuts, j->cuts.len + n);
    memcpy(j->cuts.data + j->cuts.len, ran, n * sizeof *ran);
    j->cuts.len += n;
    look->cut = (uint32_t)(j->cuts.len / n);
    look->pair[0] = a;
    look->pair[1] = b;
}

/* One walk of the detector syncp: every pair that it reports comes with a schedule. */
static bool find_schedules(struct races *j, double deadline)
{
    struct hd_detect_opts opts = {.spots = j->w->spots,
                                  .deadline = deadline,
                                  .looks = hd_crew_free(j->w),
                                  .found = keep_schedule,
                                  .ctx = j};
    struct hd_detect_result result;
    bool fresh;
    if (j->options->all_pairs || !(j->options->steps >> HD_STEP_SYNCP & 1))
        return false;
    for (uint32_t i = 0; i < j->driver->n_units; i++) {
        const struct hd_group *group = hd_vec_at(&j->c->groups, i);
        if (!j->driver->units[i].found.len && !j->looks[i].closed)
            *hd_map_put(&j->unit_of, places_key(group->place_x, group->place_y), &fresh) = i;
    }
    if (!j->unit_of.len)
        return false;
    hd_detector_find("syncp")->run(j->w->t, &opts, &result, NULL);
    hd_detect_result_fini(&result);
    return j->cuts.len > 0;
}

/* The groups with two accesses near together, by the first of these: the checker then goes through
 * the trace once. */
static size_t order_near(struct races *j, uint32_t *order)
{
    struct hd_near_options o = {.locks = j->options->steps >> HD_STEP_LOCKSET & 1,
                                .must = j->options->steps >> HD_STEP_MUST & 1};
    if (j->options->all_pairs || !(j->options->steps >> HD_STEP_GREEDY & 1))
        return 0;
    struct hd_stop_scope around = hd_crew_scope(j->options, j->w->t, j->started, true);
    j->near = hd_near_find(j->w, j->c, &o);
    hd_stop_end(around);
    size_t units = j->c->groups.len, n = 0;
    struct hd_priced *list = hd_alloc(units * sizeof *list);
    for (uint32_t i = 0; i < units; i++)
        if (j->near[i].a != HD_EID_NONE)
            list[n++] = (struct hd_priced){j->near[i].a, i};
    hd_priced_order(list, n, order);
    hd_free(list, units * sizeof *list);
    return n;
}

/* Not linear: with no time there are none. */
static void make_protocols(struct races *j, size_t states, double deadline)
{
    if (deadline != 0 && hd_progress_now() >= deadline)
        return;
    struct hd_stop_scope around = hd_stop_begin(deadline, hd_alloc_limit() / 8 * 7);
    hd_protocols_free(j->protocols);
    j->protocols = hd_protocols_new(j->w, states, states / 4);
    hd_stop_end(around);
}

/* For the pairs that locks and must-orders leave open. A pair may cost as much as a closure does;
 * protocols with more states wait until closure has left something (find_states). */
static void find_protocols(struct races *j, double deadline)
{
    enum { LEAST = 40000, EACH = 1000 };
    uint64_t open = 0;
    for (size_t i = 0; i < j->driver->n_units; i++)
        if (!j->looks[i].closed && !settled(j, &j->driver->units[i]))
            open += unit_pairs(j, (uint32_t)i);
    uint64_t states = open < HD_PROTOCOLS_STATES / EACH ? open * EACH : HD_PROTOCOLS_STATES;
    if (open && j->options->steps >> HD_STEP_PROTOCOL & 1)
        make_protocols(j, states > LEAST ? states : LEAST, deadline);
}

/* All states, for what closure left open. Returns how many units have such pairs. */
static size_t find_states(struct races *j, struct hd_driver *d, double deadline)
{
    size_t left = hd_driver_left(d);
    if (!left || !j->protocols || !hd_protocols_cut(j->protocols))
        return 0;
    make_protocols(j, HD_PROTOCOLS_STATES, deadline);
    return left;
}

static size_t prepare(struct hd_driver *d, enum hd_phase phase, double deadline)
{
    struct races *j = d->ctx;
    if (phase == HD_PHASE_NEAR)
        return order_near(j, d->order);
    if (phase == HD_PHASE_SCHEDULES && !find_schedules(j, deadline))
        return 0;
    if (phase == HD_PHASE_PROBE && j->options->all_pairs)
        return 0;
    if (phase == HD_PHASE_SWEEP)
        find_protocols(j, deadline);
    if (phase == HD_PHASE_STATES)
        return find_states(j, d, deadline);
    return hd_driver_all(d);
}

/* ---- the run ---- */

/* Bundles are units when every pair of events is asked for, else groups are. Returns how many. */
static size_t make_bundles(struct races *j)
{
    const struct hd_candidates *c = j->c;
    j->bundles = HD_VEC_INIT(struct hd_bundle);
    for (size_t i = 0; i < c->groups.len && j->options->all_pairs; i++) {
        struct hd_bundle_walk walk = hd_bundle_walk(c, hd_vec_at(&c->groups, i));
        for (struct hd_bundle bundle; hd_bundle_next(&walk, &bundle);)
            *(struct hd_bundle *)hd_vec_push(&j->bundles) = bundle;
        hd_u32vec_push(&j->bundles_end, (uint32_t)j->bundles.len);
    }
    return j->options->all_pairs ? j->bundles.len : c->groups.len;
}

void hd_races_decide(const struct hd_world *w, const struct hd_candidates *c,
                     const struct hd_predict_options *options, double started,
                     struct hd_prediction *result)
{
    struct races j = {.w = w, .c = c, .options = options, .started = started};
    struct hd_driver d = {.property = HD_PROPERTY_RACE,
                          .w = w,
                          .options = options,
                          .candidates = c->pairs,
                          .n_groups = c->groups.len,
                          .linear = true,
                          .ctx = &j,
                          .prepare = prepare,
                          .visit = visit,
                          .settle = note_others};
    j.driver = &d;
    d.n_units = make_bundles(&j);
    d.group_end = options->all_pairs ? j.bundles_end.data : NULL;
    j.looks = hd_calloc(d.n_units, sizeof *j.looks);
    hd_driver_run(&d, started, result);
    hd_free(j.looks, d.n_units * sizeof *j.looks);
    hd_free(j.near, j.near ? c->groups.len * sizeof *j.near : 0);
    hd_vec_fini(&j.bundles);
    hd_u32vec_fini(&j.bundles_end);
    hd_u32vec_fini(&j.cuts);
    hd_map_fini(&j.unit_of);
    hd_protocols_free(j.protocols);
}
