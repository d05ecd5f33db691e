/* Prediction of atomicity violations and deadlocks: what predict.h is for races.
 *
 * A candidate is a triple (c, r, c') or a cycle of events (docs/MODEL.md section 4). Each is a
 * violation with a witness that model/ has accepted, impossible (proved by one of the steps), or
 * undecided with the reason. Candidates with the same source places form a group. By default one
 * violation settles its group; with all_pairs every candidate is decided. By default a triple's c
 * is the first access of its place and kind in its block, since whatever separates a later one from
 * c' separates the first one too.
 *
 * The result does not depend on the number of workers, unless a time budget runs out.
 */
#ifndef HD_PREDICT_RUN_VIOLATIONS_H
#define HD_PREDICT_RUN_VIOLATIONS_H

#include "predict/run/atomic_blocks.h"
#include "predict/run/predict.h"

struct hd_violation {
    struct hd_witness witness; /* property atomicity or deadlock */
    enum hd_step found_by;
    enum hd_block_kind block; /* atomicity: why c and c' are meant to be atomic */
};

struct hd_open_goal {
    hd_eid *events; /* c, r, c' or the cycle */
    size_t n;       /* 0: more cycles than can be listed */
    enum hd_reason why;
    uint64_t goals; /* how many candidates of the same places this one stands for */
};

struct hd_violations {
    enum hd_property property;
    struct hd_vec found;       /* struct hd_violation, ascending by events */
    struct hd_vec undecided;   /* struct hd_open_goal, the same */
    uint64_t candidates;       /* triples or cycles of events */
    uint64_t groups;           /* of these, by source places */
    uint64_t groups_undecided; /* those without a violation and with an undecided candidate */
    uint64_t proved[HD_STEPS]; /* candidates proved impossible by each step */
    uint64_t found_by[HD_STEPS];
    uint64_t skipped; /* candidates not looked at because their places have a violation already */
    uint64_t open;    /* candidates undecided */
    double step_seconds[HD_STEPS], shorten_seconds; /* summed over workers */
    double seconds;                                 /* of the whole */
    struct hd_rejected rejected;
};

/* As hd_predict; the caller ends the result with hd_violations_fini in any case. */
enum hd_status hd_predict_atomicity(const struct hd_trace *t,
                                    const struct hd_predict_options *options,
                                    struct hd_violations *result, struct hd_err *err);
enum hd_status hd_predict_deadlocks(const struct hd_trace *t,
                                    const struct hd_predict_options *options,
                                    struct hd_violations *result, struct hd_err *err);
void hd_violations_fini(struct hd_violations *result);

#endif
