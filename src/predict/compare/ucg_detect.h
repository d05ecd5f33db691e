/* The detector `ucg`: the conflicting pairs that the universal causality graph leaves, with the
 * orders of must-happen-before as its base and nothing about data. A filter: "not reported" is a
 * proof that there is no race (not with the recorded matching), "reported" is none that there is.
 *
 * Pairs are put to the graph up to 64 at a time (predict/ucg/ucg.h).
 */
#ifndef HD_PREDICT_COMPARE_UCG_DETECT_H
#define HD_PREDICT_COMPARE_UCG_DETECT_H

#include "detect/detect.h"

/* As the run functions of detect.h; but without opts->pairs `pairs` has the first pair of events of
 * each pair of places. Requires a consistent trace. */
enum hd_status hd_ucg_detect(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_err *err);

#endif
