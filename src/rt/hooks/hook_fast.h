/* The common case of the hooks of our pass: the thread holds the token, no policy wants to be
 * asked, the record's place is as guessed, and there is room. A hook enters, asks whether it may,
 * and writes its record (fast). For what is less likely it calls another function, so that the
 * likely way has no calls and few registers to save: other, where parts of the record are not as
 * guessed; slow, for anything else, which finds nothing changed. See hooks_plain.inc.
 */
#ifndef HD_RT_HOOKS_HOOK_FAST_H
#define HD_RT_HOOKS_HOOK_FAST_H

#include "rt/hooks/hook_access.h"

#define HD_INLINE static inline __attribute__((always_inline))

/* "All reads" are those so far. */
static inline hd_tok hd_rt_up_to_now(hd_tok tok)
{
    return tok == HD_TOK_ALL ? hd_tok_range(0, __hd_flow.count) : tok;
}

/* The part of a token that may not be decided. */
static inline hd_tok hd_rt_rest(struct hd_thread *me, hd_tok tok)
{
    return hd_decided_rest(&me->decided, hd_rt_up_to_now(tok));
}

/* me: `quick` of the flow record. */
HD_INLINE bool hd_rt_quick_enter(struct hd_thread *me)
{
    if (HD_UNLIKELY(me->busy_now)) /* a handler leaves it as it was */
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst); /* see hd_rt_enter_at */
    return true;
}

HD_INLINE void hd_rt_quick_end(struct hd_thread *me)
{
    atomic_signal_fence(memory_order_seq_cst);
    me->busy = 0;
}

/* Whether the thread may write a record, entered. Takes one from its budget then. */
HD_INLINE bool hd_rt_quick_may(const struct hd_thread *me)
{
    if (HD_UNLIKELY(rt.holder_now != me || hd_rt_log.pos >= hd_rt_log.quick))
        return false;
    if (HD_UNLIKELY(--rt.budget == 0)) {
        rt.budget = 1;
        return false;
    }
    return true;
}

/* Whether the event of a site, whose id this is, may be written with the most likely code; entered.
 * Its slot is the last one then. */
HD_INLINE bool hd_rt_quick_first(const struct hd_thread *me, uint32_t slot)
{
    struct hd_pack *pk = &hd_rt_pack;
    if (HD_UNLIKELY(hd_pack_at(pk, pk->prev)->next[0] != slot) || !hd_rt_quick_may(me))
        return false;
    pk->prev = slot;
    return true;
}

/* The same if it may be the second to have followed: the code. 0: not done, and left. */
HD_INLINE unsigned hd_rt_quick_either(struct hd_thread *me, uint32_t slot)
{
    struct hd_pack_slot *prev = hd_pack_at(&hd_rt_pack, hd_rt_pack.prev);
    unsigned code = prev->next[0] == slot ? 1 : prev->next[1] == slot ? 2 : 0;
    if (HD_LIKELY(code && hd_rt_quick_may(me))) {
        hd_pack_follow(&hd_rt_pack, prev, slot, code);
        return code;
    }
    hd_rt_quick_end(me);
    return 0;
}

/* One byte: all as guessed. Leaves. */
HD_INLINE void hd_rt_quick_byte(struct hd_thread *me)
{
    uint8_t *out = hd_rt_log.pos;
    __atomic_store_n(out, (uint8_t)1, __ATOMIC_RELEASE); /* last: see rt_pack.h */
    hd_rt_log.pos = out + 1;
    hd_rt_quick_end(me);
}

/* Events that are no reads do not count in a range: one that ends with the last read may as well
 * end now. Loops that write several times what they read once have tokens that only differ so. */
static inline hd_tok hd_rt_to_now(hd_tok tok)
{
    return (uint32_t)tok == (uint32_t)__hd_flow.last_read
               ? (tok & ~(hd_tok)UINT32_MAX) | (uint32_t)__hd_flow.now
               : tok;
}

#define HD_QUICK_ODD 4

/* A token that is not as guessed: as it is, while that is seldom; then what is not decided of it,
 * unless that is all of it. */
static __attribute__((noinline, unused)) hd_tok hd_rt_quick_rest(struct hd_thread *me,
                                                                 struct hd_pack_slot *s, hd_tok tok)
{
    if (s->odd < HD_QUICK_ODD) {
        s->odd++;
        return tok;
    }
    hd_tok rest = hd_rt_rest(me, tok);
    if (rest == tok)
        s->odd = 0;
    return rest;
}

/* The thread has one more event. Answers its token. Ids do not run out where this is called. */
HD_INLINE hd_tok hd_rt_quick_count(bool read)
{
    hd_tok now = __hd_flow.now + UINT32_MAX;
    __hd_flow.now = now;
    if (read)
        __hd_flow.last_read = now;
    return now;
}

/* The record of an event of this shape, which is not counted yet; its slot is the last one already.
 * Answers its token. code: which that followed it is;
 * v: the value, or the address of the bytes of a wide one; odd_addr, odd_val: tokens that are not
 * as guessed. Leaves. */
HD_INLINE hd_tok hd_rt_quick_record(struct hd_thread *me, struct hd_pack_slot *s, unsigned shape,
                                    unsigned code, const void *p, uint64_t v, bool odd_addr,
                                    hd_tok addr, bool odd_val, hd_tok val)
{
    struct hd_pack *pk = &hd_rt_pack;
    const unsigned parts = hd_shape_parts(shape);
    uint8_t *out = hd_rt_log.pos, *q = out + 1;
    unsigned flag = code;
    if (parts & HD_PART_WORD0)
        q = hd_put_word0(pk, s, (uintptr_t)p, q, &flag);
    if (parts & HD_PART_MEMORY)
        q = hd_put_memory(pk, s, shape, (uintptr_t)p, v, q, &flag);
    if (parts & HD_PART_WIDE)
        q = hd_put_wide(pk, shape, (uintptr_t)p, (const uint8_t *)(uintptr_t)v, q, &flag);
    if (odd_addr || odd_val)
        q = hd_put_tokens(s, __hd_flow.count, odd_addr, addr, odd_val, val, q, &flag);
    hd_tok id = hd_rt_quick_count(!(parts & HD_PART_VAL));
    __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE);
    hd_rt_log.pos = q;
    hd_rt_quick_end(me);
    return id;
}

/* Its place and tokens are as guessed; near: its address, too. */
HD_INLINE hd_tok hd_rt_quick_miss(struct hd_pack_slot *s, unsigned shape, bool near, const void *p,
                                  uint64_t v)
{
    struct hd_pack *pk = &hd_rt_pack;
    uint8_t *out = hd_rt_log.pos, *q = out + 1;
    unsigned flag = 1;
    if (near)
        s->word0 = (uintptr_t)p;
    else
        q = hd_put_far0(pk, s, (uintptr_t)p, q, &flag);
    q = hd_put_memory(pk, s, shape, (uintptr_t)p, v, q, &flag);
    hd_tok id = hd_rt_quick_count(!(hd_shape_parts(shape) & HD_PART_VAL));
    __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE);
    hd_rt_log.pos = q;
    hd_rt_quick_end(__hd_flow.quick);
    return id;
}

/* What counts of a token, if that is as guessed; else anything. */
HD_INLINE hd_tok hd_rt_quick_left(struct hd_thread *me, hd_tok guess, hd_tok tok)
{
    if (tok == guess || hd_rt_to_now(tok) == guess)
        return guess;
    return hd_rt_rest(me, tok);
}

/* Its tokens are as guessed. */
HD_INLINE hd_tok hd_rt_quick_near(struct hd_thread *me, struct hd_pack_slot *s, unsigned shape,
                                  unsigned code, const void *p, uint64_t v)
{
    return hd_rt_quick_record(me, s, shape, code, p, v, false, HD_TOK_NONE, false, HD_TOK_NONE);
}

/* They need not be, and as little of them as is needed is recorded. */
HD_INLINE void hd_rt_quick_full(struct hd_thread *me, struct hd_pack_slot *s, unsigned shape,
                                unsigned code, const void *p, uint64_t v, hd_tok addr, hd_tok val)
{
    const unsigned parts = hd_shape_parts(shape);
    uint64_t moving = __hd_flow.now;
    bool odd_addr = hd_put_odd_addr(s, parts, moving, addr);
    bool odd_val = hd_put_odd_val(s, parts, moving, val) &&
                   hd_put_odd_val(s, parts, moving, hd_rt_to_now(val));
    if (odd_addr) {
        addr = hd_rt_quick_rest(me, s, addr);
        odd_addr = hd_put_odd_addr(s, parts, moving, addr);
    }
    if (odd_val) {
        val = hd_rt_quick_rest(me, s, val);
        odd_val = hd_put_odd_val(s, parts, moving, val);
    }
    hd_rt_quick_record(me, s, shape, code, p, v, odd_addr, addr, odd_val, val);
}

/* One more token for a value that is all as guessed; entered. Leaves, or returns false. */
HD_INLINE bool hd_rt_quick_same(struct hd_thread *me, hd_tok tok)
{
    struct hd_pack *pk = &hd_rt_pack;
    uint32_t slot = hd_pack_at(pk, pk->prev)->next[0];
    struct hd_pack_slot *s = hd_pack_at(pk, slot);
    if (HD_UNLIKELY(s->key != hd_pack_key(pk->prev, HD_SHAPE(HD_LOG_MORE, 8)) ||
                    hd_pack_next0(s) != HD_MORE_VAL || tok != hd_pack_tok(s, 1, __hd_flow.now) ||
                    !hd_rt_quick_may(me)))
        return false;
    s->word0 = HD_MORE_VAL;
    pk->prev = slot;
    hd_rt_quick_byte(me);
    return true;
}

/* One more token for the next event: its place is the slot before it. False: not done. */
HD_INLINE bool hd_rt_quick_more(struct hd_thread *me, enum hd_more role, hd_tok whole, hd_tok rest)
{
    struct hd_pack *pk = &hd_rt_pack;
    uint64_t key, logged = role & 1;
    unsigned flag;
    if (HD_UNLIKELY(!hd_rt_quick_enter(me)))
        return false;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev), *s;
    key = hd_pack_key(pk->prev, HD_SHAPE(HD_LOG_MORE, 8));
    s = hd_put_next(pk, prev, key, &flag);
    if (HD_UNLIKELY(!s || logged != hd_pack_next0(s) || !hd_rt_quick_may(me))) {
        hd_rt_quick_end(me);
        return false;
    }
    uint8_t *out = hd_rt_log.pos, *q = out + 1;
    hd_pack_follow(pk, prev, (uint32_t)((char *)s - (char *)pk->slots), flag);
    s->word0 = logged;
    uint32_t count = __hd_flow.count;
    bool odd = rest != hd_pack_tok(s, 1, __hd_flow.now);
    q = hd_put_tokens(s, count, false, HD_TOK_NONE, odd, rest, q, &flag);
    me->more = me->more || role == HD_MORE_DEP;
    if (role != HD_MORE_VAL)
        hd_decided_add(&me->decided, whole, count);
    __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE);
    hd_rt_log.pos = q;
    hd_rt_quick_end(me);
    return true;
}

#endif
