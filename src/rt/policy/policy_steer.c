/* Policy steer: the driver's choices first, then its rules (log/rt_steer.h). Runs in the user's
 * process; see the rules in rt.h.
 *
 * The budget is always 1, so a thread asks at the start of every call. A step ends there and
 * wherever a thread gives the token away. What it did comes from the log: without room in it, each
 * record is handed to hd_rt_steer_op instead. */
#include "log/rt_depend.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"

#include <string.h>
#include <sys/syscall.h>

/* A thread that waits for another one by looking again and again does not yield by itself: when it
 * has come to the same places so often, or after SLICE questions, others run. If all have looked in
 * vain the next deadline comes. Only the places count: a search runs with and without a log. */
#define SLICE  2000
#define SAME   128
#define PERIOD 32 /* places of such a loop at most */
/* Questions for each operation that there is room for: a loop of sleeps makes no operation. */
#define QUESTIONS 20

static struct hd_steer_header *area;
static const struct hd_steer_thread *paths;
static const struct hd_steer_choice *choices;
static const struct hd_steer_sleeper *sleepers;
static const struct hd_steer_op *plan_ops;
static struct hd_steer_op *ops;
static struct hd_thread *by_path[HD_STEER_THREADS];

static uint32_t next; /* the choice that is due */
static bool moved;    /* its thread has done something that others may notice */
static bool in_step;  /* ops[step] starts the step that is being made */
static uint64_t step;
static uint64_t asleep; /* numbers of threads */
static bool slept;      /* asleep is filled in */
static uint64_t questions;
static uint32_t run_on; /* questions since another thread ran */
static struct {
    uint64_t last[PERIOD]; /* places, the latest at n - 1 modulo PERIOD */
    uint32_t n, period, same;
} loops[HD_STEER_THREADS];
static char at_exit_mark, crash_mark; /* what threads that end the process wait for */
static int crash_signal[HD_STEER_THREADS];

static uint64_t bit(const struct hd_thread *t)
{
    return UINT64_C(1) << t->num;
}

/* ---- the end ---- */

static uint32_t events_of(const struct hd_thread *t)
{
    return t->flow ? t->flow->count : t->n_events;
}

static void tell_state(const struct hd_thread *t, struct hd_steer_state *s)
{
    bool blocked = t->state == HD_BLOCKED;
    *s = (struct hd_steer_state){.parent = t->from ? t->from->num : HD_STEER_NOBODY,
                                 .child = t->child,
                                 .count = events_of(t),
                                 .site = blocked ? t->wait_pc : t->at_site,
                                 .addr = (uintptr_t)t->at_addr,
                                 .size = t->at_site ? t->at_size : 0,
                                 .ended = t->state == HD_DONE,
                                 .timed = blocked && t->deadline != HD_NEVER,
                                 .signal = crash_signal[t->num]};
    if (blocked && t->wait_obj == &crash_mark)
        s->ended = 2;
    else if (blocked && t->wait_obj == &at_exit_mark)
        s->ended = 3;
    else if (blocked) {
        s->waits = t->wait_kind;
        s->object = hd_rt_waited_for(t);
    }
}

static void tell_end(enum hd_steer_end how)
{
    uint32_t n = rt.n_threads < HD_STEER_THREADS ? rt.n_threads : HD_STEER_THREADS;
    for (uint32_t i = 0; i < n; i++)
        tell_state(rt.threads[i], &area->states[i]);
    area->n_states = n;
    area->end = how;
}

_Noreturn static void end(enum hd_steer_end how)
{
    tell_end(how);
    for (;;)
        hd_rt_syscall(SYS_exit_group, HD_RT_EXIT_STEERED, 0, 0, 0, 0, 0);
}

/* ---- threads of the plan ---- */

static struct hd_thread *thread_of(uint32_t path)
{
    if (path >= area->n_threads)
        return NULL;
    if (path == 0 || by_path[path])
        return path ? by_path[path] : rt.threads[0];
    const struct hd_thread *parent = thread_of(paths[path].parent);
    for (uint32_t i = 0; parent && i < rt.n_threads; i++)
        if (rt.threads[i]->from && rt.threads[i]->from->num == parent->num &&
            rt.threads[i]->child == paths[path].child)
            return by_path[path] = rt.threads[i];
    return NULL;
}

static uint64_t may_run(void)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        if (t->state == HD_READY || t->state == HD_RUNNING ||
            (t->state == HD_BLOCKED && t->deadline != HD_NEVER))
            set |= bit(t);
    }
    return set;
}

static uint64_t parked(void)
{
    uint64_t set = 0;
    for (uint32_t i = 0; area->parked && i < area->n_threads; i++) {
        const struct hd_thread *t = area->parked >> i & 1 ? thread_of(i) : NULL;
        set |= t ? bit(t) : 0;
    }
    return set;
}

/* ---- operations ---- */

/* Sleepers count from the last choice on: its step may wake them. */
static void fall_asleep(void)
{
    slept = true;
    for (uint32_t i = 0; i < area->n_sleepers; i++) {
        const struct hd_thread *t = thread_of(sleepers[i].thread);
        asleep |= t ? bit(t) : 0;
    }
}

static void wake_sleepers(const struct hd_steer_op *o)
{
    if (next + 1 < area->n_choices)
        return;
    if (!slept)
        fall_asleep();
    for (uint32_t i = 0; asleep && i < area->n_sleepers; i++) {
        const struct hd_thread *t = thread_of(sleepers[i].thread);
        const struct hd_steer_op *s = plan_ops + sleepers[i].first;
        for (uint32_t k = 0; t && asleep & bit(t) && k < sleepers[i].n; k++)
            if (hd_steer_depend(o, &s[k]))
                asleep &= ~bit(t);
    }
}

static struct hd_steer_op *new_op(unsigned kind)
{
    if (area->n_ops >= area->room)
        end(HD_STEER_CUT);
    struct hd_steer_op *o = &ops[area->n_ops++];
    *o = (struct hd_steer_op){
        .kind = (uint8_t)kind, .thread = (uint16_t)rt.holder->num, .wakes = HD_STEER_NOBODY};
    return o;
}

static bool is_wanted(unsigned kind)
{
    return hd_steer_visible(kind) || kind == HD_LOG_ALLOC || kind == HD_LOG_VIEW ||
           kind == HD_LOG_MAP || kind == HD_LOG_STACK || kind == HD_LOG_SEM_INIT ||
           kind == HD_LOG_BARRIER_INIT;
}

/* What the words of a record are depends on its kind: HD_LOG_KINDS. */
static void take_words(struct hd_steer_op *o, const uint64_t *w)
{
    switch (o->kind) {
    case HD_LOG_LOOK:
    case HD_LOG_SET:
        o->addr = w[1];
        o->other = w[0];
        o->value = w[2];
        return;
    case HD_LOG_READ:
    case HD_LOG_WRITE:
    case HD_LOG_AREAD:
    case HD_LOG_AWRITE:
        o->value = o->flags & HD_STEER_NO_VALUE ? 0 : w[1];
        break;
    case HD_LOG_RMW:
        o->other = o->flags & HD_STEER_NO_VALUE ? 0 : w[1];
        o->value = o->flags & HD_STEER_NO_VALUE ? 0 : w[2];
        break;
    case HD_LOG_ALLOC:
    case HD_LOG_GONE:
    case HD_LOG_MAP:
    case HD_LOG_SEM_INIT:
    case HD_LOG_BARRIER_INIT:
        o->size = w[1] < UINT32_MAX ? (uint32_t)w[1] : UINT32_MAX;
        break;
    case HD_LOG_STACK:
        o->other = w[2];
        o->addr = w[1];
        return;
    case HD_LOG_WAIT:
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        o->other = w[1];
        break;
    case HD_LOG_VIEW:
        o->other = w[1];
        o->value = w[2];
        break;
    default:
        break;
    }
    o->addr = w[0];
}

void hd_rt_steer_op(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const uint64_t *w,
                    size_t size, uint32_t count)
{
    struct hd_thread *me = rt.holder;
    if (!me || !is_wanted(kind))
        return;
    if (!in_step) {
        step = area->n_ops;
        in_step = true;
        new_op(HD_STEER_STEP)->addr = may_run();
    }
    struct hd_steer_op *o = new_op(kind);
    o->site = pc;
    o->size = (uint32_t)size;
    o->count = count;
    bool unknown = aux & HD_LOG_PENDING || kind == HD_LOG_RANGE_READ || kind == HD_LOG_RANGE_WRITE;
    o->flags = (uint8_t)((aux & HD_LOG_SITE ? HD_STEER_SITE : 0) |
                         (me->timed ? HD_STEER_TIMED : 0) | (unknown ? HD_STEER_NO_VALUE : 0));
    take_words(o, w);
    if (!hd_steer_visible(kind))
        return;
    wake_sleepers(o);
    if (next < area->n_choices && thread_of(choices[next].thread) == me)
        moved = true;
}

/* ---- choices ---- */

static bool choice_is_done(void)
{
    const struct hd_thread *t = thread_of(choices[next].thread);
    uint32_t until = choices[next].until;
    return until ? t && events_of(t) >= until : moved;
}

/* The running thread could be held up here. */
static void end_step(void)
{
    if (in_step) {
        ops[step].count = events_of(rt.threads[ops[step].thread]);
        in_step = false;
    }
    while (next < area->n_choices && choice_is_done()) {
        area->chosen = ++next;
        moved = false;
    }
    if (next >= area->n_choices && !slept)
        fall_asleep();
    if (rt.n_threads > HD_STEER_THREADS && !area->silent)
        end(HD_STEER_CROWDED);
    if (++questions > area->room * QUESTIONS && !area->silent) /* a recording has a time limit */
        end(HD_STEER_CUT);
}

/* Its time is up, whatever the clock says. */
static struct hd_thread *time_out(struct hd_thread *t)
{
    if (rt.now < t->deadline)
        rt.now = t->deadline;
    hd_rt_make_ready(t);
    t->timed_out = true;
    return t;
}

static struct hd_thread *pick_chosen(void)
{
    struct hd_thread *t = thread_of(choices[next].thread);
    if (!t || t->state == HD_DONE)
        end(HD_STEER_DIVERGED);
    if (t->state == HD_READY)
        return t;
    if (t->state == HD_BLOCKED && t->deadline != HD_NEVER)
        return time_out(t);
    if (t->state == HD_BLOCKED)
        end(HD_STEER_BLOCKED);
    return NULL; /* it is in a call of the system */
}

static struct hd_thread *longest_ready(uint64_t set)
{
    struct hd_thread *best = NULL;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->state == HD_READY && set & bit(t) && (!best || t->ready_seq < best->ready_seq))
            best = t;
    }
    return best;
}

static struct hd_thread *next_deadline(uint64_t set)
{
    struct hd_thread *best = NULL;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->state == HD_BLOCKED && t->deadline != HD_NEVER && set & bit(t) &&
            (!best || t->deadline < best->deadline))
            best = t;
    }
    return best;
}

static struct hd_thread *waits_at(const char *mark)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->state == HD_BLOCKED && rt.threads[i]->wait_obj == mark)
            return rt.threads[i];
    return NULL;
}

/* No thread is left but those that are held up for a reason of ours. */
static struct hd_thread *pick_last(uint64_t can)
{
    if (rt.n_fdwait || rt.n_outside)
        return NULL;
    if (can & asleep)
        end(HD_STEER_REDUNDANT);
    if (can & parked())
        end(HD_STEER_PARKED);
    if (waits_at(&crash_mark))
        end(HD_STEER_CRASH);
    struct hd_thread *t = waits_at(&at_exit_mark);
    if (!t)
        return NULL;
    tell_end(HD_STEER_EXIT);
    hd_rt_make_ready(t);
    return t;
}

/* Of those that may run, no thread is ready who has not looked in vain. */
static bool all_look(uint64_t set)
{
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        if (t->state == HD_READY && set & bit(t) &&
            (!t->poll.polling || t->poll.looked != rt.acted))
            return false;
    }
    return true;
}

/* The thread is at this place again, as it was `period` places ago, and so on for some time. */
static bool goes_round(const struct hd_thread *me)
{
    uint64_t place = me->at_site * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)me->at_addr;
    uint32_t i = me->num, n = loops[i].n++, p = loops[i].period;
    if (!p || loops[i].last[(n - p) % PERIOD] != place) {
        loops[i].same = 0;
        for (p = 1; p < PERIOD && loops[i].last[(n - p) % PERIOD] != place; p++)
            continue;
        loops[i].period = p < PERIOD ? p : 0;
    }
    loops[i].last[n % PERIOD] = place;
    return ++loops[i].same > SAME;
}

static bool looks_in_vain(struct hd_thread *me)
{
    bool vain = me->num < HD_STEER_THREADS && me->at_site && goes_round(me);
    if (vain || ++run_on > SLICE) {
        me->poll.polling = true;
        me->poll.looked = rt.acted;
        return true;
    }
    return false;
}

static struct hd_thread *pick(void)
{
    end_step();
    run_on = 0;
    if (next < area->n_choices)
        return pick_chosen();
    uint64_t can = may_run(), set = can & ~asleep & ~parked();
    struct hd_thread *t = area->first != HD_STEER_NOBODY ? thread_of(area->first) : NULL;
    if (t && t->state == HD_READY && set & bit(t))
        return t;
    if (!all_look(set) && (t = longest_ready(set)))
        return t;
    if ((t = next_deadline(set))) {
        rt.acted++;
        return time_out(t);
    }
    return (t = longest_ready(set)) ? t : pick_last(can);
}

static bool asked(struct hd_thread *me, bool passes)
{
    (void)passes;
    end_step();
    me->timed = false;
    if (next < area->n_choices)
        return thread_of(choices[next].thread) != me;
    const struct hd_thread *t = area->first != HD_STEER_NOBODY ? thread_of(area->first) : NULL;
    if (t && t != me && t->state == HD_READY && !((asleep | parked()) & bit(t)))
        return true;
    return looks_in_vain(me) || !me->at_site || (asleep | parked()) & bit(me);
}

static uint64_t budget(void)
{
    return 1;
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static void stuck(void)
{
    tell_end(HD_STEER_DEADLOCK);
}

/* ---- the start ---- */

static void *attach(void)
{
    const char *text = hd_rt_getenv(HD_STEER_ENV);
    long id = 0;
    for (const char *p = text; p && *p >= '0' && *p <= '9'; p++)
        id = id * 10 + (*p - '0');
    long at = text ? hd_rt_syscall(SYS_shmat, id, 0, 0, 0, 0, 0) : -1;
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

/* Inside the scheduler, or in a thread that is not ours, the process dies as it would have. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    struct hd_thread *me = hd_rt_me;
    if (me && rt.holder == me && !atomic_load(&rt.lock))
        hd_rt_steer_crash(me, sig);
    hd_real.sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    raise(sig);
}

static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction act = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_NODEFER};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        hd_real.sigaction(signals[i], &act, NULL);
}

static void start(void)
{
    area = attach();
    if (!area || area->magic != HD_STEER_MAGIC)
        for (;;)
            hd_rt_syscall(SYS_exit_group, HD_RT_EXIT_STEERED, 0, 0, 0, 0, 0);
    paths = (const void *)((const char *)area + area->threads);
    choices = (const void *)((const char *)area + area->choices);
    sleepers = (const void *)((const char *)area + area->sleepers);
    plan_ops = (const void *)((const char *)area + area->plan_ops);
    ops = (void *)((char *)area + area->ops);
    rt.stepwise = true;
    rt.led = true;
    rt.steer = true;
    if (area->silent)
        return;
    rt.tapped = true;
    hd_rt_log_quiet();
    catch_crashes();
}

const struct hd_policy hd_rt_policy_steer = {start, created, pick, budget, asked, stuck};

/* ---- what others ask ---- */

struct hd_thread *hd_rt_steer_wakes(const struct hd_sync *c)
{
    struct hd_thread *first = NULL, *chosen = NULL;
    uint64_t waiters = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->in_cond != c)
            continue;
        waiters |= bit(t);
        if (!first || t->cond_seq < first->cond_seq)
            first = t;
    }
    if (next < area->n_choices && choices[next].wakes != HD_STEER_NOBODY)
        chosen = thread_of(choices[next].wakes);
    if (!chosen || chosen->in_cond != c)
        chosen = first;
    if (rt.tapped && area->n_ops) {
        ops[area->n_ops - 1].other = waiters;
        ops[area->n_ops - 1].wakes = chosen ? chosen->num : HD_STEER_NOBODY;
    }
    return chosen;
}

void hd_rt_steer_untold(unsigned what)
{
    if (rt.tapped && rt.multi)
        __atomic_fetch_or(&area->untold, what,
                          __ATOMIC_RELAXED); /* not every caller has the token */
}

void hd_rt_steer_ending(struct hd_thread *me, uintptr_t pc)
{
    if (rt.steer)
        hd_rt_block(me, &at_exit_mark, HD_WAITS_OTHER, HD_NEVER, pc);
}

_Noreturn void hd_rt_steer_crash(struct hd_thread *me, int sig)
{
    me->in_rt = 1;
    crash_signal[me->num] = sig;
    for (;;)
        hd_rt_block(me, &crash_mark, HD_WAITS_OTHER, HD_NEVER, 0);
}
