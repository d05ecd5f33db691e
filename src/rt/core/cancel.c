/* Cancellation. Runs in the user's process; see the rules in rt.h.
 *
 * A request is kept with the thread and acted upon where it blocks in a cancellation point, by
 * asking libc to cancel the calling thread itself: the unwinding is libc's. Asynchronous
 * cancellation is treated as deferred, and named. */
#include "rt/core/cancel.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"

#include <errno.h>
#include <sys/syscall.h>

bool hd_rt_cancelled(const struct hd_thread *me)
{
    return me->cancelled && !me->cancel_off;
}

void hd_rt_cancel_here(struct hd_thread *me)
{
    me->cancelled = false;
    hd_rt_look(HD_LOOK_CANCEL, me->num, 1, 0);
    hd_rt_leave(me);
    hd_real.pthread_cancel(pthread_self());
    hd_real.pthread_testcancel();
}

void hd_rt_cancel_point(struct hd_thread *me, uintptr_t pc)
{
    if (hd_rt_cancelled(me)) {
        hd_rt_cancel_here(me);
    } else if (rt.multi && !me->cancel_off) {
        hd_rt_look(HD_LOOK_CANCEL, me->num, 0, pc);
        if (rt.steer) /* what a step is must not depend on whether the call then blocks */
            hd_rt_ask_at(me, NULL, 0, pc);
    }
}

void hd_rt_cancel_away(struct hd_thread **away)
{
    struct hd_thread *me = *away;
    if (!me)
        return;
    hd_rt_take_token(me);
    me->cancelled = false;
    hd_rt_look(HD_LOOK_CANCEL, me->num, 1, 0);
    hd_rt_leave(me);
}

void hd_rt_cancel_back(struct hd_thread *me)
{
    if (hd_rt_cancelled(me))
        hd_rt_cancel_here(me);
}

long hd_rt_cancel_syscall(struct hd_thread *me, long nr, const long *a)
{
    int type;
    HD_CANCEL_AWAY(me);
    hd_rt_outside(me);
    /* as libc does around calls that wait: a request is to end this one */
    hd_real.pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    long r = hd_rt_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    hd_real.pthread_setcanceltype(type, NULL);
    away = NULL;
    hd_rt_take_token(me);
    hd_rt_cancel_back(me);
    return r;
}

HD_EXPORT int pthread_cancel(pthread_t handle)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_cancel(handle);
    for (uint32_t i = rt.n_threads; i-- > 0;) {
        struct hd_thread *t = rt.threads[i];
        if (!pthread_equal(t->handle, handle) || t->joined || t->state == HD_DONE)
            continue;
        t->cancelled = true;
        hd_rt_set(HD_LOOK_CANCEL, t->num, 1, HD_PC);
        if (!t->cancel_off)
            hd_rt_unblock_one(t); /* it looks again, and finds the request */
        if (t->state == HD_OUTSIDE)
            hd_real.pthread_cancel(handle); /* in a call of libc's, which knows what to do */
        break;
    }
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT void pthread_testcancel(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me) {
        hd_real.pthread_testcancel();
        return;
    }
    hd_rt_cancel_point(me, HD_PC);
    hd_rt_leave(me);
}

HD_EXPORT int pthread_setcancelstate(int state, int *old)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.pthread_setcancelstate(state, old);
    if (me) {
        if (r == 0)
            me->cancel_off = state == PTHREAD_CANCEL_DISABLE;
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int pthread_setcanceltype(int type, int *old)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_setcanceltype(type, old);
    int before = me->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    int r = type == PTHREAD_CANCEL_ASYNCHRONOUS || type == PTHREAD_CANCEL_DEFERRED ? 0 : EINVAL;
    if (r == 0) {
        me->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
        if (me->cancel_async)
            hd_rt_log_text(HD_LOG_NOTE, HD_PC, HD_NOTE_UNMODELLED,
                           "asynchronous cancellation; it is treated as deferred");
        if (old)
            *old = before;
    }
    hd_rt_leave(me);
    return r;
}
