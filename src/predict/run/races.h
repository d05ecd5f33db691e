/* Races, decided: what predict.c knows of races.c. */
#ifndef HD_PREDICT_RUN_RACES_H
#define HD_PREDICT_RUN_RACES_H

#include "predict/index/candidates.h"
#include "predict/run/predict.h"

/* Decides all pairs of the groups that c has. started: hd_progress_now(). Fills in the result but
 * for what memory orders add (predict/orders). */
void hd_races_decide(const struct hd_world *w, const struct hd_candidates *c,
                     const struct hd_predict_options *options, double started,
                     struct hd_prediction *result);

#endif
