/* Calls that may wait for the world outside. Runs in the user's process; see the rules in rt.h.
 *
 * A read waits under the scheduler: the descriptor is looked at whenever somebody has to be chosen,
 * and the call is made when it will not wait. So a pipe between two threads is deterministic. Long
 * writes and calls that cannot be asked beforehand give the token away instead.
 *
 * A pipe orders its ends: each write is a `post`, and a read that reaches into a write is a `sem`
 * for it. Ends are paired by inode (pipes) or by socketpair. */
#include "rt/io.h"
#include "rt/blocks.h"
#include "rt/real.h"
#include "rt/sync.h"
#include "rt/vclock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

void hd_rt_fd_wait(struct hd_thread *me, int fd, short events)
{
    if (!rt.multi || !may_block(fd))
        return;
    while (!is_ready(fd, events)) {
        struct pollfd p = {fd, events, 0};
        hd_rt_fd_block(me, &p, 1, HD_NEVER);
    }
}

/* ---- edges through pipes ---- */

#define ENDS 1024

struct end {
    bool known;
    ino_t peer; /* socketpair: where what we write arrives; 0: a pipe, itself */
    ino_t self;
};
static struct end ends[ENDS];

/* The channel that fd reads from or writes to, or NULL when it does not connect threads. */
static struct hd_sync *channel(int fd, bool write)
{
    struct stat st;
    if (fd < 0 || hd_rt_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0)
        return NULL;
    if (S_ISFIFO(st.st_mode))
        return hd_rt_sync((void *)(uintptr_t)st.st_ino, HD_SYNC_PIPE);
    if (!S_ISSOCK(st.st_mode) || fd >= ENDS || !ends[fd].known || ends[fd].self != st.st_ino)
        return NULL;
    return hd_rt_sync((void *)(uintptr_t)(write ? ends[fd].peer : st.st_ino), HD_SYNC_PIPE);
}

struct chunk {
    uint64_t start; /* of a write, in bytes of the channel */
    struct chunk *next;
};

static struct chunk *spare;

static void sent(struct hd_sync *c, uint64_t n, uintptr_t pc)
{
    struct chunk *k = spare;
    if (k)
        spare = k->next;
    else
        k = hd_rt_mem(sizeof *k);
    *k = (struct chunk){c->count, NULL};
    struct chunk **at =
        (struct chunk **)&c->owner; /* a pipe has no owner: the queue of its writes */
    while (*at)
        at = &(*at)->next;
    *at = k;
    c->count += n;
    if (!c->generation) {
        c->generation = 1;
        hd_rt_log2(HD_LOG_SEM_INIT, 0, pc, c->addr, 0);
    }
    hd_rt_log1(HD_LOG_POST, pc, c->addr);
}

static void received(struct hd_sync *c, uint64_t n, uintptr_t pc)
{
    struct chunk **head = (struct chunk **)&c->owner;
    c->arrived += n;
    while (*head && (*head)->start < c->arrived) {
        struct chunk *k = *head;
        *head = k->next;
        k->next = spare;
        spare = k;
        hd_rt_log1(HD_LOG_SEM, pc, c->addr);
    }
}

static ssize_t answer(long r)
{
    if (r >= 0)
        return r;
    errno = (int)-r;
    return -1;
}

/* ---- reading ---- */

static long do_read(struct hd_thread *me, const long *a, long nr, void *buf, uintptr_t pc)
{
    hd_rt_fd_wait(me, (int)a[0], POLLIN);
    long r = hd_rt_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r > 0 && buf)
        hd_rt_wrote(pc, buf, (size_t)r);
    struct hd_sync *c = r > 0 ? channel((int)a[0], false) : NULL;
    if (c)
        received(c, (uint64_t)r, pc);
    return r;
}

#define READ_CALL(name, nr, buf, params, args, ...)                                                \
    HD_EXPORT ssize_t name params                                                                  \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        long a[6] = {__VA_ARGS__};                                                                 \
        long r = do_read(me, a, nr, buf, HD_PC);                                                   \
        hd_rt_leave(me);                                                                           \
        return answer(r);                                                                          \
    }

READ_CALL(read, SYS_read, buf, (int fd, void *buf, size_t n), (fd, buf, n), fd, (long)buf, (long)n)
READ_CALL(recv, SYS_recvfrom, buf, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags),
          fd, (long)buf, (long)n, flags)
READ_CALL(recvfrom, SYS_recvfrom, buf,
          (int fd, void *restrict buf, size_t n, int flags, struct sockaddr *restrict from,
           socklen_t *restrict len),
          (fd, buf, n, flags, from, len), fd, (long)buf, (long)n, flags, (long)from, (long)len)
READ_CALL(recvmsg, SYS_recvmsg, NULL, (int fd, struct msghdr *m, int flags), (fd, m, flags), fd,
          (long)m, flags)
READ_CALL(readv, SYS_readv, NULL, (int fd, const struct iovec *v, int n), (fd, v, n), fd, (long)v,
          n)

/* ---- writing ---- */

static long do_write(struct hd_thread *me, const long *a, long nr, size_t n, uintptr_t pc)
{
    struct hd_sync *c = n ? channel((int)a[0], true) : NULL;
    bool outside = rt.multi && may_block((int)a[0]);
    if (outside && n <= PIPE_BUF) {
        hd_rt_fd_wait(me, (int)a[0], POLLOUT);
        outside = false;
    }
    if (c)
        sent(c, n, pc); /* before: a reader may run as soon as the first byte is there */
    if (outside)
        hd_rt_outside(me);
    long r = hd_rt_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (outside)
        hd_rt_take_token(me);
    return r;
}

static void read_by_call(const void *buf, size_t n, uintptr_t pc)
{
    if (buf && n)
        hd_rt_log_bytes(HD_LOG_RANGE_READ, 0, pc, buf, buf, n);
}

static size_t total(const struct iovec *v, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i].iov_len;
    return sum;
}

#define WRITE_CALL(name, nr, buf, size, params, args, ...)                                         \
    HD_EXPORT ssize_t name params                                                                  \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return hd_real.name args;                                                              \
        long a[6] = {__VA_ARGS__};                                                                 \
        read_by_call(buf, size, HD_PC);                                                            \
        long r = do_write(me, a, nr, size, HD_PC);                                                 \
        hd_rt_leave(me);                                                                           \
        return answer(r);                                                                          \
    }

WRITE_CALL(write, SYS_write, buf, n, (int fd, const void *buf, size_t n), (fd, buf, n), fd,
           (long)buf, (long)n)
WRITE_CALL(send, SYS_sendto, buf, n, (int fd, const void *buf, size_t n, int flags),
           (fd, buf, n, flags), fd, (long)buf, (long)n, flags)
WRITE_CALL(sendto, SYS_sendto, buf, n,
           (int fd, const void *buf, size_t n, int flags, const struct sockaddr *to, socklen_t len),
           (fd, buf, n, flags, to, len), fd, (long)buf, (long)n, flags, (long)to, (long)len)
WRITE_CALL(sendmsg, SYS_sendmsg, NULL, total(m->msg_iov, m->msg_iovlen),
           (int fd, const struct msghdr *m, int flags), (fd, m, flags), fd, (long)m, flags)
WRITE_CALL(writev, SYS_writev, NULL, total(v, (size_t)n), (int fd, const struct iovec *v, int n),
           (fd, v, n), fd, (long)v, n)

/* ---- sockets ---- */

static ino_t inode(int fd)
{
    struct stat st;
    return hd_rt_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 ? 0 : st.st_ino;
}

HD_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
    struct hd_thread *me = hd_rt_enter();
    long r = hd_rt_syscall(SYS_socketpair, domain, type, protocol, (long)fds, 0, 0);
    if (me) {
        if (r == 0 && fds[0] < ENDS && fds[1] < ENDS) {
            ends[fds[0]] = (struct end){true, inode(fds[1]), inode(fds[0])};
            ends[fds[1]] = (struct end){true, inode(fds[0]), inode(fds[1])};
        }
        hd_rt_leave(me);
    }
    return (int)answer(r);
}

HD_EXPORT int accept(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.accept(fd, addr, len);
    hd_rt_fd_wait(me, fd, POLLIN);
    long r = hd_rt_syscall(SYS_accept, fd, (long)addr, (long)len, 0, 0, 0);
    hd_rt_leave(me);
    return (int)answer(r);
}

HD_EXPORT int accept4(int fd, struct sockaddr *restrict addr, socklen_t *restrict len, int flags)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.accept4(fd, addr, len, flags);
    hd_rt_fd_wait(me, fd, POLLIN);
    long r = hd_rt_syscall(SYS_accept4, fd, (long)addr, (long)len, flags, 0, 0);
    hd_rt_leave(me);
    return (int)answer(r);
}

HD_EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.connect(fd, addr, len);
    hd_rt_outside(me);
    long r = hd_rt_syscall(SYS_connect, fd, (long)addr, len, 0, 0, 0);
    hd_rt_take_token(me);
    hd_rt_leave(me);
    return (int)answer(r);
}
