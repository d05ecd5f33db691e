#include "base/hash.h"

#include "base/alloc.h"
#include "base/err.h"

#include <string.h>

static uint64_t load(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, p, n);
    return word;
}

/* The last 1 to 7 bytes as one word, with two loads of fixed size and no loop: names are short, so
 * this is most of the work. Different texts of one length give different words. */
static uint64_t load_tail(const unsigned char *p, size_t len)
{
    if (len >= 4)
        return load(p, 4) | load(p + len - 4, 4) << 32;
    return p[0] | (uint64_t)p[len / 2] << 8 | (uint64_t)p[len - 1] << 16;
}

uint64_t hd_hash_bytes(const void *data, size_t len, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = seed ^ (len * UINT64_C(0x9e3779b97f4a7c15));
    for (; len >= 8; p += 8, len -= 8) {
        h = (h ^ load(p, 8)) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 29;
    }
    return hd_hash_mix(len ? h ^ load_tail(p, len) : h);
}

/* The slot that holds key, or the empty slot where it belongs. Requires cap > 0. */
static struct hd_map_slot *slot_of(const struct hd_map *m, uint64_t key)
{
    size_t i = hd_hash_mix(key) & (m->cap - 1);
    while (m->slots[i].round == m->round && m->slots[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

#ifdef HD_DEBUG
/* As many slots are in use as there are keys, each where a search for its key ends. */
static void check(const struct hd_map *m)
{
    size_t used = 0;
    HD_ASSERT((m->cap & (m->cap - 1)) == 0 && m->len * 4 <= m->cap * 3);
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].round == m->round) {
            used++;
            HD_ASSERT(slot_of(m, m->slots[i].key) == &m->slots[i]);
        }
    HD_ASSERT(used == m->len);
}
#endif

static void grow(struct hd_map *m)
{
    struct hd_map old = *m;
    m->cap = old.cap ? old.cap * 2 : 32;
    m->slots = hd_calloc(m->cap, sizeof *m->slots);
    m->round = 1;
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slots[i].round != old.round)
            continue;
        struct hd_map_slot *slot = slot_of(m, old.slots[i].key);
        *slot = old.slots[i];
        slot->round = 1;
    }
    hd_map_fini(&old);
    HD_SELF_CHECK(check(m));
}

void hd_map_fini(struct hd_map *m)
{
    hd_free(m->slots, m->cap * sizeof *m->slots);
    *m = (struct hd_map){0};
}

void hd_map_clear(struct hd_map *m)
{
    m->len = 0;
    if (++m->round == 0) {
        if (m->cap)
            memset(m->slots, 0, m->cap * sizeof *m->slots);
        m->round = 1;
    }
}

bool hd_map_get(const struct hd_map *m, uint64_t key, uint32_t *value)
{
    if (!m->len)
        return false;
    const struct hd_map_slot *slot = slot_of(m, key);
    if (slot->round != m->round)
        return false;
    *value = slot->value;
    return true;
}

uint32_t *hd_map_put(struct hd_map *m, uint64_t key, bool *fresh)
{
    if (m->len * 4 >= m->cap * 3)
        grow(m);
    struct hd_map_slot *slot = slot_of(m, key);
    bool is_new = slot->round != m->round;
    if (fresh)
        *fresh = is_new;
    if (is_new) {
        *slot = (struct hd_map_slot){.key = key, .round = m->round};
        m->len++;
    }
    return &slot->value;
}
