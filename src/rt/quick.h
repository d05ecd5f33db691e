/* The common case of the hooks of our pass: the thread holds the token, nobody wants to be asked,
 * the record's place and tokens are as guessed, and there is room. Some sixty instructions without
 * a call. Everything else is left to the hook's long way, which finds nothing changed. */
#ifndef HD_RT_QUICK_H
#define HD_RT_QUICK_H

#include "rt/access.h"

/* One event of this shape, which is the only one of the site. v: what is written, or the address of
 * the bytes of a wide one; reads find it themselves. False: not done. */
static inline __attribute__((always_inline)) bool hd_rt_quick(const struct hd_site *site,
                                                              unsigned shape, const void *p,
                                                              uint64_t v, hd_tok addr, hd_tok val)
{
    struct hd_thread *me = hd_rt_me;
    struct hd_pack *pk = &hd_rt_pack;
    const unsigned parts = hd_shape_parts(shape);
    if (HD_UNLIKELY(!me || me->busy))
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst); /* see hd_rt_enter_at */
    uint32_t slot = site->id, count = __hd_flow.count;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev), *s = hd_pack_at(pk, slot);
    unsigned flag = 1;
    if (HD_UNLIKELY(prev->next[0] != slot)) {
        flag = 2;
        if (HD_UNLIKELY(prev->next[1] != slot))
            goto no;
    }
    uint8_t *out = hd_rt_log.pos, *q = out + 1;
    if (HD_UNLIKELY(!slot || rt.holder != me || out >= hd_rt_log.quick ||
                    !hd_put_as_guessed(s, parts, hd_pack_moving(count), addr, val)))
        goto no;
    if (hd_shape_kind(shape) == HD_LOG_READ)
        v = hd_rt_load(p, hd_shape_size(shape)); /* may fault: nothing has changed yet */
    if (HD_UNLIKELY(--rt.budget == 0)) {
        rt.budget = 1;
        goto no;
    }
    __hd_flow.count = count + 1;
    hd_pack_follow(pk, prev, slot, flag);
    if (parts & HD_PART_WORD0)
        q = hd_put_word0(pk, s, (uintptr_t)p, q, &flag);
    if (parts & HD_PART_MEMORY)
        q = hd_put_memory(pk, s, shape, (uintptr_t)p, v, q, &flag);
    if (parts & HD_PART_WIDE)
        q = hd_put_wide(pk, shape, (uintptr_t)p, (const uint8_t *)(uintptr_t)v, q, &flag);
    __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE); /* last: see rt_pack.h */
    hd_rt_log.pos = q;
    atomic_signal_fence(memory_order_seq_cst);
    me->busy = 0;
    return true;
no:
    me->busy = 0;
    return false;
}

/* The same for a read whose address and value are as guessed, too: one byte, and no register to be
 * saved. False: not done; else *id is its token. */
static inline __attribute__((always_inline)) bool
hd_rt_quick_read(const struct hd_site *site, unsigned shape, const void *p, hd_tok addr, hd_tok *id)
{
    struct hd_thread *me = hd_rt_me;
    struct hd_pack *pk = &hd_rt_pack;
    const unsigned size = hd_shape_size(shape);
    if (HD_UNLIKELY(!me || me->busy))
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t slot = site->id;
    uint64_t moving = hd_pack_moving(__hd_flow.count);
    struct hd_pack_slot *s = hd_pack_at(pk, slot);
    if (HD_UNLIKELY(hd_pack_at(pk, pk->prev)->next[0] != slot || !slot || rt.holder != me ||
                    s->word0 + (uint64_t)(int64_t)s->step != (uintptr_t)p ||
                    addr != hd_pack_tok(s, 0, moving) || hd_rt_log.pos >= hd_rt_log.quick))
        goto no;
    uint64_t v = hd_rt_load(p, size);
    if (HD_UNLIKELY(v != hd_pack_peek(hd_pack_mirror(pk, (uintptr_t)p), size)))
        goto no;
    if (HD_UNLIKELY(--rt.budget == 0)) {
        rt.budget = 1;
        goto no;
    }
    __hd_flow.count++;
    pk->prev = slot;
    s->word0 = (uintptr_t)p;
    if (hd_shape_points(shape))
        pk->pointer = v;
    __atomic_store_n(hd_rt_log.pos, (uint8_t)1, __ATOMIC_RELEASE);
    hd_rt_log.pos++;
    atomic_signal_fence(memory_order_seq_cst);
    me->busy = 0;
    *id = moving + 2 * (uint64_t)UINT32_MAX; /* range(count, count) of the new count */
    return true;
no:
    me->busy = 0;
    return false;
}

/* One more token for the next event: its place is the slot before it. False: not done. */
static inline __attribute__((always_inline)) bool hd_rt_quick_more(uint32_t role, hd_tok tok)
{
    struct hd_thread *me = hd_rt_me;
    struct hd_pack *pk = &hd_rt_pack;
    unsigned flag;
    if (HD_UNLIKELY(!me || me->busy))
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    uint8_t *out = hd_rt_log.pos;
    uint64_t key = hd_pack_key(pk->prev, HD_SHAPE(HD_LOG_MORE, 8));
    uint64_t moving = hd_pack_moving(__hd_flow.count);
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev), *s = hd_put_next(pk, prev, key, &flag);
    bool done = s && rt.holder == me && out < hd_rt_log.quick && rt.budget > 1 &&
                role == s->word0 + (uint64_t)(int64_t)s->step && tok == hd_pack_tok(s, 1, moving);
    if (HD_LIKELY(done)) {
        rt.budget--;
        me->more = true;
        s->word0 = role;
        hd_pack_follow(pk, prev, (uint32_t)((char *)s - (char *)pk->slots), flag);
        __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE);
        hd_rt_log.pos = out + 1;
    }
    atomic_signal_fence(memory_order_seq_cst);
    me->busy = 0;
    return done;
}

/* The long way has logged an event of this site, if there was a log: the next one may go the short
 * way. */
static inline void hd_rt_quick_next(struct hd_site *site)
{
    uint32_t slot = hd_rt_pack.prev;
    if (hd_pack_at(&hd_rt_pack, slot)->key >> 16 == ((uintptr_t)site & (UINT64_MAX >> 16)))
        site->id = slot;
}

#endif
