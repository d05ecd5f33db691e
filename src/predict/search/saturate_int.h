/* The inside of saturation, shared by saturate.c (orders, sections, reads), saturate_sync.c and
 * saturate_rounds.c. */
#ifndef HD_PREDICT_SEARCH_SATURATE_INT_H
#define HD_PREDICT_SEARCH_SATURATE_INT_H

#include "predict/search/saturate.h"

/* A barrier is looked at by rounds if it has no more than these in the window. */
#define HD_ROUNDS_THREADS  8
#define HD_ROUNDS_ARRIVALS 128
#define HD_ROUNDS_CUTS     2048

/* What one thread does at a barrier: arrival, departure, arrival and so on. */
struct hd_party {
    const hd_eid *list;
    uint32_t len, count; /* events, arrivals among them */
    uint32_t first;      /* how many arrivals those listed before it have */
    uint32_t stride;     /* of cuts: what one arrival more adds */
};

struct hd_rounds {
    uint32_t size;
    size_t n;
    struct hd_party party[HD_ROUNDS_THREADS];
    uint32_t cuts;
};

struct hd_saturation {
    const struct hd_world *w;
    hd_eid from, to;
    size_t threads;
    uint32_t *first, *end; /* by thread: positions of its events in the window, [first, end) */
    /* By event of the window and thread: how many events come before it; the position of the first
     * that comes after it. The entry of its own thread is its position, and the one after. */
    uint32_t *before, *after;
    uint32_t *fresh_below;
    uint32_t *ends, *starts; /* scratch of one order, by thread */
    uint64_t time;           /* changes so far, and changes taken back */
    uint64_t *moved;         /* by location: when an order of its accesses changed last */
    uint64_t *looked;        /* by event of the window: of reads, when it was last looked at */
    uint32_t *settled;       /* by event of the window: of reads, 1: nothing is left to say */
    struct hd_vec log;       /* struct change of saturate.c */
    struct hd_vec aparts;    /* struct apart of saturate.c */
    struct hd_u32vec synced; /* events of the window that saturate_sync.c has rules for */
    struct hd_vec rounds;    /* struct hd_rounds, of barriers that are looked at so */
    bool changed;
};

static inline uint32_t *hd_saturation_before(const struct hd_saturation *s, hd_eid e)
{
    return s->before + (size_t)(e - s->from) * s->threads;
}

static inline uint32_t *hd_saturation_after(const struct hd_saturation *s, hd_eid e)
{
    return s->after + (size_t)(e - s->from) * s->threads;
}

/* x comes before y in every order. An event before the window comes before all events of it. */
static inline bool hd_saturation_precedes(const struct hd_saturation *s, hd_eid x, hd_eid y)
{
    const struct hd_trace *t = s->w->t;
    if (x < s->from || y < s->from)
        return x < y;
    return hd_saturation_before(s, y)[t->thread[x]] > t->pos[x] && x != y;
}

/* Failed tries, wakes, semaphores, barriers without rounds. False: contradiction. */
bool hd_saturation_close_sync(struct hd_saturation *s);
/* The others. */
bool hd_saturation_close_rounds(struct hd_saturation *s);

/* False: the barrier has too many uses in the window, or a thread does not come and go in turn. */
bool hd_saturation_find_rounds(const struct hd_saturation *s, uint32_t barrier,
                               struct hd_rounds *r);

#endif
