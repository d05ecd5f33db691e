/* The slots of the writer by key (rt_pack.h). */
#ifndef HEDDLE_RT_PACK_FIND_H
#define HEDDLE_RT_PACK_FIND_H

#include "log/rt_pack.h"

#define HD_PACK_FIND_LEAST 10 /* places of the first table, as a power of 2 */

static inline void hd_pack_first(struct hd_pack *pk, uint32_t slot)
{
    pk->slots[slot].next[0] = pk->slots[slot].next[1] = hd_pack_offset(HD_PACK_NOTHING);
}

/* The place of key in `find`, or the free one where it belongs. A table of 2^b places starts at
 * place 2^b and is at most half full. So a program with few keys touches few pages of it, and none
 * is cleared. */
static inline uint32_t hd_pack_place(const struct hd_pack *pk, uint64_t key)
{
    uint32_t n = 1u << pk->find_bits, slot;
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - pk->find_bits));
    while ((slot = pk->find[n + at]) != 0 && pk->slots[slot].key != key)
        at = (at + 1) & (n - 1);
    return n + at;
}

static inline void hd_pack_find_grow(struct hd_pack *pk)
{
    pk->find_bits = pk->find_bits ? pk->find_bits + 1 : HD_PACK_FIND_LEAST;
    for (uint32_t i = 1; i <= pk->n_slots; i++)
        pk->find[hd_pack_place(pk, pk->slots[i].key)] = i;
}

/* The slot of key, made if need be; 0 when there are too many. keys: the shared list by number. */
static __attribute__((noinline, unused)) uint32_t hd_pack_slot_of(struct hd_pack *pk,
                                                                  uint64_t *keys, uint64_t key)
{
    if (pk->n_slots >= 1u << pk->find_bits >> 1)
        hd_pack_find_grow(pk);
    uint32_t at = hd_pack_place(pk, key), slot = pk->find[at];
    if (slot)
        return slot;
    if (pk->n_slots + 1 == HD_PACK_NOTHING)
        return 0;
    slot = ++pk->n_slots;
    pk->find[at] = slot;
    pk->slots[slot].key = key;
    hd_pack_first(pk, slot);
    __atomic_store_n(&keys[slot], key, __ATOMIC_RELEASE);
    return slot;
}

#endif
