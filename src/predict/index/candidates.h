/* Candidate pairs: all conflicting pairs of a trace, in groups, without listing them.
 *
 * The accesses of one thread to one location from one source place, of one kind, under one set of
 * locks, form a class; a bundle is a pair of classes of different threads that conflict. A million
 * accesses of a loop are one class, and what the filters say of a bundle they say of all its pairs
 * at once. Bundles are grouped by their unordered pair of source places. A place is that of
 * the trace, or the spot where the world knows it (hd_predict_options).
 *
 * With many threads there are many more bundles than pairs of places, and too many to be kept for
 * even one group. So a walk makes them one after the other. All classes of one location and place
 * form a site; a link is two sites that have a conflicting pair, and a group is the links of its
 * places. What it takes to know that there is such a pair is who reads and who writes at a site,
 * not its classes.
 */
#ifndef HD_PREDICT_INDEX_CANDIDATES_H
#define HD_PREDICT_INDEX_CANDIDATES_H

#include "predict/index/world.h"

struct hd_class {
    uint32_t start, end; /* in events, in program order */
    uint32_t place;
    uint32_t lockset, held; /* of the first event */
    hd_tid thread;
    uint8_t op;
};

struct hd_bundle {
    uint32_t x, y; /* classes; events of x come from the place that is smaller or equal */
};

/* Which thread does it at a site: a thread, or one of these. */
#define HD_SITE_NOBODY UINT32_MAX
#define HD_SITE_MANY   (UINT32_MAX - 1)

struct hd_place_site {
    uint32_t loc, place;
    uint32_t start, end; /* in site_classes */
    uint32_t who[4];     /* reads, writes, atomic reads, atomic writes */
};

struct hd_site_pair {
    uint32_t x, y; /* sites of one location, x's place being smaller; or one site */
};

struct hd_group {
    uint32_t place_x, place_y; /* place_x <= place_y */
    uint32_t start, end;       /* in links */
};

struct hd_candidates {
    hd_eid *events;
    size_t n_events;
    struct hd_vec classes;         /* struct hd_class; those of a location stand together */
    struct hd_u32vec site_classes; /* classes by location, place, number */
    struct hd_vec sites;           /* struct hd_place_site, by location and place */
    struct hd_vec links;           /* struct hd_site_pair, by group and location */
    struct hd_vec groups;          /* struct hd_group, by places */
    uint64_t pairs;                /* conflicting pairs of events */
};

struct hd_candidates *hd_candidates_new(const struct hd_world *w);
void hd_candidates_free(struct hd_candidates *c);

static inline const struct hd_class *hd_class_at(const struct hd_candidates *c, uint32_t id)
{
    return hd_vec_at(&c->classes, id);
}

static inline const struct hd_place_site *hd_site_at(const struct hd_candidates *c, uint32_t id)
{
    return hd_vec_at(&c->sites, id);
}

/* The bundles of a group one after the other, those of one location together. */
struct hd_bundle_walk {
    const struct hd_candidates *c;
    uint32_t link, end; /* of the group */
    uint32_t i, k;      /* in site_classes: the next to look at, in the sites of the link */
};
struct hd_bundle_walk hd_bundle_walk(const struct hd_candidates *c, const struct hd_group *group);
bool hd_bundle_next(struct hd_bundle_walk *walk, struct hd_bundle *bundle); /* false: no more */

/* How many conflicting pairs of events the group has, and one of them, without listing bundles. */
uint64_t hd_candidates_count(const struct hd_candidates *c, const struct hd_group *group,
                             hd_eid pair[2]);

/* *pairs: how many of them the locks exclude, in a time that does not depend on how many there are.
 * False: not known, since its accesses have too many sets of locks. */
bool hd_candidates_locked(const struct hd_candidates *c, const struct hd_sections *s,
                          const struct hd_group *group, uint64_t *pairs);

/* True: the locks exclude all of them, since all accesses of two linked sites are made under one
 * lock. Takes time by classes, not by pairs of them. False: not known. */
bool hd_candidates_one_lock(const struct hd_candidates *c, const struct hd_sections *s,
                            const struct hd_group *group);

/* For event e and the class y of another thread, the pairs that the must-order leaves open:
 * y's events with index in [*from, *to). */
void hd_candidates_open(const struct hd_world *w, const struct hd_candidates *c, hd_eid e,
                        const struct hd_class *y, uint32_t *from, uint32_t *to);

#endif
