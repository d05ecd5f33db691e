/* Which locations of a lock to try together: those between which the values go that are taken from
 * one location, as the head of a list and the links of its blocks. Any choice is sound. */
#include "predict/index/tokens_int.h"

#include <stdlib.h>

/* MOST_DEPS: of a value that more reads went into none is a copy. LEAST_ADDRESS: what is less is no
 * address. */
enum { MOST_DEPS = 64, LEAST_ADDRESS = 4096 };

static int by_takes(const void *a, const void *b)
{
    const struct hd_token_head *x = a, *y = b;
    if (x->takes != y->takes)
        return x->takes > y->takes ? -1 : 1;
    return x->loc < y->loc ? -1 : x->loc > y->loc;
}

static int by_end(const void *a, const void *b)
{
    const struct hd_token_copy *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void note_heads(struct hd_token_search *k)
{
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        if (!hd_token_seems_taken(k, x) ||
            (k->done.len && hd_trace_read_value(k->s->t, x->read).bits < LEAST_ADDRESS))
            continue;
        uint32_t *id = hd_map_put(&k->head_ids, x->loc, NULL);
        if (!*id) {
            *(struct hd_token_head *)hd_vec_push(&k->heads) = (struct hd_token_head){x->loc, 0};
            *id = (uint32_t)k->heads.len;
        }
        ((struct hd_token_head *)hd_vec_at(&k->heads, *id - 1))->takes++;
    }
}

/* The locations that the value which w stores was read from. */
static void note_copies(struct hd_token_search *k, struct hd_map *known, hd_eid w)
{
    const struct hd_trace *t = k->s->t;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    for (uint32_t i = 0; i < deps.n && deps.n <= MOST_DEPS; i++) {
        hd_eid r = hd_trace_back(t, w, deps.dist[i]);
        uint32_t one, from = t->obj[r], to = t->obj[w];
        bool fresh;
        if (from == to || !hd_map_get(&k->read, from, &one) ||
            !hd_value_eq(hd_trace_read_value(t, r), hd_trace_write_value(t, w)))
            continue;
        hd_map_put(known, (uint64_t)to << 32 | from, &fresh);
        if (fresh)
            *(struct hd_token_copy *)hd_vec_push(&k->copies) = (struct hd_token_copy){to, from};
    }
}

void hd_token_places_find(struct hd_token_search *k)
{
    const struct hd_token_op *ops = k->ops.data;
    struct hd_map known = {0};
    hd_map_clear(&k->head_ids);
    k->heads.len = k->copies.len = 0;
    hd_token_for_sections(k, note_heads);
    for (size_t i = 0; i < k->ops.len; i++)
        if (hd_op_writes(k->s->t->op[ops[i].event]))
            note_copies(k, &known, ops[i].event);
    hd_map_fini(&known);
    if (k->heads.len)
        qsort(k->heads.data, k->heads.len, sizeof(struct hd_token_head), by_takes);
    if (k->copies.len)
        qsort(k->copies.data, k->copies.len, sizeof(struct hd_token_copy), by_end);
}

static size_t first_copy_to(const struct hd_token_search *k, uint32_t loc)
{
    size_t low = 0, high = k->copies.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((struct hd_token_copy *)hd_vec_at(&k->copies, mid))->to < loc)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void hd_token_places_from(struct hd_token_search *k, uint32_t head)
{
    hd_map_clear(&k->chosen);
    k->places.len = 0;
    hd_u32vec_push(&k->places, head);
    *hd_map_put(&k->chosen, head, NULL) = 1;
    for (size_t i = 0; i < k->places.len; i++) {
        uint32_t loc = k->places.data[i];
        for (size_t j = first_copy_to(k, loc); j < k->copies.len; j++) {
            const struct hd_token_copy *c = hd_vec_at(&k->copies, j);
            bool fresh;
            if (c->to != loc)
                break;
            hd_map_put(&k->chosen, c->from, &fresh);
            if (fresh)
                hd_u32vec_push(&k->places, c->from);
        }
    }
}
