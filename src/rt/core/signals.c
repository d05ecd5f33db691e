/* Signal handlers of the program. Runs in the user's process; see the rules in rt.h.
 *
 * A handler that arrives while its thread is inside the runtime waits until the thread holds the
 * token at a point where it may switch; a blocked thread is woken for it and blocks again
 * afterwards. In user code, in a call of the system that waits, and for faults, the handler runs at
 * once. What is delivered late has no machine context.
 *
 * A signal that the program sends itself orders sender and handler: a `post` when it is sent, a
 * `sem` before the handler, on an object for each thread and signal. */
#include "rt/core/rt_check.h"
#include "rt/core/signals.h"
#include "rt/concolic/rt_sym.h"
#include "rt/core/live_arrivals.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction user[_NSIG]; /* what the program asked for */

/* ---- edges from sender to handler ---- */

static struct hd_sync *edge(uint32_t thread, int sig)
{
    uint64_t name = HD_PSEUDO(HD_PSEUDO_SIGNAL, (uint64_t)thread << 8 | (unsigned)sig);
    struct hd_sync *s = hd_rt_sync((const void *)(uintptr_t)name, HD_SYNC_SEM);
    if (!s->generation) {
        s->generation = 1;
        hd_rt_log2(HD_LOG_SEM_INIT, 0, 0, s->addr, 0);
    }
    return s;
}

void hd_rt_signal_sent(uint32_t thread, int sig, uintptr_t pc)
{
    if (sig <= 0 || sig >= _NSIG)
        return;
    struct hd_sync *s = edge(thread, sig);
    s->count++;
    hd_rt_log1(HD_LOG_POST, pc, s->addr);
}

static bool take(uint32_t thread, int sig, uintptr_t pc)
{
    struct hd_sync *s = edge(thread, sig);
    if (!s->count)
        return false;
    s->count--;
    hd_rt_log1(HD_LOG_SEM, pc, s->addr);
    return true;
}

static bool is_own(const siginfo_t *info)
{
    return !info || info->si_pid == (pid_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

void hd_rt_signal_came(struct hd_thread *me, int sig, const siginfo_t *info, uintptr_t pc)
{
    if (sig <= 0 || sig >= _NSIG)
        return;
    bool own = is_own(info) && (take(me->num, sig, pc) || take(HD_SIGNAL_ANY, sig, pc));
    if (!own && (!info || !is_own(info)))
        hd_rt_arrivals_signal(sig, info);
}

static unsigned arrived_at(uint32_t thread)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (thread == rt.threads[i]->num || thread == HD_SIGNAL_ANY)
            n += rt.threads[i]->sig_seen;
    return n;
}

unsigned hd_rt_signal_before(uint32_t thread)
{
    return arrived_at(thread);
}

/* The kernel delivers when it likes. We wait for that, a little, so that the same run comes again,
 * and so that the clock does not jump past a wait that is about to be broken off. */
void hd_rt_signal_settle(struct hd_thread *me, uint32_t thread, int sig, unsigned before)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->num == thread && rt.threads[i]->state == HD_FDWAIT)
            hd_rt_unblock_one(rt.threads[i]); /* only it sees its signals in a signalfd */
    if (sig <= 0 || sig >= _NSIG || thread == me->num || !user[sig].sa_handler)
        return;
    struct timespec ms = {0, 1000000};
    for (int i = 0; i < 200 && arrived_at(thread) == before; i++)
        hd_rt_syscall(i < 100 ? SYS_sched_yield : SYS_nanosleep, (long)&ms, 0, 0, 0, 0, 0);
    hd_rt_lock();
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->sig_in != t->sig_out && (t->state == HD_BLOCKED || t->state == HD_FDWAIT))
            hd_rt_make_ready(t);
    }
    hd_rt_unlock();
}

/* ---- running handlers ---- */

static void call(int sig, siginfo_t *info, void *context)
{
    struct sigaction act = user[sig];
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(sig, info, context);
    else if (act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN)
        act.sa_handler(sig);
}

/* A handler may come between __hd_more and the hook that it belongs to: the handler's first event
 * then has taken those tokens. What comes next depends on all reads so far instead. */
static void tokens_again(struct hd_thread *me)
{
    if (!rt.pass || !hd_rt_enter())
        return;
    for (unsigned role = 0; role < 2; role++)
        hd_rt_log2(HD_LOG_MORE, 0, hd_rt_pack.prev, role, hd_tok_range(0, __hd_flow.count));
    me->more = true;
    hd_rt_leave(me);
}

/* A handler may come between two hooks of one access, or between a call and the tokens for it.
 * hooks: maybe the first; else the thread waits in a call. */
static void run(struct hd_thread *me, int sig, siginfo_t *info, void *context, bool hooks)
{
    if (!me) {
        call(sig, info, context);
        return;
    }
    if (me->pend_len && me->pend_kind == HD_LOG_REL && hd_rt_enter())
        hd_rt_leave(me); /* the handler does not have the lock */
    struct hd_flow flow = __hd_flow;
    uint64_t old[2] = {me->rmw_old[0], me->rmw_old[1]};
    const void *pend_addr = me->pend_addr, *last_read = me->last_read;
    uint32_t pend_len = me->pend_len;
    uintptr_t pend_pc = me->pend_pc;
    enum hd_log_kind pend_kind = me->pend_kind;
    hd_tok rmw_addr = me->rmw_addr;
    me->more = false;
    if (hooks) /* the branch that the last tokens are for may not be there yet */
        me->decided = (struct hd_decided){0};
    if (pend_len)
        hd_rt_counts(__hd_flow.count - 1); /* it will come after what the handler does */
    me->pend_len = 0;
    me->last_read = NULL;
    if (hd_rt_enter()) {
        hd_rt_signal_came(me, sig, info, 0);
        hd_rt_leave(me);
    }
    call(sig, info, context);
    if (pend_len && hd_rt_enter()) /* what the handler wrote last */
        hd_rt_leave(me);
    if (hooks && !pend_len) /* __hd_more would have logged the write */
        tokens_again(me);
    me->sig_ran |= HD_RAN_ANY | (user[sig].sa_flags & SA_RESTART ? 0 : HD_RAN_BREAKS);
    if (pend_len)
        hd_rt_write_later(me, pend_kind, pend_pc, pend_addr, pend_len);
    me->last_read = last_read;
    me->rmw_old[0] = old[0];
    me->rmw_old[1] = old[1];
    me->rmw_addr = rmw_addr;
    flow.now = flow.last_read = __hd_flow.now;
    __hd_flow = flow;
}

static bool is_fault(int sig, const siginfo_t *info)
{
    bool kind = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
                sig == SIGTRAP || sig == SIGABRT;
    return kind && info->si_code != SI_USER && info->si_code != SI_QUEUE;
}

/* A schedule says when a handler runs: maybe later than the signal comes. */
static bool is_due(const struct hd_thread *me, const siginfo_t *info)
{
    return !rt.follow || !is_own(info) || hd_rt_follow_handler(me);
}

/* The thread waits in the kernel, maybe without the token: the handler takes it, if it has hooks,
 * and the wait goes on without it. */
static void run_in_wait(struct hd_thread *me, int sig, siginfo_t *info, void *context)
{
    bool outside = rt.holder != me;
    me->in_wait = false;
    me->in_rt = 0;
    run(me, sig, info, context, false);
    me->in_rt = 1;
    hd_rt_flush(me);
    if (outside && rt.holder == me)
        hd_rt_outside(me);
    me->in_wait = true;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    struct hd_thread *me = hd_rt_me;
    if (me)
        me->sig_seen++; /* pairs with hd_rt_signal_settle */
    if (!me || (!me->in_rt && is_due(me, info))) {
        run(rt.on ? me : NULL, sig, info, context, true);
    } else if (is_fault(sig, info) && rt.holder == me && sig != SIGABRT) {
        int was = me->in_rt; /* a hook looked at memory of the program, which may jump away now */
        me->in_rt = 0;
        run(me, sig, info, context, true);
        me->in_rt = was;
    } else if (is_fault(sig, info) || sig == SIGABRT) {
        call(sig, info, context);
    } else if (me->in_wait) {
        run_in_wait(me, sig, info, context);
    } else if (me->sig_in - me->sig_out < HD_RT_SIGNALS) {
        me->signals[me->sig_in % HD_RT_SIGNALS] = *info;
        me->sig_in++;                            /* pairs with hd_rt_signals_run */
        atomic_fetch_add(&me->go, HD_GO_SIGNAL); /* pairs with wait_for_token */
        if (rt.holder == me)
            rt.budget = 1;
    }
    errno = saved;
}

void hd_rt_signals_run(struct hd_thread *me)
{
    while (!me->sig_hold && me->sig_out != me->sig_in) {
        siginfo_t info = me->signals[me->sig_out % HD_RT_SIGNALS];
        if (!is_due(me, &info))
            return;
        ucontext_t none;
        int saved = errno;
        HD_RT_CHECK(me->sig_in - me->sig_out <= HD_RT_SIGNALS);
        memset(&none, 0, sizeof none);
        me->sig_out++;
        me->in_rt = 0;
        run(me, info.si_signo, &info, &none, true);
        me->in_rt = 1;
        if (rt.holder != me)
            hd_rt_take_token(me);
        hd_rt_flush(me);
        errno = saved;
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
    if (was.sa_sigaction == hd_rt_on_crash || was.sa_sigaction == hd_rt_sym_on_fault)
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
