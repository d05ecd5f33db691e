/* The inside of ownership.c, ownership_guess.c and ownership_walk.c. */
#ifndef HD_PREDICT_INDEX_OWNERSHIP_INT_H
#define HD_PREDICT_INDEX_OWNERSHIP_INT_H

#include "predict/index/ownership.h"

#include "base/hash.h"

/* A value that seems to be the address of an object. */
struct hd_owned_object {
    bool out;            /* it is none */
    uint32_t placed;     /* locations that hold it in the first state */
    uint32_t first;      /* thread + 1 that has it in the first state */
    uint32_t next_first; /* the next one of that thread, + 1 */
    uint32_t links;      /* the first of its locations that hold objects, + 1 */
    /* What the thread in hand knows about it, if round is that of the walk. */
    uint32_t round;
    bool has;
    uint32_t holding; /* number of the time that it has it, from 1 */
    uint32_t slot;    /* of the place it came from, + 1; 0: it had it in the beginning */
    uint32_t place;   /* location + 1; 0: the thread's hands */
    hd_eid read;      /* by which the thread knows; HD_EID_NONE: it had it in the beginning */
    uint32_t since;   /* position in the thread: an event there or later runs only if `read` is
                       * fresh */
};

enum hd_domain {
    HD_DOMAIN_NONE,   /* nothing is known about who may write it */
    HD_DOMAIN_LOCK,   /* all writes are made under a lock */
    HD_DOMAIN_OBJECT, /* a part of an object */
};

struct hd_owned_loc {
    uint8_t domain;
    bool holds;         /* addresses of objects are written to it */
    uint32_t of;        /* lock or object + 1 */
    uint32_t slot;      /* the first of the locations that the same source places use: `next` */
    uint32_t lock;      /* lock + 1 that all writes are made under; 0: none */
    uint32_t next_link; /* the next link of the same object, + 1 */
    /* What the thread in hand knows about it, if round is that of the walk. */
    uint32_t round;
    uint32_t at;      /* object + 1 whose place it is */
    uint32_t content; /* object + 1 that it may hold though it is not its place; 0: none */
    uint32_t written; /* holding of its object in which the thread has written it */
};

struct hd_ownership {
    const struct hd_trace *t;
    const struct hd_accesses *locs;
    const uint32_t *needed_at;
    const struct hd_sections *sections;
    uint8_t *owned;
    hd_eid early;          /* events before it are of one thread, which makes all others later */
    struct hd_map ids;     /* address to object + 1 */
    struct hd_vec objects; /* struct hd_owned_object */
    struct hd_owned_loc *loc;
    struct hd_map dead; /* slot << 32 | slot: links of this slot may hold anything while their
                         * object's place is one of that slot */
    uint32_t *first_of; /* by thread: the first object that it has in the beginning, + 1 */
    uint32_t *held_at;  /* by lock: the round in which the thread in hand holds it */
    bool changed, emit;
    uint32_t round;           /* of the walk: another one for each thread */
    uint32_t holdings;        /* of the thread in hand */
    struct hd_u32vec placed;  /* locations of locks that are the place of an object */
    struct hd_u32vec spoiled; /* locations of locks with content */
    struct hd_u32vec stack;
};

static inline struct hd_owned_object *hd_owned_at(const struct hd_ownership *k, uint32_t id)
{
    return hd_vec_at(&k->objects, id - 1);
}

/* The number + 1 of the object with this address; 0: there is none. */
static inline uint32_t hd_owned_of(const struct hd_ownership *k, struct hd_value value)
{
    uint32_t id;
    if (value.unique || !hd_map_get(&k->ids, value.bits, &id) || hd_owned_at(k, id)->out)
        return 0;
    return id;
}

/* Guesses which locations belong to which objects: those that no lock protects, and those that no
 * thread uses unless it has just come across that object. */
void hd_ownership_guess(struct hd_ownership *k);

/* Finds the slots of locations that hold objects. */
void hd_ownership_slots(struct hd_ownership *k);

/* Walks all threads once. k->changed: an object or a location was ruled out. With k->emit, owned
 * is filled. */
void hd_ownership_walk(struct hd_ownership *k);

#endif
