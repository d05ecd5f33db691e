/* What tokens and ownership share: locations that are written under a lock only, what they hold in
 * the beginning, and on which reads a written value depends.
 *
 * The beginning is where the first thread makes another one: what it does before that comes before
 * all that others do (`early`: the number of these events).
 */
#ifndef HD_PREDICT_INDEX_GUARDED_H
#define HD_PREDICT_INDEX_GUARDED_H

#include "predict/index/accesses.h"
#include "predict/index/held_sections.h"

/* The events before the first fork, if they are of one thread, which all others descend from; 0
 * when that is not so. */
hd_eid hd_guarded_early(const struct hd_trace *t);

/* The section of the lock, held for writing, that e stands in, + 1; 0: none. */
uint32_t hd_guarded_section(const struct hd_sections *x, hd_eid e, uint32_t lock);

/* Locks that all writes of the location but the early ones were made under, up to four, into
 * `locks`. */
uint32_t hd_guarded_locks(const struct hd_accesses *locs, const struct hd_sections *x, uint32_t loc,
                          hd_eid early, uint32_t locks[4]);

/* What the location holds in the beginning. False: unknown. */
bool hd_guarded_first(const struct hd_trace *t, uint32_t loc, hd_eid early, struct hd_value *value);

/* Whether the value that w stores depends on the read r. */
bool hd_guarded_depends(const struct hd_trace *t, hd_eid w, hd_eid r);

#endif
