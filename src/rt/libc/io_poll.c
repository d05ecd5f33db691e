/* poll, select, epoll_wait and their kin. Runs in the user's process; see the rules in rt.h. Each
 * is asked without waiting; when nothing is ready the thread waits under the scheduler, with the
 * virtual clock, and asks again. With a signal mask, which holds only while the call waits, the
 * call is the kernel's and others run meanwhile. Every handler ends such a wait with EINTR. */
#include "rt/core/live_arrivals.h"
#include "rt/core/range_log.h"
#include "rt/core/cancel.h"
#include "rt/libc/chan.h"
#include "rt/libc/io_calls.h"
#include "rt/core/real.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/core/vclock.h"
#include "rt/core/watch.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

static uint64_t in_ms(int ms)
{
    return ms < 0 ? HD_NEVER : rt.now + (uint64_t)ms * 1000000;
}

static int answer(long r)
{
    if (r >= 0)
        return (int)r;
    errno = (int)-r;
    return -1;
}

/* What the answer said about channels, for fds that were asked for something to read. */
static void looked(const struct pollfd *fds, nfds_t n, uintptr_t pc)
{
    for (nfds_t i = 0; i < n; i++) {
        const struct hd_chan *c = NULL;
        if (fds[i].fd >= 0 && (fds[i].events & (POLLIN | POLLRDNORM)))
            c = hd_rt_chan_source(fds[i].fd);
        if (c && fds[i].revents & (POLLHUP | POLLRDHUP))
            hd_rt_chan_closed(c, pc);
        else if (c)
            hd_rt_chan_asked(c, pc);
    }
}

/* A call on any descriptor with another side outside: in a replay that has to come first. */
static void before(struct hd_thread *me, const struct pollfd *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hd_rt_arrivals_asked(fds[i].fd);
    for (size_t i = 0; i < n; i++) {
        struct hd_fd at = hd_rt_fd(fds[i].fd);
        if (hd_rt_arrivals_from(&at)) {
            hd_rt_arrivals_before(me);
            return;
        }
    }
}

static long poll_until(struct hd_thread *me, struct pollfd *fds, nfds_t n, uint64_t deadline,
                       uintptr_t pc)
{
    hd_rt_cancel_point(me, pc);
    hd_rt_signals_fresh(me);
    before(me, fds, n);
    for (;;) {
        struct timespec zero = {0, 0};
        long r = hd_rt_syscall(SYS_ppoll, (long)fds, (long)n, (long)&zero, 0, 8, 0);
        if (r || rt.now >= deadline) {
            looked(fds, r >= 0 ? n : 0, pc);
            hd_rt_arrivals_polled(fds, n);
            if (!r)
                hd_rt_polled(me);
            return r;
        }
        hd_rt_fd_block(me, fds, (unsigned)n, deadline);
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
        if (me->sig_ran) {
            hd_rt_arrivals_polled(fds, n);
            return -EINTR;
        }
    }
}

static void answered(const struct pollfd *fds, nfds_t n, long r, uintptr_t pc)
{
    for (nfds_t i = 0; r >= 0 && i < n; i++)
        hd_rt_wrote(pc, &fds[i].revents, sizeof fds[i].revents);
}

HD_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.poll(fds, n, timeout);
    long r = poll_until(me, fds, n, in_ms(timeout), HD_PC);
    answered(fds, n, r, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

/* With a mask, the system waits: others may run and move the clock, so the time-out is the real
 * one. */
HD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.ppoll(fds, n, timeout, mask);
    uint64_t deadline;
    long r = -EINVAL;
    struct timespec copy = timeout ? *timeout : (struct timespec){0, 0};
    if (mask) {
        long a[6] = {(long)fds, (long)n, timeout ? (long)&copy : 0, (long)mask, 8};
        hd_rt_cancel_point(me, HD_PC);
        before(me, fds, n);
        r = hd_rt_cancel_syscall(me, SYS_ppoll, a);
        looked(fds, r >= 0 ? n : 0, HD_PC);
        hd_rt_arrivals_polled(fds, n);
    } else if (hd_rt_deadline_in(timeout, &deadline)) {
        r = poll_until(me, fds, n, deadline, HD_PC);
    }
    answered(fds, n, r, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

/* The descriptors of three sets as pollfds; returns their number. */
static unsigned gather(int n, fd_set *const sets[3], struct pollfd *out)
{
    unsigned used = 0;
    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
        short events = 0;
        if (sets[0] && FD_ISSET(fd, sets[0]))
            events |= POLLIN;
        if (sets[1] && FD_ISSET(fd, sets[1]))
            events |= POLLOUT;
        if (sets[2] && FD_ISSET(fd, sets[2]))
            events |= POLLPRI;
        if (events)
            out[used++] = (struct pollfd){fd, events, 0};
    }
    return used;
}

static void sets_written(fd_set *const sets[3], int n, uintptr_t pc)
{
    size_t bytes = ((size_t)n + 63) / 64 * 8;
    for (int i = 0; i < 3; i++)
        if (sets[i] && n > 0)
            hd_rt_wrote(pc, sets[i], bytes < sizeof(fd_set) ? bytes : sizeof(fd_set));
}

/* What select found to be readable; NULL: nothing. */
static void selected(struct pollfd *fds, unsigned n, const fd_set *readable)
{
    for (unsigned i = 0; i < n; i++)
        fds[i].revents =
            (short)(readable && fds[i].events & POLLIN && FD_ISSET(fds[i].fd, readable) ? POLLIN
                                                                                        : 0);
    hd_rt_arrivals_polled(fds, n);
}

static long select_until(struct hd_thread *me, int n, fd_set *const sets[3], uint64_t deadline,
                         const sigset_t *mask, const struct timespec *span, uintptr_t pc)
{
    fd_set saved[3];
    struct pollfd fds[FD_SETSIZE];
    struct timespec zero = mask && span ? *span : (struct timespec){0, 0};
    struct {
        const sigset_t *set;
        size_t size;
    } how = {mask, 8};
    for (int i = 0; i < 3; i++)
        if (sets[i])
            saved[i] = *sets[i];
    unsigned used = gather(n, sets, fds);
    hd_rt_cancel_point(me, pc);
    hd_rt_signals_fresh(me);
    before(me, fds, used);
    for (;;) {
        long a[6] = {n,
                     (long)sets[0],
                     (long)sets[1],
                     (long)sets[2],
                     mask && !span ? 0 : (long)&zero,
                     mask ? (long)&how : 0};
        long r = mask ? hd_rt_cancel_syscall(me, SYS_pselect6, a)
                      : hd_rt_syscall(SYS_pselect6, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (r || mask || rt.now >= deadline) {
            looked(fds, r >= 0 ? used : 0, pc);
            selected(fds, used, r > 0 ? sets[0] : NULL);
            if (r >= 0)
                sets_written(sets, n, pc);
            if (!r)
                hd_rt_polled(me);
            return r;
        }
        hd_rt_fd_block(me, fds, used, deadline);
        for (int i = 0; i < 3; i++)
            if (sets[i])
                *sets[i] = saved[i];
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
        if (me->sig_ran) {
            selected(fds, used, NULL);
            return -EINTR;
        }
    }
}

HD_EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                     struct timeval *restrict timeout)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.select(n, r, w, e, timeout);
    uint64_t deadline = HD_NEVER;
    if (timeout)
        deadline =
            rt.now + (uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_usec * 1000u;
    fd_set *const sets[3] = {r, w, e};
    long got = select_until(me, n, sets, deadline, NULL, NULL, HD_PC);
    if (timeout) {
        uint64_t left = deadline > rt.now ? (deadline - rt.now) / 1000 : 0;
        *timeout = (struct timeval){(time_t)(left / 1000000), (suseconds_t)(left % 1000000)};
        hd_rt_wrote(HD_PC, timeout, sizeof *timeout);
    }
    hd_rt_leave(me);
    return answer(got);
}

HD_EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pselect(n, r, w, e, timeout, mask);
    uint64_t deadline;
    fd_set *const sets[3] = {r, w, e};
    long got = -EINVAL;
    if (hd_rt_deadline_in(timeout, &deadline))
        got = select_until(me, n, sets, deadline, mask, timeout, HD_PC);
    hd_rt_leave(me);
    return answer(got);
}

static long epoll_until(struct hd_thread *me, int fd, struct epoll_event *events, int max,
                        int timeout, const sigset_t *mask, uintptr_t pc)
{
    uint64_t deadline = in_ms(timeout);
    long r;
    hd_rt_cancel_point(me, pc);
    hd_rt_signals_fresh(me);
    if (hd_rt_watch_arrivals(fd, false))
        hd_rt_arrivals_before(me);
    for (;;) {
        long a[6] = {fd, (long)events, max, mask ? timeout : 0, (long)mask, 8};
        r = mask ? hd_rt_cancel_syscall(me, SYS_epoll_pwait, a)
                 : hd_rt_syscall(SYS_epoll_pwait, a[0], a[1], a[2], a[3], 0, 8);
        if (r || mask || rt.now >= deadline)
            break;
        struct pollfd p = {fd, POLLIN, 0};
        hd_rt_fd_block(me, &p, 1, deadline);
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
        if (me->sig_ran) {
            r = -EINTR;
            break;
        }
    }
    hd_rt_watch_arrivals(fd, true);
    if (r >= 0)
        hd_rt_watch_look(fd, pc);
    if (!r)
        hd_rt_polled(me);
    if (r > 0)
        hd_rt_wrote(pc, events, (size_t)r * sizeof *events);
    return r;
}

HD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.epoll_wait(fd, events, max, timeout);
    long r = epoll_until(me, fd, events, max, timeout, NULL, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int max, int timeout,
                          const sigset_t *mask)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.epoll_pwait(fd, events, max, timeout, mask);
    long r = epoll_until(me, fd, events, max, timeout, mask, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.epoll_ctl(ep, op, fd, event);
    long r = hd_rt_syscall(SYS_epoll_ctl, ep, op, fd, (long)event, 0, 0);
    if (r == 0)
        hd_rt_watch_ctl(ep, op, fd, event ? event->events : 0);
    hd_rt_leave(me);
    return answer(r);
}
