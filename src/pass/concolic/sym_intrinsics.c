/* Ids of the intrinsics that optimised integer code is full of: minimum, maximum, absolute value,
 * rotation, bits, arithmetic that reports overflow. */
#include "pass/concolic/pass_sym.h"

#include <string.h>

static const struct {
    const char *prefix;
    enum hd_sym_op compare; /* the result is the first operand when this holds */
} choices[] = {
    {"llvm.umin.", HD_SYM_ULT},
    {"llvm.umax.", HD_SYM_UGT},
    {"llvm.smin.", HD_SYM_SLT},
    {"llvm.smax.", HD_SYM_SGT},
};

static const struct {
    const char *prefix;
    enum hd_sym_bits bits;
} bit_functions[] = {
    {"llvm.ctpop.", HD_SYM_BITS_COUNT},
    {"llvm.ctlz.", HD_SYM_BITS_LEAD},
    {"llvm.cttz.", HD_SYM_BITS_TRAIL},
    {"llvm.bswap.", HD_SYM_BITS_SWAP},
};

static const struct {
    const char *prefix;
    enum hd_sym_op op;
    bool is_signed;
} checked[] = {
    {"llvm.uadd.with.", HD_SYM_ADD, false}, {"llvm.sadd.with.", HD_SYM_ADD, true},
    {"llvm.usub.with.", HD_SYM_SUB, false}, {"llvm.ssub.with.", HD_SYM_SUB, true},
    {"llvm.umul.with.", HD_SYM_MUL, false}, {"llvm.smul.with.", HD_SYM_MUL, true},
};

static LLVMIntPredicate predicate(enum hd_sym_op op)
{
    return (LLVMIntPredicate)(LLVMIntEQ + (op - HD_SYM_EQ));
}

/* In a slow block: c ? a : b, where c is `op` on a and x. */
static LLVMValueRef pick(struct hd_sym_fn *f, enum hd_sym_op op, LLVMValueRef *v, LLVMValueRef *ids)
{
    struct hd_pass *p = f->s->p;
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(v[0]));
    LLVMValueRef holds = LLVMBuildICmp(p->b, predicate(op), v[0], v[1], "");
    LLVMValueRef cond = hd_sym_build(f, op, width, ids, v[0], v[1], holds);
    LLVMValueRef flag =
        LLVMBuildShl(p->b, LLVMBuildZExt(p->b, holds, p->i32, ""), hd_hooks_u32(p, 8), "");
    LLVMValueRef args[] = {LLVMBuildOr(p->b, flag, hd_hooks_u32(p, width), ""),
                           cond,
                           ids[0],
                           ids[2],
                           hd_sym_bits(f->s, v[0]),
                           hd_sym_bits(f->s, v[2])};
    return hd_sym_call(f->s, HD_SYM_HOOK_select, args);
}

static LLVMValueRef absolute(struct hd_sym_fn *f, LLVMValueRef v, LLVMValueRef id)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v)), minus = LLVMBuildSub(p->b, zero, v, "");
    LLVMValueRef ids[] = {f->zero, id};
    LLVMValueRef negated =
        hd_sym_build(f, HD_SYM_SUB, hd_sym_width(f->s, LLVMTypeOf(v)), ids, zero, v, minus);
    LLVMValueRef values[] = {v, zero, minus}, all[] = {id, f->zero, negated};
    return pick(f, HD_SYM_SGE, values, all);
}

/* fshl(a, b, n) by a constant: a << n | b >> (width - n). */
static LLVMValueRef funnel(struct hd_sym_fn *f, LLVMValueRef *v, LLVMValueRef *ids, bool left)
{
    struct hd_pass *p = f->s->p;
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    unsigned width = hd_sym_width(f->s, type);
    uint64_t n = LLVMConstIntGetZExtValue(v[2]) % width;
    if (n == 0)
        return left ? ids[0] : ids[1];
    LLVMValueRef up = LLVMConstInt(type, left ? n : width - n, false);
    LLVMValueRef down = LLVMConstInt(type, left ? width - n : n, false);
    LLVMValueRef high = LLVMBuildShl(p->b, v[0], up, ""), low = LLVMBuildLShr(p->b, v[1], down, "");
    LLVMValueRef id_a[] = {ids[0], f->zero}, id_b[] = {ids[1], f->zero};
    LLVMValueRef parts[] = {hd_sym_build(f, HD_SYM_SHL, width, id_a, v[0], up, high),
                            hd_sym_build(f, HD_SYM_LSHR, width, id_b, v[1], down, low)};
    return hd_sym_build(f, HD_SYM_OR, width, parts, high, low, LLVMBuildOr(p->b, high, low, ""));
}

static LLVMValueRef compute(struct hd_sym_fn *f, LLVMValueRef call, const char *name,
                            LLVMValueRef *v, LLVMValueRef *ids)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strncmp(name, choices[i].prefix, strlen(choices[i].prefix)) == 0) {
            LLVMValueRef values[] = {v[0], v[1], v[1]}, all[] = {ids[0], ids[1], ids[1]};
            return pick(f, choices[i].compare, values, all);
        }
    if (strncmp(name, "llvm.abs.", 9) == 0)
        return absolute(f, v[0], ids[0]);
    bool left = strncmp(name, "llvm.fshl.", 10) == 0;
    if ((left || strncmp(name, "llvm.fshr.", 10) == 0) && LLVMIsAConstantInt(v[2]))
        return funnel(f, v, ids, left);
    for (size_t i = 0; i < sizeof bit_functions / sizeof *bit_functions; i++)
        if (strncmp(name, bit_functions[i].prefix, strlen(bit_functions[i].prefix)) == 0 &&
            hd_sym_width(f->s, LLVMTypeOf(call))) {
            unsigned width = hd_sym_width(f->s, LLVMTypeOf(v[0]));
            LLVMValueRef args[] = {hd_hooks_u32(f->s->p, bit_functions[i].bits | width << 8),
                                   ids[0], hd_sym_bits(f->s, v[0]), hd_sym_bits(f->s, call)};
            return hd_sym_call(f->s, HD_SYM_HOOK_bits, args);
        }
    hd_sym_drop(f, HD_SYM_LOST_OP);
    return f->zero;
}

/* A result and whether it overflowed. False: not such an intrinsic. */
static bool with_overflow(struct hd_sym_fn *f, LLVMValueRef call, const char *name)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
    LLVMValueRef at = LLVMGetNextInstruction(call), ids[] = {hd_sym_id(f, a), hd_sym_id(f, b)};
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(a)), i = 0;
    struct hd_sym_pair pair;
    while (i < 6 && strncmp(name, checked[i].prefix, strlen(checked[i].prefix)) != 0)
        i++;
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef any = i < 6 && width ? hd_sym_any(f, ids, 2) : NULL;
    if (!any)
        return false;
    LLVMValueRef parts[] = {LLVMBuildExtractValue(p->b, call, 0, ""),
                            LLVMBuildExtractValue(p->b, call, 1, "")};
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    uint32_t op = (uint32_t)checked[i].op | width << 8 | (uint32_t)checked[i].is_signed << 16;
    pair.id[0] = hd_sym_build(f, checked[i].op, width, ids, a, b, parts[0]);
    LLVMValueRef args[] = {
        hd_hooks_u32(p, op),        ids[0], ids[1], hd_sym_bits(f->s, a), hd_sym_bits(f->s, b),
        hd_sym_bits(f->s, parts[1])};
    pair.id[1] = hd_sym_call(f->s, HD_SYM_HOOK_overflow, args);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(p->b);
    pair.id[0] = hd_sym_slow_end(f->s, slow, pair.id[0], f->zero);
    LLVMPositionBuilderBefore(p->b, pair.id[0]);
    LLVMValueRef second = LLVMBuildPhi(p->b, p->i32, "");
    LLVMAddIncoming(second, (LLVMValueRef[]){pair.id[1], f->zero},
                    (LLVMBasicBlockRef[]){from, slow.head}, 2);
    pair.id[1] = second;
    hd_sym_set_pair(f, call, pair);
    return true;
}

void hd_sym_intrinsic(struct hd_sym_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    size_t len;
    const char *name = LLVMGetValueName2(hd_calls_function(call), &len);
    LLVMValueRef v[3], ids[3], at = LLVMGetNextInstruction(call);
    unsigned n = LLVMGetNumArgOperands(call);
    if (strncmp(name, "llvm.lifetime.start", 19) == 0)
        hd_sym_lifetime(f, call);
    if (strncmp(name, "llvm.va_start", 13) == 0)
        hd_sym_dots(f, call);
    if (kind == HD_CALLEE_IGNORED || n == 0 || n > 3 || !LLVMIsACallInst(call))
        return;
    if (strncmp(name, "llvm.expect", 11) == 0) {
        hd_sym_set(f, call, hd_sym_id(f, LLVMGetOperand(call, 0)));
        return;
    }
    if (n == 2 && with_overflow(f, call, name))
        return;
    for (unsigned i = 0; i < n; i++) {
        v[i] = LLVMGetOperand(call, i);
        ids[i] = hd_sym_id(f, v[i]);
    }
    LLVMPositionBuilderBefore(f->s->p->b, at);
    LLVMValueRef any = hd_sym_any(f, ids, n);
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    LLVMValueRef id = compute(f, call, name, v, ids);
    id = hd_sym_slow_end(f->s, slow, id, f->zero);
    if (hd_sym_width(f->s, LLVMTypeOf(call)))
        hd_sym_set(f, call, id);
}
