/* Candidates that are handed over one at a time: triples and cycles, by groups. For the driver a
 * group is a unit; this is what it does with it in its phases up to the sweep.
 */
#ifndef HD_PREDICT_RUN_VISITOR_H
#define HD_PREDICT_RUN_VISITOR_H

#include "predict/index/world.h"
#include "predict/run/predict.h"

struct hd_visitor;

/* The candidates of a property. */
struct hd_visits {
    enum hd_property property;
    const struct hd_world *w;
    const struct hd_predict_options *options;
    size_t n_groups;
    const void *ctx;
    /* Calls hd_visitor_visit for the candidates of a group until it answers false. */
    void (*each)(const void *ctx, size_t group, struct hd_visitor *v);
    /* How many candidates the group has. */
    uint64_t (*count)(const void *ctx, size_t group);
};

/* A candidate: c, r, c' or a cycle. False: enough. */
bool hd_visitor_visit(struct hd_visitor *v, const hd_eid *events, uint32_t n);

/* So many candidates that were not visited are ruled out by a filter. */
void hd_visitor_skip(struct hd_visitor *v, enum hd_step step, uint64_t n);

/* The filters for one candidate. */
bool hd_visitor_excluded(const struct hd_sections *s, const struct hd_goal *goal);
bool hd_visitor_ordered(const struct hd_world *w, const struct hd_goal *goal);

/* Decides all candidates of this shard. started: hd_progress_now(). */
void hd_visits_decide(const struct hd_visits *visits, double started, struct hd_prediction *result);

#endif
