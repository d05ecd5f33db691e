/* Prediction: every candidate of a property decided by docs/MODEL.md sections 3 and 4.
 *
 * A candidate is a pair of conflicting accesses (race), a triple c, r, c' (atomicity) or a cycle of
 * events (deadlock). Each is found, with a witness that model/ has accepted, or impossible (proved
 * by one of the steps), or undecided with the reason. Nothing is dropped: the counts add up to the
 * number of candidates.
 *
 * Candidates with the same source places form a group. Two questions can be asked. "Which groups
 * have one?" (the default) stops at the first that is found in a group, and proves all of its
 * candidates impossible where there is none. "Which candidates are there?" decides every one. By
 * default a triple's c is the first access of its place and kind in its block, since whatever
 * separates a later one from c' separates the first one too.
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
#include "predict/run/atomic_blocks.h"
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
    bool all_pairs;         /* decide every candidate, not only every group */
    uint32_t steps;         /* bit set of 1 << enum hd_step: the steps that may be used */
    uint32_t shard, shards; /* only this part of the groups, from 0; shards 0 or 1: all */
    unsigned jobs;          /* workers; 0 = as many as there are processors */
    bool sc;                /* every atomic is taken as seq_cst: simultaneous races only */
    double seconds;         /* for the whole run; 0 = no limit, negative = no time at all */
    bool undivided;         /* the user did not ask for `seconds`: one pair may use all of it */
    double pair_seconds;    /* for the solver on one pair */
    size_t solver_memory;   /* bytes that one solver may use; 0 = no limit */
    size_t fold_from;       /* traces with so many threads are worked on as chains of them, if that
                             * leaves half of them or less (fold.h) */
    size_t filter_until;    /* traces with more sections: the sweep does without causality graphs */
    /* For measurements: do not give the solver the orders of causality graphs; start it afresh for
     * each pair; causality graphs of the whole trace in `heddle compare`. */
    bool no_hints, no_increments, whole_graphs;
    /* Which function each event stands in, as a number, 0 = not known; or NULL when none is known.
     * The result is an array of one number for each event, freed here. May be NULL. */
    hd_functions_fn functions;
    /* The same kind of function: events with equal numbers count as of one source place when races
     * are told apart. NULL, or no array: places are those of the trace. */
    hd_functions_fn spots;
    /* Races: decide some other pairs of the places of these n_beside pairs, and nothing else
     * (beside.h). All that are found are told, as with all_pairs. */
    const hd_eid (*beside)[2];
    size_t n_beside;
    /* Called now and then, from one worker at a time, with the share of the work done. May be NULL.
     */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
    /* For tests: may change the witness of a step before it is checked. May be NULL. */
    void (*spoil)(enum hd_step step, struct hd_witness *w);
};
#define HD_PREDICT_FOLD_FROM    64
#define HD_PREDICT_FILTER_UNTIL 10000
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

struct hd_predicted {
    /* Of a race: a < b; in short form when there are many. Unordered ones: a runs first. */
    struct hd_witness witness;
    enum hd_step found_by;
    enum hd_block_kind block; /* atomicity: why c and c' are meant to be atomic */
    /* Races: other locations on which the same two places have conflicting pairs that were not
     * looked at, because one race for two places is enough: how many, and some of them. */
    uint32_t n_others;
    uint32_t others[4];
};

/* An unordered pair that follows from races (docs/MODEL.md section 8): no race of its own. */
struct hd_followed {
    struct hd_witness witness;
    hd_eid write, read; /* the race: the read reads from the write, and they conflict */
};

/* A candidate without an answer. Its events are in hd_undecided_events. */
#define HD_UNDECIDED_FEW 3
struct hd_undecided {
    hd_eid few[HD_UNDECIDED_FEW]; /* ascending for a race */
    uint32_t n;                   /* events */
    hd_eid *many;                 /* instead of `few` when there are more */
    uint64_t goals; /* how many candidates of the same places this one stands for, itself too */
    enum hd_reason why;
};

static inline const hd_eid *hd_undecided_events(const struct hd_undecided *u)
{
    return u->n <= HD_UNDECIDED_FEW ? u->few : u->many;
}

/* Witnesses of ours that model/ rejected: faults of this tool. Each cost its goal that step; the
 * goal is decided by a later one, or undecided for HD_WHY_REJECTED. */
struct hd_rejected {
    uint64_t n;
    struct hd_err first; /* if n > 0 */
};

struct hd_prediction {
    enum hd_property property;
    struct hd_vec found;     /* struct hd_predicted, ascending by events */
    struct hd_vec undecided; /* struct hd_undecided, the same */
    struct hd_vec follows;   /* struct hd_followed, of the observed order; races */
    uint64_t more_follows;   /* pairs of places that follow, too, but are too many to be traced */
    uint64_t candidates;     /* pairs, triples or cycles of events */
    uint64_t groups;         /* of these, by source places */
    uint64_t groups_found, groups_undecided; /* the other groups are proved impossible */
    uint64_t proved[HD_STEPS];               /* candidates proved impossible by each step */
    uint64_t found_by[HD_STEPS];
    uint64_t skipped; /* candidates not looked at because their group has one found already */
    uint64_t open;    /* candidates undecided */
    /* The work ended before all candidates were known. Those that were not are neither counted nor
     * decided: all of them, if none is counted. */
    bool cut;
    enum hd_reason cut_why;
    size_t looked; /* only so many first events were looked at, for want of time; 0: all */
    double step_seconds[HD_STEPS], shorten_seconds; /* summed over workers */
    double seconds;                                 /* of the whole */
    struct hd_rejected rejected;
};

/* "pair", "triple", "cycle": what a candidate is. */
extern const char *const hd_candidate_names[HD_PREDICTED_PROPERTIES];

/* Requires a consistent trace (hd_check_trace). The caller ends the result in any case. */
enum hd_status hd_predict(const struct hd_trace *t, enum hd_property property,
                          const struct hd_predict_options *options, struct hd_prediction *result,
                          struct hd_err *err);

/* An empty prediction; one that is all zero can be ended, too. */
void hd_prediction_init(struct hd_prediction *p, enum hd_property property);
void hd_prediction_fini(struct hd_prediction *p);

/* Appends to a list of struct hd_undecided. */
void hd_undecided_push(struct hd_vec *list, const hd_eid *events, size_t n, enum hd_reason why,
                       uint64_t goals);
void hd_undecided_fini(struct hd_vec *list);

/* Found and undecided ascending by events. */
void hd_prediction_sort(struct hd_prediction *p);

/* Whether something was left open because the time was over. */
bool hd_prediction_late(const struct hd_prediction *p);

#endif
