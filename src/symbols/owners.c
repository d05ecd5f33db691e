#include "symbols/owners.h"

#include "base/alloc.h"
#include "symbols/dies.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

struct place {
    uint64_t at;
    uint64_t start;   /* of the symbol there that other files know, too; 0: none */
    const char *file; /* of the static symbol there, or NULL */
    bool seen;        /* a unit of that name was there */
};

struct search {
    struct place *places;
    size_t n;
    bool all; /* it is not certain which units */
};

/* The first place at an address or behind it. */
static struct place *from(const struct search *s, uint64_t at)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->places[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return s->places + low;
}

/* ---- symbols ---- */

static void see_symbol(struct search *s, const GElf_Sym *sym, uint64_t bias, const char *file)
{
    uint64_t start = sym->st_value + bias;
    for (struct place *p = from(s, start); p < s->places + s->n && p->at - start < sym->st_size;
         p++) {
        if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
            p->file = file;
        else
            p->start = start;
    }
}

/* A file comes before its static symbols. */
static void see_table(struct search *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *head,
                      uint64_t bias)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    const char *file = NULL;
    size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
    for (size_t i = 1; i < n && i < INT32_MAX; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym))
            return;
        if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
            file = elf_strptr(elf, head->sh_link, sym.st_name);
        else if (GELF_ST_TYPE(sym.st_info) == STT_OBJECT && sym.st_shndx != SHN_UNDEF)
            see_symbol(s, &sym, bias, file);
    }
}

static void see_symbols(struct search *s, Dwfl_Module *mod)
{
    GElf_Addr bias;
    GElf_Shdr head;
    Elf *elf = dwfl_module_getelf(mod, &bias);
    Elf_Scn *scn = NULL;
    while (elf && (scn = elf_nextscn(elf, scn)))
        if (gelf_getshdr(scn, &head) && head.sh_type == SHT_SYMTAB)
            see_table(s, elf, scn, &head, bias);
    for (size_t i = 0; i < s->n; i++)
        s->all = s->all || (!s->places[i].file && !s->places[i].start);
}

/* ---- units ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_file(struct search *s, const char *name)
{
    bool has = false;
    for (size_t i = 0; name && i < s->n; i++) {
        struct place *p = &s->places[i];
        if (!p->file || strcmp(base_name(p->file), base_name(name)) != 0)
            continue;
        p->seen = has = true;
    }
    return has;
}

/* Whether the unit names an address from the start of a symbol up to a place in it. */
static bool has_start(struct search *s, const struct hd_dies *d, uint64_t bias)
{
    size_t n;
    const uint8_t *addresses = hd_dies_addresses(d, &n);
    s->all = s->all || !addresses;
    for (size_t i = 0; addresses && i < n; i++) {
        uint64_t address;
        memcpy(&address, addresses + i * sizeof address, sizeof address);
        const struct place *p = from(s, address + bias);
        if (p < s->places + s->n && p->start && p->start <= address + bias)
            return true;
    }
    return false;
}

/* A class of C++ is described where its constructor or its first virtual function is. */
static bool is_c(unsigned language)
{
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == 0x2c; /* C17 */
}

static void see_units(struct search *s, struct hd_dies *d, Dwfl_Module *mod, uint64_t bias,
                      struct hd_vec *owners)
{
    struct hd_die head;
    bool starts = false;
    for (size_t i = 0; i < s->n; i++)
        starts = starts || s->places[i].start;
    while (!s->all && hd_dies_unit(d)) {
        bool good = hd_dies_head(d, &head), file = has_file(s, head.name);
        s->all = s->all || !good;
        if (s->all || (!file && !(starts && has_start(s, d, bias))))
            continue;
        s->all = s->all || !is_c(head.language) || hd_dies_unit_crosses(d);
        *(struct hd_owning_unit *)hd_vec_push(owners) = (struct hd_owning_unit){mod, d->unit};
    }
    for (size_t i = 0; i < s->n; i++)
        s->all = s->all || (s->places[i].file && !s->places[i].seen);
}

static void find(struct search *s, Dwfl_Module *mod, struct hd_vec *owners)
{
    struct hd_dies d;
    Dwarf_Addr bias = 0;
    size_t before = owners->len;
    if (!hd_dies_open(&d, dwfl_module_getdwarf(mod, &bias), NULL))
        return;
    see_symbols(s, mod);
    see_units(s, &d, mod, bias, owners);
    hd_dies_close(&d);
    if (!s->all)
        return;
    owners->len = before;
    *(struct hd_owning_unit *)hd_vec_push(owners) = (struct hd_owning_unit){mod, HD_DIE_NONE};
}

void hd_owners_find(Dwfl_Module *mod, const uint64_t *at, size_t n, struct hd_vec *owners)
{
    Dwarf_Addr low = 0, high = 0;
    struct search s = {.places = hd_calloc(n ? n : 1, sizeof *s.places)};
    dwfl_module_info(mod, NULL, &low, &high, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        if (at[i] >= low && at[i] < high)
            s.places[s.n++] = (struct place){.at = at[i]};
    if (s.n)
        find(&s, mod, owners);
    hd_free(s.places, (n ? n : 1) * sizeof *s.places);
}
