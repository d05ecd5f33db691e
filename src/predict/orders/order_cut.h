/* A schedule for an unordered pair: of the observed order only what the two accesses need.
 *
 * The part is closed under program order, the edges of detect/edges.h, reads-from, and the ends of
 * earlier sections of each lock; so it is a schedule (docs/algorithms/detectors.md), and its
 * happens-before is that of the observed order. */
#ifndef HD_PREDICT_ORDERS_ORDER_CUT_H
#define HD_PREDICT_ORDERS_ORDER_CUT_H

#include "detect/edges.h"
#include "model/matching.h"
#include "model/witness.h"

struct hd_order_cut {
    const struct hd_trace *t;
    struct hd_edges edges;
    struct hd_matching matching;
    uint32_t *need;    /* by thread: so many first events */
    uint8_t *wanted;   /* by location: the write before is needed */
    uint8_t *releases; /* by lock: 1 the last release, 2 also those of readers */
};

void hd_order_cut_init(struct hd_order_cut *c, const struct hd_trace *t);
void hd_order_cut_fini(struct hd_order_cut *c);

/* The witness that ends in b. Requires a < b. Costs O(b). */
struct hd_witness hd_order_cut_make(struct hd_order_cut *c, hd_eid a, hd_eid b);

#endif
