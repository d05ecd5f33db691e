/* Structs of the program that hold locks, and variables of such types, from its debug information:
 * so that a lock is called `cache.m`, and not by its address.
 *
 * What is found is written as lines (docs/TRACE_FORMAT.md, block `T`) into the recording, and read
 * by rectypes.h. Only types that hold something of pthread or of the C++ library's locks by value
 * are in it; types of local scope are not.
 */
#ifndef HD_SYMBOLS_SYMTYPES_H
#define HD_SYMBOLS_SYMTYPES_H

#include "base/bytes.h"
#include "symbols/symbols.h"

/* The lines for the files that define what lies at the n addresses (owners.h); with NULL, for all.
 * They stand until the next call. Empty without debug information. */
const struct hd_bytes *hd_symtypes_collect(struct hd_symbols *s, const uint64_t *at, size_t n);

#endif
