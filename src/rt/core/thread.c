/* Threads: create, join, detach, the end. Runs in the user's process; see the rules in rt.h.
 *
 * A thread ends for the scheduler after the destructors of its thread-specific data: a key of ours,
 * with a destructor that arms itself again until the last round, is how we get there. */
#include "rt/core/rt_check.h"
#include "rt/core/range_log.h"
#include "rt/core/cancel.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/concolic/rt_sym.h"
#include "rt/libc/sync.h"
#include "rt/core/thread.h"
#include "rt/core/vclock.h"

#include <errno.h>
#include <limits.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>

static pthread_key_t end_key;

static void on_thread_end(void *arg)
{
    struct hd_thread *t = arg;
    if (++t->key_round < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, t))
        return;
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    hd_rt_signals_run(me); /* the last chance */
    hd_rt_sync_owner_ends(me);
    hd_rt_set(HD_LOOK_END, me->num, 1, 0);
    hd_rt_finish(me); /* in_rt stays set: what libc still does in this thread is not ours */
}

void hd_rt_thread_setup(struct hd_thread *main_thread)
{
    pthread_key_create(&end_key, on_thread_end);
    pthread_setspecific(end_key, main_thread);
}

void hd_rt_thread_adopted(struct hd_thread *me)
{
    pthread_setspecific(end_key, me);
    hd_rt_keeper_start();
}

/* Tells the driver where the calling thread's stack is. Token held. */
void hd_rt_log_stack(struct hd_thread *me)
{
    pthread_attr_t attr;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr))
        return;
    if (!pthread_attr_getstack(&attr, &low, &size)) {
        me->stack_low = (uintptr_t)low;
        me->stack_end = (uintptr_t)low + size;
        hd_rt_log3(HD_LOG_STACK, 0, 0, me->num, me->stack_low, me->stack_end);
    }
    pthread_attr_destroy(&attr);
}

static void set_mask(const uint64_t *mask, uint64_t *old)
{
    hd_rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)mask, (long)old, sizeof *mask, 0, 0);
}

static void *trampoline(void *arg)
{
    struct hd_thread *me = arg;
    me->in_rt = 1;
    me->tid = (pid_t)hd_rt_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    me->flow = &__hd_flow;
    hd_rt_is(me);
    if (me->masked)
        set_mask(&me->mask, NULL);
    pthread_setspecific(end_key, me);
    hd_rt_thread_first(me);
    hd_rt_log_stack(me);
    hd_rt_signals_run(me);
    hd_rt_leave(me);
    hd_rt_sym_start(me, (const void *)me->start);
    void *result = me->start(me->arg);
    hd_rt_sym_end(me, (const void *)me->start);
    me->result = result;
    return result;
}

/* C++ is there: headers of libstdc++ look at __libc_single_threaded, which creating a thread sets.
 */
struct globals *__cxa_get_globals(void) __attribute__((weak));

static const struct hd_way *way_of(struct hd_thread *me)
{
    if (!me->way) {
        struct hd_way *w = hd_rt_mem(sizeof *w);
        *w = (struct hd_way){me->from, me->child, me->num};
        me->way = w;
    }
    return me->way;
}

static struct hd_thread *try_new_thread(void)
{
    hd_rt_lock();
    struct hd_thread *t = hd_rt_thread_new();
    if (t)
        t->state = HD_DONE; /* not to be chosen before it exists */
    hd_rt_unlock();
    return t;
}

#define FIRST_WAIT UINT64_C(100000)      /* virtual time */
#define LAST_WAIT  UINT64_C(10000000000) /* the waits before it, doubled each time, are as long */

/* NULL: there are too many. Those that can end, as they would have when all run at once, get the
 * time for it. */
static struct hd_thread *new_thread(struct hd_thread *me, uintptr_t pc)
{
    struct hd_thread *t = try_new_thread();
    for (uint64_t wait = FIRST_WAIT; !t && !rt.led && rt.multi && wait < LAST_WAIT; wait *= 2) {
        hd_rt_block(me, me, HD_WAITS_OTHER, rt.now + wait, pc);
        t = try_new_thread();
    }
    return t;
}

int hd_rt_thread_create(struct hd_thread *me, pthread_t *out, const pthread_attr_t *attr,
                        void *(*start)(void *), void *arg, uintptr_t start_pc, uintptr_t pc)
{
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &detached);
    hd_rt_keeper_start();
    struct hd_thread *t = new_thread(me, pc);
    if (!t) {
        hd_rt_log_text(HD_LOG_NOTE, pc, HD_NOTE_UNMODELLED,
                       "more than 4095 threads at once (their creation failed)");
        return EAGAIN;
    }
    t->start = start;
    t->arg = arg;
    t->from = way_of(me);
    t->sym_arg = me->sym_given;
    t->detached = detached == PTHREAD_CREATE_DETACHED;
    /* A signal may come to the new thread before it knows who it is. */
    const uint64_t all = UINT64_MAX;
    sigset_t own;
    t->masked = !attr || pthread_attr_getsigmask_np(attr, &own) == PTHREAD_ATTR_NO_SIGMASK_NP;
    set_mask(t->masked ? &all : NULL, &t->mask);
    int r = hd_real.pthread_create(&t->handle, attr, trampoline, t);
    set_mask(&t->mask, NULL);
    if (r) {
        hd_rt_thread_old(t);
        return r;
    }
    t->child = ++me->children;
    *out = t->handle;
    if (!rt.multi && __cxa_get_globals && !__libc_single_threaded)
        hd_rt_wrote(pc, &__libc_single_threaded, sizeof __libc_single_threaded);
    rt.multi = true;
    hd_rt_wrote(pc, out, sizeof *out);
    hd_rt_log1(HD_LOG_FORK, pc, t->num);
    me->open++;
    uintptr_t first = start_pc ? start_pc : (uintptr_t)start;
    hd_rt_log_text(HD_LOG_NAME, first + 1, t->num, ""); /* places lie behind calls */
    if (!hd_rt_module_has(first)) {
        hd_rt_module_tell(first);
        hd_rt_log_text(HD_LOG_NOTE, first, HD_NOTE_FOREIGN, "");
    }
    hd_rt_lock();
    hd_rt_make_ready(t);
    hd_rt_unlock();
    return 0;
}

HD_EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                             void *arg)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_create(out, attr, start, arg);
    hd_rt_args_dep(pthread_create, 4);
    hd_rt_sym_given(me, pthread_create, 3);
    int r = hd_rt_sym.on ? hd_rt_sym_fails("pthread_create") : 0;
    r = r ? r : hd_rt_thread_create(me, out, attr, start, arg, 0, HD_PC);
    hd_rt_leave(me);
    return r;
}

/* The latest thread with this handle: libc uses handles again once a thread was joined. */
struct hd_thread *hd_rt_thread_find(pthread_t handle)
{
    for (uint32_t i = rt.n_threads; i-- > 0;)
        if (pthread_equal(rt.threads[i]->handle, handle) && !rt.threads[i]->joined)
            return rt.threads[i];
    return NULL;
}

int hd_rt_thread_join(struct hd_thread *me, pthread_t handle, void **result, uint64_t deadline,
                      int timeout, uintptr_t pc)
{
    struct hd_thread *t = hd_rt_thread_find(handle);
    if (!t)
        return hd_real.pthread_join(handle, result);
    if (t == me)
        return EDEADLK;
    if (t->detached)
        return EINVAL;
    if (deadline)
        hd_rt_cancel_point(me, pc);
    me->timed |= deadline != HD_NEVER;
    while (t->state != HD_DONE) {
        if (deadline <= rt.now) {
            hd_rt_look(HD_LOOK_END, t->num, 0, pc);
            hd_rt_polled(me);
            return timeout;
        }
        hd_rt_block(me, t, HD_WAITS_JOIN, deadline, pc);
        if (hd_rt_cancelled(me))
            hd_rt_cancel_here(me);
    }
    HD_RT_CHECK(t->state == HD_DONE && !t->joined);
    t->joined = true;
    if (t->from && t->from == me->way)
        me->open += t->open - 1;
    hd_rt_sync_inherit(t, me, pc);
    hd_rt_log1(HD_LOG_JOIN, pc, t->num);
    int r = hd_real.pthread_join(handle, result);
    hd_rt_sym_joined(t->sym_result, result, sizeof *result);
    hd_rt_thread_old(t);
    return r;
}

static void log_result(int r, void **result, uintptr_t pc)
{
    if (r == 0 && result)
        hd_rt_wrote(pc, result, sizeof *result);
}

HD_EXPORT int pthread_join(pthread_t handle, void **result)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_join(handle, result);
    hd_rt_args_dep(pthread_join, 2);
    int r = hd_rt_thread_join(me, handle, result, HD_NEVER, 0, HD_PC);
    log_result(r, result, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_tryjoin_np(handle, result);
    hd_rt_args_dep(pthread_tryjoin_np, 2);
    int r = hd_rt_thread_join(me, handle, result, 0, EBUSY, HD_PC);
    log_result(r, result, HD_PC);
    hd_rt_leave(me);
    return r;
}

static int timed_join(struct hd_thread *me, pthread_t handle, void **result, clockid_t clock,
                      const struct timespec *abs, uintptr_t pc)
{
    uint64_t deadline = HD_NEVER;
    bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
    if (!known || (abs && !hd_rt_deadline(clock, abs, &deadline)))
        return EINVAL;
    return hd_rt_thread_join(me, handle, result, deadline, ETIMEDOUT, pc);
}

HD_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_timedjoin_np(handle, result, abs);
    hd_rt_args_dep(pthread_timedjoin_np, 3);
    int r = timed_join(me, handle, result, CLOCK_REALTIME, abs, HD_PC);
    log_result(r, result, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                   const struct timespec *abs)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_clockjoin_np(handle, result, clock, abs);
    hd_rt_args_dep(pthread_clockjoin_np, 4);
    int r = timed_join(me, handle, result, clock, abs, HD_PC);
    log_result(r, result, HD_PC);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int pthread_detach(pthread_t handle)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.pthread_detach(handle);
    struct hd_thread *t = hd_rt_thread_find(handle);
    int r = t && t->detached ? EINVAL : hd_real.pthread_detach(handle);
    if (r == 0 && t)
        t->detached = true;
    if (r == 0 && t && t->state == HD_DONE)
        hd_rt_thread_old(t);
    hd_rt_leave(me);
    return r;
}

HD_EXPORT int sched_yield(void)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.sched_yield();
    hd_rt_polled_yield(me);
    hd_rt_leave(me);
    return 0;
}

HD_EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
    struct hd_thread *me = hd_rt_enter();
    int r = hd_real.pthread_setname_np(handle, name);
    if (!me)
        return r;
    const struct hd_thread *t = hd_rt_thread_find(handle);
    if (r == 0 && t)
        hd_rt_log_text(HD_LOG_NAME, HD_PC, t->num, name);
    hd_rt_leave(me);
    return r;
}
