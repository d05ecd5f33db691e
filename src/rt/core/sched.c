/* The scheduler: who holds the token. Runs in the user's process; see the rules in rt.h.
 *
 * A blocked thread names an object; a thread that changes the object makes all its waiters ready,
 * and each looks again when it runs. So the policy, and nothing else, decides who wins.
 */
#include "rt/core/rt_check.h"
#include "rt/core/live_arrivals.h"
#include "rt/policy/policy.h"
#include "rt/core/rt.h"
#include "rt/core/runon.h"
#include "rt/core/signals.h"
#include "rt/core/spin.h"
#include "rt/core/frame_walk.h"
#include "rt/libc/sync.h"
#include "rt/libc/views.h"
#include "rt/core/thread.h"
#include "rt/core/vclock.h"
#include "rt/core/wait_cycle.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

/* How long a thread sleeps at most where a handler waits for it. */
#define NAP (UINT64_C(10) * 1000000u)

/* What a hook takes on the virtual clock, and what it takes until another thread runs: about what
 * they take in truth. */
#define HOOK   100u
#define SWITCH 5000u

struct hd_rt rt;
static uint64_t given; /* the budget that the running thread got */
static struct hd_thread *spare;

void hd_rt_lock(void)
{
    uint32_t free_word = 0;
    if (atomic_compare_exchange_strong(&rt.lock, &free_word, 1))
        return;
    while (atomic_exchange(&rt.lock, 2) != 0) /* pairs with hd_rt_unlock */
        hd_rt_futex_wait(&rt.lock, 2, HD_NEVER);
}

void hd_rt_unlock(void)
{
    HD_RT_CHECK_LOCKED();
    if (atomic_exchange(&rt.lock, 0) == 2) /* pairs with hd_rt_lock */
        hd_rt_futex_wake(&rt.lock, 1);
}

void hd_rt_make_ready(struct hd_thread *t)
{
    HD_RT_CHECK_LOCKED();
    if (t->state == HD_FDWAIT)
        rt.n_fdwait--;
    if (t->state == HD_OUTSIDE)
        rt.n_outside--;
    t->state = HD_READY;
    t->wait_obj = NULL;
    t->ready_seq = rt.ready_counter++;
}

struct hd_thread *hd_rt_thread_new(void)
{
    bool more = rt.follow && rt.n_threads < HD_RT_MAX_REPLAYED;
    if (rt.n_threads >= HD_RT_MAX_THREADS && !(more && hd_rt_follow_creates(hd_rt_me)))
        return NULL;
    struct hd_thread *t = spare;
    if (t)
        spare = t->next_spare;
    else
        t = hd_rt_mem(sizeof *t);
    *t = (struct hd_thread){.num = rt.n_created++, .path = UINT32_MAX};
    t->deadline = HD_NEVER;
    t->state = HD_READY;
    t->ready_seq = rt.ready_counter++;
    rt.threads[rt.n_threads++] = t;
    rt.header->threads = rt.n_created;
    rt.policy->created(t);
    return t;
}

/* Its place is used again, unless something still names it: a lock that it kept, a search (which
 * knows threads by their place), the first thread's role. */
void hd_rt_thread_old(struct hd_thread *t)
{
    HD_RT_CHECK(t->state == HD_DONE);
    if (t->keeps || t->lost || rt.steer || !t->num || t == rt.exiting)
        return;
    hd_rt_lock();
    uint32_t i = 0;
    while (i < rt.n_threads && rt.threads[i] != t)
        i++;
    if (i < rt.n_threads) {
        for (rt.n_threads--; i < rt.n_threads; i++)
            rt.threads[i] = rt.threads[i + 1];
        rt.ended_events += t->n_events;
        if (rt.follow)
            hd_rt_follow_gone(t);
        t->next_spare = spare;
        spare = t;
    }
    hd_rt_unlock();
}

unsigned hd_rt_n_ready(void)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++)
        n += rt.threads[i]->state == HD_READY;
    return n;
}

static void time_out(struct hd_thread *t)
{
    hd_rt_make_ready(t);
    t->timed_out = true;
}

/* In a replay the schedule says whose time is up: others may have to be woken before. */
static bool waits_for_clock(const struct hd_thread *t)
{
    return (t->state == HD_BLOCKED || t->state == HD_FDWAIT) && t->deadline != HD_NEVER &&
           !(rt.follow && hd_rt_follow_holds(t));
}

static void look_at_clock(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (waits_for_clock(t) && t->deadline <= rt.now)
            time_out(t);
    }
}

static void look_at_fds(void)
{
    for (uint32_t i = 0; rt.n_fdwait && i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        struct timespec zero = {0, 0};
        if (t->state == HD_FDWAIT &&
            hd_rt_syscall(SYS_ppoll, (long)t->fds, t->n_fds, (long)&zero, 0, 8, 0) != 0)
            hd_rt_make_ready(t);
    }
}

static uint64_t next_deadline(unsigned *alive)
{
    uint64_t first = HD_NEVER;
    *alive = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        *alive += t->state != HD_DONE;
        if (waits_for_clock(t) && t->deadline < first)
            first = t->deadline;
    }
    return first;
}

uint64_t hd_rt_until_deadline(void)
{
    unsigned alive;
    uint64_t next = next_deadline(&alive);
    return next == HD_NEVER ? HD_NEVER : next > rt.now ? next - rt.now : 0;
}

uint64_t hd_rt_waited_for(const struct hd_thread *t)
{
    HD_RT_CHECK(t->state == HD_BLOCKED && t->wait_obj);
    switch (t->wait_kind) {
    case HD_WAITS_JOIN:
        return ((const struct hd_thread *)t->wait_obj)->num;
    case HD_WAITS_LOCK:
    case HD_WAITS_COND:
    case HD_WAITS_SEM:
    case HD_WAITS_BARRIER:
        return ((const struct hd_sync *)t->wait_obj)->addr;
    default:
        return (uintptr_t)t->wait_obj;
    }
}

static void report_deadlock(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        if (t->state == HD_BLOCKED)
            hd_rt_log3(HD_LOG_WAITS, 0, t->wait_pc, t->num, t->wait_kind, hd_rt_waited_for(t));
        if (t->state == HD_BLOCKED)
            hd_rt_stack_log(t);
    }
    hd_rt_sync_log_holders();
    rt.header->outcome = HD_OUTCOME_DEADLOCK;
    hd_rt_syscall(SYS_exit_group, HD_RT_EXIT_DEADLOCK, 0, 0, 0, 0, 0);
}

/* What another process does to a condition, a barrier or a word in shared memory is not seen. */
static bool waits_for_process(void)
{
    static bool told;
    bool any = false;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        bool kind = t->wait_kind == HD_WAITS_COND || t->wait_kind == HD_WAITS_BARRIER ||
                    t->wait_kind == HD_WAITS_FUTEX;
        any |= t->state == HD_BLOCKED && kind && hd_rt_views_outer(hd_rt_waited_for(t));
    }
    if (any && !told)
        hd_rt_log_text(HD_LOG_NOTE, 0, HD_NOTE_UNMODELLED,
                       "a wait in shared memory that another process may have to end");
    told |= any;
    return any;
}

static struct hd_thread *exiting(void)
{
    rt.exit_steps = 0;
    hd_rt_make_ready(rt.exiting);
    return rt.exiting;
}

/* Whether there are ready threads, and all of them have looked in vain. */
static bool all_poll(void)
{
    bool any = false;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        if (t->state == HD_READY && (!t->poll.polling || t->poll.looked != rt.acted))
            return false;
        any |= t->state == HD_READY;
    }
    return any;
}

/* At the end of the process sleepers do not wait for what may come from outside. */
static bool waits_for_world(void)
{
    return (rt.n_fdwait || rt.n_outside) && !hd_rt_exit_sleepers();
}

/* Lock held, no thread holds the token. NULL: a thread is outside, the keeper will see to it. */
static struct hd_thread *choose(void)
{
    HD_RT_CHECK_LOCKED();
    HD_RT_CHECK(!rt.holder);
    for (;;) {
        look_at_clock();
        look_at_fds();
        unsigned alive;
        bool in_vain = !rt.led && all_poll();
        if (!rt.led && hd_rt_exit_due(in_vain))
            return exiting();
        if (in_vain) {
            uint64_t next = waits_for_world() ? HD_NEVER : next_deadline(&alive);
            if (next != HD_NEVER) {
                rt.now = next;
                rt.acted++;
                continue;
            }
            if (hd_rt_must_rest())
                return NULL; /* real time passes: the keeper comes back to it */
        }
        struct hd_thread *t = rt.policy->pick();
        if (t)
            return t;
        if (!rt.led && hd_rt_exit_due(true))
            return exiting();
        uint64_t first = next_deadline(&alive);
        if ((rt.n_fdwait || rt.n_outside) && rt.follow && hd_rt_follow_arrivals(first == HD_NEVER))
            continue;
        if (waits_for_world() || !alive)
            return NULL; /* real time passes there, so the clock must not jump past them */
        if (first == HD_NEVER && (rt.handlers || hd_rt_strangers()) && !hd_rt_wait_cycle())
            return NULL; /* these may wake a thread; one that waits in a ring, soon if at all */
        if (first == HD_NEVER && waits_for_process())
            return NULL;
        if (first == HD_NEVER && rt.policy->stuck)
            rt.policy->stuck();
        if (first == HD_NEVER)
            report_deadlock();
        rt.now = first;
    }
}

static void new_budget(const struct hd_thread *t)
{
    uint64_t n = rt.policy->budget(), most = hd_rt_poll_budget();
    HD_RT_CHECK(n >= 1);
    if (t && t->poll.polling && !rt.led && n > most)
        n = most;
    if (rt.exit_steps && !rt.led)
        n = hd_rt_exit_budget(n);
    rt.budget = given = n;
}

void hd_rt_new_budget(void)
{
    new_budget(hd_rt_me);
}

void hd_rt_ask_soon(void)
{
    if (rt.led || !rt.multi || rt.budget <= 1)
        return;
    given -= rt.budget - 1;
    rt.budget = 1;
}

/* Time passes for the running thread, too: others may sleep until it has worked for long enough. */
static void time_runs(const struct hd_thread *me)
{
    uint64_t used = given - rt.budget;
    given = rt.budget;
    if (!rt.multi || rt.led)
        return;
    rt.now += used * HOOK;
    if (me->poll.polling)
        rt.fruitless += used;
    if (rt.exiting)
        rt.exit_steps -= used < rt.exit_steps ? used : rt.exit_steps;
}

static void grant(struct hd_thread *t)
{
    HD_RT_CHECK(t->state == HD_READY);
    HD_RT_SELF_CHECK(hd_rt_check_threads());
    hd_rt_log1(HD_LOG_SWITCH, 0, t->num);
    t->state = HD_RUNNING;
    hd_rt_turn_starts(t);
    new_budget(t);
    rt.holder = t;
}

static void send(struct hd_thread *t)
{
    atomic_fetch_or(&t->go, HD_GO_TOKEN); /* pairs with wait_for_token */
    hd_rt_futex_wake(&t->go, 1);
}

static void wake_keeper(void)
{
    atomic_fetch_add(&rt.idle, 1); /* pairs with the keeper's wait_idle */
    hd_rt_futex_wake(&rt.idle, 1);
}

/* The next holder waits until an ending thread is gone: its last steps (destructors of libc, the
 * cache of stacks) would otherwise run beside us and make addresses depend on luck. */
static void wait_for_leaver(void)
{
    struct hd_thread *t = rt.leaving;
    if (!t)
        return;
    rt.leaving = NULL;
    long pid = hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < 100000; i++) {
        if (hd_rt_syscall(SYS_tgkill, pid, t->tid, 0, 0, 0, 0) == -ESRCH) {
            if (t->detached)
                hd_rt_thread_old(t);
            return;
        }
        hd_rt_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
}

/* A signal waits for this thread: it has to run, whatever it is blocked on (and looks again then).
 */
static void rouse(struct hd_thread *me)
{
    hd_rt_lock();
    if (me->state == HD_BLOCKED || me->state == HD_FDWAIT)
        hd_rt_make_ready(me);
    if (!rt.holder)
        hd_rt_choose_idle();
    hd_rt_unlock();
}

static void wait_for_token(struct hd_thread *me)
{
    uint32_t seen;
    while (!((seen = atomic_load(&me->go)) & HD_GO_TOKEN)) { /* pairs with send and on_signal */
        hd_rt_futex_wait(&me->go, seen, me->sig_in != me->sig_out ? NAP : HD_NEVER);
        if (me->sig_in != me->sig_out && me->sig_hold < HD_HOLD_WAKING &&
            !(atomic_load(&me->go) & HD_GO_TOKEN))
            rouse(me);
    }
    atomic_fetch_and(&me->go, ~HD_GO_TOKEN);
    HD_RT_CHECK(rt.holder == me && me->state == HD_RUNNING);
    wait_for_leaver();
}

void hd_rt_thread_first(struct hd_thread *me)
{
    wait_for_token(me);
}

/* Lock held; frees it. me is not RUNNING any more; returns when it is again. */
static void switch_away(struct hd_thread *me)
{
    HD_RT_CHECK(me->state != HD_RUNNING);
    time_runs(me);
    if (!rt.led)
        rt.now += SWITCH; /* threads that only hand over to each other get to a deadline, too */
    hd_rt_turn_ends(me);
    rt.holder = NULL;
    struct hd_thread *next = choose();
    if (next)
        grant(next);
    hd_rt_unlock();
    if (next == me)
        return;
    if (next)
        send(next);
    else
        wake_keeper();
    wait_for_token(me);
}

void hd_rt_choose_idle(void)
{
    struct hd_thread *next = choose();
    if (next) {
        grant(next);
        send(next);
    }
}

bool hd_rt_block(struct hd_thread *me, const void *obj, enum hd_waits kind, uint64_t deadline,
                 uintptr_t pc)
{
    struct hd_rt_frame frames[HD_RT_PARKED];
    HD_RT_CHECK_HOLDER(me);
    HD_RT_CHECK(obj && !me->pend_len); /* a write that is not logged would come after the wait */
    if (kind != HD_WAITS_LOCK)         /* a lock may be what it holds while it looks */
        hd_rt_moves_on(me);
    if (HD_UNLIKELY(rt.follow))
        hd_rt_follow_parks(me, frames);
    hd_rt_lock();
    me->state = HD_BLOCKED;
    me->wait_obj = obj;
    me->wait_kind = kind;
    me->wait_pc = pc;
    me->park_frame = __builtin_frame_address(0);
    me->deadline = deadline;
    me->timed_out = false;
    switch_away(me);
    hd_rt_follow_parked(me);
    me->deadline = HD_NEVER;
    bool in_time = !me->timed_out;
    hd_rt_signals_run(me);
    return in_time;
}

void hd_rt_unblock(const void *obj)
{
    if (!rt.multi)
        return;
    hd_rt_lock();
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->state == HD_BLOCKED && rt.threads[i]->wait_obj == obj)
            hd_rt_make_ready(rt.threads[i]);
    hd_rt_unlock();
}

void hd_rt_unblock_one(struct hd_thread *t)
{
    hd_rt_lock();
    if (t->state == HD_BLOCKED || t->state == HD_FDWAIT)
        hd_rt_make_ready(t);
    hd_rt_unlock();
}

/* Lets another ready thread run, if there is one. */
static void yield(struct hd_thread *me)
{
    if (!rt.multi) {
        hd_rt_new_budget();
        hd_rt_signals_run(me);
        return;
    }
    struct hd_rt_frame frames[HD_RT_PARKED];
    if (HD_UNLIKELY(rt.follow))
        hd_rt_follow_parks(me, frames);
    hd_rt_lock();
    hd_rt_make_ready(me);
    switch_away(me);
    hd_rt_follow_parked(me);
    hd_rt_signals_run(me);
}

void hd_rt_ask(struct hd_thread *me)
{
    bool out = !rt.budget;
    HD_RT_CHECK_HOLDER(me);
    time_runs(me);
    me->poll.site = me->at_site;
    if (rt.policy->asked(me, hd_rt_passes(me, out))) {
        yield(me);
        return;
    }
    hd_rt_new_budget();
    hd_rt_signals_run(me);
}

void hd_rt_ask_at(struct hd_thread *me, const void *p, size_t n, uintptr_t site)
{
    me->at_site = site;
    me->at_addr = p;
    me->at_size = n;
    hd_rt_ask(me);
    me->at_site = 0;
}

void hd_rt_outside(struct hd_thread *me)
{
    HD_RT_CHECK_HOLDER(me);
    HD_RT_CHECK(!me->pend_len);
    me->in_wait = true;
    if (!rt.multi)
        return;
    hd_rt_lock();
    me->state = HD_OUTSIDE;
    rt.n_outside++;
    rt.holder = NULL;
    struct hd_thread *next = choose();
    if (next)
        grant(next);
    hd_rt_unlock();
    if (next)
        send(next);
    else
        wake_keeper();
}

void hd_rt_take_token(struct hd_thread *me)
{
    me->in_wait = false;
    hd_rt_lock();
    bool mine = rt.holder == me;
    if (!mine)
        hd_rt_make_ready(me);
    if (!mine && !rt.holder) {
        switch_away(me);
    } else {
        hd_rt_unlock();
        if (!mine)
            wait_for_token(me);
    }
    hd_rt_signals_run(me);
}

/* The only thread: no caller needs the token meanwhile. */
static bool fd_wait_alone(struct hd_thread *me, struct pollfd *fds, unsigned n, uint64_t deadline)
{
    for (unsigned i = 0; i < n && rt.follow; i++)
        hd_rt_arrivals_alone(fds[i].fd, fds[i].events);
    uint64_t before = hd_rt_real_ns(CLOCK_MONOTONIC), span = deadline - rt.now;
    struct timespec ts = {(time_t)(span / 1000000000u), (long)(span % 1000000000u)};
    me->in_wait = true;
    long r = hd_rt_syscall(SYS_ppoll, (long)fds, n, deadline == HD_NEVER ? 0 : (long)&ts, 0, 8, 0);
    me->in_wait = false;
    rt.now = r == 0 ? deadline : rt.now + hd_rt_real_ns(CLOCK_MONOTONIC) - before;
    return r != 0;
}

bool hd_rt_fd_block(struct hd_thread *me, struct pollfd *fds, unsigned n, uint64_t deadline)
{
    HD_RT_CHECK_HOLDER(me);
    if (!rt.multi)
        return fd_wait_alone(me, fds, n, deadline);
    hd_rt_moves_on(me);
    hd_rt_lock();
    me->state = HD_FDWAIT;
    rt.n_fdwait++;
    me->fds = fds;
    me->n_fds = n;
    me->deadline = deadline;
    me->timed_out = false;
    switch_away(me);
    me->deadline = HD_NEVER;
    bool in_time = !me->timed_out;
    hd_rt_signals_run(me);
    return in_time;
}

void hd_rt_finish(struct hd_thread *me)
{
    HD_RT_CHECK_HOLDER(me);
    HD_RT_CHECK(!me->in_cond && !me->pend_len);
    hd_rt_moves_on(me);
    me->n_events = __hd_flow.count;
    me->flow = NULL;
    hd_rt_unblock(me);
    hd_rt_lock();
    me->state = HD_DONE;
    rt.leaving = me->num ? me : NULL; /* the first thread stays as a zombie */
    rt.holder = NULL;
    struct hd_thread *next = choose();
    if (next)
        grant(next);
    hd_rt_unlock();
    if (next)
        send(next);
    else
        wake_keeper();
}

/* Makes a thread of the calling one, unknown so far; it then has the token. */
static struct hd_thread *adopt(void)
{
    hd_rt_lock();
    struct hd_thread *me = hd_rt_thread_new();
    if (me) {
        me->tid = (pid_t)hd_rt_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
        me->in_rt = 1;
        me->flow = &__hd_flow;
        rt.header->wants_notes = 1;
        me->detached = true;
        me->state = HD_OUTSIDE; /* not to be chosen before it asks for the token */
        rt.n_outside++;
        rt.multi = true;
    }
    hd_rt_unlock();
    if (!me)
        return NULL;
    hd_rt_is(me);
    hd_rt_thread_adopted(me);
    hd_rt_take_token(me);
    return me;
}

struct hd_thread *hd_rt_enter_slow(const void *p, size_t n, uintptr_t site)
{
    struct hd_thread *me = hd_rt_me;
    if (!hd_rt_ready)
        hd_rt_init();
    if (!rt.on)
        return NULL;
    if (!me && !(me = hd_rt_me) && !(me = adopt()))
        return NULL;
    me->in_rt = 1;
    if (rt.holder != me)
        hd_rt_take_token(me);
    hd_rt_flush(me);
    if (rt.stepwise)
        hd_rt_ask_at(me, p, n, site);
    return me;
}

void hd_rt_forget_others(struct hd_thread *me)
{
    if (rt.stepwise) { /* the schedule is the parent's */
        rt.follow = rt.steer = rt.stepwise = rt.tapped = rt.led = false;
        rt.policy = &hd_rt_policy_fifo;
        hd_rt_new_budget();
    }
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i] != me) {
            rt.threads[i]->state = HD_DONE;
            rt.threads[i]->lost = true;
        }
    atomic_store(&rt.lock, 0);
    rt.n_fdwait = rt.n_outside = 0;
    rt.holder = me;
    me->state = HD_RUNNING;
    rt.multi = false;
}
