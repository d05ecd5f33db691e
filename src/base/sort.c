#include "base/sort.h"

#include "base/alloc.h"
#include "base/stop.h"

#include <stdlib.h>
#include <string.h>

/* Elements that are sorted or merged between two looks: some milliseconds. */
enum { PIECE = 1 << 14 };

struct sorter {
    size_t n, size;
    int (*compare)(const void *, const void *, void *);
    void *arg;
};

/* Merges [from, middle) and [middle, to) of one list into the other. False: the work has to end. */
static bool merge(const struct sorter *s, const char *in, char *out, size_t from, size_t middle,
                  size_t to)
{
    size_t left = from, right = middle;
    for (size_t at = from; at < to; at++) {
        if (at % PIECE == 0 && hd_stop_now() != HD_STOP_NO)
            return false;
        bool second =
            left == middle ||
            (right < to && s->compare(in + left * s->size, in + right * s->size, s->arg) > 0);
        memcpy(out + at * s->size, in + (second ? right++ : left++) * s->size, s->size);
    }
    return true;
}

/* One round: runs of `width` become runs of twice the width. */
static bool merge_all(const struct sorter *s, const char *in, char *out, size_t width)
{
    bool going = true;
    for (size_t from = 0; from < s->n && going; from += 2 * width) {
        size_t middle = from + width < s->n ? from + width : s->n;
        size_t to = middle + width < s->n ? middle + width : s->n;
        going = merge(s, in, out, from, middle, to);
    }
    return going;
}

/* The list whose elements are all there is returned: `from` when a round was left. */
static char *merge_runs(const struct sorter *s, char *from, char *to)
{
    for (size_t width = PIECE; width < s->n; width *= 2) {
        if (!merge_all(s, from, to, width))
            break;
        char *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* Many lists are in order as they come. */
static bool is_sorted(const struct sorter *s, const char *data)
{
    size_t i = 1;
    while (i < s->n && s->compare(data + (i - 1) * s->size, data + i * s->size, s->arg) <= 0)
        i++;
    return i >= s->n;
}

void hd_sort(void *data, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *arg)
{
    struct sorter s = {n, size, compare, arg};
    if (is_sorted(&s, data))
        return;
    for (size_t from = 0; from < n && (!from || hd_stop_now() == HD_STOP_NO); from += PIECE)
        qsort_r((char *)data + from * size, n - from < PIECE ? n - from : PIECE, size, compare,
                arg);
    if (n <= PIECE)
        return;
    char *other = hd_alloc(n * size);
    char *sorted = merge_runs(&s, data, other);
    if (sorted != data)
        memcpy(data, sorted, n * size);
    hd_free(other, n * size);
}
