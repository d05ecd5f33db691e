#include "base/names.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/hash.h"

#include <string.h>

/* Tags have 32 bits and index the slots, which are twice the names. */
#define MAX_NAMES (UINT32_C(1) << 31)

void hd_names_fini(struct hd_names *n)
{
    hd_free(n->text, n->text_cap);
    hd_free(n->start, n->start_cap * sizeof *n->start);
    hd_free(n->slots, n->slot_cap * sizeof *n->slots);
    *n = (struct hd_names){0};
}

size_t hd_names_bytes(const struct hd_names *n)
{
    return n->text_cap + n->start_cap * sizeof *n->start + n->slot_cap * sizeof *n->slots;
}

static uint32_t tag_of(const char *text, size_t len)
{
    return (uint32_t)hd_hash_bytes(text, len, 0);
}

/* The slot that holds the text, or the empty slot where it belongs. Requires slot_cap > 0. */
static struct hd_names_slot *find_slot(const struct hd_names *n, const char *text, size_t len,
                                       uint32_t tag)
{
    size_t mask = n->slot_cap - 1;
    text = len ? text : ""; /* memcmp takes no NULL */
    for (size_t i = tag & mask;; i = (i + 1) & mask) {
        struct hd_names_slot *slot = &n->slots[i];
        if (!slot->id1)
            return slot;
        if (slot->tag == tag && hd_names_len(n, slot->id1 - 1) == len &&
            !memcmp(hd_names_text(n, slot->id1 - 1), text, len))
            return slot;
    }
}

static void grow_slots(struct hd_names *n)
{
    struct hd_names old = *n;
    n->slot_cap = old.slot_cap ? old.slot_cap * 2 : 64;
    n->slots = hd_calloc(n->slot_cap, sizeof *n->slots);
    size_t mask = n->slot_cap - 1;
    for (size_t k = 0; k < old.slot_cap; k++) {
        if (!old.slots[k].id1)
            continue;
        size_t i = old.slots[k].tag & mask;
        while (n->slots[i].id1)
            i = (i + 1) & mask;
        n->slots[i] = old.slots[k];
    }
    hd_free(old.slots, old.slot_cap * sizeof *old.slots);
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
    if (len)
        memcpy(n->text + n->text_len, text, len);
    n->text[n->text_len + len] = 0;
    n->text_len += len + 1;
    n->start[++n->count] = n->text_len;
}

uint32_t hd_names_add(struct hd_names *n, const char *text, size_t len)
{
    if ((n->count + 1) * 2 > n->slot_cap)
        grow_slots(n);
    uint32_t tag = tag_of(text, len);
    struct hd_names_slot *slot = find_slot(n, text, len, tag);
    if (!slot->id1) {
        HD_ASSERT(n->count < MAX_NAMES);
        append_text(n, text, len);
        *slot = (struct hd_names_slot){.id1 = (uint32_t)n->count, .tag = tag};
    }
    return slot->id1 - 1;
}

bool hd_names_find(const struct hd_names *n, const char *text, size_t len, uint32_t *id)
{
    if (!n->slot_cap)
        return false;
    const struct hd_names_slot *slot = find_slot(n, text, len, tag_of(text, len));
    if (!slot->id1)
        return false;
    *id = slot->id1 - 1;
    return true;
}
