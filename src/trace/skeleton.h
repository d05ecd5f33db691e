/* A trace without some of its locations, with at least as many schedules.
 *
 * Accesses to the locations that are dropped, failed tries and exclusions are left out, and so is
 * every dependence on a read that is left out: as if it could never be stale. So each schedule of
 * the trace, without the events that are left out, is one of the skeleton, and what holds in every
 * schedule of the skeleton holds in every one of the trace: docs/algorithms/building.md, "Memory
 * that is handed over".
 */
#ifndef HD_TRACE_SKELETON_H
#define HD_TRACE_SKELETON_H

#include "base/err.h"
#include "trace/trace.h"

/* drop: by location. before, by event of t: how many events of its thread before it are in *out,
 * which the caller frees. */
enum hd_status hd_skeleton_trace(const struct hd_trace *t, const uint8_t *drop,
                                 struct hd_trace **out, uint32_t *before, struct hd_err *err);

#endif
