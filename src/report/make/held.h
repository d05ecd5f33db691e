/* Which locks a thread holds at an event, and where it took them; for chosen events and for all
 * accesses to chosen locations. One walk over the trace for all of them.
 */
#ifndef HD_REPORT_MAKE_HELD_H
#define HD_REPORT_MAKE_HELD_H

#include "trace/trace.h"

struct hd_held_map;

struct hd_held_map *hd_held_new(const struct hd_trace *t);
void hd_held_free(struct hd_held_map *h); /* NULL is fine */
/* What to look at; before hd_held_walk. */
void hd_held_want_event(struct hd_held_map *h, hd_eid e);
void hd_held_want_location(struct hd_held_map *h, uint32_t location);
void hd_held_walk(struct hd_held_map *h);

/* The events that took the locks held just before e, outermost first (a lock taken twice stands
 * there once); *n is 0 when e was not asked for. Before a wake the thread does not hold the lock
 * that its wait gave up. */
const hd_eid *hd_held_locks(const struct hd_held_map *h, hd_eid e, size_t *n);

/* Whether a thread took `inner` while it held `outer`. Of the locks that a thread holds, the
 * HD_HELD_NESTED taken last are looked at. */
#define HD_HELD_NESTED 16
bool hd_held_nested(const struct hd_held_map *h, uint32_t outer, uint32_t inner);

/* The lock that most of the accesses to the location hold; UINT32_MAX: none. *held of *of accesses
 * hold it. At most HD_HELD_SAMPLE accesses of a location are looked at, the first ones and those
 * that were asked for. */
#define HD_HELD_SAMPLE 4096
uint32_t hd_held_usual(const struct hd_held_map *h, uint32_t location, uint32_t *held,
                       uint32_t *of);

#endif
