/* The greedy step: run the observed order up to the first stop (or up to r, if it has to wait for
 * c), park its thread there, and let the others go on in observed order.
 *
 * decide lets them go as far as the goal needs them; follow as far as they went in the trace, and
 * who cannot go on stays where it is. The second finds what the first cannot: a value that came
 * about through a long chain of threads that the goal does not name.
 *
 * late is for a first stop that stands in a critical section while the other stop needs sections of
 * the same lock: its thread waits before the outermost of its sections, until the others are done.
 *
 * Cheap because all pay only for the stretch between the events of the goal. They find witnesses;
 * they never prove that there is none.
 */
#ifndef HD_PREDICT_SEARCH_GREEDY_H
#define HD_PREDICT_SEARCH_GREEDY_H

#include "predict/search/closure.h"

/* plan comes from hd_plan_start and is changed. RACE: the witness is the first
 * hd_greedy_base events of the trace, then the simulator's order. Otherwise UNKNOWN. */
hd_eid hd_greedy_base(const struct hd_goal *goal);
enum hd_verdict hd_greedy_decide(struct hd_sim *sim, struct hd_plan *plan);
enum hd_verdict hd_greedy_follow(struct hd_sim *sim, struct hd_plan *plan);

/* Where the goal begins: its first event, or the first one of a section that its events stand in.
 */
hd_eid hd_greedy_begin(const struct hd_world *w, const struct hd_goal *goal);
/* The same as the others, but the witness begins with hd_greedy_begin events of the trace. */
enum hd_verdict hd_greedy_late(struct hd_sim *sim, struct hd_plan *plan);

#endif
