/* Reading packed records (rt_pack.h): the other side of rt_pack_put.h and rt_pack_wide.h.
 *
 * The bytes may come from a program that died or wrote over its log: a record that cannot be is
 * refused, and nothing is read beyond HD_PACK_ROOM bytes past the start of a packed record. The
 * caller has that many zeros behind the last byte.
 */
#ifndef HEDDLE_RT_UNPACK_H
#define HEDDLE_RT_UNPACK_H

#include "log/rt_raw.h"

/* Varints are at most 10 bytes here: the slack behind the chunk ends them. */
static inline uint64_t hd_unpack_varint(const uint8_t **q)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = *(*q)++;
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            break;
    }
    return v;
}

static inline __attribute__((always_inline)) uint64_t hd_unpack_bytes(const uint8_t **q, unsigned n)
{
    uint64_t v = hd_pack_peek(*q, n);
    *q += n;
    return v;
}

static inline struct hd_pack_slot *hd_unpack_slot(struct hd_raw_reader *u, const uint8_t **q,
                                                  unsigned code)
{
    struct hd_pack *pk = u->pack;
    struct hd_pack_slot *prev = hd_pack_at(pk, pk->prev);
    uint64_t slot = code == 3 ? hd_unpack_varint(q) : prev->next[code - 1] / sizeof *prev;
    if (slot >= u->n_keys || (code != 3 && slot == 0))
        return NULL;
    if (slot == 0) {
        pk->slots[0].key = hd_unpack_bytes(q, 8);
        u->shapes[0] = hd_unpack_shape(pk->slots[0].key);
    }
    hd_pack_follow(pk, prev, hd_pack_offset((uint32_t)slot), code);
    return &pk->slots[slot];
}

static inline __attribute__((always_inline)) uint64_t
hd_unpack_word0(struct hd_pack *pk, struct hd_pack_slot *s, const uint8_t **q, unsigned code)
{
    uint64_t w = hd_pack_next0(s);
    if (code == 0) {
        s->word0 = w;
        return w;
    }
    if (code == 1) {
        w = hd_pack_base(pk, s);
    } else if (code == 2) {
        w = s->word0 + (uint64_t)(int64_t)(int16_t)hd_unpack_bytes(q, 2);
    } else if (code == 3) {
        int32_t d = (int32_t)hd_unpack_bytes(q, 4);
        w = d ? s->word0 + (uint64_t)(int64_t)d : hd_unpack_bytes(q, 8);
    }
    hd_pack_word0(pk, s, w);
    return w;
}

static inline __attribute__((always_inline)) uint64_t
hd_unpack_word1(struct hd_pack_slot *s, const uint8_t **q, unsigned flag,
                const struct hd_raw_shape *is, uint64_t guess, uint64_t w0, uint64_t read)
{
    uint64_t w = s->word1;
    switch (flag >> 4 & 3) {
    case 0:
        return guess;
    case 1:
        if (!(flag & 128))
            return w;
        w = read;
        break;
    case 2:
        w = guess + (uint64_t)(flag & 128 ? (int64_t)(int32_t)hd_unpack_bytes(q, 4)
                                          : (int64_t)(int16_t)hd_unpack_bytes(q, 2));
        break;
    default:
        if (flag & 128) {
            w = w0 + (uint64_t)(int64_t)(int32_t)hd_unpack_bytes(q, 4);
        } else {
            w = hd_pack_peek(*q, 8);
            *q += is->size;
        }
    }
    return s->word1 = w & is->mask;
}

/* Both tokens, as given by the flag. Returns what comes behind them. The caller's variables need
 * not be in memory for it, which a loop over many records feels. */
static __attribute__((noinline, unused)) const uint8_t *
hd_unpack_tokens(struct hd_pack_slot *s, const uint8_t *q, unsigned flag, uint32_t count,
                 hd_tok tok[2])
{
    unsigned missed = flag & 64 ? *q++ : 0;
    uint64_t moving = hd_pack_moving(count);
    for (unsigned i = 0; i < 2; i++, missed >>= 2) {
        tok[i] = hd_pack_tok(s, i, moving);
        if (!(missed & 3))
            continue;
        uint32_t lo = hd_tok_lo(tok[i]), not_hi = (uint32_t)tok[i];
        if (missed & 1)
            lo = count - (uint32_t)hd_unpack_varint(&q);
        if (missed & 2)
            not_hi = (uint32_t)hd_unpack_varint(&q) - count;
        tok[i] = (hd_tok)lo << 32 | not_hi;
        hd_pack_tok_set(s, i, moving, tok[i], missed & 3);
    }
    return q;
}

static inline __attribute__((always_inline)) void hd_unpack_deps(struct hd_pack_slot *s,
                                                                 const uint8_t **q, unsigned flag,
                                                                 uint32_t count, unsigned parts,
                                                                 struct hd_raw *rec)
{
    if (flag & 64) {
        hd_tok tok[2];
        *q = hd_unpack_tokens(s, *q, flag, count, tok);
        rec->addr = parts & HD_PART_ADDR ? tok[0] : rec->addr;
        rec->val = parts & HD_PART_VAL ? tok[1] : rec->val;
        return;
    }
    uint64_t moving = hd_pack_moving(count);
    if (parts & HD_PART_ADDR)
        rec->addr = hd_pack_tok(s, 0, moving);
    if (parts & HD_PART_VAL)
        rec->val = hd_pack_tok(s, 1, moving);
}

static inline void hd_unpack_memory(struct hd_pack *pk, struct hd_pack_slot *s, const uint8_t **q,
                                    unsigned flag, const struct hd_raw_shape *is,
                                    struct hd_raw *rec)
{
    unsigned size = hd_shape_size(is->shape);
    uint8_t *mirror = hd_pack_mirror(pk, rec->w[0]);
    rec->w[1] = hd_unpack_word1(s, q, flag, is, hd_pack_peek(mirror, size), rec->w[0], pk->value);
    hd_pack_poke(mirror, size, rec->w[1]);
    hd_pack_read(pk, is->shape, rec->w[0], rec->w[1]);
}

/* See hd_put_wide. The bytes of a wide access at w0, which are in the mirror then; what comes
 * behind them in the log, or NULL: they cannot be. */
static __attribute__((noinline, unused)) const uint8_t *hd_unpack_wide(struct hd_raw_reader *u,
                                                                       const uint8_t *q,
                                                                       unsigned flag,
                                                                       unsigned shape, uint64_t w0)
{
    uint8_t *mirror = hd_pack_mirror(u->pack, w0);
    size_t len = hd_shape_wide(shape);
    if ((flag >> 4 & 3) == 1) {
        __builtin_memcpy(u->contents, hd_pack_mirror(u->pack, u->pack->wide), len);
        __builtin_memcpy(mirror, u->contents, len);
        return q;
    }
    for (size_t i = 0; flag >> 4 & 3 && i < len; i += 16) {
        unsigned lengths[2] = {*q & 15, *q >> 4};
        q++;
        for (unsigned k = 0; k < 2; k++) {
            uint64_t x = 0;
            if (lengths[k] > 8)
                return NULL;
            __builtin_memcpy(&x, q, lengths[k]);
            q += lengths[k];
            uint8_t *at = mirror + i + 8 * (size_t)k;
            hd_pack_poke(at, 8, hd_pack_peek(at, 8) ^ x);
        }
    }
    return q;
}

/* A plain or atomic read or write of 1 to 8 bytes, or a branch: nearly all of a log. Memory beside
 * what is asked for may be read and written back: mirror and chunk have room behind their end. */
static inline __attribute__((always_inline)) void
hd_unpack_quick(struct hd_raw_reader *u, struct hd_pack_slot *s, const struct hd_raw_shape *is,
                const uint8_t **q, unsigned flag, struct hd_raw *rec)
{
    struct hd_pack *pk = u->pack;
    unsigned parts = is->parts;
    if (parts & HD_PART_MEMORY) {
        uint64_t w0 = hd_unpack_word0(pk, s, q, flag >> 2 & 3), mask = is->mask;
        uint8_t *mirror = hd_pack_mirror(pk, w0);
        uint64_t there = hd_pack_peek(mirror, 8), w1 = there & mask;
        if (flag >> 4 & 3) {
            w1 = hd_unpack_word1(s, q, flag, is, w1, w0, pk->value);
            hd_pack_poke(mirror, 8, (there & ~mask) | w1);
        }
        rec->w[0] = w0;
        rec->w[1] = w1;
        hd_pack_read(pk, is->shape, w0, w1);
    }
    hd_unpack_deps(s, q, flag, u->count, parts, rec);
    if (!(parts & HD_PART_MEMORY))
        rec->w[0] = rec->val;
}

static inline bool hd_unpack_packed(struct hd_raw_reader *u, unsigned flag, const uint8_t **q,
                                    struct hd_raw *rec)
{
    struct hd_pack *pk = u->pack;
    struct hd_pack_slot *s = hd_unpack_slot(u, q, flag & 3);
    if (!s)
        return false;
    rec->slot = (uint32_t)(s - pk->slots);
    const struct hd_raw_shape *is = &u->shapes[rec->slot];
    unsigned shape = is->shape, parts = is->parts;
    rec->kind = (enum hd_log_kind)is->kind;
    rec->site = is->site;
    rec->aux = is->aux;
    if (is->quick == HD_QUICK_WORD || is->quick == HD_QUICK_BRANCH) {
        hd_unpack_quick(u, s, is, q, flag, rec);
        return true;
    }
    if (!parts || (parts & HD_PART_WIDE && hd_shape_wide(shape) > 64))
        return false;
    if (parts & HD_PART_WORD0)
        rec->w[0] = hd_unpack_word0(pk, s, q, flag >> 2 & 3);
    if (parts & HD_PART_MEMORY)
        hd_unpack_memory(pk, s, q, flag, is, rec);
    else if (parts & HD_PART_WORD1)
        rec->w[1] = hd_unpack_word1(s, q, flag, is, s->word1, rec->w[0], pk->value);
    if (parts & HD_PART_WIDE) {
        rec->len = hd_shape_wide(shape);
        rec->data = hd_pack_mirror(pk, rec->w[0]);
        *q = hd_unpack_wide(u, *q, flag, shape, rec->w[0]);
        if (!*q)
            return false;
        if (rec->kind == HD_LOG_RANGE_READ && (flag >> 4 & 3) != 1)
            pk->wide = rec->w[0];
    }
    if (parts & (HD_PART_ADDR | HD_PART_VAL))
        hd_unpack_deps(s, q, flag, u->count, parts, rec);
    if (parts & HD_PART_NEW) {
        rec->w[2] = (rec->w[1] + hd_pack_unzigzag(hd_unpack_varint(q))) & is->mask;
        hd_pack_poke(hd_pack_mirror(pk, rec->w[0]), hd_shape_size(shape), rec->w[2]);
    }
    if (rec->kind == HD_LOG_MORE)
        rec->w[1] = rec->val;
    return true;
}

#endif
