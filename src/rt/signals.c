/* Signal handlers of the program. Runs in the user's process; see the rules in rt.h.
 *
 * A handler that arrives while its thread is inside the runtime waits until the thread holds the
 * token at a point where it may switch; a blocked thread is woken for it and blocks again
 * afterwards. In user code, and for faults, the handler runs at once. What is delivered late has no
 * machine context. */
#include "rt/signals.h"
#include "rt/policy.h"
#include "rt/real.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

static struct sigaction user[_NSIG]; /* what the program asked for */

static void run(int sig, siginfo_t *info, void *context)
{
    struct sigaction act = user[sig];
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(sig, info, context);
    else if (act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN)
        act.sa_handler(sig);
}

static bool is_fault(int sig, const siginfo_t *info)
{
    bool kind = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
                sig == SIGTRAP || sig == SIGABRT;
    return kind && info->si_code != SI_USER && info->si_code != SI_QUEUE;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    struct hd_thread *me = hd_rt_me;
    if (!me || !me->in_rt || is_fault(sig, info) || sig == SIGABRT) {
        run(sig, info, context);
    } else if (me->sig_in - me->sig_out < HD_RT_SIGNALS) {
        me->signals[me->sig_in % HD_RT_SIGNALS] = *info;
        me->sig_in++; /* pairs with hd_rt_signals_run */
        if (rt.holder == me)
            rt.budget = 1;
    }
    errno = saved;
}

void hd_rt_signals_run(struct hd_thread *me)
{
    while (me->sig_out != me->sig_in) {
        siginfo_t info = me->signals[me->sig_out % HD_RT_SIGNALS];
        ucontext_t none;
        memset(&none, 0, sizeof none);
        me->sig_out++;
        me->in_rt = 0;
        run(info.si_signo, &info, &none);
        me->in_rt = 1;
        if (rt.holder != me)
            hd_rt_take_token(me);
        hd_rt_flush(me);
    }
}

static int set(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction mine, before = user[sig], was = {0};
    bool wrap = act && act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
    if (act)
        mine = *act;
    if (wrap) {
        mine.sa_sigaction = on_signal;
        mine.sa_flags |= SA_SIGINFO;
        user[sig] = *act; /* before: the signal may come at once */
        rt.handlers++;
    }
    int r = hd_real.sigaction(sig, act ? &mine : NULL, &was);
    if (was.sa_sigaction == hd_rt_on_crash)
        was = (struct sigaction){.sa_handler = SIG_DFL};
    if (r == 0 && old)
        *old = was.sa_sigaction == on_signal ? before : was;
    if (r < 0 && wrap)
        user[sig] = before;
    return r;
}

HD_EXPORT int sigaction(int sig, const struct sigaction *restrict act,
                        struct sigaction *restrict old)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me || sig <= 0 || sig >= _NSIG) {
        if (me)
            hd_rt_leave(me);
        return hd_real.sigaction(sig, act, old);
    }
    int r = set(sig, act, old);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT __sighandler_t signal(int sig, __sighandler_t handler)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return sigaction(sig, &act, &old) < 0 ? SIG_ERR : old.sa_handler;
}
