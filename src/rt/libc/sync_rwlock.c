/* pthread_rwlock_*. Runs in the user's process; see the rules in rt.h. Readers go before waiting
 * writers, as glibc's default does, unless the lock asks for writers first. */
#include "log/rt_steer.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/hooks/rwlock.h"
#include "rt/core/spin.h"
#include "rt/libc/sync.h"
#include "rt/core/vclock.h"

#include <errno.h>

static struct hd_reader *spare;

static struct hd_reader *reader_of(struct hd_sync *l, const struct hd_thread *t)
{
    struct hd_reader *r = l->readers;
    while (r && r->thread != t)
        r = r->next;
    return r;
}

static void add_reader(struct hd_sync *l, struct hd_thread *me)
{
    struct hd_reader *r = reader_of(l, me);
    if (!r) {
        r = spare;
        if (r)
            spare = r->next;
        else
            r = hd_rt_mem(sizeof *r);
        *r = (struct hd_reader){me, 0, l->readers};
        l->readers = r;
    }
    r->depth++;
}

static void drop_reader(struct hd_sync *l, struct hd_reader *gone)
{
    if (--gone->depth)
        return;
    struct hd_reader **at = &l->readers;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    gone->next = spare;
    spare = gone;
}

static bool writers_first(const pthread_rwlock_t *m)
{
    return m->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static int read_lock(struct hd_thread *me, pthread_rwlock_t *m, uint64_t deadline, int timeout,
                     uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    if (l->owner == me)
        return timeout == EBUSY ? EBUSY : EDEADLK;
    /* A try fails only for a writer that holds the lock: waiting ones have no event to blame. */
    me->timed |= deadline != HD_NEVER;
    bool polite = deadline > rt.now && writers_first(m);
    if (polite) /* that a writer waits is no step of it */
        hd_rt_steer_untold(HD_STEER_UNMODELLED);
    while (l->owner || (l->writers && polite && !reader_of(l, me))) {
        if (deadline <= rt.now && !l->owner)
            break; /* the time is up while a writer waits */
        if (deadline <= rt.now) {
            if (hd_rt_sync_holder(l) != me)
                hd_rt_log1(HD_LOG_TRYFAIL, pc, l->addr);
            hd_rt_polled(me);
            return timeout;
        }
        l->waiters++;
        hd_rt_block(me, l, HD_WAITS_LOCK, deadline, pc);
        l->waiters--;
    }
    add_reader(l, me);
    hd_rt_log_words(HD_LOG_RACQ, deadline == HD_NEVER ? 0 : HD_LOG_TRY, pc, 1, &l->addr);
    return 0;
}

static int write_lock(struct hd_thread *me, pthread_rwlock_t *m, uint64_t deadline, int timeout,
                      uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    if (l->owner == me)
        return timeout == EBUSY ? EBUSY : EDEADLK;
    return hd_rt_lock_acquire(me, l, deadline, pc) == HD_LOCK_TIMEOUT ? timeout : 0;
}

static int unlock(struct hd_thread *me, pthread_rwlock_t *m, uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    struct hd_reader *r = reader_of(l, me);
    if (l->owner) {
        hd_rt_lock_release(me, l, pc);
        return 0;
    }
    if (!r && !l->readers)
        return 0; /* POSIX leaves it open; glibc answers 0 */
    if (r) {
        hd_rt_log1(HD_LOG_RREL, pc, l->addr);
    } else {
        r = l->readers;
        hd_rt_log2(HD_LOG_RREL_FOR, 0, pc, l->addr, r->thread->num);
    }
    drop_reader(l, r);
    if (l->waiters) {
        hd_rt_unblock(l);
        hd_rt_released(me);
    }
    return 0;
}

void hd_rt_rwlock_taken(struct hd_thread *me, void *m, bool exclusive, uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    bool shared = l->readers && (l->readers->thread != me || l->readers->next);
    if (l->owner == me && exclusive) {
        l->depth++;
        hd_rt_log1(HD_LOG_ACQ, pc, l->addr);
    } else if (!l->owner && exclusive && !shared) {
        hd_rt_lock_acquire(me, l, HD_NEVER, pc);
    } else if (!l->owner && !exclusive) {
        add_reader(l, me);
        hd_rt_log1(HD_LOG_RACQ, pc, l->addr);
    }
}

bool hd_rt_rwlock_given(struct hd_thread *me, void *m, uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync(m, HD_SYNC_LOCK);
    if (l->owner != me && !reader_of(l, me))
        return false;
    unlock(me, m, pc);
    return true;
}

void hd_rt_give_later(struct hd_thread *me, void *m, uintptr_t pc)
{
    me->pend_kind = HD_LOG_REL;
    me->pend_pc = pc;
    me->pend_addr = m;
    me->pend_len = 1;
}

bool hd_rt_keeps(const struct hd_thread *me, const void *m)
{
    return me->pend_len && me->pend_kind == HD_LOG_REL && me->pend_addr == m;
}

HD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *m, const pthread_rwlockattr_t *attr)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.pthread_rwlock_init(m, attr);
    if (me) {
        hd_rt_sync_reset(m, HD_SYNC_LOCK);
        hd_rt_follow_made(m);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_rwlock_destroy(m);
    hd_rt_arg_dep(pthread_rwlock_destroy);
    hd_rt_destroyed(m, HD_DESTROYED_RWLOCK, HD_PC);
    hd_rt_sync_reset(m, HD_SYNC_LOCK);
    hd_rt_leave(me);
    return 0;
}

#define PLAIN(name, how, deadline, timeout)                                                        \
    HD_EXPORT int name(pthread_rwlock_t *m)                                                        \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name(m);                                                                \
        hd_rt_arg_dep(name);                                                                       \
        int r = how(me, m, deadline, timeout, HD_PC);                                              \
        hd_rt_tried(!r && !(deadline));                                                            \
        hd_rt_leave(me);                                                                           \
        return r;                                                                                  \
    }

PLAIN(pthread_rwlock_rdlock, read_lock, HD_NEVER, ETIMEDOUT)
PLAIN(pthread_rwlock_wrlock, write_lock, HD_NEVER, ETIMEDOUT)
PLAIN(pthread_rwlock_tryrdlock, read_lock, 0, EBUSY)
PLAIN(pthread_rwlock_trywrlock, write_lock, 0, EBUSY)

HD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_rwlock_unlock(m);
    hd_rt_arg_dep(pthread_rwlock_unlock);
    int r = unlock(me, m, HD_PC);
    hd_rt_leave(me);
    return r;
}

static int timed(struct hd_thread *me, pthread_rwlock_t *m, clockid_t clock,
                 const struct timespec *abs, bool write, uintptr_t pc)
{
    uint64_t deadline;
    if (!hd_rt_deadline(clock, abs, &deadline) ||
        (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return EINVAL;
    return write ? write_lock(me, m, deadline, ETIMEDOUT, pc)
                 : read_lock(me, m, deadline, ETIMEDOUT, pc);
}

#define TIMED(name, write)                                                                         \
    HD_EXPORT int name(pthread_rwlock_t *m, const struct timespec *abs)                            \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name(m, abs);                                                           \
        hd_rt_arg_dep(name);                                                                       \
        int r = timed(me, m, CLOCK_REALTIME, abs, write, HD_PC);                                   \
        hd_rt_leave(me);                                                                           \
        return r;                                                                                  \
    }

TIMED(pthread_rwlock_timedrdlock, false)
TIMED(pthread_rwlock_timedwrlock, true)

#define CLOCKED(name, write)                                                                       \
    HD_EXPORT int name(pthread_rwlock_t *m, clockid_t clock, const struct timespec *abs)           \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name(m, clock, abs);                                                    \
        hd_rt_arg_dep(name);                                                                       \
        int r = timed(me, m, clock, abs, write, HD_PC);                                            \
        hd_rt_leave(me);                                                                           \
        return r;                                                                                  \
    }

CLOCKED(pthread_rwlock_clockrdlock, false)
CLOCKED(pthread_rwlock_clockwrlock, true)
