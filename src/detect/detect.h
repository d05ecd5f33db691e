/* The detectors for comparison (docs/algorithms/detectors.md): one table, one way to run them.
 *
 * Each judges conflicting accesses (docs/MODEL.md section 3) of a consistent trace by its own
 * definition. A detector walks the trace once or a few times; its answer does not depend on
 * anything but the trace and the options.
 *
 * Without `pairs` it reports the distinct pairs of source places and counts the racy second events:
 * accesses for which some earlier access races with them. With `pairs` it also lists every racing
 * pair of events, which can take space quadratic in the trace. Both modes agree.
 */
#ifndef HD_DETECT_DETECT_H
#define HD_DETECT_DETECT_H

#include "base/err.h"
#include "detect/pairs.h"
#include "trace/trace.h"

struct hd_detect_opts {
    bool pairs;             /* also list every event pair */
    uint64_t max_pairs;     /* more than this many event pairs: HD_ERR_LIMIT; 0: no limit */
    bool recorded_matching; /* mhb, quick: fix the observed wait/notify matching */
    bool whole_graphs;      /* ucg: no chopping; for measurements */
    /* syncp, hd_memory_order_detect: by event, what counts as its place; NULL: the trace's places.
     */
    const uint32_t *spots;
    double deadline; /* hd_progress_now() at which it stops; 0: never */
    uint64_t looks;  /* syncp: but not before it has compared so many accesses and lists */
    /* syncp: called once for each racing pair of places, with the events and, by thread, how many
     * first events run before both. May be NULL. */
    void (*found)(void *ctx, hd_eid a, hd_eid b, const uint32_t *ran);
    /* hd_memory_order_detect without pairs: called once for each pair of places. */
    void (*unordered)(void *ctx, hd_eid a, hd_eid b);
    void *ctx;
};

struct hd_detect_result {
    struct hd_pairs pairs;  /* events, 0-based, a before b; sorted; empty without opts.pairs */
    struct hd_pairs places; /* place ids of racing pairs, smaller id first; sorted */
    uint64_t racy_events;   /* events that race with an earlier one */
    uint64_t rounds;        /* walks over the trace (cp repeats until nothing changes) */
    bool cut;               /* the deadline ended it: there may be more */
};

void hd_detect_result_fini(struct hd_detect_result *r);

/* Fills *r, which the caller frees in any case. Fails with HD_ERR_LIMIT (opts->max_pairs) or
 * HD_ERR_STOPPED (the user interrupted, see base/interrupt.h). */
typedef enum hd_status hd_detect_fn(const struct hd_trace *t, const struct hd_detect_opts *opts,
                                    struct hd_detect_result *r, struct hd_err *err);

struct hd_detector {
    const char *name;    /* "hb" */
    const char *summary; /* one line for people */
    hd_detect_fn *run;
};

extern const struct hd_detector hd_detectors[];
extern const size_t hd_n_detectors;

const struct hd_detector *hd_detector_find(const char *name); /* NULL if there is none */

#endif
