#include "base/hash.h"

#include "base/alloc.h"

#include <string.h>

uint64_t hd_hash_bytes(const void *data, size_t len, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = seed ^ (len * UINT64_C(0x9e3779b97f4a7c15));
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 29;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < len; i++)
        tail |= (uint64_t)p[i] << (8 * i);
    return hd_hash_mix(h ^ tail);
}

static size_t slot_of(const struct hd_map *m, uint64_t key)
{
    size_t i = hd_hash_mix(key) & (m->cap - 1);
    while (m->used[i] && m->keys[i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void grow(struct hd_map *m)
{
    struct hd_map old = *m;
    m->cap = old.cap ? old.cap * 2 : 32;
    m->keys = hd_alloc(m->cap * sizeof *m->keys);
    m->values = hd_alloc(m->cap * sizeof *m->values);
    m->used = hd_calloc(m->cap, 1);
    for (size_t i = 0; i < old.cap; i++) {
        if (!old.used[i])
            continue;
        size_t j = slot_of(m, old.keys[i]);
        m->used[j] = 1;
        m->keys[j] = old.keys[i];
        m->values[j] = old.values[i];
    }
    hd_map_fini(&old);
}

void hd_map_fini(struct hd_map *m)
{
    hd_free(m->keys, m->cap * sizeof *m->keys);
    hd_free(m->values, m->cap * sizeof *m->values);
    hd_free(m->used, m->cap);
    *m = (struct hd_map){0};
}

void hd_map_clear(struct hd_map *m)
{
    if (m->cap)
        memset(m->used, 0, m->cap);
    m->len = 0;
}

bool hd_map_get(const struct hd_map *m, uint64_t key, uint32_t *value)
{
    if (!m->cap)
        return false;
    size_t i = slot_of(m, key);
    if (!m->used[i])
        return false;
    *value = m->values[i];
    return true;
}

uint32_t *hd_map_put(struct hd_map *m, uint64_t key, bool *fresh)
{
    if (m->len * 4 >= m->cap * 3)
        grow(m);
    size_t i = slot_of(m, key);
    if (fresh)
        *fresh = !m->used[i];
    if (!m->used[i]) {
        m->used[i] = 1;
        m->keys[i] = key;
        m->values[i] = 0;
        m->len++;
    }
    return &m->values[i];
}
