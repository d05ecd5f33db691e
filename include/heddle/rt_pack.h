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
 * The mirror remembers memory as the records told it: 4 MB, by address, without tags. Pages that
 * share a place in it spoil each other's guesses and nothing else.
 *
 * The first byte of a record is never 0 and is written last: a record is there whole or not at all.
 *   bits 0-1  0: a plain record, its kind in bits 2-7 (see rt_pack_put.h);
 *             1, 2: the slot that followed the previous record's slot last time, or the time
 * before; 3: the number of the slot follows (varint; 0: then 8 bytes of key) bits 2-3  word 0: 0
 * last + step, 1 pointer + offset, 2 last + 2 bytes, 3 last + 4 bytes (INT32_MIN: 8 bytes follow)
 *   bits 4-5  word 1: 0 guess (memory, or the slot's last), 1 the slot's last, 2 guess + 2 bytes,
 *             3 the value in as many bytes as the access has
 *   bit 6     tokens follow: a byte with one bit for each half that is not as guessed, then those
 * halves as distances (varint) bit 7     with word 1 coded 3: word 1 is word 0 plus 4 bytes in this
 * order. RMW ends with new - old, zigzag varint.
 */
#ifndef HEDDLE_RT_PACK_H
#define HEDDLE_RT_PACK_H

#include "heddle/rt_abi.h"
#include "heddle/rt_log.h"

#include <stdbool.h>
#include <stddef.h>

#define HD_PACK_PAGE_BITS   12
#define HD_PACK_MIRROR_BITS 22
#define HD_PACK_FIND_BITS   20 /* twice HD_LOG_KEYS: chains stay short */
#define HD_PACK_ROOM        64 /* bytes that a packed record takes at most */

/* Shapes: bits 0-5 kind, 6-7 log2 of the size, then flags. */
enum {
    HD_SHAPE_SITE = 1 << 8,    /* the address is a struct hd_site: tokens are given */
    HD_SHAPE_GUESS = 1 << 9,   /* HD_LOG_PENDING of a read */
    HD_SHAPE_JOINED = 1 << 11, /* HD_LOG_JOINED */
    HD_SHAPE_PLACE = 1 << 10,  /* only names a place, for plain records */
};

/* What a record of a shape is made of. */
enum {
    HD_PART_WORD0 = 1,
    HD_PART_WORD1 = 2,
    HD_PART_MEMORY = 4, /* word 0 is an address, word 1 what is there */
    HD_PART_ADDR = 8,   /* token of the address */
    HD_PART_VAL = 16,   /* token of the value or choice */
    HD_PART_NEW = 32,   /* word 2: what an rmw leaves there */
};

struct hd_pack_slot {
    uint64_t key; /* address << 16 | shape */
    uint64_t word0, word1;
    uint64_t off;     /* word 0 less the pointer before it */
    uint32_t half[4]; /* lo and ~hi of the tokens, of the address first */
    int32_t step;
    uint32_t moves;   /* bit i: half[i] is relative to the thread's count */
    uint32_t next[2]; /* slots that followed */
};
_Static_assert(sizeof(struct hd_pack_slot) == 64, "a slot is one cache line");

struct hd_pack {
    uint32_t prev;    /* slot of the last packed record */
    uint32_t n_slots; /* in use, without slot 0 */
    uint64_t pointer; /* the last 8 bytes that were read */
    uint64_t range;   /* address of the last range record */
    struct hd_pack_slot slots[HD_LOG_KEYS] __attribute__((aligned(64)));
    uint8_t mirror[(1u << HD_PACK_MIRROR_BITS) + 8];
    uint32_t find[1u << HD_PACK_FIND_BITS]; /* writer: slot by key */
};

static inline uint64_t hd_pack_key(uint64_t address, unsigned shape)
{
    return address << 16 | shape;
}

static inline unsigned hd_pack_shape(uint64_t key)
{
    return (unsigned)(key & 0xffff);
}

static inline unsigned hd_shape_kind(unsigned shape)
{
    return shape & 63;
}

static inline unsigned hd_shape_size(unsigned shape)
{
    return 1u << (shape >> 6 & 3);
}

/* The parts of a shape; 0 for kinds that are always plain. */
static inline __attribute__((always_inline)) unsigned hd_shape_parts(unsigned shape)
{
    unsigned addr = shape & HD_SHAPE_SITE ? HD_PART_ADDR : 0;
    unsigned val = shape & HD_SHAPE_SITE ? HD_PART_VAL : 0;
    switch (hd_shape_kind(shape)) {
    case HD_LOG_READ:
    case HD_LOG_AREAD:
        return HD_PART_WORD0 | HD_PART_WORD1 | HD_PART_MEMORY | addr;
    case HD_LOG_WRITE:
    case HD_LOG_AWRITE:
        return HD_PART_WORD0 | HD_PART_WORD1 | HD_PART_MEMORY | addr | val;
    case HD_LOG_RMW:
        return HD_PART_WORD0 | HD_PART_WORD1 | HD_PART_MEMORY | HD_PART_NEW | addr | val;
    case HD_LOG_BRANCH:
        return HD_PART_VAL;
    case HD_LOG_MORE:
        return HD_PART_WORD0 | HD_PART_VAL;
    case HD_LOG_ALLOC:
    case HD_LOG_WAIT:
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        return HD_PART_WORD0 | HD_PART_WORD1;
    case HD_LOG_ACQ:
    case HD_LOG_REL:
    case HD_LOG_RACQ:
    case HD_LOG_RREL:
    case HD_LOG_TRYFAIL:
    case HD_LOG_SIG:
    case HD_LOG_BCAST:
    case HD_LOG_POST:
    case HD_LOG_SEM:
    case HD_LOG_BARIN:
    case HD_LOG_BAROUT:
    case HD_LOG_FREE:
        return HD_PART_WORD0;
    default:
        return 0;
    }
}

/* Whether what a record of this shape reads may be a pointer. */
static inline bool hd_shape_points(unsigned shape)
{
    return hd_shape_size(shape) == 8 && hd_shape_kind(shape) != HD_LOG_WRITE;
}

/* ---- guesses and what they become ---- */

static inline uint8_t *hd_pack_mirror(struct hd_pack *pk, uint64_t addr)
{
    uint64_t page = (addr >> HD_PACK_PAGE_BITS) * UINT64_C(0x9e3779b97f4a7c15);
    page >>= 64 - (HD_PACK_MIRROR_BITS - HD_PACK_PAGE_BITS);
    return pk->mirror + (page << HD_PACK_PAGE_BITS | (addr & ((1u << HD_PACK_PAGE_BITS) - 1)));
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

/* Whether the n bytes at addr are in the mirror as given. */
static inline bool hd_pack_same(struct hd_pack *pk, uint64_t addr, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        const uint8_t *m = hd_pack_mirror(pk, addr + i);
        if (n - i >= 8 && hd_pack_peek(m, 8) != hd_pack_peek(bytes + i, 8))
            return false;
        if (n - i < 8 && *m != bytes[i])
            return false;
        i += n - i >= 8 ? 8 : 1;
    }
    return true;
}

static inline void hd_pack_keep(struct hd_pack *pk, uint64_t addr, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint8_t *m = hd_pack_mirror(pk, addr + i);
        unsigned step = n - i >= 8 ? 8 : 1;
        __builtin_memcpy(m, bytes + i, step == 8 ? 8 : 1);
        i += step;
    }
}

static inline void hd_pack_follow(struct hd_pack *pk, struct hd_pack_slot *prev, uint32_t slot,
                                  unsigned code)
{
    if (code == 3) {
        prev->next[1] = prev->next[0];
        prev->next[0] = slot;
    }
    pk->prev = slot;
}

static inline void hd_pack_word0(struct hd_pack *pk, struct hd_pack_slot *s, uint64_t w)
{
    int64_t step = (int64_t)(w - s->word0);
    s->step = step == (int32_t)step ? (int32_t)step : 0;
    s->off = w - pk->pointer;
    s->word0 = w;
}

static inline uint32_t hd_pack_half(const struct hd_pack_slot *s, unsigned i, uint32_t count)
{
    uint32_t moves = -(s->moves >> i & 1);
    return s->half[i] + ((i & 1 ? -count : count) & moves);
}

/* Half i was not as guessed. It may be of the other kind: the next guess is. */
static inline void hd_pack_half_set(struct hd_pack_slot *s, unsigned i, uint32_t count,
                                    uint32_t half)
{
    s->moves ^= 1u << i;
    uint32_t moves = -(s->moves >> i & 1);
    s->half[i] = half - ((i & 1 ? -count : count) & moves);
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
