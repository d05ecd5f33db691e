/* Candidate pairs: all conflicting pairs of a trace, in groups, without listing them.
 *
 * The accesses of one thread to one location from one source place, of one kind, under one set of
 * locks, form a class; a bundle is a pair of classes of different threads that conflict. A million
 * accesses of a loop are one class, and what the filters say of a bundle they say of all its pairs
 * at once. Bundles are grouped by their unordered pair of source places. A place is that of
 * the trace, or the spot where the world knows it (hd_predict_options).
 */
#ifndef HD_PREDICT_INDEX_CANDIDATES_H
#define HD_PREDICT_INDEX_CANDIDATES_H

#include "predict/index/world.h"

struct hd_class {
    uint32_t start, end; /* in events, in program order */
    uint32_t place;
    uint32_t lockset;
    hd_tid thread;
    uint8_t op;
};

struct hd_bundle {
    uint32_t x, y; /* classes; events of x come from the place that is smaller or equal */
};

struct hd_group {
    uint32_t place_x, place_y; /* place_x <= place_y */
    uint32_t start, end;       /* in bundles */
};

struct hd_candidates {
    hd_eid *events;
    size_t n_events;
    struct hd_vec classes; /* struct hd_class */
    struct hd_vec bundles; /* struct hd_bundle, by group */
    struct hd_vec groups;  /* struct hd_group, by first event */
    uint64_t pairs;        /* conflicting pairs of events */
};

struct hd_candidates *hd_candidates_new(const struct hd_world *w);
void hd_candidates_free(struct hd_candidates *c);

static inline const struct hd_class *hd_class_at(const struct hd_candidates *c, uint32_t id)
{
    return hd_vec_at(&c->classes, id);
}

/* For event e and the class y of another thread, the pairs that the must-order leaves open:
 * y's events with index in [*from, *to). */
void hd_candidates_open(const struct hd_world *w, const struct hd_candidates *c, hd_eid e,
                        const struct hd_class *y, uint32_t *from, uint32_t *to);

#endif
