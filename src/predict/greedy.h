/* The greedy step: run the observed order up to the first of the two accesses, park its thread
 * there, and let the others go on in observed order, as far as the second access needs them.
 *
 * Cheap because it pays only for the stretch between the two accesses. It finds witnesses; it never
 * proves that there is none.
 */
#ifndef HD_PREDICT_GREEDY_H
#define HD_PREDICT_GREEDY_H

#include "predict/closure.h"

/* plan comes from hd_plan_start and is changed. RACE: the witness is the observed order up to the
 * smaller of a and b, then the simulator's order. Otherwise UNKNOWN. */
enum hd_verdict hd_greedy_decide(struct hd_sim *sim, struct hd_plan *plan);

#endif
