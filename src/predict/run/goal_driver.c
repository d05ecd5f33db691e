#include "predict/run/goal_driver.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "predict/run/crew.h"
#include "predict/run/share.h"

#include <stdlib.h>
#include <string.h>

/* What is known of one group. */
struct unit {
    struct hd_vec found;     /* struct hd_violation */
    struct hd_vec undecided; /* struct hd_open_goal */
    uint64_t proved[HD_STEPS], found_by[HD_STEPS];
    size_t kept; /* entries of schedules */
};

enum mode { PROBE, SWEEP };
/* Each goes over all groups before the next begins. */
enum phase { LOOK, VISIT, CLOSE, SOLVE, RETRY, PHASES };
enum { PROBES = 16 };

struct hd_hunter {
    const struct hd_hunt *hunt;
    struct unit *unit;
    struct hd_worker *worker;
    enum mode mode;
    uint32_t probed;
    struct hd_u32vec queue; /* events of the candidates that wait for the last filter */
    uint32_t lengths[HD_UCG_ASK], waiting;
    uint32_t ahead; /* how many it looks at together: more while nothing is found */
};

struct job {
    const struct hd_hunt *hunt;
    struct unit *units;
    uint32_t *groups; /* those of this shard */
    size_t n;
};

struct hd_goal hd_hunt_goal(enum hd_property property, const hd_eid *events, uint32_t n)
{
    return property == HD_PROPERTY_ATOMICITY ? hd_goal_atomicity(events)
                                             : hd_goal_deadlock(events, n);
}

/* ---- filters ---- */

/* c, r, c': a section that holds both c and c' is not open while r's is. */
static bool triple_excluded(const struct hd_sections *s, hd_eid c, hd_eid r, hd_eid d)
{
    for (uint32_t i = s->held[d]; i != HD_HELD_EMPTY; i = hd_held_at(s, i)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, i)->section);
        if (s->t->pos[x->open] > s->t->pos[c])
            continue;
        for (uint32_t k = s->held[r]; k != HD_HELD_EMPTY; k = hd_held_at(s, k)->next)
            if (hd_section_excludes(x, hd_section_at(s, hd_held_at(s, k)->section)))
                return true;
    }
    return false;
}

bool hd_hunt_excluded(const struct hd_sections *s, const struct hd_goal *goal)
{
    if (goal->then != HD_EID_NONE)
        return triple_excluded(s, goal->first, goal->then, goal->stops[0]);
    for (uint32_t i = 0; i < goal->n_stops; i++)
        for (uint32_t k = 0; k < i; k++)
            if (hd_sections_exclude(s, goal->stops[i], goal->stops[k]))
                return true;
    return false;
}

bool hd_hunt_ordered(const struct hd_world *w, const struct hd_goal *goal)
{
    const struct hd_trace *t = w->t;
    if (goal->then != HD_EID_NONE)
        return hd_world_before(w, goal->then, goal->first) ||
               hd_world_before(w, goal->stops[0], goal->then);
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        hd_eid needs = hd_goal_needs(t, goal, goal->stops[i]);
        for (uint32_t k = 0; k < goal->n_stops && needs != HD_EID_NONE; k++)
            if (i != k && hd_world_before(w, goal->stops[k], needs))
                return true;
    }
    return false;
}

/* ---- one candidate ---- */

static void keep_found(struct hd_hunter *h, const struct hd_goal *goal)
{
    struct unit *u = h->unit;
    enum hd_step step = h->worker->step;
    *(struct hd_violation *)hd_vec_push(&u->found) = (struct hd_violation){
        .witness = hd_worker_take_short(h->worker, goal, &u->kept), .found_by = step};
    u->found_by[step]++;
    HD_DEBUG_LINE(PREDICT, "%s at event %u: found by %s", hd_property_names[h->hunt->property],
                  goal->stops[0] + 1, hd_step_names[step]);
}

static void keep_open(struct unit *u, const hd_eid *events, size_t n, enum hd_reason why,
                      uint64_t goals)
{
    HD_DEBUG_LINE(PREDICT, "candidate at event %u is left open: %s", n ? events[0] + 1 : 0,
                  hd_reason_texts[why]);
    struct hd_open_goal *open = hd_vec_push(&u->undecided);
    *open = (struct hd_open_goal){hd_alloc(n * sizeof *events), n, why, goals};
    memcpy(open->events, events, n * sizeof *events);
}

static bool enough(const struct hd_hunter *h)
{
    return h->unit->found.len && !h->hunt->options->all_pairs;
}

static bool sweep(struct hd_hunter *h, const hd_eid *events, uint32_t n, const struct hd_goal *goal,
                  bool impossible)
{
    enum hd_reason why;
    if (hd_worker_stopped(h->worker, &why)) { /* this one stands for all that are left */
        keep_open(h->unit, events, n, why, 1);
        return false;
    }
    h->worker->step = HD_STEP_UCG;
    enum hd_verdict verdict = impossible ? HD_IMPOSSIBLE : hd_worker_greedy(h->worker, goal, true);
    if (verdict == HD_RACE)
        keep_found(h, goal);
    else if (verdict == HD_IMPOSSIBLE)
        h->unit->proved[h->worker->step]++;
    else
        keep_open(h->unit, events, n, hd_worker_open_reason(h->worker), 1);
    return !enough(h);
}

/* All that wait, in their order. False: enough. */
static bool sweep_queue(struct hd_hunter *h)
{
    struct hd_goal goals[HD_UCG_ASK];
    bool impossible[HD_UCG_ASK] = {false}, more = true;
    const hd_eid *events = h->queue.data;
    uint32_t n = h->waiting;
    enum hd_reason why;
    for (uint32_t i = 0; i < n; events += h->lengths[i++])
        goals[i] = hd_hunt_goal(h->hunt->property, events, h->lengths[i]);
    if (n && !hd_worker_stopped(h->worker, &why))
        hd_worker_filter(h->worker, goals, n, impossible);
    events = h->queue.data;
    for (uint32_t i = 0; i < n && more; events += h->lengths[i++])
        more = sweep(h, events, h->lengths[i], &goals[i], impossible[i]);
    h->queue.len = h->waiting = 0;
    h->ahead = h->ahead < HD_UCG_ASK / 2 ? 2 * h->ahead : HD_UCG_ASK;
    return more;
}

static bool put_in_queue(struct hd_hunter *h, const hd_eid *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        hd_u32vec_push(&h->queue, events[i]);
    h->lengths[h->waiting++] = n;
    return h->waiting < h->ahead || sweep_queue(h);
}

bool hd_hunt_visit(struct hd_hunter *h, const hd_eid *events, uint32_t n)
{
    struct hd_goal goal = hd_hunt_goal(h->hunt->property, events, n);
    enum hd_reason why;
    enum hd_step step = HD_STEPS;
    if (hd_worker_may(h->worker, HD_STEP_LOCKSET) && hd_hunt_excluded(h->hunt->w->sections, &goal))
        step = HD_STEP_LOCKSET;
    else if (hd_worker_may(h->worker, HD_STEP_MUST) && hd_hunt_ordered(h->hunt->w, &goal))
        step = HD_STEP_MUST;
    if (step != HD_STEPS) {
        hd_hunt_skip(h, step, 1);
        return true;
    }
    if (h->mode == SWEEP)
        return put_in_queue(h, events, n);
    if (h->probed++ == PROBES || hd_worker_stopped(h->worker, &why))
        return false;
    if (hd_worker_greedy(h->worker, &goal, false) == HD_RACE)
        keep_found(h, &goal);
    return !enough(h);
}

void hd_hunt_skip(struct hd_hunter *h, enum hd_step step, uint64_t n)
{
    if (h->mode == SWEEP)
        h->unit->proved[step] += n;
}

/* ---- one group ---- */

/* What greedy left open, by closure or by the solver. RETRY: what used up its share of the time. */
static void take_up_rest(struct hd_hunter *h, enum phase phase)
{
    bool exact = phase != CLOSE;
    struct hd_vec open = h->unit->undecided;
    h->unit->undecided = HD_VEC_INIT(struct hd_open_goal);
    for (size_t i = 0; i < open.len; i++) {
        struct hd_open_goal *g = hd_vec_at(&open, i);
        struct hd_goal goal = hd_hunt_goal(h->hunt->property, g->events, (uint32_t)g->n);
        enum hd_reason why = g->why;
        enum hd_verdict verdict = HD_UNKNOWN;
        bool waits = phase == RETRY ? g->why == HD_WHY_TIME && g->goals == 1
                                    : g->why == HD_WHY_STEPS || g->why == HD_WHY_REJECTED;
        h->worker->goal_rejected = g->why == HD_WHY_REJECTED;
        if (waits && !enough(h) && !hd_worker_stopped(h->worker, &why)) {
            verdict = exact ? hd_worker_decide_exact(h->worker, &goal, &why)
                            : hd_worker_nearby(h->worker, &goal);
            if (!exact && verdict == HD_UNKNOWN)
                verdict = hd_worker_closure(h->worker, &goal);
            why = exact ? why : hd_worker_open_reason(h->worker);
        }
        if (verdict == HD_RACE)
            keep_found(h, &goal);
        else if (verdict == HD_IMPOSSIBLE)
            h->unit->proved[h->worker->step]++;
        else if (!enough(h))
            keep_open(h->unit, g->events, g->n, why, g->goals);
        hd_free(g->events, g->n * sizeof *g->events);
    }
    hd_vec_fini(&open);
}

static void drop_open(struct hd_vec *open)
{
    for (size_t i = 0; i < open->len; i++) {
        struct hd_open_goal *g = hd_vec_at(open, i);
        hd_free(g->events, g->n * sizeof *g->events);
    }
    hd_vec_fini(open);
}

static void run_group(void *ctx, unsigned phase, size_t item, struct hd_worker *worker)
{
    struct job *j = ctx;
    const struct hd_hunt *hunt = j->hunt;
    struct hd_hunter h = {.hunt = hunt, .unit = &j->units[item], .worker = worker};
    h.mode = phase == LOOK ? PROBE : SWEEP;
    h.ahead = hunt->options->all_pairs ? HD_UCG_ASK : 1;
    if (enough(&h))
        return;
    if (phase > VISIT)
        take_up_rest(&h, phase);
    else if (phase == VISIT || (!hunt->options->all_pairs && hd_worker_may(worker, HD_STEP_GREEDY)))
        hunt->each(hunt->ctx, j->groups[item], &h);
    if (phase == VISIT)
        sweep_queue(&h);
    hd_u32vec_fini(&h.queue);
    if (enough(&h))
        drop_open(&h.unit->undecided);
}

static size_t prepare(void *ctx, unsigned phase, double deadline)
{
    bool again = deadline != 0 && hd_progress_now() < deadline;
    return phase != RETRY || again ? ((struct job *)ctx)->n : 0;
}

/* ---- the run ---- */

static int by_list(const hd_eid *x, size_t n, const hd_eid *y, size_t m)
{
    for (size_t i = 0; i < n && i < m; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return n < m ? -1 : n > m;
}

static int found_order(const void *x, const void *y)
{
    const struct hd_witness *v = &((const struct hd_violation *)x)->witness;
    const struct hd_witness *w = &((const struct hd_violation *)y)->witness;
    return by_list(v->events, v->n_events, w->events, w->n_events);
}

static int open_order(const void *x, const void *y)
{
    const struct hd_open_goal *g = x, *h = y;
    return by_list(g->events, g->n, h->events, h->n);
}

/* Moves what a group has found into the result. What was not visited in the end, when nothing was
 * found, is open: the last candidate that was visited stands for it. */
static void gather(const struct hd_hunt *hunt, size_t group, struct unit *u,
                   struct hd_violations *r)
{
    uint64_t settled = u->found.len + u->undecided.len, total = hunt->count(hunt->ctx, group);
    for (int s = 0; s < HD_STEPS; s++) {
        settled += u->proved[s];
        r->proved[s] += u->proved[s];
        r->found_by[s] += u->found_by[s];
    }
    r->candidates += total;
    if (total > settled && u->found.len && !hunt->options->all_pairs)
        r->skipped += total - settled;
    else if (total > settled && u->undecided.len)
        ((struct hd_open_goal *)hd_vec_at(&u->undecided, u->undecided.len - 1))->goals +=
            total - settled;
    r->groups_undecided += u->undecided.len && !u->found.len;
    for (size_t i = 0; i < u->found.len; i++)
        *(struct hd_violation *)hd_vec_push(&r->found) =
            *(struct hd_violation *)hd_vec_at(&u->found, i);
    for (size_t i = 0; i < u->undecided.len; i++) {
        struct hd_open_goal *g = hd_vec_push(&r->undecided);
        *g = *(struct hd_open_goal *)hd_vec_at(&u->undecided, i);
        r->open += g->goals;
    }
    hd_vec_fini(&u->found);
    hd_vec_fini(&u->undecided);
}

static void sort_result(struct hd_violations *r)
{
    if (r->found.len)
        qsort(r->found.data, r->found.len, sizeof(struct hd_violation), found_order);
    if (r->undecided.len)
        qsort(r->undecided.data, r->undecided.len, sizeof(struct hd_open_goal), open_order);
}

/* The groups that this shard decides; all, when there is one. */
static void take_share(struct job *j)
{
    const struct hd_hunt *hunt = j->hunt;
    const struct hd_predict_options *o = hunt->options;
    size_t n = hunt->n_groups;
    uint64_t *count = hd_alloc(n * sizeof *count);
    uint32_t *owner = hd_calloc(n, sizeof *owner);
    j->groups = hd_alloc(n * sizeof *j->groups);
    for (size_t i = 0; i < n && hd_share_divided(o); i++)
        count[i] = hunt->count(hunt->ctx, i);
    if (hd_share_divided(o))
        hd_share_divide(count, n, o->shards, owner);
    for (size_t i = 0; i < n; i++)
        if (!hd_share_divided(o) || owner[i] == o->shard)
            j->groups[j->n++] = (uint32_t)i;
    hd_free(count, n * sizeof *count);
    hd_free(owner, n * sizeof *owner);
}

void hd_hunt_run(const struct hd_hunt *hunt, double started, struct hd_violations *result)
{
    struct job j = {.hunt = hunt, .units = hd_calloc(hunt->n_groups, sizeof *j.units)};
    take_share(&j);
    result->groups = j.n;
    const struct hd_crew crew = {.w = hunt->w,
                                 .options = hunt->options,
                                 .started = started,
                                 .ctx = &j,
                                 .items = j.n,
                                 .phases = PHASES,
                                 .shared = SOLVE,
                                 .n_shared = 2,
                                 .prepare = prepare,
                                 .decide = run_group};
    for (size_t i = 0; i < j.n; i++) {
        j.units[i].found = HD_VEC_INIT(struct hd_violation);
        j.units[i].undecided = HD_VEC_INIT(struct hd_open_goal);
    }
    hd_crew_run(&crew, &(struct hd_crew_result){result->step_seconds, &result->shorten_seconds,
                                                &result->rejected});
    for (size_t i = 0; i < j.n; i++)
        gather(hunt, j.groups[i], &j.units[i], result);
    sort_result(result);
    hd_free(j.units, hunt->n_groups * sizeof *j.units);
    hd_free(j.groups, hunt->n_groups * sizeof *j.groups);
    result->seconds = hd_progress_now() - started;
}

void hd_hunt_cut(struct hd_violations *result, enum hd_reason why)
{
    *(struct hd_open_goal *)hd_vec_push(&result->undecided) =
        (struct hd_open_goal){.why = why, .goals = 1};
    result->open++;
}

void hd_violations_fini(struct hd_violations *result)
{
    for (size_t i = 0; i < result->found.len; i++)
        hd_witness_fini(&((struct hd_violation *)hd_vec_at(&result->found, i))->witness);
    hd_vec_fini(&result->found);
    drop_open(&result->undecided);
}
