/* Entry points of code compiled with -fsanitize=thread: atomics. Runs in the user's process; see
 * the rules in rt.h. The hook does the operation itself, as strongly as there is: the order is for
 * the trace. 16-byte operations are several records in an exclusion. */
#include "rt/hooks/hook_access.h"

#define HOOK HD_EXPORT __attribute__((noinline))

typedef uint8_t hd_a8;
typedef uint16_t hd_a16;
typedef uint32_t hd_a32;
typedef uint64_t hd_a64;
typedef unsigned __int128 hd_a128;

static void log_one(enum hd_log_kind kind, uintptr_t pc, const volatile void *p, unsigned size,
                    uint64_t old, uint64_t value)
{
    if (kind == HD_LOG_RMW)
        hd_rt_log3(kind, size, pc, (uintptr_t)p, old, value);
    else
        hd_rt_log2(kind, size, pc, (uintptr_t)p, value);
}

/* docs/MODEL.md knows no access to two locations at once: 16 bytes get an exclusion around their
 * parts (D29), and all of them are read before one is changed. */
static void log_16(enum hd_log_kind kind, uintptr_t pc, const volatile void *p, hd_a128 old,
                   hd_a128 value)
{
    uint64_t lock = HD_PSEUDO(HD_PSEUDO_WIDE, (uintptr_t)p & ~(uintptr_t)15);
    bool reads = kind != HD_LOG_AWRITE, writes = kind != HD_LOG_AREAD;
    hd_a128 seen = kind == HD_LOG_RMW ? old : value;
    hd_rt_log1(HD_LOG_ACQ, pc, lock);
    for (unsigned i = 0; reads && i < 2; i++)
        log_one(HD_LOG_AREAD, pc, (const volatile char *)p + 8 * i, 8, 0,
                (uint64_t)(seen >> 64 * i));
    for (unsigned i = 0; writes && i < 2; i++)
        log_one(kind, pc, (const volatile char *)p + 8 * i, 8, (uint64_t)(old >> 64 * i),
                (uint64_t)(value >> 64 * i));
    hd_rt_log1(HD_LOG_REL, pc, lock);
}

static void log_wide(enum hd_log_kind kind, uintptr_t pc, const volatile void *p, unsigned size,
                     hd_a128 old, hd_a128 value, int order)
{
    if (order != __ATOMIC_SEQ_CST)
        hd_rt_log1(HD_LOG_ORDER, pc, (unsigned)order & 7);
    if (size == 16)
        log_16(kind, pc, p, old, value);
    else
        log_one(kind, pc, p, size, (uint64_t)old, (uint64_t)value);
}

/* With the token, no other thread runs and plain accesses do. Without a scheduler, __sync builtins:
 * they are inline for 16 bytes too, where __atomic would need libatomic. */
#define SWAP(bits, p, old, v) __sync_val_compare_and_swap(p, (hd_a##bits)(old), (hd_a##bits)(v))
#define GET(bits, p)          (*(volatile hd_a##bits *)(p))
#define PUT(bits, p, v)       (*(volatile hd_a##bits *)(p) = (v))

#define LOAD_STORE(bits)                                                                           \
    HOOK hd_a##bits __tsan_atomic##bits##_load(const volatile hd_a##bits *p, int order);           \
    HOOK hd_a##bits __tsan_atomic##bits##_load(const volatile hd_a##bits *p, int order)            \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter_at((const void *)p, bits / 8, HD_PC);                   \
        if (!me)                                                                                   \
            return bits == 128 ? SWAP(bits, (volatile hd_a##bits *)p, 0, 0) : GET(bits, p);        \
        hd_a##bits v = GET(bits, p);                                                               \
        log_wide(HD_LOG_AREAD, HD_PC, p, bits / 8, 0, v, order);                                   \
        hd_rt_leave(me);                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    HOOK void __tsan_atomic##bits##_store(volatile hd_a##bits *p, hd_a##bits v, int order);        \
    HOOK void __tsan_atomic##bits##_store(volatile hd_a##bits *p, hd_a##bits v, int order)         \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter_at((const void *)p, bits / 8, HD_PC);                   \
        if (!me) {                                                                                 \
            for (hd_a##bits seen = *p, was = ~seen; was != seen;)                                  \
                seen = SWAP(bits, p, was = seen, v);                                               \
            return;                                                                                \
        }                                                                                          \
        PUT(bits, p, v);                                                                           \
        log_wide(HD_LOG_AWRITE, HD_PC, p, bits / 8, 0, v, order);                                  \
        hd_rt_leave(me);                                                                           \
    }

#define FETCH(bits, name, result)                                                                  \
    HOOK hd_a##bits __tsan_atomic##bits##_##name(volatile hd_a##bits *p, hd_a##bits v, int order); \
    HOOK hd_a##bits __tsan_atomic##bits##_##name(volatile hd_a##bits *p, hd_a##bits v, int order)  \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter_at((const void *)p, bits / 8, HD_PC);                   \
        hd_a##bits old = GET(bits, p), seen;                                                       \
        if (!me) {                                                                                 \
            while ((seen = SWAP(bits, p, old, (hd_a##bits)(result))) != old)                       \
                old = seen;                                                                        \
            return old;                                                                            \
        }                                                                                          \
        hd_a##bits new_value = (hd_a##bits)(result);                                               \
        PUT(bits, p, new_value);                                                                   \
        log_wide(HD_LOG_RMW, HD_PC, p, bits / 8, old, new_value, order);                           \
        hd_rt_leave(me);                                                                           \
        return old;                                                                                \
    }

#define CAS(bits)                                                                                  \
    static bool cas##bits(volatile hd_a##bits *p, hd_a##bits *expected, hd_a##bits v,              \
                          uintptr_t pc, int order, int fail)                                       \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter_at((const void *)p, bits / 8, pc);                      \
        if (!me) {                                                                                 \
            hd_a##bits seen = SWAP(bits, p, *expected, v);                                         \
            bool same = seen == *expected;                                                         \
            *expected = seen;                                                                      \
            return same;                                                                           \
        }                                                                                          \
        hd_a##bits old = GET(bits, p);                                                             \
        bool done = old == *expected;                                                              \
        if (done)                                                                                  \
            PUT(bits, p, v);                                                                       \
        else                                                                                       \
            *expected = old;                                                                       \
        log_wide(done ? HD_LOG_RMW : HD_LOG_AREAD, pc, p, bits / 8, old, done ? v : old,           \
                 done ? order : fail);                                                             \
        hd_rt_leave(me);                                                                           \
        return done;                                                                               \
    }                                                                                              \
    HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile hd_a##bits *p, hd_a##bits *e,  \
                                                           hd_a##bits v, int order, int fail);     \
    HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile hd_a##bits *p, hd_a##bits *e,    \
                                                         hd_a##bits v, int order, int fail);       \
    HOOK hd_a##bits __tsan_atomic##bits##_compare_exchange_val(                                    \
        volatile hd_a##bits *p, hd_a##bits e, hd_a##bits v, int order, int fail);                  \
    HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile hd_a##bits *p, hd_a##bits *e,  \
                                                           hd_a##bits v, int order, int fail)      \
    {                                                                                              \
        return cas##bits(p, e, v, HD_PC, order, fail);                                             \
    }                                                                                              \
    HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile hd_a##bits *p, hd_a##bits *e,    \
                                                         hd_a##bits v, int order, int fail)        \
    {                                                                                              \
        return cas##bits(p, e, v, HD_PC, order, fail);                                             \
    }                                                                                              \
    HOOK hd_a##bits __tsan_atomic##bits##_compare_exchange_val(                                    \
        volatile hd_a##bits *p, hd_a##bits e, hd_a##bits v, int order, int fail)                   \
    {                                                                                              \
        cas##bits(p, &e, v, HD_PC, order, fail);                                                   \
        return e;                                                                                  \
    }

#define ALL(bits)                                                                                  \
    LOAD_STORE(bits)                                                                               \
    FETCH(bits, exchange, v)                                                                       \
    FETCH(bits, fetch_add, old + v)                                                                \
    FETCH(bits, fetch_sub, old - v)                                                                \
    FETCH(bits, fetch_and, old &v)                                                                 \
    FETCH(bits, fetch_or, old | v)                                                                 \
    FETCH(bits, fetch_xor, old ^ v)                                                                \
    FETCH(bits, fetch_nand, ~(old & v))                                                            \
    CAS(bits)

ALL(8)
ALL(16)
ALL(32)
ALL(64)
ALL(128)

HOOK void __tsan_atomic_thread_fence(int order);
HOOK void __tsan_atomic_signal_fence(int order);

HOOK void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    hd_rt_log_fence(HD_PC, 0, (unsigned)order);
}

HOOK void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
