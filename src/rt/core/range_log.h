/* Block operations: the real ones, and their records. */
#ifndef HD_RT_CORE_RANGE_LOG_H
#define HD_RT_CORE_RANGE_LOG_H

#include "rt/core/rt.h"

/* Our own, so that nothing here calls an interposed function before libc is found. */
void *hd_rt_memmove(void *to, const void *from, size_t n);
void *hd_rt_memset(void *to, int byte, size_t n);

/* Range records of n bytes at p whose contents are at `bytes`. */
void hd_rt_log_bytes(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const void *p,
                     const void *bytes, size_t n);

/* A long range is cut so that each record fits easily into a chunk. */
#define HD_RT_RANGE_MAX (HD_LOG_CHUNK / 4)

/* A fault comes here, before anything has changed: a handler may log records of its own, and then
 * go on or jump away. */
static inline void hd_rt_touch(const void *p, size_t n)
{
    const volatile char *at = p;
    for (size_t i = 0; i < n; i += 4096)
        (void)at[i];
    if (n)
        (void)at[n - 1];
}

/* The same for one record of at most HD_RT_RANGE_MAX bytes, without counting an event. */
void hd_rt_put_range(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const void *p,
                     const void *bytes, size_t n);
/* A range that is about to be written: contents follow at the thread's next entry. */
void hd_rt_range_later(struct hd_thread *me, uintptr_t pc, const void *addr, size_t len);

void hd_rt_heap_start(void);      /* heap.c: once, before the program runs */
size_t hd_rt_block_size(void *p); /* bytes that a heap block has room for */

/* We put n bytes at p into the program's memory, as POSIX asks: a write like any other. */
static inline void hd_rt_wrote(uintptr_t pc, const void *p, size_t n)
{
    hd_rt_log_bytes(HD_LOG_RANGE_WRITE, 0, pc, p, p, n);
}

#endif
