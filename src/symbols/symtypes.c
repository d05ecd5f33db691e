#include "symbols/symtypes.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/symbols_int.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RUNTIME "libheddle_rt."

enum { NOTHING = -2, LOCK = -1, DEEP = 12 }; /* else the number of a type that was written */

struct walk {
    struct hd_bytes *out;
    struct hd_map seen; /* address of a die -> number of its type plus 3 */
    int n_types;
    Dwarf_Addr bias; /* of the module at hand */
};

/* What lies at a place of a struct: a lock, a struct with locks, or nothing of interest. */
struct part {
    const char *name; /* libdw's */
    uint64_t offset, count, stride;
    int what;
};

__attribute__((format(printf, 2, 3))) static void line(struct hd_bytes *out, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof text)
        hd_bytes_put(out, text, (size_t)n);
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; name && *list; list++)
        if (!strcmp(name, *list))
            return true;
    return false;
}

static bool is_lock_typedef(const char *name)
{
    static const char *const names[] = {"pthread_mutex_t",
                                        "pthread_rwlock_t",
                                        "pthread_spinlock_t",
                                        "pthread_cond_t",
                                        "pthread_barrier_t",
                                        "sem_t",
                                        "mtx_t",
                                        "cnd_t",
                                        NULL};
    return is_one_of(name, names);
}

/* Classes of the C++ library whose own fields are of no use to the user. */
static bool is_lock_class(const char *name)
{
    static const char *const names[] = {"mutex",
                                        "recursive_mutex",
                                        "timed_mutex",
                                        "recursive_timed_mutex",
                                        "shared_mutex",
                                        "shared_timed_mutex",
                                        "condition_variable",
                                        "condition_variable_any",
                                        NULL};
    return is_one_of(name, names);
}

/* Of types and members: what they have is their own. */
static bool type_die(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attr;
    return dwarf_attr(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

static uint64_t number(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;
    return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : otherwise;
}

static uint64_t elements(Dwarf_Die *array)
{
    Dwarf_Die child;
    uint64_t n = 1;
    if (dwarf_child(array, &child))
        return 0;
    do {
        uint64_t upper = number(&child, DW_AT_upper_bound, UINT64_MAX);
        n *= number(&child, DW_AT_count, upper + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
    return n;
}

static bool is_struct(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static int struct_of(struct walk *w, Dwarf_Die *die, int depth);

/* Fills what, count and stride of the part. */
static void classify(struct walk *w, Dwarf_Die *type, int depth, struct part *p)
{
    Dwarf_Die at = *type;
    p->what = NOTHING;
    for (int i = 0; i < DEEP && depth < DEEP; i++) {
        Dwarf_Die next;
        Dwarf_Word size;
        int tag = dwarf_tag(&at);
        if (tag == DW_TAG_typedef && is_lock_typedef(dwarf_diename(&at))) {
            p->what = LOCK;
            return;
        }
        if (is_struct(tag)) {
            p->what = struct_of(w, &at, depth + 1);
            return;
        }
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_array_type)
            return;
        if (!type_die(&at, &next))
            return;
        if (tag == DW_TAG_array_type) {
            if (p->count != 1 || dwarf_aggregate_size(&next, &size))
                return;
            p->count = elements(&at);
            p->stride = size;
        }
        at = next;
    }
}

/* The fields of a struct; those of its bases and of members without a name as if its own. */
static void collect(struct walk *w, Dwarf_Die *die, uint64_t offset, int depth,
                    struct hd_vec *parts)
{
    Dwarf_Die child, type;
    if (depth > DEEP || dwarf_child(die, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_die(&child, &type) ||
            number(&child, DW_AT_external, 0))
            continue;
        const char *name = dwarf_diename(&child);
        uint64_t at = offset + number(&child, DW_AT_data_member_location, 0);
        if (tag == DW_TAG_inheritance || !name || !*name) {
            Dwarf_Die base;
            while (!is_struct(dwarf_tag(&type)) && type_die(&type, &base))
                type = base;
            collect(w, &type, at, depth + 1, parts);
            continue;
        }
        struct part p = {.name = name, .offset = at, .count = 1};
        classify(w, &type, depth, &p);
        *(struct part *)hd_vec_push(parts) = p;
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void write_struct(struct walk *w, Dwarf_Die *die, const struct hd_vec *parts)
{
    const char *name = dwarf_diename(die);
    int size = dwarf_bytesize(die);
    line(w->out, "T %d %s\n", size, name ? name : "");
    for (size_t i = 0; i < parts->len; i++) {
        const struct part *p = hd_vec_at(parts, i);
        if (p->what == NOTHING)
            line(w->out, "F %" PRIu64 " %.63s\n", p->offset, p->name);
        else
            line(w->out, "L %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %.63s\n", p->offset, p->count,
                 p->stride, p->what, p->name);
    }
}

static int struct_of(struct walk *w, Dwarf_Die *die, int depth)
{
    bool fresh;
    uint64_t key = (uint64_t)(uintptr_t)die->addr;
    uint32_t *slot = hd_map_put(&w->seen, key, &fresh);
    if (!fresh)
        return (int)*slot - 3;
    *slot = 3 + NOTHING;
    struct hd_vec parts = HD_VEC_INIT(struct part);
    bool locks = false;
    int what = NOTHING;
    collect(w, die, 0, depth, &parts);
    for (size_t i = 0; i < parts.len; i++)
        locks = locks || ((struct part *)hd_vec_at(&parts, i))->what != NOTHING;
    if (locks && is_lock_class(dwarf_diename(die))) {
        what = LOCK;
    } else if (locks) {
        what = w->n_types++;
        write_struct(w, die, &parts);
    }
    hd_vec_fini(&parts);
    *hd_map_put(&w->seen, key, NULL) = (uint32_t)(what + 3);
    return what;
}

static bool address_of(struct walk *w, Dwarf_Die *die, uint64_t *addr)
{
    Dwarf_Attribute attr, result;
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Addr at;
    if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &n) || n != 1)
        return false;
    if (ops->atom == DW_OP_addr)
        at = ops->number;
    else if (dwarf_getlocation_attr(&attr, ops, &result) || dwarf_formaddr(&result, &at))
        return false;
    *addr = at + w->bias;
    return true;
}

static void on_variable(struct walk *w, Dwarf_Die *die)
{
    Dwarf_Die type;
    uint64_t addr;
    struct part p = {.count = 1};
    Dwarf_Attribute attr;
    if (!address_of(w, die, &addr) || !dwarf_attr_integrate(die, DW_AT_type, &attr) ||
        !dwarf_formref_die(&attr, &type))
        return;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
    classify(w, &type, 0, &p);
    if (name && *name && p.what != NOTHING)
        line(w->out, "V %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s\n", addr, p.count, p.stride,
             p.what, name);
}

static void visit(struct walk *w, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth > DEEP || dwarf_child(parent, &die))
        return;
    do {
        struct part p = {.count = 1};
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_variable) {
            on_variable(w, &die);
        } else if (tag == DW_TAG_typedef && dwarf_diename(&die)) {
            classify(w, &die, 0, &p);
            if (p.what >= 0 && p.count == 1)
                line(w->out, "A %d %s\n", p.what, dwarf_diename(&die));
        } else if (is_struct(tag)) {
            struct_of(w, &die, 0);
            visit(w, &die, depth + 1);
        } else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
                   tag == DW_TAG_lexical_block) { /* a function may have classes of its own */
            visit(w, &die, depth + 1);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int each_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, void *arg)
{
    struct walk *w = arg;
    Dwarf_Die *cu = NULL;
    (void)user, (void)base;
    if (!strncmp(name, RUNTIME, sizeof RUNTIME - 1))
        return DWARF_CB_OK; /* no recording names its locks, and it has more to read than most */
    while ((cu = dwfl_module_nextcu(mod, cu, &w->bias)))
        visit(w, cu, 0);
    return DWARF_CB_OK;
}

const struct hd_bytes *hd_symtypes_collect(struct hd_symbols *s)
{
    bool fresh;
    struct walk w = {.out = hd_symbols_types(s, &fresh)};
    Dwfl *dwfl = hd_symbols_dwfl(s);
    if (dwfl && fresh)
        dwfl_getmodules(dwfl, each_module, &w, 0);
    hd_map_fini(&w.seen);
    return w.out;
}
