/* Ids of computed values, and path conditions of branches. */
#include "pass/concolic/pass_sym.h"

#include "base/alloc.h"

static LLVMValueRef after(LLVMValueRef inst)
{
    LLVMValueRef next = LLVMGetNextInstruction(inst);
    while (next && LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    return next;
}

static enum hd_sym_op binary_op(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
        return HD_SYM_ADD;
    case LLVMSub:
        return HD_SYM_SUB;
    case LLVMMul:
        return HD_SYM_MUL;
    case LLVMUDiv:
        return HD_SYM_UDIV;
    case LLVMSDiv:
        return HD_SYM_SDIV;
    case LLVMURem:
        return HD_SYM_UREM;
    case LLVMSRem:
        return HD_SYM_SREM;
    case LLVMShl:
        return HD_SYM_SHL;
    case LLVMLShr:
        return HD_SYM_LSHR;
    case LLVMAShr:
        return HD_SYM_ASHR;
    case LLVMAnd:
        return HD_SYM_AND;
    case LLVMOr:
        return HD_SYM_OR;
    case LLVMXor:
        return HD_SYM_XOR;
    default:
        return HD_SYM_NONE;
    }
}

/* LLVMIntEQ .. LLVMIntSLE follow each other as EQ .. SLE do. */
static enum hd_sym_op compare_op(LLVMValueRef inst)
{
    return (enum hd_sym_op)(HD_SYM_EQ + (LLVMGetICmpPredicate(inst) - LLVMIntEQ));
}

LLVMValueRef hd_sym_build(struct hd_sym_fn *f, enum hd_sym_op op, unsigned width, LLVMValueRef *ids,
                          LLVMValueRef a, LLVMValueRef b, LLVMValueRef result)
{
    LLVMValueRef args[] = {hd_hooks_u32(f->s->p, (uint32_t)op | width << 8),
                           ids[0],
                           ids[1],
                           hd_sym_bits(f->s, a),
                           hd_sym_bits(f->s, b),
                           hd_sym_bits(f->s, result)};
    return hd_sym_call(f->s, HD_SYM_HOOK_binary, args);
}

static void binary(struct hd_sym_fn *f, LLVMValueRef inst, enum hd_sym_op op)
{
    LLVMValueRef a = LLVMGetOperand(inst, 0), b = LLVMGetOperand(inst, 1), at = after(inst);
    LLVMValueRef ids[] = {hd_sym_id(f, a), hd_sym_id(f, b)};
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(a));
    LLVMPositionBuilderBefore(f->s->p->b, at);
    LLVMValueRef any = width ? hd_sym_any(f, ids, 2) : NULL;
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    if (op >= HD_SYM_UDIV && op <= HD_SYM_SREM && !hd_sym_is_zero(f, ids[1]))
        hd_sym_call(f->s, HD_SYM_HOOK_check,
                    (LLVMValueRef[]){hd_hooks_u32(f->s->p, width), ids[1], hd_sym_bits(f->s, b)});
    LLVMValueRef id = hd_sym_build(f, op, width, ids, a, b, inst);
    hd_sym_set(f, inst, hd_sym_slow_end(f->s, slow, id, f->zero));
}

static void cast(struct hd_sym_fn *f, LLVMValueRef inst, LLVMOpcode op)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef from = LLVMGetOperand(inst, 0), id = hd_sym_id(f, from), at = after(inst);
    unsigned old = hd_sym_width(f->s, LLVMTypeOf(from)), new = hd_sym_width(f->s, LLVMTypeOf(inst));
    if (hd_sym_is_zero(f, id))
        return;
    if (new &&old == new) {
        hd_sym_set(f, inst, id);
        return;
    }
    LLVMPositionBuilderBefore(p->b, at);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, hd_sym_any(f, &id, 1));
    if (!new) {
        LLVMTypeKind to = LLVMGetTypeKind(LLVMTypeOf(inst));
        bool is_float = op == LLVMSIToFP || op == LLVMUIToFP || to == LLVMFloatTypeKind ||
                        to == LLVMDoubleTypeKind;
        hd_sym_drop(f, is_float ? HD_SYM_LOST_FLOAT : HD_SYM_LOST_WIDE);
        hd_sym_slow_end(f->s, slow, NULL, NULL);
        return;
    }
    enum hd_sym_op kind = new < old ? HD_SYM_EXTRACT : op == LLVMSExt ? HD_SYM_SEXT : HD_SYM_ZEXT;
    LLVMValueRef args[] = {hd_hooks_u32(p, (uint32_t)kind | new << 8), hd_hooks_u32(p, old), id,
                           hd_sym_bits(f->s, inst)};
    id = hd_sym_call(f->s, HD_SYM_HOOK_cast, args);
    hd_sym_set(f, inst, hd_sym_slow_end(f->s, slow, id, f->zero));
}

static void choose(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef v[3], ids[3], at = after(inst);
    for (unsigned i = 0; i < 3; i++) {
        v[i] = LLVMGetOperand(inst, i);
        ids[i] = hd_sym_id(f, v[i]);
    }
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(inst));
    LLVMPositionBuilderBefore(p->b, at);
    if (!width || LLVMTypeOf(v[0]) != f->s->i1 || !hd_sym_any(f, ids, 3))
        return;
    LLVMValueRef fast = f->zero;
    if (!hd_sym_is_zero(f, ids[1]) || !hd_sym_is_zero(f, ids[2]))
        fast = LLVMBuildSelect(p->b, v[0], ids[1], ids[2], "");
    if (hd_sym_is_zero(f, ids[0])) {
        hd_sym_set(f, inst, fast);
        return;
    }
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, hd_sym_any(f, ids, 1));
    LLVMValueRef cond =
        LLVMBuildShl(p->b, LLVMBuildZExt(p->b, v[0], p->i32, ""), hd_hooks_u32(p, 8), "");
    cond = LLVMBuildOr(p->b, cond, hd_hooks_u32(p, width), "");
    LLVMValueRef args[] = {
        cond, ids[0], ids[1], ids[2], hd_sym_bits(f->s, v[1]), hd_sym_bits(f->s, v[2])};
    LLVMValueRef id = hd_sym_call(f->s, HD_SYM_HOOK_select, args);
    hd_sym_set(f, inst, hd_sym_slow_end(f->s, slow, id, fast));
}

/* The byte offset that one index adds: index * scale. Moves *type to the element. */
static void index_of(struct hd_sym_fn *f, LLVMTypeRef *type, LLVMValueRef index, bool first,
                     LLVMValueRef *value, uint64_t *scale)
{
    struct hd_pass *p = f->s->p;
    if (!first && LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
        unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
        *value = hd_hooks_u64(p, LLVMOffsetOfElement(p->layout, *type, field));
        *scale = 1;
        *type = LLVMStructGetTypeAtIndex(*type, field);
        return;
    }
    if (!first)
        *type = LLVMGetElementType(*type);
    *scale = LLVMABISizeOfType(p->layout, *type);
    *value = index;
    if (LLVMTypeOf(index) != p->i64)
        *value = LLVMBuildSExtOrBitCast(p->b, index, p->i64, "");
}

static void address(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    unsigned n = (unsigned)LLVMGetNumOperands(inst);
    LLVMValueRef at = after(inst), any = NULL;
    if (!hd_sym_width(f->s, LLVMTypeOf(inst)))
        return;
    LLVMPositionBuilderBefore(p->b, at);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef id = hd_sym_id(f, LLVMGetOperand(inst, i));
        LLVMValueRef one = hd_sym_any(f, &id, 1);
        any = any && one ? LLVMBuildOr(p->b, any, one, "") : any ? any : one;
    }
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(inst);
    LLVMValueRef base = LLVMGetOperand(inst, 0), id = hd_sym_id(f, base);
    LLVMValueRef sum = hd_sym_bits(f->s, base);
    for (unsigned i = 1; i < n; i++) {
        LLVMValueRef value, index = LLVMGetOperand(inst, i);
        uint64_t scale;
        index_of(f, &type, index, i == 1, &value, &scale);
        LLVMValueRef factor = hd_hooks_u64(p, scale);
        id = hd_sym_call(f->s, HD_SYM_HOOK_offset,
                         (LLVMValueRef[]){id, sum, hd_sym_id(f, index), value, factor});
        sum = LLVMBuildAdd(p->b, sum, LLVMBuildMul(p->b, value, factor, ""), "");
    }
    LLVMValueRef object;
    uint64_t size = hd_sym_object(f, base, &object);
    if (size)
        hd_sym_call(f->s, HD_SYM_HOOK_based,
                    (LLVMValueRef[]){id, hd_hooks_ptr(p, object), hd_hooks_u64(p, size)});
    hd_sym_set(f, inst, hd_sym_slow_end(f->s, slow, id, f->zero));
}

void hd_sym_drop(struct hd_sym_fn *f, enum hd_sym_lost why)
{
    LLVMValueRef reason = hd_hooks_u32(f->s->p, why);
    hd_sym_call(f->s, HD_SYM_HOOK_drop, &reason);
}

/* An operation without a model: if an operand is symbolic, say so. */
static void not_modelled(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef at = after(inst);
    if (!at || LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVoidTypeKind)
        return;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++) {
        LLVMValueRef id = hd_sym_id(f, LLVMGetOperand(inst, i));
        if (hd_sym_is_zero(f, id))
            continue;
        LLVMPositionBuilderBefore(p->b, at);
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, hd_sym_any(f, &id, 1));
        hd_sym_drop(f, HD_SYM_LOST_OP);
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
}

void hd_sym_op(struct hd_sym_fn *f, LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    enum hd_sym_op kind = binary_op(op);
    uint32_t known;
    if (hd_map_get(&f->id_of, (uint64_t)(uintptr_t)inst, &known))
        return; /* a part of a pair: set with the pair */
    if (hd_sym_part_op(f, inst))
        return;
    if (kind != HD_SYM_NONE)
        binary(f, inst, kind);
    else if (op == LLVMICmp)
        binary(f, inst, compare_op(inst));
    else if (op == LLVMSelect)
        choose(f, inst);
    else if (op == LLVMGetElementPtr)
        address(f, inst);
    else if (op == LLVMFreeze)
        hd_sym_set(f, inst, hd_sym_id(f, LLVMGetOperand(inst, 0)));
    else if (LLVMIsACastInst(inst))
        cast(f, inst, op);
    else if (!LLVMIsATerminatorInst(inst) && op != LLVMAlloca)
        not_modelled(f, inst);
}

/* ---- branches ---- */

static uint32_t add_branch(struct hd_sym_fn *f, LLVMValueRef inst, uint32_t outcomes)
{
    struct hd_site site = {.kind = HD_SITE_BRANCH};
    hd_debug_place(f->f, inst, &site);
    struct hd_sym_branch *b = hd_vec_push(&f->s->branches);
    *b = (struct hd_sym_branch){f->s->n_outcomes, outcomes, site.file, site.func, site.line};
    f->s->n_outcomes += outcomes;
    return b->first;
}

static void cover(struct hd_sym_fn *f, LLVMValueRef outcome)
{
    struct hd_pass *p = f->s->p;
    if (f->s->models)
        return;
    LLVMValueRef at = LLVMBuildStructGEP2(p->b, f->s->module_type, f->s->module, 6, "");
    LLVMValueRef table = LLVMBuildLoad2(p->b, p->ptr, at, "");
    LLVMValueRef byte = LLVMBuildInBoundsGEP2(p->b, p->i8, table, &outcome, 1, "");
    LLVMBuildStore(p->b, LLVMConstInt(p->i8, 1, false), byte);
}

static LLVMValueRef module_ptr(struct hd_sym_fn *f)
{
    return LLVMConstBitCast(f->s->module, f->s->p->ptr);
}

static void two_ways(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef cond = LLVMGetCondition(inst), id = hd_sym_id(f, cond);
    if (LLVMIsConstant(cond))
        return;
    uint32_t first = add_branch(f, inst, 2);
    LLVMPositionBuilderBefore(p->b, inst);
    LLVMValueRef taken = LLVMBuildZExt(p->b, cond, p->i32, "");
    LLVMValueRef outcome = LLVMBuildAdd(p->b, taken, hd_hooks_u32(p, first), "");
    cover(f, LLVMBuildZExt(p->b, outcome, p->i64, ""));
    LLVMValueRef any = hd_sym_any(f, &id, 1);
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, inst, any);
    hd_sym_call(f->s, HD_SYM_HOOK_branch,
                (LLVMValueRef[]){module_ptr(f), hd_hooks_u32(p, first), id, taken});
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

/* The cases for the runtime: first outcome and their number, then the values. */
static LLVMValueRef case_table(struct hd_sym_fn *f, LLVMValueRef inst, uint32_t first, uint32_t n)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef *words = hd_alloc((n + 1) * sizeof *words);
    words[0] = hd_hooks_u64(p, (uint64_t)n << 32 | first);
    for (uint32_t i = 0; i < n; i++)
        words[i + 1] = hd_hooks_u64(p, LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2 + 2 * i)));
    LLVMValueRef init = LLVMConstArray(p->i64, words, n + 1);
    hd_free(words, (n + 1) * sizeof *words);
    LLVMValueRef table = LLVMAddGlobal(p->module, LLVMTypeOf(init), "heddle.cases");
    LLVMSetInitializer(table, init);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return LLVMConstBitCast(table, p->ptr);
}

static void many_ways(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef v = LLVMGetOperand(inst, 0), id = hd_sym_id(f, v);
    uint32_t n = (uint32_t)LLVMGetNumOperands(inst) / 2 - 1;
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(v));
    if (!width || LLVMIsConstant(v))
        return;
    uint32_t first = add_branch(f, inst, n + 1);
    LLVMPositionBuilderBefore(p->b, inst);
    LLVMValueRef outcome = hd_hooks_u64(p, (uint64_t)first + n);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef hit = LLVMBuildICmp(p->b, LLVMIntEQ, v, LLVMGetOperand(inst, 2 + 2 * i), "");
        outcome = LLVMBuildSelect(p->b, hit, hd_hooks_u64(p, (uint64_t)first + i), outcome, "");
    }
    cover(f, outcome);
    LLVMValueRef any = hd_sym_any(f, &id, 1);
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, inst, any);
    LLVMValueRef args[] = {module_ptr(f), case_table(f, inst, first, n), id, hd_sym_bits(f->s, v),
                           hd_hooks_u32(p, width)};
    hd_sym_call(f->s, HD_SYM_HOOK_switch, args);
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

void hd_sym_branch(struct hd_sym_fn *f, LLVMValueRef inst)
{
    if (LLVMIsASwitchInst(inst))
        many_ways(f, inst);
    else if (LLVMIsConditional(inst))
        two_ways(f, inst);
}
