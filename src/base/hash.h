/* Hashing: a 64-bit mix, a byte-string hash, and a map from 64-bit keys to 32-bit values.
 *
 * The map is open addressing with linear probing, at most 3/4 full; a slot is 16 bytes, so that a
 * probe touches one cache line. A zeroed struct is an empty map. There is no removal: no caller
 * needs it. Iteration order is not offered on purpose: output must not depend on hash order.
 */
#ifndef HD_BASE_HASH_H
#define HD_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finaliser with full avalanche: xor-shift and odd multipliers. */
static inline uint64_t hd_hash_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

/* Good enough for tables; not stable across machines, so it never reaches a file. */
uint64_t hd_hash_bytes(const void *data, size_t len, uint64_t seed);

struct hd_map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t round; /* in use when equal to the map's: clearing is one increment */
};

struct hd_map {
    struct hd_map_slot *slots;
    size_t len;
    size_t cap; /* a power of two, or 0 */
    uint32_t round;
};

void hd_map_fini(struct hd_map *m);
void hd_map_clear(struct hd_map *m); /* O(1); keeps the memory */

/* Whether key is there; *value is written only then. */
bool hd_map_get(const struct hd_map *m, uint64_t key, uint32_t *value);

/* A pointer to the value of key, added as 0 when new; *fresh (may be NULL) is then true. Valid
 * until the next put. */
uint32_t *hd_map_put(struct hd_map *m, uint64_t key, bool *fresh);

#endif
