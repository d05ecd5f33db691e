/* Policy follow: exactly the thread of the next entry of a schedule runs (abi/rt_schedule.h).
 *
 * The budget is 1, so a thread asks at the start of every call and runs on only if the next entry
 * is its own. What it did is read back from the log at the next question: each event must be the
 * one that the schedule names. The first that is not ends the process.
 *
 * In a long entry of kind HD_SCHED_ANY any event is right, and only their number matters. There the
 * thread gets a stretch: it may write records the quick way as when it was recorded, of which each
 * takes a byte at least, so the room that it gets bounds their number. The next record that is
 * written the long way, and the next question, end the stretch and count its events. */
#include "rt/core/rt_check.h"
#include "abi/rt_schedule.h"
#include "rt/concolic/rt_sym.h"
#include "rt/core/live_arrivals.h"
#include "rt/core/range_log.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"
#include "rt/libc/sync.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static const struct hd_sched_header *sched;
static const struct hd_sched_thread *paths;
static const struct hd_sched_entry *entries;
/* What a debugger looks at and sets: src/replay/gdb. */
HD_EXPORT struct {
    uint64_t next; /* the entry that is due */
    uint64_t stop; /* not 0: call __hd_follow_stopped when this many have run */
    int tids[2];   /* threads of the property, the one that goes first first */
} __hd_follow;
static uint32_t part;     /* events of the entry that is due that have come already */
static uint64_t property; /* the first entry of the property; n_entries: there is none */
static uintptr_t bases[HD_SCHED_MAX_MODULES];
static bool loaded[HD_SCHED_MAX_MODULES];
static struct hd_thread **by_path; /* &gone: it is over */
static uint32_t *nums;             /* by path, where by_path is set */
static struct hd_thread gone = {.state = HD_DONE, .num = UINT32_MAX};

static const uint8_t *seen; /* the log is checked up to here */
static uint32_t runner;     /* thread of the records there */
static bool offered;        /* the running thread may begin a stretch with its next record */
static bool stretch;        /* one goes on */
static uint32_t began;      /* events of the thread when it began */
static bool announced;      /* that both stand */
static bool free_run;       /* all entries have run */
static uint64_t before[2];  /* entries of the property's threads that come before it */
static bool stood[2];       /* they stand at their calls */
static struct {
    struct hd_follow_stands head;
    uint64_t frames[HD_FOLLOW_FRAMES];
} stands[2];

static void note(enum hd_follow what, const void *data, size_t n)
{
    hd_rt_log_data(HD_LOG_FOLLOW, 0, what, data, n);
}

#define STUCK UINT64_C(1000000000) /* of real time: see hd_rt_follow_idle */

_Noreturn static void stop(const struct hd_follow_diverged *d)
{
    rt.follow = false; /* the log may grow for this last record */
    note(HD_FOLLOW_DIVERGED, d, sizeof *d);
    rt.header->outcome = HD_OUTCOME_DIVERGED;
    for (;;)
        hd_rt_syscall(SYS_exit_group, HD_RT_EXIT_DIVERGED, 0, 0, 0, 0, 0);
}

/* ---- names of threads and modules ---- */

static struct hd_thread *thread_of(uint32_t path)
{
    if (path >= sched->n_threads)
        return NULL;
    if (by_path[path])
        return by_path[path];
    if (path == 0)
        return by_path[0] = rt.n_threads ? rt.threads[0] : NULL;
    uint32_t parent = paths[path].parent;
    for (uint32_t i = rt.n_threads; thread_of(parent) && i-- > 0;) {
        struct hd_thread *t = rt.threads[i];
        if (t->from && t->from->num == nums[parent] && t->child == paths[path].child) {
            t->path = path;
            nums[path] = t->num;
            return by_path[path] = t;
        }
    }
    return NULL;
}

void hd_rt_follow_gone(struct hd_thread *t)
{
    if (t->path != UINT32_MAX)
        by_path[t->path] = &gone;
}

static bool is_due(const struct hd_thread *t)
{
    return __hd_follow.next < sched->n_entries && thread_of(entries[__hd_follow.next].thread) == t;
}

void hd_rt_follow_module(const char *path, bool main_program, uintptr_t bias)
{
    const uint64_t *names = (const void *)((const char *)sched + sched->modules);
    for (uint32_t i = 0; i < sched->n_modules; i++) {
        bool same = i == 0 ? main_program : !strcmp((const char *)sched + names[i], path);
        if (same && !loaded[i]) {
            loaded[i] = true;
            bases[i] = bias;
            return;
        }
    }
}

static bool site_fits(const struct hd_sched_entry *e, uint64_t site)
{
    if (e->module == HD_SCHED_NO_MODULE)
        return true;
    return loaded[e->module] && ((bases[e->module] + e->offset) << 16 >> 16) == site;
}

/* A compare-and-swap is the one or the other, as it succeeds or not. */
static bool kind_fits(unsigned expected, unsigned kind)
{
    bool cas = (expected == HD_LOG_RMW && kind == HD_LOG_AREAD) ||
               (expected == HD_LOG_AREAD && kind == HD_LOG_RMW);
    return expected == HD_SCHED_ANY || expected == kind || cas;
}

/* ---- reading back what happened ---- */

static void count_down(const struct hd_sched_entry *e, uint64_t n)
{
    for (unsigned w = 0; property < sched->n_entries && w < 2; w++) {
        uint64_t at = w ? property + sched->n_first : property;
        if (e->thread == entries[at].thread)
            before[w] -= before[w] < n ? before[w] : n;
    }
}

/* n events of the entry that is due have come. */
static void advance(uint32_t n)
{
    const struct hd_sched_entry *e = &entries[__hd_follow.next];
    HD_RT_CHECK(__hd_follow.next < sched->n_entries);
    HD_RT_CHECK(e->kind != HD_SCHED_ANY || part + n <= e->count);
    if (__hd_follow.next < property)
        count_down(e, n);
    part += n;
    if (e->kind == HD_SCHED_ANY && part < e->count)
        return;
    part = 0;
    __hd_follow.next++;
}

/* In the trace, if no other thread is concerned: accesses, branches, that a thread ends, free, that
 * a local ends. */
static bool leaves_nothing(unsigned kind)
{
    return kind <= HD_LOG_BRANCH || kind == HD_LOG_SET || kind == HD_LOG_FREE ||
           kind == HD_LOG_GONE;
}

static uint32_t property_length(unsigned w)
{
    return w ? sched->n_second : sched->n_first;
}

/* An event that left nothing in the trace may belong to the call before the one that makes the
 * property's events: then it comes before the thread stands, and is not the property's. */
static bool comes_before(void)
{
    struct hd_sched_header *h = (struct hd_sched_header *)(uintptr_t)sched;
    struct hd_sched_entry *all = (struct hd_sched_entry *)(uintptr_t)entries;
    for (unsigned w = 0; __hd_follow.next == property && w < 2; w++) {
        uint64_t at = w ? property + sched->n_first : property;
        struct hd_sched_entry e = entries[at];
        const struct hd_thread *t = thread_of(e.thread);
        if (stood[w] || before[w] || e.kind != HD_SCHED_ANY || property_length(w) < 2 || !t ||
            t->num != runner)
            continue;
        for (; at > property; at--)
            all[at] = all[at - 1];
        all[property++] = e;
        *(w ? &h->n_second : &h->n_first) -= 1;
        __hd_follow.next++;
        return true;
    }
    return false;
}

static void check_event(unsigned kind, uint64_t site)
{
    const struct hd_sched_entry *e = &entries[__hd_follow.next];
    struct hd_follow_diverged d = {.entry = __hd_follow.next,
                                   .why = HD_DIVERGED_EVENT,
                                   .thread = runner,
                                   .kind = kind,
                                   .site = site};
    if (__hd_follow.next == sched->n_entries)
        return;
    const struct hd_thread *t = thread_of(e->thread);
    if (e->kind == HD_SCHED_ENDS && t && t->num == runner && leaves_nothing(kind))
        return;
    bool early = __hd_follow.next >= property && !(stood[0] && stood[1]);
    if (early && comes_before())
        return;
    if (!t || t->num != runner)
        d.why = HD_DIVERGED_THREAD;
    else if (!early && kind_fits(e->kind, kind) && (e->kind == HD_SCHED_ANY || site_fits(e, site)))
        d.why = 0;
    if (d.why)
        stop(&d);
    advance(1);
}

/* For a debugger: as many entries have run as it wanted. */
HD_EXPORT __attribute__((noinline)) void __hd_follow_stopped(void);
HD_EXPORT __attribute__((noinline)) void __hd_follow_stopped(void)
{
    __asm__ volatile("" ::: "memory");
}

static void skip_ended(void)
{
    while (__hd_follow.next < sched->n_entries && entries[__hd_follow.next].kind == HD_SCHED_ENDS) {
        const struct hd_thread *t = thread_of(entries[__hd_follow.next].thread);
        if (!t || t->state != HD_DONE)
            return;
        __hd_follow.next++;
    }
}

static uint64_t varint(const uint8_t **p)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = *(*p)++;
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            break;
    }
    return v;
}

/* The record at `seen`, which is the last one: see log/rt_pack.h. */
static void look_at_record(void)
{
    const uint8_t *p = seen;
    unsigned flag = *p++;
    if (flag & 3) {
        uint64_t key =
            hd_rt_pack.prev ? hd_pack_at(&hd_rt_pack, hd_rt_pack.prev)->key : hd_rt_pack.spelled;
        if (hd_shape_kind(hd_pack_shape(key)) <= HD_LOG_LAST_EVENT)
            check_event(hd_shape_kind(hd_pack_shape(key)), key >> 16);
        return;
    }
    p++; /* aux */
    uint64_t slot = varint(&p), site = slot ? hd_rt_pack.slots[slot].key >> 16 : 0;
    if (flag >> 2 == HD_LOG_SWITCH)
        runner = (uint32_t)varint(&p);
    else if (flag >> 2 <= HD_LOG_LAST_EVENT)
        check_event(flag >> 2, site);
}

/* ---- stretches ---- */

#define SHORT 64 /* events: fewer are checked one by one */

/* Events that may come before one matters, if me is due; 0: the next one does. */
static uint32_t left_of_any(const struct hd_thread *me)
{
    const struct hd_sched_entry *e = &entries[__hd_follow.next];
    return me && is_due(me) && __hd_follow.next < property && e->kind == HD_SCHED_ANY
               ? e->count - part
               : 0;
}

uint8_t *hd_rt_follow_quick(uint8_t *limit)
{
    if (free_run)
        return limit;
    if (!offered)
        return NULL;
    size_t room = left_of_any(hd_rt_me) - SHORT;
    offered = false;
    stretch = true;
    began = __hd_flow.count;
    return (size_t)(limit - hd_rt_log.pos) < room ? limit : hd_rt_log.pos + room;
}

bool hd_rt_follow_free(void)
{
    return free_run;
}

/* Counts the events of a stretch. False: there are none. */
static bool end_stretch(void)
{
    uint32_t n = stretch ? __hd_flow.count - began : 0;
    if (stretch) {
        hd_rt_log.quick = NULL;
        rt.budget = 1;
    }
    stretch = false;
    if (n)
        advance(n);
    return n;
}

void hd_rt_follow_counts_early(void)
{
    hd_rt_follow_catch_up();
    offered = false;
}

void hd_rt_follow_catch_up(void)
{
    bool counted = end_stretch();
    if (!counted && !free_run && seen && seen < hd_rt_log.pos && *seen)
        look_at_record();
    seen = hd_rt_log.pos;
    skip_ended();
    if (__hd_follow.stop && __hd_follow.next >= __hd_follow.stop) {
        __hd_follow.stop = 0;
        __hd_follow_stopped();
    }
}

void hd_rt_follow_new_record(void)
{
    seen = hd_rt_log.pos;
}

/* ---- stacks ---- */

bool hd_rt_follow_wants(const struct hd_thread *me, uint64_t *entry)
{
    *entry = __hd_follow.next;
    return !free_run && is_due(me) && entries[*entry].flags & HD_SCHED_STACK;
}

const struct hd_sched_header *hd_rt_follow_asks(void)
{
    return sched && sched->stacks ? sched : NULL;
}

/* ---- the property ---- */

/* Does this thread wait at the call that makes the property's first entry of its own? */
static void look_whether_stands(struct hd_thread *me)
{
    for (unsigned w = 0; property < sched->n_entries && w < 2; w++) {
        const struct hd_sched_entry *e = &entries[w ? property + sched->n_first : property];
        for (uint32_t i = 1; e->module == HD_SCHED_NO_MODULE && i < property_length(w); i++)
            e++; /* branches on the arguments of the call have no site */
        if (stood[w] || before[w] || thread_of(e->thread) != me || !me->at_site)
            continue;
        if (!site_fits(e, (uint64_t)me->at_site << 16 >> 16))
            continue;
        stood[w] = true;
        __hd_follow.tids[w] = me->tid;
        stands[w].head =
            (struct hd_follow_stands){w, me->num, (uintptr_t)me->at_addr, me->at_size,
                                      hd_rt_unwind(stands[w].frames, HD_FOLLOW_FRAMES)};
    }
}

/* For a debugger: the second of the property goes first after all. */
HD_EXPORT void __hd_follow_swap(void);
HD_EXPORT void __hd_follow_swap(void)
{
    struct hd_sched_header *h = (struct hd_sched_header *)(uintptr_t)sched;
    struct hd_sched_entry *e = (struct hd_sched_entry *)(uintptr_t)(entries + property), first;
    for (uint32_t i = 0; i < h->n_first; i++) { /* the front goes to the end, one by one */
        first = e[0];
        for (uint32_t k = 1; k < h->n_first + h->n_second; k++)
            e[k - 1] = e[k];
        e[h->n_first + h->n_second - 1] = first;
    }
    uint32_t n = h->n_first;
    h->n_first = h->n_second;
    h->n_second = n;
    int tid = __hd_follow.tids[0];
    __hd_follow.tids[0] = __hd_follow.tids[1];
    __hd_follow.tids[1] = tid;
}

/* For a debugger: no thread runs, and both threads of the property stand at their calls. */
HD_EXPORT __attribute__((noinline)) void __hd_both_stand(void);
HD_EXPORT __attribute__((noinline)) void __hd_both_stand(void)
{
    __asm__ volatile("" ::: "memory");
}

static void announce(void)
{
    if (announced)
        return;
    announced = true;
    for (unsigned w = 0; w < 2; w++)
        note(HD_FOLLOW_STANDS, &stands[w], sizeof stands[w].head + 8 * stands[w].head.frames);
    __hd_both_stand();
}

/* ---- the policy ---- */

static void *map_schedule(size_t n, int fd)
{
    long p = hd_rt_syscall(SYS_mmap, 0, (long)n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    return p < 0 && p > -4096 ? NULL : (void *)p;
}

static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction act = {.sa_sigaction = hd_rt_on_crash, .sa_flags = SA_SIGINFO};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        hd_real.sigaction(signals[i], &act, NULL);
}

static void start(void)
{
    const char *path = hd_rt_getenv(HD_SCHED_ENV);
    struct hd_sched_header head = {0};
    struct hd_follow_diverged d = {.why = HD_DIVERGED_LOG};
    if (!path)
        stop(&d);
    long fd = hd_rt_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd >= 0 && hd_rt_syscall(SYS_read, fd, (long)&head, sizeof head, 0, 0, 0) == sizeof head &&
        head.magic == HD_SCHED_MAGIC && head.n_modules <= HD_SCHED_MAX_MODULES)
        sched = map_schedule(head.bytes, (int)fd);
    if (!sched)
        stop(&d);
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    paths = (const void *)((const char *)sched + sched->threads);
    entries = (const void *)((const char *)sched + sched->entries);
    by_path = hd_rt_mem(sched->n_threads * sizeof *by_path);
    nums = hd_rt_mem(sched->n_threads * sizeof *nums);
    property = sched->n_entries - sched->n_first - sched->n_second;
    for (uint64_t i = 0; i < property; i++)
        for (unsigned w = 0; property < sched->n_entries && w < 2; w++)
            if (entries[i].kind != HD_SCHED_ENDS &&
                entries[i].thread == entries[w ? property + sched->n_first : property].thread)
                before[w] += entries[i].kind == HD_SCHED_ANY ? entries[i].count : 1;
    seen = hd_rt_log.end = hd_rt_log.pos;
    hd_rt_log.quick = NULL;
    rt.follow = rt.stepwise = rt.led = true;
    hd_rt_arrivals_start();
    catch_crashes();
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static struct hd_thread *expect(uint64_t entry)
{
    struct hd_thread *t = thread_of(entries[entry].thread);
    struct hd_follow_diverged d = {.entry = entry};
    d.why = !t ? HD_DIVERGED_UNBORN : t->state == HD_DONE ? HD_DIVERGED_ENDED : 0;
    d.thread = t ? t->num : 0;
    if (d.why)
        stop(&d);
    /* A futex wait may return early, and no event has who woke it. One with a time limit would
     * tell the program about the time instead. */
    if (t->state == HD_BLOCKED && t->wait_kind == HD_WAITS_FUTEX && t->deadline == HD_NEVER)
        hd_rt_make_ready(t);
    return t->state == HD_READY ? t : NULL;
}

static void go_free(void)
{
    uint64_t nothing = 0;
    if (!free_run)
        note(HD_FOLLOW_FREE, &nothing, sizeof nothing);
    free_run = true;
    rt.led = rt.stepwise = false; /* the rest is as under policy fifo */
}

static struct hd_thread *pick(void)
{
    hd_rt_follow_catch_up();
    if (__hd_follow.next == sched->n_entries) {
        go_free();
        if (sched->stacks)
            hd_rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
        return hd_rt_hold_pick();
    }
    if (__hd_follow.next == property && !stood[0])
        return expect(property);
    if (__hd_follow.next == property && !stood[1])
        return expect(property + sched->n_first);
    if (__hd_follow.next == property)
        announce();
    if (__hd_follow.next == property && sched->holds) {
        hd_rt_hold(thread_of(entries[property + sched->n_first].thread));
        __hd_follow.next = sched->n_entries;
        go_free();
        return hd_rt_hold_pick();
    }
    return expect(__hd_follow.next);
}

static uint64_t budget(void)
{
    if (free_run)
        return hd_rt_policy_fifo.budget();
    if (stretch)
        hd_rt_follow_catch_up();
    uint32_t left = rt.holder == hd_rt_me ? left_of_any(hd_rt_me) : 0;
    offered = left > 2 * SHORT;
    return offered ? left : 1;
}

static bool asked(struct hd_thread *me, bool passes)
{
    if (free_run)
        return hd_rt_hold_asked(me, passes);
    hd_rt_follow_catch_up();
    look_whether_stands(me);
    if (sched->stays && __hd_follow.next == sched->n_entries && sched->n_entries &&
        thread_of(entries[sched->n_entries - 1].thread) == me) {
        go_free();
        return false;
    }
    return !is_due(me) || (__hd_follow.next == property && !announced);
}

/* No thread can run: the thread that is due is blocked. After the last entry that is the program's
 * deadlock.
 */
static void stuck(void)
{
    if (__hd_follow.next == sched->n_entries)
        return;
    uint64_t entry =
        __hd_follow.next == property && stood[0] ? property + sched->n_first : __hd_follow.next;
    if (__hd_follow.next != property)
        entry = __hd_follow.next;
    const struct hd_thread *t = thread_of(entries[entry].thread);
    struct hd_follow_diverged d = {
        .entry = entry, .why = HD_DIVERGED_BLOCKED, .thread = t->num, .site = t->wait_pc};
    d.waits = t->wait_kind;
    d.object = hd_rt_waited_for(t);
    stop(&d);
}

/* The thread that has to run next; NULL: any. */
static struct hd_thread *due(void)
{
    if (free_run || __hd_follow.next == sched->n_entries)
        return NULL;
    bool second = __hd_follow.next == property && stood[0] && !stood[1];
    return thread_of(entries[__hd_follow.next + (second ? sched->n_first : 0)].thread);
}

bool hd_rt_follow_holds(const struct hd_thread *t)
{
    const struct hd_thread *next = due();
    return next && next != t;
}

void hd_rt_follow_idle(uint64_t ns)
{
    const struct hd_thread *t = ns < STUCK ? NULL : due();
    if (t && t->state == HD_OUTSIDE && !t->in_wait)
        stuck();
}

const struct hd_policy hd_rt_policy_follow = {start, created, pick, budget, asked, stuck};

bool hd_rt_follow_arrivals(bool never)
{
    struct hd_thread *t = due();
    if (t && t->state == HD_OUTSIDE && hd_rt_arrivals_raise(t))
        return false; /* it comes back with that */
    if ((!never || rt.n_outside) && !free_run)
        return false; /* who is due may wait for the clock, or come back by itself */
    if (hd_rt_arrivals_play())
        return true;
    if (!never || rt.n_outside || !free_run || !hd_rt_arrivals_over())
        return false;
    rt.header->outcome = HD_OUTCOME_WAITS;
    for (;;)
        hd_rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    bool *first = arg;
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    if (*first || *path)
        hd_rt_follow_module(path, *first, info->dlpi_addr);
    *first = false;
    return 0;
}

void hd_rt_follow_child(void)
{
    bool first = true;
    rt.policy = &hd_rt_policy_follow;
    start();
    dl_iterate_phdr(find_module, &first);
    hd_rt_new_budget();
}

struct hd_thread *hd_rt_follow_wakes(void)
{
    hd_rt_follow_catch_up();
    if (free_run || __hd_follow.next == 0 ||
        entries[__hd_follow.next - 1].wakes == HD_SCHED_NO_THREAD)
        return NULL;
    return thread_of(entries[__hd_follow.next - 1].wakes);
}

bool hd_rt_follow_creates(const struct hd_thread *me)
{
    uint64_t i = __hd_follow.next;
    while (i < sched->n_entries &&
           (entries[i].kind <= HD_LOG_BRANCH || entries[i].kind == HD_SCHED_ANY))
        i++; /* what the call reads and writes before */
    return i < sched->n_entries && me && is_due(me) && entries[i].kind == HD_LOG_FORK &&
           thread_of(entries[i].thread) == me;
}

bool hd_rt_follow_handler(const struct hd_thread *me)
{
    hd_rt_follow_catch_up();
    for (uint64_t i = __hd_follow.next; i < sched->n_entries; i++)
        if (thread_of(entries[i].thread) == me)
            return entries[i].kind == HD_LOG_SEM && entries[i].module == HD_SCHED_NO_MODULE;
    return __hd_follow.next == sched->n_entries;
}

/* The program dies as it would have: the signal comes again when we return. */
void hd_rt_on_crash(int sig, siginfo_t *info, void *context)
{
    static struct {
        struct hd_follow_crash head;
        uint64_t frames[HD_FOLLOW_FRAMES];
    } crash;
    (void)context;
    hd_real.sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (sig == SIGSEGV)
        hd_rt_sym_explain(info->si_addr); /* as the search did that found it */
    struct hd_thread *me = hd_rt_me;
    if (!me || rt.holder != me)
        return;
    crash.head = (struct hd_follow_crash){(uint64_t)sig, (uintptr_t)info->si_addr, me->num, 0};
    int was = me->in_rt;
    me->in_rt = 1; /* what unwinding calls is not the program's: no other thread may run now */
    crash.head.frames = hd_rt_unwind(crash.frames, HD_FOLLOW_FRAMES);
    note(HD_FOLLOW_CRASH, &crash, sizeof crash.head + 8 * crash.head.frames);
    me->in_rt = was;
}
