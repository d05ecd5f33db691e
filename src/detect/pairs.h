/* Sets of pairs: racing event pairs (a before b in the trace), or pairs of source places.
 *
 * Pushing is cheap and unordered; hd_pairs_sort makes the set canonical: ascending by (a, b), each
 * pair once. The queries and any output need a sorted set. A zeroed struct is an empty, sorted set.
 * A pair is kept with its smaller number first, so (7, 3) and (3, 7) are the same pair.
 */
#ifndef HD_DETECT_PAIRS_H
#define HD_DETECT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_pair {
    uint32_t a, b; /* a <= b */
};

struct hd_pairs {
    struct hd_pair *data;
    size_t len, cap;
    bool unsorted; /* something was pushed out of order since the last sort */
};

void hd_pairs_fini(struct hd_pairs *p);

/* Adds {x, y} in either order. Equal neighbours are dropped at once, other repeats by the sort. */
void hd_pairs_push(struct hd_pairs *p, uint32_t x, uint32_t y);
void hd_pairs_sort(struct hd_pairs *p); /* sorts and removes repeats */

/* These require sorted sets. */
bool hd_pairs_contains(const struct hd_pairs *p, uint32_t x, uint32_t y);
bool hd_pairs_equal(const struct hd_pairs *p, const struct hd_pairs *q);
/* Whether every pair of p is in q; if not, *missing (may be NULL) is the first that is not. */
bool hd_pairs_subset(const struct hd_pairs *p, const struct hd_pairs *q, struct hd_pair *missing);

#endif
