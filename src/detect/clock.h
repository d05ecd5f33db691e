/* Vector clocks that are cheap to hand around.
 *
 * A tick of a thread is the position of an event in it plus one, so clock->v[u] = k means: the
 * first k events of u come before. A clock is counted and never changed while two hold it. A stamp
 * is the full timestamp of one event, made in O(1): the clock in force there plus its own thread
 * and tick (the owner's entry inside its own clock is out of date and never read).
 *
 * The relations kept in these clocks are closed: who knows an event knows all that comes before
 * it. Joining a stamp whose tick is known already is therefore one comparison.
 */
#ifndef HD_DETECT_CLOCK_H
#define HD_DETECT_CLOCK_H

#include "trace/trace.h"

struct hd_clock {
    uint32_t refs;
    uint32_t v[]; /* by thread, padded with zeros to a multiple of HD_CLOCK_LANE */
};

#define HD_CLOCK_LANE 8 /* entries that a 256-bit register takes */

struct hd_clock_pool {
    size_t width; /* threads, rounded up */
    size_t bytes; /* of one clock */
    struct hd_clock **idle;
    size_t n_idle, cap_idle;
    size_t live;
};

void hd_clock_pool_init(struct hd_clock_pool *p, size_t threads);
void hd_clock_pool_fini(struct hd_clock_pool *p); /* requires: every clock was put back */

struct hd_clock *hd_clock_new(struct hd_clock_pool *p);          /* all zero, one reference */
void hd_clock_drop(struct hd_clock_pool *p, struct hd_clock *c); /* for hd_clock_put */

static inline struct hd_clock *hd_clock_get(struct hd_clock *c)
{
    c->refs++;
    return c;
}

static inline void hd_clock_put(struct hd_clock_pool *p, struct hd_clock *c) /* NULL is fine */
{
    if (c && --c->refs == 0)
        hd_clock_drop(p, c);
}

/* Entry by entry, from <= to; entry `skip` is not compared. */
bool hd_clock_covers(const struct hd_clock_pool *p, const uint32_t *to, const uint32_t *from,
                     hd_tid skip);

struct hd_stamp {
    struct hd_clock *clock; /* NULL: nothing happened yet */
    uint32_t tick;
    hd_tid thread;
};

/* Joins an event into the clock of thread self. True if that added something. */
bool hd_clock_join(struct hd_clock_pool *p, struct hd_clock **c, hd_tid self,
                   const struct hd_stamp *s);
/* Joins a plain clock into the clock of thread self. True if *c changed. */
bool hd_clock_join_clock(struct hd_clock_pool *p, struct hd_clock **c, hd_tid self,
                         const struct hd_clock *from);

/* Replaces *s by a new stamp that shares clock c. */
void hd_stamp_set(struct hd_clock_pool *p, struct hd_stamp *s, struct hd_clock *c, hd_tid thread,
                  uint32_t tick);
void hd_stamp_clear(struct hd_clock_pool *p, struct hd_stamp *s);

/* Where the clocks of a thread change, so that the clock of any event can be had later. */
struct hd_change {
    uint32_t pos; /* events at this position and later have this clock, up to the next change */
    struct hd_clock *clock;
};

struct hd_timeline {
    struct hd_clock_pool pool;
    const struct hd_trace *t;
    struct hd_change **of; /* by thread, ascending by pos; the first has pos 0 */
    uint32_t *n, *cap;
};

void hd_timeline_init(struct hd_timeline *tl, const struct hd_trace *t); /* all clocks zero */
void hd_timeline_fini(struct hd_timeline *tl);
/* The newest clock of thread u. */
static inline struct hd_clock *hd_timeline_now(const struct hd_timeline *tl, hd_tid u)
{
    return tl->of[u][tl->n[u] - 1].clock;
}
/* From position pos on, thread u also knows s. Positions of a thread do not go back. */
void hd_timeline_join(struct hd_timeline *tl, hd_tid u, uint32_t pos, const struct hd_stamp *s);
/* Puts clock c, whose reference is handed over, in force from position pos of u. */
void hd_timeline_put(struct hd_timeline *tl, hd_tid u, uint32_t pos, struct hd_clock *c);
/* From event e on, its thread also knows the events below clock c. */
void hd_timeline_join_clock(struct hd_timeline *tl, hd_eid e, struct hd_clock *c);
/* The clock in force at position pos of thread u, which may be beyond its last event. O(log n). */
struct hd_clock *hd_timeline_clock(const struct hd_timeline *tl, hd_tid u, uint32_t pos);
/* Whether a comes before b. O(log n). */
bool hd_timeline_before(const struct hd_timeline *tl, hd_eid a, hd_eid b);

#endif
