/* Events at which no pass finds anything, in most programs the larger part: accesses to locations
 * that one thread uses, and branches that depend on reads of such. No rule of must.h speaks of
 * them. */
#include "predict/index/must_int.h"

#include "base/alloc.h"
#include "base/stop.h"

static size_t words(const struct hd_world *w)
{
    return (w->t->n_events + 63) / 64;
}

static bool is_busy(const uint64_t *busy, hd_eid e)
{
    return busy[e / 64] >> (e % 64) & 1;
}

/* Of a location that one thread uses, with a value that was given: else the read has a source, and
 * the write may be one. */
static bool is_private(const struct hd_world *w, hd_eid e)
{
    size_t n;
    hd_accesses_users(w->locs, w->t->obj[e], &n);
    return n == 1 && w->t->op[e] != HD_OP_RMW && !(w->t->flags[e] & HD_F_UNIQUE);
}

static bool is_idle(const struct hd_world *w, const uint64_t *busy, hd_eid e)
{
    const struct hd_trace *t = w->t;
    bool branch = t->op[e] == HD_OP_BRANCH;
    if (!branch && !(hd_op_is_access(t->op[e]) && is_private(w, e)))
        return false;
    if (t->pos[e] == 0 || hd_section_of(w->sections, e) != HD_SECTION_NONE)
        return false;
    struct hd_deps deps = hd_trace_deps(t, e, branch ? HD_DEP_CONTROL : HD_DEP_ADDR);
    bool idle = !deps.all;
    for (uint32_t i = 0; i < deps.n && idle; i++)
        idle = !is_busy(busy, hd_trace_back(t, e, deps.dist[i]));
    return idle;
}

uint64_t *hd_must_busy_new(const struct hd_world *w)
{
    if (w->t->control == HD_CONTROL_ALL)
        return NULL;
    uint64_t *busy = hd_calloc(words(w), sizeof *busy);
    for (hd_eid e = 0; e < w->t->n_events && !hd_stop_often(e); e++)
        if (!is_idle(w, busy, e))
            busy[e / 64] |= UINT64_C(1) << (e % 64);
    return busy;
}

void hd_must_busy_free(const struct hd_world *w, uint64_t *busy)
{
    hd_free(busy, busy ? words(w) * sizeof *busy : 0);
}
