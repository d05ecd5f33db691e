/* The pairs that a frontier search looks for, and whether one may still lie ahead of a state. */
#include "base/alloc.h"
#include "predict/search/frontier_int.h"

#include <stdlib.h>

/* Of two threads, u < v. With p events of u run, a pair that is not found lies ahead if v has run
 * fewer than below[p]; when u has read what is stale, fewer than below_stale_u[p]; and when v has,
 * if u has run fewer than below_stale_v[q] when v has run q. */
struct ahead {
    hd_tid u, v;
    uint32_t *below, *below_stale_u, *below_stale_v;
};

struct hd_frontier_pairs {
    const struct hd_world *w;
    const uint8_t *branch;
    struct hd_frontier_pair *list;
    size_t n, left, marked; /* pairs, those not found yet, and how many were left at mark_ahead */
    uint32_t *wanted;       /* by event: pairs of it that are not found yet */
    struct hd_vec ahead;    /* struct ahead */
};

static size_t bytes_of(const struct hd_world *w, hd_tid u)
{
    return ((size_t)hd_world_thread_len(w, u) + 1) * sizeof(uint32_t);
}

static void free_ahead(struct hd_frontier_pairs *p)
{
    for (size_t i = 0; i < p->ahead.len; i++) {
        struct ahead *x = hd_vec_at(&p->ahead, i);
        hd_free(x->below, bytes_of(p->w, x->u));
        hd_free(x->below_stale_u, bytes_of(p->w, x->u));
        hd_free(x->below_stale_v, bytes_of(p->w, x->v));
    }
    p->ahead.len = 0;
}

static struct ahead *ahead_of(struct hd_frontier_pairs *p, hd_tid u, hd_tid v)
{
    for (size_t i = 0; i < p->ahead.len; i++) {
        struct ahead *x = hd_vec_at(&p->ahead, i);
        if (x->u == u && x->v == v)
            return x;
    }
    struct ahead *x = hd_vec_push(&p->ahead);
    *x = (struct ahead){u, v, hd_calloc(1, bytes_of(p->w, u)), hd_calloc(1, bytes_of(p->w, u)),
                        hd_calloc(1, bytes_of(p->w, v))};
    return x;
}

/* x lies ahead of these many events of its thread while y does; `below` may be NULL. A thread that
 * has read what is stale passes no branch. */
static void raise_below(const struct hd_frontier_pairs *p, hd_eid x, hd_eid y, uint32_t *below,
                        uint32_t *below_stale)
{
    const struct hd_trace *t = p->w->t;
    bool stale = true; /* no branch from here to x, or at x */
    for (uint32_t k = t->pos[x] + 1; k-- > 0;) {
        stale &= !p->branch[hd_world_event(p->w, t->thread[x], k)];
        if (below && below[k] <= t->pos[y])
            below[k] = t->pos[y] + 1;
        if (stale && below_stale[k] <= t->pos[y])
            below_stale[k] = t->pos[y] + 1;
    }
}

static void mark_ahead(struct hd_frontier_pairs *p)
{
    const hd_tid *thread = p->w->t->thread;
    free_ahead(p);
    for (size_t i = 0; i < p->n; i++) {
        hd_eid a = p->list[i].a, b = p->list[i].b;
        if (p->list[i].found)
            continue;
        if (thread[a] > thread[b]) {
            a = p->list[i].b;
            b = p->list[i].a;
        }
        struct ahead *x = ahead_of(p, thread[a], thread[b]);
        raise_below(p, a, b, x->below, x->below_stale_u);
        raise_below(p, b, a, NULL, x->below_stale_v);
    }
    p->marked = p->left;
}

struct hd_frontier_pairs *hd_frontier_pairs_new(const struct hd_frontier *f,
                                                struct hd_frontier_pair *list, size_t n)
{
    struct hd_frontier_pairs *p = hd_calloc(1, sizeof *p);
    *p =
        (struct hd_frontier_pairs){.w = f->w, .branch = f->branch, .list = list, .n = n, .left = n};
    p->wanted = hd_calloc(f->w->t->n_events, sizeof *p->wanted);
    p->ahead = HD_VEC_INIT(struct ahead);
    for (size_t i = 0; i < n; i++) {
        list[i].found = false;
        p->wanted[list[i].a]++;
        p->wanted[list[i].b]++;
    }
    mark_ahead(p);
    return p;
}

void hd_frontier_pairs_free(struct hd_frontier_pairs *p)
{
    free_ahead(p);
    hd_vec_fini(&p->ahead);
    hd_free(p->wanted, p->w->t->n_events * sizeof *p->wanted);
    hd_free(p, sizeof *p);
}

bool hd_frontier_pairs_want(const struct hd_frontier_pairs *p, hd_eid e)
{
    return p->wanted[e];
}

bool hd_frontier_pairs_ahead(const struct hd_frontier_pairs *p, const struct hd_frontier *f)
{
    for (size_t i = 0; i < p->ahead.len; i++) {
        const struct ahead *x = hd_vec_at(&p->ahead, i);
        uint32_t n = f->now.pos[x->u], m = f->now.pos[x->v];
        uint32_t fu = f->now.flags[x->u], fv = f->now.flags[x->v];
        if (!((fu | fv) & HD_FRONTIER_LOST) &&
            m < (fu & HD_FRONTIER_STALE ? x->below_stale_u[n] : x->below[n]) &&
            (!(fv & HD_FRONTIER_STALE) || n < x->below_stale_v[m]))
            return true;
    }
    return false;
}

static int by_events(const void *x, const void *y)
{
    const struct hd_frontier_pair *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* The thread stands before an event of a pair that is not found; with what is read so far, a race
 * can have it. */
static bool stands_well(const struct hd_frontier_pairs *p, const struct hd_frontier *f, hd_eid e)
{
    uint32_t flags = e == HD_EID_NONE ? 0 : f->now.flags[f->w->t->thread[e]];
    return e != HD_EID_NONE && p->wanted[e] && !(flags & HD_FRONTIER_LOST) &&
           !(p->branch[e] && (flags & HD_FRONTIER_STALE));
}

struct hd_frontier_pair *hd_frontier_pairs_at(const struct hd_frontier_pairs *p,
                                              const struct hd_frontier *f, hd_tid u, hd_tid v)
{
    hd_eid x = hd_frontier_next(f, u), y = hd_frontier_next(f, v);
    if (!stands_well(p, f, x) || !stands_well(p, f, y) || f->w->t->obj[x] != f->w->t->obj[y])
        return NULL;
    struct hd_frontier_pair key = {x < y ? x : y, x < y ? y : x, false};
    struct hd_frontier_pair *pair = bsearch(&key, p->list, p->n, sizeof key, by_events);
    return pair && !pair->found && hd_frontier_clock_met(f, x) && hd_frontier_clock_met(f, y)
               ? pair
               : NULL;
}

bool hd_frontier_pairs_take(struct hd_frontier_pairs *p, struct hd_frontier_pair *pair)
{
    pair->found = true;
    p->wanted[pair->a]--;
    p->wanted[pair->b]--;
    p->left--;
    if (p->left && p->left <= p->marked / 2)
        mark_ahead(p);
    return !p->left;
}

bool hd_frontier_pairs_all(const struct hd_frontier_pairs *p)
{
    return !p->left;
}
