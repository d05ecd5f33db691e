/* Where the forms of a race coincide (docs/MODEL.md section 8): what a trace must have for a pair
 * to stand alone without being simultaneous. */
#ifndef HD_PREDICT_ORDERS_COINCIDE_H
#define HD_PREDICT_ORDERS_COINCIDE_H

#include "predict/index/world.h"

/* No atomic access is weak, but on locations whose values nothing depends on. */
bool hd_coincide_by_atomics(const struct hd_world *w);

/* No try fails, no lock excludes only, and no notification can be spent on a thread that times out.
 */
bool hd_coincide_by_waits(const struct hd_trace *t);

#endif
