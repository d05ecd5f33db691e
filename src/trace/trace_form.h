/* Debug builds: does a finished trace have the form that trace.h promises? Ids exist, positions and
 * indices agree with the columns, dependences name earlier reads of the thread. Linear in the trace
 * and its dependences. What it finds is a fault of a builder or a reader, not of an input.
 */
#ifndef HD_TRACE_TRACE_FORM_H
#define HD_TRACE_TRACE_FORM_H

#include "trace/trace.h"

#ifdef HD_DEBUG
void hd_trace_form_check(const struct hd_trace *t); /* does not return when it has not */
#endif

#endif
