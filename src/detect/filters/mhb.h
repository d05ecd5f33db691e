/* Must-happen-before: orders that hold in every schedule that docs/MODEL.md allows.
 *
 *   program order; fork to the first event; every event of a thread to its join;
 *   wake: after some notification of its condition that can come after its wait: what comes before
 * all of them comes before it (every choice of notified waiter); sem: after as many posts as it
 * needs, by the same argument over all ways to pick them; barout: after all arrivals of its round,
 * if the threads that use the barrier are exactly as many as its size and each arrives and leaves
 * in turn.
 *
 * Not: lock order, reads and writes, tryfail, tmo. Used as a proof of "no race", so it must never
 * order what can come either way; it may miss orders. With `recorded`, a wake comes after the
 * notification that the observed order gives it, as published variants have it: not a proof.
 */
#ifndef HD_DETECT_FILTERS_MHB_H
#define HD_DETECT_FILTERS_MHB_H

#include "detect/clock.h"

struct hd_mhb;

enum hd_mhb_matching { HD_MHB_ANY_WAITER, HD_MHB_RECORDED };

/* Requires a consistent trace, which must outlive the result. Near-linear in time; memory grows
 * with the events that learn something new from another thread, not with all events. */
struct hd_mhb *hd_mhb_new(const struct hd_trace *t);
struct hd_mhb *hd_mhb_new_matching(const struct hd_trace *t, enum hd_mhb_matching matching);
void hd_mhb_free(struct hd_mhb *m); /* NULL is fine */

/* Whether a comes before b in every schedule that runs b. Requires a != b. O(log n). */
bool hd_mhb_ordered(const struct hd_mhb *m, hd_eid a, hd_eid b);

/* The clocks behind it, for analyses that walk the trace. */
const struct hd_timeline *hd_mhb_timeline(const struct hd_mhb *m);

#endif
