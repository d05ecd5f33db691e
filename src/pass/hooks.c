#include "pass/pass.h"

enum hook_type { TYPE_SITE, TYPE_PTR, TYPE_TOK, TYPE_U64, TYPE_U32, TYPE_VOID, TYPE_MODULE };

#define HD_K0()                 TYPE_VOID
#define HD_K1(a)                TYPE_##a
#define HD_K2(a, b)             TYPE_##a, TYPE_##b
#define HD_K3(a, b, c)          TYPE_##a, TYPE_##b, TYPE_##c
#define HD_K4(a, b, c, d)       TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d
#define HD_K5(a, b, c, d, e)    TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e
#define HD_K6(a, b, c, d, e, f) TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e, TYPE_##f

static const struct hook_sig {
    const char *symbol;
    enum hook_type ret;
    unsigned n;
    enum hook_type args[6];
} signatures[] = {
#define HD_HOOK_SIG(name, ret, n, args, text) {"__hd_" #name, TYPE_##ret, n, {HD_K##n args}},
    HD_HOOKS(HD_HOOK_SIG)
#undef HD_HOOK_SIG
};

static LLVMTypeRef type_of(struct hd_pass *p, enum hook_type t)
{
    switch (t) {
    case TYPE_TOK:
    case TYPE_U64:
        return p->i64;
    case TYPE_U32:
        return p->i32;
    case TYPE_VOID:
        return p->void_type;
    default:
        return p->ptr;
    }
}

static void add_attribute(struct hd_pass *p, LLVMValueRef fn, const char *name, size_t len)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, len);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(p->ctx, kind, 0));
}

static void declare_hook(struct hd_pass *p, unsigned i)
{
    const struct hook_sig *sig = &signatures[i];
    LLVMTypeRef args[6];
    for (unsigned k = 0; k < sig->n; k++)
        args[k] = type_of(p, sig->args[k]);
    p->hook_type[i] = LLVMFunctionType(type_of(p, sig->ret), args, sig->n, false);
    p->hook[i] = LLVMGetNamedFunction(p->module, sig->symbol);
    if (!p->hook[i])
        p->hook[i] = LLVMAddFunction(p->module, sig->symbol, p->hook_type[i]);
    add_attribute(p, p->hook[i], "nounwind", 8);
    add_attribute(p, p->hook[i], "nonlazybind", 11); /* hot: no detour over the linkage table */
}

void hd_hooks_init(struct hd_pass *p)
{
    p->i8 = LLVMInt8TypeInContext(p->ctx);
    p->i16 = LLVMInt16TypeInContext(p->ctx);
    p->i32 = LLVMInt32TypeInContext(p->ctx);
    p->i64 = LLVMInt64TypeInContext(p->ctx);
    p->ptr = LLVMPointerType(p->i8, 0);
    p->void_type = LLVMVoidTypeInContext(p->ctx);
    for (unsigned i = 0; i < HD_HOOK_COUNT; i++)
        declare_hook(p, i);
    LLVMTypeRef fields[] = {p->i32, p->i32, p->ptr,
                            p->ptr, p->i64, LLVMArrayType(p->i64, HD_FLOW_ARGS)};
    p->flow_type = LLVMStructTypeInContext(p->ctx, fields, 6, false);
    HD_ASSERT(LLVMABISizeOfType(p->layout, p->flow_type) == offsetof(struct hd_flow, thread));
    p->flow = LLVMGetNamedGlobal(p->module, "__hd_flow");
    if (!p->flow)
        p->flow = LLVMAddGlobal(p->module, p->flow_type, "__hd_flow");
    LLVMSetThreadLocalMode(p->flow, LLVMInitialExecTLSModel);
}

LLVMValueRef hd_hooks_u64(struct hd_pass *p, uint64_t x)
{
    return LLVMConstInt(p->i64, x, false);
}

LLVMValueRef hd_hooks_u32(struct hd_pass *p, uint32_t x)
{
    return LLVMConstInt(p->i32, x, false);
}

LLVMValueRef hd_hooks_tok(struct hd_pass *p, hd_tok tok)
{
    return hd_hooks_u64(p, tok);
}

LLVMValueRef hd_hooks_ptr(struct hd_pass *p, LLVMValueRef v)
{
    if (LLVMTypeOf(v) == p->ptr)
        return v;
    return LLVMIsConstant(v) ? LLVMConstBitCast(v, p->ptr) : LLVMBuildBitCast(p->b, v, p->ptr, "");
}

LLVMValueRef hd_hooks_call(struct hd_fn *f, enum hd_hook hook, LLVMValueRef *args)
{
    f->hooked = true;
    return LLVMBuildCall2(f->p->b, f->p->hook_type[hook], f->p->hook[hook], args,
                          signatures[hook].n, "");
}

LLVMValueRef hd_hooks_flow(struct hd_pass *p, unsigned field, unsigned index)
{
    LLVMValueRef path[] = {hd_hooks_u32(p, 0), hd_hooks_u32(p, field), hd_hooks_u32(p, index)};
    return LLVMConstInBoundsGEP2(p->flow_type, p->flow, path, field == 5 ? 3 : 2);
}

LLVMValueRef hd_hooks_slot(struct hd_fn *f, LLVMTypeRef type)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(f->p->ctx);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->fn)));
    LLVMValueRef slot = LLVMBuildAlloca(b, type, "");
    LLVMDisposeBuilder(b);
    return slot;
}

void hd_hooks_after(LLVMBuilderRef b, LLVMValueRef inst)
{
    LLVMValueRef next = LLVMGetNextInstruction(inst);
    while (next && (LLVMIsAPHINode(next) || LLVMIsALandingPadInst(next)))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(b, next);
}
