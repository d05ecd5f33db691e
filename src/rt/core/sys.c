/* Runs in the user's process; see the rules in rt.h. System calls without libc in between, because
 * libc's wrappers may be interposed by us, set errno, or be cancellation points. */
#include "rt/core/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long hd_rt_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
    long ret;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

void hd_rt_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    struct timespec ts = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    hd_rt_syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value,
                  timeout_ns == HD_NEVER ? 0 : (long)&ts, 0, 0);
}

void hd_rt_futex_wake(_Atomic uint32_t *word, int n)
{
    hd_rt_syscall(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, n, 0, 0, 0);
}

uint64_t hd_rt_real_ns(int clock)
{
    struct timespec ts = {0, 0};
    hd_rt_syscall(SYS_clock_gettime, clock, (long)&ts, 0, 0, 0, 0);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

char *hd_rt_getenv(const char *name)
{
    for (char **e = environ; e && *e; e++) {
        size_t i = 0;
        while (name[i] && (*e)[i] == name[i])
            i++;
        if (!name[i] && (*e)[i] == '=')
            return *e + i + 1;
    }
    return NULL;
}

uint64_t hd_rt_random_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int hd_rt_high_fd(int fd)
{
    struct rlimit lim = {0, 0};
    hd_rt_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&lim, 0, 0);
    long top = lim.rlim_cur > 4096 ? 4096 : (long)lim.rlim_cur;
    long moved = hd_rt_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, top > 16 ? top - 16 : 0, 0, 0, 0);
    if (moved < 0)
        return fd;
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return (int)moved;
}

static long checked(long r)
{
    if (r < 0 && r > -4096) {
        errno = (int)-r;
        return -1;
    }
    return r;
}

void *hd_rt_mmap(void *addr, size_t n, int prot, int flags, int fd, long offset)
{
    return (void *)checked(hd_rt_syscall(SYS_mmap, (long)addr, (long)n, prot, flags, fd, offset));
}

int hd_rt_munmap(void *addr, size_t n)
{
    return (int)checked(hd_rt_syscall(SYS_munmap, (long)addr, (long)n, 0, 0, 0, 0));
}

void *hd_rt_mremap(void *addr, size_t n, size_t now, int flags, void *to)
{
    return (void *)checked(
        hd_rt_syscall(SYS_mremap, (long)addr, (long)n, (long)now, flags, (long)to, 0));
}
