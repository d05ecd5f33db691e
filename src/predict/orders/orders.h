/* Unordered races (docs/MODEL.md section 8), after the simultaneous ones are known: what the
 * happens-before of the observed order leaves unordered, each with a schedule that model/ accepts.
 * docs/algorithms/orders.md has the steps and their proofs. */
#ifndef HD_PREDICT_ORDERS_ORDERS_H
#define HD_PREDICT_ORDERS_ORDERS_H

#include "predict/run/predict.h"

/* Adds to the result of hd_predict. spots as in hd_world: what counts as the place of an event, or
 * NULL. */
void hd_predict_orders(const struct hd_trace *t, const struct hd_predict_options *options,
                       const uint32_t *spots, struct hd_prediction *result);

#endif
