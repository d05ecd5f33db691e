/* Exclusive and shared locks on scheduler state, whatever POSIX calls them. Runs in the user's
 * process; see the rules in rt.h. */
#include "rt/core/rt_check.h"
#include "rt/core/spin.h"
#include "rt/libc/sync.h"

int hd_rt_lock_acquire(struct hd_thread *me, struct hd_sync *l, uint64_t deadline, uintptr_t pc)
{
    HD_RT_CHECK_HOLDER(me);
    me->timed |= deadline != HD_NEVER;
    while (l->owner || l->readers) {
        if (deadline <= rt.now) {
            bool other = l->owner ? hd_rt_sync_holder(l) != me
                                  : l->readers->thread != me || l->readers->next;
            if (other)
                hd_rt_log1(HD_LOG_TRYFAIL, pc, l->addr);
            hd_rt_polled(me);
            return HD_LOCK_TIMEOUT;
        }
        l->waiters++;
        l->writers++;
        hd_rt_block(me, l, HD_WAITS_LOCK, deadline, pc);
        l->waiters--;
        l->writers--;
    }
    l->owner = me;
    l->depth = 1;
    HD_RT_SELF_CHECK(hd_rt_check_lock(l));
    hd_rt_log_words(HD_LOG_ACQ, deadline == HD_NEVER ? 0 : HD_LOG_TRY, pc, 1, &l->addr);
    return 0;
}

void hd_rt_lock_release(struct hd_thread *me, struct hd_sync *l, uintptr_t pc)
{
    const struct hd_thread *holder = hd_rt_sync_holder(l);
    HD_RT_CHECK_HOLDER(me);
    HD_RT_SELF_CHECK(hd_rt_check_lock(l));
    if (holder && holder != me) {
        hd_rt_log2(HD_LOG_REL_FOR, 0, pc, l->addr, holder->num);
    } else if (holder) {
        hd_rt_log1(HD_LOG_REL, pc, l->addr);
    }
    if (!l->owner || --l->depth)
        return;
    l->owner = l->heir = NULL;
    if (l->waiters) {
        hd_rt_unblock(l);
        hd_rt_released(me);
    }
}
