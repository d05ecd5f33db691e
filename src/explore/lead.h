/* From the lockset violations of a recorded run to places in its schedules where a search may
 * start.
 *
 * A *warning* is a pair of source places with accesses of different threads to one location, one of
 * them a write, not both atomic, that hold no common lock. Of two such accesses the earlier one is
 * a1 and the later one a2. Every access that can be a1, whichever of the two places it is at, is a
 * candidate; the last one is tried first.
 *
 * A *lead* is the recorded run up to a1, with the thread of a1 parked there, continued with what
 * a1 and what comes after it in its thread cannot affect: an event is left out, and its thread is
 * stuck from there on, when the model does not let it run or when it would read another value than
 * it did. If an access that conflicts with a1 comes by, its thread is stuck, too, and the lead is
 * *direct*: both stand at their accesses.
 *
 * What comes out names threads and counts events as policy `steer` of the runtime does; it does not
 * refer to the trace.
 */
#ifndef HD_EXPLORE_LEAD_H
#define HD_EXPLORE_LEAD_H

#include "base/err.h"
#include "base/vec.h"
#include "log/rt_steer.h"

#include <stdbool.h>

struct hd_trace;
struct hd_leads;

/* An access to park a thread at, and the thread to prefer then: that of a2. Numbers in the trace.
 */
struct hd_candidate {
    uint32_t event, hint;
};

struct hd_warning {
    const char *places[2];    /* names */
    struct hd_vec candidates; /* struct hd_candidate, in the order to be tried */
};

struct hd_lead {
    struct hd_vec threads; /* struct hd_steer_thread; 0 is the first thread */
    struct hd_vec choices; /* struct hd_steer_choice; threads by index into the above */
    uint32_t parked, hint; /* threads of a1 and a2, by index */
    uint32_t count;        /* events of the parked thread before a1 */
    bool writes, atomic;   /* a1 */
    bool direct;
};

/* The trace must be one that was recorded, and outlive it. HD_ERR_INPUT: it is not. On success the
 * caller frees *leads. */
enum hd_status hd_leads_new(const struct hd_trace *t, struct hd_leads **leads, struct hd_err *err);
void hd_leads_free(struct hd_leads *l); /* NULL is fine */

/* Warnings, by location. */
size_t hd_leads_count(const struct hd_leads *l);
const struct hd_warning *hd_leads_warning(const struct hd_leads *l, size_t i);

/* The lead of warning i for its candidate k. False: a1 is no event of the program itself. The
 * caller ends *lead with hd_lead_fini in any case. */
bool hd_leads_make(struct hd_leads *l, size_t i, size_t k, struct hd_lead *lead);
void hd_lead_fini(struct hd_lead *lead);

#endif
