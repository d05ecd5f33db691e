/* Writing plain records and ranges (rt_pack.h): what comes too seldom to be guessed.
 *
 * Plain records: kind << 2, aux, number of the place's slot (varint, 0: none), then the words as
 * varints. Kinds with contents: word, length, bytes. Ranges: address less the last range's (zigzag
 * varint), length, then 0: as the mirror has it there, 1: as it has it at the last range's address,
 * 2: one byte all over, which follows, 3: the bytes follow.
 */
#ifndef HEDDLE_RT_PACK_PLAIN_H
#define HEDDLE_RT_PACK_PLAIN_H

#include "log/rt_pack_put.h"

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
    q = hd_put_varint(q, hd_pack_zigzag(addr - pk->range));
    q = hd_put_varint(q, n);
    if (hd_pack_same(pk, addr, bytes, n)) {
        *q++ = 0;
        pk->range = addr;
        return q;
    }
    if (hd_pack_same(pk, pk->range, bytes, n)) {
        *q++ = 1;
    } else if (n && hd_pack_equal(bytes, bytes + 1, n - 1)) {
        *q++ = 2;
        *q++ = *bytes;
    } else {
        *q++ = 3;
        hd_pack_copy(q, bytes, n);
        q += n;
    }
    hd_pack_keep(pk, addr, bytes, n);
    pk->range = addr;
    return q;
}

#endif
