/* What tokens and ownership share: locations that are written under a lock only, what they hold in
 * the beginning, and on which reads a written value depends.
 *
 * The beginning is where the first thread makes another one: what it does before that comes before
 * all that others do. The end is where a thread has joined all others, itself or through those that
 * it joined: what it does then comes after all that others do. What is said holds in between.
 */
#ifndef HD_PREDICT_INDEX_GUARDED_H
#define HD_PREDICT_INDEX_GUARDED_H

#include "predict/index/accesses.h"
#include "predict/index/held_sections.h"

struct hd_stretch {
    hd_eid from; /* the first fork, if one thread alone has events before it; else 0 */
    hd_eid end;  /* the first event after the last join, if that leaves one thread; else the end */
};

struct hd_stretch hd_guarded_span(const struct hd_trace *t);

static inline bool hd_stretch_has(struct hd_stretch span, hd_eid e)
{
    return e >= span.from && e < span.end;
}

/* The section of the lock, held for writing, that e stands in, + 1; 0: none. */
uint32_t hd_guarded_section(const struct hd_sections *x, hd_eid e, uint32_t lock);

/* Locks that all writes of the location within the span were made under, up to four, into `locks`.
 */
uint32_t hd_guarded_locks(const struct hd_accesses *locs, const struct hd_sections *x, uint32_t loc,
                          struct hd_stretch span, uint32_t locks[4]);

/* Whether several threads use the location within the span, one of them writes it, and no lock is
 * held at all of these accesses. */
bool hd_guarded_not(const struct hd_accesses *locs, const struct hd_sections *x, uint32_t loc,
                    struct hd_stretch span);

/* What the location holds in the beginning. False: unknown. */
bool hd_guarded_first(const struct hd_trace *t, uint32_t loc, struct hd_stretch span,
                      struct hd_value *value);

/* Whether the value that w stores depends on the read r. */
bool hd_guarded_depends(const struct hd_trace *t, hd_eid w, hd_eid r);

#endif
