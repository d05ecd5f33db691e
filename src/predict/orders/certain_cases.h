/* Pairs that certain.h leaves open: is one of them before the other by hb+ in every schedule that
 * runs both? What a schedule runs forces more than what it must: a read may have a source that
 * hands nothing on, but not once the other access has run (docs/algorithms/orders.md, "Cases").
 */
#ifndef HD_PREDICT_ORDERS_CERTAIN_CASES_H
#define HD_PREDICT_ORDERS_CERTAIN_CASES_H

#include "model/matching.h"
#include "predict/orders/certain.h"

struct hd_cases;

/* Both outlive it. */
struct hd_cases *hd_cases_new(struct hd_certain *c, const struct hd_matching *matching);
void hd_cases_free(struct hd_cases *k);

/* Whether all schedules that run b, and a or an earlier access of its thread to the same location
 * from the same place, order the two by hb+. False: that is not known, or the work for all
 * questions together is used up. Requires that a is open with b, and before it in the trace. */
bool hd_cases_ordered(struct hd_cases *k, hd_eid a, hd_eid b);

#endif
