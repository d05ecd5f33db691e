/* Ids of structs in registers that hold one or two numbers: what small structs become when they are
 * returned, and the results of arithmetic that reports overflow. */
#include "pass/concolic/pass_sym.h"

unsigned hd_sym_parts(struct hd_sym_pass *s, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return 0;
    unsigned n = LLVMCountStructElementTypes(type);
    for (unsigned i = 0; i < n; i++)
        if (n > 2 || !hd_sym_width(s, LLVMStructGetTypeAtIndex(type, i)))
            return 0;
    return n;
}

struct hd_sym_pair hd_sym_pair(struct hd_sym_fn *f, LLVMValueRef v)
{
    uint32_t index;
    if (!hd_map_get(&f->pair_of, (uint64_t)(uintptr_t)v, &index))
        return (struct hd_sym_pair){{f->zero, f->zero}};
    return *(struct hd_sym_pair *)hd_vec_at(&f->pairs, index);
}

void hd_sym_set_pair(struct hd_sym_fn *f, LLVMValueRef v, struct hd_sym_pair pair)
{
    *hd_map_put(&f->pair_of, (uint64_t)(uintptr_t)v, NULL) = (uint32_t)f->pairs.len;
    *(struct hd_sym_pair *)hd_vec_push(&f->pairs) = pair;
}

static void insert(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_sym_pair pair = hd_sym_pair(f, LLVMGetOperand(inst, 0));
    if (LLVMGetNumIndices(inst) == 1)
        pair.id[LLVMGetIndices(inst)[0]] = hd_sym_id(f, LLVMGetOperand(inst, 1));
    hd_sym_set_pair(f, inst, pair);
}

/* A choice between two structs; one that depends on input is lost. */
static void choose(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef cond = LLVMGetOperand(inst, 0), id = hd_sym_id(f, cond), at;
    struct hd_sym_pair a = hd_sym_pair(f, LLVMGetOperand(inst, 1)), pair;
    struct hd_sym_pair b = hd_sym_pair(f, LLVMGetOperand(inst, 2));
    at = LLVMGetNextInstruction(inst);
    LLVMPositionBuilderBefore(p->b, at);
    for (int i = 0; i < 2; i++)
        pair.id[i] = LLVMBuildSelect(p->b, cond, a.id[i], b.id[i], "");
    hd_sym_set_pair(f, inst, pair);
    LLVMValueRef any = hd_sym_any(f, &id, 1);
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    hd_sym_drop(f, HD_SYM_LOST_WIDE);
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

bool hd_sym_part_op(struct hd_sym_fn *f, LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    if (op == LLVMExtractValue && hd_sym_parts(f->s, LLVMTypeOf(LLVMGetOperand(inst, 0)))) {
        struct hd_sym_pair pair = hd_sym_pair(f, LLVMGetOperand(inst, 0));
        hd_sym_set(f, inst, pair.id[LLVMGetIndices(inst)[0]]);
        return true;
    }
    if (!hd_sym_parts(f->s, LLVMTypeOf(inst)))
        return false;
    if (op == LLVMInsertValue)
        insert(f, inst);
    else if (op == LLVMSelect && LLVMTypeOf(LLVMGetOperand(inst, 0)) == f->s->i1)
        choose(f, inst);
    else if (op == LLVMFreeze)
        hd_sym_set_pair(f, inst, hd_sym_pair(f, LLVMGetOperand(inst, 0)));
    else
        return false;
    return true;
}

void hd_sym_part_phi(struct hd_sym_fn *f, LLVMValueRef phi)
{
    struct hd_pass *p = f->s->p;
    struct hd_sym_pair pair;
    LLVMPositionBuilderBefore(p->b, phi);
    for (int i = 0; i < 2; i++) {
        pair.id[i] = LLVMBuildPhi(p->b, p->i32, "");
        *(struct hd_sym_phi *)hd_vec_push(&f->phis) = (struct hd_sym_phi){phi, pair.id[i], i};
    }
    hd_sym_set_pair(f, phi, pair);
}

/* The address of part i of a struct at ptr, at the builder. */
static LLVMValueRef part_address(struct hd_sym_fn *f, LLVMValueRef ptr, LLVMTypeRef type,
                                 unsigned i)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef offset = hd_hooks_u64(p, LLVMOffsetOfElement(p->layout, type, i));
    return LLVMBuildInBoundsGEP2(p->b, p->i8, hd_hooks_ptr(p, ptr), &offset, 1, "");
}

void hd_sym_part_load(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), at = LLVMGetNextInstruction(inst);
    struct hd_sym_pair pair = {{f->zero, f->zero}};
    for (unsigned i = 0; i < hd_sym_parts(f->s, type); i++) {
        LLVMPositionBuilderBefore(p->b, at);
        LLVMValueRef value = LLVMBuildExtractValue(p->b, inst, i, "");
        pair.id[i] = hd_sym_loaded(f, at, part_address(f, ptr, type, i), value);
    }
    hd_sym_set_pair(f, inst, pair);
}

void hd_sym_part_store(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef value = LLVMGetOperand(inst, 0), ptr = LLVMGetOperand(inst, 1);
    LLVMTypeRef type = LLVMTypeOf(value);
    struct hd_sym_pair pair = hd_sym_pair(f, value);
    for (unsigned i = 0; i < hd_sym_parts(f->s, type); i++) {
        LLVMPositionBuilderBefore(p->b, inst);
        LLVMValueRef part = LLVMBuildExtractValue(p->b, value, i, "");
        hd_sym_stored(f, inst, part_address(f, ptr, type, i), part, pair.id[i]);
    }
}
