#include "model/after.h"

#include "base/alloc.h"

#include <string.h>

/* Marks of `written` besides HD_AFTER_PLUS: the write was plain; it comes after by hb. */
enum { BOTH = HD_AFTER_HB | HD_AFTER_PLUS, PLAIN = 4, BY_HB = 8 };

static void *part(unsigned char **at, size_t bytes)
{
    void *here = *at;
    *at += bytes;
    return here;
}

void hd_after_init(struct hd_after *w, const struct hd_trace *t)
{
    size_t threads = hd_trace_n_threads(t), locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK), sems = hd_trace_n_objs(t, HD_OBJ_SEM);
    size_t posts = t->by_obj[HD_OBJ_SEM].start[sems];
    size_t arrivals = t->by_obj[HD_OBJ_BARRIER].start[hd_trace_n_objs(t, HD_OBJ_BARRIER)];
    *w = (struct hd_after){.t = t};
    w->bytes = sems * 8 + threads * 4 + locks * 2 + locs * 2 + posts + arrivals;
    w->block = hd_calloc(w->bytes + 1, 1);
    unsigned char *at = w->block;
    w->posted = part(&at, sems * sizeof *w->posted);
    w->taken = part(&at, sems * sizeof *w->taken);
    w->thread = part(&at, threads);
    w->fence = part(&at, threads);
    w->loads = part(&at, threads);
    w->notified = part(&at, threads);
    w->held = part(&at, locks);
    w->read = part(&at, locks);
    w->released = part(&at, locs);
    w->written = part(&at, locs);
    w->posts = part(&at, posts);
    w->arrived = part(&at, arrivals);
}

void hd_after_fini(struct hd_after *w)
{
    if (w->block)
        hd_free(w->block, w->bytes + 1);
    *w = (struct hd_after){0};
}

/* ---- what comes in ---- */

static unsigned from_post(const struct hd_after *w, uint32_t sem)
{
    uint64_t number = w->taken[sem];
    if (number < w->t->sem_init[sem])
        return 0;
    return w->posts[w->t->by_obj[HD_OBJ_SEM].start[sem] + number - w->t->sem_init[sem]];
}

static unsigned from_arrivals(const struct hd_after *w, const struct hd_state *s, hd_eid e)
{
    uint32_t b = w->t->obj[e], slot = 0;
    if (!hd_map_get(&s->layout->arrival_slot, (uint64_t)w->t->thread[e] << 32 | b, &slot))
        return 0;
    return w->arrived[w->t->by_obj[HD_OBJ_BARRIER].start[b] + s->arrivals[slot] - 1];
}

/* Marks that e takes from what ran before it, besides those of its thread. */
static unsigned incoming(const struct hd_after *w, const struct hd_state *s, hd_eid e)
{
    const struct hd_trace *t = w->t;
    uint32_t obj = t->obj[e], lock;
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_AREAD:
    case HD_OP_RMW:
        return hd_mem_order_info[hd_trace_order(t, e)].acquires ? w->released[obj] : 0;
    case HD_OP_FENCE:
        return hd_mem_order_info[hd_trace_order(t, e)].acquires ? w->loads[t->thread[e]] : 0;
    case HD_OP_ACQ:
        return w->held[obj] | w->read[obj];
    case HD_OP_RACQ:
        return w->held[obj];
    case HD_OP_WAKE:
    case HD_OP_TMO:
        lock = hd_trace_lock(t, e);
        return w->held[lock] | w->read[lock] |
               (t->op[e] == HD_OP_WAKE ? w->notified[t->thread[e]] : 0);
    case HD_OP_JOIN:
        return w->thread[obj];
    case HD_OP_SEM:
        return from_post(w, obj);
    case HD_OP_BAROUT:
        return from_arrivals(w, s, e);
    default:
        return 0;
    }
}

unsigned hd_after_marks(const struct hd_after *w, const struct hd_state *s, hd_eid e)
{
    return w->thread[w->t->thread[e]] | incoming(w, s, e);
}

/* Does the read e read from a write that is plain, or is it plain itself? */
static bool conflicts(const struct hd_after *w, hd_eid e)
{
    return hd_op_reads(w->t->op[e]) &&
           (w->written[w->t->obj[e]] & PLAIN || !hd_op_is_atomic(w->t->op[e]));
}

bool hd_after_racy_read(const struct hd_after *w, hd_eid e)
{
    return conflicts(w, e) && w->written[w->t->obj[e]] & BY_HB &&
           !(w->thread[w->t->thread[e]] & HD_AFTER_HB);
}

/* ---- what goes out ---- */

static void put_access(struct hd_after *w, hd_eid e, unsigned marks)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    uint32_t x = t->obj[e];
    enum hd_op op = t->op[e];
    bool atomic = hd_op_is_atomic(op);
    const struct hd_mem_order_info *order = &hd_mem_order_info[hd_trace_order(t, e)];
    if (atomic && hd_op_reads(op) && !order->acquires)
        w->loads[u] |= w->released[x];
    if (!hd_op_writes(op))
        return;
    unsigned gives = !atomic ? 0 : order->releases ? marks : w->fence[u];
    w->released[x] = (uint8_t)(op == HD_OP_RMW ? w->released[x] | gives : gives);
    w->written[x] = (uint8_t)((marks & HD_AFTER_PLUS) | (marks & HD_AFTER_HB ? BY_HB : 0) |
                              (atomic ? 0 : PLAIN));
}

static void put_notified(struct hd_after *w, const struct hd_state *s, hd_eid e, hd_tid woken,
                         unsigned marks)
{
    if (w->t->op[e] == HD_OP_SIG) {
        if (woken != HD_TID_NONE)
            w->notified[woken] = (uint8_t)marks;
        return;
    }
    for (hd_tid u = hd_state_first_waiter(s, w->t->obj[e]); u != HD_TID_NONE;
         u = hd_state_next_waiter(s, u))
        w->notified[u] = (uint8_t)marks;
}

static void put(struct hd_after *w, const struct hd_state *s, hd_eid e, hd_tid woken,
                unsigned marks)
{
    const struct hd_trace *t = w->t;
    uint32_t obj = t->obj[e];
    uint32_t first = 0;
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_FENCE:
        if (hd_mem_order_info[hd_trace_order(t, e)].releases)
            w->fence[t->thread[e]] = (uint8_t)marks;
        break;
    case HD_OP_REL:
        if (!hd_trace_excludes_only(t, e))
            w->held[obj] |= (uint8_t)marks;
        break;
    case HD_OP_RREL:
        w->read[obj] |= (uint8_t)marks;
        break;
    case HD_OP_WAIT:
        w->held[hd_trace_lock(t, e)] |= (uint8_t)marks;
        break;
    case HD_OP_FORK:
        w->thread[obj] |= (uint8_t)marks;
        break;
    case HD_OP_SIG:
    case HD_OP_BCAST:
        put_notified(w, s, e, woken, marks);
        break;
    case HD_OP_POST:
        first = t->by_obj[HD_OBJ_SEM].start[obj];
        w->posts[first + w->posted[obj]++] = (uint8_t)marks;
        break;
    case HD_OP_SEM:
        w->taken[obj]++;
        break;
    case HD_OP_BARIN:
        first = t->by_obj[HD_OBJ_BARRIER].start[obj];
        w->arrived[first + s->arrived[obj] / t->barrier_size[obj]] |= (uint8_t)marks;
        break;
    default:
        if (hd_op_is_access(t->op[e]))
            put_access(w, e, marks);
        break;
    }
}

void hd_after_step(struct hd_after *w, const struct hd_state *s, hd_eid e, hd_tid woken)
{
    unsigned marks = hd_after_marks(w, s, e);
    if (conflicts(w, e))
        marks |= w->written[w->t->obj[e]] & HD_AFTER_PLUS;
    w->thread[w->t->thread[e]] = (uint8_t)marks;
    put(w, s, e, woken, marks);
}

void hd_after_begin(struct hd_after *w, const struct hd_state *s, hd_eid a)
{
    const struct hd_trace *t = w->t;
    for (uint32_t sem = 0; sem < hd_trace_n_objs(t, HD_OBJ_SEM); sem++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_SEM, sem, &n);
        w->posted[sem] = w->taken[sem] = 0;
        for (size_t i = 0; i < n; i++)
            if (hd_state_ran(s, events[i]))
                ++*(t->op[events[i]] == HD_OP_POST ? &w->posted[sem] : &w->taken[sem]);
    }
    w->thread[t->thread[a]] = BOTH;
    put(w, s, a, HD_TID_NONE, BOTH);
}

void hd_after_clear(struct hd_after *w, const hd_eid *ran, size_t n)
{
    const struct hd_trace *t = w->t;
    bool counted = false;
    memset(w->thread, 0, hd_trace_n_threads(t) * 4); /* the four arrays by thread are one */
    for (size_t i = 0; i < n; i++) {
        uint32_t obj = t->obj[ran[i]];
        enum hd_obj_kind kind = hd_op_info[t->op[ran[i]]].kind;
        if (kind == HD_OBJ_LOC)
            w->released[obj] = w->written[obj] = 0;
        else if (kind == HD_OBJ_LOCK)
            w->held[obj] = w->read[obj] = 0;
        else if (hd_op_info[t->op[ran[i]]].has_lock)
            w->held[hd_trace_lock(t, ran[i])] = 0;
        counted |= kind == HD_OBJ_SEM || kind == HD_OBJ_BARRIER;
    }
    if (counted)
        memset(w->posts, 0, (size_t)(w->block + w->bytes - w->posts));
}
