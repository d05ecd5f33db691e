/* Decides groups of candidates of one property, on all cores: the part that atomicity violations
 * and deadlocks share. A group is handed its candidates by whoever knows them, one at a time, and
 * stops when one violation is enough.
 *
 * A group is looked at as in predict.c: some candidates with the greedy step alone, then all of
 * them with the quick steps, then the solver for what is left.
 */
#ifndef HD_PREDICT_RUN_GOAL_DRIVER_H
#define HD_PREDICT_RUN_GOAL_DRIVER_H

#include "predict/run/violations.h"
#include "predict/index/world.h"

struct hd_hunter;

struct hd_hunt {
    enum hd_property property;
    const struct hd_world *w;
    const struct hd_predict_options *options;
    size_t n_groups;
    const void *ctx;
    /* Calls hd_hunt_visit for the candidates of a group until it answers false. */
    void (*each)(const void *ctx, size_t group, struct hd_hunter *h);
    /* How many candidates the group has. */
    uint64_t (*count)(const void *ctx, size_t group);
};

/* A candidate: c, r, c' or a cycle. False: enough. */
bool hd_hunt_visit(struct hd_hunter *h, const hd_eid *events, uint32_t n);

/* So many candidates that were not visited are ruled out by a filter. */
void hd_hunt_skip(struct hd_hunter *h, enum hd_step step, uint64_t n);

/* The filters for one candidate. */
bool hd_hunt_excluded(const struct hd_sections *s, const struct hd_goal *goal);
bool hd_hunt_ordered(const struct hd_world *w, const struct hd_goal *goal);
struct hd_goal hd_hunt_goal(enum hd_property property, const hd_eid *events, uint32_t n);

/* Adds to the result that candidates which are not known are undecided. */
void hd_hunt_cut(struct hd_violations *result, enum hd_reason why);

/* Fills in everything of the result but `groups`. */
void hd_hunt_run(const struct hd_hunt *hunt, double started, struct hd_violations *result);

#endif
