#include "detect/published/causal.h"

#include "base/alloc.h"

struct hd_causal_pass {
    struct hd_stamp hb, known;
    struct hd_clock *before;
    uint32_t left; /* edges that still need it */
};

struct hd_causal_lock {
    struct hd_clock *write; /* at the last write release, or NULL */
    struct hd_clock *reads; /* at read releases since, joined, or NULL */
};

static void aim(struct hd_causal *c)
{
    const struct hd_edges *edges = c->edges;
    c->to = c->next_edge < edges->n ? edges->edge[c->next_edge].to : HD_EID_NONE;
    c->from = c->next_source < edges->n_sources ? edges->source[c->next_source] : HD_EID_NONE;
}

void hd_causal_init(struct hd_causal *c, const struct hd_trace *t, const struct hd_edges *edges)
{
    size_t threads = hd_trace_n_threads(t), locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    *c = (struct hd_causal){.t = t, .edges = edges};
    hd_clock_pool_init(&c->pool, threads);
    c->thread = hd_calloc(threads, sizeof *c->thread);
    struct hd_clock *zero = hd_clock_new(&c->pool);
    for (size_t u = 0; u < threads; u++)
        c->thread[u] = (struct hd_causal_thread){
            .hb = hd_clock_get(zero), .before = hd_clock_get(zero), .known = hd_clock_get(zero)};
    hd_clock_put(&c->pool, zero);
    c->lock = hd_calloc(locks, sizeof *c->lock);
    c->lock_before = hd_calloc(locks, sizeof *c->lock_before);
    c->store = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *c->store);
    c->pass = hd_calloc(edges->n_sources, sizeof *c->pass);
    for (size_t i = 0; i < edges->n_sources; i++)
        c->pass[i].left = edges->uses[i];
    aim(c);
}

static void pass_clear(struct hd_causal *c, struct hd_causal_pass *p)
{
    hd_stamp_clear(&c->pool, &p->hb);
    hd_stamp_clear(&c->pool, &p->known);
    hd_clock_put(&c->pool, p->before);
    p->before = NULL;
}

void hd_causal_fini(struct hd_causal *c)
{
    const struct hd_trace *t = c->t;
    size_t threads = hd_trace_n_threads(t), locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    for (size_t u = 0; u < threads; u++) {
        hd_clock_put(&c->pool, c->thread[u].hb);
        hd_clock_put(&c->pool, c->thread[u].before);
        hd_clock_put(&c->pool, c->thread[u].known);
    }
    hd_free(c->thread, threads * sizeof *c->thread);
    for (size_t l = 0; l < locks; l++) {
        hd_lock_clock_fini(&c->lock[l], &c->pool);
        hd_clock_put(&c->pool, c->lock_before[l].write);
        hd_clock_put(&c->pool, c->lock_before[l].reads);
    }
    hd_free(c->lock, locks * sizeof *c->lock);
    hd_free(c->lock_before, locks * sizeof *c->lock_before);
    for (size_t x = 0; x < locs; x++)
        pass_clear(c, &c->store[x]);
    hd_free(c->store, locs * sizeof *c->store);
    for (size_t i = 0; i < c->edges->n_sources; i++)
        pass_clear(c, &c->pass[i]);
    hd_free(c->pass, c->edges->n_sources * sizeof *c->pass);
    hd_clock_pool_fini(&c->pool);
}

/* A weak order that passes through happens-before. The thread's own entry counts too: an event may
 * weakly precede a later one of its own thread by way of another, and this is handed on. */
static void join_before(struct hd_causal *c, hd_tid u, const struct hd_clock *from)
{
    struct hd_causal_thread *th = &c->thread[u];
    if (!from || !hd_clock_join_clock(&c->pool, &th->before, HD_MAX_THREADS + 1, from))
        return;
    th->version += hd_clock_join_clock(&c->pool, &th->known, u, from);
}

static void take(struct hd_causal *c, hd_tid u, const struct hd_causal_pass *p)
{
    struct hd_causal_thread *th = &c->thread[u];
    hd_clock_join(&c->pool, &th->hb, u, &p->hb);
    th->version += hd_clock_join(&c->pool, &th->known, u, &p->known);
    join_before(c, u, p->before);
}

static void give(struct hd_causal *c, hd_eid e, struct hd_causal_pass *p)
{
    hd_tid u = c->t->thread[e];
    struct hd_causal_thread *th = &c->thread[u];
    uint32_t tick = c->t->pos[e] + 1;
    hd_stamp_set(&c->pool, &p->hb, th->hb, u, tick);
    hd_stamp_set(&c->pool, &p->known, th->known, u, tick);
    hd_clock_get(th->before);
    hd_clock_put(&c->pool, p->before);
    p->before = th->before;
}

static bool is_acquire(enum hd_op op)
{
    return op == HD_OP_ACQ || op == HD_OP_RACQ || op == HD_OP_WAKE || op == HD_OP_TMO;
}

static bool is_release(enum hd_op op)
{
    return op == HD_OP_REL || op == HD_OP_RREL || op == HD_OP_WAIT;
}

void hd_causal_enter(struct hd_causal *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    hd_tid u = t->thread[e];
    while (c->to == e) {
        struct hd_causal_pass *p = &c->pass[c->edges->slot[c->next_edge++]];
        take(c, u, p);
        if (--p->left == 0)
            pass_clear(c, p);
        aim(c);
    }
    if (t->op[e] == HD_OP_AREAD || t->op[e] == HD_OP_RMW) {
        take(c, u, &c->store[t->obj[e]]);
    } else if (is_acquire(t->op[e])) {
        uint32_t l = hd_trace_lock(t, e);
        bool write = t->op[e] != HD_OP_RACQ;
        hd_lock_clock_acquire(&c->lock[l], &c->pool, &c->thread[u].hb, u, write);
        join_before(c, u, c->lock_before[l].write);
        if (write)
            join_before(c, u, c->lock_before[l].reads);
    }
}

static void release(struct hd_causal *c, hd_eid e, bool write)
{
    hd_tid u = c->t->thread[e];
    uint32_t l = hd_trace_lock(c->t, e);
    struct hd_causal_lock *before = &c->lock_before[l];
    struct hd_causal_thread *th = &c->thread[u];
    hd_lock_clock_release(&c->lock[l], &c->pool, th->hb, u, c->t->pos[e] + 1, write);
    if (write) {
        hd_clock_get(th->before);
        hd_clock_put(&c->pool, before->write);
        hd_clock_put(&c->pool, before->reads);
        *before = (struct hd_causal_lock){.write = th->before};
    } else if (!before->reads) {
        before->reads = hd_clock_get(th->before);
    } else {
        hd_clock_join_clock(&c->pool, &before->reads, HD_MAX_THREADS + 1, th->before);
    }
}

void hd_causal_leave(struct hd_causal *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    enum hd_op op = t->op[e];
    if (op == HD_OP_AWRITE || op == HD_OP_RMW)
        give(c, e, &c->store[t->obj[e]]);
    else if (op == HD_OP_WRITE && c->store[t->obj[e]].before)
        pass_clear(c, &c->store[t->obj[e]]);
    else if (is_release(op))
        release(c, e, op != HD_OP_RREL);
    if (c->from == e) {
        give(c, e, &c->pass[c->next_source++]);
        aim(c);
    }
}

bool hd_causal_follow(struct hd_causal *c, hd_tid u, const struct hd_stamp *s)
{
    struct hd_causal_thread *th = &c->thread[u];
    if (!hd_clock_join(&c->pool, &th->before, u, s))
        return false;
    /* Not by the stamp: the event may be known without its happens-before past. */
    th->version += hd_clock_join_clock(&c->pool, &th->known, u, th->before);
    return true;
}
