#include "trace/trace_head.h"

#include "base/alloc.h"

/* How many of the ascending entries are below n. */
static uint32_t below(const hd_eid *list, uint32_t len, size_t n)
{
    uint32_t lo = 0, hi = len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (list[mid] < n)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct hd_index head_of(const struct hd_index *all, size_t n)
{
    struct hd_index index = {.count = all->count};
    uint32_t sum = 0;
    index.start = hd_alloc((all->count + 1) * sizeof *index.start);
    for (size_t i = 0; i < all->count; i++) {
        index.start[i] = sum;
        sum += below(all->list + all->start[i], all->start[i + 1] - all->start[i], n);
    }
    index.start[all->count] = sum;
    index.list = hd_alloc(sum * sizeof *index.list);
    for (size_t i = 0; i < all->count; i++)
        for (uint32_t k = index.start[i]; k < index.start[i + 1]; k++)
            index.list[k] = all->list[all->start[i] + k - index.start[i]];
    return index;
}

void hd_trace_head_make(const struct hd_trace *t, size_t n, struct hd_trace *head)
{
    size_t threads = hd_trace_n_threads(t);
    HD_ASSERT(n <= t->n_events);
    *head = *t;
    head->n_events = n;
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++)
        head->by_obj[kind] = head_of(&t->by_obj[kind], n);
    head->fork_of = hd_alloc(threads * sizeof *head->fork_of);
    for (size_t u = 0; u < threads; u++)
        head->fork_of[u] = t->fork_of[u] < n ? t->fork_of[u] : HD_EID_NONE;
}

void hd_trace_head_fini(struct hd_trace *head)
{
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++) {
        struct hd_index *index = &head->by_obj[kind];
        hd_free(index->list, index->start[index->count] * sizeof *index->list);
        hd_free(index->start, (index->count + 1) * sizeof *index->start);
    }
    hd_free(head->fork_of, hd_trace_n_threads(head) * sizeof *head->fork_of);
}
