#include "base/names.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

void hd_names_fini(struct hd_names *n)
{
    hd_free(n->text, n->text_cap);
    hd_free(n->start, n->start_cap * sizeof *n->start);
    hd_free(n->slots, n->slot_cap * sizeof *n->slots);
    hd_free(n->tags, n->slot_cap * sizeof *n->tags);
    *n = (struct hd_names){0};
}

/* The slot that holds the text, or the empty slot where it belongs. Requires slot_cap > 0. */
static size_t find_slot(const struct hd_names *n, const char *text, size_t len, uint64_t hash)
{
    size_t mask = n->slot_cap - 1;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        if (!n->slots[i])
            return i;
        uint32_t id = n->slots[i] - 1;
        if (n->tags[i] == tag && hd_names_len(n, id) == len &&
            !memcmp(hd_names_text(n, id), text, len))
            return i;
    }
}

static void grow_slots(struct hd_names *n)
{
    size_t old_cap = n->slot_cap;
    hd_free(n->slots, old_cap * sizeof *n->slots);
    hd_free(n->tags, old_cap * sizeof *n->tags);
    n->slot_cap = old_cap ? old_cap * 2 : 64;
    n->slots = hd_calloc(n->slot_cap, sizeof *n->slots);
    n->tags = hd_calloc(n->slot_cap, sizeof *n->tags);
    for (uint32_t id = 0; id < n->count; id++) {
        const char *text = hd_names_text(n, id);
        size_t len = hd_names_len(n, id);
        uint64_t hash = hd_hash_bytes(text, len, 0);
        size_t i = find_slot(n, text, len, hash);
        n->slots[i] = id + 1;
        n->tags[i] = (uint32_t)(hash >> 32);
    }
}

static void append_text(struct hd_names *n, const char *text, size_t len)
{
    if (n->text_len + len + 1 > n->text_cap) {
        size_t cap = n->text_cap ? n->text_cap * 2 : 256;
        if (cap < n->text_len + len + 1)
            cap = n->text_len + len + 1;
        n->text = hd_realloc(n->text, n->text_cap, cap);
        n->text_cap = cap;
    }
    if (n->count + 2 > n->start_cap) {
        size_t cap = n->start_cap ? n->start_cap * 2 : 16;
        n->start = hd_realloc(n->start, n->start_cap * sizeof *n->start, cap * sizeof *n->start);
        n->start_cap = cap;
        n->start[0] = 0;
    }
    memcpy(n->text + n->text_len, text, len);
    n->text[n->text_len + len] = 0;
    n->text_len += len + 1;
    n->start[++n->count] = n->text_len;
}

uint32_t hd_names_add(struct hd_names *n, const char *text, size_t len)
{
    if ((n->count + 1) * 2 > n->slot_cap)
        grow_slots(n);
    uint64_t hash = hd_hash_bytes(text, len, 0);
    size_t i = find_slot(n, text, len, hash);
    if (n->slots[i])
        return n->slots[i] - 1;
    append_text(n, text, len);
    n->slots[i] = (uint32_t)n->count;
    n->tags[i] = (uint32_t)(hash >> 32);
    return (uint32_t)(n->count - 1);
}

bool hd_names_find(const struct hd_names *n, const char *text, size_t len, uint32_t *id)
{
    if (!n->slot_cap)
        return false;
    size_t i = find_slot(n, text, len, hd_hash_bytes(text, len, 0));
    if (!n->slots[i])
        return false;
    *id = n->slots[i] - 1;
    return true;
}
