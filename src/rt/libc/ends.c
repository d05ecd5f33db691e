/* Calls that may end the process: the last write's value is logged before. Runs in the user's
 * process; see the rules in rt.h. */
#include "rt/concolic/rt_sym.h"
#include "rt/core/live_inputs.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/core/runon.h"
#include "rt/core/signals.h"
#include "rt/core/thread.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void hd_rt_ends_with(int status, void *unused)
{
    (void)unused;
    hd_rt_sym_streams_end();
    rt.header->status = (uint32_t)(status & 0xff) + 1;
}

void hd_rt_settle(int status)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    hd_rt_ends_with(status, NULL);
    hd_rt_steer_ending(me, HD_PC);
    hd_rt_log_finish();
    hd_rt_leave(me);
}

HD_EXPORT void _exit(int status)
{
    hd_rt_settle(status);
    hd_real._exit(status);
    __builtin_unreachable();
}

HD_EXPORT void _Exit(int status)
{
    _exit(status);
}

HD_EXPORT void abort(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (me && rt.tapped)
        hd_rt_steer_crash(me, SIGABRT);
    if (me) {
        hd_rt_log_finish();
        hd_rt_leave(me);
    }
    hd_real.abort();
    __builtin_unreachable();
}

/* glibc's holds a lock of its own while it aborts: under a search, other threads go on and may come
 * here, too. */
HD_EXPORT void __assert_fail(const char *expr, const char *file, unsigned line, const char *func)
{
    struct hd_thread *me = rt.tapped ? hd_rt_enter() : NULL;
    if (me) {
        dprintf(STDERR_FILENO, "%s: %s:%u: %s: Assertion `%s' failed.\n",
                program_invocation_short_name, file, line, func ? func : "?", expr);
        hd_rt_steer_crash(me, SIGABRT);
    }
    hd_real.__assert_fail(expr, file, line, func);
    __builtin_unreachable();
}

/* The event comes first: nothing of another thread runs between it and the call. A handler for this
 * thread runs in user code, as it does natively. */
#define SENDS(name, params, args, thread)                                                          \
    HD_EXPORT int name params                                                                      \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        uint32_t to = me ? thread : UINT32_MAX;                                                    \
        unsigned before = to == UINT32_MAX ? 0 : hd_rt_signal_before(to);                          \
        if (to != UINT32_MAX)                                                                      \
            hd_rt_signal_sent(to, sig, HD_PC);                                                     \
        if (me)                                                                                    \
            hd_rt_leave(me);                                                                       \
        int r = hd_real.name args;                                                                 \
        if (to == UINT32_MAX || r || !(me = hd_rt_enter()))                                        \
            return r;                                                                              \
        hd_rt_signal_settle(me, to, sig, before);                                                  \
        hd_rt_leave(me);                                                                           \
        return r;                                                                                  \
    }

static uint32_t number_of(pthread_t handle)
{
    const struct hd_thread *t = hd_rt_thread_find(handle);
    return t ? t->num : UINT32_MAX;
}

static uint32_t to_process(pid_t pid)
{
    return pid == getpid() || pid == 0 ? HD_SIGNAL_ANY : UINT32_MAX;
}

SENDS(raise, (int sig), (sig), me->num)
SENDS(kill, (pid_t pid, int sig), (hd_rt_real_pid(pid), sig), to_process(pid))
SENDS(pthread_kill, (pthread_t handle, int sig), (handle, sig), number_of(handle))
SENDS(sigqueue, (pid_t pid, int sig, const union sigval value), (hd_rt_real_pid(pid), sig, value),
      to_process(pid))
SENDS(pthread_sigqueue, (pthread_t handle, int sig, const union sigval value), (handle, sig, value),
      number_of(handle))
