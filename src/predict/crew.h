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

/* What the workers add to. */
struct hd_crew_result {
    double *seconds; /* by step */
    double *shortening;
    struct hd_rejected *rejected;
};

/* Decides all items. */
void hd_crew_run(const struct hd_crew *crew, const struct hd_crew_result *result);

#endif
