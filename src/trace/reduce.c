#include "trace/reduce.h"

#include "base/alloc.h"
#include "base/log.h"
#include "trace/depset.h"
#include "trace/owner.h"
#include "trace/trace_copy.h"
#include "trace/trace_form.h"

#include <string.h>

#define NOTHING UINT32_MAX          /* of a read: it depends on no event */
#define SET     (UINT32_C(1) << 31) /* of a read: a set stands for it */
#define SEVERAL UINT32_MAX          /* of a location: more than one thread writes it */

struct location {
    struct hd_owner own;
    bool in_section; /* touched under a lock or in a block */
    bool passed;     /* several threads touched it */
    bool shared;
    bool carries;    /* see src/build/leave.c */
    uint32_t writer; /* the only thread that writes it, from 1; 0: none; SEVERAL */
    bool written;    /* in the walk at hand */
    uint32_t set;
};

struct read {
    hd_eid event; /* in the new trace */
    bool decided;
};

struct thread {
    struct hd_vec reads; /* struct read */
    uint32_t holds;
    uint32_t branched; /* reads that a branch on all covers */
    bool begun, reads_last, checks;
};

struct reducer {
    const struct hd_trace *t;
    struct hd_builder *b; /* NULL: only looks what carries */
    struct hd_u32vec *from;
    struct location *locs;
    struct thread *threads;
    uint32_t *of; /* by event of t: what stands for the read */
    struct hd_owners owners;
    struct hd_depsets sets;
    struct hd_u32vec list, events;
    uint32_t n; /* events so far */
    bool found;
    struct hd_err *err;
};

/* ---- which locations are shared ---- */

static void hold(struct reducer *r, hd_eid e)
{
    const struct hd_trace *t = r->t;
    struct thread *th = &r->threads[t->thread[e]];
    switch (t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
    case HD_OP_BEGIN:
        th->holds++;
        break;
    case HD_OP_REL:
    case HD_OP_RREL:
    case HD_OP_END:
        th->holds -= th->holds > 0;
        break;
    case HD_OP_FORK:
        hd_owners_fork(&r->owners, t->thread[e], t->obj[e]);
        break;
    case HD_OP_JOIN:
        hd_owners_join(&r->owners, t->thread[e], t->obj[e]);
        break;
    default:
        break;
    }
}

static void find_shared(struct reducer *r)
{
    const struct hd_trace *t = r->t;
    for (hd_eid e = 0; e < t->n_events; e++) {
        hd_tid u = t->thread[e];
        hold(r, e);
        if (!hd_op_is_access(t->op[e]))
            continue;
        struct location *l = &r->locs[t->obj[e]];
        bool writes = hd_op_writes(t->op[e]);
        if (writes)
            l->writer = !l->writer || l->writer == u + 1 ? u + 1 : SEVERAL;
        l->in_section |= r->threads[u].holds > 0;
        l->passed |= (l->own.write || l->own.read) && !hd_owners_only(&r->owners, &l->own, u);
        l->shared |=
            (writes && l->in_section && l->passed) ||
            !hd_owners_access(&r->owners, &l->own, u, hd_owners_segment(&r->owners, u), writes);
    }
}

/* ---- dependences ---- */

static void add_read(struct reducer *r, const struct thread *th, uint32_t k)
{
    if (!((const struct read *)hd_vec_at(&th->reads, k))->decided)
        hd_u32vec_push(&r->list, k);
}

static void add_ref(struct reducer *r, const struct thread *th, uint32_t ref)
{
    size_t n = 0;
    if (ref == NOTHING)
        return;
    if (!(ref & SET)) {
        add_read(r, th, ref);
        return;
    }
    const uint32_t *reads = hd_depset_reads(&r->sets, ref & ~SET, &n);
    for (size_t i = 0; i < n; i++)
        add_read(r, th, reads[i]);
}

/* Reads that the set names and that are not decided yet, into r->list. */
static void collect(struct reducer *r, hd_eid e, enum hd_dep_role role)
{
    struct hd_deps deps = hd_trace_deps(r->t, e, role);
    const struct thread *th = &r->threads[r->t->thread[e]];
    r->list.len = 0;
    if (r->t->control == HD_CONTROL_ALL)
        return;
    for (uint32_t k = th->branched; deps.all && k < th->reads.len; k++)
        add_read(r, th, k);
    for (uint32_t i = 0; i < deps.n; i++) {
        hd_eid d = hd_trace_back(r->t, e, deps.dist[i]);
        if (d != e)
            add_ref(r, th, r->of[d]);
    }
    hd_depsets_sort(&r->list);
}

static void decide(struct reducer *r, hd_tid u)
{
    for (size_t i = 0; i < r->list.len; i++)
        ((struct read *)hd_vec_at(&r->threads[u].reads, r->list.data[i]))->decided = true;
}

/* r->list as events. */
static struct hd_dep_list listed(struct reducer *r, hd_tid u)
{
    r->events.len = 0;
    for (size_t i = 0; i < r->list.len; i++)
        hd_u32vec_push(&r->events,
                       ((struct read *)hd_vec_at(&r->threads[u].reads, r->list.data[i]))->event);
    return (struct hd_dep_list){true, (uint32_t)r->events.len, r->events.data};
}

/* ---- events ---- */

static enum hd_status emit(struct reducer *r, struct hd_event *ev, hd_eid from)
{
    const struct hd_trace *t = r->t;
    struct thread *th = &r->threads[ev->thread];
    th->begun = true;
    th->checks = false;
    th->reads_last = hd_op_reads(ev->op);
    if (hd_op_reads(ev->op))
        *(struct read *)hd_vec_push(&th->reads) = (struct read){.event = r->n};
    r->n++;
    if (!r->b)
        return HD_OK;
    if (r->from)
        hd_u32vec_push(r->from, from);
    enum hd_obj_kind kind = hd_op_info[ev->op].kind;
    if (kind < HD_OBJ_KINDS)
        ev->obj = hd_trace_copy_obj(t, r->b, kind, ev->obj);
    if (hd_op_info[ev->op].has_lock)
        ev->lock = hd_trace_copy_obj(t, r->b, HD_OBJ_LOCK, ev->lock);
    return hd_builder_add(r->b, ev, r->err);
}

/* A branch on the reads in r->list, in place of e. */
static enum hd_status emit_branch(struct reducer *r, hd_tid u, uint32_t place)
{
    struct hd_event ev = {.op = HD_OP_BRANCH, .thread = u, .place = place};
    ev.deps = listed(r, u);
    decide(r, u);
    return emit(r, &ev, HD_EID_NONE);
}

/* An access or branch that stays. */
static enum hd_status keep(struct reducer *r, hd_eid e)
{
    const struct hd_trace *t = r->t;
    hd_tid u = t->thread[e];
    struct hd_event ev = hd_trace_copy_event(t, e);
    struct hd_u32vec addr = {0};
    bool branches = t->control == HD_CONTROL_BRANCHES;
    if (branches && hd_op_is_access(ev.op)) {
        collect(r, e, HD_DEP_ADDR);
        ev.addr = listed(r, u);
        for (uint32_t i = 0; i < ev.addr.n; i++)
            hd_u32vec_push(&addr, r->events.data[i]);
        ev.addr.events = addr.data;
        decide(r, u);
    }
    bool all = branches && (hd_op_writes(ev.op) || ev.op == HD_OP_BRANCH) &&
               hd_trace_deps(t, e, HD_DEP_VALUE).all;
    bool chooses = branches && (hd_op_writes(ev.op) || ev.op == HD_OP_BRANCH);
    /* Under control all the reads before it are fresh when it runs; its own need not be. */
    if (!all && (chooses || ev.op == HD_OP_RMW)) {
        collect(r, e, HD_DEP_VALUE);
        ev.deps = listed(r, u);
        if (hd_trace_updates(t, e)) {
            hd_u32vec_push(&r->events, r->n);
            ev.deps = (struct hd_dep_list){true, (uint32_t)r->events.len, r->events.data};
        }
    }
    if (ev.op == HD_OP_BRANCH && all)
        r->threads[u].branched = (uint32_t)r->threads[u].reads.len;
    else if (ev.op == HD_OP_BRANCH)
        decide(r, u);
    if (hd_op_reads(ev.op))
        r->of[e] = (uint32_t)r->threads[u].reads.len;
    enum hd_status s = emit(r, &ev, e);
    hd_u32vec_fini(&addr);
    return s;
}

static bool must_read(const struct reducer *r, uint32_t set, hd_tid u)
{
    return set && (hd_depset_thread(&r->sets, set) != u || hd_depset_is_wide(&r->sets, set));
}

/* The reading half of a left-out access: what stands for it. */
static enum hd_status read_private(struct reducer *r, hd_eid e, struct location *l)
{
    hd_tid u = r->t->thread[e];
    r->of[e] = l->set ? SET | l->set : NOTHING;
    if (!must_read(r, l->set, u))
        return HD_OK;
    r->found |= !l->carries;
    l->carries = true;
    struct hd_event ev = hd_trace_copy_event(r->t, e);
    ev.op = ev.op == HD_OP_READ ? HD_OP_READ : HD_OP_AREAD;
    ev.order = HD_ORDER_SC; /* fork and join order it with its writer anyway */
    r->of[e] = (uint32_t)r->threads[u].reads.len;
    return emit(r, &ev, e);
}

/* On what the value of this write depends, into r->list and l->set. */
static void set_value(struct reducer *r, hd_eid e, struct location *l)
{
    hd_tid u = r->t->thread[e];
    collect(r, e, HD_DEP_VALUE);
    if (hd_trace_updates(r->t, e) && r->t->control == HD_CONTROL_BRANCHES) {
        add_ref(r, &r->threads[u], r->of[e]);
        hd_depsets_sort(&r->list);
    }
    l->set = hd_depsets_put(&r->sets, u, r->list.data, r->list.len);
}

static enum hd_status write_private(struct reducer *r, hd_eid e, struct location *l)
{
    hd_tid u = r->t->thread[e];
    set_value(r, e, l);
    if (!l->set || !l->carries)
        return HD_OK;
    struct hd_event ev = hd_trace_copy_event(r->t, e);
    ev.value = ev.op == HD_OP_RMW ? ev.new_value : ev.value;
    ev.op = ev.op == HD_OP_WRITE ? HD_OP_WRITE : HD_OP_AWRITE;
    ev.order = HD_ORDER_SC;
    ev.deps = listed(r, u);
    return emit(r, &ev, e);
}

static enum hd_status leave(struct reducer *r, hd_eid e)
{
    hd_tid u = r->t->thread[e];
    struct location *l = &r->locs[r->t->obj[e]];
    r->threads[u].checks |= r->t->control == HD_CONTROL_ALL && r->threads[u].reads_last;
    collect(r, e, HD_DEP_ADDR);
    enum hd_status s = r->list.len ? emit_branch(r, u, r->t->place[e]) : HD_OK;
    if (s == HD_OK && hd_op_reads(r->t->op[e]))
        s = read_private(r, e, l);
    if (s == HD_OK && hd_op_writes(r->t->op[e]))
        s = write_private(r, e, l);
    return s;
}

/* An access to a shared location. A thread that alone writes it reads what it wrote itself, in
 * every schedule; such reads are left out, too. */
static enum hd_status take_shared(struct reducer *r, hd_eid e)
{
    struct location *l = &r->locs[r->t->obj[e]];
    bool writes = hd_op_writes(r->t->op[e]);
    if (!writes && l->written && l->writer == r->t->thread[e] + 1)
        return leave(r, e);
    enum hd_status s = keep(r, e);
    if (writes && l->writer != SEVERAL)
        set_value(r, e, l);
    l->written |= writes;
    return s;
}

static enum hd_status take(struct reducer *r, hd_eid e)
{
    const struct hd_trace *t = r->t;
    if (hd_op_is_access(t->op[e]))
        return r->locs[t->obj[e]].shared ? take_shared(r, e) : leave(r, e);
    if (t->op[e] == HD_OP_BRANCH && t->control == HD_CONTROL_BRANCHES) {
        collect(r, e, HD_DEP_CONTROL);
        return r->list.len ? keep(r, e) : HD_OK;
    }
    struct hd_event ev = hd_trace_copy_event(t, e);
    if (t->op[e] == HD_OP_JOIN && r->threads[t->obj[e]].checks) {
        struct hd_event check = {.op = HD_OP_BRANCH, .thread = t->obj[e], .place = t->place[e]};
        enum hd_status s = emit(r, &check, HD_EID_NONE);
        if (s != HD_OK)
            return s;
    }
    return emit(r, &ev, e);
}

static enum hd_status walk(struct reducer *r)
{
    const struct hd_trace *t = r->t;
    enum hd_status s = HD_OK;
    r->n = 0;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++) {
        r->threads[u].reads.len = r->threads[u].branched = 0;
        r->threads[u].begun = r->threads[u].reads_last = r->threads[u].checks = false;
    }
    for (uint32_t i = 0; i < t->objs[HD_OBJ_LOC].count; i++) {
        r->locs[i].set = 0;
        r->locs[i].written = false;
    }
    for (hd_eid e = 0; s == HD_OK && e < t->n_events; e++) {
        r->of[e] = NOTHING;
        s = take(r, e);
        r->list.len = 0;
        if (s == HD_OK && !r->threads[t->thread[e]].begun) /* see D8 of docs/MODEL.md */
            s = emit_branch(r, t->thread[e], t->place[e]);
    }
    return s;
}

/* ---- the new trace ---- */

static enum hd_status start_trace(struct reducer *r)
{
    const struct hd_trace *t = r->t;
    r->b = hd_builder_new();
    enum hd_status s = hd_builder_control(r->b, t->control, r->err);
    hd_tid id;
    for (hd_tid u = 0; s == HD_OK && u < hd_trace_n_threads(t); u++)
        s = hd_trace_copy_thread(t, r->b, u, &id, r->err);
    if (s == HD_OK)
        s = hd_trace_copy_given(t, r->b, r->err);
    for (uint32_t i = 0; s == HD_OK && i < t->objs[HD_OBJ_LOC].count; i++)
        if (r->locs[i].shared)
            s = hd_trace_copy_init(t, r->b, i, r->err);
    return s;
}

static void reducer_fini(struct reducer *r)
{
    const struct hd_trace *t = r->t;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        hd_vec_fini(&r->threads[u].reads);
    hd_free(r->threads, hd_trace_n_threads(t) * sizeof *r->threads);
    hd_free(r->locs, t->objs[HD_OBJ_LOC].count * sizeof *r->locs);
    hd_free(r->of, t->n_events * sizeof *r->of);
    hd_owners_fini(&r->owners);
    hd_depsets_fini(&r->sets);
    hd_u32vec_fini(&r->list);
    hd_u32vec_fini(&r->events);
    hd_builder_free(r->b);
}

enum hd_status hd_reduce_trace(const struct hd_trace *t, const uint8_t *handed,
                               struct hd_trace **out, struct hd_u32vec *from, struct hd_err *err)
{
    struct reducer r = {.t = t, .from = from, .err = err};
    *out = NULL;
    r.locs = hd_calloc(t->objs[HD_OBJ_LOC].count, sizeof *r.locs);
    r.threads = hd_calloc(hd_trace_n_threads(t), sizeof *r.threads);
    r.of = hd_alloc(t->n_events * sizeof *r.of);
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        r.threads[u].reads = HD_VEC_INIT(struct read);
    hd_owners_init(&r.owners);
    hd_depsets_init(&r.sets);
    find_shared(&r);
    for (uint32_t i = 0; handed && i < t->objs[HD_OBJ_LOC].count; i++)
        r.locs[i].shared &= !handed[i];
    enum hd_status s = HD_OK;
    do {
        r.found = false;
        s = walk(&r);
    } while (s == HD_OK && r.found);
    if (s == HD_OK)
        s = start_trace(&r);
    if (s == HD_OK)
        s = walk(&r);
    if (s == HD_OK) {
        s = hd_builder_finish(r.b, out, err);
        r.b = NULL;
        if (s == HD_OK)
            HD_SELF_CHECK(hd_trace_form_check(*out));
        HD_DEBUG_LINE(TRACE, "reduced %zu events to %zu", (size_t)t->n_events,
                      s == HD_OK ? (size_t)(*out)->n_events : 0);
    }
    reducer_fini(&r);
    return s;
}
