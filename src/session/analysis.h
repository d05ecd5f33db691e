/* One detector on one trace, whatever room it lives in, with one shape of result: what `analyze`
 * and `compare` share. */
#ifndef HD_SESSION_ANALYSIS_H
#define HD_SESSION_ANALYSIS_H

#include "detect/detect.h"
#include "predict/run/predict.h"

struct hd_analysis {
    const char *detector;
    bool exact;          /* max: `predictions` hold more */
    unsigned properties; /* max: bit set of 1 << enum hd_property: those looked for */
    struct hd_prediction predictions[HD_PREDICTED_PROPERTIES]; /* all zero unless looked for */
    struct hd_pairs pairs; /* racing events; one for each pair of places unless all were asked */
    struct hd_pairs places;
    struct hd_pairs undecided; /* rv and said: events, one for many; max has its own list */
    bool cut;                  /* not max: it was stopped, there may be more */
    double seconds;
};

struct hd_analysis_options {
    struct hd_predict_options predict;
    bool recorded_matching;
    uint32_t window;     /* rv, said: so many events at a time; 0: as published */
    unsigned properties; /* what max looks for, see above; 0: races */
};

/* Whether there is a detector of this name. */
bool hd_analysis_known(const char *detector);

/* What one property may use of `seconds` (as in hd_predict_options) that began at `started`: the
 * rest, divided among the properties that are left (a bit set, not empty). */
double hd_analysis_share(double seconds, double started, unsigned left);

/* Requires that the detector is known. The caller ends the result with hd_analysis_fini in any
 * case. */
enum hd_status hd_analysis_run(const char *detector, const struct hd_trace *t,
                               const struct hd_analysis_options *options,
                               struct hd_analysis *result, struct hd_err *err);
void hd_analysis_fini(struct hd_analysis *result);

#endif
