/* Processes: fork and waiting for children. Runs in the user's process; see the rules in rt.h.
 *
 * A forked child keeps the scheduler, with the one thread that it has, and gets a log of its own.
 */
#include "rt/core/range_log.h"
#include "rt/core/cancel.h"
#include "rt/libc/chan.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/core/rt.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/core/vclock.h"
#include "rt/libc/sync.h"
#include "rt/libc/views.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE   200000               /* nanoseconds between two looks at a child */
#define LONGEST UINT64_C(1000000000) /* that a question with WNOHANG waits */

static unsigned children;
static uint64_t child_asked; /* when one was started, or asked after, by the virtual clock */

/* The child starts with what the forking thread held and with the counts of semaphores. */
static void begin_child(struct hd_thread *me, unsigned n)
{
    bool recorded = !rt.follow && hd_rt_log_child(n);
    if (!recorded)
        hd_rt_log_off();
    rt.follow = false;
    children = 0;
    hd_rt_forget_others(me);
    hd_rt_keeper_forget();
    me->tid = (pid_t)hd_rt_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    if (recorded && hd_rt_log_is_target())
        hd_rt_follow_child();
    hd_rt_log1(HD_LOG_SWITCH, 0, me->num);
    hd_rt_sync_log_again(me);
    hd_rt_chan_log_again();
    hd_rt_views_log_again();
}

/* For a debugger, which has to know before the fork whether the child is, or leads to, the process
 * that a replay is about. */
HD_EXPORT __attribute__((noinline)) void __hd_fork_ahead(int follow_child);
HD_EXPORT __attribute__((noinline)) void __hd_fork_ahead(int follow_child)
{
    __asm__ volatile("" ::"r"(follow_child) : "memory");
}

static pid_t fork_here(struct hd_thread *me)
{
    unsigned n = children < HD_LOG_CHILDREN ? children + 1 : 0;
    __hd_fork_ahead(n && hd_rt_log_leads_to_target(n));
    char text[3] = {(char)('0' + n / 10), (char)('0' + n % 10), 0};
    hd_rt_log_text(HD_LOG_NOTE, 0, HD_NOTE_FORKED, n ? text : "");
    hd_rt_sem_before_fork();
    hd_rt_lock(); /* no other thread holds it when the child's memory is copied */
    pid_t pid = hd_real.fork();
    if (pid == 0)
        begin_child(me, n);
    else
        hd_rt_unlock();
    if (pid > 0)
        children++;
    child_asked = rt.now;
    return pid;
}

HD_EXPORT pid_t fork(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.fork();
    pid_t pid = fork_here(me);
    hd_rt_leave(me);
    return pid;
}

/* A child that shares our memory would write into our log: it gets a copy instead. */
HD_EXPORT pid_t vfork(void)
{
    return fork();
}

static void wrote(const void *p, size_t n, uintptr_t pc)
{
    if (p)
        hd_rt_wrote(pc, p, n);
}

/* The new process is another program, with a memory of its own: nothing of it belongs in this
 * trace. The runtime in it finds that the log has an owner and keeps still. */
#define SPAWNS(name)                                                                               \
    HD_EXPORT int name(pid_t *restrict pid, const char *restrict path,                             \
                       const posix_spawn_file_actions_t *actions,                                  \
                       const posix_spawnattr_t *restrict attr, char *const argv[restrict],         \
                       char *const envp[restrict])                                                 \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        pid_t child = 0;                                                                           \
        int r = hd_real.name(&child, path, actions, attr, argv, envp);                             \
        if (pid && !r)                                                                             \
            *pid = child;                                                                          \
        if (me) {                                                                                  \
            child_asked = rt.now;                                                                  \
            wrote(r ? NULL : pid, sizeof *pid, HD_PC);                                             \
            hd_rt_log_text(HD_LOG_NOTE, HD_PC, HD_NOTE_UNMODELLED,                                 \
                           #name " (the program that it starts is not recorded)");                 \
            hd_rt_leave(me);                                                                       \
        }                                                                                          \
        return r;                                                                                  \
    }
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* `after` sees the result r, the caller's address pc, and runs with the token. */
#define OUTSIDE(ret, name, params, args, after)                                                    \
    HD_EXPORT ret name params                                                                      \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        uintptr_t pc = HD_PC;                                                                      \
        hd_rt_cancel_point(me, pc);                                                                \
        HD_CANCEL_AWAY(me);                                                                        \
        hd_rt_outside(me);                                                                         \
        ret r = hd_real.name args;                                                                 \
        int e = errno;                                                                             \
        away = NULL;                                                                               \
        hd_rt_take_token(me);                                                                      \
        hd_rt_cancel_back(me);                                                                     \
        after;                                                                                     \
        hd_rt_leave(me);                                                                           \
        errno = e;                                                                                 \
        return r;                                                                                  \
    }
/* ---- the end of a child ---- */

/* What one of the functions below was called with. */
struct child_call {
    bool by_id; /* waitid */
    idtype_t type;
    id_t id;
    siginfo_t *info;
    pid_t pid; /* wait4 */
    int *status;
    struct rusage *usage;
    int options;
};

static enum hd_wait_answer answer_of(const struct child_call *c, long r)
{
    if (r < 0)
        return HD_WAIT_FAILED;
    return (c->by_id ? !c->info || c->info->si_pid : r > 0) ? HD_WAIT_CHILD : HD_WAIT_NOT_YET;
}

static uint64_t real_now(void)
{
    struct timespec ts = {0};
    hd_rt_real_clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* A child lives by the real clock. One that is asked after now and then is given the time that has
 * passed on the virtual clock meanwhile, or the program takes it for stuck. */
static long ask_for(const struct child_call *c, uint64_t span)
{
    const struct timespec pause = {0, PAUSE};
    for (uint64_t start = real_now();;) {
        long r = c->by_id ? hd_real.waitid(c->type, c->id, c->info, c->options)
                          : hd_real.wait4(c->pid, c->status, c->options, c->usage);
        if (answer_of(c, r) != HD_WAIT_NOT_YET || real_now() - start >= span)
            return r;
        hd_rt_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
}

static long ask_system(struct hd_thread *me, const struct child_call *c)
{
    uint64_t span = rt.now - child_asked;
    child_asked = rt.now;
    HD_CANCEL_AWAY(me);
    hd_rt_outside(me);
    long r = ask_for(c, span < LONGEST ? span : LONGEST);
    int e = errno;
    away = NULL;
    hd_rt_take_token(me);
    hd_rt_cancel_back(me);
    errno = e;
    return r;
}

/* The same without waiting. A replay that knows of a child waits for it, as long as it takes. */
static long ask_now(struct hd_thread *me, struct child_call *c)
{
    enum hd_wait_answer answer = hd_rt_waits_ask(me);
    long r = 0;
    if (answer == HD_WAIT_CHILD)
        c->options &= ~WNOHANG;
    if (answer != HD_WAIT_NOT_YET) {
        r = ask_system(me, c);
        answer = answer_of(c, r);
        hd_rt_waits_told(me, answer);
    } else if (c->info) {
        c->info->si_pid = c->info->si_signo = 0;
    }
    int e = errno;
    if (answer == HD_WAIT_NOT_YET)
        hd_rt_polled(me);
    errno = e;
    return r;
}

static long wait_child(struct hd_thread *me, struct child_call *c, uintptr_t pc)
{
    hd_rt_cancel_point(me, pc);
    long r = c->options & WNOHANG ? ask_now(me, c) : ask_system(me, c);
    int e = errno;
    bool child = c->by_id ? r == 0 : r > 0;
    wrote(child ? c->info : NULL, sizeof *c->info, pc);
    wrote(child ? c->status : NULL, sizeof *c->status, pc);
    wrote(child ? c->usage : NULL, sizeof *c->usage, pc);
    hd_rt_leave(me);
    errno = e;
    return r;
}

#define WAITS(name, params, args, ...)                                                             \
    HD_EXPORT pid_t name params                                                                    \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        struct child_call call = {__VA_ARGS__};                                                    \
        return me ? (pid_t)wait_child(me, &call, HD_PC) : hd_real.name args;                       \
    }
WAITS(wait, (int *status), (status), .pid = -1, .status = status)
WAITS(waitpid, (pid_t pid, int *status, int options), (pid, status, options), .pid = pid,
      .status = status, .options = options)
WAITS(wait3, (int *status, int options, struct rusage *usage), (status, options, usage), .pid = -1,
      .status = status, .options = options, .usage = usage)
WAITS(wait4, (pid_t pid, int *status, int options, struct rusage *usage),
      (pid, status, options, usage), .pid = pid, .status = status, .options = options,
      .usage = usage)
WAITS(waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options),
      .by_id = true, .type = type, .id = id, .info = info, .options = options)

OUTSIDE(int, system, (const char *command), (command), (void)pc)
OUTSIDE(int, pclose, (FILE * f), (f), (void)pc)
OUTSIDE(int, pause, (void), (), (void)pc)
OUTSIDE(int, sigsuspend, (const sigset_t *mask), (mask), (void)pc)
OUTSIDE(
    int, sigwait, (const sigset_t *restrict set, int *restrict sig), (set, sig), if (r == 0) {
        hd_rt_signal_came(me, *sig, NULL, pc);
        wrote(sig, sizeof *sig, pc);
    })

static void came(struct hd_thread *me, int sig, const siginfo_t *info, uintptr_t pc)
{
    if (sig <= 0)
        return;
    hd_rt_signal_came(me, sig, info, pc);
    wrote(info, info ? sizeof *info : 0, pc);
}

OUTSIDE(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info),
        came(me, r, info, pc))
OUTSIDE(int, sigtimedwait,
        (const sigset_t *restrict set, siginfo_t *restrict info,
         const struct timespec *restrict timeout),
        (set, info, timeout), came(me, r, info, pc))
OUTSIDE(int, flock, (int fd, int how), (fd, how), (void)pc)
OUTSIDE(int, lockf, (int fd, int how, off_t len), (fd, how, len), (void)pc)
