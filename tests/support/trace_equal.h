/* Compares two traces field by field, for round-trip tests and fuzz targets.
 *
 * Names are compared as texts, so two traces are equal whatever the numbering of their names: the
 * place of a directive in a file decides numbers, not content. Values that were left out are
 * compared by what they stand for: equal values in one trace must be equal in the other.
 */
#ifndef HD_TESTS_TRACE_EQUAL_H
#define HD_TESTS_TRACE_EQUAL_H

#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* Where the first difference is; empty when there is none. */
struct trace_difference {
    char text[128];
};

static bool differ(struct trace_difference *d, const char *what, size_t where)
{
    snprintf(d->text, sizeof d->text, "%s of event or object %zu", what, where + 1);
    return false;
}

static bool same_name(const struct hd_names *a, uint32_t i, const struct hd_names *b, uint32_t j)
{
    size_t len = hd_names_len(a, i);
    return len == hd_names_len(b, j) && !memcmp(hd_names_text(a, i), hd_names_text(b, j), len);
}

/* A unique value of a write is the number of that event in both. A unique initial value has the
 * location in its bits, whose number may differ: any two of them are the same as far as one
 * location goes. */
static bool same_value(struct hd_value a, struct hd_value b)
{
    bool initial = a.unique && b.unique && a.bits >> 63 && b.bits >> 63;
    return initial || hd_value_eq(a, b);
}

static bool same_deps(struct hd_deps a, struct hd_deps b)
{
    return a.all == b.all && a.n == b.n &&
           (a.n == 0 || !memcmp(a.dist, b.dist, a.n * sizeof *a.dist));
}

static bool same_objects(const struct hd_trace *a, const struct hd_trace *b, hd_eid e)
{
    const struct hd_op_info *info = &hd_op_info[a->op[e]];
    if (info->kind == HD_OBJ_NONE)
        return true;
    if (info->kind == HD_OBJ_THREAD)
        return same_name(&a->threads, a->obj[e], &b->threads, b->obj[e]);
    if (!same_name(&a->objs[info->kind], a->obj[e], &b->objs[info->kind], b->obj[e]))
        return false;
    return !info->has_lock || same_name(&a->objs[HD_OBJ_LOCK], hd_trace_lock(a, e),
                                        &b->objs[HD_OBJ_LOCK], hd_trace_lock(b, e));
}

static bool same_values(const struct hd_trace *a, const struct hd_trace *b, hd_eid e)
{
    enum hd_op op = a->op[e];
    if (!hd_op_is_access(op))
        return true;
    if ((a->flags[e] ^ b->flags[e]) & HD_F_OMITTED)
        return false;
    if (hd_op_reads(op) && !same_value(hd_trace_read_value(a, e), hd_trace_read_value(b, e)))
        return false;
    return !hd_op_writes(op) || same_value(hd_trace_write_value(a, e), hd_trace_write_value(b, e));
}

static bool same_event(const struct hd_trace *a, const struct hd_trace *b, hd_eid e,
                       struct trace_difference *d)
{
    enum hd_op op = a->op[e];
    if (op != b->op[e])
        return differ(d, "operation", e);
    if (!same_name(&a->threads, a->thread[e], &b->threads, b->thread[e]) || a->pos[e] != b->pos[e])
        return differ(d, "thread", e);
    if (!same_objects(a, b, e))
        return differ(d, "object", e);
    if ((a->flags[e] ^ b->flags[e]) & HD_F_TRY)
        return differ(d, "try", e);
    if (!same_name(&a->places, a->place[e], &b->places, b->place[e]))
        return differ(d, "place", e);
    if (!same_values(a, b, e))
        return differ(d, "value", e);
    if ((op == HD_OP_BRANCH || hd_op_writes(op)) &&
        !same_deps(hd_trace_deps(a, e, HD_DEP_VALUE), hd_trace_deps(b, e, HD_DEP_VALUE)))
        return differ(d, "deps or val", e);
    if (hd_op_is_access(op) &&
        !same_deps(hd_trace_deps(a, e, HD_DEP_ADDR), hd_trace_deps(b, e, HD_DEP_ADDR)))
        return differ(d, "addr", e);
    return true;
}

/* The directive of an object of a, and the events under it, against b. */
static bool same_object(const struct hd_trace *a, const struct hd_trace *b, enum hd_obj_kind kind,
                        uint32_t i)
{
    const struct hd_names *names = &a->objs[kind];
    uint32_t j;
    if (!hd_names_find(&b->objs[kind], hd_names_text(names, i), hd_names_len(names, i), &j))
        return false;
    size_t n, m;
    const hd_eid *x = hd_trace_obj_events(a, kind, i, &n), *y = hd_trace_obj_events(b, kind, j, &m);
    if (n != m || (n && memcmp(x, y, n * sizeof *x)))
        return false;
    if (kind == HD_OBJ_SEM)
        return a->sem_init[i] == b->sem_init[j];
    if (kind == HD_OBJ_BARRIER)
        return a->barrier_size[i] == b->barrier_size[j];
    if (kind != HD_OBJ_LOC)
        return true;
    return a->loc_init[i].how == b->loc_init[j].how &&
           (a->loc_init[i].how == HD_INIT_UNKNOWN ||
            same_value(a->loc_init[i].value, b->loc_init[j].value));
}

static bool same_fork(const struct hd_trace *a, const struct hd_trace *b, hd_tid u)
{
    hd_tid v;
    const struct hd_names *names = &a->threads;
    return hd_names_find(&b->threads, hd_names_text(names, u), hd_names_len(names, u), &v) &&
           a->fork_of[u] == b->fork_of[v];
}

static bool trace_equal(const struct hd_trace *a, const struct hd_trace *b,
                        struct trace_difference *d)
{
    d->text[0] = 0;
    if (a->n_events != b->n_events || a->control != b->control ||
        a->threads.count != b->threads.count || a->places.count != b->places.count)
        return differ(d, "the counts or the control", 0);
    for (size_t e = 0; e < a->n_events; e++)
        if (!same_event(a, b, (hd_eid)e, d))
            return false;
    for (hd_tid u = 0; u < a->threads.count; u++)
        if (!same_fork(a, b, u))
            return differ(d, "fork", u);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++) {
        if (a->objs[kind].count != b->objs[kind].count)
            return differ(d, "the count of objects", (size_t)kind);
        for (uint32_t i = 0; i < a->objs[kind].count; i++)
            if (!same_object(a, b, (enum hd_obj_kind)kind, i))
                return differ(d, "directive or index", i);
    }
    return true;
}

#endif
