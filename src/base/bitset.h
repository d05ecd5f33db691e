/* A fixed-size set of small integers. hd_bitset_init before use, hd_bitset_fini after. */
#ifndef HD_BASE_BITSET_H
#define HD_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_bitset {
    uint64_t *words;
    size_t bits;
};

void hd_bitset_init(struct hd_bitset *s, size_t bits); /* empty */
void hd_bitset_fini(struct hd_bitset *s);
void hd_bitset_clear_all(struct hd_bitset *s);
size_t hd_bitset_count(const struct hd_bitset *s);
bool hd_bitset_intersects(const struct hd_bitset *a, const struct hd_bitset *b); /* same size */

static inline bool hd_bitset_has(const struct hd_bitset *s, size_t i)
{
    return s->words[i / 64] >> (i % 64) & 1;
}

static inline void hd_bitset_add(struct hd_bitset *s, size_t i)
{
    s->words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void hd_bitset_del(struct hd_bitset *s, size_t i)
{
    s->words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

#endif
