/* What the symbol table of a module says of its code: libdwfl's answer (dwfl_module_addrname),
 * which it looks for among all symbols each time.
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

#endif
