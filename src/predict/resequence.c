#include "predict/resequence.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "predict/shorten.h"

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
    uint32_t *out_start, *out; /* successors by index */
    uint32_t *waits;           /* by index: predecessors in other threads not run yet */
    uint32_t *next;            /* by thread: index of its next event, or NOBODY */
    uint32_t *after;           /* by index: index of the next event of its thread, or NOBODY */
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

/* Backwards: a read that must be fresh makes the reads fresh on which its source depends. */
static void mark_fresh(struct graph *g)
{
    const struct hd_trace *t = g->plan->w->t;
    struct hd_map wanted = {
        0}; /* location: 1 when a later read must be fresh and sees no write yet */
    uint32_t *below = hd_calloc(g->plan->w->n_threads, sizeof *below);
    struct hd_map singles = {0};
    for (uint32_t i = g->n; i-- > 0;) {
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

static void build(struct graph *g)
{
    const struct hd_trace *t = g->plan->w->t;
    mark_fresh(g);
    for (uint32_t i = 0; i < g->n; i++)
        add_event(g, i);
    for (size_t k = 0; k < g->edges.len; k++) {
        const struct hd_edge *edge = hd_vec_at(&g->edges, k);
        g->out_start[edge->from + 1]++;
        g->waits[edge->to]++;
    }
    for (uint32_t i = 0; i < g->n; i++)
        g->out_start[i + 1] += g->out_start[i];
    g->out = hd_alloc(g->edges.len * sizeof *g->out);
    uint32_t *fill = hd_alloc((g->n + 1) * sizeof *fill);
    memcpy(fill, g->out_start, (g->n + 1) * sizeof *fill);
    for (size_t k = 0; k < g->edges.len; k++) {
        const struct hd_edge *edge = hd_vec_at(&g->edges, k);
        g->out[fill[edge->from]++] = edge->to;
    }
    hd_free(fill, (g->n + 1) * sizeof *fill);
    for (hd_tid u = 0; u < g->plan->w->n_threads; u++)
        g->next[u] = NOBODY;
    for (uint32_t i = g->n; i-- > 0;) {
        g->after[i] = g->next[t->thread[g->events[i]]];
        g->next[t->thread[g->events[i]]] = i;
    }
}

/* Runs the graph: stays with a thread while its next event is free, then takes the free thread that
 * comes first after `turn` in a fixed circle of threads, `late` only when no other is free. Writes
 * the order to out. */
static void run(const struct graph *g, hd_tid turn, hd_tid late, uint32_t *waits, uint32_t *next,
                hd_eid *out)
{
    size_t threads = g->plan->w->n_threads;
    memcpy(waits, g->waits, g->n * sizeof *waits);
    memcpy(next, g->next, threads * sizeof *next);
    for (uint32_t done = 0; done < g->n;) {
        size_t looked = 0;
        while (next[turn] == NOBODY || waits[next[turn]] || (turn == late && looked < threads)) {
            turn = (hd_tid)((turn + 1) % threads);
            looked++;
        }
        while (next[turn] != NOBODY && !waits[next[turn]]) {
            uint32_t i = next[turn];
            out[done++] = g->events[i];
            next[turn] = g->after[i];
            for (uint32_t k = g->out_start[i]; k < g->out_start[i + 1]; k++)
                waits[g->out[k]]--;
        }
    }
}

/* Tries each thread as the first one (all of them only when that is cheap), with the thread of a as
 * late as possible or not, and keeps the best order. */
static void try_orders(const struct graph *g, hd_eid *schedule, size_t n)
{
    const struct hd_trace *t = g->plan->w->t;
    size_t threads = g->plan->w->n_threads;
    size_t starts = threads * n > 2000000 ? 1 : threads;
    uint32_t *waits = hd_alloc(n * sizeof *waits), *next = hd_alloc(threads * sizeof *next);
    hd_eid *order = hd_alloc(n * sizeof *order);
    size_t best = hd_shorten_switches(t, schedule, n);
    order[n - 2] = schedule[n - 2];
    order[n - 1] = schedule[n - 1];
    for (size_t i = 0; i < 2 * starts; i++) {
        hd_tid late = i % 2 ? (hd_tid)threads : t->thread[order[n - 2]];
        run(g, (hd_tid)(i / 2), late, waits, next, order);
        size_t switches = hd_shorten_switches(t, order, n);
        if (switches >= best)
            continue;
        best = switches;
        memcpy(schedule, order, n * sizeof *order);
    }
    hd_free(waits, n * sizeof *waits);
    hd_free(next, threads * sizeof *next);
    hd_free(order, n * sizeof *order);
}

void hd_resequence(const struct hd_plan *plan, hd_eid *schedule, size_t n)
{
    size_t threads = plan->w->n_threads;
    hd_eid *given = hd_alloc(n * sizeof *given);
    memcpy(given, schedule, n * sizeof *given);
    struct graph g = {.plan = plan,
                      .events = given,
                      .n = (uint32_t)n - 2,
                      .fresh = hd_calloc(n, 1),
                      .objects = HD_VEC_INIT(struct object),
                      .edges = HD_VEC_INIT(struct hd_edge),
                      .out_start = hd_calloc(n, sizeof *g.out_start),
                      .waits = hd_calloc(n, sizeof *g.waits),
                      .next = hd_calloc(threads, sizeof *g.next),
                      .after = hd_calloc(n, sizeof *g.after)};
    build(&g);
    try_orders(&g, schedule, n);
    for (size_t i = 0; i < g.objects.len; i++)
        hd_u32vec_fini(&((struct object *)hd_vec_at(&g.objects, i))->since);
    hd_vec_fini(&g.objects);
    hd_map_fini(&g.ids);
    hd_free(g.out, g.edges.len * sizeof *g.out);
    hd_vec_fini(&g.edges);
    hd_free(given, n * sizeof *given);
    hd_free(g.fresh, n);
    hd_free(g.out_start, n * sizeof *g.out_start);
    hd_free(g.waits, n * sizeof *g.waits);
    hd_free(g.next, threads * sizeof *g.next);
    hd_free(g.after, n * sizeof *g.after);
}
