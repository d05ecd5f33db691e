/* Which waiter each sig of a given order notifies.
 *
 * The same choice as for the observed order (model/matching.h shows why it is the best one): the
 * waiter that wakes first in this order, then one that stays in its wait, last one that times out.
 */
#ifndef HD_PREDICT_INDEX_NOTIFY_H
#define HD_PREDICT_INDEX_NOTIFY_H

#include "predict/index/world.h"

/* Appends a struct hd_wake to wakes for each sig of the order that meets a waiter. */
void hd_notify_choose(const struct hd_world *w, const hd_eid *order, size_t n,
                      struct hd_vec *wakes);

#endif
