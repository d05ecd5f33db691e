/* Ids of one function, the hooks, and the module's record. */
#include "pass/concolic/pass_sym.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum sym_type { TYPE_PTR, TYPE_U64, TYPE_U32, TYPE_VOID };

#define K1(a)                TYPE_##a
#define K2(a, b)             TYPE_##a, TYPE_##b
#define K3(a, b, c)          TYPE_##a, TYPE_##b, TYPE_##c
#define K4(a, b, c, d)       TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d
#define K5(a, b, c, d, e)    TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e
#define K6(a, b, c, d, e, f) TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d, TYPE_##e, TYPE_##f

static const struct {
    const char *symbol;
    enum sym_type ret;
    unsigned n;
    enum sym_type args[6];
} signatures[] = {
#define HD_SYM_SIG(name, ret, n, args, text) {"__hd_sym_" #name, TYPE_##ret, n, {K##n args}},
    HD_SYM_HOOKS(HD_SYM_SIG)
#undef HD_SYM_SIG
};

bool hd_sym_wanted(void)
{
    return getenv("HEDDLE_PASS_CONCOLIC") != NULL;
}

static LLVMTypeRef type_of(struct hd_pass *p, enum sym_type t)
{
    switch (t) {
    case TYPE_PTR:
        return p->ptr;
    case TYPE_U64:
        return p->i64;
    case TYPE_U32:
        return p->i32;
    default:
        return p->void_type;
    }
}

static LLVMValueRef find_global(struct hd_pass *p, LLVMTypeRef type, const char *name)
{
    LLVMValueRef v = LLVMGetNamedGlobal(p->module, name);
    return v ? v : LLVMAddGlobal(p->module, type, name);
}

static void declare_hooks(struct hd_sym_pass *s)
{
    struct hd_pass *p = s->p;
    for (unsigned i = 0; i < HD_SYM_HOOK_COUNT; i++) {
        LLVMTypeRef args[6];
        for (unsigned k = 0; k < signatures[i].n; k++)
            args[k] = type_of(p, signatures[i].args[k]);
        s->hook_type[i] =
            LLVMFunctionType(type_of(p, signatures[i].ret), args, signatures[i].n, false);
        s->hook[i] = LLVMGetNamedFunction(p->module, signatures[i].symbol);
        if (!s->hook[i])
            s->hook[i] = LLVMAddFunction(p->module, signatures[i].symbol, s->hook_type[i]);
        unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
        LLVMAddAttributeAtIndex(s->hook[i], LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(p->ctx, kind, 0));
    }
}

void hd_sym_init(struct hd_sym_pass *s, struct hd_pass *p)
{
    *s = (struct hd_sym_pass){.p = p, .branches = HD_VEC_INIT(struct hd_sym_branch)};
    s->models = strcmp(getenv("HEDDLE_PASS_CONCOLIC"), "models") == 0;
    s->i1 = LLVMInt1TypeInContext(p->ctx);
    declare_hooks(s);
    LLVMTypeRef flow[] = {p->ptr,
                          p->ptr,
                          p->i32,
                          p->i32,
                          LLVMArrayType(p->i32, HD_SYM_ARGS),
                          LLVMArrayType(p->ptr, HD_SYM_BLOCKS)};
    s->flow_type = LLVMStructTypeInContext(p->ctx, flow, 6, false);
    s->flow = find_global(p, s->flow_type, "__hd_sym_flow");
    LLVMSetThreadLocalMode(s->flow, LLVMInitialExecTLSModel);
    s->filter_type = LLVMArrayType(p->i8, 65536);
    s->filter = find_global(p, s->filter_type, "__hd_sym_filter");
    s->past = find_global(p, p->i64, "__hd_sym_past");
    s->inside = find_global(p, p->i64, "__hd_sym_inside");
    s->shapes = find_global(p, LLVMPointerType(p->i32, 0), "__hd_sym_shapes");
    LLVMTypeRef record[] = {p->i32, p->i32, p->i32, p->i32, p->i32,
                            p->i32, p->ptr, p->ptr, p->ptr, p->i64};
    s->module_type = LLVMStructTypeInContext(p->ctx, record, 10, false);
    s->module = LLVMAddGlobal(p->module, s->module_type, "heddle.sym");
    LLVMSetLinkage(s->module, LLVMInternalLinkage);
}

/* ---- the module's record ---- */

static LLVMValueRef table(struct hd_pass *p, LLVMValueRef init, const char *name)
{
    LLVMValueRef t = LLVMAddGlobal(p->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(t, init);
    LLVMSetLinkage(t, LLVMInternalLinkage);
    return LLVMConstBitCast(t, p->ptr);
}

static LLVMValueRef branch_table(struct hd_sym_pass *s)
{
    struct hd_pass *p = s->p;
    size_t n = s->branches.len * 5;
    LLVMValueRef *words = hd_alloc((n + 1) * sizeof *words);
    for (size_t i = 0; i < s->branches.len; i++) {
        const struct hd_sym_branch *b = hd_vec_at(&s->branches, i);
        uint32_t row[] = {b->first, b->outcomes, (uint32_t)p->strings.start[b->file],
                          (uint32_t)p->strings.start[b->func], b->line};
        for (unsigned k = 0; k < 5; k++)
            words[i * 5 + k] = hd_hooks_u32(p, row[k]);
    }
    words[n] = hd_hooks_u32(p, 0);
    LLVMValueRef t = table(p, LLVMConstArray(p->i32, words, (unsigned)n + 1), "heddle.branches");
    hd_free(words, (n + 1) * sizeof *words);
    return t;
}

static LLVMValueRef strings_table(struct hd_pass *p)
{
    LLVMValueRef bytes =
        LLVMConstStringInContext(p->ctx, p->strings.text, (unsigned)p->strings.text_len, true);
    return table(p, bytes, "heddle.sym.strings");
}

static void fill_record(struct hd_sym_pass *s)
{
    struct hd_pass *p = s->p;
    LLVMTypeRef bytes = LLVMArrayType(p->i8, s->n_outcomes + 1);
    LLVMValueRef fields[] = {
        hd_hooks_u32(p, HD_SYM_VERSION),
        hd_hooks_u32(p, (uint32_t)s->branches.len),
        hd_hooks_u32(p, s->n_outcomes),
        hd_hooks_u32(p, s->models),
        hd_hooks_u32(p, 0),
        hd_hooks_u32(p, 0),
        table(p, LLVMConstNull(bytes), "heddle.cover"),
        branch_table(s),
        strings_table(p),
        hd_hooks_u64(p, p->strings.text_len),
    };
    LLVMSetInitializer(s->module, LLVMConstStructInContext(p->ctx, fields, 10, false));
}

static void drop_unused(struct hd_sym_pass *s)
{
    LLVMValueRef globals[] = {s->flow, s->filter, s->past, s->inside, s->shapes};
    for (unsigned i = 0; i < HD_SYM_HOOK_COUNT; i++)
        if (!LLVMGetFirstUse(s->hook[i]))
            LLVMDeleteFunction(s->hook[i]);
    for (unsigned i = 0; i < sizeof globals / sizeof *globals; i++)
        if (!LLVMGetFirstUse(globals[i]))
            LLVMDeleteGlobal(globals[i]);
}

void hd_sym_emit(struct hd_sym_pass *s)
{
    struct hd_pass *p = s->p;
    fill_record(s);
    LLVMTypeRef type = LLVMFunctionType(p->void_type, NULL, 0, false);
    LLVMValueRef fn = LLVMAddFunction(p->module, "heddle.sym_ctor", type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(p->b, LLVMAppendBasicBlockInContext(p->ctx, fn, "entry"));
    LLVMSetCurrentDebugLocation2(p->b, NULL);
    hd_sym_call(s, HD_SYM_HOOK_module, (LLVMValueRef[]){LLVMConstBitCast(s->module, p->ptr)});
    LLVMBuildRetVoid(p->b);
    hd_sites_constructor(p, fn);
    drop_unused(s);
    hd_vec_fini(&s->branches);
}

/* ---- small builders ---- */

LLVMValueRef hd_sym_call(struct hd_sym_pass *s, enum hd_sym_hook hook, LLVMValueRef *args)
{
    return LLVMBuildCall2(s->p->b, s->hook_type[hook], s->hook[hook], args, signatures[hook].n, "");
}

LLVMValueRef hd_sym_flow(struct hd_sym_pass *s, unsigned field, unsigned index)
{
    struct hd_pass *p = s->p;
    LLVMValueRef path[] = {hd_hooks_u32(p, 0), hd_hooks_u32(p, field), hd_hooks_u32(p, index)};
    return LLVMConstInBoundsGEP2(s->flow_type, s->flow, path, field >= 4 ? 3 : 2);
}

unsigned hd_sym_width(struct hd_sym_pass *s, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMPointerTypeKind)
        return LLVMGetPointerAddressSpace(type) == 0 ? 64 : 0;
    if (kind != LLVMIntegerTypeKind)
        return 0;
    (void)s;
    unsigned bits = LLVMGetIntTypeWidth(type);
    return bits <= 64 ? bits : 0;
}

LLVMValueRef hd_sym_bits(struct hd_sym_pass *s, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(s->p->b, v, s->p->i64, "");
    return type == s->p->i64 ? v : LLVMBuildZExt(s->p->b, v, s->p->i64, "");
}

LLVMValueRef hd_sym_any(struct hd_sym_fn *f, LLVMValueRef *ids, unsigned n)
{
    LLVMValueRef sum = NULL;
    for (unsigned i = 0; i < n; i++) {
        if (hd_sym_is_zero(f, ids[i]))
            continue;
        sum = sum ? LLVMBuildOr(f->s->p->b, sum, ids[i], "") : ids[i];
    }
    return sum ? LLVMBuildICmp(f->s->p->b, LLVMIntNE, sum, f->zero, "") : NULL;
}

LLVMValueRef hd_sym_flagged(struct hd_sym_pass *s, LLVMValueRef ptr)
{
    struct hd_pass *p = s->p;
    LLVMValueRef page =
        LLVMBuildLShr(p->b, LLVMBuildPtrToInt(p->b, ptr, p->i64, ""), hd_hooks_u64(p, 12), "");
    page = LLVMBuildAnd(p->b, page, hd_hooks_u64(p, 0xffff), "");
    LLVMValueRef path[] = {hd_hooks_u64(p, 0), page};
    LLVMValueRef at = LLVMBuildInBoundsGEP2(p->b, s->filter_type, s->filter, path, 2, "");
    LLVMValueRef mark = LLVMBuildLoad2(p->b, p->i8, at, "");
    return LLVMBuildICmp(p->b, LLVMIntNE, mark, LLVMConstInt(p->i8, 0, false), "");
}

struct hd_sym_slow hd_sym_slow_begin(struct hd_sym_pass *s, LLVMValueRef at, LLVMValueRef cond)
{
    struct hd_sym_slow slow = {at, LLVMGetInstructionParent(at)};
    LLVMPositionBuilderBefore(s->p->b, hd_shim_split(at, cond));
    return slow;
}

LLVMValueRef hd_sym_slow_end(struct hd_sym_pass *s, struct hd_sym_slow slow, LLVMValueRef slow_id,
                             LLVMValueRef fast_id)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(s->p->b);
    LLVMPositionBuilderBefore(s->p->b, slow.tail);
    if (!slow_id)
        return NULL;
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetInstructionParent(slow.tail));
    LLVMPositionBuilderBefore(s->p->b, first);
    LLVMValueRef phi = LLVMBuildPhi(s->p->b, LLVMTypeOf(slow_id), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){slow_id, fast_id}, (LLVMBasicBlockRef[]){from, slow.head},
                    2);
    LLVMPositionBuilderBefore(s->p->b, slow.tail);
    return phi;
}

static void mix(struct hd_sym_pass *s, LLVMValueRef hash, LLVMValueRef what)
{
    struct hd_pass *p = s->p;
    LLVMValueRef old = LLVMBuildLoad2(p->b, p->i64, hash, "");
    LLVMValueRef mixed = LLVMBuildXor(p->b, old, what, "");
    mixed = LLVMBuildMul(p->b, mixed, hd_hooks_u64(p, UINT64_C(0x9e3779b97f4a7c15)), "");
    LLVMValueRef high = LLVMBuildLShr(p->b, mixed, hd_hooks_u64(p, 29), "");
    LLVMBuildStore(p->b, LLVMBuildXor(p->b, mixed, high, ""), hash);
}

void hd_sym_past(struct hd_sym_pass *s, LLVMValueRef what)
{
    mix(s, s->past, what);
}

void hd_sym_inside(struct hd_sym_pass *s, LLVMValueRef what)
{
    mix(s, s->models ? s->inside : s->past, what);
}

LLVMValueRef hd_sym_seen(struct hd_sym_fn *f, LLVMValueRef v)
{
    struct hd_pass *p = f->s->p;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (kind == LLVMDoubleTypeKind)
        return LLVMBuildBitCast(p->b, v, p->i64, "");
    if (hd_sym_width(f->s, LLVMTypeOf(v)) == 0)
        return hd_hooks_u64(p, 1);
    LLVMValueRef bits = hd_sym_bits(f->s, v), id = hd_sym_id(f, v);
    if (hd_sym_is_zero(f, id))
        return bits;
    LLVMValueRef shapes = LLVMBuildLoad2(p->b, LLVMPointerType(p->i32, 0), f->s->shapes, "");
    LLVMValueRef at = LLVMBuildInBoundsGEP2(p->b, p->i32, shapes, &id, 1, "");
    LLVMValueRef shape = LLVMBuildZExt(p->b, LLVMBuildLoad2(p->b, p->i32, at, ""), p->i64, "");
    LLVMValueRef none = LLVMBuildICmp(p->b, LLVMIntEQ, id, f->zero, "");
    return LLVMBuildSelect(p->b, none, bits, shape, "");
}

/* ---- one function ---- */

bool hd_sym_is_zero(struct hd_sym_fn *f, LLVMValueRef id)
{
    return id == f->zero;
}

LLVMValueRef hd_sym_id(struct hd_sym_fn *f, LLVMValueRef v)
{
    uint32_t index;
    if (!hd_map_get(&f->id_of, (uint64_t)(uintptr_t)v, &index))
        return f->zero;
    return *(LLVMValueRef *)hd_vec_at(&f->ids, index);
}

void hd_sym_set(struct hd_sym_fn *f, LLVMValueRef v, LLVMValueRef id)
{
    *hd_map_put(&f->id_of, (uint64_t)(uintptr_t)v, NULL) = (uint32_t)f->ids.len;
    *(LLVMValueRef *)hd_vec_push(&f->ids) = id;
}

static bool is_tainted(struct hd_sym_fn *f, LLVMValueRef v)
{
    uint32_t mark;
    return hd_map_get(&f->f->tainted, (uint64_t)(uintptr_t)v, &mark);
}

/* A model's own state is the present values of its phis, not how they came about: its paths meet
 * again. Each phi has a slot for what it adds to the hash. */
static void now_inside(struct hd_sym_fn *f, LLVMValueRef seen)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef slot = hd_hooks_slot(f->f, p->i64);
    uint64_t number = f->inside.len + 1;
    *(LLVMValueRef *)hd_vec_push(&f->inside) = slot;
    LLVMValueRef mixed = LLVMBuildXor(p->b, seen, hd_hooks_u64(p, number << 56), "");
    mixed = LLVMBuildMul(p->b, mixed, hd_hooks_u64(p, UINT64_C(0x9e3779b97f4a7c15)), "");
    mixed = LLVMBuildXor(p->b, mixed, LLVMBuildLShr(p->b, mixed, hd_hooks_u64(p, 29), ""), "");
    LLVMValueRef change = LLVMBuildSub(p->b, mixed, LLVMBuildLoad2(p->b, p->i64, slot, ""), "");
    LLVMValueRef all = LLVMBuildLoad2(p->b, p->i64, f->s->inside, "");
    LLVMBuildStore(p->b, LLVMBuildAdd(p->b, all, change, ""), f->s->inside);
    LLVMBuildStore(p->b, mixed, slot);
}

/* At its start a function of a model adds nothing, and when it returns it takes away what it has
 * added. */
static void finish_inside(struct hd_sym_fn *f)
{
    struct hd_pass *p = f->s->p;
    for (size_t i = 0; i < f->inside.len; i++) {
        LLVMPositionBuilderBefore(p->b, f->entry);
        LLVMBuildStore(p->b, hd_hooks_u64(p, 0), *(LLVMValueRef *)hd_vec_at(&f->inside, i));
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->f->fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsAReturnInst(end))
            continue;
        LLVMPositionBuilderBefore(p->b, end);
        for (size_t i = 0; i < f->inside.len; i++) {
            LLVMValueRef slot = *(LLVMValueRef *)hd_vec_at(&f->inside, i);
            LLVMValueRef all = LLVMBuildLoad2(p->b, p->i64, f->s->inside, "");
            all = LLVMBuildSub(p->b, all, LLVMBuildLoad2(p->b, p->i64, slot, ""), "");
            LLVMBuildStore(p->b, all, f->s->inside);
        }
    }
}

static void phi_id(struct hd_sym_fn *f, LLVMValueRef phi)
{
    struct hd_pass *p = f->s->p;
    if (hd_sym_width(f->s, LLVMTypeOf(phi)) && is_tainted(f, phi)) {
        LLVMPositionBuilderBefore(p->b, phi);
        LLVMValueRef id = LLVMBuildPhi(p->b, p->i32, "");
        *(struct hd_sym_phi *)hd_vec_push(&f->phis) = (struct hd_sym_phi){phi, id, -1};
        hd_sym_set(f, phi, id);
    } else if (hd_sym_parts(f->s, LLVMTypeOf(phi))) {
        hd_sym_part_phi(f, phi);
    }
    hd_hooks_after(p->b, phi);
    if (f->s->models)
        now_inside(f, hd_sym_seen(f, phi));
    else
        hd_sym_past(f->s, hd_sym_seen(f, phi));
}

static void finish_phis(struct hd_sym_fn *f)
{
    for (size_t k = 0; k < f->phis.len; k++) {
        struct hd_sym_phi *phi = hd_vec_at(&f->phis, k);
        for (unsigned i = 0; i < LLVMCountIncoming(phi->source); i++) {
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi->source, i);
            LLVMValueRef v = LLVMGetIncomingValue(phi->source, i);
            LLVMValueRef id = phi->part < 0 ? hd_sym_id(f, v) : hd_sym_pair(f, v).id[phi->part];
            LLVMAddIncoming(phi->id, &id, &block, 1);
        }
    }
}

static void visit(struct hd_sym_fn *f, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        hd_sym_load(f, inst);
        break;
    case LLVMStore:
        hd_sym_store(f, inst);
        break;
    case LLVMAtomicRMW:
        hd_sym_rmw(f, inst);
        break;
    case LLVMAtomicCmpXchg:
        hd_sym_cas(f, inst);
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        hd_sym_call_inst(f, inst);
        break;
    case LLVMBr:
    case LLVMSwitch:
        hd_sym_branch(f, inst);
        break;
    case LLVMRet:
        hd_sym_return(f, inst);
        break;
    case LLVMPHI:
        phi_id(f, inst);
        break;
    default:
        hd_sym_op(f, inst);
    }
}

static LLVMValueRef first_code(LLVMBasicBlockRef entry)
{
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    return at;
}

void hd_sym_function(struct hd_sym_pass *s, struct hd_fn *fn, struct hd_vec *list,
                     struct hd_vec *blocks)
{
    struct hd_sym_fn f = {.s = s,
                          .f = fn,
                          .ids = HD_VEC_INIT(LLVMValueRef),
                          .phis = HD_VEC_INIT(struct hd_sym_phi),
                          .pairs = HD_VEC_INIT(struct hd_sym_pair),
                          .slots = HD_VEC_INIT(LLVMValueRef),
                          .inside = HD_VEC_INIT(LLVMValueRef),
                          .zero = hd_hooks_u32(s->p, 0)};
    f.entry = first_code(LLVMGetEntryBasicBlock(fn->fn));
    if (!s->models)
        hd_sym_locals(&f);
    hd_sym_arguments(&f);
    for (size_t i = 0; i < list->len; i++) {
        LLVMValueRef inst = *(LLVMValueRef *)hd_vec_at(list, i);
        if (inst)
            visit(&f, inst);
    }
    for (size_t i = 0; i < blocks->len; i++) {
        struct hd_sym_block *b = hd_vec_at(blocks, i);
        for (unsigned k = 0; k < 3; k++)
            LLVMSetOperand(b->hook, 3 + k, hd_sym_id(&f, b->ops[k]));
    }
    finish_phis(&f);
    finish_inside(&f);
    hd_vec_fini(&f.inside);
    hd_map_fini(&f.id_of);
    hd_map_fini(&f.pair_of);
    hd_vec_fini(&f.pairs);
    hd_vec_fini(&f.ids);
    hd_vec_fini(&f.phis);
    hd_map_fini(&f.slot_of);
    hd_vec_fini(&f.slots);
}
