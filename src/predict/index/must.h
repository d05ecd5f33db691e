/* What must have run before an event can run, in every schedule of docs/MODEL.md.
 *
 * For each event e and thread u, clock(e)[u] is a number of first events of u that have run in
 * every reachable state in which e is enabled. It is a lower bound: what it gives is certain,
 * the rest is open. The rules, each an argument about all schedules:
 *   - program order, fork, join;
 *   - a read that must be fresh (a branch or an address needs it; under `control all` every earlier
 * read of the thread) has a source: what all its possible sources need, in order to run and to
 * store their traced values, which asks that the reads they are computed from be fresh, and so on.
 * A possible source is a write of the same value that no write which must come between hides and
 * that need not come after the read, or the initial value;
 *   - a woken thread was notified, a semaphore was posted, a barrier with exactly as many users as
 *     its size was reached by all of them;
 *   - a thread that holds a lock, or is about to take it, and needs an event of another thread's
 * section of that lock, needs the end of that section too. Every must-order also holds in the
 * observed trace, so one pass over it computes clocks; a second pass, where it can help, knows from
 * the first which writes come too late for a read. A clock is stored only where it changes.
 * Immutable after new; safe to share between threads.
 */
#ifndef HD_PREDICT_INDEX_MUST_H
#define HD_PREDICT_INDEX_MUST_H

#include "base/marks.h"
#include "base/vec.h"
#include "trace/trace.h"

struct hd_world;

/* Clocks of one thread: from which position on which one of the pool holds. */
struct hd_must_steps {
    struct hd_marks at;
    struct hd_u32vec clock; /* by mark; before the first one: 0 */
    struct hd_marks fresh_at;
    struct hd_u32vec fresh; /* by mark of a read: the clock it needs on top in order to be fresh */
};

/* Public for the inline functions below; read-only outside must.c. */
struct hd_must {
    const struct hd_world *w;
    const struct hd_trace *t;
    size_t threads;
    struct hd_u32vec pool;       /* clocks, `threads` entries each; the first is all zero */
    struct hd_must_steps *steps; /* by thread */
    struct hd_vec *all_changes;  /* by thread: from which position on "all reads so far are fresh"
                                  * needs which clock (struct change of must.c) */
};

/* Uses the trace, the sections and the indices of the world, which must outlive it. NULL: not
 * enough memory, and the scope around is stopped. */
struct hd_must *hd_must_new(const struct hd_world *w);
void hd_must_free(struct hd_must *m);

/* Of the event at a position of a thread. One entry for each thread; that of the event's own thread
 * is meaningless (its position is what counts). */
static inline const uint32_t *hd_must_clock_at(const struct hd_must *m, hd_tid u, uint32_t pos)
{
    const struct hd_must_steps *steps = &m->steps[u];
    uint32_t n = hd_marks_upto(&steps->at, pos);
    return m->pool.data + (n ? (size_t)steps->clock.data[n - 1] * m->threads : 0);
}

static inline const uint32_t *hd_must_clock(const struct hd_must *m, hd_eid e)
{
    return hd_must_clock_at(m, m->t->thread[e], m->t->pos[e]);
}

/* The clock that the read at a position of a thread needs on top in order to be fresh, or NULL:
 * nothing is known. */
static inline const uint32_t *hd_must_fresh_at(const struct hd_must *m, hd_tid u, uint32_t pos)
{
    const struct hd_must_steps *steps = &m->steps[u];
    if (!hd_marks_has(&steps->fresh_at, pos))
        return NULL;
    uint32_t clock = steps->fresh.data[hd_marks_before(&steps->fresh_at, pos)];
    return m->pool.data + (size_t)clock * m->threads;
}

static inline const uint32_t *hd_must_fresh(const struct hd_must *m, hd_eid r)
{
    return hd_must_fresh_at(m, m->t->thread[r], m->t->pos[r]);
}

/* True when the event needs no more of other threads than the event before it in its thread. */
static inline bool hd_must_same(const struct hd_must *m, hd_eid e)
{
    return !hd_marks_has(&m->steps[m->t->thread[e]].at, m->t->pos[e]);
}

/* What has run, one entry for each thread, in every schedule in which all reads of thread u before
 * position pos are fresh and u stands there. Not kept under `control all`, where hd_must_clock
 * returns it. */
const uint32_t *hd_must_all_fresh(const struct hd_must *m, hd_tid u, uint32_t pos);

/* True when a runs before b in every schedule that runs b. */
static inline bool hd_must_before(const struct hd_must *m, const struct hd_trace *t, hd_eid a,
                                  hd_eid b)
{
    if (t->thread[a] == t->thread[b])
        return t->pos[a] < t->pos[b];
    return hd_must_clock(m, b)[t->thread[a]] > t->pos[a];
}

#endif
