/* One trace for many machines: groups of candidates are divided among shards. Each group is decided
 * as it would be alone, so the shards together give the results of the whole. The division depends
 * on the trace and the number of shards only: the dearest group goes first, each to the shard that
 * has least to do.
 */
#ifndef HD_PREDICT_RUN_SHARE_H
#define HD_PREDICT_RUN_SHARE_H

#include "base/hash.h"
#include "predict/index/candidates.h"
#include "predict/run/predict.h"

/* owner[i]: the shard of group i of n, from 0. The filters go over the events of a group, not over
 * its pairs: the cost is taken to grow with the root of their number. */
void hd_share_divide(const uint64_t *pairs, size_t n, uint32_t shards, uint32_t *owner);

/* Leaves the groups of this shard. *owners: which shard has which pair of places, the smaller place
 * in the upper half. */
void hd_share_keep(struct hd_candidates *c, const struct hd_predict_options *options,
                   struct hd_map *owners);

/* Whether there is more than one shard. */
static inline bool hd_share_divided(const struct hd_predict_options *o)
{
    return o->shards > 1;
}

#endif
