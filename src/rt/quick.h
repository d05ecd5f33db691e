/* The common case of the hooks of our pass: the thread holds the token, nobody wants to be asked,
 * the record's place and tokens are as guessed, and there is room. Some sixty instructions without
 * a call. Everything else is left to the hook's long way, which finds nothing changed. */
#ifndef HD_RT_QUICK_H
#define HD_RT_QUICK_H

#include "rt/access.h"

/* "All reads" are those so far. */
static inline hd_tok hd_rt_up_to_now(hd_tok tok)
{
    return tok == HD_TOK_ALL ? hd_tok_range(0, __hd_flow.count) : tok;
}

#define HD_QUICK_ODD 4

/* Tokens that are not as guessed: as they are, while that is seldom; then what is not decided of
 * them. By itself, so that the hooks stay short. */
static __attribute__((noinline, unused)) void
hd_rt_quick_rest(struct hd_thread *me, struct hd_pack_slot *s, hd_tok tok[2])
{
    if (s->odd < HD_QUICK_ODD) {
        s->odd++;
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        tok[i] = hd_decided_rest(&me->decided, hd_rt_up_to_now(tok[i]));
}

/* Writes the record of the event that was just counted. flag: how its slot is coded; tok: tokens
 * that are not as guessed, or NULL. */
static inline __attribute__((always_inline)) void hd_rt_quick_put(struct hd_pack_slot *s,
                                                                  unsigned shape, unsigned flag,
                                                                  uint64_t p, uint64_t v,
                                                                  const hd_tok *tok)
{
    struct hd_pack *pk = &hd_rt_pack;
    const unsigned parts = hd_shape_parts(shape);
    uint8_t *out = hd_rt_log.pos, *q = out + 1;
    if (parts & HD_PART_WORD0)
        q = hd_put_word0(pk, s, p, q, &flag);
    if (parts & HD_PART_MEMORY)
        q = hd_put_memory(pk, s, shape, p, v, q, &flag);
    if (parts & HD_PART_WIDE)
        q = hd_put_wide(pk, shape, p, (const uint8_t *)(uintptr_t)v, q, &flag);
    if (tok) {
        flag |= 64;
        q = hd_put_tokens(s, parts, __hd_flow.count - 1, tok[0], tok[1], q);
    }
    __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE); /* last: see rt_pack.h */
    hd_rt_log.pos = q;
}

/* The branch that was just logged has decided `whole`, of which `rest` was not decided before. */
static inline __attribute__((always_inline)) void hd_rt_quick_decide(struct hd_thread *me,
                                                                     hd_tok whole, hd_tok rest)
{
    me->more = false;
    if (rest != HD_TOK_NONE)
        hd_decided_add(&me->decided, whole, __hd_flow.count);
}

/* One event of this shape, which is the only one of the site. v: what is written, or the address of
 * the bytes of a wide one; reads find it themselves. any: tokens need not be as guessed. A branch
 * of which nothing is left is none, unless something was logged for it. False: not done. */
static inline __attribute__((always_inline)) bool hd_rt_quick(const struct hd_site *site,
                                                              unsigned shape, const void *p,
                                                              uint64_t v, hd_tok addr, hd_tok val,
                                                              bool any)
{
    struct hd_thread *me = hd_rt_me;
    struct hd_pack *pk = &hd_rt_pack;
    const unsigned parts = hd_shape_parts(shape);
    const bool branch = hd_shape_kind(shape) == HD_LOG_BRANCH;
    if (HD_UNLIKELY(!me || me->busy))
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst); /* see hd_rt_enter_at */
    if (branch) {
        v = hd_rt_up_to_now(val);
        val = hd_decided_rest(&me->decided, v);
        if (val == HD_TOK_NONE && !me->more) {
            me->busy = 0;
            return true;
        }
    }
    uint32_t slot = site->id, count = __hd_flow.count;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev), *s = hd_pack_at(pk, slot);
    unsigned flag = HD_LIKELY(prev->next[0] == slot) ? 1 : 2;
    if (HD_UNLIKELY(flag == 2 && prev->next[1] != slot))
        goto no;
    if (HD_UNLIKELY(!slot || rt.holder != me || hd_rt_log.pos >= hd_rt_log.quick))
        goto no;
    bool guessed = hd_put_as_guessed(s, parts, hd_pack_moving(count), addr, val);
    if (HD_UNLIKELY(!guessed)) {
        if (!any)
            goto no;
        if (!branch) {
            hd_tok tok[2] = {addr, val};
            hd_rt_quick_rest(me, s, tok);
            addr = tok[0];
            val = tok[1];
        }
        guessed = hd_put_as_guessed(s, parts, hd_pack_moving(count), addr, val);
    }
    if (hd_shape_kind(shape) == HD_LOG_READ)
        v = hd_rt_load(p, hd_shape_size(shape)); /* may fault: nothing has changed yet */
    if (HD_UNLIKELY(--rt.budget == 0)) {
        rt.budget = 1;
        goto no;
    }
    __hd_flow.count = count + 1;
    hd_pack_follow(pk, prev, slot, flag);
    hd_rt_quick_put(s, shape, flag, (uintptr_t)p, v, guessed ? NULL : (hd_tok[]){addr, val});
    if (branch)
        hd_rt_quick_decide(me, v, val);
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
    hd_pack_read(pk, shape, (uintptr_t)p, v);
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

/* The same for a branch on reads after the last one that was logged. False: not done. */
static inline __attribute__((always_inline)) bool hd_rt_quick_branch(const struct hd_site *site,
                                                                     hd_tok dep)
{
    struct hd_thread *me = hd_rt_me;
    struct hd_pack *pk = &hd_rt_pack;
    if (HD_UNLIKELY(!me || me->busy))
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t slot = site->id, count = __hd_flow.count;
    if (HD_UNLIKELY(hd_pack_at(pk, pk->prev)->next[0] != slot || !slot || rt.holder != me ||
                    dep != hd_pack_tok(hd_pack_at(pk, slot), 1, hd_pack_moving(count)) ||
                    !hd_decided_fresh(&me->decided, dep, count + 1) || me->more ||
                    hd_rt_log.pos >= hd_rt_log.quick))
        goto no;
    if (HD_UNLIKELY(--rt.budget == 0)) {
        rt.budget = 1;
        goto no;
    }
    __hd_flow.count = count + 1;
    pk->prev = slot;
    hd_decided_add_fresh(&me->decided, dep, count + 1);
    __atomic_store_n(hd_rt_log.pos, (uint8_t)1, __ATOMIC_RELEASE);
    hd_rt_log.pos++;
    atomic_signal_fence(memory_order_seq_cst);
    me->busy = 0;
    return true;
no:
    me->busy = 0;
    return false;
}

/* One more token for the next event: its place is the slot before it. Nothing to do when it is
 * decided. False: not done. */
static inline __attribute__((always_inline)) bool hd_rt_quick_more(enum hd_more role, hd_tok tok)
{
    struct hd_thread *me = hd_rt_me;
    struct hd_pack *pk = &hd_rt_pack;
    unsigned flag;
    if (HD_UNLIKELY(!me || me->busy))
        return false;
    me->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    hd_tok whole = hd_rt_up_to_now(tok);
    bool done = true;
    tok = hd_decided_rest(&me->decided, whole);
    if (tok == HD_TOK_NONE)
        goto out;
    uint8_t *out = hd_rt_log.pos;
    uint64_t key = hd_pack_key(pk->prev, HD_SHAPE(HD_LOG_MORE, 8)), logged = role & 1;
    uint64_t moving = hd_pack_moving(__hd_flow.count);
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev), *s = hd_put_next(pk, prev, key, &flag);
    done = s && rt.holder == me && out < hd_rt_log.quick && rt.budget > 1 &&
           logged == s->word0 + (uint64_t)(int64_t)s->step;
    if (HD_LIKELY(done)) {
        uint8_t *q = out + 1;
        rt.budget--;
        if (tok != hd_pack_tok(s, 1, moving)) {
            flag |= 64;
            q = hd_put_tokens(s, HD_PART_VAL, __hd_flow.count, HD_TOK_NONE, tok, q);
        }
        if (role == HD_MORE_DEP) {
            me->more = true;
            hd_decided_add(&me->decided, whole, __hd_flow.count);
        }
        s->word0 = logged;
        hd_pack_follow(pk, prev, (uint32_t)((char *)s - (char *)pk->slots), flag);
        __atomic_store_n(out, (uint8_t)flag, __ATOMIC_RELEASE);
        hd_rt_log.pos = q;
    }
out:
    atomic_signal_fence(memory_order_seq_cst);
    me->busy = 0;
    return done;
}

#endif
