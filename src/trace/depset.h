/* Sets of reads of one thread, kept once each: on what the contents of memory that is in no event
 * depend (docs/ALGORITHMS.md, "Reduction by ownership").
 *
 * Reads are numbers that the caller chooses, ascending in the order of the thread. Set 0 is empty,
 * of no thread.
 */
#ifndef HD_TRACE_DEPSET_H
#define HD_TRACE_DEPSET_H

#include "base/hash.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

#define HD_DEPSET_MOST 256 /* reads in a set; of longer ones the caller keeps the write itself */

struct hd_depsets {
    struct hd_u32vec pool; /* thread, number of reads, reads: one set after the other */
    struct hd_u32vec at;   /* by set: where it starts */
    struct hd_map ids;     /* hash -> set */
};

void hd_depsets_init(struct hd_depsets *d);
void hd_depsets_fini(struct hd_depsets *d);
/* The set of these reads of the thread: ascending, no duplicates. n above HD_DEPSET_MOST: a wide
 * set, which lists nothing. */
uint32_t hd_depsets_put(struct hd_depsets *d, uint32_t thread, const uint32_t *reads, size_t n);

/* Not for set 0. */
static inline uint32_t hd_depset_thread(const struct hd_depsets *d, uint32_t set)
{
    return d->pool.data[d->at.data[set]];
}

static inline const uint32_t *hd_depset_reads(const struct hd_depsets *d, uint32_t set, size_t *n)
{
    const uint32_t *p = d->pool.data + d->at.data[set];
    *n = p[1];
    return p + 2;
}

static inline int hd_depset_is_wide(const struct hd_depsets *d, uint32_t set)
{
    return set && d->pool.data[d->at.data[set] + 1] == 0;
}

/* Sorts, and drops duplicates. */
void hd_depsets_sort(struct hd_u32vec *list);

#endif
