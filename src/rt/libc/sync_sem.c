/* POSIX semaphores. Runs in the user's process; see the rules in rt.h.
 *
 * A semaphore that we did not see initialised (sem_open, or code before us) starts with the value
 * that libc has for it. A wait that fails, and sem_getvalue, look at the count.
 *
 * A semaphore in memory that a child of fork may share has its tokens in libc's semaphore, too, and
 * who waits for one asks that again and again. A token from another process is no event. */
#include "rt/core/range_log.h"
#include "rt/core/cancel.h"
#include "rt/core/real.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/libc/sync.h"
#include "rt/libc/views.h"
#include "rt/core/vclock.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>

static struct hd_sync *sem_of(sem_t *s)
{
    struct hd_sync *known = hd_rt_sync_find(s, HD_SYNC_SEM);
    if (known && known->generation)
        return known;
    int value = 0;
    hd_real.sem_getvalue(s, &value);
    known = hd_rt_sync(s, HD_SYNC_SEM);
    known->generation = 1; /* has a value */
    known->count = value > 0 ? (uint64_t)value : 0;
    hd_rt_log2(HD_LOG_SEM_INIT, 0, 0, known->addr, known->count);
    return known;
}

static bool is_outer(const struct hd_sync *s)
{
    return hd_rt_views_outer(s->addr);
}

static void give_tokens(struct hd_sync *s)
{
    sem_t *sem = (sem_t *)s->addr; /* NOLINT: an address of user code */
    if (!s->generation || hd_rt_views_key(s->addr) == s->addr)
        return;
    while (hd_real.sem_trywait(sem) == 0) {
    }
    for (uint64_t i = 0; i < s->count; i++)
        hd_real.sem_post(sem);
    if (s->waiters)
        hd_rt_unblock(s); /* they wait in another way now */
}

void hd_rt_sem_before_fork(void)
{
    static bool done;
    if (!done)
        hd_rt_sync_each(HD_SYNC_SEM, give_tokens);
    done = true;
    hd_rt_views_forked();
}

/* Whether there is a token now; of another process, if we know of none. */
static bool has_token(struct hd_sync *s)
{
    if (!is_outer(s))
        return s->count > 0;
    if (hd_real.sem_trywait((sem_t *)s->addr) == 0) /* NOLINT: an address of user code */
        return true;
    s->count = 0; /* others took what there was */
    return false;
}

/* Waits until there may be a token. */
static void wait_for_token(struct hd_thread *me, struct hd_sync *s, uint64_t deadline, uintptr_t pc)
{
    if (is_outer(s)) {
        const struct timespec moment = {0, 1000000};
        const long a[6] = {(long)&moment};
        hd_rt_cancel_syscall(me, SYS_nanosleep, a);
        return;
    }
    s->waiters++;
    hd_rt_block(me, s, HD_WAITS_SEM, deadline, pc);
    s->waiters--;
}

/* 0, or -1 with *error set. */
static int take(struct hd_thread *me, sem_t *sem, uint64_t deadline, int error, uintptr_t pc)
{
    struct hd_sync *s = sem_of(sem);
    hd_rt_signals_fresh(me);
    me->timed |= deadline != HD_NEVER;
    while (!has_token(s)) {
        if (deadline <= rt.now) {
            hd_rt_look(HD_LOOK_COUNT, s->addr, 0, pc);
            hd_rt_polled(me);
            errno = error;
            return -1;
        }
        wait_for_token(me, s, deadline, pc);
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
        /* Linux starts a wait again only if it has no time limit. */
        if (s->count == 0 && me->sig_ran & (deadline == HD_NEVER ? HD_RAN_BREAKS : HD_RAN_ANY)) {
            hd_rt_look(HD_LOOK_COUNT, s->addr, 0, pc);
            errno = EINTR;
            return -1;
        }
    }
    if (s->count > 0)
        hd_rt_log1(HD_LOG_SEM, pc, s->addr);
    s->count -= s->count > 0;
    return 0;
}

HD_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.sem_init(sem, shared, value);
    if (me) {
        if (r == 0) {
            hd_rt_sync_reset(sem, HD_SYNC_SEM);
            sem_of(sem);
        }
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int sem_destroy(sem_t *sem)
{
    struct hd_thread *me = hd_rt_enter();
    if (me) {
        hd_rt_arg_dep(sem_destroy);
        hd_rt_destroyed(sem, HD_DESTROYED_SEM, HD_PC);
    }
    int r = hd_real.sem_destroy(sem);
    if (me) {
        hd_rt_sync_reset(sem, HD_SYNC_SEM);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int sem_wait(sem_t *sem)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sem_wait(sem);
    hd_rt_arg_dep(sem_wait);
    hd_rt_cancel_point(me, HD_PC);
    int r = take(me, sem, HD_NEVER, 0, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int sem_trywait(sem_t *sem)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sem_trywait(sem);
    hd_rt_arg_dep(sem_trywait);
    int r = take(me, sem, 0, EAGAIN, HD_PC);
    hd_rt_tried(!r);
    hd_rt_leave(me);
    return r;
}

static int timed(struct hd_thread *me, sem_t *sem, clockid_t clock, const struct timespec *abs,
                 uintptr_t pc)
{
    uint64_t deadline;
    bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
    if (!known || !hd_rt_deadline(clock, abs, &deadline)) { /* glibc does not look at the count */
        errno = EINVAL;
        return -1;
    }
    hd_rt_cancel_point(me, pc);
    return take(me, sem, deadline, ETIMEDOUT, pc);
}

HD_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sem_timedwait(sem, abs);
    hd_rt_arg_dep(sem_timedwait);
    int r = timed(me, sem, CLOCK_REALTIME, abs, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sem_clockwait(sem, clock, abs);
    hd_rt_arg_dep(sem_clockwait);
    int r = timed(me, sem, clock, abs, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int sem_post(sem_t *sem)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sem_post(sem);
    hd_rt_arg_dep(sem_post);
    struct hd_sync *s = sem_of(sem);
    int r = 0;
    if (s->count == SEM_VALUE_MAX) {
        hd_rt_look(HD_LOOK_COUNT, s->addr, s->count, HD_PC);
        errno = EOVERFLOW;
        r = -1;
    } else {
        s->count++;
        hd_rt_log1(HD_LOG_POST, HD_PC, s->addr);
        if (is_outer(s))
            hd_real.sem_post(sem);
        if (s->waiters)
            hd_rt_unblock(s);
    }
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int sem_getvalue(sem_t *sem, int *value)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sem_getvalue(sem, value);
    hd_rt_arg_dep(sem_getvalue);
    const struct hd_sync *s = sem_of(sem);
    hd_rt_look(HD_LOOK_COUNT, s->addr, s->count, HD_PC);
    *value = (int)s->count;
    if (is_outer(s))
        hd_real.sem_getvalue(sem, value);
    hd_rt_wrote(HD_PC, value, sizeof *value);
    hd_rt_leave(me);
    return 0;
}
