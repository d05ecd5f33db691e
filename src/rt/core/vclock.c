/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/vclock.h"

#include "log/rt_steer.h"
#include "rt/core/live_times.h"
#include "rt/policy/policy.h"
#include "rt/core/spin.h"

#include <errno.h>
#include <sys/syscall.h>

#define SECOND    UINT64_C(1000000000)
#define MONO_BASE (1000 * SECOND)
#define QUESTION  UINT64_C(1000) /* a loop that waits for the time to come gets there */
#define TIGHT     1024           /* questions in a row, after which it gets there faster */
#define FASTEST   20             /* by a factor of 2^20 in the end */

static bool valid(const struct timespec *ts)
{
    return ts->tv_nsec >= 0 && ts->tv_nsec < (long)SECOND;
}

static uint64_t base_of(clockid_t clock)
{
    bool date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    if (date)
        rt.header->asked_date = 1;
    return date ? rt.real_base : MONO_BASE;
}

bool hd_rt_deadline(clockid_t clock, const struct timespec *abs, uint64_t *deadline)
{
    *deadline = 0;
    if (!valid(abs))
        return false;
    if (abs->tv_sec < 0)
        return true;
    uint64_t base = base_of(clock), at;
    if (__builtin_mul_overflow((uint64_t)abs->tv_sec, SECOND, &at) ||
        __builtin_add_overflow(at, (uint64_t)abs->tv_nsec, &at))
        at = HD_NEVER - 1;
    *deadline = at > base ? hd_rt_times_seen(hd_rt_me, at - base) : 0;
    return true;
}

bool hd_rt_deadline_in(const struct timespec *rel, uint64_t *deadline)
{
    *deadline = HD_NEVER;
    if (!rel)
        return true;
    if (!valid(rel) || rel->tv_sec < 0)
        return false;
    uint64_t span;
    if (__builtin_mul_overflow((uint64_t)rel->tv_sec, SECOND, &span) ||
        __builtin_add_overflow(span, (uint64_t)rel->tv_nsec + rt.now, &span))
        span = HD_NEVER - 1;
    *deadline = span;
    return true;
}

bool hd_rt_clock_known(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ||
           clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

void hd_rt_clock_ask(clockid_t clock, struct timespec *ts)
{
    hd_rt_steer_untold(HD_STEER_INPUT); /* what it says depends on who asked before */
    struct hd_thread *me = hd_rt_me;
    uint32_t n = hd_rt_asks_again(me);
    uint32_t faster = n > TIGHT ? (n - TIGHT) / HD_POLLS : 0;
    rt.now += QUESTION << (faster < FASTEST ? faster : FASTEST);
    uint64_t now = base_of(clock) + hd_rt_times_tell(me);
    *ts = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
}

int hd_rt_real_clock_gettime(clockid_t clock, struct timespec *ts)
{
    long r = hd_rt_syscall(SYS_clock_gettime, clock, (long)ts, 0, 0, 0, 0);
    if (r < 0)
        errno = (int)-r;
    return r < 0 ? -1 : 0;
}
