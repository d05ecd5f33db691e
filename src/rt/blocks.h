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

#endif
