#include "predict/ucg/ucg_labels.h"

#include "base/alloc.h"
#include "base/bitset.h"
#include "base/stop.h"

/* ---- stretches ---- */

struct marks {
    const struct hd_ucg_base *b;
    struct hd_bitset begins; /* events at which a stretch begins */
};

static void mark(struct marks *m, hd_tid u, uint32_t pos)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(m->b->t, u, &n);
    if (pos < n)
        hd_bitset_add(&m->begins, events[pos]);
}

/* A clock that some event has: it asks for so many events of each thread, and not for the next. */
static void mark_clock(struct marks *m, const uint32_t *clock)
{
    for (hd_tid u = 0; u < m->b->n_threads; u++)
        if (clock[u])
            mark(m, u, clock[u]);
}

static void mark_must(struct marks *m)
{
    const struct hd_must *must = m->b->must;
    size_t threads = m->b->n_threads;
    for (size_t i = 0; threads && (i + 1) * threads <= must->pool.len && !hd_stop_often(i); i++)
        mark_clock(m, must->pool.data + i * threads);
    for (hd_tid u = 0; u < threads; u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(m->b->t, u, &n);
        for (size_t p = 1; p < n && !hd_stop_often(p); p++)
            if (!hd_must_same(must, events[p]))
                hd_bitset_add(&m->begins, events[p]);
    }
}

static void mark_timeline(struct marks *m)
{
    const struct hd_timeline *line = hd_mhb_timeline(m->b->mhb);
    for (hd_tid u = 0; u < m->b->n_threads; u++)
        for (uint32_t i = 0; i < line->n[u]; i++) {
            mark(m, u, line->of[u][i].pos);
            mark_clock(m, line->of[u][i].clock->v);
        }
}

void hd_ucg_labels_stretches(struct hd_ucg_base *b)
{
    struct marks m = {.b = b};
    hd_bitset_init(&m.begins, b->t->n_events);
    if (b->must)
        mark_must(&m);
    else
        mark_timeline(&m);
    b->stretch_start = hd_alloc((b->n_threads + 1) * sizeof *b->stretch_start);
    for (hd_tid u = 0; u < b->n_threads; u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(b->t, u, &n);
        for (uint32_t i = b->sync_start[u]; i < b->sync_start[u + 1]; i++)
            mark(&m, u, b->sync[i] + 1);
        b->stretch_start[u] = (uint32_t)b->stretches.len;
        for (uint32_t p = 0; p < n; p++)
            if (p == 0 || hd_bitset_has(&m.begins, events[p]))
                hd_u32vec_push(&b->stretches, p);
    }
    b->stretch_start[b->n_threads] = (uint32_t)b->stretches.len;
    hd_bitset_fini(&m.begins);
    hd_u32vec_trim(&b->stretches);
}

void hd_ucg_labels_stretches_free(struct hd_ucg_base *b)
{
    hd_free(b->stretch_start, (b->n_threads + 1) * sizeof *b->stretch_start);
    hd_u32vec_fini(&b->stretches);
}

/* The number of the stretch that e stands in. */
static uint64_t stretch_of(const struct hd_ucg_base *b, hd_eid e)
{
    hd_tid u = b->t->thread[e];
    uint32_t lo = b->stretch_start[u], hi = b->stretch_start[u + 1];
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (b->stretches.data[mid] <= b->t->pos[e])
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* ---- labels ---- */

void hd_ucg_labels_fini(struct hd_ucg_labels *l)
{
    hd_map_fini(&l->pairs);
    hd_map_fini(&l->answers);
    hd_map_fini(&l->triples);
}

void hd_ucg_labels_limit(struct hd_ucg_labels *l, size_t most)
{
    if (l->pairs.len + l->answers.len + l->triples.len <= most)
        return;
    hd_map_clear(&l->pairs);
    hd_map_clear(&l->answers);
    hd_map_clear(&l->triples);
}

uint32_t *hd_ucg_label(struct hd_ucg_labels *l, const struct hd_ucg_base *b,
                       const struct hd_goal *goal)
{
    bool fresh;
    if (goal->property == HD_PROPERTY_DEADLOCK)
        return NULL;
    if (goal->property == HD_PROPERTY_RACE) {
        uint64_t x = stretch_of(b, goal->stops[0]), y = stretch_of(b, goal->stops[1]);
        return hd_map_put(&l->answers, x < y ? x << 32 | y : y << 32 | x, NULL);
    }
    uint32_t *pair = hd_map_put(
        &l->pairs, stretch_of(b, goal->first) << 32 | stretch_of(b, goal->stops[0]), &fresh);
    if (fresh)
        *pair = (uint32_t)l->pairs.len;
    return hd_map_put(&l->triples, (uint64_t)*pair << 32 | stretch_of(b, goal->then), NULL);
}
