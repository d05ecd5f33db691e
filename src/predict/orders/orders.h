/* Unordered races (docs/MODEL.md section 8), after the simultaneous ones are known: what the
 * happens-before of the observed order leaves unordered, each with a schedule that model/ accepts.
 * docs/algorithms/orders.md has the steps and their proofs. */
#ifndef HD_PREDICT_ORDERS_ORDERS_H
#define HD_PREDICT_ORDERS_ORDERS_H

#include "base/hash.h"
#include "predict/index/world.h"
#include "predict/run/predict.h"

/* Adds to the result of hd_predict, which began at `started`. owners: which shard has which pair of
 * places, the smaller first; others are the first shard's. */
void hd_orders_predict(const struct hd_world *w, const struct hd_predict_options *options,
                       const struct hd_map *owners, double started, struct hd_prediction *result);

#endif
