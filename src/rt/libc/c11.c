/* C11 threads.h. Runs in the user's process; see the rules in rt.h. glibc makes mtx_t and cnd_t
 * from the pthread types, but calls its own inside, so each function has to be caught itself. */
#include "rt/core/range_log.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"
#include "rt/concolic/rt_sym.h"
#include "rt/core/thread.h"
#include "rt/core/vclock.h"

#include <errno.h>
#include <threads.h>

static int answer(int r)
{
    switch (r) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
    case EAGAIN:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

struct c11_start {
    thrd_start_t start;
    void *arg;
};

static void *c11_run(void *p)
{
    struct c11_start s = *(struct c11_start *)p;
    hd_rt_sym_start(hd_rt_me, (const void *)s.start);
    intptr_t result = s.start(s.arg);
    hd_rt_sym_end(hd_rt_me, (const void *)s.start);
    return (void *)result;
}

HD_EXPORT int thrd_create(thrd_t *out, thrd_start_t start, void *arg)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.thrd_create(out, start, arg);
    hd_rt_args_dep(thrd_create, 3);
    hd_rt_sym_given(me, thrd_create, 2);
    struct c11_start *s = hd_rt_mem(sizeof *s);
    *s = (struct c11_start){start, arg};
    int r = hd_rt_thread_create(me, out, NULL, c11_run, s, (uintptr_t)start, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int thrd_join(thrd_t thread, int *result)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.thrd_join(thread, result);
    hd_rt_arg_dep(thrd_join);
    void *p = NULL;
    int r = hd_rt_thread_join(me, thread, &p, HD_NEVER, 0, HD_PC);
    if (r == 0 && result) {
        *result = (int)(intptr_t)p;
        if (hd_rt_sym.on)
            hd_rt_sym_copy(result, &p, sizeof *result);
        hd_rt_wrote(HD_PC, result, sizeof *result);
    }
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int thrd_detach(thrd_t thread)
{
    return answer(pthread_detach(thread));
}

HD_EXPORT void thrd_yield(void)
{
    sched_yield();
}

HD_EXPORT int thrd_sleep(const struct timespec *span, struct timespec *left)
{
    int saved = errno;
    int r = hd_rt_sleep(span, left, HD_PC) == 0 ? 0 : errno == EINTR ? -1 : -2;
    errno = saved;
    return r;
}

HD_EXPORT int mtx_init(mtx_t *m, int type)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.mtx_init(m, type);
    if (me) {
        hd_rt_sync_reset(m, HD_SYNC_LOCK);
        hd_rt_follow_made(m);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT void mtx_destroy(mtx_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (me) {
        hd_rt_arg_dep(mtx_destroy);
        hd_rt_destroyed(m, HD_DESTROYED_MUTEX, HD_PC);
        hd_rt_sync_reset(m, HD_SYNC_LOCK);
        hd_rt_leave(me);
    } else {
        hd_real.mtx_destroy(m);
    }
}

HD_EXPORT int mtx_lock(mtx_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.mtx_lock(m);
    hd_rt_arg_dep(mtx_lock);
    int r = hd_rt_mutex_lock(me, (pthread_mutex_t *)m, HD_NEVER, false, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int mtx_trylock(mtx_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.mtx_trylock(m);
    hd_rt_arg_dep(mtx_trylock);
    int r = hd_rt_mutex_lock(me, (pthread_mutex_t *)m, 0, true, HD_PC);
    hd_rt_tried(!r);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.mtx_timedlock(m, abs);
    hd_rt_arg_dep(mtx_timedlock);
    uint64_t deadline;
    int r = EINVAL;
    if (hd_rt_deadline(CLOCK_REALTIME, abs, &deadline))
        r = hd_rt_mutex_lock(me, (pthread_mutex_t *)m, deadline, false, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int mtx_unlock(mtx_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.mtx_unlock(m);
    hd_rt_arg_dep(mtx_unlock);
    int r = hd_rt_mutex_unlock(me, (pthread_mutex_t *)m, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int cnd_init(cnd_t *c)
{
    return answer(pthread_cond_init((pthread_cond_t *)c, NULL));
}

HD_EXPORT void cnd_destroy(cnd_t *c)
{
    struct hd_thread *me = hd_rt_enter();
    if (me) {
        hd_rt_arg_dep(cnd_destroy);
        hd_rt_destroyed(c, HD_DESTROYED_COND, HD_PC);
        hd_rt_sync_reset(c, HD_SYNC_COND);
        hd_rt_leave(me);
    } else {
        hd_real.cnd_destroy(c);
    }
}

HD_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.cnd_wait(c, m);
    hd_rt_args_dep(cnd_wait, 2);
    int r = hd_rt_cond_do(me, (pthread_cond_t *)c, (pthread_mutex_t *)m, HD_NEVER, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                            const struct timespec *restrict abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.cnd_timedwait(c, m, abs);
    hd_rt_args_dep(cnd_timedwait, 3);
    uint64_t deadline;
    int r = EINVAL;
    if (hd_rt_deadline(CLOCK_REALTIME, abs, &deadline))
        r = hd_rt_cond_do(me, (pthread_cond_t *)c, (pthread_mutex_t *)m, deadline, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int cnd_signal(cnd_t *c)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.cnd_signal(c);
    hd_rt_arg_dep(cnd_signal);
    hd_rt_cond_signal(hd_rt_sync(c, HD_SYNC_COND), false, HD_PC);
    hd_rt_leave(me);
    return thrd_success;
}

HD_EXPORT int cnd_broadcast(cnd_t *c)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.cnd_broadcast(c);
    hd_rt_arg_dep(cnd_broadcast);
    hd_rt_cond_signal(hd_rt_sync(c, HD_SYNC_COND), true, HD_PC);
    hd_rt_leave(me);
    return thrd_success;
}

HD_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
    pthread_once((pthread_once_t *)flag, routine);
}
