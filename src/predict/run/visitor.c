#include "predict/run/visitor.h"

#include "base/alloc.h"
#include "predict/run/driver.h"
#include "predict/run/share.h"

enum { PROBES = 16 };

struct hd_visitor {
    const struct hd_visits *visits;
    const struct hd_driver *driver;
    struct hd_driver_unit *unit;
    struct hd_worker *worker;
    bool probes; /* a look at some candidates; else all of them are swept */
    uint32_t probed;
    struct hd_u32vec queue; /* events of the candidates that wait for the last filter */
    uint32_t lengths[HD_UCG_ASK], waiting;
    uint32_t ahead;   /* how many it looks at together: more while nothing is found */
    uint64_t settled; /* candidates that are found, proved or open */
};

struct share {
    const struct hd_visits *visits;
    uint32_t *groups; /* those of this shard: the units */
};

/* ---- filters ---- */

/* c, r, c': a section that holds both c and c' is not open while r's is. */
static bool triple_excluded(const struct hd_sections *s, hd_eid c, hd_eid r, hd_eid d)
{
    for (uint32_t i = hd_held(s, d); i != HD_HELD_EMPTY; i = hd_held_at(s, i)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, i)->section);
        if (s->t->pos[x->open] > s->t->pos[c])
            continue;
        for (uint32_t k = hd_held(s, r); k != HD_HELD_EMPTY; k = hd_held_at(s, k)->next)
            if (hd_section_excludes(x, hd_section_at(s, hd_held_at(s, k)->section)))
                return true;
    }
    return false;
}

bool hd_visitor_excluded(const struct hd_sections *s, const struct hd_goal *goal)
{
    if (goal->then != HD_EID_NONE)
        return triple_excluded(s, goal->first, goal->then, goal->stops[0]);
    for (uint32_t i = 0; i < goal->n_stops; i++)
        for (uint32_t k = 0; k < i; k++)
            if (hd_sections_exclude(s, goal->stops[i], goal->stops[k]))
                return true;
    return false;
}

bool hd_visitor_ordered(const struct hd_world *w, const struct hd_goal *goal)
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

static bool enough(const struct hd_visitor *v)
{
    return hd_driver_settled(v->driver, v->unit);
}

static bool sweep(struct hd_visitor *v, const hd_eid *events, uint32_t n,
                  const struct hd_goal *goal, bool impossible)
{
    enum hd_reason why;
    v->settled++;
    if (hd_worker_stopped(v->worker, &why)) { /* this one stands for all that are left */
        hd_driver_open(v->unit, events, n, why, 1);
        return false;
    }
    v->worker->step = HD_STEP_UCG;
    enum hd_verdict verdict = impossible ? HD_IMPOSSIBLE : hd_worker_greedy(v->worker, goal, true);
    hd_driver_keep(v->driver, v->unit, v->worker, events, n, verdict,
                   hd_worker_open_reason(v->worker));
    return !enough(v);
}

/* All that wait, in their order. False: enough. */
static bool sweep_queue(struct hd_visitor *v)
{
    struct hd_goal goals[HD_UCG_ASK];
    bool impossible[HD_UCG_ASK] = {false}, more = true;
    const hd_eid *events = v->queue.data;
    uint32_t n = v->waiting;
    enum hd_reason why;
    for (uint32_t i = 0; i < n; events += v->lengths[i++])
        goals[i] = hd_goal_of(v->visits->property, events, v->lengths[i]);
    if (n && hd_driver_filters(v->driver) && !hd_worker_stopped(v->worker, &why))
        hd_worker_filter(v->worker, goals, n, impossible);
    events = v->queue.data;
    for (uint32_t i = 0; i < n && more; events += v->lengths[i++])
        more = sweep(v, events, v->lengths[i], &goals[i], impossible[i]);
    v->queue.len = v->waiting = 0;
    v->ahead = v->ahead < HD_UCG_ASK / 2 ? 2 * v->ahead : HD_UCG_ASK;
    return more;
}

static bool put_in_queue(struct hd_visitor *v, const hd_eid *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        hd_u32vec_push(&v->queue, events[i]);
    v->lengths[v->waiting++] = n;
    return v->waiting < v->ahead || sweep_queue(v);
}

bool hd_visitor_visit(struct hd_visitor *v, const hd_eid *events, uint32_t n)
{
    struct hd_goal goal = hd_goal_of(v->visits->property, events, n);
    enum hd_reason why;
    enum hd_step step = HD_STEPS;
    if (hd_worker_may(v->worker, HD_STEP_LOCKSET) &&
        hd_visitor_excluded(v->visits->w->sections, &goal))
        step = HD_STEP_LOCKSET;
    else if (hd_worker_may(v->worker, HD_STEP_MUST) && hd_visitor_ordered(v->visits->w, &goal))
        step = HD_STEP_MUST;
    if (step != HD_STEPS) {
        hd_visitor_skip(v, step, 1);
        return true;
    }
    if (!v->probes)
        return put_in_queue(v, events, n);
    if (v->probed++ == PROBES || hd_worker_stopped(v->worker, &why))
        return false;
    if (hd_worker_greedy(v->worker, &goal, false) == HD_RACE)
        hd_driver_found(v->driver, v->unit, v->worker);
    return !enough(v);
}

void hd_visitor_skip(struct hd_visitor *v, enum hd_step step, uint64_t n)
{
    if (v->probes)
        return;
    v->unit->proved[step] += n;
    v->settled += n;
}

/* ---- one group ---- */

static size_t prepare(struct hd_driver *d, enum hd_phase phase, double deadline)
{
    (void)deadline;
    bool probes = phase == HD_PHASE_PROBE && !d->options->all_pairs &&
                  d->options->steps >> HD_STEP_GREEDY & 1;
    return probes || phase == HD_PHASE_SWEEP ? hd_driver_all(d) : 0;
}

/* What was not visited in the end, when nothing was found, is open: the last candidate that was
 * visited stands for it. */
static void leave_rest(struct hd_visitor *v, uint64_t total)
{
    struct hd_vec *open = &v->unit->undecided;
    if (open->len && total > v->settled)
        ((struct hd_undecided *)hd_vec_at(open, open->len - 1))->goals += total - v->settled;
}

static void visit(struct hd_driver *d, enum hd_phase phase, uint32_t unit, struct hd_worker *k)
{
    const struct share *s = d->ctx;
    const struct hd_visits *visits = s->visits;
    struct hd_visitor v = {.visits = visits,
                           .driver = d,
                           .unit = &d->units[unit],
                           .worker = k,
                           .probes = phase == HD_PHASE_PROBE,
                           .ahead = d->options->all_pairs ? HD_UCG_ASK : 1};
    visits->each(visits->ctx, s->groups[unit], &v);
    if (!v.probes) {
        sweep_queue(&v);
        if (!enough(&v))
            leave_rest(&v, visits->count(visits->ctx, s->groups[unit]));
    }
    hd_u32vec_fini(&v.queue);
}

/* ---- the run ---- */

/* The groups that this shard decides; all, when there is one. Returns how many candidates they
 * have. */
static uint64_t take_share(struct share *s, size_t *kept)
{
    const struct hd_visits *visits = s->visits;
    const struct hd_predict_options *o = visits->options;
    size_t n = visits->n_groups;
    uint64_t *count = hd_alloc(n * sizeof *count), total = 0;
    uint32_t *owner = hd_calloc(n, sizeof *owner);
    s->groups = hd_alloc(n * sizeof *s->groups);
    *kept = 0;
    for (size_t i = 0; i < n; i++)
        count[i] = visits->count(visits->ctx, i);
    if (hd_share_divided(o))
        hd_share_divide(count, n, o->shards, owner);
    for (size_t i = 0; i < n; i++)
        if (!hd_share_divided(o) || owner[i] == o->shard) {
            s->groups[(*kept)++] = (uint32_t)i;
            total += count[i];
        }
    hd_free(count, n * sizeof *count);
    hd_free(owner, n * sizeof *owner);
    return total;
}

void hd_visits_decide(const struct hd_visits *visits, double started, struct hd_prediction *result)
{
    struct share s = {.visits = visits};
    struct hd_driver d = {.property = visits->property,
                          .w = visits->w,
                          .options = visits->options,
                          .ctx = &s,
                          .prepare = prepare,
                          .visit = visit};
    d.candidates = take_share(&s, &d.n_units);
    hd_driver_run(&d, started, result);
    hd_free(s.groups, visits->n_groups * sizeof *s.groups);
}
