/* pthread_cond_*. Runs in the user's process; see the rules in rt.h. */
#include "rt/concolic/rt_sym.h"
#include "rt/core/cancel.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"
#include "rt/core/vclock.h"

#include <errno.h>

int hd_rt_cond_do(struct hd_thread *me, pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline,
                  uintptr_t pc)
{
    struct hd_sync *s = hd_rt_sync(c, HD_SYNC_COND), *l = hd_rt_sync(m, HD_SYNC_LOCK);
    if (l->owner != me)
        return EPERM;
    hd_rt_cancel_point(me, pc);
    bool notified = hd_rt_cond_wait(me, s, l, deadline, pc);
    if (hd_rt_cancelled(me))
        hd_rt_cancel_here(me);
    if (l->robust)
        hd_rt_look(HD_LOOK_DEAD, l->addr, l->owner_dead, pc);
    if (l->owner_dead)
        return EOWNERDEAD;
    return notified ? 0 : ETIMEDOUT;
}

static int timed(struct hd_thread *me, pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                 const struct timespec *abs, uintptr_t pc)
{
    uint64_t deadline;
    if (!hd_rt_deadline(clock, abs, &deadline))
        return EINVAL;
    return hd_rt_cond_do(me, c, m, deadline, pc);
}

HD_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    struct hd_thread *me = hd_rt_enter();
    int r = me && hd_rt_sym.on ? hd_rt_sym_fails("pthread_cond_init") : 0;
    bool fails = r != 0;
    r = fails ? r : hd_real.pthread_cond_init(c, attr);
    if (fails)
        hd_rt_leave(me);
    if (!me || fails)
        return r;
    hd_rt_sync_reset(c, HD_SYNC_COND);
    clockid_t clock = CLOCK_REALTIME;
    if (attr)
        pthread_condattr_getclock(attr, &clock);
    hd_rt_sync(c, HD_SYNC_COND)->clock = clock;
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cond_destroy(c);
    hd_rt_arg_dep(pthread_cond_destroy);
    hd_rt_destroyed(c, HD_DESTROYED_COND, HD_PC);
    hd_rt_sync_reset(c, HD_SYNC_COND);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cond_wait(c, m);
    hd_rt_args_dep(pthread_cond_wait, 2);
    int r = hd_rt_cond_do(me, c, m, HD_NEVER, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cond_timedwait(c, m, abs);
    hd_rt_args_dep(pthread_cond_timedwait, 3);
    int r = timed(me, c, m, hd_rt_sync(c, HD_SYNC_COND)->clock, abs, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cond_clockwait(c, m, clock, abs);
    hd_rt_args_dep(pthread_cond_clockwait, 4);
    bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
    int r = known ? timed(me, c, m, clock, abs, HD_PC) : EINVAL;
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cond_signal(c);
    hd_rt_arg_dep(pthread_cond_signal);
    hd_rt_cond_signal(hd_rt_sync(c, HD_SYNC_COND), false, HD_PC);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cond_broadcast(c);
    hd_rt_arg_dep(pthread_cond_broadcast);
    hd_rt_cond_signal(hd_rt_sync(c, HD_SYNC_COND), true, HD_PC);
    hd_rt_leave(me);
    return 0;
}
