#include "model/enumerate_order.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "model/after.h"
#include "model/space.h"

#include <stdlib.h>
#include <string.h>

static const struct hd_space_rule model_rule = {.allow = NULL};

/* How a node was reached: from a node, or (the first step, which is a) from a state of the space.
 */
struct origin {
    uint32_t parent;
    bool first;
    hd_eid event;
    hd_tid woken;
};

/* A node is a state after a has run, and the marks that a has left. */
struct search {
    struct hd_space space;
    size_t max_nodes;
    struct hd_vec blocks, origins; /* of the nodes */
    uint32_t *slots;
    size_t slot_cap;
    struct hd_after after, next_after;
    struct hd_state state, next;
    hd_eid a;
    struct hd_vec *pairs;
    struct hd_map known; /* pair: its index in pairs */
    size_t total;
};

static size_t node_bytes(const struct search *s)
{
    return s->space.layout.bytes + s->after.bytes;
}

static bool same(const struct search *s, const unsigned char *x, const unsigned char *y)
{
    size_t bytes = s->space.layout.bytes;
    return !memcmp(x, y, s->space.layout.key_bytes) &&
           !memcmp(x + bytes, y + bytes, s->after.bytes);
}

static uint32_t *find_slot(const struct search *s, const unsigned char *block)
{
    size_t mask = s->slot_cap - 1;
    uint64_t hash = hd_hash_bytes(block, s->space.layout.key_bytes, 0);
    hash = hd_hash_bytes(block + s->space.layout.bytes, s->after.bytes, hash);
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t id = s->slots[i];
        if (!id || same(s, hd_vec_at(&s->blocks, id - 1), block))
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

/* Keeps the node of s->next and s->next_after if it is new. */
static void visit(struct search *s, struct origin origin)
{
    if (2 * (s->blocks.len + 1) > s->slot_cap)
        grow_slots(s);
    unsigned char *block = hd_vec_push(&s->blocks);
    memcpy(block, s->next.block, s->space.layout.bytes);
    memcpy(block + s->space.layout.bytes, s->next_after.block, s->after.bytes);
    s->blocks.len--;
    uint32_t *slot = find_slot(s, block);
    if (*slot)
        return;
    s->blocks.len++;
    s->total++;
    *(struct origin *)hd_vec_push(&s->origins) = origin;
    *slot = (uint32_t)s->blocks.len;
}

/* ---- witnesses ---- */

static void put_step(struct hd_witness *w, hd_eid e, hd_tid woken)
{
    w->schedule =
        hd_realloc(w->schedule, w->n * sizeof *w->schedule, (w->n + 1) * sizeof *w->schedule);
    w->schedule[w->n++] = e;
    if (woken == HD_TID_NONE)
        return;
    w->wakes =
        hd_realloc(w->wakes, w->n_wakes * sizeof *w->wakes, (w->n_wakes + 1) * sizeof *w->wakes);
    w->wakes[w->n_wakes++] = (struct hd_wake){e, woken};
}

static struct hd_witness make_witness(const struct search *s, uint32_t node, hd_eid b)
{
    struct hd_witness w = {.a = s->a, .b = b, .unordered = true};
    const struct origin *o = hd_vec_at(&s->origins, node);
    put_step(&w, b, HD_TID_NONE);
    for (; !o->first; o = hd_vec_at(&s->origins, o->parent))
        put_step(&w, o->event, o->woken);
    put_step(&w, o->event, o->woken);
    const struct hd_space_origin *p = hd_vec_at(&s->space.origins, o->parent);
    for (; p->event != HD_EID_NONE; p = hd_vec_at(&s->space.origins, p->parent))
        put_step(&w, p->event, p->woken);
    for (size_t i = 0; i < w.n / 2; i++) {
        hd_eid first = w.schedule[i];
        w.schedule[i] = w.schedule[w.n - 1 - i];
        w.schedule[w.n - 1 - i] = first;
    }
    return w;
}

/* ---- the search ---- */

static void note(struct search *s, uint32_t node, hd_eid b, bool alone)
{
    hd_eid low = s->a < b ? s->a : b, high = s->a < b ? b : s->a;
    bool fresh;
    uint32_t *index = hd_map_put(&s->known, (uint64_t)low << 32 | high, &fresh);
    if (fresh) {
        *index = (uint32_t)s->pairs->len;
        *(struct hd_unordered *)hd_vec_push(s->pairs) =
            (struct hd_unordered){low, high, alone, make_witness(s, node, b)};
        return;
    }
    struct hd_unordered *pair = hd_vec_at(s->pairs, *index);
    if (!alone || pair->alone)
        return;
    hd_witness_fini(&pair->witness);
    pair->witness = make_witness(s, node, b);
    pair->alone = true;
}

static void step(struct search *s, uint32_t node, hd_eid e, hd_tid woken)
{
    hd_state_copy(&s->next, &s->state);
    memcpy(s->next_after.block, s->after.block, s->after.bytes);
    hd_after_step(&s->next_after, &s->state, e, woken);
    hd_state_step(&s->next, e, woken);
    visit(s, (struct origin){node, false, e, woken});
}

static void expand(struct search *s, uint32_t node)
{
    const struct hd_trace *t = s->space.t;
    const unsigned char *block = hd_vec_at(&s->blocks, node);
    memcpy(s->state.block, block, s->space.layout.bytes);
    memcpy(s->after.block, block + s->space.layout.bytes, s->after.bytes);
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        uint32_t next = s->state.thread[u].next;
        if (next == n || !hd_state_enabled(&s->state, events[next]))
            continue;
        hd_eid e = events[next];
        unsigned marks = hd_after_marks(&s->after, &s->state, e);
        if (!(marks & HD_AFTER_HB) && hd_property_conflict(t, s->a, e))
            note(s, node, e, !(marks & HD_AFTER_PLUS));
        if (t->op[e] != HD_OP_SIG || !s->state.n_waiting[t->obj[e]]) {
            step(s, node, e, HD_TID_NONE);
            continue;
        }
        for (hd_tid w = 0; w < hd_trace_n_threads(t); w++)
            if (hd_state_waits(&s->state, w, t->obj[e]))
                step(s, node, e, w);
    }
}

/* Every way to go on after a, from each state in which it can run. */
static enum hd_status watch(struct search *s, hd_eid a, struct hd_err *err)
{
    s->a = a;
    s->blocks.len = s->origins.len = 0;
    memset(s->slots, 0, s->slot_cap * sizeof *s->slots);
    for (uint32_t id = 0; id < s->space.blocks.len; id++) {
        memcpy(s->state.block, hd_vec_at(&s->space.blocks, id), s->space.layout.bytes);
        if (!hd_state_enabled(&s->state, a))
            continue;
        memset(s->next_after.block, 0, s->after.bytes);
        hd_after_begin(&s->next_after, &s->state, a);
        hd_state_copy(&s->next, &s->state);
        hd_state_step(&s->next, a, HD_TID_NONE);
        visit(s, (struct origin){id, true, a, HD_TID_NONE});
    }
    for (uint32_t node = 0; node < s->blocks.len; node++) {
        if (s->total > s->max_nodes)
            return hd_err_set(err, HD_ERR_LIMIT,
                              "more than %zu states: the trace is too long to enumerate",
                              s->max_nodes);
        if (node % 1024 == 0 && hd_interrupt_requested())
            return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
        expand(s, node);
    }
    return HD_OK;
}

static int by_pair(const void *x, const void *y)
{
    const struct hd_unordered *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool has_partner(const struct hd_trace *t, hd_eid a)
{
    size_t n = 0;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOC, t->obj[a], &n);
    for (size_t i = 0; i < n; i++)
        if (hd_property_conflict(t, a, events[i]))
            return true;
    return false;
}

static void search_fini(struct search *s)
{
    hd_vec_fini(&s->blocks);
    hd_vec_fini(&s->origins);
    hd_free(s->slots, s->slot_cap * sizeof *s->slots);
    hd_after_fini(&s->after);
    hd_after_fini(&s->next_after);
    hd_state_fini(&s->state);
    hd_state_fini(&s->next);
    hd_map_fini(&s->known);
    hd_space_fini(&s->space);
}

enum hd_status hd_enumerate_order(const struct hd_trace *t, size_t max_states, struct hd_vec *pairs,
                                  struct hd_err *err)
{
    struct search s = {.pairs = pairs, .max_nodes = max_states ? max_states : HD_ENUM_MAX_STATES};
    enum hd_status status = HD_OK;
    hd_space_init(&s.space, t, &model_rule, NULL, max_states);
    hd_state_init(&s.state, &s.space.layout);
    hd_state_init(&s.next, &s.space.layout);
    hd_after_init(&s.after, t);
    hd_after_init(&s.next_after, t);
    s.blocks = (struct hd_vec){.size = node_bytes(&s)};
    s.origins = HD_VEC_INIT(struct origin);
    grow_slots(&s);
    while (status == HD_OK && !hd_space_done(&s.space))
        if (!hd_space_expand(&s.space))
            status = hd_err_set(err, HD_ERR_LIMIT,
                                "more than %zu states: the trace is too long to enumerate",
                                s.space.max_states);
    for (hd_eid a = 0; a < t->n_events && status == HD_OK; a++)
        if (hd_op_is_access(t->op[a]) && has_partner(t, a))
            status = watch(&s, a, err);
    search_fini(&s);
    if (status != HD_OK)
        hd_enumerate_order_fini(pairs);
    else if (pairs->len)
        qsort(pairs->data, pairs->len, sizeof(struct hd_unordered), by_pair);
    return status;
}

void hd_enumerate_order_fini(struct hd_vec *pairs)
{
    for (size_t i = 0; i < pairs->len; i++)
        hd_witness_fini(&((struct hd_unordered *)hd_vec_at(pairs, i))->witness);
    hd_vec_fini(pairs);
}
