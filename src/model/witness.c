#include "model/witness.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "model/after.h"

#include <string.h>

struct hd_checker {
    const struct hd_trace *t;
    struct hd_layout layout;
    struct hd_state base;  /* after the first `at` events of the trace */
    struct hd_state state; /* the same between checks */
    size_t at;
    struct stop *stops; /* states on the way, to go back to; the first is the initial one */
    size_t n_stops, cap_stops, stride;
    struct hd_matching matching; /* made with the first prefix */
    size_t next_wake;            /* of it, from the base on */
    bool matched;
    struct hd_after after; /* made with the first unordered race; no marks between checks */
    struct hd_map choice;  /* sig: index into wakes */
    size_t used;           /* choices that some sig has made */
};

/* The state after the first `at` events of the trace. */
struct stop {
    size_t at, next_wake;
    unsigned char *block;
};

/* How many states on the way are kept, and the memory for them. */
enum { MAX_STOPS = 64, STOP_BYTES = 32 << 20 };

void hd_witness_fini(struct hd_witness *w)
{
    hd_free(w->schedule, w->n * sizeof *w->schedule);
    hd_free(w->wakes, w->n_wakes * sizeof *w->wakes);
    hd_free(w->events, w->n_events * sizeof *w->events);
    *w = (struct hd_witness){0};
}

void hd_witness_expand(struct hd_witness *w, const struct hd_trace *t, const struct hd_matching *m)
{
    struct hd_matching own = {0};
    size_t wakes = 0, n = w->prefix + w->n;
    if (!w->prefix)
        return;
    if (!m)
        hd_matching_check(t, &own);
    m = m ? m : &own;
    while (wakes < m->n && m->wakes[wakes].sig < w->prefix)
        wakes++;
    hd_eid *schedule = hd_alloc(n * sizeof *schedule);
    for (hd_eid e = 0; e < w->prefix; e++)
        schedule[e] = e;
    if (w->n)
        memcpy(schedule + w->prefix, w->schedule, w->n * sizeof *schedule);
    hd_free(w->schedule, w->n * sizeof *w->schedule);
    w->wakes = hd_realloc(w->wakes, w->n_wakes * sizeof *w->wakes,
                          (w->n_wakes + wakes) * sizeof *w->wakes);
    if (wakes)
        memcpy(w->wakes + w->n_wakes, m->wakes, wakes * sizeof *w->wakes);
    w->schedule = schedule;
    w->n = n;
    w->n_wakes += wakes;
    w->prefix = 0;
    hd_matching_fini(&own);
}

static void *copy(const void *from, size_t bytes)
{
    void *to = hd_alloc(bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

struct hd_witness hd_witness_long(const struct hd_witness *w, const struct hd_trace *t,
                                  const struct hd_matching *m)
{
    struct hd_witness result = *w;
    result.schedule = copy(w->schedule, w->n * sizeof *w->schedule);
    result.wakes = copy(w->wakes, w->n_wakes * sizeof *w->wakes);
    result.events = copy(w->events, w->n_events * sizeof *w->events);
    hd_witness_expand(&result, t, m);
    return result;
}

struct hd_checker *hd_checker_new(const struct hd_trace *t)
{
    struct hd_checker *c = hd_calloc(1, sizeof *c);
    c->t = t;
    hd_layout_init(&c->layout, t);
    hd_state_init(&c->base, &c->layout);
    hd_state_init(&c->state, &c->layout);
    c->cap_stops = STOP_BYTES / (c->layout.bytes + 1) + 1;
    c->cap_stops = c->cap_stops < MAX_STOPS ? c->cap_stops : MAX_STOPS;
    c->stride = t->n_events / c->cap_stops + 1;
    c->stops = hd_calloc(c->cap_stops, sizeof *c->stops);
    return c;
}

void hd_checker_free(struct hd_checker *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_stops; i++)
        hd_free(c->stops[i].block, c->layout.bytes);
    hd_free(c->stops, c->cap_stops * sizeof *c->stops);
    hd_state_fini(&c->base);
    hd_state_fini(&c->state);
    hd_layout_fini(&c->layout);
    hd_matching_fini(&c->matching);
    hd_map_fini(&c->choice);
    hd_after_fini(&c->after);
    hd_free(c, sizeof *c);
}

static unsigned long long num(uint64_t e)
{
    return (unsigned long long)e + 1;
}

static enum hd_status form_unordered(const struct hd_witness *w, struct hd_err *err)
{
    if (!w->n || w->schedule[w->n - 1] != w->b)
        return hd_err_set(err, HD_ERR_INPUT, "the schedule does not end in event %llu", num(w->b));
    bool runs = w->a < w->prefix;
    for (size_t i = 0; i < w->n && !runs; i++)
        runs = w->schedule[i] == w->a;
    if (!runs)
        return hd_err_set(err, HD_ERR_INPUT, "the schedule does not run event %llu", num(w->a));
    return HD_OK;
}

static enum hd_status form_race(const struct hd_trace *t, const struct hd_witness *w,
                                struct hd_err *err)
{
    if (w->a >= t->n_events || w->b >= t->n_events)
        return hd_err_set(err, HD_ERR_INPUT, "the pair names an event beyond the %llu of the trace",
                          (unsigned long long)t->n_events);
    if (!hd_property_conflict(t, w->a, w->b))
        return hd_err_set(err, HD_ERR_INPUT,
                          "events %llu and %llu do not conflict: that takes two accesses of "
                          "different threads to one location, a write and a non-atomic one "
                          "among them",
                          num(w->a), num(w->b));
    if (w->unordered)
        return form_unordered(w, err);
    if (w->n < 2 || w->schedule[w->n - 2] != w->a || w->schedule[w->n - 1] != w->b)
        return hd_err_set(err, HD_ERR_INPUT,
                          "the schedule does not end in the pair: events %llu, %llu", num(w->a),
                          num(w->b));
    return HD_OK;
}

static enum hd_status form_atomicity(const struct hd_trace *t, const struct hd_witness *w,
                                     struct hd_err *err)
{
    const hd_eid *e = w->events;
    if (w->n_events != 3 || e[0] >= t->n_events || e[1] >= t->n_events || e[2] >= t->n_events ||
        !hd_property_unserialisable(t, e[0], e[1], e[2]))
        return hd_err_set(err, HD_ERR_INPUT,
                          "an atomicity violation takes three accesses to one location, the first "
                          "and the third of one thread, the second of another, in a pattern that "
                          "no serial order gives");
    if (!w->n || w->schedule[w->n - 1] != e[2])
        return hd_err_set(err, HD_ERR_INPUT, "the schedule does not end in event %llu", num(e[2]));
    if (e[1] < w->prefix && e[0] < e[1])
        return HD_OK;
    size_t i = 0;
    for (int k = e[0] < w->prefix; k < 2; k++) {
        while (i < w->n && w->schedule[i] != e[k])
            i++;
        if (i == w->n)
            return hd_err_set(err, HD_ERR_INPUT,
                              "the schedule does not run event %llu and later event %llu",
                              num(e[0]), num(e[1]));
    }
    return HD_OK;
}

static enum hd_status form_deadlock(const struct hd_trace *t, const struct hd_witness *w,
                                    struct hd_err *err)
{
    if (w->n_events < 2)
        return hd_err_set(err, HD_ERR_INPUT, "a cycle has at least two events");
    for (size_t i = 0; i < w->n_events; i++)
        if (w->events[i] >= t->n_events || !hd_property_waits_for_lock(t, w->events[i]))
            return hd_err_set(err, HD_ERR_INPUT, "event %llu of the cycle does not wait for a lock",
                              num(w->events[i]));
    for (size_t i = 0; i < w->n_events; i++)
        for (size_t k = 0; k < i; k++)
            if (t->thread[w->events[i]] == t->thread[w->events[k]])
                return hd_err_set(err, HD_ERR_INPUT,
                                  "events %llu and %llu of the cycle belong to one thread",
                                  num(w->events[k]), num(w->events[i]));
    return HD_OK;
}

static enum hd_status form_failure(const struct hd_witness *w, struct hd_err *err)
{
    if (w->n_events != 1 || !w->n || w->schedule[w->n - 1] != w->events[0])
        return hd_err_set(err, HD_ERR_INPUT, "a failure has one event, in which the schedule ends");
    return HD_OK;
}

/* Everything that can be judged without running: the numbers, the property, the ends. */
static enum hd_status check_form(const struct hd_trace *t, const struct hd_witness *w,
                                 size_t *entry, struct hd_err *err)
{
    if (w->prefix > t->n_events)
        return hd_err_set(err, HD_ERR_INPUT, "the prefix is longer than the trace");
    for (size_t i = 0; i < w->n; i++) {
        if (w->schedule[i] < t->n_events)
            continue;
        *entry = w->prefix + i;
        return hd_err_set(err, HD_ERR_INPUT, "entry %llu is event %llu, but the trace has %llu",
                          num(*entry), num(w->schedule[i]), (unsigned long long)t->n_events);
    }
    switch (w->property) {
    case HD_PROPERTY_ATOMICITY:
        return form_atomicity(t, w, err);
    case HD_PROPERTY_DEADLOCK:
        return form_deadlock(t, w, err);
    case HD_PROPERTY_FAILURE:
        return form_failure(w, err);
    default:
        return form_race(t, w, err);
    }
}

static enum hd_status index_choices(struct hd_checker *c, const struct hd_witness *w,
                                    struct hd_err *err)
{
    if (c->choice.cap > 1024) /* one large witness must not make all later ones pay */
        hd_map_fini(&c->choice);
    else if (c->choice.len)
        hd_map_clear(&c->choice);
    c->used = 0;
    for (size_t i = 0; i < w->n_wakes; i++) {
        bool fresh;
        uint32_t *index = hd_map_put(&c->choice, w->wakes[i].sig, &fresh);
        if (!fresh)
            return hd_err_set(err, HD_ERR_INPUT, "wakes names event %llu twice",
                              num(w->wakes[i].sig));
        *index = (uint32_t)i;
    }
    return HD_OK;
}

static enum hd_status refuse_choice(const struct hd_trace *t, size_t i, hd_eid sig, hd_tid u,
                                    struct hd_err *err)
{
    const char *cond = hd_trace_obj_name(t, HD_OBJ_COND, t->obj[sig]);
    if (u == HD_TID_NONE)
        return hd_err_set(err, HD_ERR_INPUT,
                          "entry %llu: event %llu must say which waiter of condition %s it wakes",
                          num(i), num(sig), cond);
    return hd_err_set(err, HD_ERR_INPUT,
                      "entry %llu: event %llu cannot wake %s, which is not waiting on condition %s",
                      num(i), num(sig),
                      u < hd_trace_n_threads(t) ? hd_trace_thread_name(t, u) : "an unknown thread",
                      cond);
}

/* Whom entry i, a sig, wakes. */
static enum hd_status choose(struct hd_checker *c, const struct hd_witness *w, size_t i,
                             hd_tid *woken, struct hd_err *err)
{
    const struct hd_state *s = &c->state;
    hd_eid sig = w->schedule[i - w->prefix];
    uint32_t cond = c->t->obj[sig], index;
    if (hd_map_get(&c->choice, sig, &index)) {
        *woken = w->wakes[index].thread;
        c->used++;
        return hd_state_waits(s, *woken, cond) ? HD_OK : refuse_choice(c->t, i, sig, *woken, err);
    }
    *woken = hd_state_first_waiter(s, cond);
    return s->n_waiting[cond] < 2 ? HD_OK : refuse_choice(c->t, i, sig, HD_TID_NONE, err);
}

static enum hd_status require_enabled(const struct hd_state *s, size_t i, hd_eid e,
                                      struct hd_err *err)
{
    enum hd_why why = hd_state_why(s, e);
    if (!why)
        return HD_OK;
    char reason[400];
    hd_state_explain(s, e, why, reason, sizeof reason);
    return hd_err_set(err, HD_ERR_INPUT, "entry %llu: event %llu cannot run: %s", num(i), num(e),
                      reason);
}

/* After the schedule of a deadlock: everybody in the cycle waits for the next. */
static enum hd_status require_cycle(const struct hd_state *s, const struct hd_witness *w,
                                    struct hd_err *err)
{
    const struct hd_trace *t = s->t;
    for (size_t i = 0; i < w->n_events; i++) {
        hd_eid e = w->events[i], next = w->events[(i + 1) % w->n_events];
        if (!hd_state_blocked_by(s, e, t->thread[next]))
            return hd_err_set(
                err, HD_ERR_INPUT,
                "after the schedule event %llu does not wait for a lock that %s holds", num(e),
                hd_trace_thread_name(t, t->thread[next]));
    }
    return HD_OK;
}

/* One entry of an unordered race, in the state before it; b is judged. */
static enum hd_status watch(struct hd_checker *c, const struct hd_witness *w, size_t i,
                            hd_tid woken, bool *begun, struct hd_err *err)
{
    hd_eid e = w->schedule[i];
    if (!*begun) {
        *begun = e == w->a;
        if (*begun)
            hd_after_begin(&c->after, &c->state, e);
        return HD_OK;
    }
    if (i + 1 == w->n && hd_after_marks(&c->after, &c->state, e) & HD_AFTER_HB)
        return hd_err_set(err, HD_ERR_INPUT,
                          "event %llu happens before event %llu in this schedule", num(w->a),
                          num(w->b));
    hd_after_step(&c->after, &c->state, e, woken);
    return HD_OK;
}

/* Runs the entries, of a simultaneous race those before the pair, and judges the end. *ran counts
 * the events that have run. */
static enum hd_status run(struct hd_checker *c, const struct hd_witness *w, size_t *ran,
                          size_t *entry, struct hd_err *err)
{
    struct hd_state *s = &c->state;
    bool race = w->property == HD_PROPERTY_RACE, begun = false;
    size_t end = race && !w->unordered ? w->n - 2 : w->n;
    for (size_t i = 0; i < w->n; i++) {
        hd_eid e = w->schedule[i];
        *entry = w->prefix + i;
        enum hd_status status = require_enabled(s, *entry, e, err);
        if (status != HD_OK)
            return status;
        if (i >= end) /* a and b are both judged in the state before a */
            continue;
        hd_tid woken = HD_TID_NONE;
        if (c->t->op[e] == HD_OP_SIG)
            status = choose(c, w, *entry, &woken, err);
        if (status == HD_OK && race && w->unordered)
            status = watch(c, w, i, woken, &begun, err);
        if (status != HD_OK)
            return status;
        hd_state_step(s, e, woken);
        *ran = i + 1;
    }
    *entry = w->prefix + w->n;
    if (c->used < w->n_wakes)
        return hd_err_set(err, HD_ERR_INPUT,
                          "wakes names an event that is not a sig of the schedule");
    return w->property == HD_PROPERTY_DEADLOCK ? require_cycle(s, w, err) : HD_OK;
}

/* One event of the prefix, in both states. */
static void step_base(struct hd_checker *c, hd_eid e)
{
    const struct hd_matching *m = &c->matching;
    hd_tid woken = HD_TID_NONE;
    if (c->next_wake < m->n && m->wakes[c->next_wake].sig == e)
        woken = m->wakes[c->next_wake++].thread;
    hd_state_step(&c->base, e, woken);
    hd_state_step(&c->state, e, woken);
}

/* Keeps the state after every stride of the trace when it is first come to. */
static void keep_stop(struct hd_checker *c)
{
    if (c->at != c->n_stops * c->stride || c->n_stops == c->cap_stops)
        return;
    struct stop *stop = &c->stops[c->n_stops++];
    *stop = (struct stop){c->at, c->next_wake, hd_alloc(c->layout.bytes)};
    memcpy(stop->block, c->base.block, c->layout.bytes);
}

/* Back to the last state kept before the end of the prefix. */
static void go_back(struct hd_checker *c, size_t prefix)
{
    const struct stop *stop = &c->stops[prefix / c->stride];
    memcpy(c->base.block, stop->block, c->layout.bytes);
    hd_state_copy(&c->state, &c->base);
    c->at = stop->at;
    c->next_wake = stop->next_wake;
}

/* Both states to what they are after the first `prefix` events of the trace. */
static enum hd_status run_prefix(struct hd_checker *c, size_t prefix, size_t *entry,
                                 struct hd_err *err)
{
    if (prefix < c->at)
        go_back(c, prefix);
    if (prefix && !c->matched) {
        hd_matching_check(c->t, &c->matching);
        c->matched = true;
    }
    for (; c->at < prefix; c->at++) {
        keep_stop(c);
        enum hd_status status = require_enabled(&c->base, c->at, (hd_eid)c->at, err);
        *entry = c->at;
        if (status != HD_OK)
            return status;
        step_base(c, (hd_eid)c->at);
    }
    *entry = prefix;
    return HD_OK;
}

static enum hd_status check_witness(struct hd_checker *c, const struct hd_witness *w, size_t *entry,
                                    struct hd_err *err)
{
    size_t at = w->prefix + w->n, ran = 0;
    enum hd_status status = check_form(c->t, w, &at, err);
    if (status == HD_OK)
        status = index_choices(c, w, err);
    if (status == HD_OK)
        status = run_prefix(c, w->prefix, &at, err);
    if (status == HD_OK)
        status = run(c, w, &ran, &at, err);
    hd_state_return(&c->state, &c->base, w->schedule, ran);
    if (c->after.block)
        hd_after_clear(&c->after, w->schedule, ran);
    if (entry)
        *entry = at;
    return status;
}

/* The same witness with a shorter prefix: the events from a on stand in the schedule, for their
 * marks have to be seen. */
static struct hd_witness from_a_on(struct hd_checker *c, const struct hd_witness *w)
{
    struct hd_witness longer = *w;
    size_t more = w->prefix - w->a, wakes = 0, first = 0;
    if (!c->matched)
        hd_matching_check(c->t, &c->matching);
    c->matched = true;
    const struct hd_matching *m = &c->matching;
    while (first < m->n && m->wakes[first].sig < w->a)
        first++;
    while (first + wakes < m->n && m->wakes[first + wakes].sig < w->prefix)
        wakes++;
    longer.prefix = w->a;
    longer.n += more;
    longer.n_wakes += wakes;
    longer.schedule = hd_alloc(longer.n * sizeof *longer.schedule);
    longer.wakes = hd_alloc(longer.n_wakes * sizeof *longer.wakes);
    for (size_t i = 0; i < more; i++)
        longer.schedule[i] = (hd_eid)(w->a + i);
    memcpy(longer.schedule + more, w->schedule, w->n * sizeof *w->schedule);
    if (wakes)
        memcpy(longer.wakes, m->wakes + first, wakes * sizeof *m->wakes);
    if (w->n_wakes)
        memcpy(longer.wakes + wakes, w->wakes, w->n_wakes * sizeof *w->wakes);
    return longer;
}

enum hd_status hd_checker_check(struct hd_checker *c, const struct hd_witness *w, size_t *entry,
                                struct hd_err *err)
{
    bool unordered = w->property == HD_PROPERTY_RACE && w->unordered;
    if (unordered && !c->after.block)
        hd_after_init(&c->after, c->t);
    if (!unordered || w->a >= w->prefix || w->prefix > c->t->n_events || !w->n)
        return check_witness(c, w, entry, err);
    struct hd_witness longer = from_a_on(c, w);
    enum hd_status status = check_witness(c, &longer, entry, err);
    hd_free(longer.schedule, longer.n * sizeof *longer.schedule);
    hd_free(longer.wakes, longer.n_wakes * sizeof *longer.wakes);
    return status;
}

enum hd_status hd_witness_check(const struct hd_trace *t, const struct hd_witness *w, size_t *entry,
                                struct hd_err *err)
{
    struct hd_checker *c = hd_checker_new(t);
    enum hd_status status = hd_checker_check(c, w, entry, err);
    HD_DEBUG_LINE(MODEL, "witness of %zu events: %s", w->n,
                  status == HD_OK ? "accepted" : "refused");
    hd_checker_free(c);
    return status;
}
