/* The inside of frontier.h, shared by frontier.c (the search) and frontier_state.c (states). */
#ifndef HD_PREDICT_SEARCH_FRONTIER_INT_H
#define HD_PREDICT_SEARCH_FRONTIER_INT_H

#include "base/hash.h"
#include "predict/search/frontier.h"

/* Threads that stand in a round of a barrier are bits of a cell. */
enum { HD_FRONTIER_THREADS = 32 };

/* Of a thread: cells->flags. Lost: a branch that must have happened before where it stands has
 * found a read before it stale. */
enum {
    HD_FRONTIER_WAITS = 1,
    HD_FRONTIER_NOTIFIED = 2,
    HD_FRONTIER_STALE = 4,
    HD_FRONTIER_LOST = 8
};

/* Words before a state in `keys`: all can run from there; the next one with its hash, or
 * UINT32_MAX. */
enum { HD_FRONTIER_WHOLE, HD_FRONTIER_LINK, HD_FRONTIER_HEAD };

/* A state: all of it is one array of cells. */
struct hd_frontier_cells {
    uint32_t *all;
    size_t n;
    uint32_t *pos;   /* by thread: how many of its events have run */
    uint32_t *flags; /* by thread */
    uint32_t *value; /* by location: of the value it holds, see read_id; 0: unknown */
    uint32_t *round; /* by barrier: bits of the threads whose latest arrival is in the round that is
                        not complete */
    uint32_t *here;  /* by barrier: how many have arrived in that round */
    uint32_t *owner; /* by lock: the thread that owns it, + 1; 0: none */
    uint32_t *shared; /* by lock and thread: it holds the lock for reading */
    uint32_t *count;  /* by semaphore */
};

struct hd_frontier_change {
    uint32_t cell, old;
};

/* One way to go on: an event, and for a sig the thread it notifies. */
struct hd_frontier_move {
    hd_eid event;
    hd_tid woken; /* HD_TID_NONE: none */
};

/* The accesses of one location by one thread. */
struct hd_frontier_user {
    hd_tid thread;
    hd_eid *next; /* by position in the thread, [0, its length]: the first from there on */
};

struct hd_frontier {
    const struct hd_world *w;
    const struct hd_matching *matching;
    const struct hd_frontier_question *q;
    size_t threads;
    uint32_t *read_id, *write_id; /* by event: equal for equal values, from 1 */
    uint32_t *initial_id;         /* by location; 0: unknown */
    struct hd_frontier_cells now;
    uint32_t *base;        /* the cells at the beginning of window [from, to) */
    hd_eid from, to;       /* or to == 0 */
    uint32_t *end;         /* by thread: its events before `to` */
    const uint32_t *fresh; /* by thread: reads below must be fresh */
    uint32_t *useful;      /* by thread: reads below may matter, see find_useful */
    uint32_t *last_read;   /* by user of a location: one more than the position of its last read
                              that may matter; 0: none */
    uint32_t question;     /* a number for each */
    uint32_t *asked;       /* by event: of reads, the question that last_source is of */
    uint32_t *last_source; /* by event and thread: of reads, one more than the position of the last
                              write that may be its source; 0: none */
    struct hd_vec next;    /* struct hd_frontier_user, or none when there are too many */
    struct hd_vec log;     /* struct hd_frontier_change */
    struct hd_u32vec order;
    struct hd_vec moves;   /* struct hd_frontier_move, of all frames */
    struct hd_vec frames;  /* struct frame of frontier.c */
    struct hd_map seen;    /* hash of a state: the place in keys of the last one with it */
    struct hd_u32vec keys; /* states, see write_key */
    uint64_t states;
    struct hd_meetings *meetings;    /* of hd_frontier_find_meetings; otherwise NULL */
    struct hd_frontier_pairs *pairs; /* of hd_frontier_find_pairs; otherwise NULL */
    const uint8_t *branch;           /* the same */
    struct hd_frontier *rest;        /* the same, kept: what is left, without regard to values */
    bool again;                      /* it is a `rest`: states that it knows are answers */
};

/* ---- frontier_pairs.c: the pairs that are looked for ---- */

struct hd_frontier_pairs;
struct hd_frontier_pairs *hd_frontier_pairs_new(const struct hd_frontier *f,
                                                struct hd_frontier_pair *list, size_t n);
void hd_frontier_pairs_free(struct hd_frontier_pairs *p);
/* The event is of a pair that is not found yet. */
bool hd_frontier_pairs_want(const struct hd_frontier_pairs *p, hd_eid e);
/* One that is not found yet may lie ahead of the state in hand. */
bool hd_frontier_pairs_ahead(const struct hd_frontier_pairs *p, const struct hd_frontier *f);
/* The pair that is not found yet whose events the two threads stand before, both enabled and
 * neither lost, or NULL. */
struct hd_frontier_pair *hd_frontier_pairs_at(const struct hd_frontier_pairs *p,
                                              const struct hd_frontier *f, hd_tid u, hd_tid v);
/* The pair is found. True: all are. */
bool hd_frontier_pairs_take(struct hd_frontier_pairs *p, struct hd_frontier_pair *pair);
bool hd_frontier_pairs_all(const struct hd_frontier_pairs *p); /* all are found */

/* ---- frontier_state.c ---- */

void hd_frontier_init_state(struct hd_frontier *f);
void hd_frontier_fini_state(struct hd_frontier *f);
/* Takes the window of the question; the state is that at its beginning. */
void hd_frontier_start(struct hd_frontier *f);

/* Whether the event, the next of its thread, can run now; for a sig, whether it can notify `woken`
 * (HD_TID_NONE: that it finds no waiter). */
bool hd_frontier_can_run(const struct hd_frontier *f, hd_eid e, hd_tid woken);
void hd_frontier_run(struct hd_frontier *f, hd_eid e, hd_tid woken);
void hd_frontier_undo(struct hd_frontier *f, size_t mark); /* of the log */

/* All orders that are known have their first events before e. */
bool hd_frontier_clock_met(const struct hd_frontier *f, hd_eid e);

/* Some read of the location, still to run, may matter. */
bool hd_frontier_is_live(const struct hd_frontier *f, uint32_t loc);

static inline hd_eid hd_frontier_next(const struct hd_frontier *f, hd_tid u)
{
    return f->now.pos[u] < f->end[u] ? hd_world_event(f->w, u, f->now.pos[u]) : HD_EID_NONE;
}

#endif
