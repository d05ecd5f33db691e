/* Writing packed records (rt_pack.h). The caller provides HD_PACK_ROOM bytes, zeroed; each function
 * returns the end of what it wrote. Inlined into the hooks with the shape known, so that what a
 * shape does not have costs nothing.
 */
#ifndef HEDDLE_RT_PACK_PUT_H
#define HEDDLE_RT_PACK_PUT_H

#include "log/rt_pack_find.h"
#include "log/rt_pack_wide.h"

static inline uint8_t *hd_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 128) {
        *p++ = (uint8_t)(v | 128);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* The slot of key if it is one of the two that followed last; *code gets which. Else NULL. */
static inline __attribute__((always_inline)) struct hd_pack_slot *
hd_put_next(struct hd_pack *pk, const struct hd_pack_slot *prev, uint64_t key, unsigned *code)
{
    /* Slot 0 and HD_PACK_NOTHING have no key here. */
    struct hd_pack_slot *s = hd_pack_at(pk, prev->next[0]);
    *code = 1;
    if (__builtin_expect(s->key == key, 1))
        return s;
    s = hd_pack_at(pk, prev->next[1]);
    *code = 2;
    return s->key == key ? s : NULL;
}

/* Which slot: *flag gets the code. */
static inline __attribute__((always_inline)) struct hd_pack_slot *
hd_put_slot(struct hd_pack *pk, uint64_t *keys, uint64_t key, uint8_t **q, unsigned *flag)
{
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev), *s = hd_put_next(pk, prev, key, flag);
    if (!s) {
        uint32_t number = hd_pack_slot_of(pk, keys, key);
        *flag = 3;
        *q = hd_put_varint(*q, number);
        if (!number) {
            hd_pack_poke(*q, 8, key);
            *q += 8;
            pk->spelled = key;
        }
        s = &pk->slots[number];
    }
    hd_pack_follow(pk, prev, (uint32_t)((char *)s - (char *)pk->slots), *flag);
    if (__builtin_expect(s == pk->slots, 0))
        prev->next[0] = hd_pack_offset(HD_PACK_NOTHING);
    return s;
}

/* Word 0, which is not as guessed. */
static inline __attribute__((always_inline)) uint8_t *
hd_put_far0(struct hd_pack *pk, struct hd_pack_slot *s, uint64_t w, uint8_t *q, unsigned *flag)
{
    int64_t d = (int64_t)(w - s->word0);
    bool based = w == hd_pack_base(pk, s);
    hd_pack_word0(pk, s, w);
    if (based) {
        *flag |= 1 << 2;
    } else if (__builtin_expect(d == (int32_t)d, 1)) {
        size_t far = d != (int16_t)d; /* without a jump: it is anyone's guess */
        *flag += (unsigned)(2 + far) << 2;
        hd_pack_poke(q, 4, (uint64_t)d);
        q += 2 + 2 * far;
        hd_pack_poke(q, 2, 0);
    } else {
        *flag |= 3 << 2;
        hd_pack_poke(q + 4, 8, w);
        q += 12;
    }
    return q;
}

static inline __attribute__((always_inline)) uint8_t *
hd_put_word0(struct hd_pack *pk, struct hd_pack_slot *s, uint64_t w, uint8_t *q, unsigned *flag)
{
    if (__builtin_expect(w != hd_pack_next0(s), 0))
        return hd_put_far0(pk, s, w, q, flag);
    s->word0 = w;
    return q;
}

/* read: what was read last. */
static inline __attribute__((always_inline)) uint8_t *
hd_put_word1(struct hd_pack_slot *s, uint64_t guess, uint64_t read, unsigned size, uint64_t w0,
             uint64_t w, uint8_t *q, unsigned *flag)
{
    int64_t d = (int64_t)(w - guess), far = (int64_t)(w - w0);
    if (w == s->word1) {
        *flag |= 1 << 4;
        return q;
    }
    s->word1 = w;
    if (w == (read & UINT64_MAX >> (64 - 8 * size))) {
        *flag |= 1 << 4 | 128;
    } else if (size >= 4 && d == (int16_t)d) {
        *flag |= 2 << 4;
        hd_pack_poke(q, 2, (uint64_t)d);
        q += 2;
    } else if (size == 8 && far == (int32_t)far) {
        *flag |= 3 << 4 | 128;
        hd_pack_poke(q, 4, (uint64_t)far);
        q += 4;
    } else if (size == 8 && d == (int32_t)d) {
        *flag |= 2 << 4 | 128;
        hd_pack_poke(q, 4, (uint64_t)d);
        q += 4;
    } else {
        *flag |= 3 << 4;
        hd_pack_poke(q, size, w);
        q += size;
    }
    return q;
}

/* Words 1 of an access to memory. */
static inline __attribute__((always_inline)) uint8_t *
hd_put_memory(struct hd_pack *pk, struct hd_pack_slot *s, unsigned shape, uint64_t w0, uint64_t w1,
              uint8_t *q, unsigned *flag)
{
    unsigned size = hd_shape_size(shape);
    uint8_t *mirror = hd_pack_mirror(pk, w0);
    uint64_t guess = hd_pack_peek(mirror, size);
    if (w1 != guess) {
        q = hd_put_word1(s, guess, pk->value, size, w0, w1, q, flag);
        hd_pack_poke(mirror, size, w1);
        pk->changes++;
    }
    hd_pack_read(pk, shape, w0, w1);
    return q;
}

/* Whether a record has a token for the address and it is not as guessed. */
static inline __attribute__((always_inline)) bool
hd_put_odd_addr(const struct hd_pack_slot *s, unsigned parts, uint64_t moving, hd_tok addr)
{
    return parts & HD_PART_ADDR && addr != hd_pack_tok(s, 0, moving);
}

/* The same for the value. */
static inline __attribute__((always_inline)) bool
hd_put_odd_val(const struct hd_pack_slot *s, unsigned parts, uint64_t moving, hd_tok val)
{
    return parts & HD_PART_VAL && val != hd_pack_tok(s, 1, moving);
}

/* Token i, which is not as guessed; *missed gets its bits. */
static __attribute__((noinline, unused)) uint8_t *hd_put_token(struct hd_pack_slot *s, unsigned i,
                                                               uint32_t count, hd_tok tok,
                                                               uint8_t *q, uint8_t *missed)
{
    uint64_t moving = hd_pack_moving(count), wrong = tok ^ hd_pack_tok(s, i, moving);
    unsigned halves = (wrong >> 32 ? 1u : 0) | ((uint32_t)wrong ? 2u : 0);
    if (halves & 1)
        q = hd_put_varint(q, (uint32_t)(count - hd_tok_lo(tok)));
    if (halves & 2)
        q = hd_put_varint(q, (uint32_t)(count + (uint32_t)tok));
    hd_pack_tok_set(s, i, moving, tok, halves);
    *missed |= (uint8_t)(halves << 2 * i);
    return q;
}

/* The tokens that are not as guessed: a for the address, v for the value. */
static inline __attribute__((always_inline)) uint8_t *hd_put_tokens(struct hd_pack_slot *s,
                                                                    uint32_t count, bool a,
                                                                    hd_tok addr, bool v, hd_tok val,
                                                                    uint8_t *q, unsigned *flag)
{
    if (__builtin_expect(!a && !v, 1))
        return q;
    uint8_t *missed = q++;
    *missed = 0;
    *flag |= 64;
    if (a)
        q = hd_put_token(s, 0, count, addr, q, missed);
    if (v)
        q = hd_put_token(s, 1, count, val, q, missed);
    return q;
}

/* One packed record of the shape. count: the id of the thread's last event before it. Word 1 of a
 * wide one is the address of its bytes. */
static inline __attribute__((always_inline)) uint8_t *
hd_put_packed(struct hd_pack *pk, uint64_t *keys, uint8_t *p, uint64_t address, unsigned shape,
              uint32_t count, const uint64_t *w, hd_tok addr, hd_tok val)
{
    unsigned parts = hd_shape_parts(shape), size = hd_shape_size(shape), flag;
    uint8_t *q = p + 1;
    struct hd_pack_slot *s = hd_put_slot(pk, keys, hd_pack_key(address, shape), &q, &flag);
    if (parts & HD_PART_WORD0)
        q = hd_put_word0(pk, s, w[0], q, &flag);
    if (parts & HD_PART_MEMORY)
        q = hd_put_memory(pk, s, shape, w[0], w[1], q, &flag);
    else if (parts & HD_PART_WIDE)
        q = hd_put_wide(pk, shape, w[0], (const uint8_t *)(uintptr_t)w[1], q, &flag);
    else if (parts & HD_PART_WORD1 && w[1] != s->word1)
        q = hd_put_word1(s, s->word1, pk->value, 8, w[0], w[1], q, &flag);
    uint64_t moving = hd_pack_moving(count);
    q = hd_put_tokens(s, count, hd_put_odd_addr(s, parts, moving, addr), addr,
                      hd_put_odd_val(s, parts, moving, val), val, q, &flag);
    if (parts & HD_PART_NEW) {
        hd_pack_poke(hd_pack_mirror(pk, w[0]), size, w[2]);
        pk->changes += w[2] != w[1];
        q = hd_put_varint(q, hd_pack_zigzag(w[2] - w[1]));
    }
    __atomic_store_n(p, (uint8_t)flag, __ATOMIC_RELEASE);
    return q;
}

#endif
