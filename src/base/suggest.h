/* The nearest word: "did you mean ...?" for mistyped commands, options and values. */
#ifndef HD_BASE_SUGGEST_H
#define HD_BASE_SUGGEST_H

#include <stddef.h>

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. Only the first 63
 * characters count. */
unsigned hd_suggest_distance(const char *a, const char *b);

/* The word of list[0..n-1] nearest to `word`, the first one on a tie; NULL when none is near enough
 * to be worth showing (about one slip for each three letters, or `word` being a beginning of it).
 */
const char *hd_suggest(const char *word, const char *const *list, size_t n);

#endif
