#include "detect/clock.h"

#include "base/alloc.h"
#include "base/err.h"

#include <string.h>

void hd_clock_pool_init(struct hd_clock_pool *p, size_t threads)
{
    size_t width = (threads + HD_CLOCK_LANE - 1) / HD_CLOCK_LANE * HD_CLOCK_LANE;
    *p = (struct hd_clock_pool){.width = width};
    p->bytes = sizeof(struct hd_clock) + width * sizeof(uint32_t);
}

void hd_clock_pool_fini(struct hd_clock_pool *p)
{
    HD_ASSERT(p->live == 0);
    for (size_t i = 0; i < p->n_idle; i++)
        hd_free(p->idle[i], p->bytes);
    hd_free(p->idle, p->cap_idle * sizeof *p->idle);
    *p = (struct hd_clock_pool){0};
}

static struct hd_clock *raw_clock(struct hd_clock_pool *p)
{
    p->live++;
    struct hd_clock *c = p->n_idle ? p->idle[--p->n_idle] : hd_alloc(p->bytes);
    c->refs = 1;
    return c;
}

struct hd_clock *hd_clock_new(struct hd_clock_pool *p)
{
    struct hd_clock *c = raw_clock(p);
    memset(c->v, 0, p->width * sizeof *c->v);
    return c;
}

static struct hd_clock *copy_of(struct hd_clock_pool *p, const struct hd_clock *c)
{
    struct hd_clock *copy = raw_clock(p);
    memcpy(copy->v, c->v, p->width * sizeof *c->v);
    return copy;
}

/* Makes *c private to its holder, so that it may be changed. */
static void own(struct hd_clock_pool *p, struct hd_clock **c)
{
    if ((*c)->refs == 1)
        return;
    (*c)->refs--;
    *c = copy_of(p, *c);
}

void hd_clock_drop(struct hd_clock_pool *p, struct hd_clock *c)
{
    if (p->n_idle == p->cap_idle) {
        size_t cap = p->cap_idle ? p->cap_idle * 2 : 64;
        p->idle = hd_realloc(p->idle, p->cap_idle * sizeof *p->idle, cap * sizeof *p->idle);
        p->cap_idle = cap;
    }
    p->idle[p->n_idle++] = c;
    p->live--;
}

static void raise_to(const struct hd_clock_pool *p, uint32_t *to, const uint32_t *from)
{
    for (size_t i = 0; i < p->width; i += HD_CLOCK_LANE)
        for (size_t j = i; j < i + HD_CLOCK_LANE; j++)
            to[j] = to[j] > from[j] ? to[j] : from[j];
}

bool hd_clock_covers(const struct hd_clock_pool *p, const uint32_t *to, const uint32_t *from,
                     hd_tid skip)
{
    for (size_t i = 0; i < p->width; i++)
        if (from[i] > to[i] && i != skip)
            return false;
    return true;
}

bool hd_clock_join(struct hd_clock_pool *p, struct hd_clock **c, hd_tid self,
                   const struct hd_stamp *s)
{
    if (!s->clock || s->thread == self || (*c)->v[s->thread] >= s->tick)
        return false;
    own(p, c);
    raise_to(p, (*c)->v, s->clock->v);
    (*c)->v[s->thread] = s->tick;
    return true;
}

bool hd_clock_join_clock(struct hd_clock_pool *p, struct hd_clock **c, hd_tid self,
                         const struct hd_clock *from)
{
    if (from == *c || hd_clock_covers(p, (*c)->v, from->v, self))
        return false;
    own(p, c);
    raise_to(p, (*c)->v, from->v);
    return true;
}

void hd_stamp_set(struct hd_clock_pool *p, struct hd_stamp *s, struct hd_clock *c, hd_tid thread,
                  uint32_t tick)
{
    if (s->clock != c) {
        hd_clock_get(c);
        hd_clock_put(p, s->clock);
        s->clock = c;
    }
    s->thread = thread;
    s->tick = tick;
}

void hd_stamp_clear(struct hd_clock_pool *p, struct hd_stamp *s)
{
    hd_clock_put(p, s->clock);
    *s = (struct hd_stamp){0};
}

void hd_timeline_init(struct hd_timeline *tl, const struct hd_trace *t)
{
    size_t threads = hd_trace_n_threads(t);
    *tl = (struct hd_timeline){.t = t};
    hd_clock_pool_init(&tl->pool, threads);
    tl->of = hd_calloc(threads, sizeof *tl->of);
    tl->n = hd_calloc(threads, sizeof *tl->n);
    tl->cap = hd_calloc(threads, sizeof *tl->cap);
    struct hd_clock *zero = hd_clock_new(&tl->pool);
    for (size_t u = 0; u < threads; u++) {
        tl->cap[u] = 2;
        tl->of[u] = hd_alloc(tl->cap[u] * sizeof **tl->of);
        tl->of[u][tl->n[u]++] = (struct hd_change){0, hd_clock_get(zero)};
    }
    hd_clock_put(&tl->pool, zero);
}

void hd_timeline_fini(struct hd_timeline *tl)
{
    size_t threads = hd_trace_n_threads(tl->t);
    for (size_t u = 0; u < threads; u++) {
        for (uint32_t i = 0; i < tl->n[u]; i++)
            hd_clock_put(&tl->pool, tl->of[u][i].clock);
        hd_free(tl->of[u], tl->cap[u] * sizeof **tl->of);
    }
    hd_free(tl->of, threads * sizeof *tl->of);
    hd_free(tl->n, threads * sizeof *tl->n);
    hd_free(tl->cap, threads * sizeof *tl->cap);
    hd_clock_pool_fini(&tl->pool);
}

void hd_timeline_put(struct hd_timeline *tl, hd_tid u, uint32_t pos, struct hd_clock *c)
{
    struct hd_change *last = &tl->of[u][tl->n[u] - 1];
    HD_DCHECK(last->pos <= pos);
    if (last->pos == pos) {
        hd_clock_put(&tl->pool, last->clock);
        last->clock = c;
        return;
    }
    if (tl->n[u] == tl->cap[u]) {
        uint32_t cap = tl->cap[u] * 2;
        tl->of[u] = hd_realloc(tl->of[u], tl->cap[u] * sizeof **tl->of, cap * sizeof **tl->of);
        tl->cap[u] = cap;
    }
    tl->of[u][tl->n[u]++] = (struct hd_change){pos, c};
}

void hd_timeline_join(struct hd_timeline *tl, hd_tid u, uint32_t pos, const struct hd_stamp *s)
{
    struct hd_clock *c = hd_clock_get(hd_timeline_now(tl, u));
    if (hd_clock_join(&tl->pool, &c, u, s))
        hd_timeline_put(tl, u, pos, c);
    else
        hd_clock_put(&tl->pool, c);
}

void hd_timeline_join_clock(struct hd_timeline *tl, hd_eid e, struct hd_clock *from)
{
    hd_tid u = tl->t->thread[e];
    struct hd_clock *now = hd_timeline_now(tl, u);
    if (hd_clock_covers(&tl->pool, now->v, from->v, u))
        return;
    struct hd_clock *c;
    if (hd_clock_covers(&tl->pool, from->v, now->v, u)) {
        c = hd_clock_get(from);
    } else {
        c = copy_of(&tl->pool, now);
        raise_to(&tl->pool, c->v, from->v);
    }
    hd_timeline_put(tl, u, tl->t->pos[e], c);
}

struct hd_clock *hd_timeline_clock(const struct hd_timeline *tl, hd_tid u, uint32_t pos)
{
    const struct hd_change *changes = tl->of[u];
    uint32_t lo = 0, hi = tl->n[u];
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (changes[mid].pos <= pos)
            lo = mid;
        else
            hi = mid;
    }
    return changes[lo].clock;
}

bool hd_timeline_before(const struct hd_timeline *tl, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = tl->t;
    if (t->thread[a] == t->thread[b])
        return t->pos[a] < t->pos[b];
    return hd_timeline_clock(tl, t->thread[b], t->pos[b])->v[t->thread[a]] > t->pos[a];
}
