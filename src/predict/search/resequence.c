#include "predict/search/resequence.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/hash.h"
#include "predict/search/shorten.h"

#include <string.h>

#define NOBODY UINT32_MAX

/* What was last done to an object, as indices into the schedule. */
struct object {
    uint32_t last;          /* last event that changes it (write, exclusive operation) */
    struct hd_u32vec since; /* events since then that only look at it */
};

struct graph {
    const struct hd_plan *plan;
    const hd_eid *events; /* the given order */
    uint32_t n;
    uint8_t *fresh;            /* by index: a read that must be fresh */
    struct hd_map ids;         /* kind << 32 | object to an index into objects */
    struct hd_vec objects;     /* struct object */
    struct hd_vec edges;       /* struct hd_edge, between indices */
    uint32_t *in_start, *in;   /* by index: those in other threads that come first */
    uint32_t *own_start, *own; /* by thread: its indices */
    uint32_t *ordinal;         /* by index: its place within its thread */
};

static struct object *object_of(struct graph *g, enum hd_obj_kind kind, uint32_t obj)
{
    bool fresh;
    uint32_t *id = hd_map_put(&g->ids, (uint64_t)kind << 32 | obj, &fresh);
    if (fresh) {
        *id = (uint32_t)g->objects.len;
        *(struct object *)hd_vec_push(&g->objects) = (struct object){.last = NOBODY};
    }
    return hd_vec_at(&g->objects, *id);
}

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    const struct hd_trace *t = g->plan->w->t;
    if (from != NOBODY && t->thread[g->events[from]] != t->thread[g->events[to]])
        *(struct hd_edge *)hd_vec_push(&g->edges) = (struct hd_edge){from, to};
}

static void look(struct graph *g, struct object *o, uint32_t i)
{
    add_edge(g, o->last, i);
    hd_u32vec_push(&o->since, i);
}

static void change(struct graph *g, struct object *o, uint32_t i)
{
    add_edge(g, o->last, i);
    for (size_t k = 0; k < o->since.len; k++)
        add_edge(g, o->since.data[k], i);
    o->since.len = 0;
    o->last = i;
}

/* An order that the user does not wait for is not looked for. */
static bool stopped(uint32_t i)
{
    return (i & 4095) == 0 && hd_interrupt_requested();
}

/* Backwards: a read that must be fresh makes the reads fresh on which its source depends. */
static void mark_fresh(struct graph *g)
{
    const struct hd_trace *t = g->plan->w->t;
    struct hd_map wanted = {
        0}; /* location: 1 when a later read must be fresh and sees no write yet */
    uint32_t *below = hd_calloc(g->plan->w->n_threads, sizeof *below);
    struct hd_map singles = {0};
    for (uint32_t i = g->n; i-- > 0 && !stopped(i);) {
        hd_eid e = g->events[i];
        uint32_t unused;
        if (!hd_op_is_access(t->op[e]))
            continue;
        uint32_t *wants = hd_map_put(&wanted, t->obj[e], NULL);
        if (hd_op_writes(t->op[e]) && *wants) {
            struct hd_deps deps = hd_trace_deps(t, e, HD_DEP_VALUE);
            uint32_t limit = t->pos[e] + (t->op[e] == HD_OP_RMW);
            if (deps.all && limit > below[t->thread[e]])
                below[t->thread[e]] = limit;
            for (uint32_t k = 0; k < deps.n; k++)
                hd_map_put(&singles, hd_trace_back(t, e, deps.dist[k]), NULL);
            *wants = 0;
        }
        if (hd_op_reads(t->op[e])) {
            g->fresh[i] = hd_plan_needs(g->plan, e) || t->pos[e] < below[t->thread[e]] ||
                          hd_map_get(&singles, e, &unused);
            *wants |= g->fresh[i];
        }
    }
    hd_free(below, g->plan->w->n_threads * sizeof *below);
    hd_map_fini(&wanted);
    hd_map_fini(&singles);
}

static void add_access(struct graph *g, uint32_t i)
{
    const struct hd_trace *t = g->plan->w->t;
    hd_eid e = g->events[i];
    struct object *o = object_of(g, HD_OBJ_LOC, t->obj[e]);
    if (hd_op_writes(t->op[e]))
        change(g, o, i);
    else if (g->fresh[i])
        look(g, o, i);
}

/* A lock with failed try-locks keeps the order of all its operations; else only of its sections. */
static void add_lock(struct graph *g, uint32_t i, bool strict)
{
    const struct hd_sections *s = g->plan->w->sections;
    hd_eid e = g->events[i];
    uint32_t id = hd_section_of(s, e);
    struct object *o = object_of(g, HD_OBJ_LOCK, hd_trace_lock(g->plan->w->t, e));
    if (strict || id == HD_SECTION_NONE || !hd_section_at(s, id)->shared)
        change(g, o, i);
    else
        look(g, o, i);
}

static void add_event(struct graph *g, uint32_t i)
{
    const struct hd_trace *t = g->plan->w->t;
    hd_eid e = g->events[i];
    const struct hd_op_info *info = &hd_op_info[t->op[e]];
    if (hd_op_is_access(t->op[e]))
        add_access(g, i);
    else if (info->kind < HD_OBJ_KINDS && info->kind != HD_OBJ_LOCK)
        change(g, object_of(g, info->kind, t->obj[e]), i);
    if (info->kind == HD_OBJ_LOCK || info->has_lock)
        add_lock(g, i, g->plan->w->sections->tried[hd_trace_lock(t, e)]);
    if (t->op[e] == HD_OP_FORK || t->op[e] == HD_OP_JOIN)
        change(g, object_of(g, HD_OBJ_THREAD, t->obj[e]), i);
    /* A thread's own events stand between its fork and its join. */
    struct object *self = object_of(g, HD_OBJ_THREAD, t->thread[e]);
    if (t->pos[e] == 0)
        add_edge(g, self->last, i);
    self->since.len = 0;
    hd_u32vec_push(&self->since, i);
}

static hd_tid thread_of(const struct graph *g, uint32_t i)
{
    return g->plan->w->t->thread[g->events[i]];
}

static void group_by_thread(struct graph *g)
{
    size_t threads = g->plan->w->n_threads;
    for (uint32_t i = 0; i < g->n; i++)
        g->ordinal[i] = g->own_start[thread_of(g, i) + 1]++;
    for (size_t u = 0; u < threads; u++)
        g->own_start[u + 1] += g->own_start[u];
    for (uint32_t i = 0; i < g->n; i++)
        g->own[g->own_start[thread_of(g, i)] + g->ordinal[i]] = i;
}

static void build(struct graph *g)
{
    const struct hd_goal *goal = &g->plan->goal;
    uint32_t first = NOBODY;
    mark_fresh(g);
    for (uint32_t i = 0; i < g->n && !stopped(i); i++) {
        add_event(g, i);
        if (g->events[i] == goal->first)
            first = i;
        if (g->events[i] == goal->then)
            add_edge(g, first, i);
    }
    for (size_t k = 0; k < g->edges.len; k++)
        g->in_start[((struct hd_edge *)hd_vec_at(&g->edges, k))->to + 1]++;
    for (uint32_t i = 0; i < g->n; i++)
        g->in_start[i + 1] += g->in_start[i];
    g->in = hd_alloc(g->edges.len * sizeof *g->in);
    uint32_t *fill = hd_alloc((g->n + 1) * sizeof *fill);
    memcpy(fill, g->in_start, (g->n + 1) * sizeof *fill);
    for (size_t k = 0; k < g->edges.len; k++) {
        const struct hd_edge *edge = hd_vec_at(&g->edges, k);
        g->in[fill[edge->to]++] = edge->from;
    }
    hd_free(fill, (g->n + 1) * sizeof *fill);
    group_by_thread(g);
}

/* Runs a thread as far as it can go; `at` holds how far each thread is. Going as far as possible
 * never does harm: no thread waits for an event not to run. Appends to out unless it is NULL;
 * returns the number of events run. */
static uint32_t advance(const struct graph *g, uint32_t *at, hd_tid u, hd_eid *out)
{
    uint32_t len = g->own_start[u + 1] - g->own_start[u], ran = 0;
    for (; at[u] < len; at[u]++, ran++) {
        uint32_t i = g->own[g->own_start[u] + at[u]];
        for (uint32_t k = g->in_start[i]; k < g->in_start[i + 1]; k++)
            if (g->ordinal[g->in[k]] >= at[thread_of(g, g->in[k])])
                return ran;
        if (out)
            out[ran] = g->events[i];
    }
    return ran;
}

/* ---- fewest stretches, by breadth-first search over "who runs next" ---- */

#define FREE_THREADS 16 /* a row of more of them counts as work: it is copied and kept */

struct node {
    uint32_t parent;
    uint32_t done; /* events run */
    hd_tid thread; /* that ran last */
};

struct search {
    const struct graph *g;
    struct hd_vec nodes; /* struct node */
    struct hd_u32vec at; /* a row for each node: how far each thread is */
    struct hd_map seen;  /* hash of a row */
    uint32_t goal;       /* best node with all events run, or NOBODY */
    uint64_t work;
};

/* Lets one thread run from a node; keeps the new node when it leads somewhere new. */
static void expand(struct search *s, uint32_t parent, hd_tid u, hd_tid last)
{
    size_t threads = s->g->plan->w->n_threads, row = s->at.len;
    for (size_t v = 0; v < threads; v++)
        hd_u32vec_push(&s->at, s->at.data[parent * threads + v]);
    uint32_t ran = advance(s->g, s->at.data + row, u, NULL);
    bool fresh = false;
    s->work += ran + 1 + threads / FREE_THREADS;
    uint32_t done = ((struct node *)hd_vec_at(&s->nodes, parent))->done + ran;
    if (ran)
        hd_map_put(&s->seen, hd_hash_bytes(s->at.data + row, threads * sizeof *s->at.data, 3),
                   &fresh);
    bool goal = done == s->g->n && (s->goal == NOBODY || u == last);
    if (!ran || (!fresh && !goal)) {
        s->at.len = row;
        return;
    }
    *(struct node *)hd_vec_push(&s->nodes) = (struct node){parent, done, u};
    if (goal)
        s->goal = (uint32_t)s->nodes.len - 1;
}

/* Writes the order that leads to the goal. */
static void write_order(const struct search *s, hd_eid *out)
{
    size_t threads = s->g->plan->w->n_threads;
    struct hd_u32vec path = {0};
    for (uint32_t i = s->goal; i; i = ((struct node *)hd_vec_at(&s->nodes, i))->parent)
        hd_u32vec_push(&path, i);
    uint32_t *at = hd_calloc(threads, sizeof *at);
    for (size_t i = path.len; i-- > 0;)
        out += advance(s->g, at, ((struct node *)hd_vec_at(&s->nodes, path.data[i]))->thread, out);
    hd_free(at, threads * sizeof *at);
    hd_u32vec_fini(&path);
}

/* True when the search found the order with the fewest stretches; among equals the one that ends in
 * thread `last`, so that the access which follows needs no switch. */
static bool search_best(const struct graph *g, hd_tid last, uint64_t work, hd_eid *out)
{
    size_t threads = g->plan->w->n_threads;
    struct search s = {.g = g, .nodes = HD_VEC_INIT(struct node), .goal = NOBODY};
    *(struct node *)hd_vec_push(&s.nodes) = (struct node){0};
    for (size_t u = 0; u < threads; u++)
        hd_u32vec_push(&s.at, 0);
    size_t layer_end = 1;
    for (uint32_t i = 0; i < s.nodes.len && s.work < work; i++) {
        if (i == layer_end) { /* one stretch more from here on */
            if (s.goal != NOBODY)
                break;
            layer_end = s.nodes.len;
        }
        for (hd_tid u = 0; u < threads && s.work < work; u++)
            expand(&s, i, u, last);
        s.work += threads;
    }
    bool found = s.goal != NOBODY;
    if (found)
        write_order(&s, out);
    hd_vec_fini(&s.nodes);
    hd_u32vec_fini(&s.at);
    hd_map_fini(&s.seen);
    return found;
}

/* Too long to search: threads in a fixed circle, each as far as it can go, `late` when no other
 * can. */
static void take_turns(const struct graph *g, hd_tid late, hd_eid *out)
{
    size_t threads = g->plan->w->n_threads;
    uint32_t *at = hd_calloc(threads, sizeof *at), done = 0;
    while (done < g->n) {
        uint32_t before = done;
        for (hd_tid u = 0; u < threads; u++)
            if (u != late)
                done += advance(g, at, u, out + done);
        if (done == before)
            done += advance(g, at, late, out + done);
    }
    hd_free(at, threads * sizeof *at);
}

static void choose_order(const struct graph *g, hd_eid *schedule, size_t n, uint64_t work)
{
    const struct hd_trace *t = g->plan->w->t;
    hd_eid *order = hd_alloc(n * sizeof *order);
    hd_tid last = t->thread[schedule[g->n < n ? g->n : n - 1]];
    memcpy(order, schedule, n * sizeof *order);
    if (g->n > 0 && !search_best(g, last, work, order))
        take_turns(g, last, order);
    if (g->n > 0 && hd_shorten_switches(t, order, n) < hd_shorten_switches(t, schedule, n))
        memcpy(schedule, order, n * sizeof *order);
    hd_free(order, n * sizeof *order);
}

void hd_resequence(const struct hd_plan *plan, hd_eid *schedule, size_t n, uint64_t work)
{
    size_t threads = plan->w->n_threads;
    if (!n)
        return;
    hd_eid *given = hd_alloc(n * sizeof *given);
    memcpy(given, schedule, n * sizeof *given);
    struct graph g = {.plan = plan,
                      .events = given,
                      .n = (uint32_t)(n - hd_goal_tail(&plan->goal)),
                      .fresh = hd_calloc(n, 1),
                      .objects = HD_VEC_INIT(struct object),
                      .edges = HD_VEC_INIT(struct hd_edge),
                      .in_start = hd_calloc(n + 1, sizeof *g.in_start),
                      .own_start = hd_calloc(threads + 1, sizeof *g.own_start),
                      .own = hd_calloc(n, sizeof *g.own),
                      .ordinal = hd_calloc(n, sizeof *g.ordinal)};
    build(&g);
    if (!stopped(0))
        choose_order(&g, schedule, n, work);
    for (size_t i = 0; i < g.objects.len; i++)
        hd_u32vec_fini(&((struct object *)hd_vec_at(&g.objects, i))->since);
    hd_vec_fini(&g.objects);
    hd_map_fini(&g.ids);
    hd_free(g.in, g.edges.len * sizeof *g.in);
    hd_vec_fini(&g.edges);
    hd_free(given, n * sizeof *given);
    hd_free(g.fresh, n);
    hd_free(g.in_start, (n + 1) * sizeof *g.in_start);
    hd_free(g.own_start, (threads + 1) * sizeof *g.own_start);
    hd_free(g.own, n * sizeof *g.own);
    hd_free(g.ordinal, n * sizeof *g.ordinal);
}
