/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/modules.h"
#include "rt/core/range_log.h"
#include "rt/policy/policy.h"
#include "rt/core/real.h"

#include <link.h>
#include <string.h>

#define MAX_MODULES 256

struct span {
    uintptr_t low, end;
};
static struct span spans[MAX_MODULES], constants[4 * MAX_MODULES], variables[2 * MAX_MODULES];
static unsigned n_spans, n_constants, n_variables;

bool hd_rt_module_has(uintptr_t pc)
{
    for (unsigned i = 0; i < n_spans; i++)
        if (pc - spans[i].low < spans[i].end - spans[i].low)
            return true;
    return false;
}

/* Pages that were asked for and have no constants. */
#define ASKED 64
static uintptr_t without[ASKED];

static bool any_constant(uintptr_t low, uintptr_t end)
{
    for (unsigned i = 0; i < n_constants; i++)
        if (low < constants[i].end && constants[i].low < end)
            return true;
    return false;
}

bool hd_rt_module_const(const void *p)
{
    uintptr_t at = (uintptr_t)p, page = at >> 12, *asked = &without[page % ASKED];
    if (*asked == page)
        return false;
    if (any_constant(at, at + 1))
        return true;
    if (!any_constant(page << 12, (page + 1) << 12))
        *asked = page;
    return false;
}

static struct span extent(const struct dl_phdr_info *info)
{
    struct span all = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
        all.low = from < all.low ? from : all.low;
        all.end = to > all.end ? to : all.end;
    }
    return all;
}

static void add(const struct dl_phdr_info *info, struct span all)
{
    spans[n_spans++] = all;
    if (rt.on && info->dlpi_name &&
        *info->dlpi_name) { /* loaded after the start: the driver needs it */
        struct hd_thread *me = hd_rt_enter();
        if (me) {
            if (rt.follow)
                hd_rt_follow_module(info->dlpi_name, false, info->dlpi_addr);
            hd_rt_log_text(HD_LOG_MODULE, 0, info->dlpi_addr, info->dlpi_name);
            hd_rt_leave(me);
        }
    }
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    uintptr_t pc = *(uintptr_t *)arg;
    struct span all = extent(info);
    (void)size;
    if (pc < all.low || pc >= all.end)
        return 0;
    add(info, all);
    return 1;
}

static int add_data(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        struct span span = {from, from + p->p_memsz};
        if (p->p_type != PT_LOAD)
            continue;
        if (!(p->p_flags & PF_W) && n_constants < 4 * MAX_MODULES)
            constants[n_constants++] = span;
        else if (p->p_flags & PF_W && n_variables < 2 * MAX_MODULES)
            variables[n_variables++] = span;
    }
    return 0;
}

/* Anew: something may be gone since the last time. */
static void find_data(void)
{
    n_constants = n_variables = 0;
    hd_rt_memset(without, 0, sizeof without);
    dl_iterate_phdr(add_data, NULL);
}

static bool is_variable(uintptr_t at)
{
    if (n_variables == 2 * MAX_MODULES)
        return true; /* there may be more */
    for (unsigned i = 0; i < n_variables; i++)
        if (at - variables[i].low < variables[i].end - variables[i].low)
            return true;
    return false;
}

/* The loader is not asked here: it has a lock, which a thread that waits for the token may hold (in
 * a callback of dl_iterate_phdr). An instrumented module says when it comes. */
void hd_rt_module_uses(const volatile void *object)
{
    if (is_variable((uintptr_t)object))
        hd_rt_log_uses((uintptr_t)object);
}

void hd_rt_module_seen(uintptr_t pc)
{
    hd_rt_log_instrumented();
    if (n_spans == MAX_MODULES || hd_rt_module_has(pc))
        return;
    dl_iterate_phdr(look, &pc);
    find_data();
}

/* What the loader needs to know of a module, as far as it matters here. */
struct imports {
    const ElfW(Rela) * relocs[2];
    size_t bytes[2];
    const ElfW(Sym) * symbols;
    const char *names;
};

static struct imports imports_of(const struct dl_phdr_info *info)
{
    struct imports m = {0};
    const ElfW(Dyn) *d = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            m.symbols = (const void *)d->d_un.d_ptr;
        else if (d->d_tag == DT_STRTAB)
            m.names = (const void *)d->d_un.d_ptr;
        else if (d->d_tag == DT_JMPREL || d->d_tag == DT_RELA)
            m.relocs[d->d_tag == DT_RELA] = (const void *)d->d_un.d_ptr;
        else if (d->d_tag == DT_PLTRELSZ || d->d_tag == DT_RELASZ)
            m.bytes[d->d_tag == DT_RELASZ] = d->d_un.d_val;
    }
    return m;
}

/* strcmp is one of the functions that ours stand before, and may not be found yet. */
static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static bool imports(const struct dl_phdr_info *info, const char *name)
{
    struct imports m = imports_of(info);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; m.relocs[k] && i < m.bytes[k] / sizeof *m.relocs[k]; i++) {
            size_t symbol = ELF64_R_SYM(m.relocs[k][i].r_info);
            if (symbol && same(m.names + m.symbols[symbol].st_name, name))
                return true;
        }
    }
    return false;
}

static int look_for(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct span all = extent(info);
    (void)size;
    if (n_spans < MAX_MODULES && !hd_rt_module_has(all.low) && imports(info, arg))
        add(info, all);
    return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(unsigned long long *)arg = info->dlpi_adds;
    return 1;
}

void hd_rt_module_calls(char *name)
{
    static unsigned long long seen;
    unsigned long long loads = 0;
    dl_iterate_phdr(count_loads, &loads);
    if (loads == seen)
        return;
    seen = loads;
    dl_iterate_phdr(look_for, name);
    find_data();
}

/* ---- code that is not instrumented ---- */

struct place {
    uintptr_t pc;
    unsigned index;
};
static unsigned n_first; /* modules that were there at the start */

static int log_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct place *at = arg;
    struct span all = extent(info);
    (void)size;
    if (at->pc < all.low || at->pc >= all.end) {
        at->index++;
        return 0;
    }
    if (at->index >= n_first && info->dlpi_name && *info->dlpi_name)
        hd_rt_log_text(HD_LOG_MODULE, 0, info->dlpi_addr, info->dlpi_name);
    return 1;
}

void hd_rt_module_tell(uintptr_t pc)
{
    static uintptr_t last; /* mostly the same function again */
    struct place at = {pc, 0};
    if (pc == last)
        return;
    last = pc;
    dl_iterate_phdr(log_module, &at);
}

static int count(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)info;
    (void)size;
    ++*(unsigned *)arg;
    return 0;
}

void hd_rt_module_start(void)
{
    n_first = 0;
    dl_iterate_phdr(count, &n_first);
}

/* Modules that libc loads for itself. */
static bool is_libcs(const char *name)
{
    return strstr(name, "/libnss_") || strstr(name, "/libgcc_s.") || strstr(name, "/gconv/");
}

static int name_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
    unsigned *index = arg;
    const char *name = info->dlpi_name, *slash = name ? strrchr(name, '/') : NULL;
    (void)size;
    if ((*index)++ < n_first || !name || !*name || is_libcs(name) ||
        hd_rt_module_has(extent(info).low))
        return 0;
    hd_rt_log_text(HD_LOG_NOTE, 0, HD_NOTE_LOADED, slash ? slash + 1 : name);
    return 0;
}

void hd_rt_module_loaded(void)
{
    unsigned index = 0;
    dl_iterate_phdr(name_loaded, &index);
}

HD_EXPORT int dlclose(void *handle)
{
    struct hd_thread *me = hd_rt_enter();
    if (me) {
        hd_rt_module_loaded();
        hd_rt_leave(me);
    }
    return hd_real.dlclose(handle);
}
