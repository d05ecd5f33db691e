/* The events on each object, by thread: what candidate pairs, sources of reads, notifiers, posts
 * and arrivals are looked up in.
 *
 * A user of an object is one thread's events on it, in program order. Those that give something to
 * others (writes, notifications, posts, arrivals) are listed a second time on their own, so that
 * "the last write of thread u to x before position p" is a binary search. Immutable after new; safe
 * to share between threads.
 */
#ifndef HD_PREDICT_INDEX_ACCESSES_H
#define HD_PREDICT_INDEX_ACCESSES_H

#include "base/vec.h"
#include "trace/trace.h"

struct hd_loc_user {
    hd_tid thread;
    uint32_t start, end;   /* in list: all events */
    uint32_t wstart, wend; /* in writes: those that give */
};

struct hd_accesses {
    const struct hd_trace *t;
    enum hd_obj_kind kind;
    hd_eid *list;
    hd_eid *writes;
    size_t n_list, n_writes;
    uint32_t *user_start; /* by object; one more at the end */
    struct hd_vec users;  /* struct hd_loc_user, grouped by object, by thread */
    uint32_t *by_value;   /* LOC: each object's part of writes as indices, by value, then index */
    /* LOC: by index in writes, the place of its value among those that are written to the object,
     * or HD_VALUE_RANK_MANY. */
    uint8_t *value_rank;
};

/* There are more values than so. */
#define HD_VALUE_RANK_MANY 16

/* kind: LOC, COND, SEM or BARRIER. */
struct hd_accesses *hd_accesses_new(const struct hd_trace *t, enum hd_obj_kind kind);
void hd_accesses_free(struct hd_accesses *a);

/* The users of an object; *n is their number. NULL when there are none. */
static inline const struct hd_loc_user *hd_accesses_users(const struct hd_accesses *a, uint32_t obj,
                                                          size_t *n)
{
    *n = a->user_start[obj + 1] - a->user_start[obj];
    return *n ? hd_vec_at(&a->users, a->user_start[obj]) : NULL;
}

/* Index into writes of the user's first write at position >= pos of its thread; wend when none. */
uint32_t hd_accesses_write_from(const struct hd_accesses *a, const struct hd_loc_user *user,
                                uint32_t pos);

/* The same, quicker when the answer is not far from index `near`. */
uint32_t hd_accesses_write_near(const struct hd_accesses *a, const struct hd_loc_user *user,
                                uint32_t pos, uint32_t near);

/* The same for the user's first write at or after event e of the trace. */
uint32_t hd_accesses_write_after(const struct hd_accesses *a, const struct hd_loc_user *user,
                                 hd_eid e, uint32_t near);

/* The same in list: its first event of any kind at position >= pos; end when none. */
uint32_t hd_accesses_from(const struct hd_accesses *a, const struct hd_loc_user *user,
                          uint32_t pos);

/* LOC: the writes of one value to an object, ascending in by_value from start to end - 1. */
struct hd_value_writes {
    uint32_t start, end;
};
struct hd_value_writes hd_accesses_values(const struct hd_accesses *a, uint32_t obj,
                                          struct hd_value value);

/* The same, quicker when they are not far from place `near` in by_value. */
struct hd_value_writes hd_accesses_values_near(const struct hd_accesses *a, uint32_t obj,
                                               struct hd_value value, uint32_t near);

/* Index into writes of the first of these that is the user's, at or after index i; wend when none.
 * `user` is one of the object. */
uint32_t hd_accesses_value_from(const struct hd_accesses *a, const struct hd_loc_user *user,
                                struct hd_value_writes values, uint32_t i);

#endif
