#include "detect/published/lockclock.h"

bool hd_lock_clock_acquire(struct hd_lock_clock *l, struct hd_clock_pool *p, struct hd_clock **c,
                           hd_tid self, bool write)
{
    bool changed = hd_clock_join(p, c, self, &l->write);
    if (write && l->reads)
        changed |= hd_clock_join_clock(p, c, self, l->reads);
    return changed;
}

void hd_lock_clock_release(struct hd_lock_clock *l, struct hd_clock_pool *p, struct hd_clock *c,
                           hd_tid self, uint32_t tick, bool write)
{
    if (write) {
        hd_stamp_set(p, &l->write, c, self, tick);
        hd_clock_put(p, l->reads);
        l->reads = NULL;
        return;
    }
    if (!l->reads)
        l->reads = hd_clock_new(p);
    struct hd_stamp s = {c, tick, self};
    hd_clock_join(p, &l->reads, HD_MAX_THREADS + 1, &s);
}

bool hd_lock_clock_step(struct hd_lock_clock *locks, struct hd_clock_pool *p,
                        const struct hd_trace *t, hd_eid e, struct hd_clock **c)
{
    hd_tid u = t->thread[e];
    uint32_t tick = t->pos[e] + 1;
    switch (t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_WAKE:
    case HD_OP_TMO:
        return hd_lock_clock_acquire(&locks[hd_trace_lock(t, e)], p, c, u, true);
    case HD_OP_RACQ:
        return hd_lock_clock_acquire(&locks[t->obj[e]], p, c, u, false);
    case HD_OP_REL:
    case HD_OP_WAIT:
        hd_lock_clock_release(&locks[hd_trace_lock(t, e)], p, *c, u, tick, true);
        return false;
    case HD_OP_RREL:
        hd_lock_clock_release(&locks[t->obj[e]], p, *c, u, tick, false);
        return false;
    default:
        return false;
    }
}
