/* What would differ from run to run: random numbers and the process id. Runs in the user's process;
 * see the rules in rt.h.
 *
 * Random numbers of the system come from the seed of the run instead, a stream for each thread by
 * its way of creation, so that neither another run nor another order of the threads changes them.
 * The process id is the real one while recording; a replay returns the recorded one. */
#include "rt/core/live_inputs.h"
#include "rt/core/range_log.h"
#include "rt/hooks/caller.h"
#include "log/rt_steer.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

/* ---- random numbers ---- */

static uint64_t path_of(const struct hd_thread *t)
{
    uint64_t h = 1;
    uint32_t child = t->child;
    for (const struct hd_way *w = t->from; w; child = w->child, w = w->from)
        h = (h ^ child) * UINT64_C(0x100000001b3);
    return h;
}

void hd_rt_random_fill(struct hd_thread *me, void *out, size_t n)
{
    if (!me->random)
        me->random = (rt.header->entropy ^ path_of(me) * UINT64_C(0x9e3779b97f4a7c15)) | 1;
    for (size_t at = 0; at < n; at += 8) {
        uint64_t word = hd_rt_random_next(&me->random);
        hd_rt_memmove((char *)out + at, &word, n - at < 8 ? n - at : 8);
    }
    rt.header->asked_random = 1;
}

bool hd_rt_random_fd(const struct hd_fd *at)
{
    return S_ISCHR(at->mode) && (at->device == makedev(1, 8) || at->device == makedev(1, 9));
}

static bool give(void *out, size_t n, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_enter_at(out, n, by.pc);
    if (!me)
        return false;
    hd_rt_depend(me, by);
    hd_rt_random_fill(me, out, n);
    hd_rt_wrote(by.pc, out, n);
    hd_rt_leave(me);
    return true;
}

HD_EXPORT ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    return give(out, n, HD_BY(getrandom, 3)) ? (ssize_t)n : hd_real.getrandom(out, n, flags);
}

HD_EXPORT int getentropy(void *out, size_t n)
{
    if (n > 256) {
        errno = EIO;
        return -1;
    }
    return give(out, n, HD_BY(getentropy, 2)) ? 0 : hd_real.getentropy(out, n);
}

/* libc has these since 2.36; a program that calls them found them there. */
HD_EXPORT void arc4random_buf(void *out, size_t n)
{
    if (!give(out, n, HD_BY(arc4random_buf, 2)))
        hd_real.arc4random_buf(out, n);
}

HD_EXPORT uint32_t arc4random(void)
{
    uint32_t v;
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.arc4random();
    hd_rt_random_fill(me, &v, sizeof v);
    hd_rt_leave(me);
    return v;
}

HD_EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
    uint64_t v;
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.arc4random_uniform(bound);
    hd_rt_random_fill(me, &v, sizeof v);
    hd_rt_leave(me);
    return bound ? (uint32_t)(v % bound) : 0; /* the bias of 64 bits is below what shows */
}

/* ---- libc's numbers: one sequence for all threads ---- */

static void tell_shared(void)
{
    struct hd_thread *me = hd_real.rand ? NULL : hd_rt_enter(); /* the first call finds them */
    if (me)
        hd_rt_leave(me);
    hd_rt_steer_untold(HD_STEER_INPUT);
}

#define SHARED_NUMBERS(ret, name)                                                                  \
    HD_EXPORT ret name(void)                                                                       \
    {                                                                                              \
        tell_shared();                                                                             \
        return hd_real.name();                                                                     \
    }

SHARED_NUMBERS(int, rand)
SHARED_NUMBERS(long, random)
SHARED_NUMBERS(long, lrand48)
SHARED_NUMBERS(double, drand48)

/* ---- the process ---- */

static pid_t real_pid(void)
{
    return (pid_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* A forked child has an id of its own. */
static bool is_replayed(pid_t real)
{
    return rt.follow && rt.header->pid && (uint32_t)real == rt.header->owner;
}

HD_EXPORT pid_t getpid(void)
{
    pid_t real = real_pid();
    if (rt.on && !rt.follow && (uint32_t)real == rt.header->owner)
        rt.header->pid = (uint32_t)real;
    return is_replayed(real) ? (pid_t)rt.header->pid : real;
}

pid_t hd_rt_real_pid(pid_t pid)
{
    pid_t real = real_pid();
    return pid > 0 && is_replayed(real) && (uint32_t)pid == rt.header->pid ? real : pid;
}
