/* The two published solver-based models, for comparison (docs/algorithms/published-models.md).
 *
 * Both look only at complete reorderings: every recorded event runs.
 * docs/algorithms/published-models.md has the exact definitions, which model/ enumerates
 * independently; in short: said  (Said, Wang, Yang, Sakallah 2011): every read returns its traced
 * value, and each of the two accesses lies between the neighbours, in its thread, of the other. rv
 * (Huang, Meredith, Rosu 2014): the two accesses are next to each other, and the last branch of
 * each thread that must happen before one of them is feasible: all reads of that thread before it
 * return their traced values, from writes that are feasible in the same sense. Who notifies whom is
 * as recorded. Locks, semaphores and barriers follow docs/MODEL.md. Most pairs are decided by
 * search (published_search.h), the others by one formula for the whole trace.
 */
#ifndef HD_PREDICT_COMPARE_PUBLISHED_MODELS_H
#define HD_PREDICT_COMPARE_PUBLISHED_MODELS_H

#include "base/err.h"
#include "detect/pairs.h"
#include "trace/trace.h"

enum hd_published { HD_PUBLISHED_SAID, HD_PUBLISHED_RV };

/* As published: a pair is looked at if both events are in one window. */
#define HD_PUBLISHED_WINDOW 10000

/* What decides: all steps, or for tests, which compare them with the enumeration, one that is
 * otherwise for what the others leave. */
enum hd_published_steps {
    HD_PUBLISHED_ALL,
    HD_PUBLISHED_SOLVER,
    HD_PUBLISHED_STATES,
    HD_PUBLISHED_MEETINGS /* and states */
};

struct hd_published_options {
    bool all_pairs;  /* otherwise one racing pair for each pair of source places is enough */
    double seconds;  /* for the whole run; 0 = no limit, negative = no time */
    uint32_t window; /* so many events at a time; 0 = HD_PUBLISHED_WINDOW */
    enum hd_published_steps steps;
};

struct hd_published_result {
    struct hd_pairs pairs;     /* racing events */
    struct hd_pairs undecided; /* events */
};

/* The trace must be consistent. The caller ends the result in any case. */
void hd_published_run(enum hd_published model, const struct hd_trace *t,
                      const struct hd_published_options *options,
                      struct hd_published_result *result);
void hd_published_fini(struct hd_published_result *result);

#endif
