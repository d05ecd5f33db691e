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
