#include "predict/index/world_check.h"

#ifdef HD_DEBUG

#include "base/alloc.h"

/* The events of a user, or those of them that give: of its thread, in program order. */
static void check_events(const struct hd_trace *t, const hd_eid *events, uint32_t from, uint32_t to,
                         hd_tid thread)
{
    for (uint32_t i = from; i < to; i++) {
        HD_ASSERT(t->thread[events[i]] == thread);
        HD_ASSERT(i == from || t->pos[events[i - 1]] < t->pos[events[i]]);
    }
}

/* The users of each object are different threads and have all its events between them. */
static void check_accesses(const struct hd_accesses *a)
{
    const struct hd_index *index = &a->t->by_obj[a->kind];
    for (uint32_t obj = 0; obj < hd_trace_n_objs(a->t, a->kind); obj++) {
        size_t n;
        uint32_t next = index->start[obj];
        const struct hd_loc_user *users = hd_accesses_users(a, obj, &n);
        for (size_t i = 0; i < n; i++) {
            HD_ASSERT(users[i].start == next && users[i].start < users[i].end);
            HD_ASSERT(!i || users[i - 1].thread < users[i].thread);
            HD_ASSERT(users[i].wend - users[i].wstart <= users[i].end - users[i].start);
            check_events(a->t, a->list, users[i].start, users[i].end, users[i].thread);
            check_events(a->t, a->writes, users[i].wstart, users[i].wend, users[i].thread);
            next = users[i].end;
        }
        HD_ASSERT(next == index->start[obj + 1]);
    }
}

/* The sections in `open` that are closed before e leave it; the others exclude nothing of s. */
static void check_apart(const struct hd_sections *x, struct hd_u32vec *open,
                        const struct hd_section *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < open->len; i++) {
        const struct hd_section *other = hd_section_at(x, open->data[i]);
        if (other->close < s->open)
            continue;
        HD_ASSERT(!hd_section_excludes(other, s));
        open->data[kept++] = open->data[i];
    }
    open->len = kept;
}

/* Sections that exclude each other never overlapped: those of locks, and those that guards.c,
 * tallies.c and tokens.c have concluded from values. */
static void check_sections(const struct hd_sections *x)
{
    struct hd_u32vec *open = hd_calloc(x->n_locks, sizeof *open);
    hd_eid before = 0;
    for (uint32_t i = 0; i < x->list.len; i++) {
        const struct hd_section *s = hd_section_at(x, i);
        HD_ASSERT(before <= s->open && s->lock < x->n_locks);
        HD_ASSERT(x->t->thread[s->open] == s->thread);
        HD_ASSERT(s->close == HD_EID_NONE ||
                  (s->open < s->close && x->t->thread[s->close] == s->thread));
        check_apart(x, &open[s->lock], s);
        hd_u32vec_push(&open[s->lock], i);
        before = s->open;
    }
    for (size_t i = 0; i < x->n_locks; i++)
        hd_u32vec_fini(&open[i]);
    hd_free(open, x->n_locks * sizeof *open);
}

/* What an event holds is a section of its thread that is open there. */
static void check_held(const struct hd_sections *x)
{
    for (hd_eid e = 0; e < x->t->n_events; e++)
        for (uint32_t n = hd_held(x, e); n != HD_HELD_EMPTY; n = hd_held_at(x, n)->next) {
            const struct hd_section *s = hd_section_at(x, hd_held_at(x, n)->section);
            HD_ASSERT(s->thread == x->t->thread[e] && s->open <= e && e <= s->close);
        }
}

/* All that the clock of an event asks for has run before it. */
static void check_clock(const struct hd_world *w, const uint32_t *clock, hd_eid e)
{
    for (hd_tid u = 0; u < w->n_threads; u++)
        if (u != w->t->thread[e] && clock[u])
            HD_ASSERT(clock[u] <= hd_world_thread_len(w, u) &&
                      hd_world_event(w, u, clock[u] - 1) < e);
}

static void check_must(const struct hd_world *w)
{
    const struct hd_must *m = w->must;
    for (hd_eid e = 0; e < w->t->n_events; e++) {
        const uint32_t *fresh = hd_must_fresh(m, e);
        if (!hd_must_same(m, e))
            check_clock(w, hd_must_clock(m, e), e);
        if (fresh)
            check_clock(w, fresh, e);
    }
}

/* Of a counter for a while: the stores up to its begin, and what the thread of its end writes from
 * there on. */
static bool is_link(const struct hd_trace *t, const struct hd_counter *c, hd_eid e)
{
    bool early = c->begin != HD_EID_NONE && t->thread[e] == t->thread[c->begin] && e <= c->begin;
    bool late = c->end != HD_EID_NONE && t->thread[e] == t->thread[c->end] && e >= c->end;
    return !early && !late;
}

/* Every write of a counter stores the initial value and all that was added since. Links behind the
 * end of a counter for a while have another value before them. */
static void check_counter(const struct hd_world *w, uint32_t loc, const struct hd_counter *c)
{
    const struct hd_index *index = &w->t->by_obj[HD_OBJ_LOC];
    int64_t up = 0, down = 0, now = c->base;
    for (uint32_t i = index->start[loc]; i < index->start[loc + 1]; i++) {
        hd_eid e = index->list[i];
        if (!hd_op_writes(w->t->op[e]))
            continue;
        int64_t step = (int64_t)(hd_trace_write_value(w->t, e).bits - (uint64_t)now);
        bool link = is_link(w->t, c, e);
        if (link && c->end != HD_EID_NONE && e > c->end)
            return;
        up += link && step > 0 ? step : 0;
        down += link && step < 0 ? -step : 0;
        now += step;
    }
    HD_ASSERT(up == c->all.up && down == c->all.down);
}

void hd_world_check(const struct hd_world *w)
{
    check_accesses(w->locs);
    check_accesses(w->conds);
    check_accesses(w->sems);
    check_accesses(w->barriers);
    check_sections(w->sections);
    check_held(w->sections);
    check_must(w);
    for (uint32_t loc = 0; loc < w->counters->n_locs; loc++)
        if (w->counters->of[loc])
            check_counter(w, loc, hd_counter_of(w->counters, loc));
}

#endif
