#include "base/bitset.h"

#include "base/alloc.h"

#include <string.h>

static size_t words_for(size_t bits)
{
    return (bits + 63) / 64;
}

void hd_bitset_init(struct hd_bitset *s, size_t bits)
{
    s->bits = bits;
    s->words = hd_calloc(words_for(bits), sizeof *s->words);
}

void hd_bitset_fini(struct hd_bitset *s)
{
    hd_free(s->words, words_for(s->bits) * sizeof *s->words);
    *s = (struct hd_bitset){0};
}

void hd_bitset_clear_all(struct hd_bitset *s)
{
    memset(s->words, 0, words_for(s->bits) * sizeof *s->words);
}

size_t hd_bitset_count(const struct hd_bitset *s)
{
    size_t count = 0;
    for (size_t i = 0; i < words_for(s->bits); i++)
        count += (size_t)__builtin_popcountll(s->words[i]);
    return count;
}

bool hd_bitset_intersects(const struct hd_bitset *a, const struct hd_bitset *b)
{
    HD_DCHECK(a->bits == b->bits);
    for (size_t i = 0; i < words_for(a->bits); i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

bool hd_bitset_union(struct hd_bitset *into, const struct hd_bitset *from)
{
    uint64_t added = 0;
    HD_DCHECK(into->bits == from->bits);
    for (size_t i = 0; i < words_for(into->bits); i++) {
        added |= from->words[i] & ~into->words[i];
        into->words[i] |= from->words[i];
    }
    return added != 0;
}
