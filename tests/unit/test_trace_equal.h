/* For tests of the binary format: do two traces hold the same? */
#ifndef HD_TEST_TRACE_EQUAL_H
#define HD_TEST_TRACE_EQUAL_H

#include "trace/trace.h"

#include <string.h>

static inline bool names_equal(const struct hd_names *a, const struct hd_names *b, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(hd_names_text(a, i), hd_names_text(b, i)))
            return false;
    return true;
}

static inline bool deps_equal(const struct hd_trace *a, const struct hd_trace *b, hd_eid e)
{
    for (int role = HD_DEP_VALUE; role <= HD_DEP_ADDR; role++) {
        struct hd_deps x = hd_trace_deps(a, e, role), y = hd_trace_deps(b, e, role);
        if (x.all != y.all || x.n != y.n || (x.n && memcmp(x.dist, y.dist, x.n * sizeof *x.dist)))
            return false;
    }
    return true;
}

/* Is event e the same in both, settled values aside? */
static inline bool given_equal(const struct hd_trace *a, const struct hd_trace *b, hd_eid e)
{
    if (a->op[e] != b->op[e] || a->thread[e] != b->thread[e] || a->pos[e] != b->pos[e] ||
        a->place[e] != b->place[e] || (a->flags[e] ^ b->flags[e]) & HD_F_OMITTED)
        return false;
    const struct hd_op_info *info = &hd_op_info[a->op[e]];
    if (info->kind != HD_OBJ_NONE && a->obj[e] != b->obj[e])
        return false;
    if (info->has_lock && a->val[e] != b->val[e])
        return false;
    return deps_equal(a, b, e);
}

static inline bool values_equal(const struct hd_trace *a, const struct hd_trace *b, hd_eid e)
{
    enum hd_op op = a->op[e];
    if (hd_op_reads(op) && !hd_value_eq(hd_trace_read_value(a, e), hd_trace_read_value(b, e)))
        return false;
    return !hd_op_writes(op) || hd_value_eq(hd_trace_write_value(a, e), hd_trace_write_value(b, e));
}

static inline bool index_equal(const struct hd_index *a, const struct hd_index *b)
{
    return a->count == b->count && !memcmp(a->start, b->start, (a->count + 1) * sizeof *a->start) &&
           !memcmp(a->list, b->list, a->start[a->count] * sizeof *a->list);
}

static inline bool directives_equal(const struct hd_trace *a, const struct hd_trace *b)
{
    for (size_t i = 0; i < a->objs[HD_OBJ_LOC].count; i++)
        if (a->loc_init[i].how != b->loc_init[i].how ||
            (a->loc_init[i].how != HD_INIT_UNKNOWN &&
             !hd_value_eq(a->loc_init[i].value, b->loc_init[i].value)))
            return false;
    for (size_t i = 0; i < a->objs[HD_OBJ_SEM].count; i++)
        if (a->sem_init[i] != b->sem_init[i])
            return false;
    for (size_t i = 0; i < a->objs[HD_OBJ_BARRIER].count; i++)
        if (a->barrier_size[i] != b->barrier_size[i])
            return false;
    return a->control == b->control;
}

/* Everything that struct hd_trace holds. */
static inline bool traces_equal(const struct hd_trace *a, const struct hd_trace *b)
{
    if (a->n_events != b->n_events || a->n_rmw != b->n_rmw || a->n_dep_pool != b->n_dep_pool ||
        a->threads.count != b->threads.count || a->places.count != b->places.count)
        return false;
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        if (a->objs[kind].count != b->objs[kind].count ||
            !names_equal(&a->objs[kind], &b->objs[kind], a->objs[kind].count))
            return false;
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++)
        if (!index_equal(&a->by_obj[kind], &b->by_obj[kind]))
            return false;
    for (hd_eid e = 0; e < a->n_events; e++)
        if (!given_equal(a, b, e) || !values_equal(a, b, e) || a->flags[e] != b->flags[e] ||
            a->val[e] != b->val[e] || a->dep[e] != b->dep[e])
            return false;
    return names_equal(&a->threads, &b->threads, a->threads.count) &&
           names_equal(&a->places, &b->places, a->places.count) && directives_equal(a, b) &&
           !memcmp(a->fork_of, b->fork_of, a->threads.count * sizeof *a->fork_of) &&
           !memcmp(a->dep_pool, b->dep_pool, a->n_dep_pool * sizeof *a->dep_pool);
}

#endif
