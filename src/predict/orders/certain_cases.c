#include "predict/orders/certain_cases.h"

#include "base/alloc.h"
#include "detect/published/history.h"
#include "predict/orders/certain_int.h"
#include "predict/search/closure.h"

#define MAX_STEPS 4000000 /* simulated events for all pairs, and what looking at reads counts */
#define LOOK      32      /* for one read */
#define MAX_READS 64      /* of a pair, with a source that hands it on */
/* Of one question. */
static const struct hd_closure_budget budget = {.nodes = 100, .steps = 200000};

/* What is known of a read and a write: the read does not read from it where an event of the thread
 * from `refuted` on runs; up to `open` that was asked in vain. The more of the thread runs, the
 * more is impossible. */
struct known {
    hd_tid thread;
    uint32_t refuted, open; /* positions; UINT32_MAX: none; `open` is the one after */
};

struct hd_cases {
    struct hd_certain *c;
    struct hd_sim *sim;
    struct hd_plan plan;
    struct hd_map known_of; /* index of the read in due << 32 | write: index in known */
    struct hd_vec known;    /* struct known, of the last thread that was asked about */
    uint64_t looked;
    size_t due; /* the read that is looked at, in c->due */
    hd_eid first;
    bool dry;
};

struct hd_cases *hd_cases_new(struct hd_certain *c, const struct hd_matching *matching)
{
    struct hd_cases *k = hd_calloc(1, sizeof *k);
    k->c = c;
    k->sim = hd_sim_new(c->w, matching);
    k->known = HD_VEC_INIT(struct known);
    hd_plan_init(&k->plan, c->w);
    return k;
}

void hd_cases_free(struct hd_cases *k)
{
    if (!k)
        return;
    hd_plan_fini(&k->plan);
    hd_sim_free(k->sim);
    hd_map_fini(&k->known_of);
    hd_vec_fini(&k->known);
    hd_free(k, sizeof *k);
}

static bool is_spent(const struct hd_cases *k)
{
    return hd_sim_steps(k->sim) + k->looked >= MAX_STEPS;
}

/* The next write of the same thread to the location, or HD_EID_NONE. */
static hd_eid next_write(const struct hd_cases *k, hd_eid write)
{
    const struct hd_trace *t = k->c->t;
    const struct hd_accesses *locs = k->c->w->locs;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, t->obj[write], &n);
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread != t->thread[write])
            continue;
        uint32_t next = hd_accesses_write_from(locs, &users[i], t->pos[write] + 1);
        return next < users[i].wend ? locs->writes[next] : HD_EID_NONE;
    }
    return HD_EID_NONE;
}

/* x comes before y: so do the ends of what x holds, where y holds what that excludes. The search
 * would find out, too, one order of sections after the other. */
static bool order(struct hd_plan *plan, hd_eid x, hd_eid y)
{
    const struct hd_sections *s = plan->w->sections;
    for (uint32_t i = hd_held(s, x); i != HD_HELD_EMPTY; i = hd_held_at(s, i)->next) {
        const struct hd_section *of_x = hd_section_at(s, hd_held_at(s, i)->section);
        for (uint32_t k = hd_held(s, y); k != HD_HELD_EMPTY; k = hd_held_at(s, k)->next) {
            const struct hd_section *of_y = hd_section_at(s, hd_held_at(s, k)->section);
            if (hd_section_excludes(of_x, of_y) &&
                (of_x->close == HD_EID_NONE || !hd_plan_include(plan, of_x->close) ||
                 !hd_plan_order(plan, of_x->close, of_y->open)))
                return false;
        }
    }
    return hd_plan_order(plan, x, y);
}

/* The plan of all schedules that run `first` and the event that needs the read, which reads from
 * the write: that has stored its value, and what its thread writes there next comes later. False:
 * there is no such schedule. */
static bool start(struct hd_cases *k, hd_eid read, hd_eid write)
{
    const struct hd_goal goal = {HD_PROPERTY_RACE, NULL, 0, HD_EID_NONE, HD_EID_NONE};
    const struct hd_certain_due *due = hd_vec_at(&k->c->due, k->due);
    struct hd_plan *plan = &k->plan;
    hd_eid next = next_write(k, write);
    if (!hd_plan_start(plan, &goal))
        return false;
    plan->unnotified = true; /* repairs of notifications are seldom complete */
    if (!hd_plan_include(plan, k->first) || !hd_plan_include(plan, due->at) ||
        !hd_plan_include(plan, write) || !order(plan, write, read))
        return false;
    hd_plan_concrete(plan, write);
    return next == HD_EID_NONE || next == read || !hd_plan_has(plan, next) ||
           order(plan, read, next);
}

static struct known *known_of(struct hd_cases *k, hd_eid write)
{
    hd_tid u = k->c->t->thread[k->first];
    bool fresh;
    uint32_t *at = hd_map_put(&k->known_of, (uint64_t)k->due << 32 | write, &fresh);
    if (fresh) {
        *at = (uint32_t)k->known.len;
        *(struct known *)hd_vec_push(&k->known) = (struct known){u, UINT32_MAX, 0};
    }
    struct known *known = hd_vec_at(&k->known, *at);
    if (known->thread != u)
        *known = (struct known){u, UINT32_MAX, 0};
    return known;
}

static bool impossible(void *ctx, hd_eid read, hd_eid write)
{
    struct hd_cases *k = ctx;
    if (k->dry)
        return true;
    struct known *known = known_of(k, write);
    uint32_t pos = k->c->t->pos[k->first];
    if (pos >= known->refuted)
        return true;
    if (pos < known->open || is_spent(k))
        return false;
    if (!start(k, read, write) || hd_closure_decide(k->sim, &k->plan, budget) == HD_IMPOSSIBLE) {
        known->refuted = pos;
        return true;
    }
    known->open = pos + 1;
    return false;
}

/* The first read of `due` that is due after e. */
static size_t due_after(const struct hd_certain *c, hd_eid e)
{
    const struct hd_certain_due *due = c->due.data;
    size_t low = 0, high = c->due.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (due[mid].at <= e)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* In every schedule that runs both, does some read of the thread of `then` hand `first` on,
 * whatever it reads from? Those with a source that does are asked about, the last ones first. */
static bool is_handed(struct hd_cases *k, hd_eid first, hd_eid then)
{
    const struct hd_trace *t = k->c->t;
    const struct hd_certain_case in = {first, impossible, k};
    unsigned reads = 0;
    k->first = first;
    for (size_t i = due_after(k->c, then); i-- > 0 && reads < MAX_READS && !is_spent(k);) {
        const struct hd_certain_due *due = hd_vec_at(&k->c->due, i);
        k->due = i;
        k->looked++;
        if (t->thread[due->read] != t->thread[then])
            continue;
        k->looked += LOOK;
        k->dry = true;
        bool some = hd_certain_hands(k->c, due, &in);
        k->dry = false;
        reads += some;
        if (some && hd_certain_hands(k->c, due, &in))
            return true;
    }
    return false;
}

bool hd_cases_ordered(struct hd_cases *k, hd_eid a, hd_eid b)
{
    const struct hd_world *w = k->c->w;
    const struct hd_trace *t = w->t;
    size_t n;
    HD_DCHECK(a < b);
    const struct hd_loc_user *user = hd_accesses_users(w->locs, t->obj[a], &n);
    for (; user->thread != t->thread[a]; user++)
        ;
    for (uint32_t i = hd_accesses_from(w->locs, user, t->pos[a] + 1); i-- > user->start;) {
        hd_eid e = w->locs->list[i];
        if (hd_certain_before(k->c, e, b))
            return true; /* and so are those before it */
        bool same = w->spots ? w->spots[e] == w->spots[a] : t->place[e] == t->place[a];
        if (same && hd_kinds_conflict(hd_access_kind(t->op[e]), hd_access_kind(t->op[b])) &&
            !hd_certain_excludes(k->c, e, b) && !is_handed(k, e, b) && !is_handed(k, b, e))
            return false;
    }
    return true;
}
