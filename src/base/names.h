/* Names to dense ids and back: threads, locations, locks, places.
 *
 * Ids are given in order of first appearance, from 0. Texts live in one buffer, each NUL-terminated,
 * and the pointer of hd_names_text is valid until the next hd_names_add.
 * A zeroed struct is an empty table.
 */
#ifndef HD_BASE_NAMES_H
#define HD_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_names {
    char *text;
    size_t text_len, text_cap;
    uint64_t *start; /* start[id] is the offset of its text; start[count] the end */
    size_t count, start_cap;
    uint32_t *slots; /* open addressing: id + 1, or 0 when empty */
    uint32_t *tags;  /* upper hash bits beside each slot, to skip most comparisons */
    size_t slot_cap;
};

void hd_names_fini(struct hd_names *n);
uint32_t hd_names_add(struct hd_names *n, const char *text, size_t len); /* the id, new or old */
bool hd_names_find(const struct hd_names *n, const char *text, size_t len, uint32_t *id);

static inline const char *hd_names_text(const struct hd_names *n, uint32_t id)
{
    return n->text + n->start[id];
}

static inline size_t hd_names_len(const struct hd_names *n, uint32_t id)
{
    return (size_t)(n->start[id + 1] - n->start[id] - 1);
}

#endif
