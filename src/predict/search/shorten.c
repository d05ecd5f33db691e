#include "predict/search/shorten.h"

#include "base/alloc.h"
#include "base/err.h"
#include "predict/search/repair.h"
#include "predict/search/resequence.h"

#include <string.h>

/* Each mending costs a simulation. Beyond this the plan is about to rebuild the witness anyway. */
enum { MAX_MENDED = 300 };

/* How much shorter a very long witness has to get. */
enum { FAR_SHORTER = 8 };

struct hd_shortener {
    const struct hd_world *w;
    struct hd_sim *sim;
    struct hd_plan plan;
    const struct hd_witness *given;
    uint32_t *rank; /* by event from the prefix on: 1 + its index in the given schedule, or 0 */
    size_t n_ranks;
};

struct hd_shortener *hd_shortener_new(const struct hd_world *w, struct hd_sim *sim)
{
    struct hd_shortener *s = hd_calloc(1, sizeof *s);
    s->w = w;
    s->sim = sim;
    hd_plan_init(&s->plan, w);
    return s;
}

void hd_shortener_free(struct hd_shortener *s)
{
    if (!s)
        return;
    hd_plan_fini(&s->plan);
    hd_free(s, sizeof *s);
}

static void rank_events(struct hd_shortener *s, const struct hd_witness *w)
{
    s->given = w;
    s->n_ranks = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->schedule[i] - w->prefix >= s->n_ranks)
            s->n_ranks = w->schedule[i] - w->prefix + 1;
    s->rank = hd_calloc(s->n_ranks, sizeof *s->rank);
    for (size_t i = 0; i < w->n; i++)
        s->rank[w->schedule[i] - w->prefix] = (uint32_t)i + 1;
}

static void forget_ranks(struct hd_shortener *s)
{
    hd_free(s->rank, s->n_ranks * sizeof *s->rank);
    s->rank = NULL;
}

/* Where the event stands in the given witness, from 1; 0: nowhere. */
static uint64_t rank_of(const struct hd_shortener *s, hd_eid e)
{
    size_t prefix = s->given->prefix;
    if (e < prefix)
        return (uint64_t)e + 1;
    return e - prefix < s->n_ranks && s->rank[e - prefix] ? prefix + s->rank[e - prefix] : 0;
}

static bool as_in_witness(const struct hd_shortener *s, const struct hd_repair *repair)
{
    for (uint32_t i = 0; i < repair->n_edges; i++) {
        uint64_t from = rank_of(s, repair->edges[i].from), to = rank_of(s, repair->edges[i].to);
        if (!from || !to || from > to)
            return false;
    }
    return true;
}

/* Mends the plan in the way the witness does it. */
static bool mend(struct hd_shortener *s, enum hd_sim_result result,
                 const struct hd_sim_failure *failure)
{
    struct hd_vec repairs = HD_VEC_INIT(struct hd_repair);
    bool mended = false;
    hd_repair_list(&s->plan, s->sim, result, failure, &repairs);
    for (size_t i = 0; i < repairs.len && !mended; i++) {
        const struct hd_repair *repair = hd_vec_at(&repairs, i);
        mended = as_in_witness(s, repair) && hd_repair_apply(&s->plan, repair);
    }
    hd_vec_fini(&repairs);
    return mended;
}

/* Grows a plan along the witness until its simulation succeeds or `end` steps have been made. */
static bool grow(struct hd_shortener *s, const struct hd_goal *goal, uint64_t end)
{
    struct hd_sim_failure failure;
    if (!hd_plan_start(&s->plan, goal))
        return false;
    for (int i = 0; i < MAX_MENDED && hd_sim_steps(s->sim) < end; i++) {
        enum hd_sim_result result = hd_sim_run(s->sim, &s->plan, 0, &failure);
        if (result == HD_SIM_DONE)
            return true;
        if (result == HD_SIM_CYCLE || result == HD_SIM_CUT || !mend(s, result, &failure))
            return false;
    }
    return false;
}

/* The same; the last simulation may cost `steps` more. */
static bool regrow(struct hd_shortener *s, const struct hd_goal *goal, const struct hd_witness *w,
                   uint64_t steps)
{
    uint64_t end = hd_sim_steps(s->sim) + steps;
    rank_events(s, w);
    hd_sim_limit(s->sim, end + steps);
    bool regrown = grow(s, goal, end);
    hd_sim_limit(s->sim, UINT64_MAX);
    forget_ranks(s);
    return regrown;
}

/* A plan that holds just the events of the witness. */
static void plan_of(struct hd_shortener *s, const struct hd_goal *goal, const struct hd_witness *w)
{
    const struct hd_trace *t = s->w->t;
    bool ok = hd_plan_start(&s->plan, goal);
    HD_ASSERT(ok);
    for (size_t i = 0; i + hd_goal_tail(goal) < w->n; i++) {
        hd_eid e = w->schedule[i];
        if (s->plan.cut[t->thread[e]] <= t->pos[e])
            s->plan.cut[t->thread[e]] = t->pos[e] + 1;
    }
}

/* A witness of the same property, in its long form, with another order before its tail. */
static void copy_witness(const struct hd_witness *w, size_t tail, const hd_eid *order, size_t n,
                         const struct hd_wake *wakes, size_t n_wakes, struct hd_witness *out)
{
    *out = *w;
    out->prefix = 0;
    out->n = n + tail;
    out->n_wakes = n_wakes;
    out->schedule = hd_alloc(out->n * sizeof *out->schedule);
    out->wakes = hd_alloc(n_wakes * sizeof *out->wakes);
    out->events = hd_alloc(w->n_events * sizeof *out->events);
    if (n)
        memcpy(out->schedule, order, n * sizeof *order);
    if (tail)
        memcpy(out->schedule + n, w->schedule + w->n - tail, tail * sizeof *order);
    if (n_wakes)
        memcpy(out->wakes, wakes, n_wakes * sizeof *wakes);
    if (w->n_events)
        memcpy(out->events, w->events, w->n_events * sizeof *w->events);
}

bool hd_shorten(struct hd_shortener *s, const struct hd_goal *goal, const struct hd_witness *w,
                const struct hd_matching *matching, uint64_t steps, struct hd_witness *out)
{
    size_t tail = hd_goal_tail(goal);
    bool whole = w->prefix + w->n <= steps; /* else only a small part of it is of use */
    if (regrow(s, goal, w, whole ? steps : steps / FAR_SHORTER)) {
        const struct hd_u32vec *order = hd_sim_order(s->sim);
        const struct hd_vec *wakes = hd_sim_wakes(s->sim);
        copy_witness(w, tail, order->data, order->len, wakes->data, wakes->len, out);
    } else if (whole) {
        *out = hd_witness_long(w, s->w->t, matching);
        plan_of(s, goal, out);
    } else {
        return false;
    }
    hd_resequence(&s->plan, out->schedule, out->n, steps / 2);
    return true;
}

size_t hd_shorten_switches(const struct hd_trace *t, const hd_eid *schedule, size_t n)
{
    size_t switches = 0;
    for (size_t i = 1; i < n; i++)
        switches += t->thread[schedule[i]] != t->thread[schedule[i - 1]];
    return switches;
}
