/* What the files of symbols/ share. */
#ifndef HD_SYMBOLS_SYMBOLS_INT_H
#define HD_SYMBOLS_SYMBOLS_INT_H

#include "base/bytes.h"
#include "base/vec.h"
#include "symbols/symbols.h"

#include <elfutils/libdwfl.h>

/* The compilation unit that has the code at pc, and its load bias. False: not known. */
bool hd_symbols_unit(struct hd_symbols *s, uint64_t pc, Dwarf_Die *cu, uint64_t *bias);
/* The name of a function or variable with its class and namespaces; lives as long as s. */
const char *hd_symbols_die_name(struct hd_symbols *s, Dwarf_Die *die);
/* As the compiler was given it: without the folder in which it ran. */
void hd_symbols_short_file(const char *file, const char *dir, char *out, size_t size);
/* The module that an address lies in, or NULL. */
Dwfl_Module *hd_symbols_module_of(struct hd_symbols *s, uint64_t addr);
/* The variables of a module that have an address, found once. */
struct hd_vec *hd_symbols_variables(struct hd_symbols *s, Dwfl_Module *mod, bool *fresh);
/* The lines of symtypes.h, and the units that they are of. */
struct hd_symbols_types {
    struct hd_vec owners; /* struct hd_owning_unit */
    struct hd_bytes lines;
};
struct hd_symbols_types *hd_symbols_types(struct hd_symbols *s);

#endif
