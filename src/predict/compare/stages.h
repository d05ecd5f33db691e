/* How much each filter leaves of the candidates of a property when it is used alone: the columns of
 * `heddle compare`. The filters know nothing of data here: lock sets, must-happen-before of
 * detect/, and the universal causality graph, which has both of them in it.
 */
#ifndef HD_PREDICT_COMPARE_STAGES_H
#define HD_PREDICT_COMPARE_STAGES_H

#include "predict/run/predict.h"

/* Groups of candidates, by source places. What a filter has no time or patience to rule out counts
 * as left. */
struct hd_stages {
    uint64_t candidates, lockset, mhb, both, ucg;
    double seconds;
};

/* property: atomicity or deadlock. Of the options `seconds`, `functions` and `whole_graphs` count.
 * Ctrl-C (base/interrupt.h) and `seconds` end the work early. Requires a consistent trace. */
void hd_stages_run(enum hd_property property, const struct hd_trace *t,
                   const struct hd_predict_options *options, struct hd_stages *stages);

#endif
