/* The inside of ownership.c and of the files whose names begin with ownership_. */
#ifndef HD_PREDICT_INDEX_OWNERSHIP_INT_H
#define HD_PREDICT_INDEX_OWNERSHIP_INT_H

#include "predict/index/guarded.h"
#include "predict/index/ownership.h"

#include "base/hash.h"

/* A value that seems to be the address of an object. */
struct hd_owned_object {
    bool out;              /* it is none */
    uint32_t placed;       /* locations that hold it in the first state */
    uint32_t placed_units; /* of these, locations with a unit */
    uint32_t first_at;     /* one of these, + 1 */
    uint32_t first;        /* thread + 1 that has it in the first state */
    uint32_t next_first;   /* the next one of that thread, + 1 */
    uint32_t links;        /* the first of its locations that hold objects, + 1 */
    uint32_t count;        /* the location that holds how many share it, + 1; 0: it is not shared */
    uint32_t inner;        /* the lock that is a part of it, + 1; 0: none */
    uint32_t guard;        /* lock + 1 under which those who share it change the count; 0: none */
    /* Locks that guard the count so far in this walk over all threads. */
    uint32_t locks[4], n_locks;
    bool changed, plain; /* those who share it changed the count; by a read and a write */
    /* What the thread in hand knows about it, if round is that of the walk. */
    uint32_t round;
    bool has;
    uint32_t holding; /* number of the time that it has it, from 1 */
    uint32_t slot;    /* of the place it came from, + 1; 0: it had it in the beginning */
    uint32_t place;   /* location + 1; 0: the thread's hands */
    hd_eid read;      /* by which the thread knows; HD_EID_NONE: it had it in the beginning */
    uint32_t since;   /* position in the thread: an event there or later runs only if `read` is
                       * fresh */
    bool open;        /* its parts are of who is inside */
    bool closed;      /* the thread has closed it: links of it may lead to what is open */
    bool inside;      /* the thread took the inner lock while it had the object, and holds it */
    uint32_t inside_since; /* as since */
    int64_t number; /* while the thread has it: what the count holds unless unknown; -1: anything */
    /* While others may share it: */
    int64_t units;        /* of the count, that are the thread's */
    uint32_t units_since; /* as since */
    uint32_t seen;        /* location + 1 of the thread's that has a unit */
    uint32_t seen_since;
    uint32_t left; /* section + 1 of the guard in which the thread's last unit went */
    bool added;    /* to the count, while the object was at its place */
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
    uint32_t first;     /* object + 1 whose address it holds in the first state */
    uint32_t near;      /* object + 1 that most of its users had come across */
    uint32_t count_of;  /* object + 1 whose count it is */
    bool unit;          /* of a slot: what is counted has a unit in it, not its place */
    bool open;          /* of a slot: what has its place there is open */
    /* What the thread in hand knows about it, if round is that of the walk. */
    uint32_t round;
    uint32_t at;      /* object + 1 whose place it is */
    uint32_t content; /* object + 1 that it may hold though it is not its place; 0: none */
    uint32_t written; /* holding of its object in which the thread has written it */
    uint32_t since;   /* of the unit that it has: as in the object */
    hd_eid read;      /* a count: the thread's last read since its last write; HD_EID_NONE: none */
};

struct hd_ownership {
    const struct hd_trace *t;
    const struct hd_accesses *locs;
    const uint32_t *needed_at;
    const struct hd_sections *sections;
    uint8_t *owned;
    struct hd_stretch span; /* the events that are looked at */
    struct hd_map ids;      /* address to object + 1 */
    struct hd_vec objects;  /* struct hd_owned_object */
    struct hd_owned_loc *loc;
    struct hd_map dead; /* slot << 32 | slot: links of this slot may hold anything while their
                         * object's place is one of that slot */
    uint32_t *first_of; /* by thread: the first object that it has in the beginning, + 1 */
    uint32_t *held_at;  /* by lock: the round in which the thread in hand holds it */
    uint32_t *inner_of; /* by lock: object + 1 that it is a part of; 0: none */
    bool inner;         /* inner locks are looked at, else all objects are closed */
    bool changed, emit;
    bool left_out;              /* by this walk: locations that do not belong to what they seemed */
    struct hd_u32vec uncounted; /* the same: objects whose count is none, */
    struct hd_u32vec ruled_out; /* and those that are none; see settle_walk */
    bool guessing;              /* a walk that finds locations with units and rules out nothing */
    uint32_t round;             /* of the walk: another one for each thread */
    uint32_t holdings;          /* of the thread in hand */
    struct hd_u32vec placed;    /* locations of locks that are the place of an object */
    struct hd_u32vec spoiled;   /* locations of locks with content */
    struct hd_u32vec stack;
};

static inline struct hd_owned_object *hd_owned_at(const struct hd_ownership *k, uint32_t id)
{
    return hd_vec_at(&k->objects, id - 1);
}

/* No object has a smaller address. */
enum { HD_OWNED_LEAST = 4096 };

/* The number + 1 of the object with this address; 0: there is none. */
static inline uint32_t hd_owned_of(const struct hd_ownership *k, struct hd_value value)
{
    uint32_t id;
    if (value.unique || value.bits < HD_OWNED_LEAST || !hd_map_get(&k->ids, value.bits, &id) ||
        hd_owned_at(k, id)->out)
        return 0;
    return id;
}

/* What the thread in hand knows of the object, made empty at the begin of its walk. */
struct hd_owned_object *hd_ownership_known(const struct hd_ownership *k, uint32_t id);
/* The same of a location. */
struct hd_owned_loc *hd_owned_loc(const struct hd_ownership *k, uint32_t loc);

/* Guesses which locations belong to which objects: those that no lock protects, and those that no
 * thread uses unless it has just come across that object. And which locks do, by who takes them. */
void hd_ownership_guess(struct hd_ownership *k);

/* Finds the slots of locations that hold objects. */
void hd_ownership_slots(struct hd_ownership *k);

/* Guesses which of its locations is the count of an object. */
void hd_ownership_guess_counts(struct hd_ownership *k);

/* Finds where objects are in the first state, and rules out those that are at two places. Done
 * before each walk, since what locations belong to changes. */
void hd_ownership_first(struct hd_ownership *k);

/* Walks all threads once. k->changed: an object or a location was ruled out. With k->emit, owned
 * is filled. */
void hd_ownership_walk(struct hd_ownership *k);

/* ---- the walk's parts ---- */

void hd_ownership_rule_out(struct hd_ownership *k, uint32_t id);
void hd_ownership_spoil(struct hd_ownership *k, uint32_t loc, uint32_t id);
/* The thread gives the object's links to others. slot: of its place, see hd_ownership_slot_at. */
void hd_ownership_drop(struct hd_ownership *k, uint32_t id, uint32_t slot, uint32_t pos);
/* The same of the links of an open object that the thread is inside of. */
void hd_ownership_drop_links(struct hd_ownership *k, uint32_t id, uint32_t pos);
void hd_ownership_learn(struct hd_ownership *k, uint32_t id, uint32_t slot, hd_eid read,
                        uint32_t since);

/* True: the thread has, or would have if a read were fresh, the object. */
bool hd_ownership_knows(const struct hd_ownership *k, uint32_t id);

/* ---- objects with a lock, ownership_inner.c ---- */

/* Stands for the slots of all places at which objects are open. */
#define HD_SLOT_OPEN (UINT32_MAX - 1)
/* The slot of the location, HD_SLOT_OPEN if what has its place there is open. */
uint32_t hd_ownership_slot_at(const struct hd_ownership *k, uint32_t loc);
/* True: the parts of the object are the thread's whenever its event at `pos` is enabled. */
bool hd_ownership_has_parts(const struct hd_ownership *k, uint32_t id, uint32_t pos);
/* The thread takes, and gives back, a lock. */
void hd_ownership_enter(struct hd_ownership *k, uint32_t lock);
void hd_ownership_leave(struct hd_ownership *k, uint32_t lock, uint32_t pos);
/* The thread, which has the object and is inside, makes it its own. */
void hd_ownership_close(struct hd_owned_object *v);

/* ---- counted objects, ownership_counts.c ---- */

/* True: the location has a unit of the object, if it has its address. */
bool hd_ownership_is_unit(const struct hd_ownership *k, uint32_t loc, uint32_t id);
/* A read, an overwriting and a giving back of a location with a unit. */
void hd_ownership_see_unit(struct hd_ownership *k, uint32_t id, uint32_t loc, uint32_t since);
void hd_ownership_take_unit(struct hd_ownership *k, uint32_t loc);
void hd_ownership_forget_unit(struct hd_ownership *k, uint32_t loc);
/* The location gets a unit that is in the thread's hands, or (moves) at another of its locations.
 * False: there is none for certain. */
bool hd_ownership_give_unit(struct hd_ownership *k, uint32_t id, uint32_t loc, uint32_t pos,
                            bool moves);
/* 2: the thread has the object whenever its event at `pos` is enabled; 1: it shares it; 0: neither
 * is certain. */
uint8_t hd_ownership_share(const struct hd_ownership *k, uint32_t id, uint32_t pos);
/* An access to the count of an object. */
void hd_ownership_count(struct hd_ownership *k, hd_eid e);
/* Begin and end of a walk over all threads. */
void hd_ownership_begin_counts(struct hd_ownership *k);
void hd_ownership_end_counts(struct hd_ownership *k);

#endif
