#include "predict/index/world.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "predict/index/guards.h"
#include "predict/index/ownership.h"
#include "predict/index/world_check.h"

/* Marks the reads that event e needs: explicit ones at once, "all" through the running minimum. */
static bool mark_needs(struct hd_world *w, hd_eid e, enum hd_dep_role role)
{
    const struct hd_trace *t = w->t;
    struct hd_deps deps = hd_trace_deps(t, e, role);
    for (uint32_t i = 0; i < deps.n; i++) {
        hd_eid r = hd_trace_back(t, e, deps.dist[i]);
        if (t->pos[e] < w->needed_at[r])
            w->needed_at[r] = t->pos[e];
    }
    return deps.all;
}

/* Backwards through one thread: `all_from` is the next event that needs every read before it. */
static void mark_thread(struct hd_world *w, const hd_eid *events, size_t n)
{
    const struct hd_trace *t = w->t;
    uint32_t all_from = UINT32_MAX;
    for (size_t i = n; i-- > 0 && !hd_stop_often(i);) {
        hd_eid e = events[i];
        if (all_from < w->needed_at[e])
            w->needed_at[e] = all_from;
        bool all = t->control == HD_CONTROL_ALL;
        if (t->op[e] == HD_OP_BRANCH)
            all |= mark_needs(w, e, HD_DEP_CONTROL);
        else if (hd_op_is_access(t->op[e]))
            all |= mark_needs(w, e, HD_DEP_ADDR);
        if (all)
            all_from = (uint32_t)i;
    }
}

static void mark_needed(struct hd_world *w)
{
    w->needed_at = hd_alloc(w->t->n_events * sizeof *w->needed_at);
    for (size_t e = 0; e < w->t->n_events; e++)
        w->needed_at[e] = UINT32_MAX;
    for (hd_tid u = 0; u < w->n_threads; u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(w->t, u, &n);
        mark_thread(w, events, n);
    }
}

static bool any_owned(const uint8_t *owned, size_t n)
{
    size_t i = 0;
    while (i < n && !owned[i])
        i++;
    return i < n;
}

/* Sections that follow from values join those of locks, and so does what threads own. */
static void add_guards(struct hd_world *w)
{
    struct hd_vec guards = HD_VEC_INIT(struct hd_section);
    uint8_t *owned = hd_calloc(w->t->n_events, 1);
    hd_ownership_find(w->t, w->locs, w->needed_at, w->sections, owned);
    uint32_t n = hd_guards_find(w->t, w->locs, w->needed_at, w->sections, &guards);
    if (n && hd_stop_now() == HD_STOP_NO) {
        hd_sections_free(w->sections);
        w->sections = hd_sections_new(w->t, &guards, n);
    }
    if (any_owned(owned, w->t->n_events))
        w->sections->owned = owned;
    else
        hd_free(owned, w->t->n_events);
    hd_vec_fini(&guards);
}

/* With counters that follow from the orders found so far. The passes take the longest of all
 * indices in long traces, which do without. */
static void order_again(struct hd_world *w)
{
    enum { MOST_EVENTS = 1 << 19 };
    if (!w->must || w->t->n_events > MOST_EVENTS || !hd_counters_add_lives(w->counters, w))
        return;
    hd_must_free(w->must);
    w->must = hd_must_new(w);
}

struct hd_world *hd_world_new(const struct hd_trace *t)
{
    struct hd_world *w = hd_calloc(1, sizeof *w);
    w->t = t;
    w->n_threads = hd_trace_n_threads(t);
    w->locs = hd_accesses_new(t, HD_OBJ_LOC);
    w->conds = hd_accesses_new(t, HD_OBJ_COND);
    w->sems = hd_accesses_new(t, HD_OBJ_SEM);
    w->barriers = hd_accesses_new(t, HD_OBJ_BARRIER);
    if (hd_stop_now() == HD_STOP_NO)
        mark_needed(w);
    if (hd_stop_now() == HD_STOP_NO)
        w->sections = hd_sections_new(t, NULL, 0);
    if (hd_stop_now() == HD_STOP_NO)
        add_guards(w);
    if (hd_stop_now() == HD_STOP_NO)
        w->counters = hd_counters_new(t, w->locs, w->sections);
    if (hd_stop_now() == HD_STOP_NO)
        w->must = hd_must_new(w);
    if (hd_stop_now() == HD_STOP_NO)
        order_again(w);
    if (hd_stop_now() == HD_STOP_NO)
        HD_SELF_CHECK(hd_world_check(w));
    return w;
}

struct hd_world *hd_world_new_locks(const struct hd_trace *t)
{
    struct hd_world *w = hd_calloc(1, sizeof *w);
    w->t = t;
    w->n_threads = hd_trace_n_threads(t);
    w->sections = hd_sections_new(t, NULL, 0);
    return w;
}

void hd_world_free(struct hd_world *w)
{
    if (!w)
        return;
    hd_free(w->needed_at, w->needed_at ? w->t->n_events * sizeof *w->needed_at : 0);
    hd_must_free(w->must);
    hd_counters_free(w->counters);
    hd_accesses_free(w->barriers);
    hd_accesses_free(w->sems);
    hd_accesses_free(w->conds);
    hd_accesses_free(w->locs);
    hd_sections_free(w->sections);
    hd_free(w, sizeof *w);
}

uint32_t hd_world_events_before(const struct hd_world *w, hd_tid u, hd_eid base)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(w->t, u, &n);
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (events[mid] < base)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}
