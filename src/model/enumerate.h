/* All racing pairs of a small trace, by definition: every reachable state of docs/MODEL.md is
 * visited, for every order of events and every choice of notified waiters, and each pair of
 * conflicting accesses that some state has enabled together is a race.
 *
 * States are told apart by comparing them whole. The search is breadth first, so a witness found on
 * the way has the fewest events. The result does not depend on hashing. For traces up to about 25
 * events; beyond that the state limit ends the search with HD_ERR_LIMIT and Ctrl-C
 * (base/interrupt.h) with HD_ERR_STOPPED; part of an answer is given only to those who ask for it.
 */
#ifndef HD_MODEL_ENUMERATE_H
#define HD_MODEL_ENUMERATE_H

#include "base/err.h"
#include "model/witness.h"

/* Which pairs: those of docs/MODEL.md, or those of a published model
 * (docs/algorithms/published-models.md), which take a consistent trace. */
enum hd_enum_model { HD_ENUM_MAX, HD_ENUM_SAID, HD_ENUM_RV };

struct hd_enum_opts {
    size_t max_states; /* 0: HD_ENUM_MAX_STATES, or as many as 1 GiB holds */
    enum hd_enum_model model;
    bool witnesses; /* also give one for each pair (MAX only) */
    bool partial;   /* at the limit or Ctrl-C: HD_OK with the pairs found so far, complete unset */
    void (*tick)(void *ctx, size_t states); /* may be NULL; called now and then, for progress */
    void *ctx;
};
#define HD_ENUM_MAX_STATES 2000000

struct hd_enum_pair {
    hd_eid a, b; /* a < b */
};

struct hd_enum_result {
    struct hd_enum_pair *pairs; /* ascending by a, then b */
    size_t n_pairs;
    struct hd_witness *witnesses; /* beside pairs when asked for, else NULL */
    size_t n_states;
    bool complete; /* every reachable state was visited */
};

/* MAX takes any trace, consistent or not; SAID and RV refuse an inconsistent one with HD_ERR_INPUT,
 * and find their pairs only when all states have been visited. On failure the result is empty but
 * for n_states. */
enum hd_status hd_enumerate(const struct hd_trace *t, const struct hd_enum_opts *opts,
                            struct hd_enum_result *result, struct hd_err *err);
void hd_enum_result_fini(struct hd_enum_result *result);

#endif
