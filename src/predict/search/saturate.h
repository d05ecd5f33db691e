/* The orders that follow from an order of all events of a window, as far as simple rules tell.
 *
 * Saturation speaks of the complete reorderings of a window (docs/algorithms/published-models.md):
 * orders of all its events in which sections that exclude each other do, and in which the reads
 * below fresh_below return their traced values. Everything is said by orders "x before y"; from
 * those that are given it derives others that hold in every such reordering:
 *   - sections: one that began before another one ended has ended before that one began;
 *   - stretches and points that are kept apart (hd_saturation_apart): the same;
 *   - reads: what all possible sources need comes before the read; an only source comes before it,
 *     stores its traced value, and no other write comes between;
 *   - failed tries and wakes: an only section around the try, an only notification between wait and
 *     wake, stands there;
 *   - semaphores and large barriers: of each thread as many posts and arrivals come before as all
 *     the others can not give;
 *   - barriers: what all ways to divide the arrivals into rounds have in common.
 * A contradiction is a proof that there is no such reordering. What is not contradicted may still
 * have none.
 *
 * Orders are kept closed, as a clock for each event: so many first events of each thread come
 * before it. All changes are logged and can be taken back. Belongs to one thread.
 */
#ifndef HD_PREDICT_SEARCH_SATURATE_H
#define HD_PREDICT_SEARCH_SATURATE_H

#include "predict/index/world.h"

struct hd_saturation;

/* Events [from, to) of the trace; those before have run as observed, those after do not run. Holds
 * the must-orders of the world. */
struct hd_saturation *hd_saturation_new(const struct hd_world *w, hd_eid from, hd_eid to);
void hd_saturation_free(struct hd_saturation *s); /* NULL is fine */

/* Each returns false when there is no such reordering; then only undo makes sense. */
bool hd_saturation_order(struct hd_saturation *s, hd_eid x, hd_eid y);
/* Every read of thread u below this position is fresh. */
void hd_saturation_fresh(struct hd_saturation *s, hd_tid u, uint32_t below);
/* Derives all that the rules give. */
bool hd_saturation_close(struct hd_saturation *s);

/* From now on, whatever is undone: `point` does not lie between open and close (HD_EID_NONE: the
 * stretch has no end). Events out of the window are left out by the caller. */
void hd_saturation_apart(struct hd_saturation *s, hd_eid open, hd_eid close, hd_eid point);

/* What has been said so far, to come back to. */
size_t hd_saturation_mark(const struct hd_saturation *s);
void hd_saturation_undo(struct hd_saturation *s, size_t mark);

/* x comes before y in every reordering that is left. */
bool hd_saturation_says(const struct hd_saturation *s, hd_eid x, hd_eid y);
/* Of an event of the window, one entry for each thread: so many of its events come before. */
const uint32_t *hd_saturation_clock(const struct hd_saturation *s, hd_eid e);
/* By thread: every read below must be fresh. */
const uint32_t *hd_saturation_fresh_below(const struct hd_saturation *s);

#endif
