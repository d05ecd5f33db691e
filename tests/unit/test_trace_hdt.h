/* For tests of the binary format: a small random trace, files in memory. */
#ifndef HD_TEST_TRACE_HDT_H
#define HD_TEST_TRACE_HDT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "test_trace_equal.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "trace/builder.h"
#include "trace/hdt/hdt.h"

struct bytes {
    char *data;
    size_t len;
};

static inline uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return hd_hash_mix(*seed) % below;
}

/* Up to max of the last reads of the thread, or nothing given. */
static inline struct hd_dep_list draw_deps(uint64_t *seed, const struct hd_u32vec *reads,
                                           hd_eid *to, uint32_t max)
{
    struct hd_dep_list list = {.given = draw(seed, 3) > 0, .events = to};
    while (list.given && reads->len && list.n < max && draw(seed, 3) > 0)
        to[list.n++] = reads->data[draw(seed, reads->len)];
    return list;
}

static inline void draw_names(struct hd_builder *b, uint64_t *seed, unsigned *counts)
{
    static const char *const letters[] = {"x", "l", "c", "s", "b"};
    char name[32];
    hd_tid tid;
    for (unsigned kind = 0; kind < HD_OBJ_KINDS; kind++) {
        counts[kind] = 1 + (unsigned)draw(seed, 5);
        for (unsigned i = 0; i < counts[kind]; i++) {
            uint32_t id =
                hd_builder_obj(b, kind, name, (size_t)sprintf(name, "%s%u", letters[kind], i));
            if (kind == HD_OBJ_LOC && draw(seed, 3) == 0)
                assert_int_equal(hd_builder_init(b, id, draw(seed, 4), NULL), HD_OK);
            if (kind == HD_OBJ_SEM && draw(seed, 2) == 0)
                assert_int_equal(hd_builder_sem(b, id, draw(seed, 300), NULL), HD_OK);
            if (kind == HD_OBJ_BARRIER)
                assert_int_equal(hd_builder_barrier(b, id, 1 + draw(seed, 3), NULL), HD_OK);
        }
    }
    counts[HD_OBJ_THREAD] = 2 + (unsigned)draw(seed, 4);
    for (unsigned i = 0; i < counts[HD_OBJ_THREAD]; i++)
        hd_builder_thread(b, name, (size_t)sprintf(name, "t%u", i), &tid, NULL);
}

struct drawing {
    struct hd_builder *b;
    uint64_t seed;
    bool orders;                  /* memory orders, fences, an exclusion: version 3 */
    unsigned counts[HD_OBJ_NONE]; /* names by kind */
    struct hd_u32vec reads[8];    /* by thread */
    unsigned forked;              /* threads forked so far: 1, 2, ... */
    struct hd_event wait[8];      /* by thread: its last event if that is a wait */
};

static inline void draw_object(struct drawing *d, struct hd_event *ev)
{
    const struct hd_op_info *info = &hd_op_info[ev->op];
    if (info->kind != HD_OBJ_NONE)
        ev->obj = (uint32_t)draw(&d->seed, d->counts[info->kind]);
    if (ev->op == HD_OP_FORK)
        ev->obj = ++d->forked;
    if (info->has_lock)
        ev->lock = (uint32_t)draw(&d->seed, d->counts[HD_OBJ_LOCK]);
    if (d->wait[ev->thread].op == HD_OP_WAIT) {
        ev->obj = d->wait[ev->thread].obj;
        ev->lock = d->wait[ev->thread].lock;
    }
}

/* Chooses what the builder would refuse: nothing is added then. */
static inline bool refused(const struct drawing *d, const struct hd_event *ev)
{
    bool waits = d->wait[ev->thread].op == HD_OP_WAIT;
    const struct hd_op_info *info = &hd_op_info[ev->op];
    uint32_t lock = info->kind == HD_OBJ_LOCK ? ev->obj : info->has_lock ? ev->lock : 1;
    if (d->orders && lock == 0 && !hd_mem_order_fits(ev->op, HD_ORDER_RLX))
        return true; /* lock 0 is an exclusion */
    if (info->kind == HD_OBJ_THREAD)
        return ev->obj == ev->thread || ev->obj >= d->counts[HD_OBJ_THREAD];
    return waits != (ev->op == HD_OP_WAKE || ev->op == HD_OP_TMO);
}

/* One event of any kind. */
static inline void draw_event(struct drawing *d)
{
    char name[32];
    hd_eid deps[4], addr[4];
    uint64_t *seed = &d->seed;
    struct hd_event ev = {.op = (enum hd_op)draw(seed, d->orders ? HD_OP_COUNT : HD_OP_FENCE)};
    ev.thread = (hd_tid)draw(seed, d->counts[HD_OBJ_THREAD]);
    if (draw(seed, 2))
        ev.op = (enum hd_op)draw(seed, HD_OP_BRANCH + 1);
    if (d->wait[ev.thread].op == HD_OP_WAIT)
        ev.op = draw(seed, 2) ? HD_OP_WAKE : HD_OP_TMO;
    draw_object(d, &ev);
    if (refused(d, &ev))
        return;
    ev.place =
        hd_builder_place(d->b, name, (size_t)sprintf(name, "f.c:%u", (unsigned)draw(seed, 20)));
    ev.has_value = hd_op_is_access(ev.op) && draw(seed, 3) > 0;
    ev.tries = (ev.op == HD_OP_ACQ || ev.op == HD_OP_RACQ) && draw(seed, 3) == 0;
    enum hd_mem_order order = d->orders ? (enum hd_mem_order)draw(seed, HD_ORDER_COUNT) : 0;
    if (hd_op_info[ev.op].kind == HD_OBJ_LOCK)
        order = d->orders && ev.obj == 0 ? HD_ORDER_RLX : HD_ORDER_SC;
    ev.order = hd_mem_order_fits(ev.op, order) ? order : HD_ORDER_SC;
    ev.value = draw(seed, 4) ? draw(seed, 3) : draw(seed, UINT64_MAX);
    ev.new_value = draw(seed, 4) ? ev.value + 1 : draw(seed, UINT64_MAX);
    struct hd_u32vec *reads = &d->reads[ev.thread];
    if (ev.op == HD_OP_BRANCH || hd_op_writes(ev.op))
        ev.deps = draw_deps(seed, reads, deps, 4);
    if (ev.op == HD_OP_RMW && ev.deps.given && ev.deps.n < 4 && draw(seed, 2))
        deps[ev.deps.n++] = (hd_eid)hd_builder_count(d->b);
    if (hd_op_is_access(ev.op))
        ev.addr = draw_deps(seed, reads, addr, 3);
    if (hd_op_reads(ev.op))
        hd_u32vec_push(reads, (uint32_t)hd_builder_count(d->b));
    struct hd_err err;
    assert_int_equal(hd_builder_add(d->b, &ev, &err), HD_OK);
    d->wait[ev.thread] = ev;
}

/* A well-formed trace with every op; not a consistent one. */
static inline struct hd_trace *random_trace(uint64_t seed, unsigned events)
{
    struct drawing d = {.b = hd_builder_new(), .seed = seed, .orders = seed % 2 == 0};
    struct hd_trace *t;
    struct hd_err err;
    if (draw(&d.seed, 2))
        hd_builder_control(d.b, HD_CONTROL_BRANCHES, NULL);
    draw_names(d.b, &d.seed, d.counts);
    for (unsigned i = 0; i < events; i++)
        draw_event(&d);
    for (int i = 0; i < 8; i++)
        hd_u32vec_fini(&d.reads[i]);
    assert_int_equal(hd_builder_finish(d.b, &t, &err), HD_OK);
    return t;
}

/* chunk_events 0: the default. */
static inline struct bytes write_hdt(const struct hd_trace *t, uint32_t chunk_events)
{
    struct bytes f;
    struct hd_err err;
    FILE *out = open_memstream(&f.data, &f.len);
    assert_non_null(out);
    assert_int_equal(chunk_events ? hd_hdt_write_chunks(t, out, chunk_events, &err)
                                  : hd_hdt_write(t, out, &err),
                     HD_OK);
    assert_int_equal(fclose(out), 0);
    return f;
}

#endif
