#include "trace/chain.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/stop.h"
#include "trace/trace_copy.h"
#include "trace/trace_form.h"

#include <stdio.h>
#include <string.h>

#define NONE UINT32_MAX

/* "All earlier reads" become lists in a thread that goes on in another's place: up to so many
 * entries for each event of it, and so many in all. */
enum { LIST_EACH = 8, LIST_MORE = 64 };

struct thread {
    uint32_t chain; /* NONE: not created yet */
    uint32_t cost;  /* entries of lists in place of "all earlier reads" */
    uint32_t reads;
    uint32_t joins;
    int32_t holds; /* locks and blocks */
    bool fences;
    bool goes_on; /* not the first of its chain */
    bool last;    /* of its chain */
    bool joined;
    uint32_t pool, pool_end; /* chains that are free for threads it creates, a list */
    uint32_t begun, ended;   /* semaphores, if it is not the first or not the last */
};

struct chainer {
    const struct hd_trace *t;
    struct thread *threads;
    struct hd_u32vec next; /* by chain: in the list it is in */
    struct hd_u32vec tail; /* by chain: its last thread */
    struct hd_builder *b;
    uint32_t *to; /* by event of t: its number in the new trace */
    struct hd_u32vec *from;
    struct hd_u32vec deps, addr;
    struct hd_err *err;
};

/* ---- which threads fit ---- */

static bool role_of(enum hd_op op, enum hd_dep_role role)
{
    if (role == HD_DEP_ADDR)
        return hd_op_is_access(op);
    return op == HD_OP_BRANCH || hd_op_writes(op);
}

static void look(struct chainer *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    struct thread *th = &c->threads[t->thread[e]];
    enum hd_op op = t->op[e];
    th->fences |= op == HD_OP_FENCE;
    th->holds += op == HD_OP_ACQ || op == HD_OP_RACQ || op == HD_OP_WAKE || op == HD_OP_TMO ||
                 op == HD_OP_BEGIN;
    th->holds -= op == HD_OP_REL || op == HD_OP_RREL || op == HD_OP_WAIT || op == HD_OP_END;
    if (role_of(op, HD_DEP_VALUE) && hd_trace_deps(t, e, HD_DEP_VALUE).all)
        th->cost += th->cost < NONE / 2 ? th->reads + (op == HD_OP_RMW) : 0;
    th->reads += hd_op_reads(op);
    if (op == HD_OP_JOIN)
        c->threads[t->obj[e]].joins++;
}

/* It can take the place of a thread that has ended. */
static bool fits(const struct chainer *c, hd_tid u)
{
    size_t n;
    hd_trace_thread_events(c->t, u, &n);
    const struct thread *th = &c->threads[u];
    return n && !th->fences && th->cost / LIST_EACH <= n + LIST_MORE / LIST_EACH;
}

/* Another thread can take its place. */
static bool leaves_place(const struct chainer *c, hd_tid u)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(c->t, u, &n);
    const struct thread *th = &c->threads[u];
    if (!n || th->fences || th->holds || th->joins != 1)
        return false;
    enum hd_op last = c->t->op[events[n - 1]];
    return last != HD_OP_WAIT && last != HD_OP_BARIN;
}

/* ---- chains ---- */

static void new_chain(struct chainer *c, hd_tid u)
{
    c->threads[u].chain = (uint32_t)c->tail.len;
    hd_u32vec_push(&c->tail, u);
    hd_u32vec_push(&c->next, NONE);
}

static void create(struct chainer *c, hd_tid by, hd_tid u)
{
    struct thread *th = &c->threads[by];
    if (c->threads[u].chain != NONE)
        return;
    if (th->pool == NONE || !fits(c, u)) {
        new_chain(c, u);
        return;
    }
    uint32_t chain = th->pool;
    th->pool = c->next.data[chain];
    if (th->pool == NONE)
        th->pool_end = NONE;
    c->threads[u].chain = chain;
    c->threads[u].goes_on = true;
    c->tail.data[chain] = u;
}

/* Chains that were free for one thread are free for the one that joined it. */
static void give_pool(struct chainer *c, struct thread *to, struct thread *from)
{
    if (from->pool == NONE)
        return;
    c->next.data[from->pool_end] = to->pool;
    if (to->pool == NONE)
        to->pool_end = from->pool_end;
    to->pool = from->pool;
    from->pool = from->pool_end = NONE;
}

static void join(struct chainer *c, hd_tid by, hd_tid u)
{
    struct thread *th = &c->threads[by], *ended = &c->threads[u];
    if (ended->joined || ended->chain == NONE || by == u)
        return;
    ended->joined = true;
    give_pool(c, th, ended);
    if (!leaves_place(c, u))
        return;
    c->next.data[ended->chain] = th->pool;
    th->pool = ended->chain;
    if (th->pool_end == NONE)
        th->pool_end = ended->chain;
}

static void find_chains(struct chainer *c)
{
    const struct hd_trace *t = c->t;
    size_t n = hd_trace_n_threads(t);
    for (hd_tid u = 0; u < n; u++)
        c->threads[u] = (struct thread){.chain = NONE, .pool = NONE, .pool_end = NONE};
    for (hd_eid e = 0; e < t->n_events; e++)
        look(c, e);
    for (hd_tid u = 0; u < n; u++)
        if (t->fork_of[u] == HD_EID_NONE)
            new_chain(c, u);
    for (hd_eid e = 0; e < t->n_events; e++) {
        if (t->op[e] == HD_OP_FORK)
            create(c, t->thread[e], t->obj[e]);
        else if (t->op[e] == HD_OP_JOIN)
            join(c, t->thread[e], t->obj[e]);
    }
    for (uint32_t i = 0; i < c->tail.len; i++)
        c->threads[c->tail.data[i]].last = true;
}

/* ---- the new trace ---- */

static enum hd_status add(struct chainer *c, const struct hd_event *ev, hd_eid from)
{
    hd_u32vec_push(c->from, from);
    return hd_builder_add(c->b, ev, c->err);
}

/* A set of dependences in terms of the new trace. */
static struct hd_dep_list list(struct chainer *c, hd_eid e, enum hd_dep_role role,
                               struct hd_u32vec *events)
{
    const struct hd_trace *t = c->t;
    if (!role_of(t->op[e], role))
        return (struct hd_dep_list){0};
    struct hd_deps deps = hd_trace_deps(t, e, role);
    if (deps.all && !c->threads[t->thread[e]].goes_on)
        return (struct hd_dep_list){0};
    events->len = 0;
    for (uint32_t i = 0; i < deps.n; i++)
        hd_u32vec_push(events, c->to[hd_trace_back(t, e, deps.dist[i])]);
    for (uint32_t d = 0; deps.all && d <= t->pos[e]; d++) {
        hd_eid r = hd_trace_back(t, e, d);
        if (hd_op_reads(t->op[r]))
            hd_u32vec_push(events, c->to[r]);
    }
    return (struct hd_dep_list){true, (uint32_t)events->len, events->data};
}

/* Creation and join of threads inside a chain are operations of semaphores. */
static void translate(const struct chainer *c, struct hd_event *ev)
{
    if (ev->op != HD_OP_FORK && ev->op != HD_OP_JOIN)
        return;
    const struct thread *th = &c->threads[ev->obj];
    ev->obj = th->chain;
    if (ev->op == HD_OP_FORK && th->goes_on) {
        ev->op = HD_OP_POST;
        ev->obj = th->begun;
    } else if (ev->op == HD_OP_JOIN && !th->last) {
        ev->op = HD_OP_SEM;
        ev->obj = th->ended;
    }
}

static enum hd_status copy(struct chainer *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    const struct thread *th = &c->threads[t->thread[e]];
    struct hd_event ev = hd_trace_copy_event(t, e);
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, t->thread[e], &n);
    enum hd_status s = HD_OK;
    struct hd_event edge = {.thread = th->chain, .place = ev.place};
    if (e == events[0] && th->goes_on) {
        edge.op = HD_OP_SEM;
        edge.obj = th->begun;
        s = add(c, &edge, HD_EID_NONE);
    }
    c->to[e] = (uint32_t)c->from->len;
    ev.thread = th->chain;
    ev.deps = list(c, e, HD_DEP_VALUE, &c->deps);
    ev.addr = list(c, e, HD_DEP_ADDR, &c->addr);
    translate(c, &ev);
    if (s == HD_OK)
        s = add(c, &ev, e);
    if (s == HD_OK && e == events[n - 1] && !th->last) {
        edge.op = HD_OP_POST;
        edge.obj = th->ended;
        s = add(c, &edge, HD_EID_NONE);
    }
    return s;
}

/* No name of a trace begins with this byte. */
static enum hd_status edge_sem(struct chainer *c, char kind, hd_tid u, uint32_t *sem)
{
    char name[24];
    int n = snprintf(name, sizeof name, "\x01%c%u", kind, u);
    *sem = hd_builder_obj(c->b, HD_OBJ_SEM, name, (size_t)n);
    return hd_builder_sem(c->b, *sem, 0, c->err);
}

static enum hd_status start(struct chainer *c)
{
    const struct hd_trace *t = c->t;
    c->b = hd_builder_new();
    enum hd_status s = hd_builder_control(c->b, t->control, c->err);
    hd_tid id;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        if (!c->threads[u].goes_on)
            c->tail.data[c->threads[u].chain] = u; /* now the first */
    for (uint32_t i = 0; s == HD_OK && i < c->tail.len; i++)
        s = hd_trace_copy_thread(t, c->b, c->tail.data[i], &id, c->err);
    if (s == HD_OK)
        s = hd_trace_copy_given(t, c->b, c->err);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        for (uint32_t i = 0; i < hd_trace_n_objs(t, kind); i++)
            hd_trace_copy_obj(t, c->b, kind, i);
    for (uint32_t i = 0; s == HD_OK && i < hd_trace_n_objs(t, HD_OBJ_LOC); i++)
        s = hd_trace_copy_init(t, c->b, i, c->err);
    for (hd_tid u = 0; s == HD_OK && u < hd_trace_n_threads(t); u++) {
        struct thread *th = &c->threads[u];
        if (th->goes_on)
            s = edge_sem(c, 'b', u, &th->begun);
        if (s == HD_OK && !th->last)
            s = edge_sem(c, 'e', u, &th->ended);
    }
    return s;
}

enum hd_status hd_chains_make(const struct hd_trace *t, size_t least, struct hd_chains *out,
                              struct hd_err *err)
{
    size_t n = hd_trace_n_threads(t);
    *out = (struct hd_chains){0};
    if (n < least || n < 2 || t->control != HD_CONTROL_BRANCHES)
        return HD_OK;
    struct chainer c = {.t = t, .from = &out->from, .err = err};
    enum hd_status s = HD_OK;
    c.threads = hd_alloc(n * sizeof *c.threads);
    c.to = hd_alloc(t->n_events * sizeof *c.to);
    find_chains(&c);
    HD_DEBUG_LINE(TRACE, "%zu threads in %zu chains", n, c.tail.len);
    if (c.tail.len <= n / 2 || (!least && c.tail.len < n)) {
        s = start(&c);
        for (hd_eid e = 0; s == HD_OK && e < t->n_events && !hd_stop_often(e); e++)
            s = copy(&c, e);
        if (s == HD_OK && hd_stop_now() == HD_STOP_NO)
            s = hd_builder_finish(c.b, &out->t, err);
        else
            hd_builder_free(c.b);
        if (out->t)
            HD_SELF_CHECK(hd_trace_form_check(out->t));
    }
    hd_free(c.threads, n * sizeof *c.threads);
    hd_free(c.to, t->n_events * sizeof *c.to);
    hd_u32vec_fini(&c.next);
    hd_u32vec_fini(&c.tail);
    hd_u32vec_fini(&c.deps);
    hd_u32vec_fini(&c.addr);
    return s;
}

void hd_chains_fini(struct hd_chains *c)
{
    hd_trace_free(c->t);
    hd_u32vec_fini(&c->from);
    *c = (struct hd_chains){0};
}
