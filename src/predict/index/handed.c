#include "predict/index/handed.h"

#include "base/alloc.h"
#include "predict/index/handover.h"
#include "trace/skeleton.h"

struct blocks {
    uint32_t *holds; /* by thread: locks held and blocks open */
    hd_eid *since;   /* by thread: the event that opened the outermost of them */
};

static void hold(struct blocks *b, const struct hd_trace *t, hd_eid e)
{
    hd_tid u = t->thread[e];
    switch (t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
    case HD_OP_BEGIN:
        if (!b->holds[u]++)
            b->since[u] = e;
        break;
    case HD_OP_REL:
    case HD_OP_RREL:
    case HD_OP_END:
        b->holds[u] -= b->holds[u] > 0;
        break;
    default:
        break;
    }
}

static struct blocks blocks_new(const struct hd_trace *t)
{
    size_t n = hd_trace_n_threads(t);
    struct blocks b = {hd_calloc(n, sizeof *b.holds), hd_calloc(n, sizeof *b.since)};
    return b;
}

static void blocks_free(struct blocks *b, const struct hd_trace *t)
{
    size_t n = hd_trace_n_threads(t);
    hd_free(b->holds, n * sizeof *b->holds);
    hd_free(b->since, n * sizeof *b->since);
}

void hd_handed_carriers(const struct hd_trace *t, uint8_t *carriers)
{
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC);
    struct blocks b = blocks_new(t);
    uint32_t *writer = hd_calloc(n, sizeof *writer); /* who wrote it last, under a lock; from 1 */
    uint8_t *weak = hd_calloc(n, 1);
    for (hd_eid e = 0; e < t->n_events; e++) {
        hold(&b, t, e);
        if (!hd_op_is_access(t->op[e]))
            continue;
        hd_tid u = t->thread[e];
        uint32_t x = t->obj[e];
        bool inside = b.holds[u] > 0;
        carriers[x] |= hd_op_is_atomic(t->op[e]);
        weak[x] |= hd_mem_order_is_weak(t->op[e], hd_trace_order(t, e));
        carriers[x] |= hd_op_reads(t->op[e]) && inside && writer[x] && writer[x] != u + 1;
        if (hd_op_writes(t->op[e]))
            writer[x] = inside ? u + 1 : 0;
    }
    for (size_t x = 0; x < n; x++)
        carriers[x] = carriers[x] && !weak[x];
    hd_free(weak, n);
    hd_free(writer, n * sizeof *writer);
    blocks_free(&b, t);
}

/* Who read a location under a lock, and did another thread write it since then? */
struct looked {
    uint32_t reader; /* from 1; 0: none; SEVERAL */
    bool changed;
};
#define SEVERAL UINT32_MAX

struct check {
    const struct hd_trace *t;
    const struct hd_handover *order;
    const uint32_t *before; /* by event: its point in the skeleton */
    hd_eid *last, *write;   /* by location: last access, last write; HD_EID_NONE: none */
    uint32_t *seen, *since; /* by location: accesses so far; those that the last write came after */
    struct blocks blocks;
    struct looked *looked; /* by location */
};

static bool comes_before(const struct check *c, hd_eid a, hd_eid b)
{
    return c->t->thread[a] == c->t->thread[b] ||
           hd_handover_before(c->order, c->t->thread[a], c->before[a], c->t->thread[b],
                              c->before[b]);
}

/* Did a thread that has a block open use it there? Then another one comes in between. */
static bool is_inside(const struct check *c, hd_eid last, hd_tid now)
{
    hd_tid u = c->t->thread[last];
    return u != now && c->blocks.holds[u] && c->blocks.since[u] < last;
}

/* A thread reads a location in one section and writes it in a later one, with a write of another
 * thread between: the two sections may be meant as one block. */
static bool is_checked(struct check *c, hd_eid e)
{
    struct looked *l = &c->looked[c->t->obj[e]];
    uint32_t me = c->t->thread[e] + 1;
    bool inside = c->blocks.holds[me - 1] > 0, writes = hd_op_writes(c->t->op[e]);
    if (writes && l->reader != me)
        l->changed = true;
    bool cut = writes && inside && (l->reader == SEVERAL || (l->reader == me && l->changed));
    if (!writes && inside && l->reader != me)
        *l = (struct looked){l->reader ? SEVERAL : me, false};
    return cut;
}

/* Each access comes after the last write, and a write after all accesses since then. */
static bool in_order(const struct check *c, hd_eid e)
{
    uint32_t x = c->t->obj[e];
    if (c->last[x] == HD_EID_NONE)
        return true;
    if (is_inside(c, c->last[x], c->t->thread[e]))
        return false;
    if (c->write[x] != HD_EID_NONE && !comes_before(c, c->write[x], e))
        return false;
    if (!hd_op_writes(c->t->op[e]))
        return true;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(c->t, HD_OBJ_LOC, x, &n);
    for (uint32_t i = c->since[x]; i < c->seen[x]; i++)
        if (!comes_before(c, events[i], e))
            return false;
    return true;
}

static void find(struct check *c, uint8_t *handed)
{
    const struct hd_trace *t = c->t;
    for (hd_eid e = 0; e < t->n_events; e++) {
        hold(&c->blocks, t, e);
        if (!hd_op_is_access(t->op[e]))
            continue;
        uint32_t x = t->obj[e];
        bool cut = is_checked(c, e);
        if (handed[x] && (cut || !in_order(c, e)))
            handed[x] = 0;
        c->last[x] = e;
        c->seen[x]++;
        if (hd_op_writes(t->op[e])) {
            c->write[x] = e;
            c->since[x] = c->seen[x];
        }
    }
}

void hd_handed_find(const struct hd_trace *t, const uint8_t *carriers, uint8_t *handed)
{
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC);
    struct hd_trace *skeleton;
    struct hd_err err = {0};
    uint32_t *before = hd_alloc(t->n_events * sizeof *before);
    struct check c = {.t = t, .before = before, .blocks = blocks_new(t)};
    c.last = hd_alloc(n * sizeof *c.last);
    c.write = hd_alloc(n * sizeof *c.write);
    c.seen = hd_calloc(n, sizeof *c.seen);
    c.since = hd_calloc(n, sizeof *c.since);
    c.looked = hd_calloc(n, sizeof *c.looked);
    for (size_t x = 0; x < n; x++) {
        handed[x] = !carriers[x];
        c.last[x] = c.write[x] = HD_EID_NONE;
    }
    struct hd_handover *order = NULL;
    if (hd_skeleton_trace(t, handed, &skeleton, before, &err) == HD_OK)
        order = hd_handover_new(skeleton, NULL);
    c.order = order;
    if (order)
        find(&c, handed);
    for (size_t x = 0; !order && x < n; x++)
        handed[x] = 0;
    hd_handover_free(order);
    hd_trace_free(skeleton);
    hd_free(c.last, n * sizeof *c.last);
    hd_free(c.write, n * sizeof *c.write);
    hd_free(c.seen, n * sizeof *c.seen);
    hd_free(c.since, n * sizeof *c.since);
    hd_free(c.looked, n * sizeof *c.looked);
    blocks_free(&c.blocks, t);
    hd_free(before, t->n_events * sizeof *before);
}
