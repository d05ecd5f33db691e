#include "trace/skeleton.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/trace_copy.h"
#include "trace/trace_form.h"

struct skeleton {
    const struct hd_trace *t;
    const uint8_t *drop;
    struct hd_builder *b;
    uint32_t *number; /* by event of t: its number, or HD_EID_NONE */
    uint32_t *count;  /* by thread: events so far */
    uint32_t n;
    struct hd_u32vec lists[2]; /* by role */
    struct hd_err *err;
};

static struct hd_dep_list kept_deps(struct skeleton *s, hd_eid e, enum hd_dep_role role)
{
    struct hd_deps deps = hd_trace_deps(s->t, e, role);
    struct hd_u32vec *list = &s->lists[role];
    list->len = 0;
    for (uint32_t i = 0; i < deps.n; i++) {
        hd_eid read = hd_trace_back(s->t, e, deps.dist[i]);
        if (read == e)
            hd_u32vec_push(list, s->n);
        else if (s->number[read] != HD_EID_NONE)
            hd_u32vec_push(list, s->number[read]);
    }
    return (struct hd_dep_list){!deps.all, (uint32_t)list->len, list->data};
}

static enum hd_status take(struct skeleton *s, hd_eid e)
{
    const struct hd_trace *t = s->t;
    struct hd_event ev = hd_trace_copy_event(t, e);
    bool access = hd_op_is_access(ev.op);
    if (ev.op == HD_OP_TRYFAIL || hd_trace_excludes_only(t, e) || (access && s->drop[t->obj[e]]))
        return HD_OK;
    if (ev.op == HD_OP_BRANCH || (access && hd_op_writes(ev.op)))
        ev.deps = kept_deps(s, e, HD_DEP_VALUE);
    if (access)
        ev.addr = kept_deps(s, e, HD_DEP_ADDR);
    if (ev.op == HD_OP_BRANCH && ev.deps.given && !ev.deps.n)
        return HD_OK;
    enum hd_obj_kind kind = hd_op_info[ev.op].kind;
    if (kind < HD_OBJ_KINDS)
        ev.obj = hd_trace_copy_obj(t, s->b, kind, ev.obj);
    if (hd_op_info[ev.op].has_lock)
        ev.lock = hd_trace_copy_obj(t, s->b, HD_OBJ_LOCK, ev.lock);
    s->number[e] = s->n++;
    s->count[ev.thread]++;
    return hd_builder_add(s->b, &ev, s->err);
}

static enum hd_status start(struct skeleton *s)
{
    const struct hd_trace *t = s->t;
    enum hd_status status = hd_builder_control(s->b, t->control, s->err);
    hd_tid id;
    for (hd_tid u = 0; status == HD_OK && u < hd_trace_n_threads(t); u++)
        status = hd_trace_copy_thread(t, s->b, u, &id, s->err);
    if (status == HD_OK)
        status = hd_trace_copy_given(t, s->b, s->err);
    for (uint32_t x = 0; status == HD_OK && x < hd_trace_n_objs(t, HD_OBJ_LOC); x++)
        if (!s->drop[x])
            status = hd_trace_copy_init(t, s->b, x, s->err);
    return status;
}

enum hd_status hd_skeleton_trace(const struct hd_trace *t, const uint8_t *drop,
                                 struct hd_trace **out, uint32_t *before, struct hd_err *err)
{
    struct skeleton s = {.t = t, .drop = drop, .b = hd_builder_new(), .err = err};
    size_t threads = hd_trace_n_threads(t);
    s.number = hd_alloc(t->n_events * sizeof *s.number);
    s.count = hd_calloc(threads, sizeof *s.count);
    *out = NULL;
    enum hd_status status = start(&s);
    for (hd_eid e = 0; status == HD_OK && e < t->n_events; e++) {
        s.number[e] = HD_EID_NONE;
        before[e] = s.count[t->thread[e]];
        status = take(&s, e);
    }
    if (status == HD_OK)
        status = hd_builder_finish(s.b, out, err);
    else
        hd_builder_free(s.b);
    if (status == HD_OK)
        HD_SELF_CHECK(hd_trace_form_check(*out));
    HD_DEBUG_LINE(TRACE, "skeleton: %u of %u events", *out ? (unsigned)(*out)->n_events : 0u,
                  (unsigned)t->n_events);
    hd_free(s.number, t->n_events * sizeof *s.number);
    hd_free(s.count, threads * sizeof *s.count);
    hd_u32vec_fini(&s.lists[0]);
    hd_u32vec_fini(&s.lists[1]);
    return status;
}
