/* What the files of candidates.h share: the kinds of accesses. */
#ifndef HD_PREDICT_INDEX_CANDIDATES_INT_H
#define HD_PREDICT_INDEX_CANDIDATES_INT_H

#include "predict/index/candidates.h"

/* Index into who: 0 read, 1 write, 2 atomic read, 3 atomic write. */
static inline unsigned hd_candidates_kind(uint8_t op)
{
    return (hd_op_is_atomic(op) ? 2u : 0u) + hd_op_writes(op);
}

static inline bool hd_candidates_kinds_conflict(unsigned k, unsigned l)
{
    return ((k | l) & 1) && !(k & l & 2);
}

#endif
