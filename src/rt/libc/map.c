/* mmap, mremap, munmap, mprotect, shmat and shmdt: memory that comes and goes. Runs in the user's
 * process; see the rules in rt.h.
 */
#include "log/rt_steer.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/core/rt.h"
#include "rt/libc/views.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#define PAGE ((size_t)4096)

/* The kernel maps and unmaps whole pages. */
static size_t whole(size_t n)
{
    return (n + PAGE - 1) / PAGE * PAGE;
}

static void *mapped(struct hd_thread *me, void *p, size_t n, uintptr_t pc)
{
    if (me && p != MAP_FAILED)
        hd_rt_log2(HD_LOG_MAP, 0, pc, (uintptr_t)p, whole(n));
    if (me)
        hd_rt_leave(me);
    return p;
}

static void *map(void *addr, size_t n, int prot, int flags, int fd, off_t offset, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    void *p = hd_rt_mmap(addr, n, prot, flags, fd, offset);
    bool shared = (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
    if (me && p != MAP_FAILED && shared)
        hd_rt_views_mapped((uintptr_t)p, whole(n), flags & MAP_ANONYMOUS ? -1 : fd, offset,
                           prot & PROT_WRITE);
    else if (me && p != MAP_FAILED)
        hd_rt_views_unmapped((uintptr_t)p, whole(n));
    return mapped(me, p, n, pc);
}

HD_EXPORT void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
    return map(addr, n, prot, flags, fd, offset, HD_PC);
}

HD_EXPORT void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
    return map(addr, n, prot, flags, fd, offset, HD_PC);
}

HD_EXPORT int munmap(void *addr, size_t n)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    if (me)
        hd_rt_steer_untold(HD_STEER_UNMAPPED);
    int r = hd_rt_munmap(addr, n);
    if (me && r == 0) {
        hd_rt_views_unmapped((uintptr_t)addr, whole(n));
        hd_rt_log2(HD_LOG_UNMAP, 0, HD_PC, (uintptr_t)addr, whole(n));
    }
    if (me)
        hd_rt_leave(me);
    return r;
}

/* Another mapping, even at the same address; what it holds shows when it is read. */
HD_EXPORT void *mremap(void *addr, size_t n, size_t now, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    if (me)
        hd_rt_steer_untold(HD_STEER_UNMAPPED);
    void *p = hd_rt_mremap(addr, n, now, flags, to);
    if (me && p != MAP_FAILED && n)
        hd_rt_log2(HD_LOG_UNMAP, 0, HD_PC, (uintptr_t)addr, whole(n));
    if (me && p != MAP_FAILED)
        hd_rt_views_moved((uintptr_t)addr, whole(n), (uintptr_t)p, whole(now));
    return mapped(me, p, now, HD_PC);
}

HD_EXPORT void *shmat(int id, const void *addr, int flags)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    struct shmid_ds seg;
    long r = hd_rt_syscall(SYS_shmat, id, (long)addr, flags, 0, 0, 0);
    bool known = me && r >= 0 && hd_rt_syscall(SYS_shmctl, id, IPC_STAT, (long)&seg, 0, 0, 0) >= 0;
    if (known)
        hd_rt_views_attached((uintptr_t)r, whole(seg.shm_segsz), id, !(flags & SHM_RDONLY));
    if (r < 0 && r > -(long)PAGE) {
        errno = (int)-r;
        r = -1;
    }
    if (known)
        return mapped(me, (void *)r, seg.shm_segsz, HD_PC); /* NOLINT: the kernel gave a number */
    if (me)
        hd_rt_leave(me);
    return (void *)r; /* NOLINT: the same */
}

HD_EXPORT int shmdt(const void *addr)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    size_t n = me ? hd_rt_views_size_at((uintptr_t)addr) : 0;
    if (me)
        hd_rt_steer_untold(HD_STEER_UNMAPPED);
    long r = hd_rt_syscall(SYS_shmdt, (long)addr, 0, 0, 0, 0, 0);
    if (r >= 0 && n) {
        hd_rt_views_unmapped((uintptr_t)addr, n);
        hd_rt_log2(HD_LOG_UNMAP, 0, HD_PC, (uintptr_t)addr, n);
    }
    if (me)
        hd_rt_leave(me);
    if (r >= 0)
        return 0;
    errno = (int)-r;
    return -1;
}

/* No event: a thread that touches the memory then crashes, or does not. */
HD_EXPORT int mprotect(void *addr, size_t n, int prot)
{
    if (hd_rt_ready)
        hd_rt_steer_untold(HD_STEER_UNMAPPED);
    long r = hd_rt_syscall(SYS_mprotect, (long)addr, (long)n, prot, 0, 0, 0);
    if (r >= 0 && hd_rt_ready && prot & PROT_WRITE)
        hd_rt_views_writable((uintptr_t)addr, n);
    if (r >= 0)
        return 0;
    errno = (int)-r;
    return -1;
}
