#include "model/enumerate.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* How a state was first reached. */
struct origin {
    uint32_t parent; /* state number */
    hd_eid event;    /* HD_EID_NONE for the initial state */
    hd_tid woken;
};

struct found {
    struct hd_enum_pair pair;
    uint32_t state; /* the first one with both enabled */
};

struct search {
    const struct hd_trace *t;
    struct hd_layout layout;
    struct hd_state state, next;
    struct hd_vec blocks;  /* of all states, in the order found; also the queue */
    struct hd_vec origins; /* struct origin */
    uint32_t *slots;       /* open addressing over the key bytes: state number + 1 */
    size_t slot_cap;       /* a power of two */
    size_t max_states;
    struct hd_map known;     /* pairs found, a << 32 | b */
    struct hd_vec races;     /* struct found */
    struct hd_u32vec events; /* enabled in the state at hand */
};

static uint64_t hash_key(const struct search *s, const unsigned char *block)
{
    return hd_hash_bytes(block, s->layout.key_bytes, 0);
}

/* The slot that holds this state, or the empty one where it belongs. */
static uint32_t *find_slot(const struct search *s, const unsigned char *block)
{
    size_t mask = s->slot_cap - 1;
    for (size_t i = hash_key(s, block) & mask;; i = (i + 1) & mask) {
        uint32_t id = s->slots[i];
        if (!id || !memcmp(hd_vec_at(&s->blocks, id - 1), block, s->layout.key_bytes))
            return &s->slots[i];
    }
}

static void grow_slots(struct search *s)
{
    hd_free(s->slots, s->slot_cap * sizeof *s->slots);
    s->slot_cap = s->slot_cap ? 2 * s->slot_cap : 1024;
    s->slots = hd_calloc(s->slot_cap, sizeof *s->slots);
    for (size_t i = 0; i < s->blocks.len; i++)
        *find_slot(s, hd_vec_at(&s->blocks, i)) = (uint32_t)i + 1;
}

/* Adds the state in s->next unless it is known. False when that would break the limit. */
static bool visit(struct search *s, struct origin origin)
{
    if (2 * (s->blocks.len + 1) > s->slot_cap)
        grow_slots(s);
    uint32_t *slot = find_slot(s, s->next.block);
    if (*slot)
        return true;
    if (s->blocks.len == s->max_states)
        return false;
    memcpy(hd_vec_push(&s->blocks), s->next.block, s->layout.bytes);
    *(struct origin *)hd_vec_push(&s->origins) = origin;
    *slot = (uint32_t)s->blocks.len;
    return true;
}

static bool try_step(struct search *s, uint32_t id, hd_eid e, hd_tid woken)
{
    hd_state_copy(&s->next, &s->state);
    hd_state_step(&s->next, e, woken);
    return visit(s, (struct origin){id, e, woken});
}

/* All successors by e: one for each waiter when it is a sig that has any. */
static bool try_event(struct search *s, uint32_t id, hd_eid e)
{
    uint32_t c = s->t->obj[e];
    if (s->t->op[e] != HD_OP_SIG || !s->state.n_waiting[c])
        return try_step(s, id, e, HD_TID_NONE);
    for (hd_tid u = 0; u < hd_trace_n_threads(s->t); u++)
        if (hd_state_waits(&s->state, u, c) && !try_step(s, id, e, u))
            return false;
    return true;
}

static void list_enabled(struct search *s)
{
    s->events.len = 0;
    for (hd_tid u = 0; u < hd_trace_n_threads(s->t); u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(s->t, u, &n);
        uint32_t next = s->state.thread[u].next;
        if (next < n && hd_state_enabled(&s->state, events[next]))
            hd_u32vec_push(&s->events, events[next]);
    }
}

static void note_races(struct search *s, uint32_t id)
{
    for (size_t i = 0; i < s->events.len; i++)
        for (size_t j = 0; j < s->events.len; j++) {
            hd_eid a = s->events.data[i], b = s->events.data[j];
            bool fresh;
            if (a >= b || !hd_conflict(s->t, a, b))
                continue;
            hd_map_put(&s->known, (uint64_t)a << 32 | b, &fresh);
            if (fresh)
                *(struct found *)hd_vec_push(&s->races) = (struct found){{a, b}, id};
        }
}

/* Now and then: tells of progress, and whether the user wants to stop. */
static bool stopped(const struct hd_enum_opts *opts, uint32_t id)
{
    if (id % 1024)
        return false;
    if (opts->tick)
        opts->tick(opts->ctx, id);
    return hd_interrupt_requested();
}

static enum hd_status explore(struct search *s, const struct hd_enum_opts *opts, struct hd_err *err)
{
    hd_state_init(&s->state, &s->layout);
    hd_state_init(&s->next, &s->layout);
    bool within = visit(s, (struct origin){0, HD_EID_NONE, HD_TID_NONE}), stop = false;
    for (uint32_t id = 0; within && !stop && id < s->blocks.len; id++) {
        memcpy(s->state.block, hd_vec_at(&s->blocks, id), s->layout.bytes);
        list_enabled(s);
        note_races(s, id);
        for (size_t i = 0; within && i < s->events.len; i++)
            within = try_event(s, id, s->events.data[i]);
        stop = stopped(opts, id);
    }
    if (!within)
        return hd_err_set(err, HD_ERR_LIMIT,
                          "more than %zu states: the trace is too long to enumerate",
                          s->max_states);
    return stop ? hd_err_set(err, HD_ERR_STOPPED, "interrupted") : HD_OK;
}

/* The way to the state in which the pair was found, and the pair. */
static void build_witness(const struct search *s, const struct found *f, struct hd_witness *w)
{
    *w = (struct hd_witness){.a = f->pair.a, .b = f->pair.b, .n = 2};
    const struct origin *origins = s->origins.data, *o;
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

static void hand_over(struct search *s, bool witnesses, struct hd_enum_result *result)
{
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

enum hd_status hd_enumerate(const struct hd_trace *t, const struct hd_enum_opts *opts,
                            struct hd_enum_result *result, struct hd_err *err)
{
    struct search s = {.t = t, .max_states = opts->max_states};
    *result = (struct hd_enum_result){0};
    if (!s.max_states || s.max_states > UINT32_MAX - 1)
        s.max_states = HD_ENUM_MAX_STATES;
    hd_layout_init(&s.layout, t);
    s.blocks = (struct hd_vec){.size = s.layout.bytes};
    s.origins = HD_VEC_INIT(struct origin);
    s.races = HD_VEC_INIT(struct found);
    enum hd_status status = explore(&s, opts, err);
    result->n_states = s.blocks.len;
    result->complete = status == HD_OK;
    if (opts->partial)
        status = HD_OK;
    if (status == HD_OK)
        hand_over(&s, opts->witnesses, result);
    hd_free(s.slots, s.slot_cap * sizeof *s.slots);
    hd_vec_fini(&s.blocks);
    hd_vec_fini(&s.origins);
    hd_vec_fini(&s.races);
    hd_u32vec_fini(&s.events);
    hd_map_fini(&s.known);
    hd_state_fini(&s.state);
    hd_state_fini(&s.next);
    hd_layout_fini(&s.layout);
    return status;
}

void hd_enum_result_fini(struct hd_enum_result *result)
{
    for (size_t i = 0; result->witnesses && i < result->n_pairs; i++)
        hd_witness_fini(&result->witnesses[i]);
    hd_free(result->witnesses, result->n_pairs * sizeof *result->witnesses);
    hd_free(result->pairs, result->n_pairs * sizeof *result->pairs);
    *result = (struct hd_enum_result){0};
}
