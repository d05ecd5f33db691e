/* Waiting sets on scheduler state. Runs in the user's process; see the rules in rt.h.
 *
 * A waiter whose time is up stays in the set until it owns the lock again, as docs/MODEL.md has it:
 * a notification that comes in between counts. */
#include "rt/core/rt_check.h"
#include "rt/core/cancel.h"
#include "rt/policy/policy.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/libc/sync.h"

static uint64_t arrivals;

/* Stays in the set of c until notified, cancelled, out of time or asked to run a handler; then owns
 * l again. */
static bool wait_once(struct hd_thread *me, struct hd_sync *c, struct hd_sync *l, uint64_t deadline,
                      uintptr_t pc)
{
    unsigned depth = l->depth;
    HD_RT_CHECK(c->kind == HD_SYNC_COND && l->owner == me && !me->in_cond);
    hd_rt_log2(HD_LOG_WAIT, 0, pc, c->addr, l->addr);
    l->owner = NULL;
    if (l->waiters)
        hd_rt_unblock(l);
    me->in_cond = c;
    me->cond_seq = arrivals++;
    c->waiters++;
    if (rt.now >= deadline && (hd_rt_polled(me) >= HD_POLLS || rt.led)) {
        hd_rt_ask(me);    /* while the lock is free */
        me->timed = true; /* the answer began a new step */
    }
    while (me->in_cond == c && rt.now < deadline && !hd_rt_cancelled(me) &&
           me->sig_out == me->sig_in)
        hd_rt_block(me, c, HD_WAITS_COND, deadline, pc);
    me->sig_hold = HD_HOLD_WAKING; /* the holder may be asleep: it must not look as if me ran */
    while (l->owner || l->readers) {
        l->waiters++;
        hd_rt_block(me, l, HD_WAITS_LOCK, HD_NEVER, pc);
        l->waiters--;
    }
    HD_RT_CHECK(c->waiters && (me->in_cond == c || !me->in_cond));
    c->waiters--;
    bool notified = me->in_cond != c;
    me->in_cond = NULL;
    l->owner = me;
    l->depth = depth;
    HD_RT_SELF_CHECK(hd_rt_check_lock(l));
    hd_rt_log2(notified ? HD_LOG_WAKE : HD_LOG_TMO, 0, pc, c->addr, l->addr);
    return notified;
}

/* A thread in a waiting set has no events: for a handler it leaves the set with the lock, as if its
 * time were up, and enters it again afterwards. */
bool hd_rt_cond_wait(struct hd_thread *me, struct hd_sync *c, struct hd_sync *l, uint64_t deadline,
                     uintptr_t pc)
{
    bool notified, handled;
    me->timed |= deadline != HD_NEVER;
    do {
        me->sig_hold = HD_HOLD_HANDLERS;
        notified = wait_once(me, c, l, deadline, pc);
        me->sig_hold = HD_HOLD_NONE;
        handled = me->sig_out != me->sig_in;
        hd_rt_signals_run(me);
    } while (handled && !notified && rt.now < deadline && !hd_rt_cancelled(me));
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
    HD_RT_CHECK(c->kind == HD_SYNC_COND);
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
