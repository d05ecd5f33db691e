#include "model/space.h"

#include "base/alloc.h"

#include <string.h>

/* The slot that holds this state, or the empty one where it belongs. */
static uint32_t *find_slot(const struct hd_space *s, const unsigned char *block)
{
    size_t mask = s->slot_cap - 1;
    for (size_t i = hd_hash_bytes(block, s->layout.key_bytes, 0) & mask;; i = (i + 1) & mask) {
        uint32_t id = s->slots[i];
        if (!id || !memcmp(hd_vec_at(&s->blocks, id - 1), block, s->layout.key_bytes))
            return &s->slots[i];
    }
}

static void grow_slots(struct hd_space *s)
{
    hd_free(s->slots, s->slot_cap * sizeof *s->slots);
    s->slot_cap = s->slot_cap ? 2 * s->slot_cap : 1024;
    s->slots = hd_calloc(s->slot_cap, sizeof *s->slots);
    for (size_t i = 0; i < s->blocks.len; i++)
        *find_slot(s, hd_vec_at(&s->blocks, i)) = (uint32_t)i + 1;
}

/* The number of the state in s->next, new or known; UINT32_MAX when that would break the limit. */
static uint32_t visit(struct hd_space *s, struct hd_space_origin origin)
{
    if (2 * (s->blocks.len + 1) > s->slot_cap)
        grow_slots(s);
    uint32_t *slot = find_slot(s, s->next.block);
    if (*slot)
        return *slot - 1;
    if (s->blocks.len == s->max_states)
        return UINT32_MAX;
    memcpy(hd_vec_push(&s->blocks), s->next.block, s->layout.bytes);
    *(struct hd_space_origin *)hd_vec_push(&s->origins) = origin;
    *slot = (uint32_t)s->blocks.len;
    return *slot - 1;
}

void hd_space_init(struct hd_space *s, const struct hd_trace *t, const struct hd_space_rule *rule,
                   const void *ctx, size_t max_states)
{
    *s = (struct hd_space){.t = t, .rule = rule, .ctx = ctx, .max_states = max_states};
    hd_layout_init(&s->layout, t);
    uint64_t fit = HD_SPACE_BYTES / s->layout.bytes + 1;
    if (!max_states)
        s->max_states = fit < HD_ENUM_MAX_STATES ? (size_t)fit : HD_ENUM_MAX_STATES;
    if (s->max_states > UINT32_MAX - 1)
        s->max_states = UINT32_MAX - 1;
    s->blocks = (struct hd_vec){.size = s->layout.bytes};
    s->origins = HD_VEC_INIT(struct hd_space_origin);
    s->edges = HD_VEC_INIT(struct hd_space_edge);
    hd_state_init(&s->state, &s->layout);
    hd_state_init(&s->next, &s->layout);
    hd_u32vec_push(&s->edge_start, 0);
    visit(s, (struct hd_space_origin){0, HD_EID_NONE, HD_TID_NONE});
}

void hd_space_fini(struct hd_space *s)
{
    hd_free(s->slots, s->slot_cap * sizeof *s->slots);
    hd_vec_fini(&s->blocks);
    hd_vec_fini(&s->origins);
    hd_vec_fini(&s->edges);
    hd_u32vec_fini(&s->enabled);
    hd_u32vec_fini(&s->edge_start);
    hd_state_fini(&s->state);
    hd_state_fini(&s->next);
    hd_layout_fini(&s->layout);
}

static bool step(struct hd_space *s, uint32_t id, hd_eid e, hd_tid woken)
{
    hd_tid u = s->t->thread[e];
    hd_state_copy(&s->next, &s->state);
    hd_state_step(&s->next, e, woken);
    if (s->rule->no_stale && s->next.thread[u].n_stale)
        return true;
    uint32_t to = visit(s, (struct hd_space_origin){id, e, woken});
    if (to == UINT32_MAX)
        return false;
    *(struct hd_space_edge *)hd_vec_push(&s->edges) = (struct hd_space_edge){to, e};
    return true;
}

/* All successors by e: one for each waiter it may wake when it is a sig that has any. */
static bool step_all(struct hd_space *s, uint32_t id, hd_eid e)
{
    uint32_t c = s->t->obj[e];
    if (s->t->op[e] != HD_OP_SIG || !s->state.n_waiting[c])
        return step(s, id, e, HD_TID_NONE);
    for (hd_tid u = 0; u < hd_trace_n_threads(s->t); u++) {
        if (!hd_state_waits(&s->state, u, c) || (s->rule->choice && !s->rule->choice(s, e, u)))
            continue;
        if (!step(s, id, e, u))
            return false;
    }
    return true;
}

static void list_enabled(struct hd_space *s)
{
    s->enabled.len = 0;
    for (hd_tid u = 0; u < hd_trace_n_threads(s->t); u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(s->t, u, &n);
        uint32_t next = s->state.thread[u].next;
        if (next == n)
            continue;
        hd_eid e = events[next];
        if (s->rule->allow ? s->rule->allow(s, e) : hd_state_enabled(&s->state, e))
            hd_u32vec_push(&s->enabled, e);
    }
}

void hd_space_load(struct hd_space *s, uint32_t id)
{
    memcpy(s->state.block, hd_vec_at(&s->blocks, id), s->layout.bytes);
    list_enabled(s);
}

bool hd_space_expand(struct hd_space *s)
{
    HD_ASSERT(!hd_space_done(s));
    uint32_t id = (uint32_t)hd_space_expanded(s);
    hd_space_load(s, id);
    for (size_t i = 0; i < s->enabled.len; i++)
        if (!step_all(s, id, s->enabled.data[i]))
            return false;
    hd_u32vec_push(&s->edge_start, (uint32_t)s->edges.len);
    return true;
}

uint32_t hd_space_after(const struct hd_space *s, uint32_t id, hd_eid e)
{
    size_t n;
    const struct hd_space_edge *edges = hd_space_edges(s, id, &n);
    for (size_t i = 0; i < n; i++)
        if (edges[i].event == e)
            return edges[i].to;
    return UINT32_MAX;
}
