/* For each pair of places, the two accesses that are most likely to show its race at little cost:
 * two that conflict, exclude each other by no lock, are not ordered by must, and stand near to each
 * other in the trace. What lies before them both has run in the order of the trace, and little lies
 * between them.
 *
 * One walk over the accesses of each location, looking back from each over some before it. The cost
 * is a constant for each access and each pair of places. Where the must-order is tight (each access
 * is ordered with all but a few), the walk sees every pair that it leaves open; a pair of places
 * that was not met then has none.
 */
#ifndef HD_PREDICT_INDEX_NEAR_H
#define HD_PREDICT_INDEX_NEAR_H

#include "predict/index/candidates.h"

struct hd_near {
    hd_eid a, b; /* a < b; HD_EID_NONE when none was met */
    bool closed; /* none was met and every pair has been looked at: all of them are ruled out */
};

struct hd_near_options {
    bool locks, must; /* pairs that these rule out are passed over */
};

/* One for each group of c; the caller frees them (groups.len * sizeof). */
struct hd_near *hd_near_find(const struct hd_world *w, const struct hd_candidates *c,
                             const struct hd_near_options *options);

#endif
