/* Leaves out of a trace the rounds of threads that poll: docs/algorithms/building.md, "Rounds of
 * polling", for traces. Recordings are read in this way anyway. Bytes under keys (hd_trace_meta)
 * are not taken over.
 */
#ifndef HD_TRACE_FOLD_POLLS_H
#define HD_TRACE_FOLD_POLLS_H

#include "base/err.h"
#include "base/vec.h"
#include "trace/trace.h"

/* The caller frees *out. from, which may be NULL, gets for each event of it the one of t. */
enum hd_status hd_fold_polls(const struct hd_trace *t, struct hd_trace **out,
                             struct hd_u32vec *from, struct hd_err *err);

#endif
