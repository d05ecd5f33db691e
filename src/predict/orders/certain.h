/* What happens before an event in every schedule, with memory orders (docs/MODEL.md section 8).
 *
 * For each event e and thread u a number of first events of u that come before e by hb+ in every
 * schedule that runs e. It is a lower bound: what it gives is certain, the rest is open.
 * docs/algorithms/orders.md has the rules and why each holds in all schedules. The must-order of
 * predict/index orders more, but not by hb: a relaxed flag forces an order and hands nothing on.
 */
#ifndef HD_PREDICT_ORDERS_CERTAIN_H
#define HD_PREDICT_ORDERS_CERTAIN_H

#include "predict/index/world.h"

struct hd_certain;

/* NULL: w has no must-order, because the work was stopped. w outlives it. */
struct hd_certain *hd_certain_new(const struct hd_world *w);
void hd_certain_free(struct hd_certain *c);

/* Is a before b by hb+ in every schedule that runs b? Requires that b is later in the trace. */
bool hd_certain_before(const struct hd_certain *c, hd_eid a, hd_eid b);

/* Can the two never run without an order by hb+ between them, because both hold a lock, or a guard
 * whose operations acquire and release? */
bool hd_certain_excludes(const struct hd_certain *c, hd_eid a, hd_eid b);

/* The section of a guard that an access opens, and stands in; or HD_SECTION_NONE. */
uint32_t hd_certain_opened(const struct hd_sections *s, hd_eid e);

/* Tells of conflicting accesses, a before b in the trace, for which neither holds: all pairs of
 * places that have such a pair, and each of them one or more times. False: that takes too long. */
bool hd_certain_open(const struct hd_certain *c, const struct hd_world *w,
                     void (*found)(void *ctx, hd_eid a, hd_eid b), void *ctx);

#endif
