#include "symbols/objects.h"

#include "base/log.h"
#include "base/vec.h"
#include "symbols/typepath.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEP 12
enum { REG_FRAME = 6, REG_STACK = 7 }; /* rbp and rsp */

/* ---- what both kinds share ---- */

/* (dwarf_decl_file does not know that the first file has number 0.) */
static void declared(Dwarf_Die *var, Dwarf_Die *cu, struct hd_object *o)
{
    Dwarf_Attribute attr;
    Dwarf_Word number = 0;
    Dwarf_Files *files = NULL;
    size_t n = 0;
    const char *dir = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
    dwarf_decl_line(var, &o->line);
    if (dwarf_formudata(dwarf_attr_integrate(var, DW_AT_decl_file, &attr), &number) ||
        dwarf_getsrcfiles(cu, &files, &n) || number >= n)
        return;
    const char *file = dwarf_filesrc(files, number, NULL, NULL);
    if (file)
        hd_symbols_short_file(file, dir, o->file, sizeof o->file);
}

static uint64_t size_of(Dwarf_Die *var, Dwarf_Die *type)
{
    return hd_typepath_type(var, type) ? hd_typepath_size(type) : 0;
}

/* ---- variables with an address ---- */

/* A variable, or a part of one that the optimiser has split. */
struct variable {
    uint64_t addr, size;
    uint64_t from; /* of the part */
    Dwarf_Die die, cu;
};

struct collect {
    struct hd_vec *out;
    Dwarf_Die cu;
    uint64_t bias;
};

static bool address_of(Dwarf_Attribute *attr, const Dwarf_Op *op, Dwarf_Addr *at)
{
    Dwarf_Attribute result;
    *at = op->number;
    return op->atom == DW_OP_addr ||
           ((op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index) &&
            !dwarf_getlocation_attr(attr, op, &result) && !dwarf_formaddr(&result, at));
}

static void add_variable(struct collect *c, Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Die type;
    Dwarf_Addr at;
    uint64_t from = 0, size = size_of(die, &type);
    if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &n))
        return;
    for (size_t i = 0; i < n; i++) {
        bool part = i + 1 < n && ops[i + 1].atom == DW_OP_piece;
        if (ops[i].atom == DW_OP_piece) {
            from += ops[i].number;
            continue;
        }
        if (!address_of(&attr, &ops[i], &at) || (!part && n != 1))
            return;
        *(struct variable *)hd_vec_push(c->out) =
            (struct variable){at + c->bias, part ? ops[i + 1].number : size, from, *die, c->cu};
    }
}

static void collect(struct collect *c, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth > DEEP || dwarf_child(parent, &die))
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            add_variable(c, &die);
            break;
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            collect(c, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

static const struct variable *find_variable(struct hd_symbols *s, uint64_t addr)
{
    bool fresh;
    Dwfl_Module *mod = hd_symbols_module_of(s, addr);
    struct hd_vec *all = mod ? hd_symbols_variables(s, mod, &fresh) : NULL;
    if (!all)
        return NULL;
    if (fresh) {
        struct collect c = {.out = all};
        Dwarf_Die *cu = NULL;
        Dwarf_Addr bias;
        *all = HD_VEC_INIT(struct variable);
        while ((cu = dwfl_module_nextcu(mod, cu, &bias))) {
            c.cu = *cu;
            c.bias = bias;
            collect(&c, cu, 0);
        }
        if (all->len)
            qsort(all->data, all->len, all->size, by_address);
    }
    size_t low = 0, high = all->len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct variable *)hd_vec_at(all, mid))->addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    const struct variable *v = low ? hd_vec_at(all, low - 1) : NULL;
    return v && addr - v->addr < v->size ? v : NULL;
}

bool hd_objects_static(struct hd_symbols *s, uint64_t addr, uint64_t size, struct hd_object *out)
{
    static const char hidden[] = "(anonymous namespace)::";
    *out = (struct hd_object){0};
    const struct variable *v = find_variable(s, addr);
    Dwarf_Die type, die, cu;
    if (!v)
        return false;
    die = v->die;
    cu = v->cu;
    const char *name = hd_symbols_die_name(s, &die);
    if (!name || !*name || !hd_typepath_type(&die, &type))
        return false;
    bool anonymous = !strncmp(name, hidden, sizeof hidden - 1);
    name += anonymous ? sizeof hidden - 1 : 0;
    size_t tag = strcspn(name, "["); /* "text[abi:cxx11]" */
    bool tagged = !strncmp(name + tag, "[abi:", 5);
    snprintf(out->name, sizeof out->name, "%.*s", (int)(tagged ? tag : strlen(name)), name);
    declared(&die, &cu, out);
    hd_typepath_append(&type, v->from + addr - v->addr, size, out);
    return true;
}

/* ---- thread-local variables ---- */

struct tls {
    uint64_t below, size;
    uint64_t block; /* bytes of the program's variables, rounded up */
    struct hd_symbols *s;
    struct hd_object *out;
};

static bool tls_block(Dwfl_Module *mod, uint64_t *block)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(mod, &bias);
    size_t n = 0;
    if (!elf || elf_getphdrnum(elf, &n))
        return false;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_TLS)
            continue;
        uint64_t align = p.p_align ? p.p_align : 1;
        *block = (p.p_memsz + align - 1) / align * align;
        return true;
    }
    return false;
}

static bool tls_offset(Dwarf_Die *die, uint64_t *offset)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &n) || n != 2 ||
        (ops[1].atom != DW_OP_GNU_push_tls_address && ops[1].atom != DW_OP_form_tls_address) ||
        (ops[0].atom != DW_OP_const8u && ops[0].atom != DW_OP_const4u))
        return false;
    *offset = ops[0].number;
    return true;
}

static bool search_tls(struct tls *x, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die, type;
    uint64_t offset, at = x->block - x->below;
    if (depth > DEEP || dwarf_child(parent, &die))
        return false;
    do {
        int tag = dwarf_tag(&die);
        bool scope =
            tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
        if (scope && search_tls(x, &die, depth + 1))
            return true;
        if (tag != DW_TAG_variable || !tls_offset(&die, &offset) ||
            at - offset >= size_of(&die, &type))
            continue;
        const char *name = hd_symbols_die_name(x->s, &die);
        snprintf(x->out->name, sizeof x->out->name, "%s", name ? name : "");
        hd_typepath_append(&type, at - offset, x->size, x->out);
        return x->out->per_thread = true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static int first_with_tls(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
                          void *arg)
{
    struct tls *x = arg;
    Dwarf_Die *cu = NULL;
    Dwarf_Addr bias;
    (void)user, (void)name, (void)base;
    /* The program's own come first below the pointer; those of libraries follow. */
    if (!tls_block(mod, &x->block))
        return DWARF_CB_OK;
    while (x->below <= x->block && (cu = dwfl_module_nextcu(mod, cu, &bias)))
        if (search_tls(x, cu, 0))
            break;
    return DWARF_CB_ABORT;
}

bool hd_objects_thread_local(struct hd_symbols *s, uint64_t below, uint64_t size,
                             struct hd_object *out)
{
    struct tls x = {.below = below, .size = size, .s = s, .out = out};
    Dwfl *dwfl = hd_symbols_dwfl(s);
    *out = (struct hd_object){0};
    if (dwfl)
        dwfl_getmodules(dwfl, first_with_tls, &x, 0);
    return out->per_thread;
}

/* ---- locals ---- */

struct search {
    struct hd_symbols *s;
    const struct hd_object_frame *frame;
    uint64_t pc; /* without bias, within the call */
    uint64_t base;
    uint64_t addr, size;
    Dwarf_Die cu;
    bool unnamed; /* what structured bindings name has none itself, and is looked for last */
    struct hd_object *out;
};

/* One operation that gives an address; anything longer is not followed. */
static bool evaluate(const struct search *x, const Dwarf_Op *op, uint64_t *addr)
{
    switch (op->atom) {
    case DW_OP_fbreg:
        *addr = x->base + op->number;
        return true;
    case DW_OP_breg0 + REG_FRAME:
        *addr = x->frame->frame + op->number;
        return true;
    case DW_OP_breg0 + REG_STACK:
        *addr = x->frame->stack + op->number;
        return true;
    default:
        return false;
    }
}

static bool is_there(struct search *x, Dwarf_Die *var)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Die type;
    uint64_t at, size = size_of(var, &type);
    const char *name = dwarf_formstring(dwarf_attr_integrate(var, DW_AT_name, &attr));
    if (!size || !name == !x->unnamed || !dwarf_attr(var, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, x->pc, &ops, &n, 1) != 1 || n != 1 ||
        !evaluate(x, ops, &at) || x->addr - at >= size)
        return false;
    snprintf(x->out->name, sizeof x->out->name, "%s", name ? name : "[binding]");
    declared(var, &x->cu, x->out);
    hd_typepath_append(&type, x->addr - at, x->size, x->out);
    return true;
}

/* In the scopes that hold the code address: other variables may share the place. */
static bool search_scope(struct search *x, Dwarf_Die *scope, int depth)
{
    Dwarf_Die die;
    if (depth > DEEP || dwarf_child(scope, &die))
        return false;
    do {
        int tag = dwarf_tag(&die);
        bool block = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
        if (block && dwarf_haspc(&die, x->pc) == 1 && search_scope(x, &die, depth + 1)) {
            if (tag == DW_TAG_inlined_subroutine && !*x->out->function)
                snprintf(x->out->function, sizeof x->out->function, "%s",
                         hd_symbols_die_name(x->s, &die));
            return true;
        }
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && is_there(x, &die))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static bool frame_base(Dwarf_Die *function, struct search *x)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t n;
    if (!dwarf_attr(function, DW_AT_frame_base, &attr) ||
        dwarf_getlocation_addr(&attr, x->pc, &ops, &n, 1) != 1 || n != 1)
        return false;
    if (ops->atom == DW_OP_reg0 + REG_FRAME)
        x->base = x->frame->frame;
    else if (ops->atom == DW_OP_reg0 + REG_STACK)
        x->base = x->frame->stack;
    else if (ops->atom == DW_OP_call_frame_cfa)
        x->base = x->frame->frame + 16; /* behind the saved frame pointer and the return address */
    else
        return false;
    return true;
}

/* The function itself, not one that is inlined there. */
static bool function_at(Dwarf_Die *cu, uint64_t pc, Dwarf_Die *out)
{
    Dwarf_Die *inner = NULL, *scopes = NULL;
    int n = dwarf_getscopes(cu, pc, &inner);
    n = n > 0 ? dwarf_getscopes_die(&inner[0], &scopes) : 0;
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            *out = scopes[i];
            found = true;
        }
    free(inner);
    free(scopes);
    return found;
}

static bool search_frame(struct search *x)
{
    Dwarf_Die function;
    uint64_t bias;
    if (!hd_symbols_unit(x->s, x->frame->pc - 1, &x->cu, &bias))
        return false;
    x->pc = x->frame->pc - 1 - bias;
    if (!function_at(&x->cu, x->pc, &function))
        return false;
    if (frame_base(&function, x) && !search_scope(x, &function, 0)) {
        x->unnamed = true;
        search_scope(x, &function, 0);
    }
    if (!*x->out->function)
        snprintf(x->out->function, sizeof x->out->function, "%s",
                 hd_symbols_die_name(x->s, &function));
    return true;
}

bool hd_objects_local(struct hd_symbols *s, const struct hd_object_frame *frames, size_t n,
                      uint64_t addr, uint64_t size, struct hd_object *out)
{
    *out = (struct hd_object){0};
    for (size_t i = 0; i + 1 < n; i++) {
        /* The memory of a function lies between its stack pointer and that of its caller. */
        if (addr < frames[i].stack || addr >= frames[i + 1].stack)
            continue;
        struct search x = {.s = s, .frame = &frames[i], .addr = addr, .size = size, .out = out};
        return search_frame(&x);
    }
    HD_DEBUG_LINE(SYMBOLS, "address %llx is in none of %zu frames", (unsigned long long)addr, n);
    return false;
}
