/* A prediction as data: its words, its defaults, its end. How it is made is in predict.c. */
#include "predict/run/predict.h"

#include "solve/solve.h"

const char *const hd_step_names[HD_STEPS] = {"lockset", "must",    "protocol", "ucg",  "greedy",
                                             "syncp",   "closure", "smt",      "order"};
const char *const hd_reason_texts[HD_REASONS] = {"time budget of the run",
                                                 "time budget of the pair",
                                                 "interrupted",
                                                 "steps switched off",
                                                 "more candidates than can be listed",
                                                 "memory limit of the solver",
                                                 "the solver failed",
                                                 "internal error: its witness was rejected",
                                                 "there is not enough memory",
                                                 "memory orders not proved for all schedules"};

enum hd_reason hd_predict_stopped(enum hd_stop why)
{
    return why == HD_STOP_TIME     ? HD_WHY_TIME
           : why == HD_STOP_MEMORY ? HD_WHY_SCARCE
                                   : HD_WHY_STOPPED;
}

void hd_predict_defaults(struct hd_predict_options *options)
{
    *options = (struct hd_predict_options){.steps = (1u << HD_STEPS) - 1,
                                           .pair_seconds = 60,
                                           .solver_memory = HD_SOLVER_MEMORY,
                                           .fold_from = HD_PREDICT_FOLD_FROM};
}

void hd_prediction_fini(struct hd_prediction *result)
{
    for (size_t i = 0; i < result->races.len; i++)
        hd_witness_fini(&((struct hd_race *)hd_vec_at(&result->races, i))->witness);
    for (size_t i = 0; i < result->follows.len; i++)
        hd_witness_fini(&((struct hd_followed *)hd_vec_at(&result->follows, i))->witness);
    hd_vec_fini(&result->races);
    hd_vec_fini(&result->undecided);
    hd_vec_fini(&result->follows);
}
