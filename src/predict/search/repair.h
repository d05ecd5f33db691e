/* Ways to mend a plan whose simulation failed.
 *
 * A failure means: in this order, this event can not run. In any witness that the plan stands for
 * it does run, so something about the order or the events must differ; the repairs are the list of
 * all that can differ, each as one or two orders to add (their ends are included in the plan first)
 * or a write that must store its traced value. Every repair adds something that the failed order
 * did not satisfy. If the list is `complete`, the plan has no witness when no repair has one.
 */
#ifndef HD_PREDICT_SEARCH_REPAIR_H
#define HD_PREDICT_SEARCH_REPAIR_H

#include "predict/search/sim.h"

struct hd_repair {
    struct hd_edge edges[2];
    uint32_t n_edges;
    hd_eid concrete; /* or HD_EID_NONE */
};

/* Appends the repairs of a failure to out (struct hd_repair), the most likely first; true when the
 * list is complete. The simulator must still be in the state of the failure. */
bool hd_repair_list(const struct hd_plan *plan, const struct hd_sim *sim, enum hd_sim_result result,
                    const struct hd_sim_failure *failure, struct hd_vec *out);

/* Applies a repair to a plan; false: contradiction. */
bool hd_repair_apply(struct hd_plan *plan, const struct hd_repair *repair);

#endif
