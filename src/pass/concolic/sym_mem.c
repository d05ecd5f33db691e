/* Ids over memory: loads, stores, atomics, blocks, and locals that keep their id beside them. */
#include "pass/concolic/pass_sym.h"

#include "base/alloc.h"

static LLVMValueRef after(LLVMValueRef inst)
{
    return LLVMGetNextInstruction(inst);
}

/* A private local of a plain type: its id lives in an alloca of ours. NULL: it lives in memory. */
static LLVMValueRef slot_of(struct hd_sym_fn *f, LLVMValueRef ptr)
{
    struct hd_pass *p = f->s->p;
    struct hd_local *local = hd_locals_is(f->f, ptr);
    if (!local || local->kind != HD_LOCAL_WHOLE || ptr != local->alloca ||
        !hd_sym_width(f->s, LLVMGetAllocatedType(local->alloca)))
        return NULL;
    bool fresh;
    uint32_t *index = hd_map_put(&f->slot_of, (uint64_t)(uintptr_t)ptr, &fresh);
    if (!fresh)
        return *(LLVMValueRef *)hd_vec_at(&f->slots, *index);
    *index = (uint32_t)f->slots.len;
    LLVMValueRef slot = hd_hooks_slot(f->f, p->i32);
    *(LLVMValueRef *)hd_vec_push(&f->slots) = slot;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->ctx);
    LLVMPositionBuilderBefore(b, f->entry);
    LLVMBuildStore(b, f->zero, slot);
    LLVMDisposeBuilder(b);
    return slot;
}

static uint64_t bytes_of(struct hd_sym_fn *f, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(f->s->p->layout, type);
}

uint64_t hd_sym_object(struct hd_sym_fn *f, LLVMValueRef ptr, LLVMValueRef *base)
{
    LLVMTypeRef type = NULL;
    *base = hd_locals_base(ptr);
    if (LLVMIsAGlobalVariable(*base))
        type = LLVMGlobalGetValueType(*base);
    else if (LLVMIsAAllocaInst(*base) && LLVMIsConstant(LLVMGetOperand(*base, 0)))
        type = LLVMGetAllocatedType(*base);
    return type && LLVMTypeIsSized(type) ? LLVMABISizeOfType(f->s->p->layout, type) : 0;
}

/* In a slow block: gives the runtime the object that a symbolic address points into, when that is a
 * variable. Heap blocks it knows itself. */
static void give_object(struct hd_sym_fn *f, LLVMValueRef ptr)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef base;
    uint64_t size = hd_sym_object(f, ptr, &base);
    if (size)
        hd_sym_call(f->s, HD_SYM_HOOK_object,
                    (LLVMValueRef[]){hd_hooks_ptr(p, base), hd_hooks_u64(p, size)});
}

/* i1: an access through ptr has to be looked at; `more` are further ids. */
static LLVMValueRef interesting(struct hd_sym_fn *f, LLVMValueRef ptr, LLVMValueRef id,
                                LLVMValueRef value_id)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef ids[] = {id, value_id};
    LLVMValueRef flagged = hd_sym_flagged(f->s, ptr), any = hd_sym_any(f, ids, 2);
    return any ? LLVMBuildOr(p->b, flagged, any, "") : flagged;
}

LLVMValueRef hd_sym_loaded(struct hd_sym_fn *f, LLVMValueRef at, LLVMValueRef ptr,
                           LLVMValueRef value)
{
    struct hd_pass *p = f->s->p;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef id = hd_sym_id(f, ptr), size = hd_hooks_u64(p, bytes_of(f, type)), result = NULL;
    LLVMPositionBuilderBefore(p->b, at);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, interesting(f, ptr, id, f->zero));
    if (hd_sym_width(f->s, type)) {
        if (!hd_sym_is_zero(f, id))
            give_object(f, ptr);
        LLVMValueRef args[] = {hd_hooks_ptr(p, ptr), hd_hooks_u32(p, (uint32_t)bytes_of(f, type)),
                               id, hd_sym_bits(f->s, value)};
        result = hd_sym_call(f->s, HD_SYM_HOOK_load, args);
        unsigned width = hd_sym_width(f->s, type);
        if (width % 8) { /* i1 in memory is a byte */
            LLVMValueRef cut[] = {hd_hooks_u32(p, HD_SYM_EXTRACT | width << 8),
                                  hd_hooks_u32(p, (width + 7) / 8 * 8), result, args[3]};
            result = hd_sym_call(f->s, HD_SYM_HOOK_cast, cut);
        }
    } else {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        bool is_float =
            kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMX86_FP80TypeKind;
        LLVMValueRef why = hd_hooks_u32(p, is_float ? HD_SYM_LOST_FLOAT : HD_SYM_LOST_WIDE);
        hd_sym_call(f->s, HD_SYM_HOOK_lost, (LLVMValueRef[]){hd_hooks_ptr(p, ptr), size, why});
    }
    return hd_sym_slow_end(f->s, slow, result, f->zero);
}

static bool is_plain_address(struct hd_sym_fn *f, LLVMValueRef ptr)
{
    return hd_sym_width(f->s, LLVMTypeOf(ptr)) == 64;
}

void hd_sym_load(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), slot = slot_of(f, ptr);
    uint32_t tainted;
    bool indexed = !hd_sym_is_zero(f, hd_sym_id(f, ptr));
    if (!is_plain_address(f, ptr))
        return;
    if (!indexed && (hd_locals_is_constant(ptr) ||
                     !hd_map_get(&f->f->tainted, (uint64_t)(uintptr_t)inst, &tainted)))
        return;
    if (!indexed && hd_sym_parts(f->s, LLVMTypeOf(inst))) {
        hd_sym_part_load(f, inst);
        return;
    }
    LLVMValueRef id = NULL;
    if (slot) {
        LLVMPositionBuilderBefore(p->b, after(inst));
        id = LLVMBuildLoad2(p->b, p->i32, slot, "");
    } else {
        id = hd_sym_loaded(f, after(inst), ptr, inst);
    }
    if (id)
        hd_sym_set(f, inst, id);
}

void hd_sym_stored(struct hd_sym_fn *f, LLVMValueRef at, LLVMValueRef ptr, LLVMValueRef value,
                   LLVMValueRef value_id)
{
    struct hd_pass *p = f->s->p;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef id = hd_sym_id(f, ptr);
    LLVMPositionBuilderBefore(p->b, at);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, interesting(f, ptr, id, value_id));
    if (hd_sym_width(f->s, type)) {
        if (!hd_sym_is_zero(f, id))
            give_object(f, ptr);
        LLVMValueRef args[] = {hd_hooks_ptr(p, ptr), hd_hooks_u32(p, (uint32_t)bytes_of(f, type)),
                               id, value_id, hd_sym_bits(f->s, value)};
        hd_sym_call(f->s, HD_SYM_HOOK_store, args);
    } else {
        LLVMValueRef args[] = {hd_hooks_ptr(p, ptr), hd_hooks_u64(p, bytes_of(f, type))};
        hd_sym_call(f->s, HD_SYM_HOOK_clear, args);
    }
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

static void seen_by_others(struct hd_sym_fn *f, LLVMValueRef at, LLVMValueRef ptr,
                           LLVMValueRef value)
{
    struct hd_pass *p = f->s->p;
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef where = LLVMBuildPtrToInt(p->b, ptr, p->i64, "");
    where = LLVMBuildShl(p->b, where, hd_hooks_u64(p, 16), "");
    where = LLVMBuildAdd(p->b, where, hd_sym_seen(f, value), "");
    if (LLVMIsAAllocaInst(hd_locals_base(ptr)))
        hd_sym_inside(f->s, where);
    else
        hd_sym_past(f->s, where);
}

void hd_sym_store(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef value = LLVMGetOperand(inst, 0), ptr = LLVMGetOperand(inst, 1);
    LLVMValueRef slot = slot_of(f, ptr), at = inst; /* old contents are still there */
    if (!is_plain_address(f, ptr))
        return;
    seen_by_others(f, at, ptr, value);
    if (slot) {
        LLVMPositionBuilderBefore(p->b, at);
        LLVMBuildStore(p->b, hd_sym_id(f, value), slot);
    } else if (hd_sym_parts(f->s, LLVMTypeOf(value)) && hd_sym_is_zero(f, hd_sym_id(f, ptr))) {
        hd_sym_part_store(f, inst);
    } else {
        hd_sym_stored(f, at, ptr, value, hd_sym_id(f, value));
    }
}

/* A local begins without symbols, whatever lay at its place before: code without hooks may be the
 * next to write there. */
static void fresh(struct hd_sym_fn *f, LLVMValueRef at, LLVMValueRef local)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef base;
    uint64_t size = hd_sym_object(f, local, &base);
    if (size == 0 || slot_of(f, base))
        return;
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef last = hd_hooks_u64(p, size - 1), start = hd_hooks_ptr(p, base);
    LLVMValueRef end = LLVMBuildInBoundsGEP2(p->b, p->i8, start, &last, 1, "");
    LLVMValueRef any =
        LLVMBuildOr(p->b, hd_sym_flagged(f->s, start), hd_sym_flagged(f->s, end), "");
    if (size > HD_SYM_PAGE)
        any = LLVMConstInt(f->s->i1, 1, false);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    hd_sym_call(f->s, HD_SYM_HOOK_clear, (LLVMValueRef[]){start, hd_hooks_u64(p, size)});
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

void hd_sym_locals(struct hd_sym_fn *f)
{
    LLVMValueRef inst = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->f->fn)), next;
    for (; inst && inst != f->entry; inst = next) {
        next = LLVMGetNextInstruction(inst);
        if (LLVMIsAAllocaInst(inst) && LLVMGetFirstUse(inst))
            fresh(f, f->entry, inst);
    }
}

void hd_sym_lifetime(struct hd_sym_fn *f, LLVMValueRef call)
{
    LLVMValueRef base = hd_locals_base(LLVMGetOperand(call, 1));
    if (LLVMIsAAllocaInst(base) && !f->s->models)
        fresh(f, LLVMGetNextInstruction(call), base);
}

/* ---- atomics ---- */

static LLVMValueRef apply(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v,
                          enum hd_sym_op *sym)
{
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
        *sym = HD_SYM_ADD;
        return LLVMBuildAdd(b, old, v, "");
    case LLVMAtomicRMWBinOpSub:
        *sym = HD_SYM_SUB;
        return LLVMBuildSub(b, old, v, "");
    case LLVMAtomicRMWBinOpAnd:
        *sym = HD_SYM_AND;
        return LLVMBuildAnd(b, old, v, "");
    case LLVMAtomicRMWBinOpOr:
        *sym = HD_SYM_OR;
        return LLVMBuildOr(b, old, v, "");
    case LLVMAtomicRMWBinOpXor:
        *sym = HD_SYM_XOR;
        return LLVMBuildXor(b, old, v, "");
    default:
        *sym = HD_SYM_NONE;
        return v;
    }
}

void hd_sym_rmw(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), v = LLVMGetOperand(inst, 1), at = after(inst);
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(inst));
    if (!width || !is_plain_address(f, ptr))
        return;
    LLVMValueRef old = hd_sym_loaded(f, at, ptr, inst);
    hd_sym_set(f, inst, old);
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(inst);
    enum hd_sym_op sym;
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef new = apply(p->b, op, inst, v, &sym), id = hd_sym_id(f, v);
    if (sym != HD_SYM_NONE) {
        LLVMValueRef ids[] = {old, id};
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, hd_sym_any(f, ids, 2));
        id = hd_sym_slow_end(f->s, slow, hd_sym_build(f, sym, width, ids, inst, v, new), f->zero);
    } else if (op != LLVMAtomicRMWBinOpXchg) {
        id = f->zero; /* minimum, maximum, nand: rare enough to be concrete */
    }
    seen_by_others(f, at, ptr, new);
    hd_sym_stored(f, at, ptr, new, id);
}

static void set_part(struct hd_sym_fn *f, LLVMValueRef pair, unsigned index, LLVMValueRef id)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pair); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAExtractValueInst(user) && LLVMGetIndices(user)[0] == index)
            hd_sym_set(f, user, id);
    }
}

/* The stored value counts only when the exchange happened: a value that is not stored leaves the
 * old id, which the old bytes still agree with. */
void hd_sym_cas(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), expected = LLVMGetOperand(inst, 1);
    LLVMValueRef new = LLVMGetOperand(inst, 2), at = after(inst);
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(new));
    if (!width || !is_plain_address(f, ptr))
        return;
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef old = LLVMBuildExtractValue(p->b, inst, 0, "");
    LLVMValueRef done = LLVMBuildExtractValue(p->b, inst, 1, "");
    LLVMValueRef ids[] = {hd_sym_loaded(f, at, ptr, old), hd_sym_id(f, expected)};
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef any = hd_sym_any(f, ids, 2);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    LLVMValueRef same = hd_sym_build(f, HD_SYM_EQ, width, ids, old, expected, done);
    same = hd_sym_slow_end(f->s, slow, same, f->zero);
    set_part(f, inst, 0, ids[0]);
    set_part(f, inst, 1, same);
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef value = LLVMBuildSelect(p->b, done, new, old, "");
    LLVMValueRef id = LLVMBuildSelect(p->b, done, hd_sym_id(f, new), ids[0], "");
    seen_by_others(f, at, ptr, value);
    hd_sym_stored(f, at, ptr, value, id);
}

/* ---- blocks ---- */

void hd_sym_block(struct hd_sym_pass *s, LLVMValueRef next, enum hd_callee kind, LLVMValueRef *ops,
                  struct hd_vec *blocks)
{
    struct hd_pass *p = s->p;
    LLVMPositionBuilderBefore(p->b, next);
    LLVMValueRef to = hd_hooks_ptr(p, ops[0]);
    LLVMValueRef len = LLVMBuildZExtOrBitCast(p->b, ops[2], p->i64, ""), none = hd_hooks_u32(p, 0);
    LLVMValueRef args[] = {to, NULL, len, none, none, none};
    enum hd_sym_hook which = kind == HD_CALLEE_SET ? HD_SYM_HOOK_fill : HD_SYM_HOOK_copy;
    args[1] = kind == HD_CALLEE_SET ? LLVMBuildZExtOrBitCast(p->b, ops[1], p->i32, "")
                                    : hd_hooks_ptr(p, ops[1]);
    LLVMValueRef hook = hd_sym_call(s, which, args);
    hd_sym_past(s, LLVMBuildPtrToInt(p->b, to, p->i64, ""));
    *(struct hd_sym_block *)hd_vec_push(blocks) =
        (struct hd_sym_block){hook, {ops[0], ops[1], ops[2]}};
}
