/* Deadlocks: the lock-order cycles of the trace, each decided as a goal. */
#include "base/alloc.h"
#include "predict/run/cycles.h"
#include "predict/run/visitor.h"

struct context {
    const struct hd_cycles *cycles;
    bool use_must;
};

struct walk {
    const struct context *x;
    const struct hd_class_cycle *cycle;
    struct hd_visitor *v;
    hd_eid *events, *turned; /* as the classes stand; from the smallest event on */
};

static const struct hd_request_class *class_of(const struct walk *k, uint32_t i)
{
    return hd_request_class_at(k->x->cycles, k->x->cycles->members.data[k->cycle->start + i]);
}

static bool visit(struct walk *k)
{
    uint32_t n = k->cycle->n, first = 0;
    for (uint32_t i = 1; i < n; i++)
        if (k->events[i] < k->events[first])
            first = i;
    for (uint32_t i = 0; i < n; i++)
        k->turned[i] = k->events[(first + i) % n];
    return hd_visitor_visit(k->v, k->turned, n);
}

/* Whether event e can wait while the first `n` of the cycle wait: no order keeps them apart. */
static bool open_beside(const struct walk *k, uint32_t n, hd_eid e)
{
    hd_eid both[2] = {e, 0};
    for (uint32_t i = 0; i < n; i++) {
        both[1] = k->events[i];
        struct hd_goal goal = hd_goal_deadlock(both, 2);
        if (hd_visitor_ordered(k->x->cycles->w, &goal))
            return false;
    }
    return true;
}

/* How many choices there are for the classes from i on. */
static uint64_t choices(const struct walk *k, uint32_t i)
{
    uint64_t total = 1;
    for (; i < k->cycle->n; i++)
        total *= class_of(k, i)->end - class_of(k, i)->start;
    return total;
}

/* Chooses an event of class i and of those after it, in all ways. False: enough. */
static bool choose(struct walk *k, uint32_t i)
{
    const struct hd_request_class *class = class_of(k, i);
    for (uint32_t e = class->start; e < class->end; e++) {
        k->events[i] = k->x->cycles->events[e];
        if (k->x->use_must && !open_beside(k, i, k->events[i])) {
            hd_visitor_skip(k->v, HD_STEP_MUST, choices(k, i + 1));
            continue;
        }
        if (i + 1 == k->cycle->n ? !visit(k) : !choose(k, i + 1))
            return false;
    }
    return true;
}

static void each(const void *ctx, size_t group, struct hd_visitor *v)
{
    const struct context *x = ctx;
    bool more = true;
    for (uint32_t i = x->cycles->groups.data[group]; more && i < x->cycles->groups.data[group + 1];
         i++) {
        struct walk k = {.x = x, .cycle = hd_vec_at(&x->cycles->cycles, i), .v = v};
        size_t bytes = k.cycle->n * sizeof *k.events;
        k.events = hd_alloc(bytes);
        k.turned = hd_alloc(bytes);
        more = choose(&k, 0);
        hd_free(k.events, bytes);
        hd_free(k.turned, bytes);
    }
}

static uint64_t count(const void *ctx, size_t group)
{
    const struct context *x = ctx;
    uint64_t total = 0;
    for (uint32_t i = x->cycles->groups.data[group]; i < x->cycles->groups.data[group + 1]; i++) {
        struct walk k = {.x = x, .cycle = hd_vec_at(&x->cycles->cycles, i)};
        total += choices(&k, 0);
    }
    return total;
}

void hd_cycles_decide(const struct hd_cycles *s, const struct hd_predict_options *options,
                      double started, struct hd_prediction *result)
{
    const struct context x = {s, options->steps >> HD_STEP_MUST & 1};
    const struct hd_visits visits = {.property = HD_PROPERTY_DEADLOCK,
                                     .w = s->w,
                                     .options = options,
                                     .n_groups = s->groups.len - 1,
                                     .ctx = &x,
                                     .each = each,
                                     .count = count};
    hd_visits_decide(&visits, started, result);
}
