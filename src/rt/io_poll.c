/* poll, select, epoll_wait and their kin. Runs in the user's process; see the rules in rt.h. Each
 * is asked without waiting; when nothing is ready the thread waits under the scheduler, with the
 * virtual clock, and asks again. */
#include "rt/blocks.h"
#include "rt/io.h"
#include "rt/real.h"
#include "rt/vclock.h"

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

static long poll_until(struct hd_thread *me, struct pollfd *fds, nfds_t n, uint64_t deadline)
{
    for (;;) {
        struct timespec zero = {0, 0};
        long r = hd_rt_syscall(SYS_ppoll, (long)fds, (long)n, (long)&zero, 0, 8, 0);
        if (r || rt.now >= deadline)
            return r;
        hd_rt_fd_block(me, fds, (unsigned)n, deadline);
    }
}

HD_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.poll(fds, n, timeout);
    long r = poll_until(me, fds, n, in_ms(timeout));
    if (r >= 0)
        hd_rt_wrote(HD_PC, fds, n * sizeof *fds);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask)
{
    struct hd_thread *me = mask ? NULL : hd_rt_enter();
    if (!me)
        return hd_real.ppoll(fds, n, timeout, mask);
    uint64_t deadline;
    long r = -EINVAL;
    if (hd_rt_deadline_in(timeout, &deadline))
        r = poll_until(me, fds, n, deadline);
    if (r >= 0)
        hd_rt_wrote(HD_PC, fds, n * sizeof *fds);
    hd_rt_leave(me);
    return answer(r);
}

/* The descriptors of three sets as pollfds; returns their number. */
static unsigned gather(int n, const fd_set *r, const fd_set *w, const fd_set *e, struct pollfd *out)
{
    unsigned used = 0;
    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
        short events = 0;
        if (r && FD_ISSET(fd, r))
            events |= POLLIN;
        if (w && FD_ISSET(fd, w))
            events |= POLLOUT;
        if (e && FD_ISSET(fd, e))
            events |= POLLPRI;
        if (events)
            out[used++] = (struct pollfd){fd, events, 0};
    }
    return used;
}

static long select_until(struct hd_thread *me, int n, fd_set *sets[3], uint64_t deadline)
{
    fd_set saved[3];
    struct pollfd fds[FD_SETSIZE];
    for (int i = 0; i < 3; i++)
        if (sets[i])
            saved[i] = *sets[i];
    unsigned used = gather(n, sets[0], sets[1], sets[2], fds);
    for (;;) {
        struct timespec zero = {0, 0};
        long r = hd_rt_syscall(SYS_pselect6, n, (long)sets[0], (long)sets[1], (long)sets[2],
                               (long)&zero, 0);
        if (r || rt.now >= deadline)
            return r;
        hd_rt_fd_block(me, fds, used, deadline);
        for (int i = 0; i < 3; i++)
            if (sets[i])
                *sets[i] = saved[i];
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
    fd_set *sets[3] = {r, w, e};
    long got = select_until(me, n, sets, deadline);
    if (timeout) {
        uint64_t left = deadline > rt.now ? (deadline - rt.now) / 1000 : 0;
        *timeout = (struct timeval){(time_t)(left / 1000000), (suseconds_t)(left % 1000000)};
    }
    hd_rt_leave(me);
    return answer(got);
}

HD_EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    struct hd_thread *me = mask ? NULL : hd_rt_enter();
    if (!me)
        return hd_real.pselect(n, r, w, e, timeout, mask);
    uint64_t deadline;
    fd_set *sets[3] = {r, w, e};
    long got = -EINVAL;
    if (hd_rt_deadline_in(timeout, &deadline))
        got = select_until(me, n, sets, deadline);
    hd_rt_leave(me);
    return answer(got);
}

HD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.epoll_wait(fd, events, max, timeout);
    uint64_t deadline = in_ms(timeout);
    long r;
    while ((r = hd_rt_syscall(SYS_epoll_wait, fd, (long)events, max, 0, 0, 0)) == 0 &&
           rt.now < deadline) {
        struct pollfd p = {fd, POLLIN, 0};
        hd_rt_fd_block(me, &p, 1, deadline);
    }
    if (r > 0)
        hd_rt_wrote(HD_PC, events, (size_t)r * sizeof *events);
    hd_rt_leave(me);
    return answer(r);
}
