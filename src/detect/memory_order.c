#include "detect/memory_order.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "detect/edges.h"
#include "detect/filters/contended.h"
#include "detect/published/history.h"
#include "detect/published/lockclock.h"

/* What an acquiring read of a location gets: a stamp, and older ones that read-modify-writes have
 * kept alive without acquiring them. */
struct released {
    struct hd_stamp stamp;
    struct hd_clock *rest; /* or NULL */
};

struct walk {
    const struct hd_trace *t;
    bool plus;
    bool silent; /* the clocks alone are wanted, no history */
    struct hd_clock_pool pool;
    struct hd_clock **clock;   /* by thread */
    uint32_t *version;         /* by thread: changes of its clock */
    struct hd_clock **loads;   /* by thread: what an acquiring fence gets, or NULL */
    struct hd_stamp *fence;    /* by thread: its last releasing fence */
    struct released *released; /* by location */
    struct hd_stamp *written;  /* by location: its last write; with plus only */
    uint8_t *plain;            /* by location: that write is plain */
    struct hd_lock_clock *lock;
    struct hd_edges edges;
    struct hd_relay relay;
    struct hd_vec generations;   /* struct hd_clock *: of barriers */
    struct hd_map generation_of; /* thread << 32 | barrier: the generation of its last arrival */
    uint64_t *arrived;           /* by barrier */
    uint32_t *open;              /* by barrier: its last generation */
    struct hd_history history;
};

/* No thread: for clocks that belong to none. */
#define NOBODY UINT32_MAX

static void keep(struct walk *w, struct hd_clock **to, const struct hd_stamp *s)
{
    if (!s->clock)
        return;
    if (!*to)
        *to = hd_clock_new(&w->pool);
    hd_clock_join(&w->pool, to, NOBODY, s);
}

/* ---- accesses ---- */

static void acquire(struct walk *w, hd_tid u, const struct released *from)
{
    w->version[u] += hd_clock_join(&w->pool, &w->clock[u], u, &from->stamp);
    if (from->rest)
        w->version[u] += hd_clock_join_clock(&w->pool, &w->clock[u], u, from->rest);
}

static void load(struct walk *w, hd_tid u, const struct released *from)
{
    keep(w, &w->loads[u], &from->stamp);
    if (!from->rest)
        return;
    if (!w->loads[u])
        w->loads[u] = hd_clock_new(&w->pool);
    hd_clock_join_clock(&w->pool, &w->loads[u], NOBODY, from->rest);
}

static void atomic_read(struct walk *w, hd_eid e)
{
    const struct released *from = &w->released[w->t->obj[e]];
    if (!from->stamp.clock && !from->rest)
        return;
    if (hd_mem_order_info[hd_trace_order(w->t, e)].acquires)
        acquire(w, w->t->thread[e], from);
    else
        load(w, w->t->thread[e], from);
}

static void end_sequence(struct walk *w, struct released *r)
{
    hd_stamp_clear(&w->pool, &r->stamp);
    hd_clock_put(&w->pool, r->rest);
    r->rest = NULL;
}

static void write(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    struct released *r = &w->released[t->obj[e]];
    const struct hd_mem_order_info *order = &hd_mem_order_info[hd_trace_order(t, e)];
    const struct hd_stamp *fence = &w->fence[u];
    if (t->op[e] != HD_OP_RMW)
        end_sequence(w, r);
    if (!hd_op_is_atomic(t->op[e]))
        return;
    if (!order->releases && !fence->clock)
        return;
    if (order->acquires && order->releases) /* what it read is in the clock that it releases */
        end_sequence(w, r);
    else
        keep(w, &r->rest, &r->stamp);
    if (order->releases)
        hd_stamp_set(&w->pool, &r->stamp, w->clock[u], u, t->pos[e] + 1);
    else
        hd_stamp_set(&w->pool, &r->stamp, fence->clock, u, fence->tick);
}

static void access(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    enum hd_op op = t->op[e];
    uint32_t x = t->obj[e];
    if (!w->silent && !hd_loc_communicates(w->history.contended[x]))
        return;
    if (hd_op_is_atomic(op) && hd_op_reads(op))
        atomic_read(w, e);
    if (!w->silent)
        hd_history_access(&w->history, e, w->clock[u]->v, w->version[u]);
    if (w->plus && hd_op_reads(op) && (w->plain[x] || !hd_op_is_atomic(op)))
        w->version[u] += hd_clock_join(&w->pool, &w->clock[u], u, &w->written[x]);
    if (!hd_op_writes(op))
        return;
    write(w, e);
    if (w->plus)
        hd_stamp_set(&w->pool, &w->written[x], w->clock[u], u, t->pos[e] + 1);
    w->plain[x] = !hd_op_is_atomic(op);
}

/* ---- the rest ---- */

static void fence(struct walk *w, hd_eid e)
{
    hd_tid u = w->t->thread[e];
    const struct hd_mem_order_info *order = &hd_mem_order_info[hd_trace_order(w->t, e)];
    if (order->acquires && w->loads[u])
        w->version[u] += hd_clock_join_clock(&w->pool, &w->clock[u], u, w->loads[u]);
    if (order->releases)
        hd_stamp_set(&w->pool, &w->fence[u], w->clock[u], u, w->t->pos[e] + 1);
}

static void barrier(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    uint32_t b = t->obj[e], *mine;
    bool fresh;
    mine = hd_map_put(&w->generation_of, (uint64_t)u << 32 | b, &fresh);
    if (t->op[e] == HD_OP_BARIN) {
        if (w->arrived[b]++ % t->barrier_size[b] == 0) {
            w->open[b] = (uint32_t)w->generations.len;
            *(struct hd_clock **)hd_vec_push(&w->generations) = NULL;
        }
        *mine = w->open[b];
        struct hd_stamp here = {w->clock[u], t->pos[e] + 1, u};
        keep(w, hd_vec_at(&w->generations, *mine), &here);
    } else if (!fresh) {
        const struct hd_clock *all = *(struct hd_clock **)hd_vec_at(&w->generations, *mine);
        w->version[u] += hd_clock_join_clock(&w->pool, &w->clock[u], u, all);
    }
}

static void step(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    enum hd_op op = t->op[e];
    w->version[u] += hd_relay_take(&w->relay, e, &w->clock[u], u);
    if (hd_op_is_access(op))
        access(w, e);
    else if (op == HD_OP_FENCE)
        fence(w, e);
    else if (op == HD_OP_BARIN || op == HD_OP_BAROUT)
        barrier(w, e);
    else if (op != HD_OP_BRANCH && !hd_trace_excludes_only(t, e))
        w->version[u] += hd_lock_clock_step(w->lock, &w->pool, t, e, &w->clock[u]);
    hd_relay_give(&w->relay, e, w->clock[u], u, t->pos[e] + 1);
}

static void walk_init(struct walk *w, const struct hd_trace *t)
{
    size_t threads = hd_trace_n_threads(t), locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    size_t barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    w->t = t;
    hd_clock_pool_init(&w->pool, threads);
    w->clock = hd_calloc(threads, sizeof *w->clock);
    w->version = hd_calloc(threads, sizeof *w->version);
    w->loads = hd_calloc(threads, sizeof *w->loads);
    w->fence = hd_calloc(threads, sizeof *w->fence);
    for (size_t u = 0; u < threads; u++)
        w->clock[u] = hd_clock_new(&w->pool);
    w->released = hd_calloc(locs, sizeof *w->released);
    w->written = hd_calloc(w->plus ? locs : 0, sizeof *w->written);
    w->plain = hd_calloc(locs, 1);
    w->lock = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOCK), sizeof *w->lock);
    w->arrived = hd_calloc(barriers, sizeof *w->arrived);
    w->open = hd_calloc(barriers, sizeof *w->open);
    w->generations = HD_VEC_INIT(struct hd_clock *);
    hd_edges_init_memory(&w->edges, t);
    hd_relay_init(&w->relay, &w->edges, &w->pool);
}

static void free_locations(struct walk *w)
{
    size_t locs = hd_trace_n_objs(w->t, HD_OBJ_LOC);
    for (size_t x = 0; x < locs; x++) {
        end_sequence(w, &w->released[x]);
        if (w->plus)
            hd_stamp_clear(&w->pool, &w->written[x]);
    }
    hd_free(w->released, locs * sizeof *w->released);
    hd_free(w->written, (w->plus ? locs : 0) * sizeof *w->written);
    hd_free(w->plain, locs);
}

static void walk_fini(struct walk *w)
{
    size_t threads = hd_trace_n_threads(w->t), locks = hd_trace_n_objs(w->t, HD_OBJ_LOCK);
    size_t barriers = hd_trace_n_objs(w->t, HD_OBJ_BARRIER);
    hd_relay_fini(&w->relay);
    hd_edges_fini(&w->edges);
    for (size_t u = 0; u < threads; u++) {
        hd_clock_put(&w->pool, w->clock[u]);
        hd_clock_put(&w->pool, w->loads[u]);
        hd_stamp_clear(&w->pool, &w->fence[u]);
    }
    free_locations(w);
    for (size_t l = 0; l < locks; l++)
        hd_lock_clock_fini(&w->lock[l], &w->pool);
    for (size_t i = 0; i < w->generations.len; i++)
        hd_clock_put(&w->pool, *(struct hd_clock **)hd_vec_at(&w->generations, i));
    hd_vec_fini(&w->generations);
    hd_map_fini(&w->generation_of);
    hd_free(w->arrived, barriers * sizeof *w->arrived);
    hd_free(w->open, barriers * sizeof *w->open);
    hd_free(w->clock, threads * sizeof *w->clock);
    hd_free(w->version, threads * sizeof *w->version);
    hd_free(w->loads, threads * sizeof *w->loads);
    hd_free(w->fence, threads * sizeof *w->fence);
    hd_free(w->lock, locks * sizeof *w->lock);
    hd_clock_pool_fini(&w->pool);
}

enum hd_status hd_memory_order_detect(const struct hd_trace *t, const struct hd_detect_opts *opts,
                                      enum hd_order_by by, struct hd_detect_result *r,
                                      struct hd_err *err)
{
    struct walk w = {.plus = by == HD_BY_PLUS};
    walk_init(&w, t);
    hd_history_init(&w.history, t, opts, r, NULL);
    for (size_t e = 0; e < t->n_events && !hd_sink_stopped(&w.history.sink, e); e++)
        step(&w, (hd_eid)e);
    walk_fini(&w);
    return hd_history_finish(&w.history, err);
}

bool hd_memory_order_unordered(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    struct walk w = {.silent = true};
    hd_tid u = t->thread[a], v = t->thread[b];
    walk_init(&w, t);
    for (hd_eid e = 0; e <= b; e++)
        step(&w, e);
    bool unordered = u != v && w.clock[v]->v[u] <= t->pos[a];
    walk_fini(&w);
    return unordered;
}
