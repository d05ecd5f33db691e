/* Logging one access; shared by the hooks of the pass, of ThreadSanitizer and of block functions.
 * Token held, inside hd_rt_enter and hd_rt_leave. */
#ifndef HD_RT_ACCESS_H
#define HD_RT_ACCESS_H

#include "rt/rt.h"

typedef uint16_t __attribute__((aligned(1), may_alias)) hd_u16_any;
typedef uint32_t __attribute__((aligned(1), may_alias)) hd_u32_any;
typedef uint64_t __attribute__((aligned(1), may_alias)) hd_u64_any;

static inline __attribute__((always_inline)) uint64_t hd_rt_load(const void *p, unsigned size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)p;
    case 2:
        return *(const hd_u16_any *)p;
    case 4:
        return *(const hd_u32_any *)p;
    default:
        return *(const hd_u64_any *)p;
    }
}

/* A read without knowledge of dependences. */
static inline __attribute__((always_inline)) void hd_rt_read(uintptr_t pc, const void *p,
                                                             unsigned size)
{
    hd_rt_log2(HD_LOG_READ, size, pc, (uintptr_t)p, hd_rt_load(p, size));
}

/* A write that is about to happen: its value is logged at the thread's next entry. */
static inline __attribute__((always_inline)) void
hd_rt_write_later(struct hd_thread *me, uintptr_t pc, const void *p, unsigned size)
{
    uint64_t *w = hd_rt_log_room(3);
    w[1] = (uintptr_t)p;
    hd_rt_log_head(w, HD_LOG_WRITE, size | HD_LOG_PENDING, pc);
    me->pend_word = w;
    me->pend_addr = p;
    me->pend_len = size;
}

#endif
