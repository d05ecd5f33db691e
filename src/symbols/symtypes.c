#include "symbols/symtypes.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/dies.h"
#include "symbols/owners.h"
#include "symbols/symbols_int.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME "libheddle_rt."

enum { NOTHING = -2, LOCK = -1, DEEP = 12 }; /* else the number of a type that was written */

/* What types are made of. */
struct entry {
    const char *name;
    uint64_t offset;
    uint64_t type;   /* offset; 0: none */
    uint64_t origin; /* the same, of one that says the rest of it */
    uint64_t number; /* a struct: its size; a member: where it is; an array: how many; a variable:
                        its address */
    uint32_t end;    /* number of the first entry that is not below this one */
    int what;        /* a struct: what it holds, when that is known */
    uint8_t tag;
    bool known, seen; /* seen: nothing around it keeps it from being looked at */
};

struct open { /* an entry that others lie below */
    uint32_t entry;
    unsigned depth;
};

struct walk {
    struct hd_bytes *out;
    struct hd_dies dies;
    struct hd_vec entries; /* struct entry */
    struct hd_u32vec at;   /* part of the offsets -> 1 + number of the first entry there, or 0 */
    uint64_t from;
    int n_types;
    Dwarf_Addr bias; /* of the module at hand */
};

/* What lies at a place of a struct: a lock, a struct with locks, or nothing of interest. */
struct part {
    const char *name;
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

static bool is_struct(unsigned tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

#define PART 64 /* bytes of debug information: a number for each byte would be much to clear */

static struct entry *entry_at(const struct walk *w, uint64_t offset)
{
    uint64_t i = (offset - w->from) / PART;
    uint32_t n = offset >= w->from && offset && i < w->at.len ? w->at.data[i] : 0;
    if (!n)
        return NULL;
    struct entry *e = hd_vec_at(&w->entries, n - 1), *end = e + (w->entries.len - (n - 1));
    while (e < end && e->offset < offset)
        e++;
    return e < end && e->offset == offset ? e : NULL;
}

/* The first entry below another one; next_of: the one beside it. */
static struct entry *child_of(const struct walk *w, struct entry *e)
{
    const struct entry *first = w->entries.data;
    return e + 1 < first + e->end ? e + 1 : NULL;
}

static struct entry *next_of(const struct walk *w, const struct entry *parent,
                             const struct entry *e)
{
    return e->end < parent->end ? hd_vec_at(&w->entries, e->end) : NULL;
}

static uint64_t elements(const struct walk *w, struct entry *array)
{
    uint64_t n = 1;
    if (!child_of(w, array))
        return 0;
    for (struct entry *e = child_of(w, array); e; e = next_of(w, array, e))
        n *= e->number;
    return n;
}

/* How many bytes a value of a type takes; HD_DIE_NONE: not known, or of no interest. */
static uint64_t size_of(const struct walk *w, const struct entry *e)
{
    for (int i = 0; e && i < DEEP && !is_struct(e->tag) && e->tag != DW_TAG_base_type; i++)
        e = entry_at(w, e->type);
    return e && (is_struct(e->tag) || e->tag == DW_TAG_base_type) ? e->number : HD_DIE_NONE;
}

static int struct_of(struct walk *w, struct entry *e, int depth);

/* Fills what, count and stride of the part. */
static void classify(struct walk *w, struct entry *at, int depth, struct part *p)
{
    p->what = NOTHING;
    for (int i = 0; at && i < DEEP && depth < DEEP; i++) {
        if (at->tag == DW_TAG_typedef && is_lock_typedef(at->name)) {
            p->what = LOCK;
            return;
        }
        if (is_struct(at->tag)) {
            p->what = struct_of(w, at, depth + 1);
            return;
        }
        struct entry *next = entry_at(w, at->type);
        if (at->tag == DW_TAG_array_type) {
            p->stride = size_of(w, next);
            if (p->count != 1 || p->stride == HD_DIE_NONE)
                return;
            p->count = elements(w, at);
        }
        at = next;
    }
}

/* The fields of a struct; those of its bases and of members without a name as if its own. */
static void collect(struct walk *w, struct entry *parent, uint64_t offset, int depth,
                    struct hd_vec *parts)
{
    if (depth > DEEP)
        return;
    for (struct entry *e = child_of(w, parent); e; e = next_of(w, parent, e)) {
        struct entry *type = entry_at(w, e->type);
        if (e->tag != DW_TAG_member && e->tag != DW_TAG_inheritance)
            continue;
        uint64_t at = offset + e->number;
        if (e->tag == DW_TAG_inheritance || !e->name || !*e->name) {
            for (int i = 0; type && i < DEEP && !is_struct(type->tag); i++)
                type = entry_at(w, type->type);
            if (type)
                collect(w, type, at, depth + 1, parts);
            continue;
        }
        struct part p = {.name = e->name, .offset = at, .count = 1};
        classify(w, type, depth, &p);
        *(struct part *)hd_vec_push(parts) = p;
    }
}

static void write_struct(struct walk *w, const struct entry *e, const struct hd_vec *parts)
{
    line(w->out, "T %" PRIu64 " %s\n", e->number, e->name ? e->name : "");
    for (size_t i = 0; i < parts->len; i++) {
        const struct part *p = hd_vec_at(parts, i);
        if (p->what == NOTHING)
            line(w->out, "F %" PRIu64 " %.63s\n", p->offset, p->name);
        else
            line(w->out, "L %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %.63s\n", p->offset, p->count,
                 p->stride, p->what, p->name);
    }
}

static int struct_of(struct walk *w, struct entry *e, int depth)
{
    if (e->known)
        return e->what;
    e->known = true;
    e->what = NOTHING;
    struct hd_vec parts = HD_VEC_INIT(struct part);
    bool locks = false;
    collect(w, e, 0, depth, &parts);
    for (size_t i = 0; i < parts.len; i++)
        locks = locks || ((struct part *)hd_vec_at(&parts, i))->what != NOTHING;
    if (locks && is_lock_class(e->name)) {
        e->what = LOCK;
    } else if (locks) {
        e->what = w->n_types++;
        write_struct(w, e, &parts);
    }
    hd_vec_fini(&parts);
    return e->what;
}

static void visit(struct walk *w, struct entry *e)
{
    struct part p = {.count = 1};
    if (!e->seen)
        return;
    if (is_struct(e->tag)) {
        struct_of(w, e, 0);
    } else if (e->tag == DW_TAG_typedef && e->name) {
        classify(w, e, 0, &p);
        if (p.what >= 0 && p.count == 1)
            line(w->out, "A %d %s\n", p.what, e->name);
    } else if (e->tag == DW_TAG_variable) {
        classify(w, entry_at(w, e->type), 0, &p);
        if (e->number != HD_DIE_NONE && e->name && *e->name && p.what != NOTHING)
            line(w->out, "V %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s\n", e->number + w->bias,
                 p.count, p.stride, p.what, e->name);
    }
}

/* ---- reading them ---- */

static unsigned role_of(unsigned tag)
{
    if (is_struct(tag))
        return HD_DIE_READ | HD_DIE_SCOPE;
    switch (tag) {
    case DW_TAG_member:
    case DW_TAG_inheritance:
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_array_type:
    case DW_TAG_subrange_type:
    case DW_TAG_base_type:
    case DW_TAG_variable:
        return HD_DIE_READ;
    case DW_TAG_namespace:
    case DW_TAG_subprogram: /* a function may have classes and variables of its own */
    case DW_TAG_lexical_block:
        return HD_DIE_SCOPE;
    default:
        return 0;
    }
}

/* Of variables of a function only those that live as long as the program, and what says their name
 * and type. */
static bool is_kept(const struct hd_die *die)
{
    return die->tag != DW_TAG_variable || !die->is_elsewhere;
}

static uint64_t number_of(const struct hd_die *die)
{
    uint64_t upper = die->upper == HD_DIE_NONE ? 0 : die->upper + 1;
    switch (die->tag) {
    case DW_TAG_variable:
        return die->address;
    case DW_TAG_subrange_type:
        return die->count == HD_DIE_NONE ? upper : die->count;
    case DW_TAG_member:
    case DW_TAG_inheritance:
        return die->at == HD_DIE_NONE ? 0 : die->at;
    default:
        return die->size;
    }
}

static void keep(struct walk *w, const struct hd_die *die)
{
    bool is_static = die->tag == DW_TAG_member && die->is_static;
    uint32_t *first = &w->at.data[(die->offset - w->from) / PART];
    *first = *first ? *first : (uint32_t)w->entries.len + 1;
    *(struct entry *)hd_vec_push(&w->entries) =
        (struct entry){.name = die->name,
                       .offset = die->offset,
                       .type = die->type,
                       .origin = die->origin,
                       .number = is_static ? HD_DIE_NONE : number_of(die),
                       .tag = is_static ? DW_TAG_variable : (uint8_t)die->tag,
                       .seen = die->inside && die->depth <= DEEP + 1};
}

/* The entries from depth on end here. */
static void close(struct walk *w, struct hd_vec *open, unsigned depth)
{
    struct open *o;
    while (open->len && (o = hd_vec_at(open, open->len - 1))->depth >= depth) {
        ((struct entry *)hd_vec_at(&w->entries, o->entry))->end = (uint32_t)w->entries.len;
        open->len--;
    }
}

static void read_unit(struct walk *w)
{
    struct hd_vec open = HD_VEC_INIT(struct open);
    struct hd_die die;
    while (hd_dies_next(&w->dies, &die)) {
        close(w, &open, die.least);
        if (!is_kept(&die))
            continue;
        *(struct open *)hd_vec_push(&open) =
            (struct open){.entry = (uint32_t)w->entries.len, .depth = die.depth};
        keep(w, &die);
    }
    close(w, &open, 0);
    hd_vec_fini(&open);
}

/* Room for the entries of so many bytes of debug information. */
static void begin(struct walk *w, uint64_t from, uint64_t len)
{
    w->from = from;
    w->entries.len = 0;
    w->at.len = len / PART + 1;
    hd_u32vec_reserve(&w->at, w->at.len);
    memset(w->at.data, 0, w->at.len * sizeof *w->at.data);
}

/* Fills in what entries say by naming another one; then looks at all. */
static void visit_all(struct walk *w)
{
    for (size_t i = 0; i < w->entries.len; i++) {
        struct entry *e = hd_vec_at(&w->entries, i);
        const struct entry *origin = entry_at(w, e->origin);
        for (int k = 0; origin && k < DEEP; k++) {
            e->name = e->name ? e->name : origin->name;
            e->type = e->type ? e->type : origin->type;
            origin = entry_at(w, origin->origin);
        }
    }
    for (size_t i = 0; i < w->entries.len; i++)
        visit(w, hd_vec_at(&w->entries, i));
}

static void read_alone(struct walk *w)
{
    begin(w, w->dies.unit, hd_dies_unit_len(&w->dies));
    read_unit(w);
    visit_all(w);
}

static void read_module(struct walk *w)
{
    hd_dies_cross(&w->dies);
    if (w->dies.cross)
        begin(w, 0, hd_dies_len(&w->dies));
    while (hd_dies_unit(&w->dies)) {
        if (w->dies.cross)
            read_unit(w);
        else
            read_alone(w);
    }
    if (w->dies.cross)
        visit_all(w);
}

static void read_owner(struct walk *w, const struct hd_owning_unit *o)
{
    if (!hd_dies_open(&w->dies, dwfl_module_getdwarf(o->mod, &w->bias), role_of))
        return;
    if (o->unit == HD_DIE_NONE)
        read_module(w);
    else if (hd_dies_unit_at(&w->dies, o->unit))
        read_alone(w);
    hd_dies_close(&w->dies);
}

/* ---- which of them ---- */

struct choice {
    const uint64_t *at; /* NULL: all */
    size_t n;
    struct hd_vec owners; /* struct hd_owning_unit */
};

static int choose(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, void *arg)
{
    struct choice *c = arg;
    (void)user, (void)base;
    if (!strncmp(name, RUNTIME, sizeof RUNTIME - 1))
        return DWARF_CB_OK; /* no recording names its locks, and it has more to read than most */
    if (c->at)
        hd_owners_find(mod, c->at, c->n, &c->owners);
    else
        *(struct hd_owning_unit *)hd_vec_push(&c->owners) =
            (struct hd_owning_unit){mod, HD_DIE_NONE};
    return DWARF_CB_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool same_owners(const struct hd_vec *a, const struct hd_vec *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len * a->size));
}

const struct hd_bytes *hd_symtypes_collect(struct hd_symbols *s, const uint64_t *at, size_t n)
{
    struct hd_symbols_types *kept = hd_symbols_types(s);
    Dwfl *dwfl = hd_symbols_dwfl(s);
    uint64_t *sorted = at ? hd_calloc(n + 1, sizeof *sorted) : NULL;
    struct choice c = {sorted, n, HD_VEC_INIT(struct hd_owning_unit)};
    struct walk w = {.out = &kept->lines, .entries = HD_VEC_INIT(struct entry)};
    if (sorted && n)
        memcpy(sorted, at, n * sizeof *at);
    if (sorted)
        qsort(sorted, n, sizeof *sorted, by_number);
    if (dwfl)
        dwfl_getmodules(dwfl, choose, &c, 0);
    if (!same_owners(&kept->owners, &c.owners)) {
        kept->lines.len = 0;
        for (size_t i = 0; i < c.owners.len; i++)
            read_owner(&w, hd_vec_at(&c.owners, i));
        hd_vec_fini(&kept->owners);
        kept->owners = c.owners;
    } else {
        hd_vec_fini(&c.owners);
    }
    if (sorted)
        hd_free(sorted, (n + 1) * sizeof *sorted);
    hd_vec_fini(&w.entries);
    hd_u32vec_fini(&w.at);
    return w.out;
}
