#include "detect/edges.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "model/matching.h"

#include <stdlib.h>

struct waiter {
    hd_tid thread;
    hd_eid wait;
};

struct reader {
    hd_tid thread;
    uint32_t depth;
    hd_eid acq;
};

struct lock_state {
    hd_eid acq; /* outermost acquire of the owner, or HD_EID_NONE */
    hd_tid owner;
    uint32_t depth;
    struct hd_vec readers; /* struct reader */
};

struct barrier_state {
    uint64_t arrived;
    hd_eid completion;      /* of the last complete round */
    struct hd_u32vec round; /* arrivals of the open round */
};

struct work {
    const struct hd_trace *t;
    struct hd_edges *edges;
    bool memory; /* see hd_edges_init_memory */
    struct hd_matching matching;
    size_t next_sig;
    struct lock_state *lock;
    struct hd_vec *waiters;  /* by condition: struct waiter */
    hd_eid *notified_by;     /* by thread: who ended its wait */
    uint32_t *wait_depth;    /* by thread */
    struct hd_u32vec *posts; /* by semaphore */
    uint64_t *takes;         /* by semaphore */
    struct barrier_state *barrier;
    hd_eid *completion; /* by thread: completion of the round it arrived for; NONE while open */
};

static void add(struct work *w, hd_eid from, hd_eid to)
{
    struct hd_edges *edges = w->edges;
    if (from == HD_EID_NONE || from >= to || w->t->thread[from] == w->t->thread[to])
        return;
    if (edges->n == edges->cap) {
        size_t cap = edges->cap ? edges->cap * 2 : 64;
        edges->edge =
            hd_realloc(edges->edge, edges->cap * sizeof *edges->edge, cap * sizeof *edges->edge);
        edges->cap = cap;
    }
    edges->edge[edges->n++] = (struct hd_order_edge){to, from};
}

static void acquire(struct work *w, hd_eid e, uint32_t depth)
{
    struct lock_state *l = &w->lock[hd_trace_lock(w->t, e)];
    if (l->depth && l->owner == w->t->thread[e]) {
        l->depth += depth;
        return;
    }
    *l = (struct lock_state){e, w->t->thread[e], depth, l->readers};
}

static uint32_t release(struct work *w, hd_eid e, bool all)
{
    struct lock_state *l = &w->lock[hd_trace_lock(w->t, e)];
    uint32_t depth = l->depth;
    if (!depth || l->owner != w->t->thread[e])
        return 0;
    l->depth = all ? 0 : depth - 1;
    return depth;
}

static struct reader *find_reader(const struct lock_state *l, hd_tid u)
{
    for (size_t i = 0; i < l->readers.len; i++) {
        struct reader *r = hd_vec_at(&l->readers, i);
        if (r->thread == u)
            return r;
    }
    return NULL;
}

static void read_acquire(struct work *w, hd_eid e)
{
    struct lock_state *l = &w->lock[w->t->obj[e]];
    struct reader *r = find_reader(l, w->t->thread[e]);
    if (r) {
        r->depth++;
        return;
    }
    r = hd_vec_push(&l->readers);
    *r = (struct reader){w->t->thread[e], 1, e};
}

static void read_release(struct work *w, hd_eid e)
{
    struct lock_state *l = &w->lock[w->t->obj[e]];
    struct reader *r = find_reader(l, w->t->thread[e]);
    if (!r || --r->depth)
        return;
    *r = *(struct reader *)hd_vec_at(&l->readers, --l->readers.len);
}

static void try_failed(struct work *w, hd_eid e)
{
    const struct lock_state *l = &w->lock[w->t->obj[e]];
    hd_tid self = w->t->thread[e];
    if (l->depth && l->owner != self) {
        add(w, l->acq, e);
        return;
    }
    hd_eid first = HD_EID_NONE;
    for (size_t i = 0; i < l->readers.len; i++) {
        const struct reader *r = hd_vec_at(&l->readers, i);
        if (r->thread != self && r->acq < first)
            first = r->acq;
    }
    add(w, first, e);
}

static void wait_begin(struct work *w, hd_eid e)
{
    hd_tid u = w->t->thread[e];
    struct waiter *x = hd_vec_push(&w->waiters[w->t->obj[e]]);
    *x = (struct waiter){u, e};
    w->wait_depth[u] = release(w, e, true);
    w->notified_by[u] = HD_EID_NONE;
}

/* Takes thread u out of the waiting set of a condition; its wait, or HD_EID_NONE. */
static hd_eid leave(struct work *w, uint32_t cond, hd_tid u)
{
    struct hd_vec *set = &w->waiters[cond];
    for (size_t i = 0; i < set->len; i++) {
        struct waiter x = *(struct waiter *)hd_vec_at(set, i);
        if (x.thread != u)
            continue;
        *(struct waiter *)hd_vec_at(set, i) = *(struct waiter *)hd_vec_at(set, --set->len);
        return x.wait;
    }
    return HD_EID_NONE;
}

static void wait_end(struct work *w, hd_eid e)
{
    hd_tid u = w->t->thread[e];
    leave(w, w->t->obj[e], u);
    if (w->t->op[e] == HD_OP_WAKE)
        add(w, w->notified_by[u], e);
    acquire(w, e, w->wait_depth[u] ? w->wait_depth[u] : 1);
}

static void notify_one(struct work *w, hd_eid e)
{
    const struct hd_matching *m = &w->matching;
    while (w->next_sig < m->n && m->wakes[w->next_sig].sig < e)
        w->next_sig++;
    if (w->next_sig == m->n || m->wakes[w->next_sig].sig != e)
        return;
    hd_tid u = m->wakes[w->next_sig].thread;
    hd_eid wait = leave(w, w->t->obj[e], u);
    if (wait == HD_EID_NONE)
        return;
    if (!w->memory)
        add(w, wait, e);
    w->notified_by[u] = e;
}

static void notify_all(struct work *w, hd_eid e)
{
    struct hd_vec *set = &w->waiters[w->t->obj[e]];
    for (size_t i = 0; i < set->len; i++)
        w->notified_by[((struct waiter *)hd_vec_at(set, i))->thread] = e;
    set->len = 0;
}

static void take(struct work *w, hd_eid e)
{
    uint32_t s = w->t->obj[e];
    uint64_t k = w->takes[s]++, init = w->t->sem_init[s];
    if (k >= init && k - init < w->posts[s].len)
        add(w, w->posts[s].data[k - init], e);
}

static void arrive(struct work *w, hd_eid e)
{
    struct barrier_state *b = &w->barrier[w->t->obj[e]];
    w->completion[w->t->thread[e]] = HD_EID_NONE;
    hd_u32vec_push(&b->round, e);
    if (++b->arrived % w->t->barrier_size[w->t->obj[e]])
        return;
    for (size_t i = 0; i < b->round.len; i++) {
        add(w, b->round.data[i], e);
        w->completion[w->t->thread[b->round.data[i]]] = e;
    }
    add(w, b->completion, e);
    b->completion = e;
    b->round.len = 0;
}

static void fork_and_join(struct work *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    if (t->pos[e] == 0)
        add(w, t->fork_of[t->thread[e]], e);
    if (t->op[e] == HD_OP_JOIN) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, t->obj[e], &n);
        add(w, n ? events[n - 1] : HD_EID_NONE, e);
    }
}

static void sync_step(struct work *w, hd_eid e)
{
    switch (w->t->op[e]) {
    case HD_OP_ACQ:
        acquire(w, e, 1);
        break;
    case HD_OP_REL:
        release(w, e, false);
        break;
    case HD_OP_RACQ:
        read_acquire(w, e);
        break;
    case HD_OP_RREL:
        read_release(w, e);
        break;
    case HD_OP_TRYFAIL:
        if (!w->memory)
            try_failed(w, e);
        break;
    case HD_OP_WAIT:
        wait_begin(w, e);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        wait_end(w, e);
        break;
    case HD_OP_SIG:
        notify_one(w, e);
        break;
    case HD_OP_BCAST:
        notify_all(w, e);
        break;
    case HD_OP_POST:
        hd_u32vec_push(&w->posts[w->t->obj[e]], e);
        break;
    case HD_OP_SEM:
        take(w, e);
        break;
    case HD_OP_BARIN:
        if (!w->memory)
            arrive(w, e);
        break;
    case HD_OP_BAROUT:
        add(w, w->completion[w->t->thread[e]], e);
        break;
    default:
        break;
    }
}

static void work_init(struct work *w, const struct hd_trace *t)
{
    size_t threads = hd_trace_n_threads(t), conds = hd_trace_n_objs(t, HD_OBJ_COND);
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK), sems = hd_trace_n_objs(t, HD_OBJ_SEM);
    size_t barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    w->lock = hd_calloc(locks, sizeof *w->lock);
    for (size_t i = 0; i < locks; i++)
        w->lock[i].readers = HD_VEC_INIT(struct reader);
    w->waiters = hd_calloc(conds, sizeof *w->waiters);
    for (size_t i = 0; i < conds; i++)
        w->waiters[i] = HD_VEC_INIT(struct waiter);
    w->notified_by = hd_calloc(threads, sizeof *w->notified_by);
    w->wait_depth = hd_calloc(threads, sizeof *w->wait_depth);
    w->completion = hd_calloc(threads, sizeof *w->completion);
    for (size_t u = 0; u < threads; u++)
        w->notified_by[u] = w->completion[u] = HD_EID_NONE;
    w->posts = hd_calloc(sems, sizeof *w->posts);
    w->takes = hd_calloc(sems, sizeof *w->takes);
    w->barrier = hd_calloc(barriers, sizeof *w->barrier);
    for (size_t i = 0; i < barriers; i++)
        w->barrier[i].completion = HD_EID_NONE;
    if (conds)
        hd_matching_check(t, &w->matching);
}

static void work_fini(struct work *w)
{
    const struct hd_trace *t = w->t;
    size_t threads = hd_trace_n_threads(t), conds = hd_trace_n_objs(t, HD_OBJ_COND);
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK), sems = hd_trace_n_objs(t, HD_OBJ_SEM);
    size_t barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    for (size_t i = 0; i < locks; i++)
        hd_vec_fini(&w->lock[i].readers);
    hd_free(w->lock, locks * sizeof *w->lock);
    for (size_t i = 0; i < conds; i++)
        hd_vec_fini(&w->waiters[i]);
    hd_free(w->waiters, conds * sizeof *w->waiters);
    hd_free(w->notified_by, threads * sizeof *w->notified_by);
    hd_free(w->wait_depth, threads * sizeof *w->wait_depth);
    hd_free(w->completion, threads * sizeof *w->completion);
    for (size_t i = 0; i < sems; i++)
        hd_u32vec_fini(&w->posts[i]);
    hd_free(w->posts, sems * sizeof *w->posts);
    hd_free(w->takes, sems * sizeof *w->takes);
    for (size_t i = 0; i < barriers; i++)
        hd_u32vec_fini(&w->barrier[i].round);
    hd_free(w->barrier, barriers * sizeof *w->barrier);
    if (conds)
        hd_matching_fini(&w->matching);
}

static int by_eid(const void *x, const void *y)
{
    hd_eid a = *(const hd_eid *)x, b = *(const hd_eid *)y;
    return a < b ? -1 : a > b;
}

static void index_sources(struct hd_edges *edges)
{
    edges->source = hd_alloc(edges->cap * sizeof *edges->source);
    edges->uses = hd_calloc(edges->cap, sizeof *edges->uses);
    edges->slot = hd_alloc(edges->cap * sizeof *edges->slot);
    for (size_t i = 0; i < edges->n; i++)
        edges->source[i] = edges->edge[i].from;
    if (edges->n)
        qsort(edges->source, edges->n, sizeof *edges->source, by_eid);
    for (size_t i = 0; i < edges->n; i++)
        if (!i || edges->source[i] != edges->source[edges->n_sources - 1])
            edges->source[edges->n_sources++] = edges->source[i];
    for (size_t i = 0; i < edges->n; i++) {
        hd_eid *at = bsearch(&edges->edge[i].from, edges->source, edges->n_sources,
                             sizeof *edges->source, by_eid);
        edges->slot[i] = (uint32_t)(at - edges->source);
        edges->uses[edges->slot[i]]++;
    }
}

static void find_edges(struct hd_edges *edges, const struct hd_trace *t, bool memory)
{
    *edges = (struct hd_edges){0};
    struct work w = {.t = t, .edges = edges, .memory = memory};
    work_init(&w, t);
    for (size_t i = 0; i < t->n_events; i++) {
        hd_eid e = (hd_eid)i;
        if (t->pos[e] == 0 || t->op[e] == HD_OP_JOIN)
            fork_and_join(&w, e);
        if (t->op[e] > HD_OP_BRANCH)
            sync_step(&w, e);
    }
    work_fini(&w);
    index_sources(edges);
}

void hd_edges_init(struct hd_edges *edges, const struct hd_trace *t)
{
    find_edges(edges, t, false);
}

void hd_edges_init_memory(struct hd_edges *edges, const struct hd_trace *t)
{
    find_edges(edges, t, true);
}

void hd_edges_fini(struct hd_edges *edges)
{
    hd_free(edges->edge, edges->cap * sizeof *edges->edge);
    hd_free(edges->source, edges->cap * sizeof *edges->source);
    hd_free(edges->uses, edges->cap * sizeof *edges->uses);
    hd_free(edges->slot, edges->cap * sizeof *edges->slot);
    *edges = (struct hd_edges){0};
}

static void aim(struct hd_relay *r)
{
    const struct hd_edges *edges = r->edges;
    r->to = r->next_edge < edges->n ? edges->edge[r->next_edge].to : HD_EID_NONE;
    r->from = r->next_source < edges->n_sources ? edges->source[r->next_source] : HD_EID_NONE;
}

void hd_relay_init(struct hd_relay *r, const struct hd_edges *edges, struct hd_clock_pool *pool)
{
    *r = (struct hd_relay){.edges = edges, .pool = pool};
    r->stamp = hd_calloc(edges->n_sources, sizeof *r->stamp);
    r->left = hd_alloc(edges->n_sources * sizeof *r->left);
    for (size_t i = 0; i < edges->n_sources; i++)
        r->left[i] = edges->uses[i];
    aim(r);
}

void hd_relay_fini(struct hd_relay *r)
{
    for (size_t i = 0; i < r->edges->n_sources; i++)
        hd_stamp_clear(r->pool, &r->stamp[i]);
    hd_free(r->stamp, r->edges->n_sources * sizeof *r->stamp);
    hd_free(r->left, r->edges->n_sources * sizeof *r->left);
}

bool hd_relay_take_now(struct hd_relay *r, struct hd_clock **c, hd_tid self)
{
    bool changed = false;
    hd_eid e = r->to;
    while (r->to == e) {
        uint32_t slot = r->edges->slot[r->next_edge];
        changed |= hd_clock_join(r->pool, c, self, &r->stamp[slot]);
        if (--r->left[slot] == 0)
            hd_stamp_clear(r->pool, &r->stamp[slot]);
        r->next_edge++;
        aim(r);
    }
    return changed;
}

void hd_relay_give_now(struct hd_relay *r, struct hd_clock *c, hd_tid self, uint32_t tick)
{
    hd_stamp_set(r->pool, &r->stamp[r->next_source++], c, self, tick);
    aim(r);
}
