/* The inside of tokens.c, token_places.c and token_walk.c: one lock in hand. */
#ifndef HD_PREDICT_INDEX_TOKENS_INT_H
#define HD_PREDICT_INDEX_TOKENS_INT_H

#include "predict/index/guarded.h"
#include "predict/index/tokens.h"

#include "base/hash.h"
#include "base/marks.h"

/* An access to a location of the lock in hand, inside a section of it. */
struct hd_token_op {
    hd_eid event;
    uint32_t section; /* number + 1 */
};

struct hd_token {
    uint64_t bits;     /* the value */
    bool out;          /* it is none */
    bool quiet;        /* the holding in hand gets no section */
    hd_tid takers[2];  /* threads that seem to take it or look at it, two different ones if there
                        * are; the first takes it */
    uint32_t placed;   /* locations that hold it when the first other thread is made */
    uint32_t first;    /* thread + 1 that had it then */
    uint32_t n_fields; /* locations that count only while no thread has the token */
    uint32_t holder;   /* thread + 1, in the walk: the thread in hand has it */
    uint32_t since;    /* from this position on, for certain; 0: in the beginning */
    uint32_t open;     /* the position where its section may begin */
    uint32_t guard;    /* number + 1 */
    uint32_t stamp;    /* of the section in hand, for what follows */
    uint32_t ends;     /* locations that hold it in the end, written by the section */
    uint32_t live;     /* locations that count and hold it in the end */
    uint32_t fields_written;
    hd_eid write;   /* the first of the writes that stay */
    hd_eid source;  /* the read that found it in a location which counts */
    uint32_t where; /* from this position on that location counted for certain */
    uint32_t sure;  /* from this position on it was there for certain; UINT32_MAX: never */
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

/* A location from which values seem to be taken, and how often. */
struct hd_token_head {
    uint32_t loc, takes;
};

/* A value was read at `from` and stored at `to`. */
struct hd_token_copy {
    uint32_t to, from;
};

/* Of one thread: behind the event at `open`, up to the one at `close` (UINT32_MAX: it does not
 * end), it has a token or knows that no thread has it. */
struct hd_token_stretch {
    hd_tid thread;
    uint32_t open, close;
    uint32_t token; /* number; for those that are chosen later */
};

/* The accesses of one thread to locations that no lock guards. */
struct hd_token_bare {
    struct hd_marks at;
    struct hd_u32vec locs; /* by mark */
};

struct hd_token_search {
    struct hd_guard_search *s;
    const struct hd_sections *sections;
    struct hd_vec all;          /* struct hd_token_op, by thread, in program order */
    struct hd_vec ops;          /* of these, what is looked at */
    struct hd_u32vec places;    /* the locations of the lock in hand */
    struct hd_map ids;          /* what a token is called by to its index + 1 */
    struct hd_vec tokens;       /* struct hd_token */
    struct hd_map field_of;     /* location to token index + 1 */
    struct hd_map read;         /* locations that are looked at: some section reads them first */
    struct hd_map blame;        /* location to index + 1 into blamed */
    struct hd_vec blamed;       /* struct hd_token_blame */
    struct hd_u32vec left_out;  /* locations that are not looked at */
    struct hd_vec heads;        /* struct hd_token_head, those with most takes first */
    struct hd_map head_ids;     /* location to index + 1 into heads */
    struct hd_vec copies;       /* struct hd_token_copy, by `to` */
    struct hd_map chosen;       /* locations that are in k->places */
    struct hd_map tried;        /* heads whose locations were tried with another one */
    size_t budget;              /* how many accesses may still be collected */
    struct hd_map touch_ids;    /* location to index + 1 into touches */
    struct hd_vec touches;      /* struct hd_token_touch of the section in hand */
    struct hd_map used;         /* events that open or close sections of guards that were added */
    struct hd_token_bare *bare; /* by thread */
    struct hd_vec stretches;    /* struct hd_token_stretch: of tokens of later tries */
    uint32_t later;             /* how many tokens these are */
    bool again;                 /* not the first try under the lock in hand */
    struct hd_map done;         /* values that have sections under the lock in hand */
    struct hd_u32vec seen;      /* tokens of the section in hand */
    struct hd_u32vec held;      /* tokens of the thread in hand whose section may be open */
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

/* Whether the section in hand seems to take what x holds: reads it, something depends on that, and
 * it is overwritten. */
bool hd_token_seems_taken(const struct hd_token_search *k, const struct hd_token_touch *x);

/* Calls it with the touches of each section of k->ops. */
void hd_token_for_sections(struct hd_token_search *k, void (*visit)(struct hd_token_search *k));

/* The heads and copies of k->ops. */
void hd_token_places_find(struct hd_token_search *k);

/* The head and all that its values are copied from, to k->places. */
void hd_token_places_from(struct hd_token_search *k, uint32_t head);

/* The n ops of one section into k->touches. */
void hd_token_touch_all(struct hd_token_search *k, const struct hd_token_op *ops, size_t n);

/* Before hd_token_section and after the last. */
void hd_token_sections_init(struct hd_token_search *k, struct hd_stretch span);
void hd_token_sections_fini(struct hd_token_search *k);

/* Adds a section of the token's guard where it is asked for (k->emit), or keeps it for
 * hd_token_sections_choose (k->again). look: the thread does not have the token. */
void hd_token_section(struct hd_token_search *k, struct hd_token *v, struct hd_token_stretch x,
                      bool look);

/* Of the tokens that were kept, adds the sections of those that are of use. */
void hd_token_sections_choose(struct hd_token_search *k);

/* Walks all sections once; rules out tokens that are not in one place. Sets k->changed. */
void hd_token_walk(struct hd_token_search *k);

#endif
