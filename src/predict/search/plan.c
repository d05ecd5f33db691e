#include "predict/search/plan.h"

#include "base/alloc.h"

#include <string.h>

void hd_plan_init(struct hd_plan *p, const struct hd_world *w)
{
    *p = (struct hd_plan){.w = w};
    p->edges = HD_VEC_INIT(struct hd_edge);
    p->cut = hd_calloc(w->n_threads, sizeof *p->cut);
    p->parked = hd_calloc(w->n_threads, 1);
    p->fresh_below = hd_calloc(w->n_threads, sizeof *p->fresh_below);
}

void hd_plan_fini(struct hd_plan *p)
{
    hd_free(p->cut, p->w->n_threads * sizeof *p->cut);
    hd_free(p->parked, p->w->n_threads);
    hd_free(p->fresh_below, p->w->n_threads * sizeof *p->fresh_below);
    hd_vec_fini(&p->edges);
    hd_u32vec_fini(&p->fresh);
}

/* Raises the cut of every thread to the clock; those with a stop can not move. */
static bool raise_to(struct hd_plan *p, const uint32_t *clock, hd_tid owner, bool *changed)
{
    for (hd_tid u = 0; u < p->w->n_threads; u++) {
        if (u == owner || clock[u] <= p->cut[u])
            continue;
        if (p->parked[u])
            return false;
        p->cut[u] = clock[u];
        *changed = true;
    }
    return true;
}

/* Adds e and what it needs, without the locks. */
static bool add_event(struct hd_plan *p, hd_eid e, bool *changed)
{
    const struct hd_trace *t = p->w->t;
    hd_tid u = t->thread[e];
    if (hd_plan_has(p, e))
        return true;
    if (p->parked[u])
        return false;
    p->cut[u] = t->pos[e] + 1;
    *changed = true;
    return raise_to(p, hd_must_clock(p->w->must, e), u, changed);
}

/* What `stop` holds stays held: a section of another thread that was begun must have been ended. */
static bool end_begun_sections(struct hd_plan *p, hd_eid stop, bool *changed)
{
    const struct hd_sections *s = p->w->sections;
    for (uint32_t n = hd_held(s, stop); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
        const struct hd_section *mine = hd_section_at(s, hd_held_at(s, n)->section);
        for (uint32_t i = s->user_start[mine->lock]; i < s->user_start[mine->lock + 1]; i++) {
            const struct hd_lock_user *user = hd_vec_at(&s->users, i);
            uint32_t id = hd_sections_open_at(s, user, p->cut[user->thread]);
            if (id == HD_SECTION_NONE || !hd_section_excludes(mine, hd_section_at(s, id)))
                continue;
            hd_eid close = hd_section_at(s, id)->close;
            if (close == HD_EID_NONE || !add_event(p, close, changed))
                return false;
        }
    }
    return true;
}

static bool close_plan(struct hd_plan *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < p->goal.n_stops; i++)
            if (!end_begun_sections(p, p->goal.stops[i], &changed))
                return false;
    }
    return true;
}

bool hd_plan_start(struct hd_plan *p, const struct hd_goal *goal)
{
    const struct hd_trace *t = p->w->t;
    size_t threads = p->w->n_threads;
    bool changed;
    p->goal = *goal;
    p->edges.len = 0;
    p->fresh.len = 0;
    p->unnotified = false;
    memset(p->cut, 0, threads * sizeof *p->cut);
    memset(p->parked, 0, threads);
    memset(p->fresh_below, 0, threads * sizeof *p->fresh_below);
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        p->cut[t->thread[goal->stops[i]]] = t->pos[goal->stops[i]];
        p->parked[t->thread[goal->stops[i]]] = 1;
    }
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        hd_eid needs = hd_goal_needs(t, goal, goal->stops[i]);
        if (needs != HD_EID_NONE &&
            !raise_to(p, hd_must_clock(p->w->must, needs), t->thread[needs], &changed))
            return false;
    }
    if (goal->then != HD_EID_NONE && !add_event(p, goal->then, &changed))
        return false;
    return close_plan(p) &&
           (goal->then == HD_EID_NONE || hd_plan_order(p, goal->first, goal->then));
}

bool hd_plan_include(struct hd_plan *p, hd_eid e)
{
    bool changed = false;
    if (!add_event(p, e, &changed))
        return false;
    return !changed || close_plan(p);
}

bool hd_plan_widen(struct hd_plan *p, hd_eid base)
{
    for (uint32_t i = 0; i < p->goal.n_stops; i++)
        HD_DCHECK(p->goal.stops[i] >= base);
    for (hd_tid u = 0; u < p->w->n_threads; u++) {
        uint32_t ran = hd_world_events_before(p->w, u, base);
        if (ran > p->cut[u])
            p->cut[u] = ran;
    }
    return close_plan(p);
}

bool hd_plan_order(struct hd_plan *p, hd_eid from, hd_eid to)
{
    HD_DCHECK(from < p->w->t->n_events && to < p->w->t->n_events);
    if (from == to || hd_world_before(p->w, to, from))
        return false;
    if (!hd_world_before(p->w, from, to))
        *(struct hd_edge *)hd_vec_push(&p->edges) = (struct hd_edge){from, to};
    return true;
}

void hd_plan_concrete(struct hd_plan *p, hd_eid w)
{
    const struct hd_trace *t = p->w->t;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    uint32_t *below = &p->fresh_below[t->thread[w]];
    uint32_t limit = t->pos[w] + (t->op[w] == HD_OP_RMW);
    if (deps.all && limit > *below)
        *below = limit;
    for (uint32_t i = 0; i < deps.n; i++)
        hd_u32vec_push(&p->fresh, hd_trace_back(t, w, deps.dist[i]));
}

bool hd_plan_needs(const struct hd_plan *p, hd_eid r)
{
    const struct hd_trace *t = p->w->t;
    hd_tid u = t->thread[r];
    uint32_t at = p->w->needed_at[r];
    if (at < p->cut[u] || (p->parked[u] && at == p->cut[u]) || t->pos[r] < p->fresh_below[u])
        return true;
    for (size_t i = 0; i < p->fresh.len; i++)
        if (p->fresh.data[i] == r)
            return true;
    return false;
}

void hd_plan_copy(struct hd_plan *to, const struct hd_plan *from)
{
    HD_DCHECK(to->w == from->w);
    size_t bytes = from->w->n_threads * sizeof *from->cut;
    to->goal = from->goal;
    to->unnotified = from->unnotified;
    memcpy(to->parked, from->parked, from->w->n_threads);
    memcpy(to->cut, from->cut, bytes);
    memcpy(to->fresh_below, from->fresh_below, bytes);
    hd_vec_reserve(&to->edges, from->edges.len);
    hd_u32vec_reserve(&to->fresh, from->fresh.len);
    to->edges.len = from->edges.len;
    to->fresh.len = from->fresh.len;
    if (from->edges.len)
        memcpy(to->edges.data, from->edges.data, from->edges.len * from->edges.size);
    if (from->fresh.len)
        memcpy(to->fresh.data, from->fresh.data, from->fresh.len * sizeof *from->fresh.data);
}
