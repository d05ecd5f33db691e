#include "predict/run/priced.h"

#include <stdlib.h>

uint64_t hd_priced_pair(const struct hd_world *w, hd_eid a, hd_eid b)
{
    const uint32_t *x = hd_must_clock(w->must, a), *y = hd_must_clock(w->must, b);
    uint64_t cost = (uint64_t)w->t->pos[a] + w->t->pos[b];
    for (hd_tid u = 0; u < w->n_threads; u++)
        cost += x[u] > y[u] ? x[u] : y[u];
    return cost;
}

static int by_cost(const void *x, const void *y)
{
    const struct hd_priced *p = x, *q = y;
    if (p->cost != q->cost)
        return p->cost < q->cost ? -1 : 1;
    return p->unit < q->unit ? -1 : p->unit > q->unit;
}

void hd_priced_order(struct hd_priced *list, size_t n, uint32_t *order)
{
    if (n)
        qsort(list, n, sizeof *list, by_cost);
    for (size_t i = 0; i < n; i++)
        order[i] = list[i].unit;
}
