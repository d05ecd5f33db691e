#include "trace/fold_polls.h"

#include "base/alloc.h"
#include "trace/polls.h"
#include "trace/trace_copy.h"

#include <string.h>

struct folder {
    const struct hd_trace *t;
    struct hd_builder *b; /* NULL: only looks who writes what */
    struct hd_u32vec *from;
    struct hd_poll_rounds polls;
    hd_eid held[HD_POLLS_HELD];
    hd_eid *of; /* by event of t: the one of the new trace */
    struct hd_u32vec deps, addr;
    struct hd_err *err;
    bool again;
};

/* What was left out is decided. */
static struct hd_dep_list list_of(struct folder *f, hd_eid e, enum hd_dep_role role,
                                  struct hd_u32vec *list, bool renamed)
{
    struct hd_deps deps = hd_trace_deps(f->t, e, role);
    list->len = 0;
    for (uint32_t i = 0; i < deps.n; i++) {
        hd_eid r = hd_trace_back(f->t, e, deps.dist[i]);
        if (!renamed || f->of[r] != HD_EID_NONE)
            hd_u32vec_push(list, renamed ? f->of[r] : r);
    }
    return (struct hd_dep_list){!deps.all, (uint32_t)list->len, list->data};
}

static struct hd_event event_of(struct folder *f, hd_eid e, bool renamed)
{
    struct hd_event ev = hd_trace_copy_event(f->t, e);
    if (hd_op_writes(ev.op) || ev.op == HD_OP_BRANCH)
        ev.deps = list_of(f, e, HD_DEP_VALUE, &f->deps, renamed);
    if (hd_op_is_access(ev.op))
        ev.addr = list_of(f, e, HD_DEP_ADDR, &f->addr, renamed);
    return ev;
}

static enum hd_status put(struct folder *f, hd_eid e)
{
    if (!f->b)
        return HD_OK;
    f->of[e] = (hd_eid)hd_builder_count(f->b);
    struct hd_event ev = event_of(f, e, true);
    enum hd_obj_kind kind = hd_op_info[ev.op].kind;
    if (kind < HD_OBJ_KINDS)
        ev.obj = hd_trace_copy_obj(f->t, f->b, kind, ev.obj);
    if (hd_op_info[ev.op].has_lock)
        ev.lock = hd_trace_copy_obj(f->t, f->b, HD_OBJ_LOCK, ev.lock);
    if (f->from)
        hd_u32vec_push(f->from, e);
    return hd_builder_add(f->b, &ev, f->err);
}

static enum hd_status put_held(struct folder *f)
{
    enum hd_status s = HD_OK;
    for (uint32_t i = 0; s == HD_OK && i < f->polls.held; i++)
        s = put(f, f->held[i]);
    return s;
}

static enum hd_status take(struct folder *f, hd_eid e)
{
    struct hd_poll poll = {
        .ev = event_of(f, e, false), .spot = (uint64_t)f->t->place[e] + 1, .read = e};
    enum hd_polls_next next = hd_polls_next(&f->polls, &poll);
    f->of[e] = HD_EID_NONE;
    if (next == HD_POLLS_TAKE) {
        enum hd_status s = put_held(f);
        hd_polls_took(&f->polls, &poll);
        if (hd_op_writes(poll.ev.op))
            f->again |= hd_polls_wrote(&f->polls, &poll.ev, true);
        return s == HD_OK ? put(f, e) : s;
    }
    f->held[f->polls.held - 1] = e;
    if (next == HD_POLLS_DROP) {
        memmove(f->held, f->held + f->polls.round, f->polls.round * sizeof *f->held);
        hd_polls_dropped(&f->polls, false);
    }
    return HD_OK;
}

static enum hd_status walk(struct folder *f)
{
    enum hd_status s = HD_OK;
    f->again = false;
    for (hd_eid e = 0; s == HD_OK && e < f->t->n_events; e++) {
        if (f->t->control == HD_CONTROL_ALL)
            s = put(f, e); /* its rounds have no branches */
        else
            s = take(f, e);
    }
    if (s == HD_OK)
        s = put_held(f);
    hd_polls_took(&f->polls, NULL);
    return s;
}

static enum hd_status start_trace(struct folder *f)
{
    const struct hd_trace *t = f->t;
    f->b = hd_builder_new();
    enum hd_status s = hd_builder_control(f->b, t->control, f->err);
    hd_tid id;
    for (hd_tid u = 0; s == HD_OK && u < hd_trace_n_threads(t); u++)
        s = hd_trace_copy_thread(t, f->b, u, &id, f->err);
    if (s == HD_OK)
        s = hd_trace_copy_given(t, f->b, f->err);
    for (uint32_t i = 0; s == HD_OK && i < t->objs[HD_OBJ_LOC].count; i++)
        s = hd_trace_copy_init(t, f->b, i, f->err);
    return s;
}

enum hd_status hd_fold_polls(const struct hd_trace *t, struct hd_trace **out,
                             struct hd_u32vec *from, struct hd_err *err)
{
    struct folder f = {.t = t, .from = from, .err = err};
    enum hd_status s = HD_OK;
    *out = NULL;
    f.of = hd_alloc(t->n_events * sizeof *f.of);
    hd_polls_init(&f.polls, 0);
    do
        s = walk(&f);
    while (s == HD_OK && f.again);
    if (s == HD_OK)
        s = start_trace(&f);
    if (s == HD_OK)
        s = walk(&f);
    if (s == HD_OK) {
        s = hd_builder_finish(f.b, out, err);
        f.b = NULL;
    }
    hd_builder_free(f.b);
    hd_free(f.of, t->n_events * sizeof *f.of);
    hd_u32vec_fini(&f.deps);
    hd_u32vec_fini(&f.addr);
    hd_polls_fini(&f.polls);
    return s;
}
