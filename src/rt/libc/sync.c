/* Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/sync.h"
#include "rt/core/modules.h"
#include "rt/core/rt_check.h"
#include "rt/libc/views.h"

#define FIRST  4096
#define CHAIN  4 /* objects for each slot, on the average, before there are more slots */
#define GROWTH 8

static struct hd_sync *first_slots[FIRST], **slots = first_slots;
static unsigned n_slots = FIRST, n_objects;

static unsigned slot_of(uint64_t key, enum hd_sync_kind kind)
{
    uint64_t h = (key >> 2) * UINT64_C(0x9e3779b97f4a7c15) + kind;
    return (unsigned)(h >> 40) % n_slots;
}

/* A program with a million locks must not go through long chains. The old slots are not given
 * back: all of them together are a seventh of the new ones. */
static void grow(void)
{
    struct hd_sync **old = slots;
    unsigned n_old = n_slots;
    n_slots *= GROWTH;
    slots = hd_rt_mem(n_slots * sizeof *slots);
    for (unsigned i = 0; i < n_old; i++) {
        for (struct hd_sync *s = old[i], *next; s; s = next) {
            unsigned slot = slot_of(s->key, s->kind);
            next = s->next;
            s->next = slots[slot];
            slots[slot] = s;
        }
    }
}

static struct hd_sync *find(uintptr_t addr, uint64_t key, enum hd_sync_kind kind)
{
    struct hd_sync *s = slots[slot_of(key, kind)];
    while (s && (s->key != key || s->kind != kind))
        s = s->next;
    if (s && s->addr != addr && hd_rt_views_key(s->addr) != key)
        s->addr = addr; /* it is not mapped there any more */
    return s;
}

struct hd_sync *hd_rt_sync_find(const volatile void *addr, enum hd_sync_kind kind)
{
    return find((uintptr_t)addr, hd_rt_views_key((uintptr_t)addr), kind);
}

struct hd_sync *hd_rt_sync(const volatile void *addr, enum hd_sync_kind kind)
{
    uint64_t key = hd_rt_views_key((uintptr_t)addr);
    struct hd_sync *s = find((uintptr_t)addr, key, kind);
    HD_RT_CHECK_HOLDER(hd_rt_me);
    if (s)
        return s;
    if (++n_objects > CHAIN * n_slots && n_slots < 1u << 24)
        grow();
    s = hd_rt_mem(sizeof *s);
    unsigned slot = slot_of(key, kind);
    s->key = key;
    s->addr = (uintptr_t)addr;
    s->kind = kind;
    s->next = slots[slot];
    slots[slot] = s;
    hd_rt_module_uses(addr);
    return s;
}

void hd_rt_sync_readdress(void)
{
    for (unsigned i = 0; i < n_slots; i++) {
        for (struct hd_sync *s = slots[i]; s; s = s->next) {
            uintptr_t other = s->key != s->addr && hd_rt_views_key(s->addr) != s->key
                                  ? hd_rt_views_address(s->key)
                                  : 0;
            s->addr = other ? other : s->addr;
        }
    }
}

void hd_rt_sync_each(enum hd_sync_kind kind, void (*visit)(struct hd_sync *))
{
    for (unsigned i = 0; i < n_slots; i++)
        for (struct hd_sync *s = slots[i]; s; s = s->next)
            if (s->kind == kind)
                visit(s);
}

static void log_release(const struct hd_sync *l, const struct hd_thread *t, bool read, unsigned n)
{
    for (; n > 0 && !t->lost; n--) {
        if (t == hd_rt_me)
            hd_rt_log1(read ? HD_LOG_RREL : HD_LOG_REL, 0, l->addr);
        else
            hd_rt_log2(read ? HD_LOG_RREL_FOR : HD_LOG_REL_FOR, 0, 0, l->addr, t->num);
    }
}

/* The trace has one lock for a place: when a new one is made there, the old one must be free. */
static void give_up(struct hd_sync *l)
{
    if (l->owner)
        log_release(l, hd_rt_sync_holder(l), false, l->depth);
    for (const struct hd_reader *r = l->readers; r; r = r->next)
        log_release(l, r->thread, true, r->depth);
    if (l->owner_dead || l->not_recoverable)
        hd_rt_set(HD_LOOK_DEAD, l->addr, 0, 0);
}

void hd_rt_sync_reset(const volatile void *addr, enum hd_sync_kind kind)
{
    struct hd_sync *s = hd_rt_sync_find(addr, kind);
    HD_RT_CHECK_HOLDER(hd_rt_me);
    if (!s)
        return;
    if (kind == HD_SYNC_LOCK)
        give_up(s);
    *s = (struct hd_sync){.key = s->key, .addr = s->addr, .kind = kind, .next = s->next};
}

void hd_rt_sync_log_holders(void)
{
    for (unsigned i = 0; i < n_slots; i++) {
        for (struct hd_sync *s = slots[i]; s; s = s->next) {
            if (s->owner)
                hd_rt_log2(HD_LOG_HOLDS, 0, 0, s->owner->num, s->addr);
            for (struct hd_reader *r = s->readers; r; r = r->next)
                hd_rt_log2(HD_LOG_HOLDS, 0, 0, r->thread->num, s->addr);
        }
    }
}

static void log_again(const struct hd_sync *s, const struct hd_thread *me)
{
    for (unsigned i = 0; s->owner == me && i < s->depth; i++)
        hd_rt_log1(HD_LOG_ACQ, 0, s->addr);
    for (const struct hd_reader *r = s->readers; r; r = r->next)
        for (unsigned i = 0; r->thread == me && i < r->depth; i++)
            hd_rt_log1(HD_LOG_RACQ, 0, s->addr);
    if (s->kind == HD_SYNC_SEM && s->generation)
        hd_rt_log2(HD_LOG_SEM_INIT, 0, 0, s->addr, s->count);
    if (s->kind == HD_SYNC_BARRIER && s->count)
        hd_rt_log2(HD_LOG_BARRIER_INIT, 0, 0, s->addr, s->count);
}

void hd_rt_sync_log_again(struct hd_thread *me)
{
    for (unsigned i = 0; i < n_slots; i++)
        for (const struct hd_sync *s = slots[i]; s; s = s->next)
            log_again(s, me);
}

static bool is_robust(uintptr_t addr)
{
    const pthread_mutex_t *m = (const void *)addr;
    return (m->__data.__kind & 0x10) != 0;
}

void hd_rt_sync_owner_ends(struct hd_thread *me)
{
    for (unsigned i = 0; i < n_slots; i++) {
        for (struct hd_sync *s = slots[i]; s; s = s->next) {
            for (const struct hd_reader *r = s->readers; r; r = r->next)
                me->keeps |= r->thread == me;
            if (s->kind != HD_SYNC_LOCK || !s->owner || hd_rt_sync_holder(s) != me)
                continue;
            me->keeps |= !s->robust;
            if (s->owner != me || !s->robust || !is_robust(s->addr))
                continue;
            s->owner_dead = true;
            hd_rt_set(HD_LOOK_DEAD, s->addr, 1, 0);
            while (s->owner)
                hd_rt_lock_release(me, s, 0);
        }
    }
}

void hd_rt_sync_inherit(const struct hd_thread *from, struct hd_thread *me, uintptr_t pc)
{
    HD_RT_CHECK(from->state == HD_DONE);
    for (unsigned i = 0; i < n_slots && from->keeps; i++) {
        for (struct hd_sync *s = slots[i]; s; s = s->next) {
            if (s->kind != HD_SYNC_LOCK || !s->owner || hd_rt_sync_holder(s) != from)
                continue;
            log_release(s, from, false, s->depth);
            for (unsigned k = 0; k < s->depth; k++)
                hd_rt_log1(HD_LOG_ACQ, pc, s->addr);
            s->heir = me;
        }
    }
}

void hd_rt_look(enum hd_look kind, uint64_t object, uint64_t value, uintptr_t pc)
{
    hd_rt_log3(HD_LOG_LOOK, 0, pc, kind, object, value);
    hd_rt_log1(HD_LOG_BRANCH, pc, hd_tok_range(__hd_flow.count, __hd_flow.count));
}

void hd_rt_set(enum hd_look kind, uint64_t object, uint64_t value, uintptr_t pc)
{
    hd_rt_log3(HD_LOG_SET, 0, pc, kind, object, value);
}
void hd_rt_destroyed(const volatile void *addr, enum hd_destroyed what, uintptr_t pc)
{
    hd_rt_set(HD_LOOK_DESTROY, (uintptr_t)addr, what, pc);
}
