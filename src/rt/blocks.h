/* Block operations: the real ones, and their records. */
#ifndef HD_RT_BLOCKS_H
#define HD_RT_BLOCKS_H

#include "rt/rt.h"

/* Our own, so that nothing here calls an interposed function before libc is found. */
void *hd_rt_memmove(void *to, const void *from, size_t n);
void *hd_rt_memset(void *to, int byte, size_t n);

/* Range records of n bytes at p whose contents are at `bytes`. */
void hd_rt_log_bytes(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const void *p,
                     const void *bytes, size_t n);

/* We put n bytes at p into the program's memory, as POSIX tells us to: a write like any other. */
static inline void hd_rt_wrote(uintptr_t pc, const void *p, size_t n)
{
    hd_rt_log_bytes(HD_LOG_RANGE_WRITE, 0, pc, p, p, n);
}

#endif
