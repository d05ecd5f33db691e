#include "trace/trace_form.h"

#include "base/err.h"

#ifdef HD_DEBUG

static size_t objects_of(const struct hd_trace *t, enum hd_obj_kind kind)
{
    return kind == HD_OBJ_THREAD ? hd_trace_n_threads(t) : hd_trace_n_objs(t, kind);
}

static void check_set(const struct hd_trace *t, hd_eid e, enum hd_dep_role role)
{
    struct hd_deps d = hd_trace_deps(t, e, role);
    for (uint32_t i = 0; i < d.n; i++) {
        bool own = d.dist[i] == 0;
        HD_ASSERT(!i || d.dist[i - 1] < d.dist[i]);
        HD_ASSERT(d.dist[i] <= t->pos[e]);
        HD_ASSERT(!own || (t->op[e] == HD_OP_RMW && role == HD_DEP_VALUE));
        HD_ASSERT(hd_op_reads((enum hd_op)t->op[hd_trace_back(t, e, d.dist[i])]));
    }
}

static void check_event(const struct hd_trace *t, hd_eid e)
{
    enum hd_op op = (enum hd_op)t->op[e];
    HD_ASSERT(op < HD_OP_COUNT);
    enum hd_obj_kind kind = hd_op_info[op].kind;
    HD_ASSERT(t->thread[e] < hd_trace_n_threads(t));
    HD_ASSERT(t->place[e] < t->places.count);
    HD_ASSERT(t->dep[e] < t->n_dep_pool);
    HD_ASSERT(kind == HD_OBJ_NONE || t->obj[e] < objects_of(t, kind));
    HD_ASSERT(!hd_op_info[op].has_lock || t->val[e] < hd_trace_n_objs(t, HD_OBJ_LOCK));
    HD_ASSERT(op != HD_OP_RMW || t->val[e] < t->n_rmw);
    HD_ASSERT(op != HD_OP_FORK || t->fork_of[t->obj[e]] == e);
    HD_ASSERT(hd_trace_back(t, e, 0) == e);
    if (hd_op_is_access(op))
        check_set(t, e, HD_DEP_ADDR);
    if (hd_op_writes(op) || op == HD_OP_BRANCH)
        check_set(t, e, HD_DEP_VALUE);
}

/* The occurrences of one kind of object are listed in trace order. */
static void check_index(const struct hd_trace *t, enum hd_obj_kind kind)
{
    const struct hd_index *index = &t->by_obj[kind];
    HD_ASSERT(index->count == objects_of(t, kind));
    for (uint32_t i = 0; i < index->count; i++)
        for (uint32_t k = index->start[i]; k < index->start[i + 1]; k++) {
            hd_eid e = index->list[k];
            HD_ASSERT(e < t->n_events);
            HD_ASSERT(k == index->start[i] || index->list[k - 1] < e);
            HD_ASSERT(kind == HD_OBJ_THREAD ? t->thread[e] == i
                      : kind == HD_OBJ_LOCK ? hd_trace_lock(t, e) == i
                                            : t->obj[e] == i);
        }
}

void hd_trace_form_check(const struct hd_trace *t)
{
    HD_ASSERT(t->n_events <= HD_MAX_EVENTS);
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++)
        check_index(t, (enum hd_obj_kind)kind);
    for (hd_eid e = 0; e < t->n_events; e++)
        check_event(t, e);
}

#endif
