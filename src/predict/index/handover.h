/* What threads do between the events of a trace: does every schedule order it?
 *
 * The trace is a skeleton (trace/skeleton.h) of the one that is asked about: it has its
 * synchronisation and some of its locations. A point (u, n) of it is what thread u does after the
 * first n of its events and before the next one. The answer is taken from the must-order of the
 * skeleton, and it holds for happens-before as well: locations with weak atomics are left out, and
 * those with accesses that might race, so that nothing is ordered by them (docs/algorithms/
 * building.md, "Memory that is handed over"). Immutable after new.
 */
#ifndef HD_PREDICT_INDEX_HANDOVER_H
#define HD_PREDICT_INDEX_HANDOVER_H

#include "trace/trace.h"

struct hd_handover;

/* The trace has to outlive it. drop: by location, those that are left out besides; or NULL. NULL:
 * nothing can be said, or the scope around is stopped. */
struct hd_handover *hd_handover_new(const struct hd_trace *skeleton, const uint8_t *drop);
void hd_handover_free(struct hd_handover *h); /* NULL is fine */

/* Is (u, n) as a whole before (v, m) in every schedule that comes to (v, m)? False: not known. */
bool hd_handover_before(const struct hd_handover *h, hd_tid u, uint32_t n, hd_tid v, uint32_t m);

#endif
