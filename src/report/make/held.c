#include "report/make/held.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/property.h"

struct seen {
    hd_eid event;
    uint32_t start, n; /* in pool */
};

struct hd_held_map {
    const struct hd_trace *t;
    struct hd_map events;    /* event -> index into seen, plus 1; 0: not reached yet */
    struct hd_map locations; /* location -> accesses kept so far */
    struct hd_map nested;    /* pair_of locks that were taken so: seen */
    struct hd_vec seen;      /* struct seen, in trace order */
    struct hd_u32vec pool;   /* events that took locks */
    struct hd_u32vec *now;   /* by thread: the same, as of now */
};

struct hd_held_map *hd_held_new(const struct hd_trace *t)
{
    struct hd_held_map *h = hd_calloc(1, sizeof *h);
    h->t = t;
    h->seen = HD_VEC_INIT(struct seen);
    h->now = hd_calloc(hd_trace_n_threads(t), sizeof *h->now);
    return h;
}

void hd_held_free(struct hd_held_map *h)
{
    if (!h)
        return;
    size_t threads = hd_trace_n_threads(h->t);
    for (size_t i = 0; i < threads; i++)
        hd_u32vec_fini(&h->now[i]);
    hd_free(h->now, threads * sizeof *h->now);
    hd_map_fini(&h->events);
    hd_map_fini(&h->locations);
    hd_map_fini(&h->nested);
    hd_vec_fini(&h->seen);
    hd_u32vec_fini(&h->pool);
    hd_free(h, sizeof *h);
}

void hd_held_want_event(struct hd_held_map *h, hd_eid e)
{
    hd_map_put(&h->events, e, NULL);
}

void hd_held_want_location(struct hd_held_map *h, uint32_t location)
{
    hd_map_put(&h->locations, location, NULL);
}

static bool wanted(struct hd_held_map *h, hd_eid e)
{
    uint32_t count;
    if (hd_map_get(&h->events, e, &count))
        return true;
    if (!hd_op_is_access(h->t->op[e]) || !hd_map_get(&h->locations, h->t->obj[e], &count))
        return false;
    if (count >= HD_HELD_SAMPLE)
        return false;
    *hd_map_put(&h->locations, h->t->obj[e], NULL) = count + 1;
    return true;
}

static bool taken_before(const struct hd_held_map *h, const struct hd_u32vec *now, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (hd_trace_lock(h->t, now->data[k]) == hd_trace_lock(h->t, now->data[i]) &&
            h->t->op[now->data[k]] == h->t->op[now->data[i]])
            return true;
    return false;
}

/* The lock that a wait gave up and its end takes again. */
static bool gave_up(const struct hd_held_map *h, hd_eid e, hd_eid taken)
{
    enum hd_op op = h->t->op[e];
    return (op == HD_OP_WAKE || op == HD_OP_TMO) &&
           hd_trace_lock(h->t, e) == hd_trace_lock(h->t, taken);
}

static void keep(struct hd_held_map *h, hd_eid e)
{
    const struct hd_u32vec *now = &h->now[h->t->thread[e]];
    struct seen *s = hd_vec_push(&h->seen);
    *s = (struct seen){e, (uint32_t)h->pool.len, 0};
    for (size_t i = 0; i < now->len; i++)
        if (!taken_before(h, now, i) && !gave_up(h, e, now->data[i]))
            hd_u32vec_push(&h->pool, now->data[i]);
    s->n = (uint32_t)h->pool.len - s->start;
    *hd_map_put(&h->events, e, NULL) = (uint32_t)h->seen.len;
}

static void release(struct hd_held_map *h, hd_eid e, enum hd_op taken_by)
{
    struct hd_u32vec *now = &h->now[h->t->thread[e]];
    for (size_t i = now->len; i-- > 0;) {
        if (h->t->op[now->data[i]] != taken_by || h->t->obj[now->data[i]] != h->t->obj[e])
            continue;
        for (; i + 1 < now->len; i++)
            now->data[i] = now->data[i + 1];
        now->len--;
        return;
    }
}

static uint64_t pair_of(uint32_t outer, uint32_t inner)
{
    return (uint64_t)outer << 32 | inner;
}

/* Event e takes a lock: inside which others? */
static void nest(struct hd_held_map *h, hd_eid e)
{
    const struct hd_u32vec *now = &h->now[h->t->thread[e]];
    uint32_t lock = hd_trace_lock(h->t, e);
    for (size_t i = now->len; i-- > 0 && now->len - i <= HD_HELD_NESTED;)
        if (hd_trace_lock(h->t, now->data[i]) != lock)
            *hd_map_put(&h->nested, pair_of(hd_trace_lock(h->t, now->data[i]), lock), NULL) = 1;
}

bool hd_held_nested(const struct hd_held_map *h, uint32_t outer, uint32_t inner)
{
    uint32_t seen;
    return hd_map_get(&h->nested, pair_of(outer, inner), &seen);
}

void hd_held_walk(struct hd_held_map *h)
{
    for (hd_eid e = 0; e < h->t->n_events; e++) {
        enum hd_op op = h->t->op[e];
        if (wanted(h, e))
            keep(h, e);
        if (hd_property_takes_lock(h->t, e))
            nest(h, e);
        if (op == HD_OP_ACQ || op == HD_OP_RACQ)
            hd_u32vec_push(&h->now[h->t->thread[e]], e);
        else if (op == HD_OP_REL || op == HD_OP_RREL)
            release(h, e, op == HD_OP_REL ? HD_OP_ACQ : HD_OP_RACQ);
    }
}

const hd_eid *hd_held_locks(const struct hd_held_map *h, hd_eid e, size_t *n)
{
    uint32_t index;
    *n = 0;
    if (!hd_map_get(&h->events, e, &index) || !index)
        return NULL;
    const struct seen *s = hd_vec_at(&h->seen, index - 1);
    *n = s->n;
    return s->n ? h->pool.data + s->start : NULL;
}

uint32_t hd_held_usual(const struct hd_held_map *h, uint32_t location, uint32_t *held, uint32_t *of)
{
    struct hd_map counts = {0};
    uint32_t best = UINT32_MAX;
    *held = *of = 0;
    for (size_t i = 0; i < h->seen.len; i++) {
        const struct seen *s = hd_vec_at(&h->seen, i);
        if (!hd_op_is_access(h->t->op[s->event]) || h->t->obj[s->event] != location)
            continue;
        ++*of;
        for (uint32_t k = 0; k < s->n; k++) {
            uint32_t lock = hd_trace_lock(h->t, h->pool.data[s->start + k]);
            uint32_t count = ++*hd_map_put(&counts, lock, NULL);
            if (count > *held || (count == *held && lock < best)) {
                *held = count;
                best = lock;
            }
        }
    }
    hd_map_fini(&counts);
    return best;
}
