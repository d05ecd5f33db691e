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

/* For reads of one thread and writes of another: by the pass before, from which of the other's
 * steps on its events must come after the reads. */
struct hd_must_late {
    uint32_t step;
    hd_eid event; /* of that step; HD_EID_NONE: there is none */
};

/* Of a counter's user: the writes that must have run before a read, and those that may have. */
struct hd_must_share {
    struct hd_counter_sum least, most;
    uint32_t low, high; /* as indices: the first that need not have run, that cannot have */
};

struct hd_must_values {
    uint32_t loc; /* + 1; 0: none */
    uint8_t rank; /* as in value_rank */
    struct hd_value value;
    struct hd_value_writes writes;
};

/* From the second pass on: what a read needs in order to be fresh is found from clocks of some
 * other events. As long as these are as they were, so is the answer. must_watch.c keeps which they
 * are, for each read, and which events need more than in the pass before. */
struct hd_must_watch;
enum { HD_MUST_SEEN = 32 }; /* with more the read is looked at in each pass */

/* The pass over the trace. `now`, `fresh` and `closed` are rows of `threads` entries, one for
 * each thread. */
struct hd_must_pass {
    struct hd_must *m;
    const struct hd_must *before; /* what the pass before this one has found; NULL in the first */
    bool again;  /* a read took a write that comes after it in the trace for a possible source */
    bool better; /* some clock is above that of the pass before */
    hd_eid
        at; /* the event in hand: clocks of earlier events are stored, `now` holds for later ones */
    bool leaves_out;      /* what can give nothing new; else everything is looked at */
    const uint64_t *busy; /* hd_must_busy_new */
    const struct hd_accesses *conds, *sems, *barriers;
    uint32_t *now;    /* what the next event of the thread needs, so far */
    uint32_t *fresh;  /* what "all earlier reads of the thread are fresh" needs on top */
    uint32_t *closed; /* `now` when the lock rule was last applied to all that the thread holds */
    uint32_t *closed_before; /* scratch: a row of it */
    uint8_t *dirty;          /* by thread: now differs from the last stored clock */
    uint8_t *fresh_dirty;
    uint8_t *ahead; /* by thread: now is above what the pass before has for the event in hand */
    uint8_t *fresh_moved; /* by thread: so is what some read so far needs in order to be fresh */
    uint8_t
        *simple;   /* by barrier: exactly as many users as its size, each alternating in and out */
    uint32_t *low; /* scratch: minimum over the sources of a read */
    uint32_t *needs;           /* scratch: what one source needs */
    struct hd_vec shares;      /* scratch: struct hd_must_share, by user of a counter */
    struct hd_must_near *near; /* by user of a location */
    struct hd_must_late *late; /* rows; NULL in the first pass */
    uint32_t *begun; /* by user of a lock: where the last search among its sections ended */
    struct hd_must_watch *watch;   /* NULL in the first pass */
    size_t reads;                  /* that were looked at */
    hd_eid seen[HD_MUST_SEEN];     /* events whose clocks the read in hand has asked for */
    uint32_t n_seen;               /* how many there are; more than fit: others, too */
    bool seen_later;               /* one of its sources comes after it in the trace */
    size_t n_values;               /* a power of two */
    uint32_t *value_near;          /* by location, as many: where its last search by value ended */
    struct hd_must_values *values; /* by hash of location and value: the last that was asked for */
};

struct hd_must_watch *hd_must_watch_new(size_t events);
void hd_must_watch_free(struct hd_must_watch *watch); /* NULL is fine */
void hd_must_watch_next(struct hd_must_watch *watch); /* before each pass that uses it */

/* Event e needs more than in the pass before. */
void hd_must_moved(struct hd_must_pass *p, hd_eid e);
/* After each event that writes: what it needs in order to store its value may be more. */
void hd_must_note_write(struct hd_must_pass *p, hd_eid w);
/* True: the answer for the next read, r, is as before. Then *told says whether it needs more in
 * order to be fresh than in order to run, and p->low is that. Counts p->reads. */
bool hd_must_watch_same(struct hd_must_pass *p, hd_eid r, bool *told);
/* Keeps what the answer for the same read rests on; sure: on no more than was seen. */
void hd_must_watch_set(struct hd_must_pass *p, bool sure);

/* The answer for the read in hand rests on a clock of event e. */
static inline void hd_must_see(struct hd_must_pass *p, hd_eid e)
{
    if (p->n_seen && p->n_seen <= HD_MUST_SEEN && p->seen[p->n_seen - 1] == e)
        return;
    if (p->n_seen < HD_MUST_SEEN)
        p->seen[p->n_seen] = e;
    p->n_seen += p->n_seen <= HD_MUST_SEEN;
}

/* The same clocks by passes that leave nothing out, for tests. *whole: as many passes as it takes.
 */
struct hd_must *hd_must_new_plain(const struct hd_world *w, bool *whole);

/* By event, one bit: a pass can find something there. NULL: it may be so of every event. */
uint64_t *hd_must_busy_new(const struct hd_world *w);
void hd_must_busy_free(const struct hd_world *w, uint64_t *busy); /* NULL is fine */

/* For a pass after `before`; `threads` squared entries. */
struct hd_must_late *hd_must_late_new(const struct hd_must *before);

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
