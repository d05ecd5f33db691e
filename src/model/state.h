/* docs/MODEL.md section 2 as code: a state, which events are enabled in it, and what a step does.
 *
 * A layout holds what is fixed for a trace; any number of states share it. A state is one flat
 * block of memory whose first key_bytes are canonical: two states of a layout are the same state of
 * the model exactly when those bytes are equal. All that MODEL.md calls a state is in there; who
 * holds a lock since when is worked out from it only when a reason is wanted.
 *
 * Since the run events of a thread are always a prefix of its events, "all earlier reads" of its
 * next event are all its reads that have run, and n_stale == 0 means that none of them is stale.
 *
 * The fields are public because the check of a whole trace inlines nothing else; only this room
 * writes them.
 */
#ifndef HD_MODEL_STATE_H
#define HD_MODEL_STATE_H

#include "base/hash.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_TID_NONE UINT32_MAX

/* The choice of a witness: this sig removes this thread from the waiting set. */
struct hd_wake {
    hd_eid sig;
    hd_tid thread;
};

struct hd_layout {
    const struct hd_trace *t;
    size_t thread, mem, lock, cond, sem, barrier, reads, arrivals, stale; /* offsets in a block */
    size_t key_bytes;                                                     /* the canonical part */
    size_t head, link;                                                    /* beyond it */
    size_t bytes;
    struct hd_map read_slot;    /* thread << 32 | lock: index into reads, for pairs with a racq */
    struct hd_map arrival_slot; /* thread << 32 | barrier: index into arrivals */
    unsigned char *initial;     /* the block of the initial state */
};

/* The trace must outlive the layout, the layout its states. */
void hd_layout_init(struct hd_layout *layout, const struct hd_trace *t);
void hd_layout_fini(struct hd_layout *layout);

struct hd_thread_state {
    uint32_t next;       /* how many of its events have run */
    uint32_t n_stale;    /* how many of its reads that have run are stale */
    uint32_t wait_depth; /* between a wait and its wake or tmo: the depth to re-own; else 0 */
    uint32_t waiting;    /* 1: in the waiting set of the condition of that wait */
    uint32_t blocks;     /* begin without end */
};

enum { HD_CELL_UNKNOWN, HD_CELL_NUMBER, HD_CELL_UNIQUE };
struct hd_cell {
    uint64_t bits; /* 0 when unknown */
    uint64_t kind;
};

struct hd_lock_state {
    uint32_t owner;   /* thread + 1, or 0 */
    uint32_t depth;   /* of the owner; 0 without one */
    uint32_t readers; /* read holds of all threads together */
};

struct hd_state {
    const struct hd_layout *layout;
    const struct hd_trace *t;
    unsigned char *block;
    struct hd_thread_state *thread;
    struct hd_cell *mem;
    struct hd_lock_state *lock;
    uint32_t *n_waiting; /* by condition */
    int64_t *sem_taken;  /* by semaphore: sem minus post; the count is sem_init minus this */
    uint64_t *arrived;   /* by barrier: arrivals so far */
    uint32_t *reads;     /* by read_slot: read holds of a thread on a lock */
    uint64_t *arrivals;  /* by arrival_slot: generation of the thread's latest arrival, from 1 */
    uint64_t *stale;     /* a bit for each event */
    uint32_t *head;      /* by condition: first waiter, thread + 1 (a list, for bcast) */
    uint32_t *link;      /* by thread: next and previous waiter at 2u and 2u + 1, thread + 1 */
};

void hd_state_init(struct hd_state *s, const struct hd_layout *layout); /* the initial state */
void hd_state_fini(struct hd_state *s);
void hd_state_copy(struct hd_state *to,
                   const struct hd_state *from); /* same layout, both initialised */

/* Back to the initial state, given all events that have run (in any order). Costs O(n). */
void hd_state_rewind(struct hd_state *s, const hd_eid *ran, size_t n);
/* The same back to `to`, which s was before these events ran; for an event on a condition this also
 * costs its waiters in `to`. */
void hd_state_return(struct hd_state *s, const struct hd_state *to, const hd_eid *ran, size_t n);

/* Why an event cannot run. */
enum hd_why {
    HD_WHY_ENABLED = 0,
    HD_WHY_NOT_NEXT,     /* an earlier event of the thread has not run, or this one has */
    HD_WHY_NOT_FORKED,   /* its thread's fork has not run */
    HD_WHY_CONTROL,      /* control all, and an earlier read of the thread is stale */
    HD_WHY_DEPS,         /* br: a read in deps is stale */
    HD_WHY_ADDR,         /* access: a read in addr is stale */
    HD_WHY_OWNED,        /* the lock is owned for writing by a thread that is in the way */
    HD_WHY_READ,         /* the lock is held for reading by a thread that is in the way */
    HD_WHY_NOT_HELD,     /* this thread does not hold the lock in the mode needed */
    HD_WHY_NOBODY_HOLDS, /* tryfail: no other thread holds the lock */
    HD_WHY_UNFINISHED,   /* join: the thread has events left */
    HD_WHY_IN_WAIT,      /* the thread is in a wait, and this is not its wake or tmo */
    HD_WHY_NO_WAIT,      /* wake, tmo: the event before is not a wait on the same objects */
    HD_WHY_NOT_NOTIFIED, /* wake: still in the waiting set */
    HD_WHY_NOTIFIED,     /* tmo: no longer in the waiting set */
    HD_WHY_SEM,          /* the count is 0 */
    HD_WHY_NO_ARRIVAL,   /* barout: the thread has not arrived */
    HD_WHY_GENERATION,   /* barout: arrivals of its generation are missing */
    HD_WHY_NO_BEGIN,     /* end without begin */
};

enum hd_why hd_state_why(const struct hd_state *s, hd_eid e); /* e < n_events */

/* The same but for the rules about stale reads (never CONTROL, DEPS, ADDR): what program order and
 * synchronisation alone allow. For the published models. */
enum hd_why hd_state_why_order(const struct hd_state *s, hd_eid e);

static inline bool hd_state_enabled(const struct hd_state *s, hd_eid e)
{
    return hd_state_why(s, e) == HD_WHY_ENABLED;
}

/* Whether e, which takes a lock (acq, racq, wake, tmo), is the next event of its thread, no rule
 * about stale reads keeps it from running, and `holder` holds its lock so that it can not run. */
bool hd_state_blocked_by(const struct hd_state *s, hd_eid e, hd_tid holder);

/* The reason as a clause that can follow "event 7 cannot run: ", at most cap bytes with its NUL.
 * Requires: why is what hd_state_why answered for e in s. */
void hd_state_explain(const struct hd_state *s, hd_eid e, enum hd_why why, char *text, size_t cap);

/* Runs e. Requires: e is enabled; for a sig with waiters, woken is one of them; otherwise woken is
 * HD_TID_NONE. Breaking the second rule is a panic. */
void hd_state_step(struct hd_state *s, hd_eid e, hd_tid woken);

static inline bool hd_state_ran(const struct hd_state *s, hd_eid e)
{
    return s->thread[s->t->thread[e]].next > s->t->pos[e];
}

static inline bool hd_state_is_stale(const struct hd_state *s, hd_eid e)
{
    return s->stale[e / 64] >> (e % 64) & 1;
}

/* Is u in the waiting set of c? */
bool hd_state_waits(const struct hd_state *s, hd_tid u, uint32_t c);

/* The waiters of c: first, then next until HD_TID_NONE. The order has no meaning. */
static inline hd_tid hd_state_first_waiter(const struct hd_state *s, uint32_t c)
{
    return s->head[c] - 1;
}

static inline hd_tid hd_state_next_waiter(const struct hd_state *s, hd_tid u)
{
    return s->link[2 * u] - 1;
}

/* Read holds of u on lock l. */
uint32_t hd_state_read_holds(const struct hd_state *s, hd_tid u, uint32_t l);

#endif
