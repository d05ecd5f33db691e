/* Calls that may wait for the world outside. Runs in the user's process; see the rules in rt.h.
 *
 * A read waits under the scheduler: the descriptor is looked at whenever a thread has to be chosen,
 * and the call is made when it will not wait. So a pipe between two threads is deterministic. Long
 * writes and calls that cannot be asked beforehand give the token away instead.
 *
 * The order that pipes and sockets give to threads: chan.h. A handler without SA_RESTART ends a
 * wait with EINTR. */
#include "rt/libc/io_calls.h"
#include "rt/concolic/rt_sym.h"
#include "rt/core/live_arrivals.h"
#include "rt/core/live_inputs.h"
#include "rt/core/range_log.h"
#include "rt/core/cancel.h"
#include "rt/libc/chan.h"
#include "rt/libc/format.h"
#include "rt/libc/fortify.h"
#include "rt/libc/views.h"
#include "log/rt_steer.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static bool is_ready(int fd, short events)
{
    struct pollfd p = {fd, events, 0};
    struct timespec zero = {0, 0};
    return hd_rt_syscall(SYS_ppoll, (long)&p, 1, (long)&zero, 0, 8, 0) != 0;
}

static bool may_block(int fd)
{
    long flags = hd_rt_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

/* How long a socket lets its calls wait, as it was told with setsockopt. */
static uint64_t limit_of(int fd, short events)
{
    struct timeval span = {0, 0};
    socklen_t len = sizeof span;
    long r =
        hd_rt_syscall(SYS_getsockopt, fd, SOL_SOCKET, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO,
                      (long)&span, (long)&len, 0);
    if (r < 0 || (span.tv_sec == 0 && span.tv_usec == 0))
        return HD_NEVER;
    return rt.now + (uint64_t)span.tv_sec * 1000000000u + (uint64_t)span.tv_usec * 1000u;
}

/* 0, -EINTR, or -EAGAIN when the socket's limit has passed. Others have run, and the descriptor may
 * be another one now. */
static long wait_long(struct hd_thread *me, int fd, short events)
{
    uint64_t deadline = limit_of(fd, events);
    hd_rt_signals_fresh(me);
    do {
        struct pollfd p = {fd, events, 0};
        if (rt.now >= deadline)
            return -EAGAIN;
        hd_rt_fd_block(me, &p, 1, deadline);
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
        if (me->sig_ran & HD_RAN_BREAKS)
            return -EINTR;
    } while (!is_ready(fd, events));
    return 0;
}

/* Whether a call would let the thread wait in the kernel. */
static bool would_wait(int fd, short events)
{
    return rt.multi && !is_ready(fd, events) && may_block(fd);
}

bool hd_rt_fd_wait(struct hd_thread *me, int fd, short events)
{
    return !would_wait(fd, events) || wait_long(me, fd, events) != -EINTR;
}

/* As wait_long; *at is looked at again if others have run. */
static long wait_ready(struct hd_thread *me, struct hd_fd *at, short events)
{
    long r = 0;
    if (would_wait(at->fd, events)) {
        r = wait_long(me, at->fd, events);
        *at = hd_rt_fd(at->fd);
    }
    return r;
}

/* MSG_*: of the calls that have them. */
static int flags_of(long nr, const long *a)
{
    if (nr == SYS_recvfrom || nr == SYS_sendto)
        return (int)a[3];
    return nr == SYS_recvmsg || nr == SYS_sendmsg ? (int)a[2] : 0;
}

/* The only thread waits in the kernel, where handlers run at once. */
static long make_call(struct hd_thread *me, const long *a, long nr)
{
    me->in_wait = true;
    long r = hd_rt_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    me->in_wait = false;
    if (r == -EAGAIN)
        hd_rt_polled(me);
    return r;
}

static ssize_t answer(long r)
{
    if (r >= 0)
        return r;
    errno = (int)-r;
    return -1;
}

/* ---- reading ---- */

static void log_vector(const struct iovec *v, size_t parts, size_t n, bool write, uintptr_t pc)
{
    for (size_t i = 0; i < parts && n; i++) {
        size_t part = v[i].iov_len < n ? v[i].iov_len : n;
        hd_rt_log_bytes(write ? HD_LOG_RANGE_WRITE : HD_LOG_RANGE_READ, 0, pc, v[i].iov_base,
                        v[i].iov_base, part);
        n -= part;
    }
}

/* The kernel answers at once: nothing is asked for, or less than the descriptor ever gives (those
 * of events and timers have no type of file). */
static bool never_waits(const struct hd_fd *at, long nr, const long *a)
{
    if (nr != SYS_read || a[2] >= 8)
        return false;
    return a[2] == 0 || (at->self && (at->mode & S_IFMT) == 0);
}

/* Makes the call when it will not wait; *at is what it then reads. */
static long call_when_ready(struct hd_thread *me, struct hd_fd *at, const long *a, long nr)
{
    int flags = flags_of(nr, a);
    long r = flags & MSG_DONTWAIT ? 0 : wait_ready(me, at, POLLIN);
    if (r < 0)
        return r;
    if (!rt.multi || !(flags & MSG_WAITALL) || flags & MSG_DONTWAIT)
        return make_call(me, a, nr);
    r = hd_rt_cancel_syscall(me, nr, a); /* what it waits for may be more than what is there */
    *at = hd_rt_fd(at->fd);
    return r;
}

/* What the call left in buf, or in the vector if buf is NULL. */
static long read_once(struct hd_thread *me, struct hd_fd *at, const long *a, long nr, void *buf,
                      const struct iovec *v, size_t parts, uintptr_t pc)
{
    int flags = flags_of(nr, a);
    hd_rt_cancel_point(me, pc);
    if (rt.stepwise) /* others may have run */
        *at = hd_rt_fd(at->fd);
    if (never_waits(at, nr, a))
        return make_call(me, a, nr);
    long r = call_when_ready(me, at, a, nr);
    bool random = hd_rt_random_fd(at);
    if (r > 0 && buf && random)
        hd_rt_random_fill(me, buf, (size_t)r);
    struct hd_chan *c = r >= 0 || r == -EAGAIN ? hd_rt_chan_of(at, false) : NULL;
    bool end = r == 0 && c && !hd_rt_chan_has_message(c);
    if (end)
        hd_rt_chan_closed(c, pc);
    else if (c && r >= 0 && !(flags & MSG_PEEK))
        hd_rt_chan_received(c, (uint64_t)r, pc);
    else if (c)
        hd_rt_chan_asked(c, pc);
    else if (r > 0 && !random)
        hd_rt_steer_untold(HD_STEER_INPUT); /* a file: its position is shared */
    if (r > 0 && buf) /* MSG_TRUNC: the whole length of a message that was cut */
        hd_rt_wrote(pc, buf, r < a[2] ? (size_t)r : (size_t)a[2]);
    else if (r > 0 && v)
        log_vector(v, parts, (size_t)r, true, pc);
    return r;
}

static long do_read(struct hd_thread *me, const long *a, long nr, void *buf, const struct iovec *v,
                    size_t parts, uintptr_t pc)
{
    int fd = (int)a[0];
    struct hd_fd at = hd_rt_fd(fd);
    bool from = hd_rt_arrivals_from(&at);
    hd_rt_arrivals_asked(fd);
    if (from)
        hd_rt_arrivals_before(me);
    if (from && !rt.multi && may_block(fd))
        hd_rt_arrivals_alone(fd, POLLIN);
    long r = read_once(me, &at, a, nr, buf, v, parts, pc);
    struct iovec one = {buf, buf ? (size_t)a[2] : 0};
    if (from)
        hd_rt_arrivals_read(&at, r, buf ? &one : v, buf ? 1 : parts, flags_of(nr, a) & MSG_PEEK);
    else if (buf && nr == SYS_read)
        hd_rt_arrivals_signalfd(fd, buf, r);
    return r;
}

#define READ_CALL(name, nr, buf, v, parts, params, args, ...)                                      \
    HD_EXPORT ssize_t name params                                                                  \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        long a[6] = {__VA_ARGS__};                                                                 \
        long r = do_read(me, a, nr, buf, v, parts, HD_PC);                                         \
        hd_rt_leave(me);                                                                           \
        return answer(r);                                                                          \
    }

ssize_t hd_rt_read_fd(int fd, void *buf, size_t n, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, pc);
    if (!me)
        return hd_real.read(fd, buf, n);
    int error = hd_rt_sym.on ? hd_rt_sym_fails("read") : 0;
    if (error) {
        hd_rt_leave(me);
        return answer(-error);
    }
    long a[6] = {fd, (long)buf, (long)n};
    long r = do_read(me, a, SYS_read, buf, NULL, 0, pc);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    return hd_rt_read_fd(fd, buf, n, HD_PC);
}

READ_CALL(recv, SYS_recvfrom, buf, NULL, 0, (int fd, void *buf, size_t n, int flags),
          (fd, buf, n, flags), fd, (long)buf, (long)n, flags)

/* The address that the kernel wrote, cut to the room that there was for it. */
static void wrote_address(const struct sockaddr *addr, const socklen_t *len, socklen_t room,
                          uintptr_t pc)
{
    hd_rt_wrote(pc, addr, *len < room ? *len : room);
    hd_rt_wrote(pc, len, sizeof *len);
}

HD_EXPORT ssize_t recvfrom(int fd, void *restrict buf, size_t n, int flags,
                           struct sockaddr *restrict from, socklen_t *restrict len)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.recvfrom(fd, buf, n, flags, from, len);
    socklen_t room = from && len ? *len : 0;
    long a[6] = {fd, (long)buf, (long)n, flags, (long)from, (long)len};
    long r = do_read(me, a, SYS_recvfrom, buf, NULL, 0, HD_PC);
    if (r >= 0 && from && len)
        wrote_address(from, len, room, HD_PC);
    hd_rt_leave(me);
    return answer(r);
}

READ_CALL(recvmsg, SYS_recvmsg, NULL, m->msg_iov, m->msg_iovlen,
          (int fd, struct msghdr *m, int flags), (fd, m, flags), fd, (long)m, flags)
READ_CALL(readv, SYS_readv, NULL, v, (size_t)n, (int fd, const struct iovec *v, int n), (fd, v, n),
          fd, (long)v, n)

/* ---- writing ---- */

/* The channel of a call that writes. */
static struct hd_chan *chan_to(const struct hd_fd *at, const long *a, long nr)
{
    const struct msghdr *m = nr == SYS_sendmsg ? (const void *)a[1] : NULL;          /* NOLINT */
    const void *to = nr == SYS_sendto ? (const void *)a[4] : m ? m->msg_name : NULL; /* NOLINT */
    return hd_rt_chan_to(at, true, to, m ? m->msg_namelen : (size_t)a[5]);
}

static bool to_file(long nr)
{
    return nr == SYS_write || nr == SYS_writev || nr == SYS_pwrite64 || nr == SYS_pwritev;
}

/* Where a call put the n bytes that it wrote; every call appends if the file was opened so. */
static uint64_t written_at(const long *a, long nr, uint64_t n)
{
    struct stat st;
    bool given = nr == SYS_pwrite64 || nr == SYS_pwritev;
    if (!given)
        return (uint64_t)hd_rt_syscall(SYS_lseek, a[0], 0, SEEK_CUR, 0, 0, 0) - n;
    long flags = hd_rt_syscall(SYS_fcntl, a[0], F_GETFL, 0, 0, 0, 0);
    if (flags >= 0 && flags & O_APPEND &&
        hd_rt_syscall(SYS_fstat, a[0], (long)&st, 0, 0, 0, 0) >= 0)
        return (uint64_t)st.st_size - n;
    return (uint64_t)a[3];
}

/* What is written to a file shows where it is mapped. */
static void show_written(const long *a, long nr, const void *buf, const struct iovec *v, long r,
                         uintptr_t pc)
{
    struct iovec one = {(void *)(uintptr_t)buf, r > 0 ? (size_t)r : 0};
    if (r > 0 && to_file(nr) && hd_rt_views_of((int)a[0]))
        hd_rt_views_wrote((int)a[0], written_at(a, nr, (uint64_t)r), buf ? &one : v, (size_t)r, pc);
}

static long do_write(struct hd_thread *me, const long *a, long nr, size_t n, uintptr_t pc)
{
    hd_rt_cancel_point(me, pc);
    struct hd_fd at = hd_rt_fd((int)a[0]);
    struct hd_chan *c = chan_to(&at, a, nr);
    c = n || (c && hd_rt_chan_messages(c)) ? c : NULL;
    bool empty = n == 0 && nr == SYS_write, viewed = to_file(nr) && hd_rt_views_of((int)a[0]);
    if (!c && (empty || viewed)) /* what others see of it must not change while they run */
        return make_call(me, a, nr);
    bool may_wait = rt.multi && !(flags_of(nr, a) & MSG_DONTWAIT),
         full = may_wait && !S_ISREG(at.mode) && would_wait(at.fd, POLLOUT),
         outside = may_wait && n > PIPE_BUF && may_block(at.fd);
    long waited = full && !outside ? wait_long(me, at.fd, POLLOUT) : 0;
    if (waited < 0)
        return waited;
    if (c && full)
        hd_rt_chan_look(c, pc); /* a thread made room */
    const void *bytes =
        nr == SYS_write || nr == SYS_sendto ? (const void *)a[1] : NULL; /* NOLINT */
    if (c && outside)
        hd_rt_chan_sent(c, n, bytes,
                        pc); /* before: a reader may run as soon as the first byte is there */
    long r = outside ? hd_rt_cancel_syscall(me, nr, a) : make_call(me, a, nr);
    if (c && !outside && r >= (n > 0))
        hd_rt_chan_sent(c, (uint64_t)r, bytes, pc);
    else if (c && !outside && r == -EAGAIN)
        hd_rt_chan_look(c, pc);
    return r;
}

static void read_by_call(const void *buf, const struct iovec *v, size_t parts, size_t n,
                         uintptr_t pc)
{
    if (buf)
        hd_rt_reads(pc, buf, n);
    else if (v)
        log_vector(v, parts, n, false, pc);
}

static size_t total(const struct iovec *v, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i].iov_len;
    return sum;
}

#define WRITE_CALL(name, nr, buf, v, parts, size, params, args, ...)                               \
    HD_EXPORT ssize_t name params                                                                  \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        long a[6] = {__VA_ARGS__};                                                                 \
        read_by_call(buf, v, parts, size, HD_PC);                                                  \
        long r = do_write(me, a, nr, size, HD_PC);                                                 \
        show_written(a, nr, buf, v, r, HD_PC);                                                     \
        hd_rt_leave(me);                                                                           \
        return answer(r);                                                                          \
    }

ssize_t hd_rt_write_fd(int fd, const void *buf, size_t n, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, pc);
    if (!me)
        return hd_real.write(fd, buf, n);
    long a[6] = {fd, (long)buf, (long)n};
    read_by_call(buf, NULL, 0, n, pc);
    long r = do_write(me, a, SYS_write, n, pc);
    show_written(a, SYS_write, buf, NULL, r, pc);
    hd_rt_leave(me);
    return answer(r);
}

HD_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    return hd_rt_write_fd(fd, buf, n, HD_PC);
}

WRITE_CALL(send, SYS_sendto, buf, NULL, 0, n, (int fd, const void *buf, size_t n, int flags),
           (fd, buf, n, flags), fd, (long)buf, (long)n, flags)
WRITE_CALL(sendto, SYS_sendto, buf, NULL, 0, n,
           (int fd, const void *buf, size_t n, int flags, const struct sockaddr *to, socklen_t len),
           (fd, buf, n, flags, to, len), fd, (long)buf, (long)n, flags, (long)to, (long)len)
WRITE_CALL(sendmsg, SYS_sendmsg, NULL, m->msg_iov, m->msg_iovlen, total(m->msg_iov, m->msg_iovlen),
           (int fd, const struct msghdr *m, int flags), (fd, m, flags), fd, (long)m, flags)
WRITE_CALL(writev, SYS_writev, NULL, v, (size_t)n, total(v, (size_t)n),
           (int fd, const struct iovec *v, int n), (fd, v, n), fd, (long)v, n)
/* No channel takes an offset, so the call never waits for a thread. What of the buffer was read is
 * known behind it: it may end where memory does. */
static long do_pwrite(struct hd_thread *me, const long *a, long nr, const void *buf,
                      const struct iovec *v, uintptr_t pc)
{
    hd_rt_cancel_point(me, pc);
    long r = make_call(me, a, nr);
    if (r > 0)
        read_by_call(buf, v, (size_t)a[2], (size_t)r, pc);
    show_written(a, nr, buf, v, r, pc);
    return r;
}

#define PWRITE_CALL(name, nr, buf, v, params, args, ...)                                           \
    HD_EXPORT ssize_t name params                                                                  \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        long a[6] = {__VA_ARGS__};                                                                 \
        long r = do_pwrite(me, a, nr, buf, v, HD_PC);                                              \
        hd_rt_leave(me);                                                                           \
        return answer(r);                                                                          \
    }

PWRITE_CALL(pwrite, SYS_pwrite64, buf, NULL, (int fd, const void *buf, size_t n, off_t at),
            (fd, buf, n, at), fd, (long)buf, (long)n, at)
PWRITE_CALL(pwrite64, SYS_pwrite64, buf, NULL, (int fd, const void *buf, size_t n, off64_t at),
            (fd, buf, n, at), fd, (long)buf, (long)n, at)
PWRITE_CALL(pwritev, SYS_pwritev, NULL, v, (int fd, const struct iovec *v, int n, off_t at),
            (fd, v, n, at), fd, (long)v, n, at)
PWRITE_CALL(pwritev64, SYS_pwritev, NULL, v, (int fd, const struct iovec *v, int n, off64_t at),
            (fd, v, n, at), fd, (long)v, n, at)

/* ---- descriptors that connect threads ---- */

HD_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
    struct hd_thread *me = hd_rt_enter();
    long r = hd_rt_syscall(SYS_socketpair, domain, type, protocol, (long)fds, 0, 0);
    if (me) {
        if (r == 0) {
            hd_rt_chan_pair(fds[0], fds[1]);
            hd_rt_wrote(HD_PC, fds, 2 * sizeof *fds);
        }
        hd_rt_leave(me);
    }
    return (int)answer(r);
}

HD_EXPORT int pipe2(int fds[2], int flags)
{
    struct hd_thread *me = hd_rt_enter();
    long r = hd_rt_syscall(SYS_pipe2, (long)fds, flags, 0, 0, 0, 0);
    if (me) {
        if (r == 0)
            hd_rt_wrote(HD_PC, fds, 2 * sizeof *fds);
        hd_rt_leave(me);
    }
    return (int)answer(r);
}

HD_EXPORT int pipe(int fds[2])
{
    struct hd_thread *me = hd_rt_enter();
    long r = hd_rt_syscall(SYS_pipe2, (long)fds, 0, 0, 0, 0, 0);
    if (me) {
        if (r == 0)
            hd_rt_wrote(HD_PC, fds, 2 * sizeof *fds);
        hd_rt_leave(me);
    }
    return (int)answer(r);
}

HD_EXPORT int eventfd(unsigned count, int flags)
{
    struct hd_thread *me = hd_rt_enter();
    long r = hd_rt_syscall(SYS_eventfd2, count, flags, 0, 0, 0, 0);
    if (me) {
        if (r >= 0)
            hd_rt_chan_event((int)r, flags & EFD_SEMAPHORE);
        hd_rt_leave(me);
    }
    return (int)answer(r);
}

HD_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    return hd_rt_read_fd(fd, value, sizeof *value, HD_PC) == sizeof *value ? 0 : -1;
}

HD_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    return hd_rt_write_fd(fd, &value, sizeof value, HD_PC) == sizeof value ? 0 : -1;
}

HD_EXPORT int close(int fd)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    if (me)
        hd_rt_chan_closing(fd, HD_PC);
    long r = hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    if (me)
        hd_rt_leave(me);
    return (int)answer(r);
}

HD_EXPORT int shutdown(int fd, int how)
{
    struct hd_thread *me = hd_rt_enter();
    /* Asked before the call: a connection that is shut down has no peer. */
    struct hd_chan *out = me && how != SHUT_RD ? hd_rt_chan(fd, true) : NULL;
    struct hd_chan *in = me && how != SHUT_WR ? hd_rt_chan_source(fd) : NULL;
    long r = hd_rt_syscall(SYS_shutdown, fd, how, 0, 0, 0, 0);
    if (out && r == 0)
        hd_rt_chan_shut(out, HD_PC);
    if (in && r == 0) /* threads that wait to read or to accept go on */
        hd_rt_chan_shut(in, HD_PC);
    if (me)
        hd_rt_leave(me);
    return (int)answer(r);
}

/* Why there is no connection: none waits, and whether the listener is shut down. */
static void not_accepted(int fd, uintptr_t pc)
{
    const struct hd_chan *c = hd_rt_chan_source(fd);
    if (c)
        hd_rt_chan_asked(c, pc);
}

static long do_accept(struct hd_thread *me, int fd, struct sockaddr *addr, socklen_t *len,
                      int flags, uintptr_t pc)
{
    hd_rt_cancel_point(me, pc);
    hd_rt_arrivals_before(me);
    if (!rt.multi && may_block(fd))
        hd_rt_arrivals_alone(fd, POLLIN);
    long r = would_wait(fd, POLLIN) ? wait_long(me, fd, POLLIN) : 0;
    socklen_t room = addr && len ? *len : 0;
    long a[6] = {fd, (long)addr, (long)len, flags};
    if (r == 0)
        r = make_call(me, a, SYS_accept4);
    bool outside = r >= 0 && !hd_rt_chan_accepted(fd, (int)r, pc);
    hd_rt_arrivals_accepted(fd, (int)r, outside);
    if (r == -EAGAIN || r == -EINVAL)
        not_accepted(fd, pc);
    if (r < 0)
        return r;
    if (addr && len)
        wrote_address(addr, len, room, pc);
    return r;
}

HD_EXPORT int accept(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.accept(fd, addr, len);
    long r = do_accept(me, fd, addr, len, 0, HD_PC);
    hd_rt_leave(me);
    return (int)answer(r);
}

HD_EXPORT int accept4(int fd, struct sockaddr *restrict addr, socklen_t *restrict len, int flags)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.accept4(fd, addr, len, flags);
    long r = do_accept(me, fd, addr, len, flags, HD_PC);
    hd_rt_leave(me);
    return (int)answer(r);
}

static long connect_outside(struct hd_thread *me, int fd, const struct sockaddr *addr,
                            socklen_t len)
{
    const long a[6] = {fd, (long)addr, len};
    return hd_rt_cancel_syscall(me, SYS_connect, a);
}

/* Through the file system it waits only when the other side lets many wait: no thread has to run
 * meanwhile, so that it is known whether it succeeds before others see it. */
static long connect_unix(struct hd_thread *me, int fd, const struct sockaddr *addr, socklen_t len,
                         uintptr_t pc)
{
    long flags = hd_rt_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    bool waits = flags >= 0 && !(flags & O_NONBLOCK);
    if (waits)
        hd_rt_syscall(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK, 0, 0, 0);
    long r = hd_rt_syscall(SYS_connect, fd, (long)addr, len, 0, 0, 0);
    if (waits)
        hd_rt_syscall(SYS_fcntl, fd, F_SETFL, flags, 0, 0, 0);
    if (waits && r == -EAGAIN)
        r = connect_outside(me, fd, addr, len);
    hd_rt_chan_looked(addr, len, pc);
    if (r == 0)
        hd_rt_chan_connected(fd, addr, len, pc);
    return r;
}

HD_EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
    struct hd_thread *me = hd_rt_enter();
    long r;
    if (!me)
        return hd_real.connect(fd, addr, len);
    hd_rt_cancel_point(me, HD_PC);
    if (len >= sizeof addr->sa_family && addr->sa_family == AF_UNIX) {
        r = connect_unix(me, fd, addr, len, HD_PC);
    } else {
        hd_rt_chan_looked(addr, len, HD_PC);
        hd_rt_chan_connects(addr, len, HD_PC);
        r = connect_outside(me, fd, addr, len);
    }
    hd_rt_leave(me);
    return (int)answer(r);
}

HD_EXPORT int listen(int fd, int backlog)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.listen(fd, backlog);
    long r = hd_rt_syscall(SYS_listen, fd, backlog, 0, 0, 0, 0);
    if (r == 0) {
        hd_rt_chan_listens(fd, HD_PC);
        hd_rt_arrivals_listens(fd);
    }
    hd_rt_leave(me);
    return (int)answer(r);
}
