/* The name of what an access touches, from debug info: a global or local variable with the path of
 * fields (`queue.head`, `table[].next`), the type of the block behind a pointer (`node.next` for
 * p->next), or `*p`.
 *
 * Best effort: a name that cannot be told is left out. The runtime and the report know the address
 * as well.
 */
#include "pass/pass.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* Positions of operands: types 2 name, 3 base type, 4 elements; variables 1 name, 3 type. */
enum { TYPE_NAME = 2, TYPE_BASE = 3, TYPE_ELEMENTS = 4, VAR_NAME = 1, VAR_TYPE = 3 };
#define MAX_STEPS 12

struct place {
    LLVMMetadataRef type; /* of the memory at offset 0 */
    uint64_t offset;      /* bytes from there to the access */
    bool moves;           /* plus an index that is not constant */
    uint8_t class;        /* HD_SITE_NAME_* */
    char text[120];
};

static void append(struct place *pl, const char *text, unsigned len)
{
    size_t used = strlen(pl->text), room = sizeof pl->text - 1 - used;
    if (len > room)
        len = (unsigned)room;
    memcpy(pl->text + used, text, len);
    pl->text[used + len] = 0;
}

static bool is_derived(LLVMMetadataRef t)
{
    return t && LLVMGetMetadataKind(t) == LLVMDIDerivedTypeMetadataKind;
}

static bool is_composite(LLVMMetadataRef t)
{
    return t && LLVMGetMetadataKind(t) == LLVMDICompositeTypeMetadataKind;
}

/* Through typedef, const, volatile and atomic, which have no size of their own. */
static LLVMMetadataRef strip(struct hd_pass *p, LLVMMetadataRef t)
{
    for (int i = 0; i < MAX_STEPS && is_derived(t) && LLVMDITypeGetSizeInBits(t) == 0; i++)
        t = hd_debug_operand(p, t, TYPE_BASE);
    return t;
}

/* What a pointer or reference type points to, or NULL. */
static LLVMMetadataRef pointee(struct hd_pass *p, LLVMMetadataRef t)
{
    t = strip(p, t);
    return is_derived(t) ? hd_debug_operand(p, t, TYPE_BASE) : NULL;
}

static LLVMMetadataRef first_element(struct hd_pass *p, LLVMMetadataRef t)
{
    LLVMMetadataRef elements = is_composite(t) ? hd_debug_operand(p, t, TYPE_ELEMENTS) : NULL;
    return elements ? hd_debug_operand(p, elements, 0) : NULL;
}

static bool is_array(struct hd_pass *p, LLVMMetadataRef t)
{
    LLVMMetadataRef e = first_element(p, t);
    return e && LLVMGetMetadataKind(e) == LLVMDISubrangeMetadataKind;
}

static LLVMMetadataRef member_at(struct hd_pass *p, LLVMMetadataRef t, uint64_t bit)
{
    LLVMMetadataRef elements = hd_debug_operand(p, t, TYPE_ELEMENTS);
    unsigned n = elements ? hd_debug_n_operands(p, elements) : 0;
    for (unsigned i = 0; i < n; i++) {
        LLVMMetadataRef m = hd_debug_operand(p, elements, i);
        if (!is_derived(m))
            continue;
        uint64_t at = LLVMDITypeGetOffsetInBits(m), size = LLVMDITypeGetSizeInBits(m);
        LLVMMetadataRef base = strip(p, hd_debug_operand(p, m, TYPE_BASE));
        if (size == 0 && is_composite(base))
            size = LLVMDITypeGetSizeInBits(base); /* a base class */
        if (bit >= at && bit < at + size)
            return m;
    }
    return NULL;
}

static uint64_t step_array(struct hd_pass *p, struct place *pl, LLVMMetadataRef *t)
{
    LLVMMetadataRef element = hd_debug_operand(p, *t, TYPE_BASE);
    LLVMMetadataRef sized = strip(p, element);
    uint64_t size = sized ? LLVMDITypeGetSizeInBits(sized) / 8 : 0;
    uint64_t index = size ? pl->offset / size : 0;
    char text[32];
    int len = pl->moves ? snprintf(text, sizeof text, "[]")
                        : snprintf(text, sizeof text, "[%llu]", (unsigned long long)index);
    append(pl, text, (unsigned)len);
    *t = element;
    return index * size;
}

/* Walks from the whole object down to the part of `size` bytes at the offset; appends .field and
 * [i]. */
static LLVMMetadataRef descend(struct hd_pass *p, struct place *pl, uint64_t size)
{
    LLVMMetadataRef t = pl->type;
    for (int i = 0; i < MAX_STEPS; i++) {
        LLVMMetadataRef whole = strip(p, t);
        if (!is_composite(whole) || !first_element(p, whole))
            return t;
        if (pl->offset == 0 && size != 0 && LLVMDITypeGetSizeInBits(whole) == size * 8 && i == 0 &&
            !is_array(p, whole) && LLVMDITypeGetSizeInBits(whole) > 64)
            return t; /* the struct as a whole */
        if (is_array(p, whole)) {
            pl->offset -= step_array(p, pl, &whole);
            t = whole;
            continue;
        }
        LLVMMetadataRef member = member_at(p, whole, pl->offset * 8);
        if (!member)
            return t;
        unsigned len;
        const char *name = hd_debug_string(p, member, TYPE_NAME, &len);
        if (name && len > 0) {
            append(pl, ".", 1);
            append(pl, name, len);
        }
        pl->offset -= LLVMDITypeGetOffsetInBits(member) / 8;
        t = hd_debug_operand(p, member, TYPE_BASE);
    }
    return t;
}

static bool from_variable(struct hd_pass *p, LLVMMetadataRef var, uint8_t class, struct place *pl)
{
    unsigned len;
    const char *name = hd_debug_string(p, var, VAR_NAME, &len);
    pl->type = hd_debug_operand(p, var, VAR_TYPE);
    pl->class = class;
    if (!name || !pl->type)
        return false;
    append(pl, name, len);
    return true;
}

/* *part: the optimiser has split the variable, and it is not known which part this is. */
static LLVMMetadataRef global_variable(struct hd_pass *p, LLVMValueRef global, bool *part)
{
    size_t n;
    LLVMMetadataRef var = NULL;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
    for (unsigned i = 0; i < n && !var; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
            continue;
        var = LLVMDIGlobalVariableExpressionGetVariable(node);
        *part = LLVMDIGlobalVariableExpressionGetExpression(node) != p->empty_expr;
    }
    LLVMDisposeValueMetadataEntries(entries);
    return var;
}

static bool from_global(struct hd_pass *p, LLVMValueRef global, struct place *pl)
{
    bool part = false;
    LLVMMetadataRef var = global_variable(p, global, &part);
    if (var && from_variable(p, var, HD_SITE_NAME_GLOBAL, pl)) {
        pl->type = part ? NULL : pl->type;
        return true;
    }
    size_t len;
    const char *name = LLVMGetValueName2(global, &len);
    append(pl, name, (unsigned)len);
    pl->type = NULL;
    pl->class = HD_SITE_NAME_GLOBAL;
    return len > 0;
}

static bool locate(struct hd_fn *f, LLVMValueRef ptr, struct place *pl, int depth);

static const struct hd_var *var_of(struct hd_fn *f, LLVMValueRef v)
{
    uint32_t index;
    if (!hd_map_get(&f->var_of, (uint64_t)(uintptr_t)v, &index))
        return NULL;
    return hd_vec_at(&f->vars, index - 1);
}

/* The debug type of a pointer value, and the source text for it. */
static LLVMMetadataRef pointer_type(struct hd_fn *f, LLVMValueRef v, struct place *pl, int depth)
{
    const struct hd_var *var = var_of(f, v);
    if (var && !var->is_address && from_variable(f->p, var->node, 0, pl))
        return pl->type;
    if (!LLVMIsALoadInst(v) || !locate(f, LLVMGetOperand(v, 0), pl, depth + 1) || !pl->type)
        return NULL;
    return descend(f->p, pl, 8);
}

/* A region of OpenMP gets the variables that it shares by reference. */
static bool is_region(const struct hd_fn *f)
{
    size_t len;
    return strstr(LLVMGetValueName2(f->fn, &len), ".omp_") != NULL;
}

/* Memory behind a pointer: named after its type when that has a name, else `*p`. */
static bool from_pointer(struct hd_fn *f, LLVMValueRef v, struct place *pl, int depth)
{
    struct place source = {0};
    LLVMMetadataRef pointer = pointer_type(f, v, &source, depth), type = pointee(f->p, pointer);
    if (!type)
        return false;
    pl->type = type;
    unsigned len = 0;
    bool named = is_composite(strip(f->p, type)) && !is_array(f->p, strip(f->p, type));
    if (hd_shim_is_reference(strip(f->p, pointer)) && (!named || is_region(f))) {
        append(pl, source.text, (unsigned)strlen(source.text)); /* a reference is what it is to */
        return true;
    }
    if (is_composite(strip(f->p, type))) {
        const char *name = hd_debug_string(f->p, type, TYPE_NAME, &len);
        if (!name || len == 0)
            name = hd_debug_string(f->p, strip(f->p, type), TYPE_NAME, &len);
        if (name && len > 0) {
            pl->class = HD_SITE_NAME_FIELD;
            append(pl, name, len);
            return true;
        }
    }
    append(pl, "*", 1);
    append(pl, source.text, (unsigned)strlen(source.text));
    return true;
}

/* Constant part of address arithmetic; false when an index is not constant. */
static bool gep_offset(struct hd_pass *p, LLVMValueRef gep, uint64_t *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    bool constant = true;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        bool is_struct = i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;
        if (!LLVMIsAConstantInt(index)) {
            constant = false;
        } else if (is_struct) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(index);
            *offset += LLVMOffsetOfElement(p->layout, type, k);
            type = LLVMStructGetTypeAtIndex(type, k);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        if (LLVMIsAConstantInt(index))
            *offset +=
                (uint64_t)LLVMConstIntGetSExtValue(index) * LLVMABISizeOfType(p->layout, type);
    }
    return constant;
}

static bool from_base(struct hd_fn *f, LLVMValueRef base, struct place *pl, int depth)
{
    if (LLVMIsAGlobalVariable(base))
        return from_global(f->p, base, pl);
    const struct hd_var *var = var_of(f, base);
    if (var && var->is_address)
        return from_variable(f->p, var->node, HD_SITE_NAME_LOCAL, pl);
    return from_pointer(f, base, pl, depth);
}

static LLVMOpcode opcode_of(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v))
        return LLVMGetInstructionOpcode(v);
    return LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v) : LLVMRet;
}

static bool is_thread_local_address(LLVMValueRef call)
{
    LLVMValueRef fn = hd_calls_function(call);
    size_t len;
    return fn && strncmp(LLVMGetValueName2(fn, &len), "llvm.threadlocal.address", 24) == 0;
}

static bool locate(struct hd_fn *f, LLVMValueRef ptr, struct place *pl, int depth)
{
    if (depth > 4)
        return false;
    while (!var_of(f, ptr)) {
        LLVMOpcode op = opcode_of(ptr);
        if (op == LLVMGetElementPtr)
            pl->moves |= !gep_offset(f->p, ptr, &pl->offset);
        else if (op != LLVMBitCast && !(op == LLVMCall && is_thread_local_address(ptr)))
            break;
        ptr = LLVMGetOperand(ptr, 0);
    }
    return from_base(f, ptr, pl, depth);
}

void hd_vars_name(struct hd_fn *f, LLVMValueRef ptr, uint64_t size, struct hd_site *site)
{
    struct place pl = {0};
    if (!locate(f, ptr, &pl, 0))
        return;
    size_t before = strlen(pl.text);
    LLVMMetadataRef whole = pl.class == HD_SITE_NAME_FIELD ? strip(f->p, pl.type) : NULL;
    uint64_t bytes = whole ? LLVMDITypeGetSizeInBits(whole) / 8 : 0;
    if (bytes) /* the pointer may lead to the first of several */
        pl.offset %= bytes;
    if (pl.type)
        descend(f->p, &pl, size);
    if (pl.class == HD_SITE_NAME_FIELD && strlen(pl.text) == before)
        pl.class = 0; /* the block as a whole */
    site->name = hd_sites_string(f->p, pl.text, strlen(pl.text));
    site->flags |= pl.class;
}

static void add_var(struct hd_fn *f, LLVMValueRef v, LLVMMetadataRef node, bool is_address)
{
    bool fresh;
    uint32_t *slot = hd_map_put(&f->var_of, (uint64_t)(uintptr_t)v, &fresh);
    if (!fresh)
        return;
    *(struct hd_var *)hd_vec_push(&f->vars) = (struct hd_var){node, is_address};
    *slot = (uint32_t)f->vars.len;
}

/* Operand i of a debug intrinsic is a value, operand `expr` says how the variable follows from it.
 */
static void note_value(struct hd_fn *f, LLVMValueRef call, unsigned i, unsigned expr,
                       bool is_address)
{
    LLVMValueRef wrapped = LLVMGetOperand(call, i), value;
    if (LLVMGetMetadataKind(LLVMValueAsMetadata(wrapped)) != LLVMLocalAsMetadataMetadataKind)
        return; /* a constant, nothing any more, or several values */
    LLVMGetMDNodeOperands(wrapped, &value);
    LLVMMetadataRef how = LLVMValueAsMetadata(LLVMGetOperand(call, expr));
    bool at_place = how == f->p->deref_expr && value && LLVMIsAAllocaInst(value);
    if (!value || (how != f->p->empty_expr && !at_place))
        return;
    if (LLVMIsAInstruction(value) || LLVMIsAArgument(value))
        add_var(f, value, LLVMValueAsMetadata(LLVMGetOperand(call, 1)), is_address || at_place);
}

static void note_var(struct hd_fn *f, LLVMValueRef call)
{
    LLVMValueRef fn = hd_calls_function(call);
    size_t len;
    const char *name = fn ? LLVMGetValueName2(fn, &len) : "";
    if (strcmp(name, "llvm.dbg.declare") == 0)
        note_value(f, call, 0, 2, true);
    else if (strcmp(name, "llvm.dbg.value") == 0)
        note_value(f, call, 0, 2, false);
    else if (strcmp(name, "llvm.dbg.assign") == 0)
        note_value(f, call, 4, 5, true);
}

void hd_vars_find(struct hd_fn *f)
{
    for (size_t i = 0; i < f->n_order; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(f->order[i]); inst;
             inst = LLVMGetNextInstruction(inst))
            if (LLVMIsACallInst(inst))
                note_var(f, inst);
}
