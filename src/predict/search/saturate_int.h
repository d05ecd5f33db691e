/* The inside of saturation, shared by saturate.c (orders, sections, reads) and saturate_sync.c. */
#ifndef HD_PREDICT_SEARCH_SATURATE_INT_H
#define HD_PREDICT_SEARCH_SATURATE_INT_H

#include "predict/search/saturate.h"

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
    struct hd_vec log;       /* struct change of saturate.c */
    struct hd_vec aparts;    /* struct apart of saturate.c */
    struct hd_u32vec synced; /* events of the window that saturate_sync.c has rules for */
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

/* Failed tries, wakes, semaphores, barriers. False: contradiction. */
bool hd_saturation_close_sync(struct hd_saturation *s);

#endif
