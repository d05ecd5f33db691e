/* Which stretches of a thread are meant to be atomic, as pairs of accesses (c, c') to one location.
 *
 *   given   a begin...end of the trace, the outermost one where they nest;
 *   region  a critical section with no wait inside, the outermost one where they nest;
 *   check   two critical sections of one lock by one thread, one following the other, with a read
 *           of a location in the first and a write of it in the second. Where the world knows
 *           functions: all of it stands in one function, and the second section begins further
 *           down, so that a section in a loop is not taken for two. Or, whatever the functions,
 *           the write depends on the read, by its value, its address or a branch between them;
 *           only dependences that the trace names count, since "all earlier reads" shows nothing
 *           about what the code does. Not where the second section checks again: a branch before
 *           the write depends on a read of the location in that section.
 *
 * A thread's stretch with a given block in it has no inferred ones. The pairs of a block are every
 * access with, for each place and kind (read, write) of earlier accesses in the block, the first
 * such access; or with `all`, with all earlier ones.
 */
#ifndef HD_PREDICT_RUN_ATOMIC_BLOCKS_H
#define HD_PREDICT_RUN_ATOMIC_BLOCKS_H

#include "predict/index/world.h"

enum hd_block_kind { HD_BLOCK_GIVEN, HD_BLOCK_REGION, HD_BLOCK_CHECK, HD_BLOCK_KINDS };
extern const char *const hd_block_names[HD_BLOCK_KINDS];

struct hd_block_pair {
    hd_eid c, d; /* c before d in their thread; d is c' */
    enum hd_block_kind kind;
};

/* Appends to `pairs` (struct hd_block_pair), ascending by c, then d, each pair once. Only locations
 * that another thread uses too. Uses the trace, the sections and the locations of the world. */
void hd_atomic_blocks_pairs(const struct hd_world *w, bool all, struct hd_vec *pairs);

#endif
