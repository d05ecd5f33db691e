/* System calls without libc in between, and small helpers: sys.c. They set errno only where it says
 * so, take no lock and are no cancellation points. */
#ifndef HD_RT_CORE_SYS_H
#define HD_RT_CORE_SYS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

long hd_rt_syscall(long nr, long a, long b, long c, long d, long e, long f);
void hd_rt_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void hd_rt_futex_wake(_Atomic uint32_t *word, int n);
uint64_t hd_rt_real_ns(int clock);
char *hd_rt_getenv(const char *name); /* as libc has it */
uint64_t hd_rt_random_next(uint64_t *state);
void *hd_rt_mmap(void *addr, size_t n, int prot, int flags, int fd, long offset); /* sets errno */
void *hd_rt_mremap(void *addr, size_t n, size_t now, int flags, void *to);        /* sets errno */
int hd_rt_munmap(void *addr, size_t n);                                           /* sets errno */
int hd_rt_high_fd(int fd); /* moves fd out of the program's way; closes the old one */

#endif
