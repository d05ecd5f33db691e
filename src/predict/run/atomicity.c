/* Candidates for atomicity violations: pairs of accesses of a block, by class, with the classes of
 * accesses that other threads have to the same location. */
#include "base/alloc.h"
#include "base/stop.h"
#include "predict/index/candidates.h"
#include "predict/run/triples.h"
#include "predict/run/visitor.h"

#include <stdlib.h>

static int compare(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

/* Pairs of one location, thread, places and kinds stand together. */
static int by_class(const void *a, const void *b, void *arg)
{
    const struct hd_trace *t = arg;
    const struct hd_block_pair *x = a, *y = b;
    const uint64_t keys[][2] = {{t->obj[x->c], t->obj[y->c]},
                                {t->thread[x->c], t->thread[y->c]},
                                {t->place[x->c], t->place[y->c]},
                                {hd_op_writes(t->op[x->c]), hd_op_writes(t->op[y->c])},
                                {t->place[x->d], t->place[y->d]},
                                {hd_op_writes(t->op[x->d]), hd_op_writes(t->op[y->d])},
                                {x->c, y->c},
                                {x->d, y->d}};
    int order = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !order; i++)
        order = compare(keys[i][0], keys[i][1]);
    return order;
}

static bool same_class(const struct hd_trace *t, const struct hd_block_pair *x,
                       const struct hd_block_pair *y)
{
    return t->obj[x->c] == t->obj[y->c] && t->thread[x->c] == t->thread[y->c] &&
           t->place[x->c] == t->place[y->c] && t->place[x->d] == t->place[y->d] &&
           hd_op_writes(t->op[x->c]) == hd_op_writes(t->op[y->c]) &&
           hd_op_writes(t->op[x->d]) == hd_op_writes(t->op[y->d]);
}

static const struct hd_block_pair *pair_at(const struct hd_triples *s, size_t i)
{
    return hd_vec_at(&s->pairs, i);
}

static hd_eid class_event(const struct hd_triples *s, uint32_t class)
{
    return s->c->events[hd_class_at(s->c, class)->start];
}

/* All classes of accesses to the location that pairs [from, to) belong to, which are of one class.
 * Classes of one location stand together; `class` is the first that may be of this one. */
static uint32_t add_bundles(struct hd_triples *s, uint32_t from, uint32_t to, uint32_t class)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_block_pair *pair = pair_at(s, from);
    uint32_t loc = t->obj[pair->c];
    while (class < s->c->classes.len && t->obj[class_event(s, class)] < loc)
        class ++;
    for (uint32_t k = class;
         k < s->c->classes.len && t->obj[class_event(s, k)] == loc && !hd_stop_often(k); k++)
        if (hd_property_unserialisable(t, pair->c, class_event(s, k), pair->d))
            *(struct hd_triple_bundle *)hd_vec_push(&s->bundles) =
                (struct hd_triple_bundle){from, to, k};
    return class;
}

static void places_of(const struct hd_triples *s, const struct hd_triple_bundle *b, uint32_t *out)
{
    const struct hd_trace *t = s->w->t;
    out[0] = t->place[pair_at(s, b->from)->c];
    out[1] = t->place[class_event(s, b->class)];
    out[2] = t->place[pair_at(s, b->from)->d];
}

static int by_places(const void *a, const void *b, void *arg)
{
    const struct hd_triple_bundle *x = a, *y = b;
    uint32_t p[3], q[3];
    int order = 0;
    places_of(arg, x, p);
    places_of(arg, y, q);
    for (int i = 0; i < 3 && !order; i++)
        order = compare(p[i], q[i]);
    if (!order)
        order = compare(x->from, y->from);
    return order ? order : compare(x->class, y->class);
}

static bool same_places(const struct hd_triples *s, const struct hd_triple_bundle *x,
                        const struct hd_triple_bundle *y)
{
    uint32_t p[3], q[3];
    places_of(s, x, p);
    places_of(s, y, q);
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

void hd_triples_init(struct hd_triples *s, const struct hd_world *w, bool all)
{
    *s = (struct hd_triples){.w = w,
                             .pairs = HD_VEC_INIT(struct hd_block_pair),
                             .bundles = HD_VEC_INIT(struct hd_triple_bundle)};
    s->c = hd_candidates_new(w);
    if (hd_stop_now() == HD_STOP_NO)
        hd_atomic_blocks_pairs(w, all, &s->pairs);
    if (s->pairs.len)
        qsort_r(s->pairs.data, s->pairs.len, sizeof(struct hd_block_pair), by_class, (void *)w->t);
    uint32_t class = 0;
    for (uint32_t from = 0, to; from < s->pairs.len && hd_stop_now() == HD_STOP_NO; from = to) {
        for (to = from + 1;
             to < s->pairs.len && same_class(w->t, pair_at(s, from), pair_at(s, to));)
            to++;
        class = add_bundles(s, from, to, class);
    }
    if (s->bundles.len)
        qsort_r(s->bundles.data, s->bundles.len, sizeof(struct hd_triple_bundle), by_places, s);
    for (uint32_t i = 0; i < s->bundles.len; i++)
        if (!i || !same_places(s, hd_vec_at(&s->bundles, i - 1), hd_vec_at(&s->bundles, i)))
            hd_u32vec_push(&s->groups, i);
    hd_u32vec_push(&s->groups, (uint32_t)s->bundles.len);
}

void hd_triples_fini(struct hd_triples *s)
{
    hd_candidates_free(s->c);
    hd_vec_fini(&s->pairs);
    hd_vec_fini(&s->bundles);
    hd_u32vec_fini(&s->groups);
}

/* Which kind of block the pair belongs to. Requires that it is one of the pairs. */
static enum hd_block_kind kind_of(const struct hd_triples *s, hd_eid c, hd_eid d)
{
    const struct hd_block_pair key = {.c = c, .d = d};
    size_t lo = 0, hi = s->pairs.len;
    while (lo < hi) { /* the first that is not below */
        size_t mid = lo + (hi - lo) / 2;
        if (by_class(pair_at(s, mid), &key, (void *)s->w->t) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return pair_at(s, lo)->kind;
}

/* The events of class y that need not come before c, nor after d: [*from, *to). */
static void open_range(const struct hd_triples *s, const struct hd_block_pair *pair,
                       const struct hd_class *y, uint32_t *from, uint32_t *to)
{
    const struct hd_trace *t = s->w->t;
    uint32_t before = hd_must_clock(s->w->must, pair->c)[y->thread], lo = y->start, hi = y->end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->pos[s->c->events[mid]] < before)
            lo = mid + 1;
        else
            hi = mid;
    }
    *from = lo;
    hi = y->end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (!hd_world_before(s->w, pair->d, s->c->events[mid]))
            lo = mid + 1;
        else
            hi = mid;
    }
    *to = lo;
}

static bool each_of_bundle(const struct hd_triples *s, const struct hd_triple_bundle *b,
                           bool use_must, struct hd_visitor *v)
{
    const struct hd_class *y = hd_class_at(s->c, b->class);
    for (uint32_t i = b->from; i < b->to; i++) {
        const struct hd_block_pair *pair = pair_at(s, i);
        uint32_t from = y->start, to = y->end;
        if (use_must)
            open_range(s, pair, y, &from, &to);
        hd_visitor_skip(v, HD_STEP_MUST, (y->end - y->start) - (to - from));
        for (; from < to; from++) {
            const hd_eid events[] = {pair->c, s->c->events[from], pair->d};
            if (!hd_visitor_visit(v, events, 3))
                return false;
        }
    }
    return true;
}

struct context {
    const struct hd_triples *triples;
    bool use_must;
};

static void each(const void *ctx, size_t group, struct hd_visitor *v)
{
    const struct context *x = ctx;
    for (uint32_t i = x->triples->groups.data[group]; i < x->triples->groups.data[group + 1]; i++)
        if (!each_of_bundle(x->triples, hd_vec_at(&x->triples->bundles, i), x->use_must, v))
            return;
}

static uint64_t count(const void *ctx, size_t group)
{
    const struct context *x = ctx;
    uint64_t total = 0;
    for (uint32_t i = x->triples->groups.data[group]; i < x->triples->groups.data[group + 1]; i++) {
        const struct hd_triple_bundle *b = hd_vec_at(&x->triples->bundles, i);
        const struct hd_class *y = hd_class_at(x->triples->c, b->class);
        total += (uint64_t)(b->to - b->from) * (y->end - y->start);
    }
    return total;
}

void hd_triples_decide(const struct hd_triples *s, const struct hd_predict_options *options,
                       double started, struct hd_prediction *result)
{
    const struct context x = {s, options->steps >> HD_STEP_MUST & 1};
    const struct hd_visits visits = {.property = HD_PROPERTY_ATOMICITY,
                                     .w = s->w,
                                     .options = options,
                                     .n_groups = s->groups.len - 1,
                                     .ctx = &x,
                                     .each = each,
                                     .count = count};
    hd_visits_decide(&visits, started, result);
    for (size_t i = 0; i < result->found.len; i++) {
        struct hd_predicted *one = hd_vec_at(&result->found, i);
        one->block = kind_of(s, one->witness.events[0], one->witness.events[2]);
    }
}
