/* The inside of a builder, for builder.c and for the .hdt reader, which fills whole columns at
 * once. Only trace/ include this. */
#ifndef HD_TRACE_BUILDER_INT_H
#define HD_TRACE_BUILDER_INT_H

#include "base/hash.h"
#include "base/vec.h"
#include "trace/builder.h"

/* What memory holds at a location, as far as the events added so far show, and how many there are:
 * both in 16 bytes, so that an access touches one cache line for its location. */
struct hd_loc_state {
    uint64_t bits;
    uint32_t events;     /* accesses so far */
    uint8_t unique;      /* as in struct hd_value */
    uint8_t written;     /* a write has been added */
    uint8_t known;       /* bits and unique are meaningful */
    uint8_t provisional; /* some initial reads got a placeholder value */
};

static inline struct hd_value hd_loc_now(const struct hd_loc_state *state)
{
    return (struct hd_value){state->bits, state->unique};
}

static inline void hd_loc_set(struct hd_loc_state *state, struct hd_value now)
{
    state->bits = now.bits;
    state->unique = now.unique;
    state->known = 1;
}

struct hd_builder {
    struct hd_trace *t;
    size_t cap; /* events that the columns have room for */
    bool control_given;
    bool exclusions;                     /* an event of one was added */
    struct hd_vec locs;                  /* struct hd_loc_state by location */
    struct hd_vec inits;                 /* struct hd_loc_init by location */
    struct hd_vec sem_given;             /* uint64_t by semaphore: count + 1, or 0 */
    struct hd_vec barrier_given;         /* uint64_t by barrier: size, or 0 */
    struct hd_u32vec uses[HD_OBJ_KINDS]; /* events by object; those of a location are in locs */
    struct hd_u32vec thread_len;         /* events by thread */
    struct hd_u32vec fork_of;            /* by thread */
    struct hd_u32vec waiting; /* by thread: its last event if that is a wait, else HD_EID_NONE */
    struct hd_vec rmw;        /* struct hd_rmw */
    struct hd_u32vec dep_pool;
    struct hd_u32vec record;    /* the dependence record being put together */
    struct hd_u32vec dep_guess; /* by place: the record of its last event */
    struct hd_vec lines;        /* struct hd_line_run */
    uint64_t next_line;         /* where the next event stands if its run goes on */
    struct hd_map dep_ids;      /* hash of a record to its offset */
};

/* What all columns take for an event, without the indices. */
enum { HD_BUILDER_EVENT_BYTES = 30 };

/* Makes room for `more` further events in every column. */
void hd_builder_reserve(struct hd_builder *b, size_t more);

/* Counts an event on an object, for the indices. */
static inline void hd_builder_use(struct hd_builder *b, enum hd_obj_kind kind, uint32_t obj)
{
    if (kind == HD_OBJ_LOC)
        ((struct hd_loc_state *)b->locs.data)[obj].events++;
    else if (kind < HD_OBJ_KINDS)
        b->uses[kind].data[obj]++;
}

/* Settles the value columns of the access just written at event e, whose value is given or omitted.
 * Its flags hold its order and nothing else. */
void hd_builder_settle(struct hd_builder *b, hd_eid e, const struct hd_event *ev);

/* index.c: the by_obj indices of finished columns, from the counts in the builder. False: the user
 * asked to stop, and they are not whole. */
bool hd_builder_index(struct hd_builder *b);

#endif
