/* The result of max for one property, for people and as JSON. */
#ifndef HD_CLI_SHOW_PREDICTION_H
#define HD_CLI_SHOW_PREDICTION_H

#include "base/json.h"
#include "cli/cli.h"
#include "predict/run/predict.h"

/* All that was found, what is undecided, then a line of figures. name: the trace. pairs: every pair
 * of events was asked for. whole: the trace is a whole run. */
void hd_show_prediction(const struct hd_cli *cli, const char *name, const struct hd_trace *t,
                        const struct hd_prediction *p, bool pairs, bool whole);

/* "atomicity": [[c, r, c'], ...] or "deadlocks": [[...], ...]. Requires a property but races. */
void hd_show_prediction_json_found(struct hd_json *j, const struct hd_prediction *p);

/* "follows": pairs that follow from a race; left out when there is none. */
void hd_show_prediction_json_follows(struct hd_json *j, const struct hd_trace *t,
                                     const struct hd_prediction *p);

/* Elements for the arrays "undecided" and "witnesses", which the caller has begun. Returns how many
 * witnesses have no schedule, and are left out. */
void hd_show_prediction_json_undecided(struct hd_json *j, const struct hd_prediction *p);
uint64_t hd_show_prediction_json_witnesses(struct hd_json *j, const struct hd_trace *t,
                                           const struct hd_prediction *p);

/* The figures, as one member of the object "properties". */
void hd_show_prediction_json_figures(struct hd_json *j, const struct hd_prediction *p);

#endif
