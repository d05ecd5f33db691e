/* Reorders a schedule so that it stays with one thread as long as the orders that matter allow.
 *
 * Orders that matter: program order; fork and join; on a location, between its writes and the reads
 * that must be fresh; sections of one lock that exclude each other; everything on one condition,
 * semaphore or barrier, and on a lock with failed try-locks. All else may be exchanged. Within
 * these the result has the fewest switches possible, unless the schedule is too long to search.
 */
#ifndef HD_PREDICT_SEARCH_RESEQUENCE_H
#define HD_PREDICT_SEARCH_RESEQUENCE_H

#include "predict/search/plan.h"

/* Reorders the schedule of n events in place, but for the tail that follows the state of the
 * plan's goal (hd_goal_tail). The order of the goal's `first` and `then` is kept. The search for
 * the fewest switches is given up when it has looked at `work` events. */
void hd_resequence(const struct hd_plan *plan, hd_eid *schedule, size_t n, uint64_t work);

#endif
