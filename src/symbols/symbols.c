#include "symbols/symbols_int.h"

#include "symbols/symtab.h"
#include "symbols/lines.h"
#include "symbols/owners.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/plainpath.h"
#include "base/vec.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What one compilation left; its lines are read when one of them is asked about. */
struct unit {
    Dwarf_Die cu;
    uint64_t bias;
    bool read;
    struct hd_lines lines;
};

struct span {
    uint64_t from, to;
    uint32_t unit;
};

struct module_lines {
    Dwfl_Module *mod;
    struct hd_dies dies; /* where its debug information is */
    struct hd_symtab symtab;
    struct hd_vec units;     /* struct unit */
    struct hd_vec spans;     /* struct span, by address: which code is whose */
    struct hd_vec variables; /* of objects.c; size 0: not looked for yet */
};

struct hd_symbols {
    Dwfl *dwfl;
    unsigned n_modules;
    struct hd_vec modules;    /* struct module_lines, those asked about */
    struct hd_vec code;       /* struct hd_symbols_code, what was asked about */
    struct hd_map code_at;    /* code address -> its entry there */
    struct hd_vec inlines;    /* struct hd_symbols_inline, all that were asked about */
    struct hd_vec inlined;    /* size_t: where among them those of one address begin */
    struct hd_map inlined_at; /* code address -> its entry there */
    struct hd_symbols_types types;
    struct hd_arena *names; /* what was demangled and given away */
    struct hd_bytes files;  /* which files were read, as they were, and where they lie */
    bool shared;
};

/* What the last user of shared symbols gave back. Any thread may put and take it. */
static struct {
    pthread_mutex_t lock;
    struct hd_symbols *symbols;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Only what the module itself holds: the default would look on the network if told so by the
 * environment. */
static int no_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **out)
{
    (void)mod, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)out;
    return -1;
}

static int no_elf(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, char **file,
                  Elf **elf)
{
    (void)mod, (void)user, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = no_elf, .find_debuginfo = no_debuginfo};

struct hd_symbols *hd_symbols_new(void)
{
    struct hd_symbols *s = hd_calloc(1, sizeof *s);
    s->dwfl = dwfl_begin(&callbacks);
    s->modules = HD_VEC_INIT(struct module_lines);
    s->code = HD_VEC_INIT(struct hd_symbols_code);
    s->inlines = HD_VEC_INIT(struct hd_symbols_inline);
    s->inlined = HD_VEC_INIT(size_t);
    s->types.owners = HD_VEC_INIT(struct hd_owning_unit);
    s->names = hd_arena_new();
    return s;
}

static void free_lines(struct module_lines *m)
{
    for (size_t i = 0; i < m->units.len; i++)
        hd_lines_fini(&((struct unit *)hd_vec_at(&m->units, i))->lines);
    hd_dies_close(&m->dies);
    hd_symtab_fini(&m->symtab);
    hd_vec_fini(&m->units);
    hd_vec_fini(&m->spans);
    if (m->variables.size)
        hd_vec_fini(&m->variables);
}

static void free_all(struct hd_symbols *s)
{
    for (size_t i = 0; i < s->modules.len; i++)
        free_lines(hd_vec_at(&s->modules, i));
    hd_vec_fini(&s->modules);
    hd_vec_fini(&s->code);
    hd_map_fini(&s->code_at);
    hd_vec_fini(&s->inlines);
    hd_vec_fini(&s->inlined);
    hd_map_fini(&s->inlined_at);
    hd_vec_fini(&s->types.owners);
    hd_bytes_fini(&s->types.lines);
    hd_bytes_fini(&s->files);
    hd_arena_free(s->names);
    if (s->dwfl)
        dwfl_end(s->dwfl);
    hd_free(s, sizeof *s);
}

/* Puts s, or nothing, in the place of what was kept, and returns that. */
static struct hd_symbols *swap_kept(struct hd_symbols *s)
{
    pthread_mutex_lock(&kept.lock);
    struct hd_symbols *was = kept.symbols;
    kept.symbols = s;
    pthread_mutex_unlock(&kept.lock);
    return was;
}

void hd_symbols_free(struct hd_symbols *s)
{
    if (s && s->shared)
        s = swap_kept(s);
    if (s)
        free_all(s);
}

struct hd_symbols *hd_symbols_share(struct hd_symbols *s)
{
    struct hd_symbols *was = swap_kept(NULL);
    bool same = was && was->files.len == s->files.len &&
                (!s->files.len || memcmp(was->files.data, s->files.data, s->files.len) == 0);
    s->shared = true;
    if (same || was)
        free_all(same ? s : was);
    return same ? was : s;
}

/* A module that is reported twice overlaps itself, and libdwfl then finds neither. */
static bool has_module(struct hd_symbols *s, const char *name, uint64_t bias)
{
    Dwfl_Module *mod = s->n_modules ? dwfl_addrmodule(s->dwfl, bias) : NULL;
    const char *known =
        mod ? dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
    return known && !strcmp(known, name);
}

/* Opens the file for libdwfl, which keeps it open; no program that is run may get it. */
static int open_file(struct hd_symbols *s, const char *path, uint64_t bias)
{
    struct stat st = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        fstat(fd, &st);
    const uint64_t what[] = {bias,
                             (uint64_t)st.st_dev,
                             (uint64_t)st.st_ino,
                             (uint64_t)st.st_size,
                             (uint64_t)st.st_mtim.tv_sec,
                             (uint64_t)st.st_mtim.tv_nsec};
    hd_bytes_put(&s->files, what, sizeof what);
    hd_bytes_put(&s->files, path, strlen(path) + 1);
    return fd;
}

void hd_symbols_module(struct hd_symbols *s, const char *path, uint64_t bias)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!s->dwfl || has_module(s, name, bias))
        return;
    int fd = open_file(s, path, bias);
    if (fd < 0)
        return;
    if (s->n_modules++ == 0)
        dwfl_report_begin(s->dwfl);
    else
        dwfl_report_begin_add(s->dwfl);
    if (!dwfl_report_elf(s->dwfl, name, path, fd, bias, true)) {
        HD_DEBUG_LINE(SYMBOLS, "%s: %s", path, dwfl_errmsg(-1));
        close(fd);
    } else {
        HD_DEBUG_LINE(SYMBOLS, "%s is at %llx", path, (unsigned long long)bias);
    }
    dwfl_report_end(s->dwfl, NULL, NULL);
}

Dwfl_Module *hd_symbols_module_of(struct hd_symbols *s, uint64_t addr)
{
    return s->dwfl && s->n_modules ? dwfl_addrmodule(s->dwfl, addr) : NULL;
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static void read_lines(const struct module_lines *m, struct unit *u)
{
    Dwarf_Attribute attr;
    Dwarf_Word offset;
    const char *dir = dwarf_formstring(dwarf_attr(&u->cu, DW_AT_comp_dir, &attr));
    u->read = true;
    if (!dwarf_formudata(dwarf_attr(&u->cu, DW_AT_stmt_list, &attr), &offset))
        hd_lines_read(&u->lines, &m->dies, offset, dir, u->bias);
}

/* For a unit that does not say where its code is: where its lines are. */
static void spans_of_lines(struct module_lines *m, struct unit *u, uint32_t number)
{
    read_lines(m, u);
    for (size_t i = 0; i < u->lines.sequences.len; i++) {
        const struct hd_line_sequence *q = hd_vec_at(&u->lines.sequences, i);
        *(struct span *)hd_vec_push(&m->spans) = (struct span){q->from, q->to, number};
    }
}

/* (libdwfl finds units by .debug_aranges, which clang leaves out.) */
static void find_units(struct module_lines *m)
{
    Dwarf_Die *cu = NULL;
    Dwarf_Addr bias = 0, base, from, to;
    while ((cu = dwfl_module_nextcu(m->mod, cu, &bias))) {
        uint32_t number = (uint32_t)m->units.len;
        struct unit *u = hd_vec_push(&m->units);
        *u = (struct unit){.cu = *cu, .bias = bias};
        size_t before = m->spans.len;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(cu, at, &base, &from, &to)) > 0;)
            *(struct span *)hd_vec_push(&m->spans) = (struct span){from + bias, to + bias, number};
        if (m->spans.len == before)
            spans_of_lines(m, u, number);
    }
    if (m->spans.len)
        qsort(m->spans.data, m->spans.len, m->spans.size, by_start);
}

static struct module_lines *lines_of(struct hd_symbols *s, Dwfl_Module *mod)
{
    for (size_t i = 0; i < s->modules.len; i++) {
        struct module_lines *m = hd_vec_at(&s->modules, i);
        if (m->mod == mod)
            return m;
    }
    struct module_lines *m = hd_vec_push(&s->modules);
    *m = (struct module_lines){
        .mod = mod, .units = HD_VEC_INIT(struct unit), .spans = HD_VEC_INIT(struct span)};
    Dwarf_Addr bias;
    hd_dies_open(&m->dies, dwfl_module_getdwarf(mod, &bias), NULL);
    find_units(m);
    return m;
}

/* The unit whose code pc is in, or NULL. */
static struct unit *unit_of(struct hd_symbols *s, Dwfl_Module *mod, uint64_t pc)
{
    const struct module_lines *m = lines_of(s, mod);
    size_t low = 0, high = m->spans.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct span *)hd_vec_at(&m->spans, mid))->from <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    const struct span *at = low ? hd_vec_at(&m->spans, low - 1) : NULL;
    struct unit *u = at && pc < at->to ? hd_vec_at(&m->units, at->unit) : NULL;
    if (u && !u->read)
        read_lines(m, u);
    return u;
}

/* The line entry of a unit at pc, with the name of its file, or NULL. */
static const struct hd_line *line_of(const struct unit *u, uint64_t pc, char *file, size_t size)
{
    const struct hd_line *l = u ? hd_lines_find(&u->lines, pc) : NULL;
    return l && hd_lines_file(&u->lines, l, file, size) ? l : NULL;
}

void hd_symbols_short_file(const char *file, const char *dir, char *out, size_t size)
{
    size_t n = dir ? strlen(dir) : 0;
    if (n && strncmp(file, dir, n) == 0 && file[n] == '/')
        file += n + 1;
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    snprintf(out, size, "%s", file);
    hd_plainpath(out); /* compilers find their headers by detours */
}

typedef char *demangler(const char *, char *, size_t *, int *);

static demangler *cxa_demangle;

/* The C++ library does it, which is loaded for that: most programs are C. */
static void find_demangler(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    *(void **)&cxa_demangle = library ? dlsym(library, "__cxa_demangle") : NULL;
}

static char *demangle(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = -1;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    pthread_once(&once, find_demangler);
    return cxa_demangle ? cxa_demangle(name, NULL, NULL, &status) : NULL;
}

static const char *keep(struct hd_symbols *s, const char *text)
{
    return hd_arena_strndup(s->names, text, strlen(text));
}

/* The file as the compiler was given it; "": not known. */
static const char *keep_file(struct hd_symbols *s, const char *file, const char *dir)
{
    char text[512];
    if (!file)
        return "";
    hd_symbols_short_file(file, dir, text, sizeof text);
    return keep(s, text);
}

/* Where a call at pc - 1 returns to pc. */
static void name_code(struct hd_symbols *s, uint64_t pc, struct hd_symbols_code *out)
{
    Dwfl_Module *mod = hd_symbols_module_of(s, pc - 1);
    if (!mod)
        return;
    char file[PATH_MAX];
    const struct unit *u = unit_of(s, mod, pc - 1);
    const struct hd_line *l = line_of(u, pc - 1, file, sizeof file);
    const char *name = hd_symtab_name(&lines_of(s, mod)->symtab, mod, pc - 1);
    char *plain = name ? demangle(name) : NULL;
    char place[540];
    if (name)
        out->function = keep(s, plain ? plain : name);
    free(plain);
    if (l) {
        snprintf(place, sizeof place, "%s:%u", keep_file(s, file, u->lines.comp_dir), l->line);
        out->place = keep(s, place);
        out->column = l->column;
    } else {
        if (!name)
            name = dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        out->place = keep(s, name);
    }
}

const struct hd_symbols_code *hd_symbols_code(struct hd_symbols *s, uint64_t pc)
{
    bool fresh;
    uint32_t *at = hd_map_put(&s->code_at, pc, &fresh);
    if (!fresh)
        return hd_vec_at(&s->code, *at);
    *at = (uint32_t)s->code.len;
    struct hd_symbols_code *code = hd_vec_push(&s->code);
    *code = (struct hd_symbols_code){.place = "", .function = ""};
    name_code(s, pc, code);
    return code;
}

bool hd_symbols_module_name(struct hd_symbols *s, uint64_t pc, char *out, size_t size)
{
    HD_DCHECK(size > 0);
    Dwfl_Module *mod = hd_symbols_module_of(s, pc);
    if (!mod)
        return false;
    snprintf(out, size, "%s", dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    return true;
}

/* Where the code of an inlined function was called. */
static void call_site(struct hd_symbols *s, Dwarf_Die *cu, Dwarf_Die *die,
                      struct hd_symbols_inline *caller)
{
    Dwarf_Attribute attr;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files = NULL;
    size_t n = 0;
    const char *dir = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line);
    if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) &&
        !dwarf_getsrcfiles(cu, &files, &n) && file < n)
        caller->file = keep_file(s, dwarf_filesrc(files, file, NULL, NULL), dir);
    caller->line = (int)line;
}

const char *hd_symbols_die_name(struct hd_symbols *s, Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    const char *linked = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
    char *plain = linked ? demangle(linked) : NULL;
    if (!plain)
        return dwarf_diename(die);
    const char *name = hd_arena_strndup(s->names, plain, strlen(plain));
    free(plain);
    return name;
}

/* Adds the frames at pc to those that are known. */
static void find_inlined(struct hd_symbols *s, struct unit *u, uint64_t pc)
{
    Dwarf_Die *inner = NULL, *scopes = NULL;
    /* Outside of an inlined function these are where it is defined, not where it is called. */
    int n = dwarf_getscopes(&u->cu, pc - u->bias, &inner);
    if (n > 0)
        n = dwarf_getscopes_die(&inner[0], &scopes);
    free(inner);
    char file[PATH_MAX];
    const struct hd_line *l = line_of(u, pc, file, sizeof file);
    struct hd_symbols_inline at = {.file = l ? keep_file(s, file, u->lines.comp_dir) : "",
                                   .line = l ? (int)l->line : 0};
    for (int i = 0; i < n; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        at.function = hd_symbols_die_name(s, &scopes[i]);
        *(struct hd_symbols_inline *)hd_vec_push(&s->inlines) = at;
        if (tag == DW_TAG_subprogram)
            break;
        at = (struct hd_symbols_inline){.file = ""};
        call_site(s, &u->cu, &scopes[i], &at);
    }
    free(scopes);
}

size_t hd_symbols_inlined(struct hd_symbols *s, uint64_t pc, const struct hd_symbols_inline **out)
{
    bool fresh;
    uint32_t number = (uint32_t)s->inlined.len, *at = hd_map_put(&s->inlined_at, pc, &fresh);
    if (fresh) {
        uint64_t call = pc - 1;
        Dwfl_Module *mod = hd_symbols_module_of(s, call);
        struct unit *u = mod ? unit_of(s, mod, call) : NULL;
        *at = number;
        *(size_t *)hd_vec_push(&s->inlined) = s->inlines.len;
        if (u)
            find_inlined(s, u, call);
    } else {
        number = *at;
    }
    size_t from = *(size_t *)hd_vec_at(&s->inlined, number);
    size_t to = number + 1 < s->inlined.len ? *(size_t *)hd_vec_at(&s->inlined, number + 1)
                                            : s->inlines.len;
    *out = to > from ? hd_vec_at(&s->inlines, from) : NULL;
    return to - from;
}

bool hd_symbols_unit(struct hd_symbols *s, uint64_t pc, Dwarf_Die *cu, uint64_t *bias)
{
    Dwfl_Module *mod = hd_symbols_module_of(s, pc);
    struct unit *u = mod ? unit_of(s, mod, pc) : NULL;
    if (!u)
        return false;
    *cu = u->cu;
    *bias = u->bias;
    return true;
}

struct hd_vec *hd_symbols_variables(struct hd_symbols *s, Dwfl_Module *mod, bool *fresh)
{
    struct module_lines *m = lines_of(s, mod);
    *fresh = m->variables.size == 0;
    return &m->variables;
}

struct hd_symbols_types *hd_symbols_types(struct hd_symbols *s)
{
    return &s->types;
}

struct Dwfl *hd_symbols_dwfl(const struct hd_symbols *s)
{
    return s->n_modules ? s->dwfl : NULL;
}

struct each {
    hd_symbols_see see;
    void *ctx;
};

/* The lock of `#pragma omp critical(first)` is ".gomp_critical_user_first.var": "critical:first".
 */
static const char *plain_name(const char *text, char *out, size_t size)
{
    static const char mark[] = ".gomp_critical_user_";
    if (strncmp(text, mark, sizeof mark - 1) != 0)
        return text;
    const char *name = text + sizeof mark - 1, *dot = strrchr(name, '.');
    int len = dot ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "critical%s%.*s", len ? ":" : "", len, name);
    return out;
}

static void each_variable(void *ctx, const char *name, uint64_t addr, uint64_t size)
{
    const struct each *e = ctx;
    char name_of_lock[200];
    e->see(e->ctx, false, plain_name(name, name_of_lock, sizeof name_of_lock), addr, size);
}

static int each_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, void *arg)
{
    struct each *e = arg;
    Dwarf_Addr low = base, high = base;
    (void)user;
    dwfl_module_info(mod, NULL, &low, &high, NULL, NULL, NULL, NULL);
    e->see(e->ctx, true, name, low, high - low);
    hd_symtab_variables(mod, each_variable, e);
    return DWARF_CB_OK;
}

void hd_symbols_each(struct hd_symbols *s, hd_symbols_see see, void *ctx)
{
    struct each e = {see, ctx};
    if (s->dwfl && s->n_modules)
        dwfl_getmodules(s->dwfl, each_module, &e, 0);
}
