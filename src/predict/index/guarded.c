#include "predict/index/guarded.h"

#include "base/alloc.h"

/* How many held locks of an event are looked at, innermost first. */
enum { LOOK_LIMIT = 8 };

static hd_eid first_fork(const struct hd_trace *t)
{
    hd_eid first = HD_EID_NONE;
    size_t roots = 0;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++) {
        size_t n;
        hd_trace_thread_events(t, u, &n);
        roots += n && t->fork_of[u] == HD_EID_NONE;
        if (t->fork_of[u] != HD_EID_NONE && t->fork_of[u] < first)
            first = t->fork_of[u];
    }
    return roots == 1 && first != HD_EID_NONE ? first : 0;
}

/* Threads that have ended, if `u` has joined those on the list: these, and those that they joined.
 */
static void join_all(const struct hd_trace *t, hd_tid u, uint8_t *over, struct hd_u32vec *list)
{
    hd_u32vec_push(list, u);
    while (list->len) {
        size_t n;
        hd_tid v = list->data[--list->len];
        const hd_eid *events = hd_trace_thread_events(t, v, &n);
        for (size_t i = 0; !over[v] && i < n; i++)
            if (t->op[events[i]] == HD_OP_JOIN)
                hd_u32vec_push(list, t->obj[events[i]]);
        over[v] = 1;
    }
}

/* Only the thread of the last event can have joined all others. */
static hd_eid last_join(const struct hd_trace *t)
{
    size_t threads = hd_trace_n_threads(t), n = 0, left = 0, at = 0;
    uint8_t *over = hd_calloc(threads, 1);
    struct hd_u32vec list = {0};
    hd_tid last = t->n_events ? t->thread[t->n_events - 1] : 0;
    const hd_eid *events = t->n_events ? hd_trace_thread_events(t, last, &n) : NULL;
    for (hd_tid u = 0; u < threads; u++) {
        size_t some;
        hd_trace_thread_events(t, u, &some);
        over[u] = !some || u == last;
        left += !over[u];
    }
    for (; events && left && at < n; at++) {
        if (t->op[events[at]] != HD_OP_JOIN)
            continue;
        join_all(t, t->obj[events[at]], over, &list);
        left = 0;
        for (hd_tid u = 0; u < threads; u++)
            left += !over[u];
    }
    hd_eid end = left || !at || at == n ? (hd_eid)t->n_events : events[at];
    hd_u32vec_fini(&list);
    hd_free(over, threads);
    return end;
}

struct hd_stretch hd_guarded_span(const struct hd_trace *t)
{
    return (struct hd_stretch){first_fork(t), last_join(t)};
}

uint32_t hd_guarded_section(const struct hd_sections *x, hd_eid e, uint32_t lock)
{
    int looked = 0;
    for (uint32_t n = hd_held(x, e); n != HD_HELD_EMPTY && looked < LOOK_LIMIT;
         n = hd_held_at(x, n)->next, looked++) {
        uint32_t id = hd_held_at(x, n)->section;
        if (hd_section_at(x, id)->lock == lock && !hd_section_at(x, id)->shared)
            return id + 1;
    }
    return 0;
}

/* Locks that some accesses were all made under. */
struct common {
    uint32_t locks[4], n;
    bool any; /* an access was seen */
};

/* Of these locks, those that e was made under as well. */
static void keep_held(struct common *c, const struct hd_sections *x, hd_eid e)
{
    uint32_t kept = 0;
    int looked = 0;
    if (c->any && !c->n)
        return;
    for (uint32_t h = hd_held(x, e);
         !c->any && h != HD_HELD_EMPTY && looked < LOOK_LIMIT && c->n < 4;
         h = hd_held_at(x, h)->next, looked++)
        c->locks[c->n++] = hd_section_at(x, hd_held_at(x, h)->section)->lock;
    c->any = true;
    for (uint32_t l = 0; l < c->n; l++)
        if (hd_guarded_section(x, e, c->locks[l]))
            c->locks[kept++] = c->locks[l];
    c->n = kept;
}

uint32_t hd_guarded_locks(const struct hd_accesses *locs, const struct hd_sections *x, uint32_t loc,
                          struct hd_stretch span, uint32_t locks[4])
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, loc, &n);
    struct common c = {.n = 0};
    for (size_t i = 0; i < n; i++)
        for (uint32_t w = users[i].wstart; w < users[i].wend && (c.n || !c.any); w++)
            if (hd_stretch_has(span, locs->writes[w]))
                keep_held(&c, x, locs->writes[w]);
    for (uint32_t l = 0; l < c.n; l++)
        locks[l] = c.locks[l];
    return c.n;
}

bool hd_guarded_not(const struct hd_accesses *locs, const struct hd_sections *x, uint32_t loc,
                    struct hd_stretch span)
{
    size_t n, threads = 0;
    const struct hd_loc_user *users = hd_accesses_users(locs, loc, &n);
    struct common c = {.n = 0};
    bool written = false;
    for (size_t i = 0; i < n; i++) {
        bool used = false;
        for (uint32_t a = users[i].start; a < users[i].end; a++) {
            if (!hd_stretch_has(span, locs->list[a]))
                continue;
            used = true;
            written |= hd_op_writes(x->t->op[locs->list[a]]);
            keep_held(&c, x, locs->list[a]);
        }
        threads += used;
    }
    return threads > 1 && written && !c.n;
}

bool hd_guarded_first(const struct hd_trace *t, uint32_t loc, struct hd_stretch span,
                      struct hd_value *value)
{
    size_t n;
    const hd_eid *list = hd_trace_obj_events(t, HD_OBJ_LOC, loc, &n);
    bool known = t->loc_init[loc].how != HD_INIT_UNKNOWN;
    *value = t->loc_init[loc].value;
    for (size_t i = 0; i < n && list[i] < span.from; i++)
        if (hd_op_writes(t->op[list[i]])) {
            *value = hd_trace_write_value(t, list[i]);
            known = true;
        }
    return known;
}

bool hd_guarded_depends(const struct hd_trace *t, hd_eid w, hd_eid r)
{
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    for (uint32_t i = 0; i < deps.n; i++)
        if (hd_trace_back(t, w, deps.dist[i]) == r)
            return true;
    return deps.all;
}
