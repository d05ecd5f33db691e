/* The inside of must.c and must_sources.c. */
#ifndef HD_PREDICT_INDEX_MUST_INT_H
#define HD_PREDICT_INDEX_MUST_INT_H

#include "predict/index/world.h"

/* From `pos` on, the thread's clock is this one of the pool. */
struct hd_must_change {
    uint32_t pos;
    uint32_t clock;
};

/* Where the last searches among the writes of a user of a location ended. */
struct hd_must_near {
    uint32_t free, late;
};

/* Of a counter's user: the writes that must have run before a read, and those that may have. */
struct hd_must_share {
    struct hd_counter_sum least, most;
};

struct hd_must_values {
    uint32_t loc; /* + 1; 0: none */
    uint8_t rank; /* as in value_rank */
    struct hd_value value;
    struct hd_value_writes writes;
};

/* From the second pass on: of most reads nothing is found out, and a few sources are enough to see
 * that. As long as these, and what the read itself needs, are as they were, so is the answer.
 * must_watch.c keeps them and which events need more than in the pass before. */
struct hd_must_watch;
enum { HD_MUST_WATCHED = 2 };

/* The pass over the trace. `now` and `fresh` are rows of `threads` entries, one for each thread. */
struct hd_must_pass {
    struct hd_must *m;
    const struct hd_must *before; /* what the pass before this one has found; NULL in the first */
    bool again;  /* a read took a write that comes after it in the trace for a possible source */
    bool better; /* some clock is above that of the pass before */
    hd_eid
        at; /* the event in hand: clocks of earlier events are stored, `now` holds for later ones */
    const struct hd_accesses *conds, *sems, *barriers;
    uint32_t *now;   /* what the next event of the thread needs, so far */
    uint32_t *fresh; /* what "all earlier reads of the thread are fresh" needs on top */
    uint8_t *dirty;  /* by thread: now differs from the last stored clock */
    uint8_t *fresh_dirty;
    uint8_t *ahead; /* by thread: now is above what the pass before has for the event in hand */
    uint8_t *fresh_moved; /* by thread: so is what some read so far needs in order to be fresh */
    uint8_t
        *simple;   /* by barrier: exactly as many users as its size, each alternating in and out */
    uint32_t *low; /* scratch: minimum over the sources of a read */
    uint32_t *needs;           /* scratch: what one source needs */
    struct hd_vec shares;      /* scratch: struct hd_must_share, by user of a counter */
    struct hd_must_near *near; /* by user of a location */
    uint32_t *begun; /* by user of a lock: where the last search among its sections ended */
    struct hd_must_watch *watch;   /* NULL in the first pass */
    size_t reads;                  /* that were looked at */
    hd_eid added[HD_MUST_WATCHED]; /* the first sources of the read in hand that lowered `low` */
    uint32_t n_added;              /* and how many there are */
    size_t n_values;               /* a power of two */
    struct hd_must_values *values; /* by hash of location and value: the last that was asked for */
};

struct hd_must_watch *hd_must_watch_new(size_t events);
void hd_must_watch_free(struct hd_must_watch *watch); /* NULL is fine */
void hd_must_watch_next(struct hd_must_watch *watch); /* before each pass that uses it */

/* Event e needs more than in the pass before. */
void hd_must_moved(struct hd_must_pass *p, hd_eid e);
/* After each event that writes: what it needs in order to store its value may be more. */
void hd_must_note_write(struct hd_must_pass *p, hd_eid w);
/* Read number p->reads, r, needs no more in order to be fresh than in order to run, as before. */
bool hd_must_watch_same(struct hd_must_pass *p, hd_eid r);
/* Keeps p->added for the same read, if they are what the answer rests on. */
void hd_must_watch_set(struct hd_must_pass *p, bool sure);

/* Adds w, of thread u, to what may give the pass's event something: lowers p->low to what w needs
 * in order to run and, if `stores`, to store its traced value. True when the latter needs more than
 * the former. *any: some source was added before. */
bool hd_must_add_source(struct hd_must_pass *p, hd_eid w, hd_tid u, bool stores, bool *any);

/* Puts into p->low what r needs in order to be fresh, if that is more than it needs in order to
 * run. False when it is not, or nothing is known. */
bool hd_must_source_needs(struct hd_must_pass *p, hd_eid r);

static inline uint32_t *hd_must_row(const struct hd_must_pass *p, uint32_t *rows, hd_tid u)
{
    return rows + (size_t)u * p->m->threads;
}

#endif
