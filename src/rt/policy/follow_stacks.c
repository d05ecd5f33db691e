/* Stacks for a schedule that asks for them (abi/rt_schedule.h). Runs in the user's process; see
 * the rules in rt.h.
 *
 * The stack of an event is taken when its record is about to be written, on the thread that makes
 * it. Records that are no events may come before it in other calls: they give a stack, too, and the
 * driver takes the last. A write whose record comes at the next call is asked for when it happens.
 */
#include "rt/policy/policy.h"

static struct {
    struct hd_follow_stack head;
    uint64_t frames[HD_FOLLOW_FRAMES];
} stack;
static bool taking;
static uint64_t later = UINT64_MAX; /* entry of a write whose stack is there already */
static uint64_t allocations, next_block;

static void take(enum hd_follow kind, uint64_t what)
{
    struct hd_thread *me = hd_rt_me;
    int in_rt = me->in_rt;
    taking = true;
    me->in_rt = in_rt ? in_rt : 1; /* what the unwinder calls is ours */
    stack.head = (struct hd_follow_stack){what, hd_rt_unwind(stack.frames, HD_FOLLOW_FRAMES)};
    hd_rt_log_data(HD_LOG_FOLLOW, 0, kind, &stack, sizeof stack.head + 8 * stack.head.frames);
    me->in_rt = in_rt;
    taking = false;
}

/* Whose stack the access is to, when that thread waits; NULL: no other thread's. */
static const struct hd_thread *owner_of(uintptr_t addr)
{
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        if (t != hd_rt_me && t->n_parked && addr >= t->stack_low && addr < t->stack_end)
            return t;
    }
    return NULL;
}

/* Thread-local variables lie below the thread pointer, which is glibc's handle of the thread. */
static uintptr_t pointer_behind(uintptr_t addr)
{
    enum { NEAR = 1 << 20 };
    uintptr_t best = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        uintptr_t p = (uintptr_t)rt.threads[i]->handle;
        if (p > addr && p - addr < NEAR && (!best || p < best))
            best = p;
    }
    return best;
}

static struct {
    struct hd_follow_owner head;
    struct hd_rt_frame frames[HD_RT_PARKED];
} owner;

static void log_owner(void)
{
    hd_rt_log_data(HD_LOG_FOLLOW, 0, HD_FOLLOW_OWNER, &owner,
                   sizeof owner.head + owner.head.frames * sizeof *owner.frames);
}

static void log_parked(uint64_t entry, uint64_t addr, uint64_t pointer, const struct hd_thread *t)
{
    owner.head = (struct hd_follow_owner){entry, addr, pointer, t ? t->n_parked : 0};
    for (size_t i = 0; i < owner.head.frames; i++)
        owner.frames[i] = t->parked[i];
    log_owner();
}

/* A call on a lock: which one is not known here, so all stacks may have it. */
static void take_all(uint64_t entry)
{
    int in_rt = hd_rt_me->in_rt;
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i] != hd_rt_me && rt.threads[i]->n_parked)
            log_parked(entry, 0, 0, rt.threads[i]);
    hd_rt_me->in_rt = in_rt ? in_rt : 1; /* what the unwinder calls is ours */
    owner.head =
        (struct hd_follow_owner){entry, 0, 0, hd_rt_unwind_frames(owner.frames, HD_RT_PARKED)};
    hd_rt_me->in_rt = in_rt;
    log_owner();
}

static void take_owner(uint64_t entry)
{
    uintptr_t addr = (uintptr_t)hd_rt_me->at_addr;
    const struct hd_thread *t = owner_of(addr);
    uintptr_t pointer = pointer_behind(addr);
    bool owners = hd_rt_follow_asks()->stacks == HD_SCHED_OWNERS;
    if (!(t || pointer || (!addr && owners)))
        return;
    taking = true;
    if (addr)
        log_parked(entry, addr, pointer, t);
    else
        take_all(entry);
    taking = false;
}

void hd_rt_follow_parks(struct hd_thread *me, struct hd_rt_frame *frames)
{
    const struct hd_sched_header *s = hd_rt_follow_asks();
    int in_rt = me->in_rt;
    if (!s || s->stacks != HD_SCHED_OWNERS || taking)
        return;
    me->in_rt = in_rt ? in_rt : 1;
    me->n_parked = hd_rt_unwind_frames(frames, HD_RT_PARKED);
    me->parked = frames;
    me->in_rt = in_rt;
}

void hd_rt_follow_parked(struct hd_thread *me)
{
    me->n_parked = 0;
}

static bool can_take(void)
{
    return !taking && hd_rt_follow_asks() && hd_rt_me && rt.holder == hd_rt_me;
}

void hd_rt_follow_record(void)
{
    uint64_t entry;
    if (can_take() && hd_rt_follow_wants(hd_rt_me, &entry) && entry != later) {
        take_owner(entry);
        take(HD_FOLLOW_STACK, entry);
    }
}

void hd_rt_follow_write_later(void)
{
    uint64_t entry;
    if (!can_take())
        return;
    hd_rt_follow_catch_up();
    if (hd_rt_follow_wants(hd_rt_me, &entry)) {
        take_owner(entry);
        take(HD_FOLLOW_STACK, entry);
        later = entry;
    }
}

void hd_rt_follow_alloc(void)
{
    const struct hd_sched_header *s = hd_rt_follow_asks();
    if (taking)
        return;
    allocations++; /* also before a forked child starts to follow */
    if (!s)
        return;
    const uint64_t *blocks = (const void *)((const char *)s + s->blocks);
    while (next_block < s->n_blocks && blocks[next_block] < allocations)
        next_block++; /* an ancestor's */
    if (next_block == s->n_blocks || blocks[next_block] != allocations)
        return;
    next_block++;
    if (can_take())
        take(HD_FOLLOW_BLOCK, allocations);
}

void hd_rt_follow_made(const volatile void *at)
{
    if (rt.follow && can_take())
        take(HD_FOLLOW_MADE, (uintptr_t)at);
}
