/* Writing the contents of wide accesses, of 16, 32 or 64 bytes. Part of log/rt_pack_put.h. */
#ifndef HEDDLE_RT_PACK_WIDE_H
#define HEDDLE_RT_PACK_WIDE_H

#include "log/rt_pack.h"

/* Whether the words of a wide one are those at `at`. */
static inline __attribute__((always_inline)) bool
hd_put_wide_same(const uint8_t *at, const uint8_t *bytes, unsigned size)
{
    uint64_t differs = 0;
    for (unsigned i = 0; i < size; i += 8)
        differs |= hd_pack_peek(at + i, 8) ^ hd_pack_peek(bytes + i, 8);
    return !differs;
}

/* Word 1 of an access to memory of 16, 32 or 64 bytes. It is coded 0: as memory was; 1: as the
 * mirror has it at the last wide read, which is what copies write; 3: words that are xored with
 * what memory was, for each two words a byte with the lengths of both (low half first), then that
 * many low bytes of each. */
static inline __attribute__((always_inline)) uint8_t *hd_put_wide(struct hd_pack *pk,
                                                                  unsigned shape, uint64_t w0,
                                                                  const uint8_t *bytes, uint8_t *q,
                                                                  unsigned *flag)
{
    unsigned size = hd_shape_wide(shape);
    uint8_t *mirror = hd_pack_mirror(pk, w0);
    bool reads = hd_shape_kind(shape) == HD_LOG_RANGE_READ;
    uint64_t last = pk->wide;
    if (reads)
        pk->wide = w0;
    if (hd_put_wide_same(mirror, bytes, size))
        return q;
    if (!reads && hd_put_wide_same(hd_pack_mirror(pk, last), bytes, size)) {
        *flag |= 1 << 4;
        hd_pack_copy(mirror, bytes, size);
        return q;
    }
    *flag |= 3 << 4;
    for (unsigned i = 0; i < size; i += 16) {
        uint64_t a = hd_pack_peek(bytes + i, 8), b = hd_pack_peek(bytes + i + 8, 8);
        uint64_t x = a ^ hd_pack_peek(mirror + i, 8), y = b ^ hd_pack_peek(mirror + i + 8, 8);
        unsigned n = 8 - (unsigned)__builtin_clzll(x | 1) / 8;
        unsigned m = 8 - (unsigned)__builtin_clzll(y | 1) / 8;
        *q++ = (uint8_t)(n | m << 4);
        hd_pack_poke(q, 8, x);
        hd_pack_poke(q + n, 8, y); /* zeros come behind it, as before */
        q += n + m;
        hd_pack_poke(mirror + i, 8, a);
        hd_pack_poke(mirror + i + 8, 8, b);
    }
    return q;
}

#endif
