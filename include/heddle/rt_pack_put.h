/* Writing packed records (rt_pack.h). The caller provides HD_PACK_ROOM bytes, zeroed; each function
 * returns the end of what it wrote. Inlined into the hooks with the shape known, so that what a
 * shape does not have costs nothing.
 *
 * Plain records: kind << 2, aux, number of the place's slot (varint, 0: none), then the words as
 * varints. Kinds with contents: word, length, bytes. Ranges: address less the last range's (zigzag
 * varint), length, then 0: as the mirror has it there, 1: as it has it at the last range's address,
 * 2: one byte all over, which follows, 3: the bytes follow.
 */
#ifndef HEDDLE_RT_PACK_PUT_H
#define HEDDLE_RT_PACK_PUT_H

#include "heddle/rt_pack.h"

static inline uint8_t *hd_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 128) {
        *p++ = (uint8_t)(v | 128);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* The slot of key, made if need be; 0 when there are too many. keys: the shared list by number. */
static __attribute__((noinline, unused)) uint32_t hd_pack_slot_of(struct hd_pack *pk,
                                                                  uint64_t *keys, uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - HD_PACK_FIND_BITS);
    uint32_t slot;
    while ((slot = pk->find[at]) != 0) {
        if (pk->slots[slot].key == key)
            return slot;
        at = (at + 1) & ((1u << HD_PACK_FIND_BITS) - 1);
    }
    if (pk->n_slots + 1 == HD_LOG_KEYS)
        return 0;
    slot = ++pk->n_slots;
    pk->find[at] = slot;
    pk->slots[slot].key = key;
    __atomic_store_n(&keys[slot], key, __ATOMIC_RELEASE);
    return slot;
}

/* Which slot: *flag gets the code. */
static inline __attribute__((always_inline)) struct hd_pack_slot *
hd_put_slot(struct hd_pack *pk, uint64_t *keys, uint64_t key, uint8_t **q, unsigned *flag)
{
    struct hd_pack_slot *prev = &pk->slots[pk->prev];
    uint32_t slot = prev->next[0];
    unsigned code = 1;
    if (__builtin_expect(!slot || pk->slots[slot].key != key, 0)) {
        slot = prev->next[1];
        code = 2;
        if (__builtin_expect(!slot || pk->slots[slot].key != key, 0)) {
            slot = hd_pack_slot_of(pk, keys, key);
            code = 3;
            *q = hd_put_varint(*q, slot);
            if (!slot) {
                hd_pack_poke(*q, 8, key);
                *q += 8;
                pk->slots[0].key = key;
            }
        }
    }
    hd_pack_follow(pk, prev, slot, code);
    *flag = code;
    return &pk->slots[slot];
}

static inline __attribute__((always_inline)) uint8_t *
hd_put_word0(struct hd_pack *pk, struct hd_pack_slot *s, uint64_t w, uint8_t *q, unsigned *flag)
{
    if (__builtin_expect(w != s->word0 + (uint64_t)(int64_t)s->step, 0)) {
        int64_t d = (int64_t)(w - s->word0);
        if (w == pk->pointer + s->off) {
            *flag |= 1 << 2;
        } else if (d == (int16_t)d) {
            *flag |= 2 << 2;
            hd_pack_poke(q, 2, (uint64_t)d);
            q += 2;
        } else {
            bool far = d != (int32_t)d || d == INT32_MIN;
            *flag |= 3 << 2;
            hd_pack_poke(q, 4, far ? (uint64_t)INT32_MIN : (uint64_t)d);
            q += 4;
            if (far) {
                hd_pack_poke(q, 8, w);
                q += 8;
            }
        }
    }
    hd_pack_word0(pk, s, w);
    return q;
}

static inline __attribute__((always_inline)) uint8_t *hd_put_word1(struct hd_pack_slot *s,
                                                                   uint64_t guess, unsigned size,
                                                                   uint64_t w0, uint64_t w,
                                                                   uint8_t *q, unsigned *flag)
{
    int64_t d = (int64_t)(w - guess), far = (int64_t)(w - w0);
    if (w == s->word1) {
        *flag |= 1 << 4;
    } else if (size >= 4 && d == (int16_t)d) {
        *flag |= 2 << 4;
        hd_pack_poke(q, 2, (uint64_t)d);
        q += 2;
    } else if (size == 8 && far == (int32_t)far) {
        *flag |= 3 << 4 | 128;
        hd_pack_poke(q, 4, (uint64_t)far);
        q += 4;
    } else {
        *flag |= 3 << 4;
        hd_pack_poke(q, size, w);
        q += size;
    }
    s->word1 = w;
    return q;
}

static inline __attribute__((always_inline)) uint8_t *hd_put_halves(struct hd_pack_slot *s,
                                                                    unsigned parts, uint32_t count,
                                                                    hd_tok addr, hd_tok val,
                                                                    uint8_t *q, unsigned *flag)
{
    uint32_t half[4] = {(uint32_t)(addr >> 32), (uint32_t)addr, (uint32_t)(val >> 32),
                        (uint32_t)val};
    unsigned missed = 0;
    if (parts & HD_PART_ADDR)
        missed |= (unsigned)(half[0] != hd_pack_half(s, 0, count)) |
                  (unsigned)(half[1] != hd_pack_half(s, 1, count)) << 1;
    if (parts & HD_PART_VAL)
        missed |= (unsigned)(half[2] != hd_pack_half(s, 2, count)) << 2 |
                  (unsigned)(half[3] != hd_pack_half(s, 3, count)) << 3;
    if (__builtin_expect(!missed, 1))
        return q;
    *flag |= 64;
    *q++ = (uint8_t)missed;
    for (unsigned i = 0; i < 4; i++) {
        if (!(missed >> i & 1))
            continue;
        hd_pack_half_set(s, i, count, half[i]);
        q = hd_put_varint(q, i & 1 ? count + half[i] : count - half[i]);
    }
    return q;
}

/* One packed record of the shape in key. count: the id of the thread's last event before it. */
static inline __attribute__((always_inline)) uint8_t *
hd_put_packed(struct hd_pack *pk, uint64_t *keys, uint8_t *p, uint64_t address, unsigned shape,
              uint32_t count, const uint64_t *w, hd_tok addr, hd_tok val)
{
    unsigned parts = hd_shape_parts(shape), size = hd_shape_size(shape), flag;
    uint8_t *q = p + 1;
    struct hd_pack_slot *s = hd_put_slot(pk, keys, hd_pack_key(address, shape), &q, &flag);
    if (parts & HD_PART_WORD0)
        q = hd_put_word0(pk, s, w[0], q, &flag);
    if (parts & HD_PART_MEMORY) {
        uint8_t *mirror = hd_pack_mirror(pk, w[0]);
        uint64_t guess = hd_pack_peek(mirror, size);
        if (__builtin_expect(w[1] != guess, 0)) {
            q = hd_put_word1(s, guess, size, w[0], w[1], q, &flag);
            hd_pack_poke(mirror, size, w[1]);
        }
        if (parts & HD_PART_NEW)
            hd_pack_poke(mirror, size, w[2]);
        if (hd_shape_points(shape))
            pk->pointer = w[1];
    } else if (parts & HD_PART_WORD1 && w[1] != s->word1) {
        q = hd_put_word1(s, s->word1, 8, w[0], w[1], q, &flag);
    }
    if (parts & (HD_PART_ADDR | HD_PART_VAL))
        q = hd_put_halves(s, parts, count, addr, val, q, &flag);
    if (parts & HD_PART_NEW)
        q = hd_put_varint(q, hd_pack_zigzag(w[2] - w[1]));
    __atomic_store_n(p, (uint8_t)flag, __ATOMIC_RELEASE);
    return q;
}

/* The start of a plain record: everything but its first byte, which hd_put_done writes. */
static inline uint8_t *hd_put_plain(struct hd_pack *pk, uint64_t *keys, uint8_t *p, unsigned aux,
                                    uint64_t place)
{
    unsigned shape = HD_SHAPE_PLACE | (aux & HD_LOG_SITE ? HD_SHAPE_SITE : 0);
    p[1] = (uint8_t)aux;
    return hd_put_varint(p + 2, place ? hd_pack_slot_of(pk, keys, hd_pack_key(place, shape)) : 0);
}

static inline void hd_put_done(uint8_t *p, unsigned kind)
{
    __atomic_store_n(p, (uint8_t)(kind << 2), __ATOMIC_RELEASE);
}

/* A range record of n bytes at addr, after hd_put_plain; room for n and HD_PACK_ROOM bytes. */
static inline uint8_t *hd_put_range(struct hd_pack *pk, uint8_t *q, uint64_t addr,
                                    const uint8_t *bytes, size_t n)
{
    size_t same = 1;
    q = hd_put_varint(q, hd_pack_zigzag(addr - pk->range));
    q = hd_put_varint(q, n);
    if (hd_pack_same(pk, addr, bytes, n)) {
        *q++ = 0;
        pk->range = addr;
        return q;
    }
    while (same < n && bytes[same] == *bytes)
        same++;
    if (hd_pack_same(pk, pk->range, bytes, n)) {
        *q++ = 1;
    } else if (same == n) {
        *q++ = 2;
        *q++ = *bytes;
    } else {
        *q++ = 3;
        for (size_t i = 0; i < n;) {
            unsigned step = n - i >= 8 ? 8 : 1;
            __builtin_memcpy(q + i, bytes + i, step == 8 ? 8 : 1);
            i += step;
        }
        q += n;
    }
    hd_pack_keep(pk, addr, bytes, n);
    pk->range = addr;
    return q;
}

#endif
