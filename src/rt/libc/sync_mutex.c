/* pthread_mutex_*. Runs in the user's process; see the rules in rt.h.
 *
 * The kind of a mutex is read where glibc keeps it, because static initialisers write it there:
 * bits 0-1 are the type, 0x10 says robust, the rest (priority protocols, sharing) does not matter
 * here. */
#include "rt/concolic/rt_sym.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"
#include "rt/core/vclock.h"

#include <errno.h>

enum { TYPE_MASK = 3, RECURSIVE = 1, ERRORCHECK = 2, ROBUST = 0x10 };

static void look_dead(const struct hd_sync *l, uintptr_t pc)
{
    hd_rt_look(HD_LOOK_DEAD, l->addr, l->not_recoverable ? 2 : l->owner_dead, pc);
}

static int relock(struct hd_sync *l, int kind, bool try_only, uintptr_t pc)
{
    if ((kind & TYPE_MASK) == RECURSIVE) {
        l->depth++;
        hd_rt_log1(HD_LOG_ACQ, pc, l->addr);
        return 0;
    }
    if (try_only)
        return EBUSY;
    return (kind & TYPE_MASK) == ERRORCHECK ? EDEADLK : -1;
}

int hd_rt_mutex_lock(struct hd_thread *me, pthread_mutex_t *m, uint64_t deadline, bool try_only,
                     uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    int kind = m->__data.__kind;
    if (kind < 0) {
        hd_rt_look(HD_LOOK_DESTROY, (uintptr_t)m, 1, pc);
        return EINVAL;
    }
    l->robust = (kind & ROBUST) != 0;
    if (l->not_recoverable) {
        look_dead(l, pc);
        return ENOTRECOVERABLE;
    }
    if (l->owner == me) {
        int r = relock(l, kind, try_only, pc);
        if (r >= 0)
            return r;
    }
    if (hd_rt_lock_acquire(me, l, deadline, pc) == HD_LOCK_TIMEOUT)
        return try_only ? EBUSY : ETIMEDOUT;
    if (l->robust)
        look_dead(l, pc);
    if (l->not_recoverable) {
        hd_rt_lock_release(me, l, pc);
        return ENOTRECOVERABLE;
    }
    return l->owner_dead ? EOWNERDEAD : 0;
}

int hd_rt_mutex_unlock(struct hd_thread *me, pthread_mutex_t *m, uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    int kind = m->__data.__kind;
    if (kind < 0) {
        hd_rt_look(HD_LOOK_DESTROY, (uintptr_t)m, 1, pc);
        return EINVAL;
    }
    if (l->owner != me && (kind & (RECURSIVE | ERRORCHECK | ROBUST)) &&
        (kind & TYPE_MASK) != (RECURSIVE | ERRORCHECK)) /* both bits: the adaptive type */
        return EPERM;
    if (l->owner_dead && l->owner == me) {
        l->owner_dead = false;
        l->not_recoverable = true;
        hd_rt_set(HD_LOOK_DEAD, l->addr, 2, pc);
    }
    hd_rt_lock_release(me, l, pc);
    return 0;
}

HD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    struct hd_thread *me = hd_rt_enter();
    int r = me && hd_rt_sym.on ? hd_rt_sym_fails("pthread_mutex_init") : 0;
    r = r ? r : hd_real.pthread_mutex_init(m, attr);
    if (me) {
        if (r == 0)
            hd_rt_sync_reset(m, HD_SYNC_LOCK);
        hd_rt_follow_made(m);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_destroy(m);
    hd_rt_arg_dep(pthread_mutex_destroy);
    hd_rt_destroyed(m, HD_DESTROYED_MUTEX, HD_PC);
    struct hd_sync *l = hd_rt_sync_find(m, HD_SYNC_LOCK);
    int r = l && l->owner ? EBUSY : hd_real.pthread_mutex_destroy(m);
    if (r == 0)
        hd_rt_sync_reset(m, HD_SYNC_LOCK);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_lock(m);
    hd_rt_arg_dep(pthread_mutex_lock);
    int r = hd_rt_mutex_lock(me, m, HD_NEVER, false, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_trylock(m);
    hd_rt_arg_dep(pthread_mutex_trylock);
    int r = hd_rt_sym.on ? hd_rt_sym_fails("pthread_mutex_trylock") : 0;
    r = r ? r : hd_rt_mutex_lock(me, m, 0, true, HD_PC);
    hd_rt_tried(!r);
    hd_rt_leave(me);
    return r;
}

static int timed_lock(struct hd_thread *me, pthread_mutex_t *m, clockid_t clock,
                      const struct timespec *abs, uintptr_t pc)
{
    const struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    uint64_t deadline = 0; /* not looked at when the lock is free */
    me->timed = true;
    if (l->owner && !hd_rt_deadline(clock, abs, &deadline)) {
        /* POSIX looks at the time only when the call would block. */
        int type = m->__data.__kind & TYPE_MASK;
        if (l->owner != me || (type != RECURSIVE && type != ERRORCHECK))
            return EINVAL;
    }
    return hd_rt_mutex_lock(me, m, deadline, false, pc);
}

HD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_timedlock(m, abs);
    hd_rt_arg_dep(pthread_mutex_timedlock);
    int r = timed_lock(me, m, CLOCK_REALTIME, abs, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                      const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_clocklock(m, clock, abs);
    hd_rt_arg_dep(pthread_mutex_clocklock);
    bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
    int r = known ? timed_lock(me, m, clock, abs, HD_PC) : EINVAL;
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_unlock(m);
    hd_rt_arg_dep(pthread_mutex_unlock);
    int r = hd_rt_mutex_unlock(me, m, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_mutex_consistent(m);
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    int r = l->robust && l->owner == me && l->owner_dead ? 0 : EINVAL;
    if (r == 0) {
        l->owner_dead = false;
        hd_rt_set(HD_LOOK_DEAD, l->addr, 0, HD_PC);
    }
    hd_rt_leave(me);
    return r;
}
