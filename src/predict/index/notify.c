#include "predict/index/notify.h"

#include "base/alloc.h"
#include "model/state.h"

/* A thread in a wait: when it leaves, as a rank (lower is notified first). */
struct waiter {
    bool waiting;
    uint32_t cond;
    uint64_t rank;
};

#define STAYS UINT32_MAX

/* Rank of each wait in the order: the index of its wake, STAYS, or beyond that for a time-out. */
static uint64_t rank_of(const struct hd_world *w, hd_eid wait, uint32_t leaves_at)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[wait];
    if (leaves_at == UINT32_MAX)
        return STAYS;
    hd_eid leave = hd_world_event(w, u, t->pos[wait] + 1);
    return t->op[leave] == HD_OP_WAKE ? leaves_at : (uint64_t)1 << 40;
}

static void choose(const struct hd_world *w, struct waiter *waiters, hd_eid sig,
                   struct hd_vec *wakes)
{
    struct waiter *best = NULL;
    for (hd_tid u = 0; u < w->n_threads; u++)
        if (waiters[u].waiting && waiters[u].cond == w->t->obj[sig] &&
            (!best || waiters[u].rank < best->rank))
            best = &waiters[u];
    if (!best)
        return;
    best->waiting = false;
    *(struct hd_wake *)hd_vec_push(wakes) = (struct hd_wake){sig, (hd_tid)(best - waiters)};
}

static void notify_all(const struct hd_world *w, struct waiter *waiters, uint32_t cond)
{
    for (hd_tid u = 0; u < w->n_threads; u++)
        if (waiters[u].cond == cond)
            waiters[u].waiting = false;
}

/* By wait event of the order: the index at which the thread leaves it, found by a backward walk. */
static uint32_t *find_leaves(const struct hd_world *w, const hd_eid *order, size_t n)
{
    const struct hd_trace *t = w->t;
    uint32_t *leaves = hd_alloc(n * sizeof *leaves);
    uint32_t *next = hd_alloc(w->n_threads * sizeof *next);
    for (hd_tid u = 0; u < w->n_threads; u++)
        next[u] = UINT32_MAX;
    for (size_t i = n; i-- > 0;) {
        leaves[i] = next[t->thread[order[i]]];
        next[t->thread[order[i]]] = (uint32_t)i;
    }
    hd_free(next, w->n_threads * sizeof *next);
    return leaves;
}

void hd_notify_choose(const struct hd_world *w, const hd_eid *order, size_t n, struct hd_vec *wakes)
{
    const struct hd_trace *t = w->t;
    if (!hd_trace_n_objs(t, HD_OBJ_COND))
        return;
    struct waiter *waiters = hd_calloc(w->n_threads, sizeof *waiters);
    uint32_t *leaves = find_leaves(w, order, n);
    for (size_t i = 0; i < n; i++) {
        hd_eid e = order[i];
        hd_tid u = t->thread[e];
        if (t->op[e] == HD_OP_WAIT)
            waiters[u] = (struct waiter){true, t->obj[e], rank_of(w, e, leaves[i])};
        else if (t->op[e] == HD_OP_WAKE || t->op[e] == HD_OP_TMO)
            waiters[u].waiting = false;
        else if (t->op[e] == HD_OP_SIG)
            choose(w, waiters, e, wakes);
        else if (t->op[e] == HD_OP_BCAST)
            notify_all(w, waiters, t->obj[e]);
    }
    hd_free(leaves, n * sizeof *leaves);
    hd_free(waiters, w->n_threads * sizeof *waiters);
}
