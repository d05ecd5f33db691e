/* The first events of a trace as a trace of their own.
 *
 * Columns, names, initial values and bytes under keys are those of the whole, which has to outlive
 * it; events have the same numbers, so that a witness of one is a witness of the other. Threads and
 * objects that come later have no events.
 */
#ifndef HD_TRACE_TRACE_HEAD_H
#define HD_TRACE_TRACE_HEAD_H

#include "trace/trace.h"

/* Requires n <= t->n_events. */
void hd_trace_head_make(const struct hd_trace *t, size_t n, struct hd_trace *head);
void hd_trace_head_fini(struct hd_trace *head);

#endif
