/* Calls that may end the process: the last write's value is logged before. Runs in the user's
 * process; see the rules in rt.h. */
#include "rt/real.h"
#include "rt/rt.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void settle(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (me)
        hd_rt_leave(me);
}

HD_EXPORT void _exit(int status)
{
    settle();
    hd_real._exit(status);
    __builtin_unreachable();
}

HD_EXPORT void _Exit(int status)
{
    _exit(status);
}

HD_EXPORT void quick_exit(int status)
{
    settle();
    hd_real.quick_exit(status);
    __builtin_unreachable();
}

HD_EXPORT void abort(void)
{
    settle();
    hd_real.abort();
    __builtin_unreachable();
}

HD_EXPORT int raise(int sig)
{
    settle();
    return hd_real.raise(sig);
}

HD_EXPORT int kill(pid_t pid, int sig)
{
    settle();
    return hd_real.kill(pid, sig);
}
