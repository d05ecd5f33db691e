/* The closure step: from what every witness must contain, by forced repairs, to a witness or to a
 * contradiction; where a failure can be mended in several ways, all are tried, depth first.
 *
 * Exact within its budget: RACE comes with an order, IMPOSSIBLE is a proof. UNKNOWN when the budget
 * (simulated events, nodes) is used up or a list of repairs was not complete.
 */
#ifndef HD_PREDICT_SEARCH_CLOSURE_H
#define HD_PREDICT_SEARCH_CLOSURE_H

#include "predict/search/sim.h"

enum hd_verdict { HD_UNKNOWN, HD_RACE, HD_IMPOSSIBLE };

struct hd_closure_budget {
    uint64_t nodes;
    uint64_t steps;  /* simulated events */
    double deadline; /* hd_progress_now() at which it gives up; 0 = never */
};

/* plan comes from hd_plan_start. After RACE the order is in the simulator. */
enum hd_verdict hd_closure_decide(struct hd_sim *sim, struct hd_plan *plan,
                                  struct hd_closure_budget budget);

/* The same with the first `base` events of the trace run in their order, which no repair may
 * change: cheap when the goal lies near to them. plan has been widened to the base (hd_plan_widen),
 * which comes before every stop. RACE or UNKNOWN; the order follows the base. */
enum hd_verdict hd_closure_after(struct hd_sim *sim, struct hd_plan *plan, hd_eid base,
                                 struct hd_closure_budget budget);

#endif
