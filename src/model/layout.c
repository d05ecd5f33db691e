#include "model/state.h"

#include "base/alloc.h"

#include <string.h>

static uint64_t pair_key(hd_tid u, uint32_t obj)
{
    return (uint64_t)u << 32 | obj;
}

/* One slot for each (thread, object) with an event of this op, found by way of the object's events.
 */
static void number_pairs(const struct hd_trace *t, enum hd_obj_kind kind, enum hd_op op,
                         struct hd_map *slots)
{
    const struct hd_index *index = &t->by_obj[kind];
    for (uint32_t i = 0; i < index->start[index->count]; i++) {
        hd_eid e = index->list[i];
        if (t->op[e] != op)
            continue;
        bool fresh;
        uint32_t *slot = hd_map_put(slots, pair_key(t->thread[e], t->obj[e]), &fresh);
        if (fresh)
            *slot = (uint32_t)slots->len - 1;
    }
}

/* Reserves count elements at the end of the block, 8-aligned; returns their offset. */
static size_t reserve(size_t *bytes, size_t count, size_t size)
{
    size_t offset = *bytes;
    *bytes += (count * size + 7) / 8 * 8;
    return offset;
}

static void place_parts(struct hd_layout *l)
{
    const struct hd_trace *t = l->t;
    size_t threads = hd_trace_n_threads(t), conds = hd_trace_n_objs(t, HD_OBJ_COND), at = 0;
    l->thread = reserve(&at, threads, sizeof(struct hd_thread_state));
    l->mem = reserve(&at, hd_trace_n_objs(t, HD_OBJ_LOC), sizeof(struct hd_cell));
    l->lock = reserve(&at, hd_trace_n_objs(t, HD_OBJ_LOCK), sizeof(struct hd_lock_state));
    l->cond = reserve(&at, conds, sizeof(uint32_t));
    l->sem = reserve(&at, hd_trace_n_objs(t, HD_OBJ_SEM), sizeof(int64_t));
    l->barrier = reserve(&at, hd_trace_n_objs(t, HD_OBJ_BARRIER), sizeof(uint64_t));
    l->reads = reserve(&at, l->read_slot.len, sizeof(uint32_t));
    l->arrivals = reserve(&at, l->arrival_slot.len, sizeof(uint64_t));
    l->stale = reserve(&at, t->n_events / 64 + 1, sizeof(uint64_t)); /* so never an empty block */
    l->key_bytes = at;
    l->head = reserve(&at, conds, sizeof(uint32_t));
    l->link = reserve(&at, 2 * threads, sizeof(uint32_t));
    l->bytes = at;
}

void hd_layout_init(struct hd_layout *layout, const struct hd_trace *t)
{
    *layout = (struct hd_layout){.t = t};
    number_pairs(t, HD_OBJ_LOCK, HD_OP_RACQ, &layout->read_slot);
    number_pairs(t, HD_OBJ_BARRIER, HD_OP_BARIN, &layout->arrival_slot);
    place_parts(layout);
    layout->initial = hd_calloc(layout->bytes, 1);
    struct hd_cell *mem = (struct hd_cell *)(layout->initial + layout->mem);
    for (size_t x = 0; x < hd_trace_n_objs(t, HD_OBJ_LOC); x++) {
        const struct hd_loc_init *init = &t->loc_init[x];
        if (init->how != HD_INIT_UNKNOWN)
            mem[x] = (struct hd_cell){init->value.bits,
                                      init->value.unique ? HD_CELL_UNIQUE : HD_CELL_NUMBER};
    }
}

void hd_layout_fini(struct hd_layout *layout)
{
    hd_map_fini(&layout->read_slot);
    hd_map_fini(&layout->arrival_slot);
    hd_free(layout->initial, layout->bytes);
    *layout = (struct hd_layout){0};
}

static void bind(struct hd_state *s)
{
    const struct hd_layout *l = s->layout;
    s->thread = (struct hd_thread_state *)(s->block + l->thread);
    s->mem = (struct hd_cell *)(s->block + l->mem);
    s->lock = (struct hd_lock_state *)(s->block + l->lock);
    s->n_waiting = (uint32_t *)(s->block + l->cond);
    s->sem_taken = (int64_t *)(s->block + l->sem);
    s->arrived = (uint64_t *)(s->block + l->barrier);
    s->reads = (uint32_t *)(s->block + l->reads);
    s->arrivals = (uint64_t *)(s->block + l->arrivals);
    s->stale = (uint64_t *)(s->block + l->stale);
    s->head = (uint32_t *)(s->block + l->head);
    s->link = (uint32_t *)(s->block + l->link);
}

void hd_state_init(struct hd_state *s, const struct hd_layout *layout)
{
    *s = (struct hd_state){.layout = layout, .t = layout->t, .block = hd_alloc(layout->bytes)};
    memcpy(s->block, layout->initial, layout->bytes);
    bind(s);
}

void hd_state_fini(struct hd_state *s)
{
    if (s->block)
        hd_free(s->block, s->layout->bytes);
    *s = (struct hd_state){0};
}

void hd_state_copy(struct hd_state *to, const struct hd_state *from)
{
    memcpy(to->block, from->block, from->layout->bytes);
}

static void set_back_thread(struct hd_state *s, const struct hd_state *to, hd_tid u)
{
    s->thread[u] = to->thread[u];
    s->link[2 * u] = to->link[2 * u];
    s->link[2 * u + 1] = to->link[2 * u + 1];
}

/* Who has entered the set since has done so by an event of its own; who has left it was in it. */
static void set_back_cond(struct hd_state *s, const struct hd_state *to, uint32_t c)
{
    s->n_waiting[c] = to->n_waiting[c];
    s->head[c] = to->head[c];
    for (hd_tid u = hd_state_first_waiter(to, c); u != HD_TID_NONE; u = hd_state_next_waiter(to, u))
        set_back_thread(s, to, u);
}

/* What e can have changed, set back. */
static void rewind_event(struct hd_state *s, const struct hd_state *to, hd_eid e)
{
    const struct hd_trace *t = s->t;
    const struct hd_layout *l = s->layout;
    hd_tid u = t->thread[e];
    uint32_t obj = t->obj[e], slot;
    set_back_thread(s, to, u);
    switch (hd_op_info[t->op[e]].kind) {
    case HD_OBJ_LOC:
        s->mem[obj] = to->mem[obj];
        s->stale[e / 64] &= ~(UINT64_C(1) << (e % 64));
        break;
    case HD_OBJ_LOCK:
        s->lock[obj] = to->lock[obj];
        if (hd_map_get(&l->read_slot, pair_key(u, obj), &slot))
            s->reads[slot] = to->reads[slot];
        break;
    case HD_OBJ_COND:
        set_back_cond(s, to, obj);
        if (hd_op_info[t->op[e]].has_lock)
            s->lock[hd_trace_lock(t, e)] = to->lock[hd_trace_lock(t, e)];
        break;
    case HD_OBJ_SEM:
        s->sem_taken[obj] = to->sem_taken[obj];
        break;
    case HD_OBJ_BARRIER:
        s->arrived[obj] = to->arrived[obj];
        if (hd_map_get(&l->arrival_slot, pair_key(u, obj), &slot))
            s->arrivals[slot] = to->arrivals[slot];
        break;
    case HD_OBJ_THREAD:
    case HD_OBJ_NONE:
        break;
    }
}

void hd_state_return(struct hd_state *s, const struct hd_state *to, const hd_eid *ran, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rewind_event(s, to, ran[i]);
}

void hd_state_rewind(struct hd_state *s, const hd_eid *ran, size_t n)
{
    struct hd_state initial = {.layout = s->layout, .t = s->t, .block = s->layout->initial};
    bind(&initial);
    hd_state_return(s, &initial, ran, n);
}
