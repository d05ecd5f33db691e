#include "symbols/symtab.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
    uint64_t from, to;
    uint64_t reach; /* where the last of it and those before it ends */
    const char *name;
    uint32_t number; /* in the table */
    uint8_t rank;    /* of two at one place, the higher one counts */
};
enum { LOCAL = 1, OTHER = 0, WEAK = 2, GLOBAL = 3 };

static uint8_t rank_of(const GElf_Sym *sym)
{
    switch (GELF_ST_BIND(sym->st_info)) {
    case STB_GLOBAL:
        return GLOBAL;
    case STB_WEAK:
        return WEAK;
    case STB_LOCAL:
        return LOCAL;
    default:
        return OTHER;
    }
}

/* A symbol with a size. What only marks a place, libdwfl finds. */
static bool is_taken(const GElf_Sym *sym)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);
    return sym->st_size && sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
           type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

static void read_table(struct hd_vec *symbols, Elf *elf, Elf_Scn *scn, const GElf_Shdr *head,
                       uint64_t bias)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
    for (size_t i = 1; i < n && i < INT32_MAX; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym) || !is_taken(&sym))
            continue;
        const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
        uint64_t from = sym.st_value + bias;
        if (name && *name)
            *(struct symbol *)hd_vec_push(symbols) = (struct symbol){.from = from,
                                                                     .to = from + sym.st_size,
                                                                     .name = name,
                                                                     .number = (uint32_t)i,
                                                                     .rank = rank_of(&sym)};
    }
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Of a module without this table, libdwfl knows others. */
static void read_symbols(struct hd_symtab *f, Dwfl_Module *mod)
{
    GElf_Addr bias;
    GElf_Shdr head;
    Elf *elf = dwfl_module_getelf(mod, &bias);
    Elf_Scn *scn = NULL;
    uint64_t reach = 0;
    f->symbols = HD_VEC_INIT(struct symbol);
    while (elf && (scn = elf_nextscn(elf, scn)))
        if (gelf_getshdr(scn, &head) && head.sh_type == SHT_SYMTAB)
            read_table(&f->symbols, elf, scn, &head, bias);
    if (f->symbols.len)
        qsort(f->symbols.data, f->symbols.len, f->symbols.size, by_address);
    for (size_t i = 0; i < f->symbols.len; i++) {
        struct symbol *s = hd_vec_at(&f->symbols, i);
        s->reach = reach = s->to > reach ? s->to : reach;
    }
}

/* Of two symbols that are both there, of which a comes earlier: those that other files know, the
 * one that begins last, the shorter one, the higher one, the first one. */
static bool is_better(const struct symbol *a, const struct symbol *b)
{
    if ((a->rank > LOCAL) != (b->rank > LOCAL))
        return a->rank > LOCAL;
    if (a->from != b->from)
        return a->from > b->from;
    bool shorter = b->to < a->to && b->rank >= a->rank;
    bool higher = b->to == a->to && b->rank > a->rank;
    return !shorter && !higher;
}

const char *hd_symtab_name(struct hd_symtab *f, Dwfl_Module *mod, uint64_t pc)
{
    const struct symbol *best = NULL;
    if (!f->symbols.size)
        read_symbols(f, mod);
    size_t low = 0, high = f->symbols.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct symbol *)hd_vec_at(&f->symbols, mid))->from <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    while (low--) {
        const struct symbol *s = hd_vec_at(&f->symbols, low);
        if (s->reach <= pc)
            break;
        if (pc < s->to && (!best || is_better(s, best)))
            best = s;
    }
    return best ? best->name : dwfl_module_addrname(mod, pc);
}

void hd_symtab_fini(struct hd_symtab *f)
{
    if (f->symbols.size)
        hd_vec_fini(&f->symbols);
}

/* ---- variables ---- */

struct variables {
    void (*see)(void *ctx, const char *name, uint64_t addr, uint64_t size);
    void *ctx;
};

static void see_variable(const struct variables *v, const char *name, const GElf_Sym *sym,
                         uint64_t addr)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);
    if (name && *name && sym->st_size && sym->st_shndx != SHN_UNDEF &&
        (type == STT_OBJECT || type == STT_COMMON))
        v->see(v->ctx, name, addr, sym->st_size);
}

/* libdwfl knows further tables, of modules that were stripped but for a packed one. */
static void ask_libdwfl(Dwfl_Module *mod, const struct variables *v)
{
    int n = dwfl_module_getsymtab(mod);
    for (int i = 1; i < n; i++) {
        GElf_Sym sym;
        GElf_Addr addr;
        const char *name = dwfl_module_getsym_info(mod, i, &sym, &addr, NULL, NULL, NULL);
        see_variable(v, name, &sym, addr);
    }
}

/* The table that libdwfl would take; NULL: there may be others. */
static Elf_Scn *main_table(Elf *elf, GElf_Shdr *head)
{
    Elf_Scn *scn = NULL, *full = NULL, *dynamic = NULL;
    GElf_Shdr h;
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((scn = elf_nextscn(elf, scn))) {
        const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (!name || !strcmp(name, ".gnu_debugdata"))
            return NULL;
        full = h.sh_type == SHT_SYMTAB ? scn : full;
        dynamic = h.sh_type == SHT_DYNSYM ? scn : dynamic;
    }
    scn = full ? full : dynamic;
    return scn && gelf_getshdr(scn, head) ? scn : NULL;
}

void hd_symtab_variables(Dwfl_Module *mod,
                         void (*see)(void *ctx, const char *name, uint64_t addr, uint64_t size),
                         void *ctx)
{
    const struct variables v = {see, ctx};
    GElf_Addr bias;
    GElf_Shdr head;
    Elf *elf = dwfl_module_getelf(mod, &bias);
    Elf_Scn *scn = elf ? main_table(elf, &head) : NULL;
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    if (!data || !head.sh_entsize) {
        ask_libdwfl(mod, &v);
        return;
    }
    size_t n = head.sh_size / head.sh_entsize;
    for (size_t i = 1; i < n && i < INT32_MAX; i++) {
        GElf_Sym sym;
        if (gelf_getsym(data, (int)i, &sym))
            see_variable(&v, elf_strptr(elf, head.sh_link, sym.st_name), &sym,
                         sym.st_shndx == SHN_ABS ? sym.st_value : sym.st_value + bias);
    }
}
