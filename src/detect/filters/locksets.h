/* The locks a thread holds at each of its events.
 *
 * All earlier events of a thread run before one of its events in every schedule, so the locks held
 * there are fixed by the trace. A wait gives its lock up completely, wake and tmo take it back.
 * Equal sets are stored once; set 0 is the empty one. A thread that both reads and owns a lock has
 * both entries. The set of an event is the one it runs under: that of an acq does not yet hold its
 * lock, that of a rel still does.
 *
 * With histories, a set also gives for each hold which locks the thread took since (Kahlon's lock
 * acquisition histories), so that two sets may exclude each other without a common lock.
 */
#ifndef HD_DETECT_FILTERS_LOCKSETS_H
#define HD_DETECT_FILTERS_LOCKSETS_H

#include "trace/trace.h"

struct hd_locksets;

struct hd_hold {
    uint32_t lock;
    bool write; /* acq, wake, tmo; otherwise racq */
};

struct hd_locksets *hd_locksets_new(const struct hd_trace *t);
struct hd_locksets *hd_locksets_new_histories(const struct hd_trace *t);
void hd_locksets_free(struct hd_locksets *ls); /* NULL is fine */

uint32_t hd_locksets_id(const struct hd_locksets *ls, hd_eid e);
/* The holds of a set, ascending by lock. Valid as long as ls. */
const struct hd_hold *hd_locksets_holds(const struct hd_locksets *ls, uint32_t id, size_t *n);

/* No reachable state has one thread at an event with the first set and another at one with the
 * second: both hold a lock, one of them for writing; or, with histories, each took, after its own
 * final hold, a lock that the other holds, so that each had to come first. */
bool hd_locksets_ids_exclude(const struct hd_locksets *ls, uint32_t x, uint32_t y);
/* The same for two events of different threads: never both enabled. */
bool hd_locksets_exclude(const struct hd_locksets *ls, hd_eid a, hd_eid b);

#endif
