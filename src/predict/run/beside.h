/* Other pairs of the same places: when the witness of a pair is of no use to its reader, another
 * pair of the same two places may have a better one. A few are chosen, of different threads and far
 * from each other in the trace, from those that locks and the must-order leave open.
 */
#ifndef HD_PREDICT_RUN_BESIDE_H
#define HD_PREDICT_RUN_BESIDE_H

#include "predict/index/candidates.h"
#include "predict/run/predict.h"

/* The places of options->beside, two for each. spots: of the trace's events, or NULL. The caller
 * frees them (2 * n_beside numbers). */
uint32_t *hd_beside_places(const struct hd_trace *t, const struct hd_predict_options *options,
                           const uint32_t *spots);

/* Some pairs of c for each two of the n places, each a group of its own. */
struct hd_candidates *hd_beside_choose(const struct hd_world *w, const struct hd_candidates *c,
                                       const uint32_t *places, size_t n);

#endif
