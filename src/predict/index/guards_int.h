/* What the rules for guards share: guards.c (values), tallies.c (sums) and
 * guard_semaphores.c. */
#ifndef HD_PREDICT_INDEX_GUARDS_INT_H
#define HD_PREDICT_INDEX_GUARDS_INT_H

#include "predict/index/guards.h"

struct hd_guard_search {
    const struct hd_trace *t;
    const struct hd_accesses *locs;
    const uint32_t *needed_at;
    struct hd_vec *out;      /* struct hd_section */
    uint32_t guards;         /* found so far: the number of the one in hand */
    struct hd_vec opens;     /* of the location in hand: struct open of guards.c */
    struct hd_u32vec loose;  /* writes of the value outside of any section */
    struct hd_u32vec owners; /* threads that open */
    struct hd_vec moves;     /* of the location in hand: struct move of tallies.c */
};

/* The section from what the rmw opened to `close` (or HD_EID_NONE): begins at the first event that
 * can run only if the rmw's read is fresh, other than a lock operation, which has a section of its
 * own. False: that event is not before the close. */
bool hd_guard_add_section(struct hd_guard_search *s, hd_eid rmw, hd_eid close, bool shared);

void hd_guard_tallies_init(struct hd_guard_search *s);
/* Sections that follow from the sums of what threads have added to the location. */
void hd_guard_tallies_location(struct hd_guard_search *s, uint32_t loc);

/* Sections of semaphores that are used as locks: see guards.h. */
void hd_guard_semaphores(struct hd_guard_search *s);

#endif
