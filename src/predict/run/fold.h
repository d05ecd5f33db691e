/* Prediction on the trace with chains of threads (trace/chain.h) in place of the trace itself,
 * where there are many threads: clocks and states then have one entry for each chain. The results
 * are returned in events of the trace itself, and every witness is judged again there.
 */
#ifndef HD_PREDICT_RUN_FOLD_H
#define HD_PREDICT_RUN_FOLD_H

#include "predict/run/predict.h"
#include "trace/chain.h"

struct hd_fold {
    const struct hd_trace *t;  /* the trace itself */
    const struct hd_trace *in; /* the one to work on: of the chains, or t */
    struct hd_chains chains;
    bool few; /* threads: what is done before the first pair is linear */
};

/* A stop, or chains that cannot be made, or are not wanted, leave in == t. */
void hd_fold_init(struct hd_fold *f, const struct hd_trace *t,
                  const struct hd_predict_options *options, bool wanted);
void hd_fold_fini(struct hd_fold *f);

/* An array of a number for each event of t, NULL is fine, to one for each event of `in`. */
uint32_t *hd_fold_numbers(const struct hd_fold *f, uint32_t *by_event);

/* The result in events of t. */
void hd_fold_back(const struct hd_fold *f, struct hd_prediction *result);

#endif
