/* Leaves out accesses to locations that threads hand over by fork and join alone, reads of a thread
 * where it alone writes, and branches that depend on nothing else: docs/algorithms/building.md,
 * "Reduction by ownership" and "Memory that one thread writes", for traces.
 *
 * The trace has to be consistent. Bytes under keys (hd_trace_meta) are not taken over: they speak
 * of events by number.
 */
#ifndef HD_TRACE_REDUCE_H
#define HD_TRACE_REDUCE_H

#include "base/err.h"
#include "base/vec.h"
#include "trace/trace.h"

/* handed, by location, names more locations to leave out: those that every schedule hands over in
 * the same order (predict/index/handed.h); NULL: none. The caller frees *out. from, which may be
 * NULL, gets for each event of it the one of t that it is; HD_EID_NONE: a branch that stands for
 * events that were left out. */
enum hd_status hd_reduce_trace(const struct hd_trace *t, const uint8_t *handed,
                               struct hd_trace **out, struct hd_u32vec *from, struct hd_err *err);

#endif
