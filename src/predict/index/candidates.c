#include "predict/index/candidates.h"

#include "base/alloc.h"

#include <stdlib.h>

static int compare(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static uint32_t spot_of(const struct hd_world *w, hd_eid e)
{
    return w->spots ? w->spots[e] : w->t->place[e];
}

/* Events of one user of a location, by place, kind, lock set, then program order. */
static int by_class(const void *a, const void *b, void *arg)
{
    const struct hd_world *w = arg;
    const struct hd_trace *t = w->t;
    hd_eid x = *(const hd_eid *)a, y = *(const hd_eid *)b;
    int order = compare(spot_of(w, x), spot_of(w, y));
    if (!order)
        order = compare(t->op[x], t->op[y]);
    if (!order)
        order = compare(hd_sections_lockset(w->sections, x), hd_sections_lockset(w->sections, y));
    return order ? order : compare(x, y);
}

static bool same_class(const struct hd_world *w, hd_eid x, hd_eid y)
{
    const struct hd_trace *t = w->t;
    return spot_of(w, x) == spot_of(w, y) && t->op[x] == t->op[y] &&
           hd_sections_lockset(w->sections, x) == hd_sections_lockset(w->sections, y);
}

static void add_classes(struct hd_candidates *c, const struct hd_world *w,
                        const struct hd_loc_user *user)
{
    const struct hd_trace *t = w->t;
    uint32_t n = user->end - user->start;
    hd_eid *events = c->events + c->n_events;
    bool sorted = true;
    for (uint32_t i = 0; i < n; i++) {
        events[i] = w->locs->list[user->start + i];
        sorted = sorted && same_class(w, events[0], events[i]);
    }
    if (!sorted)
        qsort_r(events, n, sizeof *events, by_class, (void *)w);
    for (uint32_t i = 0; i < n; i++) {
        hd_eid e = events[i];
        uint32_t at = (uint32_t)c->n_events + i;
        if (i == 0 || !same_class(w, events[i - 1], e))
            *(struct hd_class *)hd_vec_push(&c->classes) =
                (struct hd_class){.start = at,
                                  .end = at,
                                  .place = spot_of(w, e),
                                  .lockset = hd_sections_lockset(w->sections, e),
                                  .thread = t->thread[e],
                                  .op = t->op[e]};
        ((struct hd_class *)hd_vec_at(&c->classes, c->classes.len - 1))->end = at + 1;
    }
    c->n_events += n;
}

static bool classes_conflict(const struct hd_class *x, const struct hd_class *y)
{
    return x->thread != y->thread && (hd_op_writes(x->op) || hd_op_writes(y->op)) &&
           !(hd_op_is_atomic(x->op) && hd_op_is_atomic(y->op));
}

static void add_bundles(struct hd_candidates *c, size_t first)
{
    for (size_t i = first; i < c->classes.len; i++)
        for (size_t j = i + 1; j < c->classes.len; j++) {
            const struct hd_class *x = hd_vec_at(&c->classes, i), *y = hd_vec_at(&c->classes, j);
            if (!classes_conflict(x, y))
                continue;
            struct hd_bundle *bundle = hd_vec_push(&c->bundles);
            *bundle = x->place <= y->place ? (struct hd_bundle){(uint32_t)i, (uint32_t)j}
                                           : (struct hd_bundle){(uint32_t)j, (uint32_t)i};
            c->pairs += (uint64_t)(x->end - x->start) * (y->end - y->start);
        }
}

static bool may_conflict(const struct hd_loc_user *users, size_t n)
{
    size_t writers = 0;
    for (size_t i = 0; i < n; i++)
        writers += users[i].wend > users[i].wstart;
    return n > 1 && writers > 0;
}

static int by_places(const void *a, const void *b, void *arg)
{
    const struct hd_candidates *c = arg;
    const struct hd_bundle *p = a, *q = b;
    const struct hd_class *px = hd_class_at(c, p->x), *py = hd_class_at(c, p->y);
    const struct hd_class *qx = hd_class_at(c, q->x), *qy = hd_class_at(c, q->y);
    int order = compare(px->place, qx->place);
    if (!order)
        order = compare(py->place, qy->place);
    if (!order)
        order = compare(p->x, q->x);
    return order ? order : compare(p->y, q->y);
}

static void make_groups(struct hd_candidates *c)
{
    if (!c->bundles.len)
        return;
    qsort_r(c->bundles.data, c->bundles.len, sizeof(struct hd_bundle), by_places, c);
    for (size_t i = 0; i < c->bundles.len; i++) {
        const struct hd_bundle *bundle = hd_vec_at(&c->bundles, i);
        uint32_t x = hd_class_at(c, bundle->x)->place, y = hd_class_at(c, bundle->y)->place;
        struct hd_group *last = c->groups.len ? hd_vec_at(&c->groups, c->groups.len - 1) : NULL;
        if (!last || last->place_x != x || last->place_y != y) {
            last = hd_vec_push(&c->groups);
            *last = (struct hd_group){x, y, (uint32_t)i, (uint32_t)i};
        }
        last->end = (uint32_t)i + 1;
    }
}

struct hd_candidates *hd_candidates_new(const struct hd_world *w)
{
    struct hd_candidates *c = hd_calloc(1, sizeof *c);
    c->classes = HD_VEC_INIT(struct hd_class);
    c->bundles = HD_VEC_INIT(struct hd_bundle);
    c->groups = HD_VEC_INIT(struct hd_group);
    c->events = hd_alloc(w->locs->n_list * sizeof *c->events);
    for (uint32_t loc = 0; loc < hd_trace_n_objs(w->t, HD_OBJ_LOC); loc++) {
        size_t n, first = c->classes.len;
        const struct hd_loc_user *users = hd_accesses_users(w->locs, loc, &n);
        if (!may_conflict(users, n))
            continue;
        for (size_t i = 0; i < n; i++)
            add_classes(c, w, &users[i]);
        add_bundles(c, first);
    }
    size_t used = c->n_events * sizeof *c->events;
    c->events = hd_realloc(c->events, w->locs->n_list * sizeof *c->events, used);
    make_groups(c);
    return c;
}

void hd_candidates_free(struct hd_candidates *c)
{
    if (!c)
        return;
    hd_free(c->events, c->n_events * sizeof *c->events);
    hd_vec_fini(&c->classes);
    hd_vec_fini(&c->bundles);
    hd_vec_fini(&c->groups);
    hd_free(c, sizeof *c);
}

void hd_candidates_open(const struct hd_world *w, const struct hd_candidates *c, hd_eid e,
                        const struct hd_class *y, uint32_t *from, uint32_t *to)
{
    const struct hd_trace *t = w->t;
    uint32_t before = hd_must_clock(w->must, e)[y->thread];
    uint32_t lo = y->start, hi = y->end;
    while (lo < hi) { /* the first that need not come before e */
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->pos[c->events[mid]] < before)
            lo = mid + 1;
        else
            hi = mid;
    }
    *from = lo;
    hi = y->end;
    while (lo < hi) { /* the first that e must come before */
        uint32_t mid = lo + (hi - lo) / 2;
        if (hd_must_clock(w->must, c->events[mid])[t->thread[e]] <= t->pos[e])
            lo = mid + 1;
        else
            hi = mid;
    }
    *to = lo;
}
