#include "predict/orders/coincide.h"

#include "base/alloc.h"
#include "model/state.h"

static bool is_weak(const struct hd_trace *t, hd_eid e)
{
    return hd_mem_order_is_weak(t->op[e], hd_trace_order(t, e));
}

/* ---- locations whose values nothing depends on ---- */

struct use {
    const struct hd_world *w;
    uint8_t *weak; /* by location: has weak accesses */
    uint8_t *read; /* by thread: has read such a location */
};

/* Whether a value leaves the weak locations. From one to another it may go: it matters only if a
 * read there does. */
static bool carries(const struct use *x, hd_eid write)
{
    const struct hd_trace *t = x->w->t;
    struct hd_deps deps = hd_trace_deps(t, write, HD_DEP_VALUE);
    if (x->weak[t->obj[write]])
        return false;
    if (deps.all)
        return x->read[t->thread[write]];
    for (uint32_t i = 0; i < deps.n; i++)
        if (x->weak[t->obj[hd_trace_back(t, write, deps.dist[i])]])
            return true;
    return false;
}

/* Does any value of a weak location matter? */
static bool any_matters(const struct use *x)
{
    const struct hd_trace *t = x->w->t;
    for (hd_eid e = 0; e < t->n_events; e++) {
        if (hd_op_reads(t->op[e]) && x->weak[t->obj[e]]) {
            if (x->w->needed_at[e] != UINT32_MAX)
                return true;
            x->read[t->thread[e]] = 1;
        }
        if (hd_op_writes(t->op[e]) && carries(x, e))
            return true;
    }
    return false;
}

bool hd_coincide_by_atomics(const struct hd_world *w)
{
    const struct hd_trace *t = w->t;
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC), threads = hd_trace_n_threads(t);
    struct use x = {.w = w};
    for (hd_eid e = 0; e < t->n_events; e++)
        if (t->flags[e] & HD_F_ORDER && is_weak(t, e)) {
            x.weak = x.weak ? x.weak : hd_calloc(locs, 1);
            x.weak[t->obj[e]] = 1;
        }
    if (!x.weak)
        return true;
    x.read = hd_calloc(threads, 1);
    bool any = !w->needed_at || any_matters(&x);
    hd_free(x.read, threads);
    hd_free(x.weak, locs);
    return !any;
}

/* ---- tries and time-outs ---- */

/* Could a notification be spent on a thread that timed out? Then there are both, and two waiters.
 */
static bool times_out(const struct hd_trace *t, uint32_t cond)
{
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, cond, &n);
    bool tmo = false, sig = false, several = false;
    hd_tid waiter = HD_TID_NONE;
    for (size_t i = 0; i < n; i++) {
        tmo |= t->op[events[i]] == HD_OP_TMO;
        sig |= t->op[events[i]] == HD_OP_SIG;
        if (t->op[events[i]] != HD_OP_WAIT)
            continue;
        several |= waiter != HD_TID_NONE && waiter != t->thread[events[i]];
        waiter = t->thread[events[i]];
    }
    return tmo && sig && several;
}

bool hd_coincide_by_waits(const struct hd_trace *t)
{
    for (size_t e = 0; e < t->n_events; e++)
        if (t->op[e] == HD_OP_TRYFAIL || hd_trace_excludes_only(t, (hd_eid)e))
            return false;
    for (uint32_t c = 0; c < hd_trace_n_objs(t, HD_OBJ_COND); c++)
        if (times_out(t, c))
            return false;
    return true;
}
