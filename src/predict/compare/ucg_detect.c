#include "predict/compare/ucg_detect.h"

#include "base/interrupt.h"
#include "base/progress.h"
#include "predict/index/candidates.h"
#include "predict/ucg/ucg.h"

struct detection {
    const struct hd_trace *t;
    const struct hd_detect_opts *opts;
    struct hd_detect_result *r;
    struct hd_candidates *c;
    struct hd_ucg_base *base;
    struct hd_ucg *graph;
    bool too_many;
};

/* The pairs of e with the next n events of its class. */
static void ask(struct detection *d, hd_eid e, const hd_eid *others, uint32_t n, bool *possible)
{
    struct hd_goal goals[HD_UCG_ASK];
    hd_eid pairs[HD_UCG_ASK][2];
    for (uint32_t i = 0; i < n; i++) {
        pairs[i][0] = e < others[i] ? e : others[i];
        pairs[i][1] = e < others[i] ? others[i] : e;
        goals[i] = hd_goal_race(pairs[i]);
    }
    hd_ucg_ask(d->graph, goals, n, possible);
}

static bool ordered(const struct detection *d, hd_eid a, hd_eid b)
{
    return hd_ucg_base_clock(d->base, b)[d->t->thread[a]] > d->t->pos[a];
}

/* The events of y that no order of the base puts before or after e: [*from, *to). */
static void open_range(const struct detection *d, hd_eid e, const struct hd_class *y,
                       uint32_t *from, uint32_t *to)
{
    uint32_t lo = y->start, hi = y->end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ordered(d, d->c->events[mid], e))
            lo = mid + 1;
        else
            hi = mid;
    }
    *from = lo;
    hi = y->end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (!ordered(d, e, d->c->events[mid]))
            lo = mid + 1;
        else
            hi = mid;
    }
    *to = lo;
}

/* The pairs of e with events [from, to). True when one is enough and was found. *ahead: how many
 * the graph is asked about together, which grows while none is found. */
static bool sweep_event(struct detection *d, hd_eid e, uint32_t from, uint32_t to, uint32_t *ahead)
{
    bool possible[HD_UCG_ASK];
    for (uint32_t some; from < to; from += some, *ahead = 2 * *ahead) {
        *ahead = *ahead < HD_UCG_ASK ? *ahead : HD_UCG_ASK;
        some = *ahead < to - from ? *ahead : to - from;
        ask(d, e, d->c->events + from, some, possible);
        for (uint32_t i = 0; i < some; i++) {
            hd_eid f = d->c->events[from + i];
            if (!possible[i])
                continue;
            hd_pairs_push(&d->r->pairs, e < f ? e : f, e < f ? f : e);
            d->too_many |= d->opts->max_pairs && d->r->pairs.len > d->opts->max_pairs;
            if (!d->opts->pairs || d->too_many)
                return true;
        }
    }
    return false;
}

static bool stopped(struct detection *d)
{
    d->r->cut |= d->opts->deadline != 0 && hd_progress_now() >= d->opts->deadline;
    return d->r->cut || hd_interrupt_requested();
}

/* True when the bundle has settled its group: one pair is enough and was found. */
static bool sweep(struct detection *d, const struct hd_bundle *bundle)
{
    const struct hd_class *x = hd_class_at(d->c, bundle->x), *y = hd_class_at(d->c, bundle->y);
    const hd_eid *events = d->c->events;
    uint32_t ahead = d->opts->pairs ? HD_UCG_ASK : 1;
    if (hd_sections_exclude(d->base->sections, events[x->start], events[y->start]))
        return false;
    for (uint32_t i = x->start; i < x->end && !stopped(d); i++) {
        uint32_t from, to;
        open_range(d, events[i], y, &from, &to);
        if (sweep_event(d, events[i], from, to, &ahead))
            return true;
    }
    return false;
}

static void sweep_groups(struct detection *d)
{
    for (size_t g = 0; g < d->c->groups.len && !d->too_many && !stopped(d); g++) {
        const struct hd_group *group = hd_vec_at(&d->c->groups, g);
        size_t before = d->r->pairs.len;
        struct hd_bundle_walk walk = hd_bundle_walk(d->c, group);
        struct hd_bundle bundle;
        while (hd_bundle_next(&walk, &bundle) && !sweep(d, &bundle))
            continue;
        if (d->r->pairs.len > before)
            hd_pairs_push(&d->r->places, group->place_x, group->place_y);
    }
    hd_pairs_sort(&d->r->pairs);
    hd_pairs_sort(&d->r->places);
}

enum hd_status hd_ucg_detect(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_err *err)
{
    struct hd_world w = {.t = t, .n_threads = hd_trace_n_threads(t)};
    struct detection d = {.t = t, .opts = opts, .r = r};
    w.sections = hd_sections_new(t, NULL, 0);
    w.locs = hd_accesses_new(t, HD_OBJ_LOC);
    w.conds = hd_accesses_new(t, HD_OBJ_COND);
    d.c = hd_candidates_new(&w);
    d.base = hd_ucg_base_new(t, w.sections, w.conds, NULL,
                             opts->recorded_matching ? HD_MHB_RECORDED : HD_MHB_ANY_WAITER);
    d.graph = hd_ucg_new(d.base, !opts->whole_graphs);
    sweep_groups(&d);
    hd_ucg_free(d.graph);
    hd_ucg_base_free(d.base);
    hd_candidates_free(d.c);
    hd_accesses_free(w.conds);
    hd_accesses_free(w.locs);
    hd_sections_free(w.sections);
    if (hd_interrupt_requested())
        return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
    if (d.too_many)
        return hd_err_set(err, HD_ERR_LIMIT, "more than %llu pairs",
                          (unsigned long long)opts->max_pairs);
    return HD_OK;
}
