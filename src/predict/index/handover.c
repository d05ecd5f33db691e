#include "predict/index/handover.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/stop.h"
#include "predict/index/world.h"
#include "trace/skeleton.h"

#include <string.h>

#define ROUNDS 16      /* of leaving out locations */
#define PAIRS  1048576 /* of accesses to one location that are looked at one by one */
#define GROUPS 128     /* sets of locks under which one location is accessed */
#define DATA   16      /* locations of a block that may race: what else it holds may, too */

struct hd_handover {
    const struct hd_trace *from;
    struct hd_trace *t; /* without the locations that order nothing */
    struct hd_world *world;
    uint32_t *before;        /* by event of from: events of its thread before it that are in t */
    hd_eid *join_of;         /* by thread: the event of t that joins it, or HD_EID_NONE */
    uint8_t *drop;           /* by location of from */
    struct hd_names blocks;  /* of which locations were found that may race */
    struct hd_u32vec racing; /* by block: how many */
};

/* ---- what makes happens-before and the must-order differ ---- */

/* A condition with signals, time-outs and waits of several threads: a wake may stand for a time-out
 * that nothing ordered. */
static bool has_loose_wait(const struct hd_trace *t, uint32_t cond)
{
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, cond, &n);
    bool sig = false, tmo = false, several = false;
    hd_tid waiter = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        enum hd_op op = t->op[events[i]];
        sig |= op == HD_OP_SIG;
        tmo |= op == HD_OP_TMO;
        if (op != HD_OP_WAIT)
            continue;
        several |= waiter != UINT32_MAX && waiter != t->thread[events[i]];
        waiter = t->thread[events[i]];
    }
    return sig && tmo && several;
}

/* ---- locations that may race ---- */

struct group {
    uint32_t lockset; /* id, 0: none */
    struct hd_u32vec events;
};

static bool conflict(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    return t->thread[a] != t->thread[b] && (hd_op_writes(t->op[a]) || hd_op_writes(t->op[b])) &&
           !(hd_op_is_atomic(t->op[a]) && hd_op_is_atomic(t->op[b]));
}

static bool ordered(const struct hd_world *w, hd_eid a, hd_eid b)
{
    return hd_world_before(w, a, b) || hd_world_before(w, b, a);
}

/* Two accesses by different threads. False: one thread made them all. */
static bool two_threads(const struct hd_trace *t, const struct group *x, const struct group *y,
                        hd_eid *a, hd_eid *b)
{
    *a = x->events.data[0];
    for (size_t k = 0; k < y->events.len; k++)
        if (t->thread[ *b = y->events.data[k]] != t->thread[*a])
            return true;
    for (size_t i = 0; i < x->events.len; i++)
        if (t->thread[ *a = x->events.data[i]] != t->thread[*b])
            return true;
    return false;
}

/* Can no two accesses, one of each group, be enabled together? */
static bool apart(const struct hd_world *w, const struct group *x, const struct group *y,
                  size_t *budget)
{
    hd_eid a = 0, b = 0;
    if (!two_threads(w->t, x, y, &a, &b))
        return true;
    /* Exclusion is a matter of the two sets of locks, for threads that differ. */
    if (x->lockset && y->lockset && hd_sections_exclude(w->sections, a, b))
        return true;
    for (size_t i = 0; i < x->events.len; i++) {
        for (size_t k = 0; k < y->events.len; k++) {
            if (!--*budget)
                return false;
            a = x->events.data[i];
            b = y->events.data[k];
            if (conflict(w->t, a, b) && !ordered(w, a, b))
                return false;
        }
    }
    return true;
}

static struct group *group_of(struct group *groups, size_t *n, uint32_t lockset)
{
    for (size_t i = 0; i < *n; i++)
        if (groups[i].lockset == lockset)
            return &groups[i];
    if (*n == GROUPS)
        return NULL;
    groups[*n] = (struct group){.lockset = lockset};
    return &groups[(*n)++];
}

static bool holds(const struct hd_sections *s, hd_eid e, uint32_t lock)
{
    uint32_t node = hd_held(s, e);
    while (node != HD_HELD_EMPTY) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, node)->section);
        if (x->lock == lock && !x->shared)
            return true;
        node = hd_held_at(s, node)->next;
    }
    return false;
}

/* Whether one lock is held at all of them. */
static bool one_lock(const struct hd_sections *s, const hd_eid *events, size_t n)
{
    for (uint32_t node = n ? hd_held(s, events[0]) : HD_HELD_EMPTY; node != HD_HELD_EMPTY;
         node = hd_held_at(s, node)->next) {
        const struct hd_section *x = hd_section_at(s, hd_held_at(s, node)->section);
        size_t i = 0;
        while (!x->shared && i < n && holds(s, events[i], x->lock))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* Do locks and the must-order keep all conflicting accesses of the location apart? */
static bool is_safe(const struct hd_world *w, uint32_t loc)
{
    struct group groups[GROUPS];
    size_t n, n_groups = 0, budget = PAIRS;
    const hd_eid *events = hd_trace_obj_events(w->t, HD_OBJ_LOC, loc, &n);
    bool safe = true, atomic = true;
    for (size_t i = 0; i < n; i++)
        atomic &= hd_op_is_atomic(w->t->op[events[i]]);
    if (atomic || one_lock(w->sections, events, n))
        return true;
    for (size_t i = 0; safe && i < n; i++) {
        struct group *g = group_of(groups, &n_groups, hd_sections_lockset(w->sections, events[i]));
        safe = g != NULL;
        if (safe)
            hd_u32vec_push(&g->events, events[i]);
    }
    for (size_t i = 0; safe && i < n_groups; i++)
        for (size_t k = i; safe && k < n_groups; k++)
            safe = apart(w, &groups[i], &groups[k], &budget);
    for (size_t i = 0; i < n_groups; i++)
        hd_u32vec_fini(&groups[i].events);
    return safe;
}

/* ---- rounds ---- */

static void drop_world(struct hd_handover *h)
{
    hd_world_free(h->world);
    hd_trace_free(h->t);
    h->world = NULL;
    h->t = NULL;
}

/* The location of h->t as one of h->from. */
static uint32_t named(const struct hd_handover *h, uint32_t loc)
{
    const struct hd_names *names = &h->t->objs[HD_OBJ_LOC];
    uint32_t id = 0;
    bool found = hd_names_find(&h->from->objs[HD_OBJ_LOC], hd_names_text(names, loc),
                               hd_names_len(names, loc), &id);
    HD_ASSERT(found);
    return id;
}

/* How much of a location's name is that of its block, "heap#7" of "heap#7+12"; 0: it is in none. */
static size_t block_of(const struct hd_trace *t, uint32_t loc, const char **name)
{
    *name = hd_trace_obj_name(t, HD_OBJ_LOC, loc);
    const char *plus = strrchr(*name, '+');
    return plus ? (size_t)(plus - *name) : 0;
}

static void note_race(struct hd_handover *h, uint32_t loc)
{
    const char *name;
    size_t len = block_of(h->from, loc, &name);
    h->drop[loc] = 1;
    if (!len)
        return;
    uint32_t block = hd_names_add(&h->blocks, name, len);
    while (h->racing.len <= block)
        hd_u32vec_push(&h->racing, 0);
    h->racing.data[block]++;
}

/* A block with so many of them holds data, not what hands data over. Its other locations would be
 * found one after the other, as less and less is ordered: a round for each few of them. */
static void drop_blocks(struct hd_handover *h)
{
    for (uint32_t x = 0; x < hd_trace_n_objs(h->from, HD_OBJ_LOC); x++) {
        const char *name;
        uint32_t block;
        size_t len = block_of(h->from, x, &name);
        if (len && hd_names_find(&h->blocks, name, len, &block) && h->racing.data[block] >= DATA)
            h->drop[x] = 1;
    }
}

/* Without what is dropped so far. False: it has to be done again, or nothing can be said. */
static bool try_round(struct hd_handover *h, bool *again)
{
    struct hd_err err = {0};
    size_t dropped = 0;
    *again = false;
    if (hd_skeleton_trace(h->from, h->drop, &h->t, h->before, &err) != HD_OK)
        return false;
    h->world = hd_world_new(h->t);
    if (hd_stop_now() != HD_STOP_NO || !h->world->must)
        return false;
    for (uint32_t x = 0; x < hd_trace_n_objs(h->t, HD_OBJ_LOC); x++) {
        if (is_safe(h->world, x))
            continue;
        note_race(h, named(h, x));
        dropped++;
        HD_DEBUG_LINE(PREDICT, "accesses to %s may race", hd_trace_obj_name(h->t, HD_OBJ_LOC, x));
    }
    HD_DEBUG_LINE(PREDICT, "order of points: %zu events, %zu locations may race", h->t->n_events,
                  dropped);
    if (dropped)
        drop_blocks(h);
    *again = dropped > 0;
    return !dropped;
}

static bool settle(struct hd_handover *h)
{
    const struct hd_trace *t = h->from;
    for (uint32_t c = 0; c < hd_trace_n_objs(t, HD_OBJ_COND); c++)
        if (has_loose_wait(t, c))
            return false;
    for (hd_eid e = 0; e < t->n_events; e++)
        if (hd_op_is_access(t->op[e]) && hd_mem_order_is_weak(t->op[e], hd_trace_order(t, e)))
            h->drop[t->obj[e]] = 1;
    bool again = true, done = false;
    for (unsigned i = 0; i < ROUNDS && again && !done; i++) {
        drop_world(h);
        done = try_round(h, &again);
    }
    if (!done)
        return false;
    for (hd_eid e = 0; e < h->t->n_events; e++)
        if (h->t->op[e] == HD_OP_JOIN)
            h->join_of[h->t->obj[e]] = e;
    return true;
}

struct hd_handover *hd_handover_new(const struct hd_trace *skeleton, const uint8_t *drop)
{
    struct hd_handover *h = hd_calloc(1, sizeof *h);
    size_t threads = hd_trace_n_threads(skeleton), locs = hd_trace_n_objs(skeleton, HD_OBJ_LOC);
    h->from = skeleton;
    h->before = hd_alloc(skeleton->n_events * sizeof *h->before);
    h->join_of = hd_alloc(threads * sizeof *h->join_of);
    memset(h->join_of, 0xff, threads * sizeof *h->join_of);
    h->drop = hd_calloc(locs, 1);
    if (drop && locs)
        memcpy(h->drop, drop, locs);
    if (settle(h))
        return h;
    hd_handover_free(h);
    return NULL;
}

void hd_handover_free(struct hd_handover *h)
{
    if (!h)
        return;
    drop_world(h);
    hd_free(h->before, h->from->n_events * sizeof *h->before);
    hd_free(h->join_of, hd_trace_n_threads(h->from) * sizeof *h->join_of);
    hd_free(h->drop, hd_trace_n_objs(h->from, HD_OBJ_LOC));
    hd_names_fini(&h->blocks);
    hd_u32vec_fini(&h->racing);
    hd_free(h, sizeof *h);
}

/* How many of the thread's first n events are in h->t. */
static uint32_t kept(const struct hd_handover *h, hd_tid u, uint32_t n)
{
    size_t all;
    const hd_eid *events = hd_trace_thread_events(h->from, u, &all);
    return n < all ? h->before[events[n]] : hd_world_thread_len(h->world, u);
}

bool hd_handover_before(const struct hd_handover *h, hd_tid u, uint32_t n, hd_tid v, uint32_t m)
{
    if (u == v)
        return n <= m;
    uint32_t first = kept(h, u, n), second = kept(h, v, m);
    /* What the thread has run when it comes to (v, m): its last event, or its creation. */
    hd_eid last = second ? hd_world_event(h->world, v, second - 1) : h->t->fork_of[v];
    if (last == HD_EID_NONE)
        return false;
    hd_eid next = first < hd_world_thread_len(h->world, u) ? hd_world_event(h->world, u, first)
                                                           : h->join_of[u];
    return next != HD_EID_NONE && (next == last || hd_world_before(h->world, next, last));
}
