#include "predict/run/priced.h"

#include <stdlib.h>

uint64_t hd_priced_events(const struct hd_world *w, const hd_eid *events, size_t n)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < n; i++)
        cost += w->t->pos[events[i]];
    for (hd_tid u = 0; u < w->n_threads; u++) {
        uint32_t most = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t before = hd_must_clock(w->must, events[i])[u];
            most = before > most ? before : most;
        }
        cost += most;
    }
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
