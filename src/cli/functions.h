/* Which function each event of a trace stands in, for prediction: from the details of a recording
 * (build/details.h). */
#ifndef HD_CLI_FUNCTIONS_H
#define HD_CLI_FUNCTIONS_H

#include "trace/trace.h"

/* By event: a number for the function and its file, 0 = not known. NULL: none is known. The caller
 * frees it (hd_free, one uint32_t for each event). Fits hd_predict_options.functions. */
uint32_t *hd_functions_of_events(const struct hd_trace *t);

#endif
