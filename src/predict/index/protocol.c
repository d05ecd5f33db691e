#include "predict/index/protocol_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/sort.h"
#include "base/stop.h"
#include "predict/index/guards_int.h"

/* Limits of a protocol: what has more is none, or has too many states. */
enum { MOST_LOCS = 48, MOST_LOCKS = 8, MOST_THREADS = 12, MOST_VALUES = 64 };

struct hd_protocols {
    struct hd_vec list; /* struct hd_protocol */
    size_t states;      /* that are left for those to come */
    size_t most;        /* that one may have */
    bool cut;           /* one had more */
};

/* A location that may be part of a protocol, and the lock that all its writes are made under. */
struct site {
    uint32_t lock; /* HD_SECTION_NONE: there is none */
    uint32_t loc;
};

/* ---- which locations ---- */

/* The write comes before all other threads that use the location are made. */
static bool comes_first(const struct hd_world *w, const struct hd_loc_user *users, size_t n,
                        hd_eid e)
{
    for (size_t i = 0; i < n; i++)
        if (users[i].thread != w->t->thread[e] && !hd_guard_made_after(w->t, users[i].thread, e))
            return false;
    return true;
}

static bool holds(const struct hd_sections *s, hd_eid e, uint32_t lock)
{
    for (uint32_t n = hd_held(s, e); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, n)->section);
        if (x->lock == lock && !x->shared)
            return true;
    }
    return false;
}

/* A lock that is held at every write of the location but the first ones. */
static uint32_t lock_of(const struct hd_world *w, const struct hd_loc_user *users, size_t n)
{
    struct hd_u32vec locks = {0};
    const struct hd_sections *s = w->sections;
    bool begun = false;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = users[i].wstart; k < users[i].wend && (!begun || locks.len); k++) {
            hd_eid e = w->locs->writes[k];
            size_t kept = 0;
            if (comes_first(w, users, n, e))
                continue;
            for (uint32_t h = hd_held(s, e); h != HD_HELD_EMPTY && !begun;
                 h = hd_held_at(s, h)->next) {
                const struct hd_section *x = hd_section_at(s, hd_held_at(s, h)->section);
                if (x->lock < s->n_real)
                    hd_u32vec_push(&locks, x->lock);
            }
            begun = true;
            for (size_t l = 0; l < locks.len; l++)
                if (holds(s, e, locks.data[l]))
                    locks.data[kept++] = locks.data[l];
            locks.len = kept;
        }
    uint32_t lock = locks.len ? locks.data[0] : HD_SECTION_NONE;
    hd_u32vec_fini(&locks);
    return lock;
}

static bool add_value(struct hd_value *values, size_t *n, struct hd_value v)
{
    size_t i = 0;
    while (i < *n && !hd_value_eq(values[i], v))
        i++;
    if (i == *n && *n < MOST_VALUES)
        values[(*n)++] = v;
    return i < MOST_VALUES;
}

/* Several threads use it, it takes few values, and something depends on one that was read. */
static bool is_site(const struct hd_world *w, const struct hd_loc_user *users, size_t n)
{
    const struct hd_trace *t = w->t;
    struct hd_value values[MOST_VALUES];
    size_t n_values = 0;
    bool matters = false, written = false;
    if (n < 2 || n > MOST_THREADS)
        return false;
    for (size_t i = 0; i < n; i++) {
        written |= users[i].wend > users[i].wstart;
        for (uint32_t k = users[i].start; k < users[i].end; k++) {
            hd_eid e = w->locs->list[k];
            if (hd_op_reads(t->op[e]) && !add_value(values, &n_values, hd_trace_read_value(t, e)))
                return false;
            if (hd_op_writes(t->op[e]) && !add_value(values, &n_values, hd_trace_write_value(t, e)))
                return false;
            matters |= hd_op_reads(t->op[e]) && w->needed_at[e] != UINT32_MAX;
        }
    }
    return matters && written;
}

static int by_lock(const void *a, const void *b, void *arg)
{
    const struct site *x = a, *y = b;
    (void)arg;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    return x->loc < y->loc ? -1 : x->loc > y->loc;
}

static void find_sites(const struct hd_world *w, struct hd_vec *sites)
{
    for (uint32_t loc = 0; loc < hd_trace_n_objs(w->t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++) {
        size_t n;
        const struct hd_loc_user *users = hd_accesses_users(w->locs, loc, &n);
        if (is_site(w, users, n))
            *(struct site *)hd_vec_push(sites) = (struct site){lock_of(w, users, n), loc};
    }
    hd_sort(sites->data, sites->len, sites->size, by_lock, NULL);
}

/* ---- protocols ---- */

static void protocol_fini(struct hd_protocol *p)
{
    size_t nodes = p->nodes.records.len;
    for (size_t i = 0; i < p->threads.len; i++) {
        struct hd_protocol_thread *u = hd_vec_at(&p->threads, i);
        hd_u32vec_fini(&u->events);
        hd_u32vec_fini(&u->moves);
        hd_u32vec_fini(&u->nodes);
        hd_u32vec_fini(&u->reach);
    }
    hd_vec_fini(&p->threads);
    for (size_t i = 0; i < p->locs.len && p->values; i++)
        hd_vec_fini(&p->values[i]);
    hd_free(p->values, p->values ? p->locs.len * sizeof *p->values : 0);
    hd_free(p->edge_start, p->edge_start ? (nodes + 1) * sizeof *p->edge_start : 0);
    hd_free(p->edge_list, p->edge_list ? p->edges.records.len * sizeof *p->edge_list : 0);
    hd_free(p->together, p->together ? (nodes * nodes + 63) / 64 * sizeof *p->together : 0);
    hd_u32vec_fini(&p->settled);
    hd_u32vec_fini(&p->locs);
    hd_u32vec_fini(&p->locks);
    hd_u32vec_fini(&p->loc_locks);
    hd_intern_fini(&p->moves);
    hd_intern_fini(&p->nodes);
    hd_intern_fini(&p->edges);
}

/* Tries the locations of these sites together. */
static void try_sites(struct hd_protocols *ps, const struct hd_world *w, const struct site *sites,
                      size_t n, unsigned memory)
{
    struct hd_protocol p = {.w = w};
    if (ps->list.len == HD_PROTOCOLS_MOST || n > MOST_LOCS)
        return;
    for (size_t i = 0; i < n; i++) {
        hd_u32vec_push(&p.locs, sites[i].loc);
        hd_u32vec_push(&p.loc_locks, sites[i].lock);
        if (sites[i].lock != HD_SECTION_NONE && (!i || sites[i - 1].lock != sites[i].lock))
            hd_u32vec_push(&p.locks, sites[i].lock);
    }
    size_t limit = ps->states < ps->most ? ps->states : ps->most, left = limit;
    bool made =
        p.locks.len <= MOST_LOCKS && hd_protocol_make(&p, memory) && p.threads.len <= MOST_THREADS;
    if (made && !hd_protocol_explore(&p, &left)) {
        made = false;
        ps->cut = true;
    }
    ps->states -= limit - left;
    HD_DEBUG_LINE(PREDICT,
                  "protocol: %zu locations, %zu locks, %zu threads, memory %u, %zu nodes, %zu "
                  "edges, %zu states%s",
                  p.locs.len, p.locks.len, p.threads.len, memory, p.nodes.records.len,
                  p.edges.records.len, limit - left, made ? "" : ", dropped");
    if (made)
        *(struct hd_protocol *)hd_vec_push(&ps->list) = p;
    else
        protocol_fini(&p);
}

struct hd_protocols *hd_protocols_new(const struct hd_world *w, size_t states, size_t most)
{
    struct hd_protocols *ps = hd_calloc(1, sizeof *ps);
    struct hd_vec sites = HD_VEC_INIT(struct site);
    size_t parts = 0;
    ps->list = HD_VEC_INIT(struct hd_protocol);
    ps->states = states;
    ps->most = most;
    find_sites(w, &sites);
    for (unsigned memory = 1; memory <= 3; memory += 2) {
        parts = 0;
        for (size_t i = 0, end; i < sites.len && hd_stop_now() == HD_STOP_NO; i = end, parts++) {
            const struct site *first = hd_vec_at(&sites, i);
            for (end = i + 1; end < sites.len && first[end - i].lock == first->lock;)
                end++;
            try_sites(ps, w, first, end - i, memory);
        }
        if (parts > 1 && hd_stop_now() == HD_STOP_NO)
            try_sites(ps, w, sites.data, sites.len, memory);
    }
    hd_vec_fini(&sites);
    return ps;
}

void hd_protocols_free(struct hd_protocols *ps)
{
    if (!ps)
        return;
    for (size_t i = 0; i < ps->list.len; i++)
        protocol_fini(hd_vec_at(&ps->list, i));
    hd_vec_fini(&ps->list);
    hd_free(ps, sizeof *ps);
}

bool hd_protocols_cut(const struct hd_protocols *ps)
{
    return ps->cut;
}

/* ---- questions ---- */

/* The number of the thread's events in the protocol before position pos. */
static size_t events_before(const struct hd_trace *t, const struct hd_protocol_thread *u,
                            uint32_t pos)
{
    size_t lo = 0, hi = u->events.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->pos[u->events.data[mid]] < pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The node of the thread of e while e is its next event; none when it may be doomed there. */
static uint32_t stand_in(const struct hd_protocol *p, hd_eid e)
{
    const struct hd_trace *t = p->w->t;
    const struct hd_protocol_thread *u = NULL;
    for (size_t i = 0; i < p->threads.len && !u; i++) {
        const struct hd_protocol_thread *x = hd_vec_at(&p->threads, i);
        u = x->thread == t->thread[e] ? x : NULL;
    }
    if (!u)
        return HD_NODE_NONE;
    size_t n = events_before(t, u, t->pos[e]);
    for (size_t i = n > HD_PROTOCOL_REACH ? n - HD_PROTOCOL_REACH - 1 : 0; i < n; i++)
        if (u->reach.data[i] != UINT32_MAX && p->w->needed_at[u->events.data[i]] > t->pos[e])
            return HD_NODE_NONE;
    return n ? u->nodes.data[n - 1] : u->start;
}

void hd_protocols_stand(const struct hd_protocols *ps, hd_eid e, struct hd_stand *stand)
{
    for (size_t i = 0; i < ps->list.len; i++)
        stand->node[i] = stand_in(hd_vec_at(&ps->list, i), e);
}

bool hd_protocols_apart(const struct hd_protocols *ps, const struct hd_stand *a,
                        const struct hd_stand *b)
{
    for (size_t i = 0; i < ps->list.len; i++) {
        const struct hd_protocol *p = hd_vec_at(&ps->list, i);
        if (a->node[i] == HD_NODE_NONE || b->node[i] == HD_NODE_NONE)
            continue;
        size_t bit = a->node[i] * p->nodes.records.len + b->node[i];
        if (!(p->together[bit / 64] >> bit % 64 & 1))
            return true;
    }
    return false;
}
