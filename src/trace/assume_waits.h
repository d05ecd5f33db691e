/* Traces of recorders that do not record wait(): a thread acquires a lock that another one holds.
 *
 * The only explanation that keeps the recorded order possible is that the holder gave the lock up
 * in between. It is assumed to have waited: it releases the lock (as often as it had taken it)
 * after its last event before that, and takes it again before its next one. Who woke it is not
 * known, so some schedules of the result may not exist in the program.
 */
#ifndef HD_TRACE_ASSUME_WAITS_H
#define HD_TRACE_ASSUME_WAITS_H

#include "base/err.h"
#include "trace/trace.h"

/* HD_ERR_INPUT: the trace has more than plain STD, or no wait explains it. *waits counts what was
 * assumed; 0: *out is the same trace. The caller frees *out. */
enum hd_status hd_assume_waits(const struct hd_trace *t, struct hd_trace **out, uint64_t *waits,
                               struct hd_err *err);

#endif
