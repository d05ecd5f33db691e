/* The inside of tokens.c and token_walk.c: one lock in hand. */
#ifndef HD_PREDICT_INDEX_TOKENS_INT_H
#define HD_PREDICT_INDEX_TOKENS_INT_H

#include "predict/index/tokens.h"

#include "base/hash.h"

/* An access to a location of the lock in hand, inside a section of it. */
struct hd_token_op {
    hd_eid event;
    uint32_t section; /* number + 1 */
};

struct hd_token {
    bool out;          /* it is none */
    bool quiet;        /* the holding in hand gets no section */
    hd_tid takers[2];  /* threads that seem to take it, two different ones if there are */
    uint32_t placed;   /* locations that hold it when the first other thread is made */
    uint32_t first;    /* thread + 1 that had it then */
    uint32_t n_fields; /* locations that count only while no thread has the token */
    uint32_t holder;   /* thread + 1, in the walk: the thread in hand has it */
    hd_eid taken;      /* the read by which; HD_EID_NONE: it had it in the beginning */
    uint32_t guard;    /* number + 1 */
    uint32_t stamp;    /* of the section in hand, for what follows */
    uint32_t ends;     /* locations that hold it in the end, written by the section */
    uint32_t live;     /* locations that count and hold it in the end */
    uint32_t fields_written;
    hd_eid write;    /* the first of the writes that stay */
    hd_eid source;   /* the read of it that found it in a location which counts */
    bool taken_here; /* the section in hand took it */
};

/* What the section in hand did with a location. */
struct hd_token_touch {
    uint32_t loc;
    hd_eid read;  /* before any write of the section; HD_EID_NONE: none */
    hd_eid write; /* the last; HD_EID_NONE: none */
};

/* A location that held a token which another location held as well, or that no thread brought, and
 * how often. */
struct hd_token_blame {
    uint32_t loc, count;
};

struct hd_token_search {
    struct hd_guard_search *s;
    const struct hd_sections *sections;
    struct hd_vec all;         /* struct hd_token_op, by thread, in program order */
    struct hd_vec ops;         /* of these, what is looked at */
    struct hd_u32vec places;   /* the locations of the lock in hand */
    struct hd_map ids;         /* what a token is called by to its index + 1 */
    struct hd_vec tokens;      /* struct hd_token */
    struct hd_map field_of;    /* location to token index + 1 */
    struct hd_map read;        /* locations that are looked at: some section reads them first */
    struct hd_map blame;       /* location to index + 1 into blamed */
    struct hd_vec blamed;      /* struct hd_token_blame */
    struct hd_u32vec left_out; /* locations that are not looked at */
    struct hd_map touch_ids;   /* location to index + 1 into touches */
    struct hd_vec touches;     /* struct hd_token_touch of the section in hand */
    struct hd_u32vec seen;     /* tokens of the section in hand */
    struct hd_u32vec held;     /* tokens of the thread in hand whose section may be open */
    uint32_t stamp;
    bool changed, emit, blaming;
    uint32_t last_end; /* position after the thread's last access in a section */
    uint32_t open;     /* tokens that the thread has */
};

/* A thread that does not take it cannot be kept out. */
static inline bool hd_token_of_two(const struct hd_token *v)
{
    return v->takers[0] != v->takers[1];
}

/* The token with this value, or NULL. */
struct hd_token *hd_token_of(const struct hd_token_search *k, struct hd_value value);

/* The n ops of one section into k->touches. */
void hd_token_touch_all(struct hd_token_search *k, const struct hd_token_op *ops, size_t n);

/* Walks all sections once; rules out tokens that are not in one place. Sets k->changed. */
void hd_token_walk(struct hd_token_search *k);

#endif
