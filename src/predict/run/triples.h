/* Candidates for atomicity violations, in groups, without listing them: inside predict/ only.
 *
 * A pair (c, c') of a block belongs to a class with all pairs of its location, thread, places and
 * kinds. A bundle is such a class and a class of accesses by another thread (candidates.h), in a
 * pattern that no serial order gives. Bundles with the same three places form a group.
 */
#ifndef HD_PREDICT_RUN_TRIPLES_H
#define HD_PREDICT_RUN_TRIPLES_H

#include "predict/index/candidates.h"
#include "predict/run/predict.h"

struct hd_triple_bundle {
    uint32_t from, to; /* in pairs */
    uint32_t class;    /* of r */
};

struct hd_triples {
    const struct hd_world *w;
    struct hd_candidates *c;
    struct hd_vec pairs;     /* struct hd_block_pair, by class */
    struct hd_vec bundles;   /* struct hd_triple_bundle, by group */
    struct hd_u32vec groups; /* the first bundle of each group, and the end */
};

/* Uses the trace, the sections and the locations of the world, which must outlive it. */
void hd_triples_init(struct hd_triples *s, const struct hd_world *w, bool all);
void hd_triples_fini(struct hd_triples *s);

/* Decides all of them. started: hd_progress_now(). */
void hd_triples_decide(const struct hd_triples *s, const struct hd_predict_options *options,
                       double started, struct hd_prediction *result);

#endif
