/* How every call into the runtime starts and ends. Included by rt.h only. */
#ifndef HD_RT_CORE_ENTER_H
#define HD_RT_CORE_ENTER_H

#include "rt/core/rt.h"

/* The calling thread is this one. */
static inline void hd_rt_is(struct hd_thread *me)
{
    __hd_flow.thread = __hd_flow.quick = me;
}

/* Entry of every interposed function and every hook that is not on the fast path.
 * NULL: act as if we were not there (not recorded, inside the runtime, ending thread). */
struct hd_thread *hd_rt_enter_slow(const void *p, size_t n, uintptr_t site);

/* p, n, site: for hd_rt_ask_at, so that they cost nothing when the policy does not ask. */
static inline __attribute__((always_inline)) struct hd_thread *
hd_rt_enter_at(const void *p, size_t n, uintptr_t site)
{
    struct hd_thread *me = hd_rt_me;
    if (HD_UNLIKELY(!me || me->in_rt))
        return me && me->in_rt ? NULL : hd_rt_enter_slow(p, n, site);
    me->in_rt = 1;
    /* pairs with the membarrier of the keeper's take_away */
    atomic_signal_fence(memory_order_seq_cst);
    if (HD_UNLIKELY(rt.holder != me))
        return hd_rt_enter_slow(p, n, site);
    hd_rt_flush(me);
    if (HD_UNLIKELY(--rt.budget == 0))
        hd_rt_ask_at(me, p, n, site); /* not in hd_rt_leave: nothing may come between a hook and
                                         its access */
    return me;
}

/* The same where others must not run before: in libc's calls they might wait for a lock of libc
 * that me holds. The next hook asks. */
static inline __attribute__((always_inline)) struct hd_thread *hd_rt_enter_quiet(uintptr_t site)
{
    struct hd_thread *me = hd_rt_me;
    if (HD_UNLIKELY(!me || me->in_rt))
        return me ? NULL : hd_rt_enter_slow(NULL, 0, site);
    me->in_rt = 1;
    atomic_signal_fence(memory_order_seq_cst); /* as above */
    if (HD_UNLIKELY(rt.holder != me))
        return hd_rt_enter_slow(NULL, 0, site);
    hd_rt_flush(me);
    return me;
}

/* For exported functions. A helper that gets its caller's pc uses hd_rt_enter_at(NULL, 0, pc): a
 * replay knows the call at which a thread stands by the address that its events are logged with. */
static inline __attribute__((always_inline)) struct hd_thread *hd_rt_enter(void)
{
    return hd_rt_enter_at(NULL, 0, HD_PC);
}

/* A switch point inside a library call. Does nothing unless the policy is `follow` or `steer`. */
static inline __attribute__((always_inline)) void hd_rt_switch_point(struct hd_thread *me,
                                                                     uintptr_t pc)
{
    if (HD_UNLIKELY(rt.stepwise))
        hd_rt_ask_at(me, NULL, 0, pc);
}

static inline void hd_rt_leave(struct hd_thread *me)
{
    atomic_signal_fence(memory_order_seq_cst);
    me->in_rt = 0;
}

#endif
