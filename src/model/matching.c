#include "model/matching.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <stdlib.h>

/* A waiter, by how soon it should be chosen: a smaller key first. */
struct waiter {
    uint64_t key;
    hd_eid leave; /* its wake or tmo, or HD_EID_NONE */
    hd_tid thread;
    bool times_out;
};

static struct waiter waiter_of(const struct hd_trace *t, hd_eid wait)
{
    const uint64_t after_all = UINT64_C(1) << 32;
    struct waiter w = {.key = after_all, .leave = HD_EID_NONE, .thread = t->thread[wait]};
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, w.thread, &n);
    if (t->pos[wait] + 1 == n)
        return w;
    w.leave = events[t->pos[wait] + 1];
    w.times_out = t->op[w.leave] == HD_OP_TMO;
    w.key = w.times_out ? 2 * after_all - w.leave : w.leave;
    return w;
}

/* The waiting set of one condition, as a binary heap. */
static void push(struct hd_vec *heap, struct waiter w)
{
    hd_vec_push(heap);
    struct waiter *h = heap->data;
    size_t i = heap->len - 1;
    for (; i > 0 && h[(i - 1) / 2].key > w.key; i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = w;
}

static struct waiter pop(struct hd_vec *heap)
{
    struct waiter *h = heap->data, top = h[0], w = h[--heap->len];
    size_t i = 0, n = heap->len;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && h[child + 1].key < h[child].key)
            child++;
        if (h[child].key >= w.key)
            break;
        h[i] = h[child];
    }
    if (n)
        h[i] = w;
    return top;
}

static void match_sig(struct hd_matching *m, struct hd_vec *heap, hd_eid sig)
{
    while (heap->len) {
        struct waiter w = pop(heap);
        /* One that has timed out by now left the set then. */
        if (w.times_out && w.leave < sig)
            continue;
        if (m->n == m->cap) {
            size_t cap = m->cap ? 2 * m->cap : 16;
            m->wakes = hd_realloc(m->wakes, m->cap * sizeof *m->wakes, cap * sizeof *m->wakes);
            m->cap = cap;
        }
        m->wakes[m->n++] = (struct hd_wake){sig, w.thread};
        return;
    }
}

static int by_sig(const void *a, const void *b)
{
    hd_eid x = ((const struct hd_wake *)a)->sig, y = ((const struct hd_wake *)b)->sig;
    return x < y ? -1 : x > y;
}

void hd_matching_check(const struct hd_trace *t, struct hd_matching *m)
{
    *m = (struct hd_matching){0};
    struct hd_vec heap = HD_VEC_INIT(struct waiter);
    for (uint32_t c = 0; c < hd_trace_n_objs(t, HD_OBJ_COND); c++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, c, &n);
        heap.len = 0;
        for (size_t i = 0; i < n; i++) {
            if (t->op[events[i]] == HD_OP_WAIT)
                push(&heap, waiter_of(t, events[i]));
            else if (t->op[events[i]] == HD_OP_SIG)
                match_sig(m, &heap, events[i]);
            else if (t->op[events[i]] == HD_OP_BCAST)
                heap.len = 0;
        }
    }
    hd_vec_fini(&heap);
    if (m->n)
        qsort(m->wakes, m->n, sizeof *m->wakes, by_sig);
}

void hd_matching_fini(struct hd_matching *m)
{
    hd_free(m->wakes, m->cap * sizeof *m->wakes);
    *m = (struct hd_matching){0};
}

hd_tid hd_matching_woken(const struct hd_matching *m, hd_eid sig)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (m->wakes[mid].sig < sig)
            low = mid + 1;
        else
            high = mid;
    }
    return low < m->n && m->wakes[low].sig == sig ? m->wakes[low].thread : HD_TID_NONE;
}
