/* mmap, mremap, munmap and mprotect: memory that comes and goes. Runs in the user's process; see
 * the rules in rt.h.
 */
#include "log/rt_steer.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/core/rt.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static void *mapped(struct hd_thread *me, void *p, size_t n, uintptr_t pc)
{
    if (me && p != MAP_FAILED)
        hd_rt_log2(HD_LOG_MAP, 0, pc, (uintptr_t)p, n);
    if (me)
        hd_rt_leave(me);
    return p;
}

HD_EXPORT void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    void *p = hd_rt_mmap(addr, n, prot, flags, fd, offset);
    return mapped(me, p, n, HD_PC);
}

HD_EXPORT void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    void *p = hd_rt_mmap(addr, n, prot, flags, fd, offset);
    return mapped(me, p, n, HD_PC);
}

HD_EXPORT int munmap(void *addr, size_t n)
{
    struct hd_thread *me = hd_rt_ready ? hd_rt_enter() : NULL;
    if (me)
        hd_rt_steer_untold(HD_STEER_UNMAPPED);
    int r = hd_rt_munmap(addr, n);
    if (me && r == 0)
        hd_rt_log2(HD_LOG_UNMAP, 0, HD_PC, (uintptr_t)addr, n);
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
        hd_rt_log2(HD_LOG_UNMAP, 0, HD_PC, (uintptr_t)addr, n);
    return mapped(me, p, now, HD_PC);
}

/* No event: a thread that touches the memory then crashes, or does not. */
HD_EXPORT int mprotect(void *addr, size_t n, int prot)
{
    if (hd_rt_ready)
        hd_rt_steer_untold(HD_STEER_UNMAPPED);
    long r = hd_rt_syscall(SYS_mprotect, (long)addr, (long)n, prot, 0, 0, 0);
    if (r >= 0)
        return 0;
    errno = (int)-r;
    return -1;
}
