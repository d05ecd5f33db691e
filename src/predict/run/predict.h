/* Prediction: every pair of conflicting accesses of a trace decided by docs/MODEL.md section 3.
 *
 * A pair is a race with a witness that model/ has accepted, impossible (proved by one of the
 * steps), or undecided with the reason. Nothing is dropped: the counts add up to the number of
 * conflicting pairs, or of pairs of source places.
 *
 * Two questions can be asked. "Which pairs of source places race?" (the default) stops at the first
 * race of a pair of places, and proves all instances impossible where there is none. "Which pairs
 * of events race?" decides every one.
 *
 * The result does not depend on the number of workers, unless a time budget runs out; when the
 * closure step is switched off, this is so for the pairs but not for their schedules.
 *
 * A shard decides its share of the groups, and counts only those (share.h); what follows from a
 * race (`follows`) is not listed then, since the race may be another shard's.
 */
#ifndef HD_PREDICT_RUN_PREDICT_H
#define HD_PREDICT_RUN_PREDICT_H

#include "base/err.h"
#include "base/stop.h"
#include "base/vec.h"
#include "model/witness.h"
#include "predict/search/closure.h"

enum hd_step {
    HD_STEP_LOCKSET,
    HD_STEP_MUST,
    HD_STEP_PROTOCOL,
    HD_STEP_UCG,
    HD_STEP_GREEDY,
    HD_STEP_SYNCP,
    HD_STEP_CLOSURE,
    HD_STEP_SMT,
    HD_STEP_ORDER, /* unordered races: happens-before of the observed order */
    HD_STEPS
};
extern const char *const hd_step_names[HD_STEPS];

typedef uint32_t *(*hd_functions_fn)(const struct hd_trace *t);

struct hd_predict_options {
    bool all_pairs;         /* decide every pair of events, not only every pair of places */
    uint32_t steps;         /* bit set of 1 << enum hd_step: the steps that may be used */
    uint32_t shard, shards; /* only this part of the groups, from 0; shards 0 or 1: all */
    unsigned jobs;          /* workers; 0 = as many as there are processors */
    bool sc;                /* every atomic is taken as seq_cst: simultaneous races only */
    double seconds;         /* for the whole run; 0 = no limit, negative = no time at all */
    bool undivided;         /* nobody asked for `seconds`: one pair may use all of it */
    double pair_seconds;    /* for the solver on one pair */
    size_t solver_memory;   /* bytes that one solver may use; 0 = no limit */
    size_t fold_from;       /* traces with so many threads are worked on as chains of them, if that
                             * leaves half of them or less (fold.h) */
    bool no_hints; /* do not tell the solver the orders of causality graphs; for measurements */
    /* Which function each event stands in, as a number, 0 = not known; or NULL when none is known.
     * The result is an array of one number for each event, freed here. May be NULL. */
    hd_functions_fn functions;
    /* The same kind of function: events with equal numbers count as of one source place when races
     * are told apart. NULL, or no array: places are those of the trace. */
    hd_functions_fn spots;
    /* Called now and then, from one worker at a time, with the share of the work done. May be NULL.
     */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
    /* For tests: may change the witness of a step before it is checked. May be NULL. */
    void (*spoil)(enum hd_step step, struct hd_witness *w);
};
#define HD_PREDICT_FOLD_FROM 64
void hd_predict_defaults(struct hd_predict_options *options);

enum hd_reason {
    HD_WHY_TIME,
    HD_WHY_PAIR_TIME,
    HD_WHY_STOPPED,
    HD_WHY_STEPS,
    HD_WHY_LIMIT,
    HD_WHY_MEMORY,
    HD_WHY_SOLVER,
    HD_WHY_REJECTED,
    HD_WHY_SCARCE,
    HD_WHY_ORDERS,
    HD_REASONS
};
extern const char *const hd_reason_texts[HD_REASONS];
enum hd_reason hd_predict_stopped(enum hd_stop why); /* why is not HD_STOP_NO */

/* When every pair is asked for, schedules are kept as long as their entries, summed over the pairs
 * of one pair of classes, stay below this; the witnesses beyond it have been accepted like the
 * others, but only the pair itself is kept (schedule NULL, n 0). 4 MB each. */
#define HD_PREDICT_KEPT_ENTRIES (1u << 20)

struct hd_race {
    /* witness.a < witness.b; in short form when there are many. Unordered ones: a runs first. */
    struct hd_witness witness;
    enum hd_step found_by;
    /* Other locations on which the same two places have conflicting pairs that were not looked at,
     * because one race for two places is enough: how many, and some of them. */
    uint32_t n_others;
    uint32_t others[4];
};

/* An unordered pair that follows from races (docs/MODEL.md section 8): no race of its own. */
struct hd_followed {
    struct hd_witness witness;
    hd_eid write, read; /* the race: the read reads from the write, and they conflict */
};

struct hd_undecided {
    hd_eid a, b; /* a < b */
    enum hd_reason why;
    uint64_t pairs; /* how many pairs of the same two places this one stands for, itself included */
};

/* Witnesses of ours that model/ rejected: faults of this tool. Each cost its goal that step; the
 * goal is decided by a later one, or undecided for HD_WHY_REJECTED. */
struct hd_rejected {
    uint64_t n;
    struct hd_err first; /* if n > 0 */
};

struct hd_prediction {
    struct hd_vec races;     /* struct hd_race, ascending by (a, b) */
    struct hd_vec undecided; /* struct hd_undecided, ascending by (a, b) */
    struct hd_vec follows;   /* struct hd_followed, of the observed order */
    uint64_t more_follows;   /* pairs of places that follow, too, but are too many to be traced */
    uint64_t conflicting;    /* pairs of events in conflict */
    uint64_t places;         /* pairs of places with such a pair */
    uint64_t places_raced, places_undecided; /* the other pairs of places are proved impossible */
    uint64_t proved[HD_STEPS];               /* pairs of events proved impossible by each step */
    uint64_t found[HD_STEPS];                /* races found by each step */
    uint64_t skipped; /* pairs of events not looked at because their places race already */
    uint64_t open;    /* pairs of events undecided */
    bool cut; /* the work ended before the pairs were known: none is decided, and none counted */
    enum hd_reason cut_why;
    double seconds[HD_STEPS]; /* time in each step, summed over workers */
    double shorten_seconds;   /* time spent on making witnesses short */
    struct hd_rejected rejected;
};

/* The trace must be consistent (hd_check_trace). */
enum hd_status hd_predict(const struct hd_trace *t, const struct hd_predict_options *options,
                          struct hd_prediction *result, struct hd_err *err);
void hd_prediction_fini(struct hd_prediction *result);

#endif
