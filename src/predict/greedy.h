/* The greedy step: run the observed order up to the first stop (or up to r, if it has to wait for
 * c), park its thread there, and let the others go on in observed order, as far as the goal needs
 * them.
 *
 * Cheap because it pays only for the stretch between the events of the goal. It finds witnesses; it
 * never proves that there is none.
 */
#ifndef HD_PREDICT_GREEDY_H
#define HD_PREDICT_GREEDY_H

#include "predict/closure.h"

/* plan comes from hd_plan_start and is changed. RACE: the witness is the first
 * hd_greedy_base events of the trace, then the simulator's order. Otherwise UNKNOWN. */
hd_eid hd_greedy_base(const struct hd_goal *goal);
enum hd_verdict hd_greedy_decide(struct hd_sim *sim, struct hd_plan *plan);

#endif
