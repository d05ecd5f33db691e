/* The properties that a witness can show (docs/MODEL.md sections 3 and 4), and what the events of
 * each must look like before anything is run.
 *
 *   race       two accesses a, b in conflict;
 *   atomicity  c, r, c': c and c' of one thread in this order, r of another, all on one location,
 *              in one of the five patterns that no serial order gives;
 *   deadlock   k >= 2 events of different threads, each about to wait for a lock (acq or racq that
 * is not a try, or the wake or tmo that takes it back), each lock held by the thread of the next
 * one; failure    the last event before the program, run along the schedule, crashes, hangs or
 * fails an assertion: what only running it can show.
 */
#ifndef HD_MODEL_PROPERTY_H
#define HD_MODEL_PROPERTY_H

#include "base/err.h"
#include "trace/trace.h"

enum hd_property {
    HD_PROPERTY_RACE,
    HD_PROPERTY_ATOMICITY,
    HD_PROPERTY_DEADLOCK,
    HD_PROPERTY_FAILURE,
    HD_PROPERTIES,
};
/* Those before it can be told from a trace; a failure takes a run. */
#define HD_PREDICTED_PROPERTIES HD_PROPERTY_FAILURE
extern const char *const hd_property_names[HD_PROPERTIES];
extern const char *const hd_race_forms[2]; /* simultaneous; unordered (docs/MODEL.md section 8) */

/* Different threads, same location, at least one writes, at least one is not atomic. Requires: both
 * are events of t. */
bool hd_property_conflict(const struct hd_trace *t, hd_eid a, hd_eid b);

/* R-W-R, W-W-R, R-W-W, W-R-W or W-W-W on one location, c before d in one thread, r in another. A
 * read-modify-write counts as a write. Whether c and d lie in a block is not asked. Requires: all
 * are events of t. */
bool hd_property_unserialisable(const struct hd_trace *t, hd_eid c, hd_eid r, hd_eid d);

/* Whether e is an event that takes a lock: acq, racq, wake, tmo. */
bool hd_property_takes_lock(const struct hd_trace *t, hd_eid e);

/* Whether e takes a lock and its thread, as long as it cannot, waits without end: not a try. */
bool hd_property_waits_for_lock(const struct hd_trace *t, hd_eid e);

#endif
