#include "base/suggest.h"

#include <string.h>

enum { MAX_WORD = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned hd_suggest_distance(const char *a, const char *b)
{
    size_t na = strnlen(a, MAX_WORD), nb = strnlen(b, MAX_WORD);
    unsigned row[3][MAX_WORD + 1]; /* the rows i-2, i-1 and i of the usual table, in turn */
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *now = row[i % 3], *up = row[(i + 2) % 3], *upper = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned differs = a[i - 1] != b[j - 1];
            now[j] = min3(up[j] + 1, now[j - 1] + 1, up[j - 1] + differs);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                upper[j - 2] + 1 < now[j])
                now[j] = upper[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

const char *hd_suggest(const char *word, const char *const *list, size_t n)
{
    size_t len = strlen(word);
    const char *best = NULL;
    unsigned limit = (unsigned)(len + 2) / 3, best_distance = limit + 1;
    for (size_t i = 0; i < n; i++) {
        unsigned distance = hd_suggest_distance(word, list[i]);
        if (len >= 2 && !strncmp(word, list[i], len))
            distance = distance ? 1 : 0;
        if (distance < best_distance) {
            best_distance = distance;
            best = list[i];
        }
    }
    return best;
}
