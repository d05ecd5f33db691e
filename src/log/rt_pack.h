/* How records become bytes: the state that the runtime (writer) and the driver (reader) share.
 *
 * Most records repeat what was said before: the same place follows, the address moves on by the
 * same step or hangs on the pointer read last, memory still holds what was seen there, and
 * dependences lie at the same distance. Both sides keep the same guesses and make the same changes
 * to them, by the functions below, so a record that comes as guessed is one byte.
 *
 * A slot stands for one place with one shape (kind of record, size, flags); its key holds both.
 * Slots are numbered from 1 in order of first use; the writer keeps the keys by number in memory
 * shared with the driver (HD_LOG_KEYS), so the stream itself defines nothing. Slot 0 serves all
 * keys that came after the table was full: they are spelled out each time.
 *
 * The mirror keeps memory as the records have it: 4 MB, by address, without tags. Pages that
 * share a place in it spoil each other's guesses and nothing else.
 *
 * The first byte of a record is never 0 and is written last: a record is there whole or not at all.
 * - Bits 0-1, the slot. 0: a plain record, its kind in bits 2-7 (see rt_pack_plain.h). 1, 2: the
 * one that followed the previous record's slot last time, or the time before. 3: its number follows
 *   (varint; 0: then 8 bytes of key).
 * - Bits 2-3, word 0. 0: last + step. 1: base + offset (see hd_pack_base). 2: last + 2 bytes. 3:
 *   last + 4 bytes (0: 8 bytes follow).
 * - Bits 4-5, word 1. 0: the guess (memory, or the slot's last). 1: the slot's last. 2: guess + 2
 *   bytes. 3: the value, in as many bytes as the access has. With bit 7: 1 is what was read last, 2
 *   guess + 4 bytes, 3 word 0 + 4 bytes. Wide ones: see hd_put_wide.
 * - Bit 6: tokens follow. A byte with one bit for each half that is not as guessed, then those
 * halves as distances (varint). What follows has this order. An RMW ends with new - old, zigzag.
 */
#ifndef HEDDLE_RT_PACK_H
#define HEDDLE_RT_PACK_H

#include "abi/rt_abi.h"
#include "log/rt_shape.h"

#include <stdbool.h>
#include <stddef.h>

#define HD_PACK_PAGE_BITS   12
#define HD_PACK_MIRROR_BITS 22
#define HD_PACK_FIND_BITS   20  /* places for keys: at most twice HD_LOG_KEYS */
#define HD_PACK_BESIDE      64  /* bytes between accesses that belong together */
#define HD_PACK_ROOM        128 /* bytes that a packed record takes at most */

struct hd_pack_slot {
    uint64_t word0, word1;
    hd_tok tok[2];    /* of the address and of the value, less what moves: see hd_pack_tok */
    uint64_t mask[2]; /* by token: which halves move with the thread's count */
    int32_t step;     /* of word 0 */
    int32_t off;      /* word 0 less the base before it, when last it was not as guessed */
    uint32_t next[2]; /* slots that followed, as offsets */
    /* What comes as guessed needs nothing from here on. */
    uint64_t key;       /* address << 16 | shape */
    uint8_t beside;     /* 1: the base is where the last read was, not the pointer read last */
    uint8_t odd;        /* writer: how often tokens were not as guessed; see hd_rt_quick_rest */
    uint64_t reader[6]; /* what the key means: struct hd_raw_shape of rt_raw.h */
};
_Static_assert(sizeof(struct hd_pack_slot) == 128, "a slot is two cache lines");

struct hd_pack {
    uint32_t prev;        /* slot of the last packed record, as an offset */
    uint32_t n_slots;     /* in use, without slot 0 */
    uint32_t find_bits;   /* writer: which part of `find` is in use; 0: none yet */
    uint64_t base[2];     /* the last 8 bytes that were read; where the last 1 to 8 were */
    uint64_t value;       /* which they were */
    uint64_t wide, range; /* addresses of the last wide read, of the last range record */
    uint64_t spelled;     /* writer: key of the last record in slot 0 */
    uint64_t changes;     /* writer: accesses that found or left other contents than were there */
    struct hd_pack_slot slots[HD_LOG_KEYS] __attribute__((aligned(128)));
    uint8_t mirror[(1u << HD_PACK_MIRROR_BITS) + 64];
    uint32_t find[2u << HD_PACK_FIND_BITS]; /* writer: slot by key; see hd_pack_place */
};

/* In the writer: what follows a slot that nothing has followed yet, and what slot 0 leaves there.
 * No site has it, so that a hook need not ask whether its site has a slot. */
#define HD_PACK_NOTHING (HD_LOG_KEYS - 1)

/* Slots are named by their offset in bytes where speed counts, by number in records. */
static inline __attribute__((always_inline)) struct hd_pack_slot *hd_pack_at(struct hd_pack *pk,
                                                                             uint32_t offset)
{
    return (struct hd_pack_slot *)((char *)pk->slots + offset);
}

static inline uint32_t hd_pack_offset(uint32_t number)
{
    return number * (uint32_t)sizeof(struct hd_pack_slot);
}

/* ---- guesses and what they become ---- */

static inline __attribute__((always_inline)) uint8_t *hd_pack_mirror(struct hd_pack *pk,
                                                                     uint64_t addr)
{
    /* Blocks of up to 4 MB stay whole; heaps and stacks of threads start at different pages. */
    uint64_t at = addr ^ (addr >> 10 & ~(uint64_t)((1u << HD_PACK_PAGE_BITS) - 1));
    return pk->mirror + (at & ((1u << HD_PACK_MIRROR_BITS) - 1));
}

static inline __attribute__((always_inline)) uint64_t hd_pack_peek(const uint8_t *p, unsigned size)
{
    uint64_t v = 0;
    __builtin_memcpy(&v, p, size);
    return v;
}

static inline __attribute__((always_inline)) void hd_pack_poke(uint8_t *p, unsigned size,
                                                               uint64_t v)
{
    __builtin_memcpy(p, &v, size);
}

/* How many of n bytes from addr on lie side by side in the mirror. */
static inline size_t hd_pack_beside(uint64_t addr, size_t n)
{
    size_t room = (1u << HD_PACK_PAGE_BITS) - (addr & ((1u << HD_PACK_PAGE_BITS) - 1));
    return n < room ? n : room;
}

/* Sixteen bytes at once, anywhere. */
typedef long long __attribute__((vector_size(16), aligned(1), may_alias)) hd_pack_vector;

static inline bool hd_pack_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    for (; n >= 32; n -= 32, a += 32, b += 32) {
        hd_pack_vector x = *(const hd_pack_vector *)a ^ *(const hd_pack_vector *)b;
        x |= *(const hd_pack_vector *)(a + 16) ^ *(const hd_pack_vector *)(b + 16);
        if (x[0] | x[1])
            return false;
    }
    for (; n >= 8; n -= 8, a += 8, b += 8)
        if (hd_pack_peek(a, 8) != hd_pack_peek(b, 8))
            return false;
    for (; n; n--)
        if (*a++ != *b++)
            return false;
    return true;
}

/* Without memcpy: the runtime stands before it. */
static inline void hd_pack_copy(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n >= 32; n -= 32, to += 32, from += 32) {
        hd_pack_vector x = *(const hd_pack_vector *)from;
        *(hd_pack_vector *)(to + 16) = *(const hd_pack_vector *)(from + 16);
        *(hd_pack_vector *)to = x;
    }
    for (; n >= 8; n -= 8, to += 8, from += 8)
        hd_pack_poke(to, 8, hd_pack_peek(from, 8));
    for (; n; n--)
        *to++ = *from++;
}

/* Whether the n bytes at addr are in the mirror as given. */
static inline bool hd_pack_same(struct hd_pack *pk, uint64_t addr, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0, part; i < n; i += part) {
        part = hd_pack_beside(addr + i, n - i);
        if (!hd_pack_equal(hd_pack_mirror(pk, addr + i), bytes + i, part))
            return false;
    }
    return true;
}

static inline void hd_pack_keep(struct hd_pack *pk, uint64_t addr, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0, part; i < n; i += part) {
        part = hd_pack_beside(addr + i, n - i);
        hd_pack_copy(hd_pack_mirror(pk, addr + i), bytes + i, part);
    }
}

static inline __attribute__((always_inline)) void
hd_pack_follow(struct hd_pack *pk, struct hd_pack_slot *prev, uint32_t offset, unsigned code)
{
    if (code != 1) { /* the latest comes first */
        prev->next[1] = prev->next[0];
        prev->next[0] = offset;
    }
    pk->prev = offset;
}

static inline __attribute__((always_inline)) uint64_t hd_pack_base(const struct hd_pack *pk,
                                                                   const struct hd_pack_slot *s)
{
    return pk->base[s->beside] + (uint64_t)(int64_t)s->off;
}

/* The guess for word 0. */
static inline __attribute__((always_inline)) uint64_t hd_pack_next0(const struct hd_pack_slot *s)
{
    return s->word0 + (uint64_t)(int64_t)s->step;
}

/* Word 0 was not as guessed. Distances that do not fit are cut: a wrong guess, as good as any. */
static inline __attribute__((always_inline)) void hd_pack_word0(const struct hd_pack *pk,
                                                                struct hd_pack_slot *s, uint64_t w)
{
    uint64_t from = pk->base[1];
    bool beside = w - from + HD_PACK_BESIDE <= 2 * HD_PACK_BESIDE;
    from = beside ? from : pk->base[0];
    s->step = (int32_t)(w - s->word0);
    s->off = (int32_t)(w - from);
    s->beside = beside;
    s->word0 = w;
}

/* What a record of this shape read at w0. */
static inline __attribute__((always_inline)) void hd_pack_read(struct hd_pack *pk, unsigned shape,
                                                               uint64_t w0, uint64_t w1)
{
    if (hd_shape_points(shape))
        pk->base[0] = w1;
    if (hd_shape_looks(shape)) {
        pk->value = w1;
        pk->base[1] = w0;
    }
}

/* Tokens move on with the thread's events, as that of its last event does. */
static inline uint64_t hd_pack_moving(uint32_t count)
{
    return hd_tok_range(count, count);
}

/* The guess. */
static inline __attribute__((always_inline)) hd_tok hd_pack_tok(const struct hd_pack_slot *s,
                                                                unsigned i, uint64_t moving)
{
    return s->tok[i] + (moving & s->mask[i]);
}

/* A token was not as guessed: the halves in `missed` (bit 0 lo, bit 1 ~hi) may be of the other
 * kind; the next guess is. */
static inline void hd_pack_tok_set(struct hd_pack_slot *s, unsigned i, uint64_t moving, hd_tok tok,
                                   unsigned missed)
{
    s->mask[i] ^= (missed & 1 ? UINT64_MAX << 32 : 0) | (missed & 2 ? UINT32_MAX : 0);
    s->tok[i] = tok - (moving & s->mask[i]);
}

static inline uint64_t hd_pack_zigzag(uint64_t v)
{
    return v << 1 ^ -(v >> 63);
}

static inline uint64_t hd_pack_unzigzag(uint64_t v)
{
    return v >> 1 ^ -(v & 1);
}

#endif
