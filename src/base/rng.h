/* A small seeded random number generator, the same on every machine.
 *
 * Whatever Heddle draws by chance (generated traces, random policies) is drawn from here, so that a
 * seed written in a report gives the same run elsewhere. libc's rand() is never used. Not for
 * secrets. The state is one 64-bit counter whose mixed values are the output, so any seed is as
 * good as another and neighbouring seeds give unrelated sequences.
 */
#ifndef HD_BASE_RNG_H
#define HD_BASE_RNG_H

#include "base/err.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_rng {
    uint64_t state;
};

static inline void hd_rng_init(struct hd_rng *r, uint64_t seed)
{
    r->state = hd_hash_mix(seed + 1);
}

static inline uint64_t hd_rng_next(struct hd_rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio, odd: visits every state */
    return hd_hash_mix(r->state);
}

/* 0 .. n-1; n must not be 0. The bias is below n / 2^32. */
static inline uint32_t hd_rng_below(struct hd_rng *r, uint32_t n)
{
    HD_DCHECK(n > 0);
    return (uint32_t)((hd_rng_next(r) >> 32) * n >> 32);
}

/* true in `percent` of 100 cases. */
static inline bool hd_rng_chance(struct hd_rng *r, uint32_t percent)
{
    return hd_rng_below(r, 100) < percent;
}

#endif
