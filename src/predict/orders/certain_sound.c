/* Guards (predict/index/guards.h) exclude by values. They order by hb only if what opens a section
 * acquires and what closes it releases. Those that are semaphores order always, as all locks of the
 * trace do but exclusions. */
#include "predict/orders/certain_int.h"

#include "base/alloc.h"
#include "predict/index/guards.h"

#include <string.h>

/* Whether a plain access stands between two events of a thread, a before b. */
static bool touches(const struct hd_certain *c, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = c->t;
    for (uint32_t pos = t->pos[a] + 1; pos < t->pos[b]; pos++) {
        enum hd_op op = t->op[hd_world_event(c->w, t->thread[a], pos)];
        if (hd_op_is_access(op) && !hd_op_is_atomic(op))
            return true;
    }
    return false;
}

/* Does it acquire, itself or by a fence that follows before anything is accessed? */
static bool acquires(const struct hd_certain *c, hd_eid rmw)
{
    const struct hd_trace *t = c->t;
    hd_tid u = t->thread[rmw];
    if (hd_certain_order(t, rmw)->acquires)
        return true;
    for (uint32_t pos = t->pos[rmw] + 1; pos < hd_world_thread_len(c->w, u); pos++) {
        hd_eid e = hd_world_event(c->w, u, pos);
        if (t->op[e] == HD_OP_FENCE && hd_certain_order(t, e)->acquires)
            return true;
        if (hd_op_is_access(t->op[e]))
            return false;
    }
    return false;
}

/* A section of a guard that a write closes: that releases, all that opens acquires. What is under a
 * lock of the trace that orders is ordered by that. */
static bool closes_soundly(const struct hd_certain *c, hd_eid close)
{
    const struct hd_sections *s = c->w->sections;
    for (uint32_t n = hd_held(s, close); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
        uint32_t lock = hd_section_at(s, hd_held_at(s, n)->section)->lock;
        if (lock < s->n_real && c->sound[lock])
            return true;
    }
    hd_eid from = c->releases[close];
    return hd_op_is_access(c->t->op[close]) && from != HD_EID_NONE &&
           (from == close || !touches(c, from, close));
}

/* What is known of a guard from its sections so far. */
struct guard_kind {
    bool any, sound;
    bool stored; /* all are exclusive, and closed by stores of one value: who opens has read that */
    hd_eid close;
};

static void look_at_section(const struct hd_certain *c, const struct hd_section *x,
                            struct guard_kind *g)
{
    const struct hd_trace *t = c->t;
    if (x->close == HD_EID_NONE)
        return;
    if (t->op[x->close] == HD_OP_POST) { /* the next take is served by it (MODEL.md D26) */
        *g = (struct guard_kind){.any = true, .sound = true, .close = x->close};
        return;
    }
    bool stored = !x->shared && !x->several && t->op[x->close] == HD_OP_AWRITE;
    if (g->any)
        stored &= g->stored &&
                  hd_value_eq(hd_trace_write_value(t, g->close), hd_trace_write_value(t, x->close));
    bool sound = (!g->any || g->sound) && closes_soundly(c, x->close);
    *g = (struct guard_kind){true, sound, stored, x->close};
}

/* Does every rmw of the location that may open a section acquire? */
static bool opens_soundly(const struct hd_certain *c, const struct guard_kind *g)
{
    const struct hd_trace *t = c->t;
    size_t n;
    if (!hd_op_is_atomic(t->op[g->close]))
        return true; /* it is under a lock */
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOC, t->obj[g->close], &n);
    for (size_t i = 0; i < n; i++) {
        bool opens = t->op[events[i]] == HD_OP_RMW && c->w->needed_at[events[i]] != UINT32_MAX;
        if (opens && g->stored)
            opens =
                hd_value_eq(hd_trace_read_value(t, events[i]), hd_trace_write_value(t, g->close));
        if (opens && !acquires(c, events[i]))
            return false;
    }
    return true;
}

/* Every thread that uses the location, but the one that writes it here, is created after that. */
static bool comes_first(const struct hd_certain *c, hd_eid write)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(c->w->locs, c->t->obj[write], &n);
    for (size_t i = 0; i < n; i++)
        if (users[i].thread != c->t->thread[write] &&
            !hd_guard_made_after(c->t, users[i].thread, write))
            return false;
    return true;
}

/* The user's last rmw of the location, or HD_EID_NONE. */
static hd_eid last_update(const struct hd_certain *c, const struct hd_loc_user *user)
{
    const hd_eid *writes = c->w->locs->writes;
    for (uint32_t i = user->wend; i > user->wstart; i--)
        if (c->t->op[writes[i - 1]] == HD_OP_RMW)
            return writes[i - 1];
    return HD_EID_NONE;
}

/* Every rmw of the location must come before this write. */
static bool comes_last(const struct hd_certain *c, hd_eid write)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(c->w->locs, c->t->obj[write], &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid rmw = last_update(c, &users[i]);
        if (rmw != HD_EID_NONE && !hd_world_before(c->w, rmw, write))
            return false;
    }
    return true;
}

/* No section of the guard ends before the write and is followed, after it, by one of another thread
 * that is not ordered by its creation. */
static bool stands_aside(const struct hd_certain *c, hd_eid write)
{
    return comes_first(c, write) || comes_last(c, write);
}

/* Stores that close a section with nothing inside are not among the sections, and stand between
 * others all the same. */
static bool stores_soundly(const struct hd_certain *c, const struct guard_kind *g)
{
    const struct hd_trace *t = c->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOC, t->obj[g->close], &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid e = events[i];
        if (hd_op_writes(t->op[e]) && t->op[e] != HD_OP_RMW && !closes_soundly(c, e) &&
            !stands_aside(c, e))
            return false;
    }
    return true;
}

/* ---- guards that are only updated ---- */

/* But for what comes before all that other threads do there, or after: a constructor, a release of
 * the memory. */
static bool is_only_updated(const struct hd_certain *c, uint32_t loc)
{
    const struct hd_trace *t = c->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOC, loc, &n);
    for (size_t i = 0; i < n; i++)
        if (hd_op_writes(t->op[events[i]]) && t->op[events[i]] != HD_OP_RMW &&
            !stands_aside(c, events[i]))
            return false;
    return true;
}

/* The thread's last rmw of the location before its event e; HD_EID_NONE: there is none. */
static hd_eid update_before(const struct hd_certain *c, uint32_t loc, hd_eid e)
{
    const struct hd_trace *t = c->t;
    const struct hd_accesses *locs = c->w->locs;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, loc, &n);
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread != t->thread[e])
            continue;
        uint32_t low = users[i].start, high = users[i].end;
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (t->pos[locs->list[mid]] < t->pos[e])
                low = mid + 1;
            else
                high = mid;
        }
        while (low-- > users[i].start)
            if (t->op[locs->list[low]] == HD_OP_RMW)
                return locs->list[low];
    }
    return HD_EID_NONE;
}

/* Where each write of the location is an rmw, all that follow a release continue its sequence
 * (MODEL.md D22). So only those with which a thread enters a section have to acquire: the last one
 * before its first event, which is the one that opened it, or comes later. */
static void find_entered(const struct hd_certain *c, struct guard_kind *guards, bool *entered)
{
    const struct hd_sections *s = c->w->sections;
    size_t n = s->n_locks - s->n_real;
    for (size_t i = 0; i < n; i++)
        entered[i] = guards[i].any && hd_op_is_access(c->t->op[guards[i].close]) &&
                     is_only_updated(c, c->t->obj[guards[i].close]);
    for (size_t i = 0; i < s->list.len; i++) {
        const struct hd_section *x = hd_section_at(s, (uint32_t)i);
        size_t g = x->lock - s->n_real;
        if (x->lock < s->n_real || !entered[g])
            continue;
        hd_eid rmw = update_before(c, c->t->obj[guards[g].close], x->open);
        entered[g] = rmw != HD_EID_NONE && acquires(c, rmw);
    }
}

/* ---- all of them ---- */

/* All events of an exclusion have its order, so the first one shows it. */
static bool orders(const struct hd_trace *t, uint32_t lock)
{
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOCK, lock, &n);
    return !n || !hd_trace_excludes_only(t, events[0]);
}

void hd_certain_find_sound(struct hd_certain *c)
{
    const struct hd_sections *s = c->w->sections;
    size_t n = s->n_locks - s->n_real;
    struct guard_kind *guards = hd_calloc(n, sizeof *guards);
    bool *entered = hd_calloc(n, sizeof *entered);
    memset(c->sound, 1, s->n_locks);
    for (uint32_t l = 0; l < s->n_real; l++)
        c->sound[l] = orders(c->t, l);
    for (size_t i = 0; i < s->list.len; i++) {
        const struct hd_section *x = hd_section_at(s, (uint32_t)i);
        if (x->lock >= s->n_real)
            look_at_section(c, x, &guards[x->lock - s->n_real]);
    }
    find_entered(c, guards, entered);
    for (size_t i = 0; i < n; i++)
        c->sound[s->n_real + i] = guards[i].any && guards[i].sound &&
                                  (entered[i] || c->t->op[guards[i].close] == HD_OP_POST ||
                                   (opens_soundly(c, &guards[i]) && stores_soundly(c, &guards[i])));
    hd_free(entered, n * sizeof *entered);
    hd_free(guards, n * sizeof *guards);
}
