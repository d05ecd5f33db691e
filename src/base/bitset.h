/* A fixed-size set of small integers, 0 to bits - 1.
 *
 * hd_bitset_init before use, hd_bitset_fini after. Bits beyond the size are always zero, so whole
 * words can be compared and counted. Functions of two sets require equal sizes. The single-element
 * functions are inlined and do not check their argument in release builds.
 */
#ifndef HD_BASE_BITSET_H
#define HD_BASE_BITSET_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_bitset {
    uint64_t *words;
    size_t bits;
};

void hd_bitset_init(struct hd_bitset *s, size_t bits); /* empty */
void hd_bitset_fini(struct hd_bitset *s);

static inline bool hd_bitset_has(const struct hd_bitset *s, size_t i)
{
    HD_DCHECK(i < s->bits);
    return s->words[i / 64] >> (i % 64) & 1;
}

static inline void hd_bitset_add(struct hd_bitset *s, size_t i)
{
    HD_DCHECK(i < s->bits);
    s->words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void hd_bitset_del(struct hd_bitset *s, size_t i)
{
    HD_DCHECK(i < s->bits);
    s->words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

#endif
