/* What the symbol table of a module says of its code and its variables. The answers are those of
 * libdwfl, which looks for a function among all symbols each time, and reads a symbol slowly.
 */
#ifndef HD_SYMBOLS_SYMTAB_H
#define HD_SYMBOLS_SYMTAB_H

#include "base/vec.h"

#include <elfutils/libdwfl.h>
#include <stdint.h>

struct hd_symtab {
    struct hd_vec symbols; /* by address; size 0: not looked for yet */
};

/* Lives as long as the module; NULL: there is none. */
const char *hd_symtab_name(struct hd_symtab *f, Dwfl_Module *mod, uint64_t pc);
void hd_symtab_fini(struct hd_symtab *f);

/* Calls see for each variable of the module that has a size, in the order of the table. */
void hd_symtab_variables(Dwfl_Module *mod,
                         void (*see)(void *ctx, const char *name, uint64_t addr, uint64_t size),
                         void *ctx);

#endif
