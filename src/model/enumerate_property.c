#include "model/enumerate_property.h"

#include "base/alloc.h"
#include "model/property.h"
#include "model/space.h"

#include <stdlib.h>
#include <string.h>

static const struct hd_space_rule model_rule = {.allow = NULL};

static enum hd_status too_many(const struct hd_space *s, struct hd_err *err)
{
    return hd_err_set(err, HD_ERR_LIMIT, "more than %zu states: the trace is too long to enumerate",
                      s->max_states);
}

/* ---- atomicity ---- */

/* Up to 64 triples in one pass over the finished space: a state's bit means that some way to it has
 * run c and later r. States come in the order of the events run, so one pass is enough. */
static void mark_triples(struct hd_space *s, const struct hd_triple *triples, size_t n, bool *found)
{
    uint64_t *mark = hd_calloc(s->blocks.len, sizeof *mark);
    for (uint32_t id = 0; id < s->blocks.len; id++) {
        size_t edges;
        const struct hd_space_edge *edge = hd_space_edges(s, id, &edges);
        hd_space_load(s, id);
        for (size_t k = 0; k < edges; k++) {
            uint64_t bits = mark[id];
            for (size_t i = 0; i < n; i++) {
                if (edge[k].event == triples[i].r && hd_state_ran(&s->state, triples[i].c))
                    bits |= UINT64_C(1) << i;
                if (edge[k].event == triples[i].d && mark[id] >> i & 1)
                    found[i] = true;
            }
            mark[edge[k].to] |= bits;
        }
    }
    hd_free(mark, s->blocks.len * sizeof *mark);
}

enum hd_status hd_enumerate_property_triples(const struct hd_trace *t,
                                             const struct hd_triple *triples, size_t n,
                                             size_t max_states, bool *found, struct hd_err *err)
{
    struct hd_space s;
    enum hd_status status = HD_OK;
    hd_space_init(&s, t, &model_rule, NULL, max_states);
    while (status == HD_OK && !hd_space_done(&s))
        if (!hd_space_expand(&s))
            status = too_many(&s, err);
    for (size_t i = 0; i < n; i++)
        found[i] = false;
    for (size_t i = 0; i < n && status == HD_OK; i += 64)
        mark_triples(&s, triples + i, n - i < 64 ? n - i : 64, found + i);
    hd_space_fini(&s);
    return status;
}

/* ---- deadlocks ---- */

struct deadlocks {
    struct hd_space *s;
    struct hd_vec *cycles;
    hd_eid *at;     /* by thread: its next event if that takes a lock, or HD_EID_NONE */
    hd_tid *path;   /* threads of the cycle under construction */
    uint8_t *used;  /* by thread: in the path */
    size_t threads; /* of the trace */
};

int hd_cycle_compare(const struct hd_cycle *x, const struct hd_cycle *y)
{
    for (size_t i = 0; i < x->n && i < y->n; i++)
        if (x->events[i] != y->events[i])
            return x->events[i] < y->events[i] ? -1 : 1;
    return x->n < y->n ? -1 : x->n > y->n;
}

static int by_events(const void *x, const void *y)
{
    return hd_cycle_compare(x, y);
}

static void note_cycle(struct deadlocks *d, size_t n)
{
    size_t first = 0;
    struct hd_cycle cycle = {hd_alloc(n * sizeof *cycle.events), n};
    for (size_t i = 1; i < n; i++)
        if (d->at[d->path[i]] < d->at[d->path[first]])
            first = i;
    for (size_t i = 0; i < n; i++)
        cycle.events[i] = d->at[d->path[(first + i) % n]];
    for (size_t i = 0; i < d->cycles->len; i++)
        if (!hd_cycle_compare(hd_vec_at(d->cycles, i), &cycle)) {
            hd_free(cycle.events, n * sizeof *cycle.events);
            return;
        }
    *(struct hd_cycle *)hd_vec_push(d->cycles) = cycle;
}

/* Extends a path of n threads; the first is the smallest, so that each cycle is met once. */
static void extend(struct deadlocks *d, size_t n)
{
    const struct hd_state *s = &d->s->state;
    hd_eid e = d->at[d->path[n - 1]];
    if (n > 1 && hd_state_blocked_by(s, e, d->path[0]))
        note_cycle(d, n);
    for (hd_tid u = d->path[0] + 1; u < d->threads; u++) {
        if (d->used[u] || d->at[u] == HD_EID_NONE || !hd_state_blocked_by(s, e, u))
            continue;
        d->used[u] = 1;
        d->path[n] = u;
        extend(d, n + 1);
        d->used[u] = 0;
    }
}

static void note_deadlocks(struct deadlocks *d)
{
    const struct hd_trace *t = d->s->t;
    for (hd_tid u = 0; u < d->threads; u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        uint32_t next = d->s->state.thread[u].next;
        d->at[u] =
            next < n && hd_property_waits_for_lock(t, events[next]) ? events[next] : HD_EID_NONE;
    }
    for (hd_tid u = 0; u < d->threads; u++) {
        if (d->at[u] == HD_EID_NONE)
            continue;
        d->path[0] = u;
        extend(d, 1);
    }
}

enum hd_status hd_enumerate_property_deadlocks(const struct hd_trace *t, size_t max_states,
                                               struct hd_vec *cycles, struct hd_err *err)
{
    struct hd_space s;
    enum hd_status status = HD_OK;
    size_t threads = hd_trace_n_threads(t);
    struct deadlocks d = {&s,
                          cycles,
                          hd_alloc(threads * sizeof *d.at),
                          hd_alloc(threads * sizeof *d.path),
                          hd_calloc(threads, 1),
                          threads};
    hd_space_init(&s, t, &model_rule, NULL, max_states);
    while (status == HD_OK && !hd_space_done(&s)) {
        if (!hd_space_expand(&s))
            status = too_many(&s, err);
        else
            note_deadlocks(&d);
    }
    if (cycles->len)
        qsort(cycles->data, cycles->len, sizeof(struct hd_cycle), by_events);
    hd_space_fini(&s);
    hd_free(d.at, threads * sizeof *d.at);
    hd_free(d.path, threads * sizeof *d.path);
    hd_free(d.used, threads);
    return status;
}

void hd_enumerate_property_cycles_fini(struct hd_vec *cycles)
{
    for (size_t i = 0; i < cycles->len; i++) {
        struct hd_cycle *cycle = hd_vec_at(cycles, i);
        hd_free(cycle->events, cycle->n * sizeof *cycle->events);
    }
    hd_vec_fini(cycles);
}
