/* Happens-before (Lamport 1978; epochs after FastTrack, Flanagan and Freund 2009) and schedulable
 * happens-before (Mathur et al. 2018). They differ in what a read takes from the write it reads
 * from: hb only between atomics, before the test; shb always, after the test, so that an access
 * races with whatever is not ordered before the events that precede it in its thread. */
#include "base/alloc.h"
#include "detect/filters/contended.h"
#include "detect/detect_int.h"
#include "detect/edges.h"
#include "detect/published/history.h"
#include "detect/published/lockclock.h"

struct walk {
    const struct hd_trace *t;
    bool schedulable;
    struct hd_clock_pool pool;
    struct hd_clock **clock; /* by thread */
    uint32_t *version;       /* by thread: changes of its clock */
    struct hd_stamp *write;  /* by location: the last write; for hb none unless atomic */
    struct hd_lock_clock *lock;
    struct hd_edges edges;
    struct hd_relay relay;
    struct hd_history history;
};

static void access(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    enum hd_op op = t->op[e];
    if (!hd_loc_communicates(w->history.contended[t->obj[e]]))
        return;
    struct hd_stamp *write = &w->write[t->obj[e]];
    bool joins = hd_op_reads(op) && (w->schedulable || hd_op_is_atomic(op));
    if (w->schedulable)
        hd_history_access(&w->history, e, w->clock[u]->v, w->version[u]);
    if (joins)
        w->version[u] += hd_clock_join(&w->pool, &w->clock[u], u, write);
    if (!w->schedulable)
        hd_history_access(&w->history, e, w->clock[u]->v, w->version[u]);
    if (!hd_op_writes(op))
        return;
    if (w->schedulable || hd_op_is_atomic(op))
        hd_stamp_set(&w->pool, write, w->clock[u], u, t->pos[e] + 1);
    else
        hd_stamp_clear(&w->pool, write);
}

static void step(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    w->version[u] += hd_relay_take(&w->relay, e, &w->clock[u], u);
    if (hd_op_is_access(t->op[e]))
        access(w, e);
    else
        w->version[u] += hd_lock_clock_step(w->lock, &w->pool, t, e, &w->clock[u]);
    hd_relay_give(&w->relay, e, w->clock[u], u, t->pos[e] + 1);
}

static void walk_init(struct walk *w, const struct hd_trace *t)
{
    size_t threads = hd_trace_n_threads(t);
    w->t = t;
    hd_clock_pool_init(&w->pool, threads);
    w->clock = hd_calloc(threads, sizeof *w->clock);
    w->version = hd_calloc(threads, sizeof *w->version);
    for (size_t u = 0; u < threads; u++)
        w->clock[u] = hd_clock_new(&w->pool);
    w->write = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *w->write);
    w->lock = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOCK), sizeof *w->lock);
    hd_edges_init(&w->edges, t);
    hd_relay_init(&w->relay, &w->edges, &w->pool);
}

static void walk_fini(struct walk *w)
{
    size_t threads = hd_trace_n_threads(w->t), locs = hd_trace_n_objs(w->t, HD_OBJ_LOC);
    size_t locks = hd_trace_n_objs(w->t, HD_OBJ_LOCK);
    hd_relay_fini(&w->relay);
    hd_edges_fini(&w->edges);
    for (size_t u = 0; u < threads; u++)
        hd_clock_put(&w->pool, w->clock[u]);
    for (size_t x = 0; x < locs; x++)
        hd_stamp_clear(&w->pool, &w->write[x]);
    for (size_t l = 0; l < locks; l++)
        hd_lock_clock_fini(&w->lock[l], &w->pool);
    hd_free(w->clock, threads * sizeof *w->clock);
    hd_free(w->version, threads * sizeof *w->version);
    hd_free(w->write, locs * sizeof *w->write);
    hd_free(w->lock, locks * sizeof *w->lock);
    hd_clock_pool_fini(&w->pool);
}

static enum hd_status run(const struct hd_trace *t, const struct hd_detect_opts *opts,
                          struct hd_detect_result *r, bool schedulable, struct hd_err *err)
{
    struct walk w = {.schedulable = schedulable};
    walk_init(&w, t);
    hd_history_init(&w.history, t, opts, r, NULL);
    for (size_t e = 0; e < t->n_events && !hd_sink_stopped(&w.history.sink, e); e++)
        step(&w, (hd_eid)e);
    walk_fini(&w);
    return hd_history_finish(&w.history, err);
}

enum hd_status hd_detect_hb(const struct hd_trace *t, const struct hd_detect_opts *opts,
                            struct hd_detect_result *r, struct hd_err *err)
{
    return run(t, opts, r, false, err);
}

enum hd_status hd_detect_shb(const struct hd_trace *t, const struct hd_detect_opts *opts,
                             struct hd_detect_result *r, struct hd_err *err)
{
    return run(t, opts, r, true, err);
}
