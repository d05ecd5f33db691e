/* Ownership: who can reach an object is the only one who uses it.
 *
 * A thread takes a list from a shared location under a lock, walks it without the lock, changes its
 * links, and gives it back, whole or in parts. That no other thread uses a node meanwhile follows
 * from where its address is: the address of each object is in one place at a time, be it a location
 * that a lock protects, a link of another object, or the hands of a thread. A thread that has an
 * object has all that its links lead to. Nothing is known about names and shapes: which values are
 * addresses of objects, and which locations belong to them, is guessed, and what is kept of the
 * guess holds in every schedule (docs/algorithms/prediction.md has the conditions and the
 * argument).
 *
 * Objects may be shared by a count: a location of the object that holds how many use it. A thread
 * that takes the last unit from it has the object alone. And they may have a lock of their own,
 * which is taken before that of what leads to them is given back: hand over hand.
 */
#ifndef HD_PREDICT_INDEX_OWNERSHIP_H
#define HD_PREDICT_INDEX_OWNERSHIP_H

#include "predict/index/accesses.h"
#include "predict/index/held_sections.h"

/* Sets owned[e] for accesses e to a location of an object that the thread of e has alone, or
 * shares, whenever e is enabled: two accesses to one location, of different threads, one of which
 * has it alone and the other alone or shared, are never enabled together. There are two views of a
 * trace, one without and one with the locks of objects, and what they say is not to be mixed:
 * owned[e] is the enum hd_owned of the first plus HD_OWNED_VIEW times that of the second. owned: by
 * event, zeroed. needed_at: see world.h. */
void hd_ownership_find(const struct hd_trace *t, const struct hd_accesses *locs,
                       const uint32_t *needed_at, const struct hd_sections *sections,
                       uint8_t *owned);

#endif
