/* Barriers and spinlocks. Runs in the user's process; see the rules in rt.h. */
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"

#include <errno.h>

HD_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
                                   unsigned count)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.pthread_barrier_init(b, attr, count);
    if (me) {
        if (r == 0) {
            hd_rt_sync_reset(b, HD_SYNC_BARRIER);
            hd_rt_sync(b, HD_SYNC_BARRIER)->count = count;
            hd_rt_log2(HD_LOG_BARRIER_INIT, 0, HD_PC, (uintptr_t)b, count);
        }
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_barrier_destroy(b);
    hd_rt_arg_dep(pthread_barrier_destroy);
    hd_rt_destroyed(b, HD_DESTROYED_BARRIER, HD_PC);
    struct hd_sync *s = hd_rt_sync_find(b, HD_SYNC_BARRIER);
    int r = s && s->arrived ? EBUSY : 0;
    /* The first one out may destroy it: glibc, too, waits for the others to leave. */
    while (r == 0 && s && s->waiters)
        hd_rt_block(me, &s->waiters, HD_WAITS_OTHER, HD_NEVER, HD_PC);
    if (r == 0)
        hd_rt_sync_reset(b, HD_SYNC_BARRIER);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_barrier_wait(b);
    hd_rt_arg_dep(pthread_barrier_wait);
    uintptr_t pc = HD_PC;
    struct hd_sync *s = hd_rt_sync(b, HD_SYNC_BARRIER);
    uint64_t generation = s->generation;
    hd_rt_log1(HD_LOG_BARIN, pc, s->addr);
    bool last = ++s->arrived == s->count;
    if (last) {
        s->arrived = 0;
        s->generation++;
        hd_rt_unblock(s);
        hd_rt_switch_point(me, pc);
    }
    s->waiters++;
    while (s->generation == generation)
        hd_rt_block(me, s, HD_WAITS_BARRIER, HD_NEVER, pc);
    if (--s->waiters == 0)
        hd_rt_unblock(&s->waiters); /* pairs with pthread_barrier_destroy */
    hd_rt_log1(HD_LOG_BAROUT, pc, s->addr);
    hd_rt_leave(me);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

HD_EXPORT int pthread_spin_init(pthread_spinlock_t *s, int shared)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.pthread_spin_init(s, shared);
    if (me) {
        hd_rt_sync_reset(s, HD_SYNC_LOCK);
        hd_rt_follow_made(s);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *s)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_spin_destroy(s);
    hd_rt_arg_dep((const void *)pthread_spin_destroy);
    hd_rt_destroyed(s, HD_DESTROYED_SPIN, HD_PC);
    hd_rt_sync_reset(s, HD_SYNC_LOCK);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_spin_lock(s);
    hd_rt_arg_dep((const void *)pthread_spin_lock);
    hd_rt_lock_acquire(me, hd_rt_sync(s, HD_SYNC_LOCK), HD_NEVER, HD_PC);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_spin_trylock(s);
    hd_rt_arg_dep((const void *)pthread_spin_trylock);
    int r = hd_rt_lock_acquire(me, hd_rt_sync(s, HD_SYNC_LOCK), 0, HD_PC);
    hd_rt_tried(r != HD_LOCK_TIMEOUT);
    hd_rt_leave(me);
    return r == HD_LOCK_TIMEOUT ? EBUSY : 0;
}

HD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_spin_unlock(s);
    hd_rt_arg_dep((const void *)pthread_spin_unlock);
    hd_rt_lock_release(me, hd_rt_sync(s, HD_SYNC_LOCK), HD_PC);
    hd_rt_leave(me);
    return 0;
}
