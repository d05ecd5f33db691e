#include "predict/run/driver.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "predict/run/crew.h"
#include "predict/run/priced.h"

/* What making all witnesses short may cost, in simulated events; and when there are so many that
 * no user reads them all. */
#define SHORTEN_ALL  UINT64_C(40000000)
#define SHORTEN_MANY UINT64_C(10000000)
enum { MANY = 1000 };

bool hd_driver_settled(const struct hd_driver *d, const struct hd_driver_unit *u)
{
    return u->found.len && !d->options->all_pairs;
}

bool hd_driver_filters(const struct hd_driver *d)
{
    return d->w->sections->list.len <= d->options->filter_until;
}

/* ---- one candidate ---- */

/* With one for each unit, witnesses are made short when all are known. */
void hd_driver_found(const struct hd_driver *d, struct hd_driver_unit *u, struct hd_worker *k)
{
    size_t n;
    const hd_eid *events = hd_witness_events(&k->witness, &n);
    struct hd_goal goal = hd_goal_of(d->property, events, n);
    hd_eid first = events[0];
    enum hd_step step = k->step;
    hd_vec_reserve_exactly(&u->found, 1);
    struct hd_predicted *found = hd_vec_push(&u->found);
    *found = (struct hd_predicted){.found_by = step};
    found->witness =
        d->options->all_pairs ? hd_worker_take_short(k, &goal, &u->kept) : hd_worker_take(k);
    u->found_by[step]++;
    HD_DEBUG_LINE(PREDICT, "%s at event %u: found by %s", hd_property_names[d->property], first + 1,
                  hd_step_names[step]);
}

void hd_driver_open(struct hd_driver_unit *u, const hd_eid *events, size_t n, enum hd_reason why,
                    uint64_t goals)
{
    HD_ASSERT(n >= 2);
    HD_DEBUG_LINE(PREDICT, "events %u and %u are left open, for %llu: %s", events[0] + 1,
                  events[1] + 1, (unsigned long long)goals, hd_reason_texts[why]);
    hd_vec_reserve_exactly(&u->undecided, 1); /* most have no more, and units may be many */
    hd_undecided_push(&u->undecided, events, n, why, goals);
}

void hd_driver_keep(const struct hd_driver *d, struct hd_driver_unit *u, struct hd_worker *k,
                    const hd_eid *events, size_t n, enum hd_verdict verdict, enum hd_reason why)
{
    if (verdict == HD_RACE) {
        hd_driver_found(d, u, k);
    } else if (verdict == HD_IMPOSSIBLE) {
        u->proved[k->step]++;
        HD_DEBUG_LINE(PREDICT, "events %u and %u: impossible, by %s", events[0] + 1, events[1] + 1,
                      hd_step_names[k->step]);
    } else {
        hd_driver_open(u, events, n, why, 1);
    }
}

/* ---- what greedy left open ---- */

/* What closure has left open. */
static enum hd_verdict filter_late(const struct hd_driver *d, struct hd_worker *k,
                                   const struct hd_goal *goal)
{
    bool impossible = false;
    if (!hd_driver_filters(d))
        hd_worker_filter(k, goal, 1, &impossible);
    return impossible ? HD_IMPOSSIBLE : HD_UNKNOWN;
}

static enum hd_verdict take_up(const struct hd_driver *d, struct hd_worker *k,
                               const struct hd_undecided *open, enum hd_phase phase,
                               enum hd_reason *why)
{
    struct hd_goal goal = hd_goal_of(d->property, hd_undecided_events(open), open->n);
    k->goal_rejected = open->why == HD_WHY_REJECTED;
    if (phase == HD_PHASE_SOLVE || phase == HD_PHASE_RETRY)
        return hd_worker_decide_exact(k, &goal, why);
    enum hd_verdict verdict =
        phase == HD_PHASE_NEARBY ? hd_worker_nearby(k, &goal) : hd_worker_closure(k, &goal);
    *why = hd_worker_open_reason(k);
    return verdict == HD_UNKNOWN && phase == HD_PHASE_CLOSE ? filter_late(d, k, &goal) : verdict;
}

/* Whether the candidate waits for this phase. Again: what used up its share of the time. */
static bool waits(const struct hd_undecided *u, enum hd_phase phase)
{
    if (phase == HD_PHASE_RETRY)
        return u->why == HD_WHY_TIME && u->goals == 1;
    return u->why == HD_WHY_STEPS || u->why == HD_WHY_REJECTED;
}

static void take_up_rest(struct hd_driver *d, struct hd_driver_unit *u, struct hd_worker *k,
                         enum hd_phase phase)
{
    struct hd_vec open = u->undecided;
    u->undecided = HD_VEC_INIT(struct hd_undecided);
    for (size_t i = 0; i < open.len && !hd_driver_settled(d, u); i++) {
        const struct hd_undecided *one = hd_vec_at(&open, i);
        const hd_eid *events = hd_undecided_events(one);
        enum hd_reason why = one->why;
        enum hd_verdict verdict = HD_UNKNOWN;
        if (waits(one, phase) && !hd_worker_stopped(k, &why))
            verdict = take_up(d, k, one, phase, &why);
        if (verdict == HD_UNKNOWN)
            hd_driver_open(u, events, one->n, why, one->goals);
        else
            hd_driver_keep(d, u, k, events, one->n, verdict, why);
    }
    hd_undecided_fini(&open);
}

size_t hd_driver_left(struct hd_driver *d)
{
    struct hd_priced *list = hd_alloc(d->n_units * sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; i < d->n_units; i++) {
        const struct hd_driver_unit *u = &d->units[i];
        if (!u->undecided.len || hd_driver_settled(d, u))
            continue;
        list[n] = (struct hd_priced){UINT64_MAX, i};
        for (size_t k = 0; k < u->undecided.len; k++) {
            const struct hd_undecided *one = hd_vec_at(&u->undecided, k);
            uint64_t cost = hd_priced_events(d->w, hd_undecided_events(one), one->n);
            list[n].cost = cost < list[n].cost ? cost : list[n].cost;
        }
        n++;
    }
    hd_priced_order(list, n, d->order);
    hd_free(list, d->n_units * sizeof *list);
    return n;
}

/* ---- witnesses ---- */

static size_t order_found(struct hd_driver *d)
{
    d->n_found = 0;
    for (uint32_t i = 0; i < d->n_units && !d->options->all_pairs; i++)
        if (d->units[i].found.len)
            d->order[d->n_found++] = i;
    return d->n_found;
}

/* What a witness may cost when it is made short: less when there are many. */
static uint64_t shorten_steps(size_t n)
{
    uint64_t all = n > MANY ? SHORTEN_MANY : SHORTEN_ALL;
    uint64_t steps = all / (n ? n : 1);
    return steps < HD_SHORTEN_STEPS ? steps : HD_SHORTEN_STEPS;
}

static void shorten_found(const struct hd_driver *d, struct hd_driver_unit *u, struct hd_worker *k)
{
    struct hd_witness *w = &((struct hd_predicted *)u->found.data)->witness;
    size_t n;
    const hd_eid *events = hd_witness_events(w, &n);
    struct hd_goal goal = hd_goal_of(d->property, events, n);
    enum hd_reason why;
    if (!hd_worker_stopped(k, &why))
        hd_worker_shorten(k, &goal, w, shorten_steps(d->n_found));
}

/* ---- the phases ---- */

size_t hd_driver_all(struct hd_driver *d)
{
    for (uint32_t i = 0; i < d->n_units; i++)
        d->order[i] = i;
    return d->n_units;
}

/* What is done in it is the property's own. */
static bool is_own(unsigned phase)
{
    return phase <= HD_PHASE_SWEEP || phase == HD_PHASE_STATES;
}

static size_t prepare(void *ctx, unsigned phase, double deadline)
{
    struct hd_driver *d = ctx;
    if (phase != HD_PHASE_SWEEP && hd_interrupt_requested())
        return 0;
    if (is_own(phase))
        return d->prepare(d, (enum hd_phase)phase, deadline);
    if (phase == HD_PHASE_SHORTEN)
        return order_found(d);
    bool again = deadline != 0 && hd_progress_now() < deadline;
    return phase != HD_PHASE_RETRY || again ? hd_driver_left(d) : 0;
}

static void run_unit(void *ctx, unsigned phase, size_t item, struct hd_worker *k)
{
    struct hd_driver *d = ctx;
    HD_DCHECK(d->order[item] < d->n_units);
    struct hd_driver_unit *u = &d->units[d->order[item]];
    if (phase == HD_PHASE_SHORTEN)
        shorten_found(d, u, k);
    else if (hd_driver_settled(d, u))
        return;
    else if (is_own(phase))
        d->visit(d, (enum hd_phase)phase, d->order[item], k);
    else if (!hd_interrupt_requested())
        take_up_rest(d, u, k, (enum hd_phase)phase);
}

/* ---- the result ---- */

/* How many groups have one, and how many of the others something undecided. */
static void count_groups(const struct hd_driver *d, struct hd_prediction *r)
{
    r->groups = d->group_end ? d->n_groups : d->n_units;
    for (size_t g = 0; g < r->groups; g++) {
        bool found = false, open = false;
        size_t from = !d->group_end ? g : g ? d->group_end[g - 1] : 0;
        size_t to = d->group_end ? d->group_end[g] : g + 1;
        for (size_t i = from; i < to; i++) {
            found |= d->units[i].found.len > 0;
            open |= d->units[i].undecided.len > 0;
        }
        r->groups_found += found;
        r->groups_undecided += open && !found;
    }
}

/* Moves what a unit has into the result. */
static void gather(struct hd_driver *d, uint32_t unit, struct hd_prediction *r)
{
    struct hd_driver_unit *u = &d->units[unit];
    if (hd_driver_settled(d, u)) {
        hd_undecided_fini(&u->undecided);
        if (d->settle)
            d->settle(d, unit, u->found.data);
    }
    for (size_t i = 0; i < u->found.len; i++)
        *(struct hd_predicted *)hd_vec_push(&r->found) =
            *(struct hd_predicted *)hd_vec_at(&u->found, i);
    for (size_t i = 0; i < u->undecided.len; i++) {
        struct hd_undecided *one = hd_vec_push(&r->undecided);
        *one = *(struct hd_undecided *)hd_vec_at(&u->undecided, i);
        if (one->why == HD_WHY_STEPS && hd_interrupt_requested())
            one->why = HD_WHY_STOPPED; /* no phase took it up */
        r->open += one->goals;
    }
    for (int s = 0; s < HD_STEPS; s++) {
        r->proved[s] += u->proved[s];
        r->found_by[s] += u->found_by[s];
    }
    hd_vec_fini(&u->found);
    hd_vec_fini(&u->undecided);
}

/* Nothing is dropped: what has no answer was passed over because its group has one. */
static void count_skipped(const struct hd_driver *d, struct hd_prediction *r)
{
    uint64_t decided = r->found.len + r->open;
    for (int s = 0; s < HD_STEPS; s++)
        decided += r->proved[s];
    HD_DCHECK(decided <= d->candidates && (decided == d->candidates || !d->options->all_pairs));
    HD_DCHECK(decided == d->candidates || r->groups_found);
    r->candidates = d->candidates;
    r->skipped = d->candidates - decided;
}

void hd_driver_run(struct hd_driver *d, double started, struct hd_prediction *r)
{
    d->units = hd_calloc(d->n_units, sizeof *d->units);
    d->order = hd_calloc(d->n_units, sizeof *d->order);
    for (size_t i = 0; i < d->n_units; i++) {
        d->units[i].found = HD_VEC_INIT(struct hd_predicted);
        d->units[i].undecided = HD_VEC_INIT(struct hd_undecided);
    }
    const struct hd_crew crew = {.w = d->w,
                                 .options = d->options,
                                 .started = started,
                                 .ctx = d,
                                 .items = d->n_units,
                                 .phases = HD_PHASES,
                                 .cheap = d->linear ? HD_PHASE_SWEEP + 1 : 0,
                                 .shared = HD_PHASE_SOLVE,
                                 .n_shared = 2,
                                 .prepare = prepare,
                                 .decide = run_unit};
    hd_crew_run(&crew,
                &(struct hd_crew_result){r->step_seconds, &r->shorten_seconds, &r->rejected});
    count_groups(d, r);
    for (uint32_t i = 0; i < d->n_units; i++)
        gather(d, i, r);
    count_skipped(d, r);
    hd_prediction_sort(r);
    hd_free(d->units, d->n_units * sizeof *d->units);
    hd_free(d->order, d->n_units * sizeof *d->order);
}
