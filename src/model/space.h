/* The states that can be reached from the initial one under some rule for steps, each kept once,
 * told apart by comparing them whole. Inside model/ only: enumerate.c asks it questions.
 *
 * States are numbered in the order found, breadth first; so a state with more events run has a
 * larger number, and the first way found to a state is one of the shortest. Since states are also
 * the queue, expanding 0, 1, 2, ... until none is left visits everything.
 */
#ifndef HD_MODEL_SPACE_H
#define HD_MODEL_SPACE_H

#include "base/vec.h"
#include "model/enumerate.h"
#include "model/state.h"

struct hd_space;

/* May e run in space->state, and which waiters may it wake? The default, when allow is NULL, is
 * docs/MODEL.md: e is enabled, any waiter. */
struct hd_space_rule {
    bool (*allow)(const struct hd_space *space, hd_eid e);
    bool (*choice)(const struct hd_space *space, hd_eid sig, hd_tid waiter);
    bool no_stale; /* leave out steps by which a read becomes stale */
};

/* How a state was first reached. */
struct hd_space_origin {
    uint32_t parent;
    hd_eid event; /* HD_EID_NONE for the initial state */
    hd_tid woken;
};

struct hd_space_edge {
    uint32_t to;
    hd_eid event;
};

struct hd_space {
    const struct hd_trace *t;
    const struct hd_space_rule *rule;
    const void *ctx; /* for the rule */
    size_t max_states;
    struct hd_layout layout;
    struct hd_state state;    /* the state loaded last */
    struct hd_u32vec enabled; /* events that may run in it, one for each thread at most */
    struct hd_state next;
    struct hd_vec blocks;        /* of all states */
    struct hd_vec origins;       /* struct hd_space_origin, beside them */
    struct hd_vec edges;         /* struct hd_space_edge, by state expanded */
    struct hd_u32vec edge_start; /* of each state expanded so far, and the end */
    uint32_t *slots;             /* open addressing over the key bytes: state number + 1 */
    size_t slot_cap;             /* a power of two */
};

/* Begins with the initial state. max_states 0: HD_ENUM_MAX_STATES, or as many as HD_SPACE_BYTES
 * hold. */
#define HD_SPACE_BYTES (UINT64_C(1) << 30)
void hd_space_init(struct hd_space *s, const struct hd_trace *t, const struct hd_space_rule *rule,
                   const void *ctx, size_t max_states);
void hd_space_fini(struct hd_space *s);

/* Puts state id into s->state and lists s->enabled. */
void hd_space_load(struct hd_space *s, uint32_t id);

/* Loads and expands the next state. False when that needs more states than allowed. Requires: one
 * is left. */
bool hd_space_expand(struct hd_space *s);

static inline size_t hd_space_expanded(const struct hd_space *s)
{
    return s->edge_start.len - 1;
}

static inline bool hd_space_done(const struct hd_space *s)
{
    return hd_space_expanded(s) == s->blocks.len;
}

/* The steps from an expanded state. */
static inline const struct hd_space_edge *hd_space_edges(const struct hd_space *s, uint32_t id,
                                                         size_t *n)
{
    *n = s->edge_start.data[id + 1] - s->edge_start.data[id];
    return (const struct hd_space_edge *)s->edges.data + s->edge_start.data[id];
}

/* The state after e, or UINT32_MAX when e cannot run there. For events that are no sig. */
uint32_t hd_space_after(const struct hd_space *s, uint32_t id, hd_eid e);

#endif
