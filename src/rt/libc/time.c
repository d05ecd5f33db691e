/* Sleeping and asking for the time, on the virtual clock. Runs in the user's process; see rt.h. */
#include "rt/core/range_log.h"
#include "rt/hooks/caller.h"
#include "rt/core/cancel.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"
#include "rt/core/rt.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/core/vclock.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

/* The time that is left: more than 0 when a handler broke the sleep off. */
static uint64_t sleep_until(struct hd_thread *me, uint64_t deadline, uintptr_t pc)
{
    hd_rt_cancel_point(me, pc);
    hd_rt_signals_fresh(me);
    if (rt.now >= deadline)
        hd_rt_polled_yield(me); /* sleep(0) in a loop that waits for another thread */
    while (rt.now < deadline && !me->sig_ran) {
        hd_rt_block(me, me, HD_WAITS_OTHER, deadline, pc);
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
    }
    return rt.now < deadline ? deadline - rt.now : 0;
}

static int tell_left(uint64_t ns, struct timespec *left, uintptr_t pc)
{
    if (ns && left) {
        *left = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
        hd_rt_wrote(pc, left, sizeof *left);
    }
    return ns ? EINTR : 0;
}

int hd_rt_sleep(const struct timespec *span, struct timespec *left, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, pc);
    if (!me)
        return hd_real.nanosleep(span, left);
    uint64_t deadline;
    int r = hd_rt_deadline_in(span, &deadline) && span ? 0 : EINVAL;
    if (r == 0)
        r = tell_left(sleep_until(me, deadline, pc), left, pc);
    hd_rt_leave(me);
    if (r)
        errno = r;
    return r ? -1 : 0;
}

HD_EXPORT int nanosleep(const struct timespec *span, struct timespec *left)
{
    return hd_rt_sleep(span, left, HD_PC);
}

HD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span,
                              struct timespec *left)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me || !hd_rt_clock_known(clock)) {
        if (me)
            hd_rt_leave(me);
        return hd_real.clock_nanosleep(clock, flags, span, left);
    }
    uint64_t deadline;
    bool absolute = flags & TIMER_ABSTIME;
    bool valid =
        absolute ? hd_rt_deadline(clock, span, &deadline) : hd_rt_deadline_in(span, &deadline);
    int r = EINVAL;
    if (valid)
        r = tell_left(sleep_until(me, deadline, HD_PC), absolute ? NULL : left, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT unsigned sleep(unsigned seconds)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sleep(seconds);
    struct timespec span = {(time_t)seconds, 0};
    uint64_t deadline;
    hd_rt_deadline_in(&span, &deadline);
    uint64_t left = sleep_until(me, deadline, HD_PC);
    hd_rt_leave(me);
    return (unsigned)((left + 500000000u) / 1000000000u);
}

HD_EXPORT int usleep(useconds_t us)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.usleep(us);
    uint64_t left = sleep_until(me, rt.now + us * UINT64_C(1000), HD_PC);
    hd_rt_leave(me);
    if (left)
        errno = EINTR;
    return left ? -1 : 0;
}

/* What a library asked for itself (std::chrono does) is not logged. */
static void told(struct hd_thread *me, struct hd_caller by, const void *p, size_t n)
{
    if (!hd_rt_module_has(by.pc))
        return;
    hd_rt_depend(me, by);
    hd_rt_wrote(by.pc, p, n);
}

HD_EXPORT int clock_gettime(clockid_t clock, struct timespec *ts)
{
    struct hd_caller by = HD_BY(clock_gettime, 2);
    struct hd_thread *me = hd_rt_clock_known(clock) ? hd_rt_enter() : NULL;
    if (!me)
        return hd_rt_real_clock_gettime(clock, ts);
    hd_rt_clock_ask(clock, ts);
    told(me, by, ts, sizeof *ts);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct hd_caller by = HD_BY(gettimeofday, 2);
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.gettimeofday(tv, zone);
    struct timespec ts;
    hd_rt_clock_ask(CLOCK_REALTIME, &ts);
    *tv = (struct timeval){ts.tv_sec, ts.tv_nsec / 1000};
    told(me, by, tv, sizeof *tv);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT time_t time(time_t *out)
{
    struct hd_caller by = HD_BY(time, 1);
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.time(out);
    struct timespec ts;
    hd_rt_clock_ask(CLOCK_REALTIME, &ts);
    if (out) {
        *out = ts.tv_sec;
        told(me, by, out, sizeof *out);
    }
    hd_rt_leave(me);
    return ts.tv_sec;
}

HD_EXPORT int timespec_get(struct timespec *ts, int base)
{
    struct hd_caller by = HD_BY(timespec_get, 2);
    struct hd_thread *me = base == TIME_UTC ? hd_rt_enter() : NULL;
    if (!me)
        return hd_real.timespec_get(ts, base);
    hd_rt_clock_ask(CLOCK_REALTIME, ts);
    told(me, by, ts, sizeof *ts);
    hd_rt_leave(me);
    return base;
}
