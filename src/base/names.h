/* Names to dense ids and back: threads, locations, locks, places.
 *
 * Ids are given in order of first appearance, from 0. Texts live in one buffer, each
 * NUL-terminated, and the pointer of hd_names_text is valid until the next hd_names_add. A zeroed
 * struct is an empty table.
 */
#ifndef HD_BASE_NAMES_H
#define HD_BASE_NAMES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_names_slot {
    uint32_t id1; /* id + 1, or 0 when empty */
    uint32_t tag; /* hash: chooses the slot, and its other bits skip most comparisons */
};

struct hd_names {
    char *text;
    size_t text_len, text_cap;
    uint64_t *start; /* start[id] is the offset of its text; start[count] the end */
    size_t count, start_cap;
    struct hd_names_slot *slots; /* open addressing, at most half full */
    size_t slot_cap;             /* a power of two, or 0 */
};

void hd_names_fini(struct hd_names *n);
size_t hd_names_bytes(const struct hd_names *n); /* memory held */

/* The id, new or old. text need not be NUL-terminated, must not lie in the table itself and must
 * not contain a NUL if hd_names_text is to give it back whole. More than 2^31 names are fatal. */
uint32_t hd_names_add(struct hd_names *n, const char *text, size_t len);

/* Whether the text is known; *id is written only then. */
bool hd_names_find(const struct hd_names *n, const char *text, size_t len, uint32_t *id);

static inline const char *hd_names_text(const struct hd_names *n, uint32_t id)
{
    HD_DCHECK(id < n->count);
    return n->text + n->start[id];
}

static inline size_t hd_names_len(const struct hd_names *n, uint32_t id)
{
    return (size_t)(n->start[id + 1] - n->start[id] - 1);
}

#endif
