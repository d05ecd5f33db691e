/* The workers of a prediction: races, atomicity violations and deadlocks are all decided by items
 * (groups of candidates of the same places) that are handed out to workers on all cores.
 */
#ifndef HD_PREDICT_CREW_H
#define HD_PREDICT_CREW_H

#include "predict/worker.h"

struct hd_crew {
    const struct hd_world *w;
    const struct hd_predict_options *options;
    double started; /* hd_progress_now() */
    size_t n_items;
    void *ctx;
    /* Decides one item; no two run with one worker at a time. */
    void (*decide)(void *ctx, size_t item, struct hd_worker *k);
};

/* Decides all items. Adds the time that the workers spent to `seconds` (by step) and `shortening`.
 * HD_ERR_INTERNAL when a witness of ours was rejected. */
enum hd_status hd_crew_run(const struct hd_crew *crew, double seconds[HD_STEPS], double *shortening,
                           struct hd_err *err);

#endif
