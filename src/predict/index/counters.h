/* Counters: locations of which every write adds something to what it read, so that a fresh read
 * shows how much has been added and taken away before it.
 *
 * A location is a counter if all its writes are *links*: a write w whose value depends on a read r
 * of the same location by the same thread, with no thread able to write between the two: w is an
 * rmw and r its own read, or both stand in one section of a lock that every write of the location
 * is made under. Then the value of a fresh read is the initial value plus what the writes that have
 * run before it add (docs/algorithms/prediction.md has the argument), wherever and in whatever
 * order they ran.
 *
 * Immutable after new; safe to share between threads.
 */
#ifndef HD_PREDICT_INDEX_COUNTERS_H
#define HD_PREDICT_INDEX_COUNTERS_H

#include "predict/index/accesses.h"
#include "predict/index/held_sections.h"

/* What the first writes of a thread to a counter add and take away together. */
struct hd_counter_sum {
    int64_t up, down;
};

struct hd_counter {
    int64_t base;   /* the initial value */
    size_t sums;    /* index of the sum of the location's first write in locs->writes */
    uint32_t first; /* that write's index */
    struct hd_counter_sum all, most; /* of all threads together; the largest of one thread */
    hd_eid begin; /* the store that made the base; HD_EID_NONE: the initial value */
    hd_eid end;   /* the write from which on it is no counter; HD_EID_NONE: there is none */
};

struct hd_counters {
    size_t n_locs;
    uint32_t *of;       /* by location: counter + 1, or 0 */
    struct hd_vec list; /* struct hd_counter */
    struct hd_vec sums; /* struct hd_counter_sum: up to and with each write, by thread */
};

struct hd_world;

struct hd_counters *hd_counters_new(const struct hd_trace *t, const struct hd_accesses *locs,
                                    const struct hd_sections *sections);
/* Adds locations that are counters for a while: from a store on, which must come before all links,
 * up to another write, as in an object that is made and freed. True: there are some. */
bool hd_counters_add_lives(struct hd_counters *c, const struct hd_world *w);
void hd_counters_free(struct hd_counters *c);

/* NULL: the location is no counter. */
static inline const struct hd_counter *hd_counter_of(const struct hd_counters *c, uint32_t loc)
{
    return c->of[loc] ? hd_vec_at(&c->list, c->of[loc] - 1) : NULL;
}

/* The sum of the user's writes before index i of locs->writes. */
static inline struct hd_counter_sum hd_counter_before(const struct hd_counters *c,
                                                      const struct hd_counter *counter,
                                                      const struct hd_loc_user *user, uint32_t i)
{
    if (i == user->wstart)
        return (struct hd_counter_sum){0, 0};
    return *(struct hd_counter_sum *)hd_vec_at(&c->sums, counter->sums + i - 1 - counter->first);
}

#endif
