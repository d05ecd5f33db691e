#include "model/enumerate.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "model/check.h"
#include "model/published_rules.h"
#include "model/space.h"

#include <stdlib.h>

struct found {
    struct hd_enum_pair pair;
    uint32_t state; /* the first one in which the pair shows */
};

struct search {
    const struct hd_trace *t;
    const struct hd_enum_opts *opts;
    struct hd_space space;
    struct hd_map known; /* pairs found, a << 32 | b */
    struct hd_vec races; /* struct found */
};

static void note(struct search *s, hd_eid a, hd_eid b, uint32_t id)
{
    bool fresh;
    hd_map_put(&s->known, (uint64_t)a << 32 | b, &fresh);
    if (fresh)
        *(struct found *)hd_vec_push(&s->races) = (struct found){{a, b}, id};
}

/* The conflicting pairs among the events that may run in the state expanded last. */
static void note_races(struct search *s, uint32_t id)
{
    const struct hd_u32vec *enabled = &s->space.enabled;
    for (size_t i = 0; i < enabled->len; i++)
        for (size_t j = 0; j < enabled->len; j++)
            if (enabled->data[i] < enabled->data[j] &&
                hd_property_conflict(s->t, enabled->data[i], enabled->data[j]))
                note(s, enabled->data[i], enabled->data[j], id);
}

/* Now and then: shows progress; returns whether the user wants to stop. */
static bool stopped(const struct hd_enum_opts *opts, size_t states)
{
    if (states % 1024)
        return false;
    if (opts->tick)
        opts->tick(opts->ctx, states);
    return hd_interrupt_requested();
}

static enum hd_status explore(struct search *s, struct hd_err *err)
{
    bool within = true, stop = false;
    while (within && !stop && !hd_space_done(&s->space)) {
        uint32_t id = (uint32_t)hd_space_expanded(&s->space);
        within = hd_space_expand(&s->space);
        if (s->opts->model == HD_ENUM_MAX)
            note_races(s, id);
        stop = stopped(s->opts, id);
    }
    if (!within)
        return hd_err_set(err, HD_ERR_LIMIT,
                          "more than %zu states: the trace is too long to enumerate",
                          s->space.max_states);
    return stop ? hd_err_set(err, HD_ERR_STOPPED, "interrupted") : HD_OK;
}

/* Both allowed in this state, and not yet known to race: does the pair show here? */
static void judge(struct search *s, struct hd_published_rules *p, uint32_t id, hd_eid a, hd_eid b)
{
    uint32_t unused;
    if (a >= b || !hd_property_conflict(s->t, a, b) ||
        hd_map_get(&s->known, (uint64_t)a << 32 | b, &unused))
        return;
    if (s->opts->model == HD_ENUM_SAID ? hd_published_rules_said(p, id, a, b)
                                       : hd_published_rules_rv(p, id, a, b))
        note(s, a, b, id);
}

/* In a space of complete reorderings every event that may run has an edge, or would become stale
 * (said): so the next events are taken from the threads, not from the edges. */
static void judge_published(struct search *s, const struct hd_recorded *recorded)
{
    struct hd_space *space = &s->space;
    struct hd_published_rules *p = hd_published_rules_new(s->t, space, recorded);
    for (uint32_t id = 0; id < space->blocks.len; id++) {
        hd_space_load(space, id);
        for (size_t i = 0; i < space->enabled.len; i++)
            for (size_t j = 0; j < space->enabled.len; j++)
                judge(s, p, id, space->enabled.data[i], space->enabled.data[j]);
    }
    hd_published_rules_free(p);
}

/* The way to the state in which the pair was found, and the pair. */
static void build_witness(const struct search *s, const struct found *f, struct hd_witness *w)
{
    *w = (struct hd_witness){.a = f->pair.a, .b = f->pair.b, .n = 2};
    const struct hd_space_origin *origins = s->space.origins.data, *o;
    for (o = &origins[f->state]; o->event != HD_EID_NONE; o = &origins[o->parent]) {
        w->n++;
        w->n_wakes += o->woken != HD_TID_NONE;
    }
    w->schedule = hd_alloc(w->n * sizeof *w->schedule);
    w->wakes = hd_alloc(w->n_wakes * sizeof *w->wakes);
    size_t at = w->n, wake = w->n_wakes;
    w->schedule[--at] = w->b;
    w->schedule[--at] = w->a;
    for (o = &origins[f->state]; o->event != HD_EID_NONE; o = &origins[o->parent]) {
        w->schedule[--at] = o->event;
        if (o->woken != HD_TID_NONE)
            w->wakes[--wake] = (struct hd_wake){o->event, o->woken};
    }
}

static int by_pair(const void *x, const void *y)
{
    const struct hd_enum_pair *p = &((const struct found *)x)->pair;
    const struct hd_enum_pair *q = &((const struct found *)y)->pair;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void hand_over(struct search *s, struct hd_enum_result *result)
{
    bool witnesses = s->opts->witnesses && s->opts->model == HD_ENUM_MAX;
    size_t n = s->races.len;
    struct found *races = s->races.data;
    if (n)
        qsort(races, n, sizeof *races, by_pair);
    result->n_pairs = n;
    result->pairs = hd_alloc(n * sizeof *result->pairs);
    result->witnesses = witnesses ? hd_alloc(n * sizeof *result->witnesses) : NULL;
    for (size_t i = 0; i < n; i++) {
        result->pairs[i] = races[i].pair;
        if (witnesses)
            build_witness(s, &races[i], &result->witnesses[i]);
    }
}

static enum hd_status search(struct search *s, const struct hd_recorded *recorded,
                             struct hd_enum_result *result, struct hd_err *err)
{
    enum hd_status status = explore(s, err);
    result->n_states = s->space.blocks.len;
    result->complete = status == HD_OK;
    if (status == HD_OK && s->opts->model != HD_ENUM_MAX)
        judge_published(s, recorded);
    if (s->opts->partial)
        status = HD_OK;
    if (status == HD_OK)
        hand_over(s, result);
    hd_space_fini(&s->space);
    hd_vec_fini(&s->races);
    hd_map_fini(&s->known);
    return status;
}

/* A copy of the trace's struct with default dependences everywhere: rv knows no others. The caller
 * frees dep alone. */
static struct hd_trace without_deps(const struct hd_trace *t)
{
    struct hd_trace plain = *t;
    plain.dep = hd_calloc(t->n_events, sizeof *plain.dep);
    return plain;
}

static enum hd_status search_published(struct search *s, struct hd_enum_result *result,
                                       struct hd_err *err)
{
    enum hd_status status = hd_check_trace(s->t, NULL, err);
    if (status != HD_OK)
        return status;
    bool said = s->opts->model == HD_ENUM_SAID;
    struct hd_recorded recorded;
    struct hd_trace plain = without_deps(s->t);
    hd_recorded_init(&recorded, s->t);
    hd_space_init(&s->space, said ? s->t : &plain, said ? &hd_said_rule : &hd_rv_rule, &recorded,
                  s->opts->max_states);
    status = search(s, &recorded, result, err);
    hd_recorded_fini(&recorded);
    hd_free(plain.dep, s->t->n_events * sizeof *plain.dep);
    return status;
}

enum hd_status hd_enumerate(const struct hd_trace *t, const struct hd_enum_opts *opts,
                            struct hd_enum_result *result, struct hd_err *err)
{
    static const struct hd_space_rule model_rule = {.allow = NULL};
    struct search s = {.t = t, .opts = opts, .races = HD_VEC_INIT(struct found)};
    *result = (struct hd_enum_result){0};
    if (opts->model != HD_ENUM_MAX)
        return search_published(&s, result, err);
    hd_space_init(&s.space, t, &model_rule, NULL, opts->max_states);
    return search(&s, NULL, result, err);
}

void hd_enum_result_fini(struct hd_enum_result *result)
{
    for (size_t i = 0; result->witnesses && i < result->n_pairs; i++)
        hd_witness_fini(&result->witnesses[i]);
    hd_free(result->witnesses, result->n_pairs * sizeof *result->witnesses);
    hd_free(result->pairs, result->n_pairs * sizeof *result->pairs);
    *result = (struct hd_enum_result){0};
}
