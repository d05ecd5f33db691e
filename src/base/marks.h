/* Marks at some of the positions 0 to size - 1, and how many marks come before a position.
 *
 * For columns that change seldom: the values stand in an array of their own, one for each mark, and
 * a position costs two bits. Marks are made in ascending order; counts up to the last mark are
 * known at once, so that a column can be read while it grows. hd_marks_init before use,
 * hd_marks_fini after.
 */
#ifndef HD_BASE_MARKS_H
#define HD_BASE_MARKS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct __attribute__((packed, aligned(4))) hd_marks_word { /* 12 bytes, not 16 */
    uint64_t bits;
    uint32_t before; /* marks in the words before; words behind `last`: not yet known */
};

struct hd_marks {
    struct hd_marks_word *words;
    size_t size;
    size_t last; /* word of the last mark */
    uint32_t n;  /* marks */
};

void hd_marks_init(struct hd_marks *m, size_t size); /* no marks */
void hd_marks_fini(struct hd_marks *m);

/* Requires that no mark is at pos or behind it. */
void hd_marks_add(struct hd_marks *m, size_t pos);

static inline bool hd_marks_has(const struct hd_marks *m, size_t pos)
{
    HD_DCHECK(pos < m->size);
    return m->words[pos / 64].bits >> (pos % 64) & 1;
}

/* The bits of a word that are set. (The builtin calls a function where the processor may lack the
 * instruction.) */
static inline uint32_t hd_marks_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* How many marks are at positions below pos. */
static inline uint32_t hd_marks_before(const struct hd_marks *m, size_t pos)
{
    HD_DCHECK(pos < m->size);
    if (pos / 64 > m->last)
        return m->n;
    const struct hd_marks_word *word = &m->words[pos / 64];
    return word->before + hd_marks_count(word->bits & ((UINT64_C(1) << (pos % 64)) - 1));
}

/* The same with pos itself. */
static inline uint32_t hd_marks_upto(const struct hd_marks *m, size_t pos)
{
    HD_DCHECK(pos < m->size);
    if (pos / 64 > m->last)
        return m->n;
    const struct hd_marks_word *word = &m->words[pos / 64];
    return word->before + hd_marks_count(word->bits & ((UINT64_C(2) << (pos % 64)) - 1));
}

/* The first mark at or behind pos; `size` when there is none. */
static inline size_t hd_marks_next(const struct hd_marks *m, size_t pos)
{
    size_t word = pos / 64;
    if (!m->n || word > m->last)
        return m->size;
    uint64_t bits = m->words[word].bits & (UINT64_MAX << (pos % 64));
    while (!bits && word < m->last)
        bits = m->words[++word].bits;
    return bits ? word * 64 + (size_t)__builtin_ctzll(bits) : m->size;
}

#endif
