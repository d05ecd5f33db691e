/* Which compilations (units of the debug information) define what lies at some addresses of a
 * module: variables, and what the compiler pass adds to each file it compiles.
 *
 * The symbol table says in which file a static symbol is. For others the addresses are looked up
 * that each unit names. Whatever is not certain (no symbol, another language than C, whose types
 * may be in other units, old debug information) means all units.
 */
#ifndef HD_SYMBOLS_OWNERS_H
#define HD_SYMBOLS_OWNERS_H

#include "base/vec.h"

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

struct hd_owning_unit {
    Dwfl_Module *mod;
    uint64_t unit; /* offset in .debug_info; HD_DIE_NONE: all units of the module */
};

/* Appends the units (struct hd_owning_unit), in the order of .debug_info. The addresses ascend;
 * those outside of the module are left out. */
void hd_owners_find(Dwfl_Module *mod, const uint64_t *at, size_t n, struct hd_vec *owners);

#endif
