/* What the files of certain.h share: certain.c (the passes), certain_sound.c (guards),
 * certain_reads.c (reads that must be fresh), certain_rows.c (rows of read-modify-writes),
 * certain_cases.c (schedules that run both accesses). */
#ifndef HD_PREDICT_ORDERS_CERTAIN_INT_H
#define HD_PREDICT_ORDERS_CERTAIN_INT_H

#include "predict/orders/certain.h"

#define HD_CERTAIN_USERS   64  /* of a location, for rules that look at all of them */
#define HD_CERTAIN_SOURCES 256 /* of a read, of one thread */
#define HD_CERTAIN_FEW     8   /* users of a location, and its writes, where every plain read */
#define HD_CERTAIN_WRITES  64  /* is looked at */
#define HD_CERTAIN_CHAIN   4   /* read-modify-writes, each reading from the next */
#define HD_CERTAIN_LINKS   64  /* sources of such, for one read */
#define HD_CERTAIN_OWN     4   /* writes of the own thread that a value went through */

/* A read that must be fresh from an event on; whether it acquires there. */
struct hd_certain_due {
    hd_eid at, read;
    bool acquires;
};

struct hd_certain {
    const struct hd_world *w;
    const struct hd_trace *t;
    size_t n;              /* threads */
    struct hd_u32vec pool; /* clocks; the first is all zero */
    uint32_t *clock_of;    /* by event */
    uint32_t *now;         /* by thread: the clock that its next event begins with */
    uint8_t *dirty;        /* by thread: it is not in the pool */
    uint32_t *stored;      /* by thread: where it is in the pool, if not dirty */
    uint32_t *low, *part;
    uint32_t *chain;      /* two clocks for each place of a chain (certain_reads.c) */
    uint32_t *own;        /* the same for each write of the own thread */
    hd_eid *releases;     /* by event: of atomic writes, what releases: itself, a fence, or none */
    uint32_t *next_store; /* by index of locs->writes: of the same user, the first from there on
                           * that is no rmw, or its wend */
    uint32_t *near;       /* by user of a location: index of the write that was looked for last */
    uint32_t *value_near; /* by location: where its last search by value ended */
    uint8_t *sound;       /* by lock and guard: sections are ordered by hb */
    uint8_t *barrier;     /* by barrier: 1 as many users as its size, each in and out in turn */
    struct hd_vec due;    /* struct hd_certain_due, by `at` */
    bool better;          /* this pass knows more than the one before */
};

static inline uint32_t *hd_certain_now(const struct hd_certain *c, hd_tid u)
{
    return c->now + (size_t)u * c->n;
}

static inline const uint32_t *hd_certain_clock(const struct hd_certain *c, hd_eid e)
{
    return c->pool.data + (size_t)c->clock_of[e] * c->n;
}

static inline const struct hd_mem_order_info *hd_certain_order(const struct hd_trace *t, hd_eid e)
{
    return &hd_mem_order_info[hd_trace_order(t, e)];
}

void hd_certain_join(struct hd_certain *c, hd_tid u, const uint32_t *clock);
/* f comes before the next event of u. */
void hd_certain_join_event(struct hd_certain *c, hd_tid u, hd_eid f);

/* Which guards order their sections by hb: c->sound. Needs c->releases. */
void hd_certain_find_sound(struct hd_certain *c);

/* The read is fresh from here on: what comes before its thread's next event. */
void hd_certain_fresh(struct hd_certain *c, const struct hd_certain_due *d);
/* Schedules in which `first` runs, and the event that needs the read. */
struct hd_certain_case {
    hd_eid first;
    bool (*impossible)(void *ctx, hd_eid read, hd_eid write); /* the read reads from the write */
    void *ctx;
};
/* Does every source of the read that is possible in the case hand `first` on? */
bool hd_certain_hands(struct hd_certain *c, const struct hd_certain_due *d,
                      const struct hd_certain_case *in);
/* A plain read has run, whatever it returned: the same, of what every possible source conflicts
 * with it. */
void hd_certain_read(struct hd_certain *c, hd_eid e);
/* Fills c->next_store. */
void hd_certain_rows_init(struct hd_certain *c);
/* The same as hd_certain_fresh by what stands in one row with its source. */
void hd_certain_rows(struct hd_certain *c, const struct hd_certain_due *d);

#endif
