/* Logging one access; shared by the hooks of the pass, of ThreadSanitizer and of block functions.
 * Token held, inside hd_rt_enter and hd_rt_leave. */
#ifndef HD_RT_HOOKS_HOOK_ACCESS_H
#define HD_RT_HOOKS_HOOK_ACCESS_H

#include "rt/core/rt.h"

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

/* The same, and not later: a fault comes here (see hd_rt_touch). */
static inline __attribute__((always_inline)) uint64_t hd_rt_load_now(const void *p, unsigned size)
{
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)p;
    case 2:
        return *(const volatile hd_u16_any *)p;
    case 4:
        return *(const volatile hd_u32_any *)p;
    default:
        return *(const volatile hd_u64_any *)p;
    }
}

#define HD_SHAPE(kind, size) ((unsigned)(kind) | (unsigned)__builtin_ctz(size) << 6)

/* A read without knowledge of dependences. */
static inline __attribute__((always_inline)) void hd_rt_read(uintptr_t pc, const void *p,
                                                             unsigned size)
{
    uint64_t w[2] = {(uintptr_t)p, hd_rt_load(p, size)};
    hd_rt_put(pc, HD_SHAPE(HD_LOG_READ, size), w, HD_TOK_NONE, HD_TOK_NONE);
}

/* A fence of this order (__ATOMIC_*). No thread has to wait for it, so the thread does not stop
 * here. Before there are threads it says nothing: a thread that runs later was created after it. */
static inline void hd_rt_log_fence(uintptr_t place, unsigned aux, unsigned order)
{
    struct hd_thread *me = hd_rt_me;
    uint64_t w = HD_LOG_FENCE | (order & 7);
    if (!rt.multi || !me || me->in_rt)
        return;
    me->in_rt = HD_IN_RT;
    if (HD_UNLIKELY(rt.holder != me))
        hd_rt_take_token(me);
    hd_rt_flush(me);
    hd_rt_log_words(HD_LOG_ORDER, aux, place, 1, &w);
    hd_rt_leave(me);
}

#endif
