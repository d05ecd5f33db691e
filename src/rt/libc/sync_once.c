/* pthread_once and the guards of C++ statics. Runs in the user's process; see the rules in rt.h.
 *
 * Both become a lock around the initialisation and an atomic flag that is set when it is over. The
 * flag is the program's own memory, as compiled code reads it without calling us (glibc: 2 is done;
 * C++: the first byte of the guard is 1). */
#include "rt/core/real.h"
#include "rt/libc/sync.h"

#define ONCE_DONE 2

int __cxa_guard_acquire(char *guard);
void __cxa_guard_release(char *guard);
void __cxa_guard_abort(char *guard);

struct running {
    pthread_once_t *once;
    uintptr_t pc;
};

static void mark(struct hd_thread *me, pthread_once_t *once, int value, uintptr_t pc)
{
    *once = value;
    hd_rt_log2(HD_LOG_AWRITE, sizeof *once, pc, (uintptr_t)once, (unsigned)value);
    hd_rt_lock_release(me, hd_rt_sync(once, HD_SYNC_LOCK), pc);
}

/* The routine was left by an exception or by cancellation: the next caller tries again. */
static void abandon(struct running *r)
{
    struct hd_thread *me = r->once ? hd_rt_enter() : NULL;
    if (!me)
        return;
    mark(me, r->once, PTHREAD_ONCE_INIT, r->pc);
    hd_rt_leave(me);
}

static bool is_done(const pthread_once_t *once, uintptr_t pc)
{
    hd_rt_log2(HD_LOG_AREAD, sizeof *once, pc, (uintptr_t)once, (unsigned)*once);
    hd_rt_log1(HD_LOG_BRANCH, pc, hd_tok_range(__hd_flow.count, __hd_flow.count));
    return *once == ONCE_DONE;
}

/* Whether a caller came while the routine ran or afterwards must not show in what it does then: a
 * schedule lets it come when its next event is due, and the routine may be over by then. */
static void wait_for_other(struct hd_thread *me, const pthread_once_t *once, uintptr_t pc)
{
    struct hd_sync *l = hd_rt_sync((void *)once, HD_SYNC_LOCK);
    while (*once != ONCE_DONE && l->owner && l->owner != me) {
        l->waiters++;
        hd_rt_block(me, l, HD_WAITS_LOCK, HD_NEVER, pc);
        l->waiters--;
    }
}

HD_EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_once(once, routine);
    uintptr_t pc = HD_PC;
    hd_rt_args_dep(pthread_once, 2);
    wait_for_other(me, once, pc);
    if (*once == ONCE_DONE) {
        is_done(once, pc);
        hd_rt_leave(me);
        return 0;
    }
    hd_rt_lock_acquire(me, hd_rt_sync(once, HD_SYNC_LOCK), HD_NEVER, pc);
    if (is_done(once, pc)) {
        hd_rt_lock_release(me, hd_rt_sync(once, HD_SYNC_LOCK), pc);
        hd_rt_leave(me);
        return 0;
    }
    hd_rt_leave(me);
    __attribute__((cleanup(abandon))) struct running running = {once, pc};
    routine();
    running.once = NULL;
    me = hd_rt_enter();
    if (me) {
        mark(me, once, ONCE_DONE, pc);
        hd_rt_leave(me);
    }
    return 0;
}

static void log_guard(enum hd_log_kind kind, const char *guard, uintptr_t pc)
{
    hd_rt_log2(kind, 1, pc, (uintptr_t)guard, (unsigned char)*guard);
    if (kind == HD_LOG_AREAD)
        hd_rt_log1(HD_LOG_BRANCH, pc, hd_tok_range(__hd_flow.count, __hd_flow.count));
}

HD_EXPORT int __cxa_guard_acquire(char *guard)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.__cxa_guard_acquire(guard);
    hd_rt_arg_dep(__cxa_guard_acquire);
    struct hd_sync *l = hd_rt_sync(guard, HD_SYNC_LOCK);
    hd_rt_lock_acquire(me, l, HD_NEVER, HD_PC);
    log_guard(HD_LOG_AREAD, guard, HD_PC);
    if (*guard)
        hd_rt_lock_release(me, l, HD_PC);
    hd_rt_leave(me);
    return !*guard;
}

static void guard_end(char *guard, char value, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter();
    *guard = value;
    if (!me)
        return;
    log_guard(HD_LOG_AWRITE, guard, pc);
    hd_rt_lock_release(me, hd_rt_sync(guard, HD_SYNC_LOCK), pc);
    hd_rt_leave(me);
}

HD_EXPORT void __cxa_guard_release(char *guard)
{
    if (!rt.on)
        hd_real.__cxa_guard_release(guard);
    else
        guard_end(guard, 1, HD_PC);
}

HD_EXPORT void __cxa_guard_abort(char *guard)
{
    if (!rt.on)
        hd_real.__cxa_guard_abort(guard);
    else
        guard_end(guard, 0, HD_PC);
}
