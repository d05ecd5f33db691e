#include "trace/digest.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* Nothing here may come from base/hash.h: tables may change their hash, a digest may not.
 *
 * Two lanes take the same words with different odd factors. Each step is a bijection of the lane
 * for a given word and of the word for a given lane: a single changed word always changes both
 * lanes. */
struct lanes {
    uint64_t a, b;
};

static inline void mix(struct lanes *l, uint64_t word)
{
    uint64_t a = (l->a ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t b = (l->b + word) * UINT64_C(0xc2b2ae3d27d4eb4f);
    l->a = a ^ a >> 29;
    l->b = (b << 31 | b >> 33) ^ UINT64_C(0x165667b19e3779f9);
}

/* Spreads the last word over all bits of its lane. */
static uint64_t spread(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return x ^ x >> 32;
}

/* One name table: the number that a name has by first appearance among the events, from 1; 0: not
 * yet. */
struct order {
    const struct hd_names *names;
    uint32_t *number;
    uint32_t next;
};

enum { THREADS = HD_OBJ_THREAD, PLACES = HD_OBJ_NONE, TABLES = HD_OBJ_NONE + 1 };

/* Bytes as little-endian words, the last one filled with zeros; the length goes first. */
static void mix_name(struct lanes *l, const struct hd_names *names, uint32_t id)
{
    const char *text = hd_names_text(names, id);
    size_t len = hd_names_len(names, id);
    mix(l, len);
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word = 0;
        for (size_t j = 0; j < 8 && i + j < len; j++)
            word |= (uint64_t)(unsigned char)text[i + j] << 8 * j;
        mix(l, word);
    }
}

static inline uint32_t number_of(struct order *o, struct lanes *l, uint32_t id)
{
    if (o->number[id])
        return o->number[id];
    mix_name(l, o->names, id);
    return o->number[id] = ++o->next;
}

static void mix_set(struct lanes *l, struct hd_deps deps)
{
    mix(l, deps.n);
    for (uint32_t i = 0; i < deps.n; i++)
        mix(l, deps.dist[i]);
}

/* The same cases as the text writer: an empty addr adds nothing. */
static void mix_deps(struct lanes *l, const struct hd_trace *t, hd_eid e)
{
    enum hd_op op = t->op[e];
    struct hd_deps value = {.all = true}, addr = {0};
    if (op == HD_OP_BRANCH || hd_op_writes(op))
        value = hd_trace_deps(t, e, HD_DEP_VALUE);
    if (hd_op_is_access(op))
        addr = hd_trace_deps(t, e, HD_DEP_ADDR);
    if (!value.all) {
        mix(l, 1);
        mix_set(l, value);
    }
    if (addr.n) {
        mix(l, 2);
        mix_set(l, addr);
    }
}

/* Left-out values follow from the rest and are not mixed in: their bits depend on the numbering. */
static inline void mix_value(struct lanes *l, const struct hd_trace *t, hd_eid e)
{
    if (t->flags[e] & HD_F_OMITTED)
        return;
    if (t->op[e] != HD_OP_RMW) {
        mix(l, t->val[e]);
        return;
    }
    mix(l, t->rmw[t->val[e]].old_value.bits);
    mix(l, t->rmw[t->val[e]].new_value.bits);
}

static void mix_events(struct lanes *l, const struct hd_trace *t, struct order order[TABLES])
{
    for (size_t i = 0; i < t->n_events; i++) {
        hd_eid e = (hd_eid)i;
        enum hd_op op = t->op[e];
        const struct hd_op_info *info = &hd_op_info[op];
        uint64_t thread = number_of(&order[THREADS], l, t->thread[e]);
        uint64_t place = number_of(&order[PLACES], l, t->place[e]);
        uint64_t obj = 0;
        if (info->kind != HD_OBJ_NONE)
            obj = number_of(&order[info->kind], l, t->obj[e]);
        mix(l, op | (uint64_t)(t->flags[e] & (HD_F_OMITTED | HD_F_TRY | HD_F_ORDER)) << 8 |
                   thread << 16 | obj << 32);
        mix(l, place);
        if (thread >> 16)
            mix(l, thread);
        if (hd_op_is_access(op))
            mix_value(l, t, e);
        else if (info->has_lock)
            mix(l, number_of(&order[HD_OBJ_LOCK], l, hd_trace_lock(t, e)));
        if (t->dep[e])
            mix_deps(l, t, e);
    }
}

/* A directive as one word pair; the pairs of all directives are added up, since their order means
 * nothing. */
static void add_directive(struct lanes *sum, const struct hd_trace *t, enum hd_obj_kind kind,
                          uint32_t id, uint64_t number)
{
    struct lanes l = {kind, number};
    mix_name(&l, &t->objs[kind], id);
    mix(&l, number);
    mix(&l, (uint64_t)kind);
    sum->a += spread(l.a);
    sum->b += spread(l.b);
}

static void mix_directives(struct lanes *l, const struct hd_trace *t)
{
    struct lanes sum = {0, 0};
    for (uint32_t x = 0; x < hd_trace_n_objs(t, HD_OBJ_LOC); x++)
        if (t->loc_init[x].how == HD_INIT_GIVEN)
            add_directive(&sum, t, HD_OBJ_LOC, x, t->loc_init[x].value.bits);
    for (uint32_t s = 0; s < hd_trace_n_objs(t, HD_OBJ_SEM); s++)
        add_directive(&sum, t, HD_OBJ_SEM, s, t->sem_init[s]);
    for (uint32_t b = 0; b < hd_trace_n_objs(t, HD_OBJ_BARRIER); b++)
        add_directive(&sum, t, HD_OBJ_BARRIER, b, t->barrier_size[b]);
    mix(l, sum.a);
    mix(l, sum.b);
    mix(l, t->control);
}

void hd_digest_trace(const struct hd_trace *t, char out[HD_DIGEST_SIZE])
{
    struct lanes l = {UINT64_C(0x6865646481e), t->n_events};
    struct order order[TABLES];
    for (int i = 0; i < TABLES; i++) {
        order[i].names = i == THREADS ? &t->threads : i == PLACES ? &t->places : &t->objs[i];
        order[i].number = hd_calloc(order[i].names->count, sizeof *order[i].number);
        order[i].next = 0;
    }
    mix_events(&l, t, order);
    mix_directives(&l, t);
    for (int i = 0; i < TABLES; i++)
        hd_free(order[i].number, order[i].names->count * sizeof *order[i].number);
    snprintf(out, HD_DIGEST_SIZE, "hd1-%016" PRIx64 "%016" PRIx64, spread(l.a), spread(l.b));
}
