/* What a program tells ThreadSanitizer about itself: <sanitizer/tsan_interface.h> and the dynamic
 * annotations (Annotate..., which the ANNOTATE_ macros call). Runs in the user's process; see the
 * rules in rt.h.
 *
 * Synchronisation of the program's own: a release counts in a location that stands for the address,
 * an acquire looks at it (HD_LOOK_SYNC), so every acquire comes behind the releases that it came
 * behind. Locks of the program's own are locks of the trace, with names of their own
 * (HD_PSEUDO_ANNOTATED): the memory they lie in may hold a lock that we see as well. Nothing is
 * waited for: the program does that. */
#include "rt/hooks/rwlock.h"

#include "rt/core/real.h"

#define HOOK HD_EXPORT __attribute__((noinline))

enum { /* flags of __tsan_mutex_... */
       READ_LOCK = 1 << 3,
       TRY_LOCK_FAILED = 1 << 5,
       RECURSIVE_LOCK = 1 << 6,
       RECURSIVE_UNLOCK = 1 << 7,
};

/* ---- order ---- */

/* Entered. */
static void release(const volatile void *addr, uintptr_t pc)
{
    struct hd_sync *s = hd_rt_sync(addr, HD_SYNC_ANNOTATED);
    hd_rt_set(HD_LOOK_SYNC, (uintptr_t)addr, ++s->count, pc);
}

static void acquire(const volatile void *addr, uintptr_t pc)
{
    hd_rt_look(HD_LOOK_SYNC, (uintptr_t)addr, hd_rt_sync(addr, HD_SYNC_ANNOTATED)->count, pc);
}

/* A function that does `what`, which depends on the first n_args arguments. */
#define TELLS(name, params, n_args, what)                                                          \
    HOOK void name params;                                                                         \
    HOOK void name params                                                                          \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        if (!me)                                                                                   \
            return;                                                                                \
        hd_rt_args_dep((const void *)name, n_args);                                                \
        what;                                                                                      \
        hd_rt_leave(me);                                                                           \
    }
#define AT const char *file __attribute__((unused)), int line __attribute__((unused))

TELLS(__tsan_release, (void *addr), 1, release(addr, HD_PC))
TELLS(__tsan_acquire, (void *addr), 1, acquire(addr, HD_PC))
TELLS(AnnotateHappensBefore, (AT, const volatile void *addr), 3, release(addr, HD_PC))
TELLS(AnnotateHappensAfter, (AT, const volatile void *addr), 3, acquire(addr, HD_PC))
TELLS(WTFAnnotateHappensBefore, (AT, const volatile void *addr), 3, release(addr, HD_PC))
TELLS(WTFAnnotateHappensAfter, (AT, const volatile void *addr), 3, acquire(addr, HD_PC))
TELLS(AnnotateCondVarSignal, (AT, const volatile void *addr), 3, release(addr, HD_PC))
TELLS(AnnotateCondVarSignalAll, (AT, const volatile void *addr), 3, release(addr, HD_PC))
TELLS(AnnotateCondVarWait, (AT, const volatile void *addr, const volatile void *lock), 4,
      ((void)lock, acquire(addr, HD_PC)))

/* ---- locks ---- */

static void *lock_at(const volatile void *addr)
{
    return (void *)(uintptr_t)HD_PSEUDO(HD_PSEUDO_ANNOTATED, (uintptr_t)addr);
}

static void taken(struct hd_thread *me, const volatile void *addr, bool exclusive, uintptr_t pc)
{
    hd_rt_rwlock_taken(me, lock_at(addr), exclusive, pc);
}

TELLS(AnnotateRWLockCreate, (AT, const volatile void *lock), 3,
      hd_rt_sync_reset(lock_at(lock), HD_SYNC_LOCK))
TELLS(AnnotateRWLockCreateStatic, (AT, const volatile void *lock), 3,
      hd_rt_sync_reset(lock_at(lock), HD_SYNC_LOCK))
TELLS(AnnotateRWLockDestroy, (AT, const volatile void *lock), 3,
      hd_rt_sync_reset(lock_at(lock), HD_SYNC_LOCK))
TELLS(AnnotateRWLockAcquired, (AT, const volatile void *lock, long exclusive), 4,
      taken(me, lock, exclusive != 0, HD_PC))
TELLS(AnnotateRWLockReleased, (AT, const volatile void *lock, long exclusive), 4,
      ((void)exclusive, hd_rt_rwlock_given(me, lock_at(lock), HD_PC)))

TELLS(__tsan_mutex_create, (void *lock, unsigned flags), 1,
      ((void)flags, hd_rt_sync_reset(lock_at(lock), HD_SYNC_LOCK)))
TELLS(__tsan_mutex_destroy, (void *lock, unsigned flags), 1,
      ((void)flags, hd_rt_sync_reset(lock_at(lock), HD_SYNC_LOCK)))

/* The lock whose code this thread is in. */
static __thread struct {
    void *lock;
    unsigned flags;
    const void *awaited; /* the condition that it waits for, or NULL */
    uint32_t conditions; /* that began and did not end */
    bool first;          /* no condition began yet in this call: it looks at its own first */
    bool own;            /* the one that began may be the awaited one */
    bool others;         /* it may be another thread's */
} inside;

static void enter_lock(void *lock, unsigned flags)
{
    inside.lock = lock;
    inside.flags = flags;
    inside.awaited = NULL;
}

/* Addresses that stand for "threads wait for conditions" and "their conditions were looked at". */
static const void *waits(const void *lock)
{
    return lock;
}

static const void *looked(const void *lock)
{
    return (const char *)lock + 1;
}

/* A condition that held leaves its lock taken (see __hd_condition_end). True: it still is, and
 * stays so. Before the thread enters: that would give it back. */
static bool keeps(void *lock)
{
    struct hd_thread *me = hd_rt_me;
    if (!me || me->in_rt || !hd_rt_keeps(me, lock_at(lock)))
        return false;
    me->pend_len = 0;
    return true;
}

HOOK void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
HOOK void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion)
{
    bool kept = keeps(lock);
    struct hd_thread *me = hd_rt_enter();
    const void *awaited = inside.awaited;
    inside.lock = NULL;
    if (!me)
        return;
    int times = flags & RECURSIVE_LOCK && recursion > 0 ? recursion : 1;
    hd_rt_arg_dep((const void *)__tsan_mutex_post_lock);
    for (int i = kept; i < times && !(flags & TRY_LOCK_FAILED); i++)
        taken(me, lock, !(flags & READ_LOCK), HD_PC);
    if (awaited)
        acquire(looked(lock), HD_PC);
    hd_rt_leave(me);
}

HOOK int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
HOOK int __tsan_mutex_pre_unlock(void *lock, unsigned flags)
{
    struct hd_thread *me = hd_rt_enter();
    int times = 0;
    enter_lock(lock, flags);
    if (!me)
        return 0;
    hd_rt_arg_dep((const void *)__tsan_mutex_pre_unlock);
    while (hd_rt_rwlock_given(me, lock_at(lock), HD_PC)) {
        times++;
        if (!(flags & RECURSIVE_UNLOCK))
            break;
    }
    hd_rt_leave(me);
    return times;
}

/* A point to switch: in a replay a thread stands here, and does not have the lock yet. */
TELLS(__tsan_mutex_pre_lock, (void *lock, unsigned flags), 1, enter_lock(lock, flags))

HOOK void __tsan_mutex_post_unlock(void *lock, unsigned flags);
HOOK void __tsan_mutex_post_unlock(void *lock, unsigned flags)
{
    (void)lock;
    (void)flags;
    inside.lock = NULL;
}

/* After __tsan_mutex_pre_lock: from now on other threads may look at the condition. */
HOOK void __hd_condition_awaited(const void *condition);
HOOK void __hd_condition_awaited(const void *condition)
{
    struct hd_thread *me = hd_rt_enter_quiet(HD_PC);
    inside.awaited = condition;
    inside.first = true;
    if (!me)
        return;
    release(waits(inside.lock), HD_PC);
    hd_rt_leave(me);
}

/* Around a function that a lock's code calls to see whether a condition holds (absl::Mutex). It has
 * the lock then: to wait for the condition, or to give the lock to one who waits for it. The latter
 * comes behind the moment from which that one waits, and before the end of the wait. condition is
 * NULL if it is not known which one it is. */
HOOK void __hd_condition_begin(const void *condition);
HOOK void __hd_condition_begin(const void *condition)
{
    if (!inside.lock || inside.conditions++ > 0)
        return;
    bool kept = keeps(inside.lock);
    struct hd_thread *me = hd_rt_enter_quiet(HD_PC);
    inside.own = inside.awaited && (!condition || condition == inside.awaited);
    inside.others = condition ? condition != inside.awaited : !inside.own || !inside.first;
    inside.first = false;
    if (!me)
        return;
    if (!kept)
        taken(me, inside.lock, !(inside.flags & READ_LOCK), HD_PC);
    if (inside.others)
        acquire(waits(inside.lock), HD_PC);
    hd_rt_leave(me);
}

/* If it holds, the lock's code may return with the lock taken, and nothing can come between. If it
 * does not return, the lock is given back at the thread's next hook. */
HOOK void __hd_condition_end(uint32_t holds);
HOOK void __hd_condition_end(uint32_t holds)
{
    if (!inside.lock || --inside.conditions > 0)
        return;
    struct hd_thread *me = hd_rt_enter_quiet(HD_PC);
    if (!me)
        return;
    if (inside.others)
        release(looked(inside.lock), HD_PC);
    if (inside.own && holds)
        hd_rt_give_later(me, lock_at(inside.lock), HD_PC);
    else
        hd_rt_rwlock_given(me, lock_at(inside.lock), HD_PC);
    hd_rt_leave(me);
}

/* They stand around the code of a lock, which is seen like any other. */
#define NOTHING(name, params)                                                                      \
    HOOK void name params;                                                                         \
    HOOK void name params                                                                          \
    {                                                                                              \
    }
#define LOCK void *lock __attribute__((unused)), unsigned flags __attribute__((unused))
NOTHING(__tsan_mutex_pre_signal, (LOCK))
NOTHING(__tsan_mutex_post_signal, (LOCK))
NOTHING(__tsan_mutex_pre_divert, (LOCK))
NOTHING(__tsan_mutex_post_divert, (LOCK))

/* ---- fibers: contexts of the program's own that run now on this thread, now on that ---- */

struct fiber {
    char context, handed; /* their addresses stand for them */
};
static __thread struct fiber *fiber_now;

static struct fiber *fiber_new(void)
{
    return hd_rt_mem(sizeof(struct fiber));
}

HOOK void *__tsan_get_current_fiber(void);
HOOK void *__tsan_get_current_fiber(void)
{
    if (!fiber_now)
        fiber_now = fiber_new();
    return fiber_now;
}

HOOK void *__tsan_create_fiber(unsigned flags);
HOOK void *__tsan_create_fiber(unsigned flags)
{
    (void)flags;
    return fiber_new();
}

HOOK void __tsan_destroy_fiber(void *fiber);
HOOK void __tsan_destroy_fiber(void *fiber)
{
    (void)fiber;
}

HOOK void __tsan_set_fiber_name(void *fiber, const char *name);
HOOK void __tsan_set_fiber_name(void *fiber, const char *name)
{
    (void)fiber;
    (void)name;
}

/* What a fiber does next comes behind what it did before, on whatever thread that was; and behind
 * what the one before it did, unless the program says that there is no order. */
HOOK void __tsan_switch_to_fiber(void *fiber, unsigned no_sync);
HOOK void __tsan_switch_to_fiber(void *fiber, unsigned no_sync)
{
    struct fiber *from = __tsan_get_current_fiber(), *to = fiber;
    struct hd_thread *me = hd_rt_enter();
    fiber_now = to;
    if (!me)
        return;
    hd_rt_arg_dep((const void *)__tsan_switch_to_fiber);
    release(&from->context, HD_PC);
    if (!(no_sync & 1))
        release(&to->handed, HD_PC);
    acquire(&to->context, HD_PC);
    if (!(no_sync & 1))
        acquire(&to->handed, HD_PC);
    hd_rt_leave(me);
}

/* ---- benign races, and code that is not looked at ---- */

static void benign(const volatile void *p, size_t n, uintptr_t pc)
{
    hd_rt_set(HD_LOOK_BENIGN, (uintptr_t)p, n, pc);
}

TELLS(AnnotateBenignRace, (AT, const volatile void *p, const char *why), 3,
      ((void)why, benign(p, 1, HD_PC)))
TELLS(AnnotateBenignRaceSized, (AT, const volatile void *p, size_t n, const char *why), 4,
      ((void)why, benign(p, n, HD_PC)))
TELLS(WTFAnnotateBenignRaceSized, (AT, const volatile void *p, size_t n, const char *why), 4,
      ((void)why, benign(p, n, HD_PC)))

enum { READS, WRITES };
static __thread unsigned ignores[2];

/* reads or writes of this thread: from now on they count, or do not. They nest. */
static void ignore(unsigned which, bool begin, uintptr_t pc)
{
    unsigned before = ignores[which];
    if (!begin && before == 0)
        return;
    ignores[which] += begin ? 1 : -1u;
    if ((before == 0) != (ignores[which] == 0))
        hd_rt_set(HD_LOOK_IGNORE, which, begin, pc);
}

TELLS(AnnotateIgnoreReadsBegin, (AT), 0, ignore(READS, true, HD_PC))
TELLS(AnnotateIgnoreReadsEnd, (AT), 0, ignore(READS, false, HD_PC))
TELLS(AnnotateIgnoreWritesBegin, (AT), 0, ignore(WRITES, true, HD_PC))
TELLS(AnnotateIgnoreWritesEnd, (AT), 0, ignore(WRITES, false, HD_PC))

/* ---- the rest ---- */

HOOK void AnnotateThreadName(AT, const char *name);
HOOK void AnnotateThreadName(AT, const char *name)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    hd_rt_log_text(HD_LOG_NAME, HD_PC, me->num, name);
    hd_rt_leave(me);
}

HOOK int RunningOnValgrind(void);
HOOK int RunningOnValgrind(void)
{
    return 0;
}

HOOK double ValgrindSlowdown(void);
HOOK double ValgrindSlowdown(void)
{
    return 1.0;
}

#define PTR(name)  const volatile void *name __attribute__((unused))
#define SIZE(name) size_t name __attribute__((unused))
#define FLAG(name) int name __attribute__((unused))
/* No more than ThreadSanitizer does with them. */
NOTHING(AnnotateIgnoreSyncBegin, (AT))
NOTHING(AnnotateIgnoreSyncEnd, (AT))
NOTHING(AnnotateNewMemory, (AT, PTR(p), SIZE(n)))
NOTHING(AnnotateNoOp, (AT, PTR(p)))
NOTHING(AnnotateFlushState, (AT))
NOTHING(AnnotateFlushExpectedRaces, (AT))
NOTHING(AnnotateEnableRaceDetection, (AT, FLAG(on)))
NOTHING(AnnotateExpectRace, (AT, PTR(p), PTR(why)))
NOTHING(AnnotateMutexIsUsedAsCondVar, (AT, PTR(lock)))
NOTHING(AnnotateMutexIsNotPHB, (AT, PTR(lock)))
NOTHING(AnnotatePCQGet, (AT, PTR(queue)))
NOTHING(AnnotatePCQPut, (AT, PTR(queue)))
NOTHING(AnnotatePCQCreate, (AT, PTR(queue)))
NOTHING(AnnotatePCQDestroy, (AT, PTR(queue)))
NOTHING(AnnotatePublishMemoryRange, (AT, PTR(p), SIZE(n)))
NOTHING(AnnotateUnpublishMemoryRange, (AT, PTR(p), SIZE(n)))
NOTHING(AnnotateTraceMemory, (AT, PTR(p)))
NOTHING(AnnotateMemoryIsInitialized, (AT, PTR(p), SIZE(n)))
NOTHING(AnnotateMemoryIsUninitialized, (AT, PTR(p), SIZE(n)))
NOTHING(AnnotateMarkInitialized, (AT, PTR(p), SIZE(n)))
