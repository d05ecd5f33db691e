/* Waiting sets on scheduler state. Runs in the user's process; see the rules in rt.h.
 *
 * A waiter whose time is up stays in the set until it owns the lock again, as docs/MODEL.md has it:
 * a notification that comes in between counts. */
#include "rt/cancel.h"
#include "rt/policy.h"
#include "rt/sync.h"

static uint64_t arrivals;

bool hd_rt_cond_wait(struct hd_thread *me, struct hd_sync *c, struct hd_sync *l, uint64_t deadline,
                     uintptr_t pc)
{
    unsigned depth = l->depth;
    me->timed |= deadline != HD_NEVER;
    hd_rt_log2(HD_LOG_WAIT, 0, pc, c->addr, l->addr);
    l->owner = NULL;
    if (l->waiters)
        hd_rt_unblock(l);
    me->in_cond = c;
    me->cond_seq = arrivals++;
    c->waiters++;
    while (me->in_cond == c && rt.now < deadline && !hd_rt_cancelled(me))
        hd_rt_block(me, c, HD_WAITS_COND, deadline, pc);
    while (l->owner || l->readers) {
        l->waiters++;
        hd_rt_block(me, l, HD_WAITS_LOCK, HD_NEVER, pc);
        l->waiters--;
    }
    c->waiters--;
    bool notified = me->in_cond != c;
    me->in_cond = NULL;
    l->owner = me;
    l->depth = depth;
    hd_rt_log2(notified ? HD_LOG_WAKE : HD_LOG_TMO, 0, pc, c->addr, l->addr);
    return notified;
}

static struct hd_thread *first_waiter(const struct hd_sync *c)
{
    struct hd_thread *first = NULL;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->in_cond == c && (!first || t->cond_seq < first->cond_seq))
            first = t;
    }
    return first;
}

void hd_rt_cond_signal(struct hd_sync *c, bool all, uintptr_t pc)
{
    hd_rt_log1(all ? HD_LOG_BCAST : HD_LOG_SIG, pc, c->addr);
    struct hd_thread *t, *chosen = NULL;
    if (!all && rt.stepwise)
        chosen = rt.follow ? hd_rt_follow_wakes() : hd_rt_steer_wakes(c);
    if (chosen && chosen->in_cond != c)
        chosen = NULL;
    while (c->waiters && (t = chosen ? chosen : first_waiter(c))) {
        t->in_cond = NULL;
        if (t->wait_obj == c)
            hd_rt_unblock_one(t);
        if (!all)
            return;
    }
}
