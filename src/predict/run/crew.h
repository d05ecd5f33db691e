/* The workers of a prediction: races, atomicity violations and deadlocks are all decided by items
 * (groups of candidates of the same places) that are handed out to workers on all cores. There are
 * several phases, the cheapest first; each goes over all items before the next begins. In some of
 * them the time that is left is divided among the items that are left.
 */
#ifndef HD_PREDICT_RUN_CREW_H
#define HD_PREDICT_RUN_CREW_H

#include "predict/run/worker.h"

struct hd_crew {
    const struct hd_world *w;
    const struct hd_predict_options *options;
    double started; /* hd_progress_now() */
    void *ctx;
    size_t items; /* at most so many in a phase */
    unsigned phases;
    unsigned cheap; /* so many first phases may cost some work even if the time is over */
    unsigned shared, n_shared; /* the first phase that divides the time, and how many do */
    /* Before each phase, when all items of the one before are done: how many items it has. Time
     * that is used here has to end at the deadline (hd_progress_now(); 0 = never). */
    size_t (*prepare)(void *ctx, unsigned phase, double deadline);
    /* Decides one item of a phase; no two run with one worker at a time. */
    void (*decide)(void *ctx, unsigned phase, size_t item, struct hd_worker *k);
};

/* What the workers add to. */
struct hd_crew_result {
    double *seconds; /* by step */
    double *shortening;
    struct hd_rejected *rejected;
};

/* In a brief trace (of up to 2^20 events) work that grows with its length alone takes about a
 * second, and is done to its end at any budget. Longer ones obey the clock everywhere.
 *
 * How many first events of a trace to look at when the run has begun at `started`: all, or as many
 * as its time will do for. A brief trace, or one that is asked for given pairs, is looked at as a
 * whole. */
size_t hd_crew_fit(const struct hd_trace *t, const struct hd_predict_options *options,
                   double started);

/* Opens the scope of such work. linear: it grows with the trace alone; of a brief one it ends for
 * memory and interrupts only. */
struct hd_stop_scope hd_crew_scope(const struct hd_predict_options *options,
                                   const struct hd_trace *t, double started, bool linear);

/* What the items of a cheap phase may cost, all together, when the time is over: a few looks and
 * simulated events for each event of a brief trace, or some seconds. */
uint64_t hd_crew_free(const struct hd_world *w);

/* Decides all items. */
void hd_crew_run(const struct hd_crew *crew, const struct hd_crew_result *result);

#endif
