/* The structs with locks that a recording knows of (symtypes.h), and what their locks are called.
 *
 * A lock of a variable is found by its address. A lock of a block of the heap, or of a stack, is
 * found once a field of the same object was touched by code that says which one it is
 * ("cache.hits"): then the object's type and start are known.
 */
#ifndef HD_RECORDING_RECTYPES_H
#define HD_RECORDING_RECTYPES_H

#include "base/names.h"
#include "base/vec.h"
#include "recording/recfile.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_rectypes {
    char *block;
    size_t len;
    struct hd_vec types, parts, variables;
    struct hd_names names;  /* of types, and other names that they have */
    struct hd_u32vec named; /* by name: type; UINT32_MAX: several that differ */
};

/* Nothing when the recording has no such block or it makes no sense: names are all that is lost.
 * hd_rectypes_fini afterwards. */
void hd_rectypes_read(const struct hd_rec *rec, struct hd_rectypes *t);
void hd_rectypes_fini(struct hd_rectypes *t);

/* "cache.m", "table[3].lock" for an address in a variable. False: not known. */
bool hd_rectypes_variable(const struct hd_rectypes *t, uint64_t addr, char *out, size_t size);
/* The type and the offset in it of a field as sites name it: "Cache.hits". False: not known. */
bool hd_rectypes_field(const struct hd_rectypes *t, const char *name, uint32_t *type,
                       uint64_t *offset);
/* Calls see for each lock of the type, with its offset and name ("Cache.m"); at most 256 locks. */
void hd_rectypes_locks(const struct hd_rectypes *t, uint32_t type,
                       void (*see)(void *ctx, uint64_t offset, const char *name), void *ctx);

#endif
