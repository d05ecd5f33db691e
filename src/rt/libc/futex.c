/* futex through syscall(), as C++20 waits, libstdc++ and hand-made locks use it. Runs in the user's
 * process; see the rules in rt.h. The kernel's look at the word is an atomic read; the rest needs
 * no event, because a futex wait may always return early and its caller looks again. */
#include "log/rt_steer.h"
#include "rt/policy/policy.h"
#include "rt/core/spin.h"
#include "rt/core/rt.h"
#include "rt/core/signals.h"
#include "rt/core/vclock.h"
#include "rt/libc/views.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static long wait_on(struct hd_thread *me, const uint32_t *word, uint32_t value, uint64_t deadline,
                    uint32_t mask, uintptr_t pc)
{
    uint32_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    hd_rt_log2(HD_LOG_AREAD, sizeof now, pc, (uintptr_t)word, now);
    if (now != value)
        return -EAGAIN;
    if (deadline <= rt.now) {
        hd_rt_polled(me);
        return -ETIMEDOUT;
    }
    me->futex_mask = mask;
    hd_rt_signals_fresh(me);
    bool woken = hd_rt_block(me, word, HD_WAITS_FUTEX, deadline, pc);
    /* Linux starts a wait again only if it has no time limit. */
    if (me->sig_ran & (deadline == HD_NEVER ? HD_RAN_BREAKS : HD_RAN_ANY))
        return -EINTR;
    return woken ? 0 : -ETIMEDOUT;
}

/* Wakes up to n waiters of word, then moves up to `move` others to another word. */
static long wake(const uint32_t *word, unsigned n, uint32_t mask, unsigned move,
                 const uint32_t *other)
{
    long done = 0;
    uint64_t key = hd_rt_views_key((uintptr_t)word);
    hd_rt_steer_untold(HD_STEER_FUTEX);
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->state != HD_BLOCKED || t->wait_kind != HD_WAITS_FUTEX ||
            hd_rt_views_key((uintptr_t)t->wait_obj) != key || !(t->futex_mask & mask))
            continue;
        if (n) {
            hd_rt_unblock_one(t);
            n--;
        } else if (move) {
            t->wait_obj = other;
            move--;
        } else {
            break;
        }
        done++;
    }
    return done;
}

/* What FUTEX_OP makes of the word, or false: there is no such operation. */
static bool apply(uint32_t *word, uint32_t code, uint32_t *before, uint32_t *after)
{
    uint32_t by = (uint32_t)((int32_t)(code << 8) >> 20), old = *word;
    if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
        by = 1u << (by & 31);
    const uint32_t to[] = {by, old + by, old | by, old & ~by, old ^ by};
    unsigned op = code >> 28 & 7;
    if (op >= sizeof to / sizeof *to)
        return false;
    *before = old;
    *word = *after = to[op];
    return true;
}

static bool compare(uint32_t code, int32_t old)
{
    int32_t with = (int32_t)(code << 20) >> 20;
    const bool is[] = {old == with, old != with, old<with, old <= with, old> with, old >= with};
    unsigned cmp = code >> 24 & 15;
    return cmp < sizeof is / sizeof *is && is[cmp];
}

/* Changes the other word, wakes waiters of this one and, if the other was as asked for, of it. */
static long wake_op(const long *a, uintptr_t pc)
{
    uint32_t *other = (uint32_t *)a[4], code = (uint32_t)a[5], before, after;
    if (!apply(other, code, &before, &after))
        return -ENOSYS;
    hd_rt_log3(HD_LOG_RMW, sizeof *other, pc, (uintptr_t)other, before, after);
    long done = wake((const uint32_t *)a[0], (unsigned)a[2], FUTEX_BITSET_MATCH_ANY, 0, NULL);
    if (compare(code, (int32_t)before))
        done += wake(other, (unsigned)a[3], FUTEX_BITSET_MATCH_ANY, 0, NULL);
    return done;
}

static long wait_call(struct hd_thread *me, const long *a, bool bitset, uintptr_t pc)
{
    const struct timespec *time = (const void *)a[3];
    uint64_t deadline = HD_NEVER;
    clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    bool valid = bitset && time ? hd_rt_deadline(clock, time, &deadline)
                                : hd_rt_deadline_in(time, &deadline);
    uint32_t mask = bitset ? (uint32_t)a[5] : FUTEX_BITSET_MATCH_ANY;
    if (!valid || !mask)
        return -EINVAL;
    return wait_on(me, (const uint32_t *)a[0], (uint32_t)a[2], deadline, mask, pc);
}

static long futex(struct hd_thread *me, const long *a, uintptr_t pc)
{
    static bool told;
    const uint32_t *word = (const uint32_t *)a[0], *other = (const uint32_t *)a[4];
    if ((uintptr_t)word % sizeof *word)
        return -EINVAL;
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        return wait_call(me, a, false, pc);
    case FUTEX_WAIT_BITSET:
        return wait_call(me, a, true, pc);
    case FUTEX_WAKE:
        return wake(word, (unsigned)a[2], FUTEX_BITSET_MATCH_ANY, 0, NULL);
    case FUTEX_WAKE_BITSET:
        return wake(word, (unsigned)a[2], (uint32_t)a[5], 0, NULL);
    case FUTEX_WAKE_OP:
        return wake_op(a, pc);
    case FUTEX_CMP_REQUEUE:
        if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[5])
            return -EAGAIN;
        return wake(word, (unsigned)a[2], FUTEX_BITSET_MATCH_ANY, (unsigned)a[3], other);
    case FUTEX_REQUEUE:
        return wake(word, (unsigned)a[2], FUTEX_BITSET_MATCH_ANY, (unsigned)a[3], other);
    default:
        if (!told)
            hd_rt_log_text(HD_LOG_NOTE, pc, HD_NOTE_UNMODELLED, "a futex operation");
        told = true;
        return hd_rt_syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}

HD_EXPORT long syscall(long nr, ...)
{
    long a[6];
    va_list args;
    va_start(args, nr);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    struct hd_thread *me = nr == SYS_futex ? hd_rt_enter() : NULL;
    long r = me ? futex(me, a, HD_PC) : hd_rt_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (me)
        hd_rt_leave(me);
    if (r < 0 && r > -4096) {
        errno = (int)-r;
        return -1;
    }
    return r;
}
