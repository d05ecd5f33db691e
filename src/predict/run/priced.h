/* Units of work in the order of their price. */
#ifndef HD_PREDICT_RUN_PRICED_H
#define HD_PREDICT_RUN_PRICED_H

#include "predict/index/world.h"

struct hd_priced {
    uint64_t cost;
    uint32_t unit;
};

/* What the solver will cost for a candidate of these events, by guess: how many must run. */
uint64_t hd_priced_events(const struct hd_world *w, const hd_eid *events, size_t n);

/* The units, the cheapest first, then by number. Sorts the list. */
void hd_priced_order(struct hd_priced *list, size_t n, uint32_t *order);

#endif
