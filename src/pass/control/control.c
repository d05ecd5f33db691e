/* Choices of control, calls and the flow of tokens over calls, entry and exit of functions. */
#include "pass/access/asm.h"
#include "pass/control/locks.h"
#include "pass/dependences/used_tokens.h"
#include "pass/pass.h"

#include <string.h>

enum { FLOW_CALLEE = 2, FLOW_RETURNER = 3, FLOW_RET = 4, FLOW_ARG = 5 }; /* struct hd_flow */

static LLVMValueRef null_ptr(struct hd_pass *p)
{
    return LLVMConstNull(p->ptr);
}

/* The mark comes first of all: hooks are put behind it, what the function needs at its start before
 * it. Any instruction without effect would do. */
void hd_control_begin(struct hd_fn *f)
{
    struct hd_pass *p = f->p;
    unsigned id = LLVMLookupIntrinsicID("llvm.frameaddress", 17);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(p->module, id, &p->ptr, 1);
    LLVMTypeRef type = LLVMFunctionType(p->ptr, &p->i32, 1, false);
    LLVMValueRef level = hd_hooks_u32(p, 0), at = LLVMGetFirstInstruction(f->order[0]);
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(p->tb, at);
    f->start = LLVMBuildCall2(p->tb, type, fn, &level, 1, "");
}

static void branch_on(struct hd_fn *f, LLVMValueRef inst, enum hd_site_kind kind, LLVMValueRef tok)
{
    LLVMValueRef site = hd_sites_add(f, inst, (struct hd_site){.kind = (uint8_t)kind});
    hd_hooks_call(f, HD_HOOK_branch, (LLVMValueRef[]){site, tok});
}

void hd_control_branch(struct hd_fn *f, LLVMValueRef inst, LLVMValueRef cond)
{
    struct hd_dep dep = hd_used_tokens_rest(f, hd_deps_of(f, cond));
    if (dep.n == 0)
        return;
    LLVMPositionBuilderBefore(f->p->b, inst);
    LLVMValueRef tok = hd_deps_pass(f, dep, HD_MORE_DEP);
    branch_on(f, inst, HD_SITE_BRANCH, tok);
    hd_used_tokens_add(f, dep);
}

void hd_control_decided(struct hd_fn *f, LLVMValueRef inst, struct hd_dep dep)
{
    branch_on(f, inst, HD_SITE_BRANCH, hd_deps_pass(f, dep, HD_MORE_DEP));
}

/* An exception arrived: which one, and from where, may depend on anything before. */
void hd_control_landing(struct hd_fn *f, LLVMValueRef inst)
{
    hd_hooks_after(f->p->b, inst);
    LLVMBuildStore(f->p->b, null_ptr(f->p), hd_hooks_flow(f->p, FLOW_CALLEE, 0));
    branch_on(f, inst, HD_SITE_BRANCH, hd_deps_past(f, f->p->b));
}

/* The size of an argument that the call copies (byval), or 0. index counts from 0. */
static uint64_t byval_size(struct hd_fn *f, LLVMAttributeRef attribute)
{
    if (!attribute)
        return 0;
    return LLVMABISizeOfType(f->p->layout, LLVMGetTypeAttributeValue(attribute));
}

static unsigned byval_kind(void)
{
    return LLVMGetEnumAttributeKindForName("byval", 5);
}

/* Token of an argument at a call; a block passed by value is read here, by the caller. */
static struct hd_dep argument_dep(struct hd_fn *f, LLVMValueRef call, unsigned i)
{
    LLVMValueRef arg = LLVMGetOperand(call, i);
    uint64_t size = byval_size(f, LLVMGetCallSiteEnumAttribute(call, i + 1, byval_kind()));
    if (size > 0 && hd_locals_hooked(f, arg))
        return (struct hd_dep){1, {hd_block_read(f, call, arg, size)}};
    return hd_deps_of(f, arg);
}

static bool is_token_kind(LLVMValueRef v)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    return kind != LLVMMetadataTypeKind && kind != LLVMTokenTypeKind && kind != LLVMLabelTypeKind;
}

/* The place of an argument in the flow record. */
static unsigned slot_of(LLVMValueRef call, unsigned i, unsigned fixed, enum hd_callee kind)
{
    LLVMTypeKind type = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i)));
    if (kind != HD_CALLEE_VARARG_OK)
        return i;
    if (i >= fixed && type != LLVMPointerTypeKind)
        return HD_FLOW_NUMBERS;
    return i < HD_FLOW_NUMBERS ? i : HD_FLOW_NUMBERS - 1;
}

void hd_control_tokens(struct hd_fn *f, LLVMValueRef callee, const struct hd_dep *deps, unsigned n)
{
    struct hd_pass *p = f->p;
    for (unsigned i = 0; i < n; i++)
        LLVMBuildStore(p->b, hd_deps_join(f, p->b, hd_used_tokens_rest(f, deps[i])),
                       hd_hooks_flow(p, FLOW_ARG, i));
    if (n > 0)
        LLVMBuildStore(p->b, LLVMBuildPointerCast(p->b, callee, p->ptr, ""),
                       hd_hooks_flow(p, FLOW_CALLEE, 0));
}

/* Hands the tokens of the arguments to the callee, and makes a choice of control of those that it
 * will find in memory as a variable argument list. */
static void pass_arguments(struct hd_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    struct hd_pass *p = f->p;
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    unsigned fixed = LLVMCountParamTypes(type), n = LLVMGetNumArgOperands(call);
    struct hd_dep deps[HD_FLOW_ARGS] = {0}, variable = {0};
    for (unsigned i = 0; i < n; i++) {
        if (!is_token_kind(LLVMGetOperand(call, i)))
            return;
        bool is_variable = i >= fixed && kind != HD_CALLEE_VARARG_OK;
        unsigned slot = slot_of(call, i, fixed, kind);
        if (slot >= HD_FLOW_ARGS && !is_variable)
            continue;
        struct hd_dep d = argument_dep(f, call, i);
        if (is_variable)
            hd_deps_add(f, p->b, &variable, d);
        if (slot < HD_FLOW_ARGS)
            hd_deps_add(f, p->b, &deps[slot], d);
    }
    if (variable.n > 0)
        branch_on(f, call, HD_SITE_CALL, hd_deps_join(f, p->b, variable));
    bool all = kind == HD_CALLEE_VARARG_OK && n > 0;
    hd_control_tokens(f, LLVMGetCalledValue(call), deps,
                      all || n > HD_FLOW_ARGS ? HD_FLOW_ARGS : n);
}

/* What a function of the C++ library does with its arguments is done by one of ours that it calls.
 * What it looks at in memory for that is read here, and what it clears of that is written. */
static void pass_through(struct hd_fn *f, LLVMValueRef call, int looks_at, bool clears)
{
    struct hd_pass *p = f->p;
    struct hd_dep deps[HD_FLOW_ARGS] = {0};
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        hd_deps_add(f, p->b, &deps[0], hd_deps_of(f, LLVMGetOperand(call, i)));
    if (looks_at >= 0) {
        LLVMValueRef ptr = LLVMGetOperand(call, (unsigned)looks_at);
        struct hd_dep read = {1,
                              {hd_block_read(f, call, ptr, LLVMABISizeOfType(p->layout, p->ptr))}};
        hd_deps_add(f, p->b, &deps[0], read);
    }
    LLVMValueRef mark = hd_hooks_u64(p, (uintptr_t)HD_FLOW_THROUGH);
    hd_control_tokens(f, LLVMConstIntToPtr(mark, p->ptr), deps, HD_FLOW_ARGS);
    LLVMPositionBuilderBefore(p->b, hd_control_after(call));
    LLVMBuildStore(p->b, null_ptr(p), hd_hooks_flow(p, FLOW_CALLEE, 0));
    if (clears)
        hd_block_written(f, call, LLVMGetOperand(call, (unsigned)looks_at),
                         LLVMABISizeOfType(p->layout, p->ptr), hd_hooks_tok(p, HD_TOK_NONE));
}

void hd_control_prepare(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsAInvokeInst(end))
            continue;
        LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetNormalDest(end));
        if (!hd_control_after(end) || LLVMIsAPHINode(first))
            hd_shim_split_normal(end);
    }
}

/* Where the result of a call can be looked at first, or NULL. */
LLVMValueRef hd_control_after(LLVMValueRef call)
{
    if (LLVMIsACallInst(call))
        return hd_shim_is_musttail(call) ? NULL : LLVMGetNextInstruction(call);
    if (!LLVMIsAInvokeInst(call))
        return NULL;
    LLVMBasicBlockRef block = LLVMGetNormalDest(call);
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    if (!use || LLVMGetNextUse(use))
        return NULL; /* also reached from elsewhere */
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    return first;
}

/* What code without hooks does with its arguments: crash on them, loop or exit. Numbers to print
 * are harmless. */
static struct hd_dep dangerous_dep(struct hd_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    struct hd_dep d = {0};
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        bool is_ptr = LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMPointerTypeKind;
        if (kind != HD_CALLEE_VARARG_OK || is_ptr)
            hd_deps_add(f, f->p->b, &d, hd_deps_of(f, arg));
    }
    return d;
}

/* That a call of code without hooks came back is a choice of control that its arguments decided.
 * Code with hooks took the tokens of its arguments and cleared `callee`: it speaks for itself. */
static void came_back(struct hd_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    struct hd_pass *p = f->p;
    LLVMValueRef fn = hd_calls_function(call), place = hd_control_after(call);
    if (kind == HD_CALLEE_PURE || kind == HD_CALLEE_TWICE || (fn && !LLVMIsDeclaration(fn)))
        return;
    struct hd_dep dep = dangerous_dep(f, call, kind);
    if (dep.n == 0)
        return;
    LLVMValueRef tok = hd_deps_join(f, p->b, dep);
    if (place) {
        LLVMPositionBuilderBefore(p->b, place);
        LLVMValueRef callee = LLVMBuildPointerCast(p->b, LLVMGetCalledValue(call), p->ptr, "");
        LLVMValueRef left = LLVMBuildLoad2(p->b, p->ptr, hd_hooks_flow(p, FLOW_CALLEE, 0), "");
        LLVMValueRef same = LLVMBuildICmp(p->b, LLVMIntEQ, left, callee, "");
        tok = LLVMBuildSelect(p->b, same, tok, hd_hooks_tok(p, HD_TOK_NONE), "");
    }
    branch_on(f, call, HD_SITE_CALL, tok);
}

/* Says when a call of code without hooks is over: memory may be other than it was. */
static void returned(struct hd_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->p;
    LLVMValueRef fn = hd_calls_function(call), place = hd_control_after(call);
    if (!place || hd_calls_modelled(call) || (fn && !LLVMIsDeclaration(fn)))
        return;
    LLVMPositionBuilderBefore(p->b, call);
    LLVMValueRef callee = LLVMBuildPointerCast(p->b, LLVMGetCalledValue(call), p->ptr, "");
    if (LLVMGetNumArgOperands(call) == 0)
        LLVMBuildStore(p->b, callee, hd_hooks_flow(p, FLOW_CALLEE, 0));
    LLVMValueRef count = LLVMBuildLoad2(p->b, p->i32, hd_hooks_flow(p, HD_FLOW_COUNT, 0), "");
    LLVMPositionBuilderBefore(p->b, place);
    LLVMValueRef site = hd_sites_add(f, call, (struct hd_site){.kind = HD_SITE_CALL});
    hd_hooks_call(f, HD_HOOK_returned, (LLVMValueRef[]){site, callee, count});
    LLVMPositionBuilderBefore(p->b, call);
}

static void indirect_call(struct hd_fn *f, LLVMValueRef call)
{
    LLVMValueRef target = LLVMGetCalledValue(call);
    struct hd_dep dep = hd_used_tokens_rest(f, hd_deps_of(f, target));
    if (dep.n == 0)
        return;
    LLVMValueRef site = hd_sites_add(f, call, (struct hd_site){.kind = HD_SITE_CALL});
    LLVMValueRef tok = hd_deps_pass(f, dep, HD_MORE_DEP);
    hd_hooks_call(f, HD_HOOK_icall, (LLVMValueRef[]){site, hd_hooks_ptr(f->p, target), tok});
    hd_used_tokens_add(f, dep);
}

static void unmodelled(struct hd_fn *f, LLVMValueRef call)
{
    LLVMValueRef site = hd_sites_add(f, call, (struct hd_site){.kind = HD_SITE_ASM});
    hd_hooks_call(f, HD_HOOK_asm, &site);
}

static uint64_t va_list_size(struct hd_pass *p)
{
    return strncmp(LLVMGetTarget(p->module), "x86_64", 6) == 0 ? 24 : 32;
}

/* At entry: are the tokens in the flow record meant for us? They are loaded before arg_end, which
 * clears the record's callee and comes before every call of this function. */
static void begin_arguments(struct hd_fn *f)
{
    struct hd_pass *p = f->p;
    LLVMValueRef callee = hd_hooks_flow(p, FLOW_CALLEE, 0);
    LLVMPositionBuilderBefore(p->tb, f->start);
    LLVMValueRef self = LLVMBuildPointerCast(p->tb, f->fn, p->ptr, "");
    LLVMValueRef who = LLVMBuildLoad2(p->tb, p->ptr, callee, "");
    f->arg_mine = LLVMBuildICmp(p->tb, LLVMIntEQ, who, self, "");
    f->arg_past = hd_deps_past(f, p->tb);
    f->arg_end = LLVMBuildStore(p->tb, null_ptr(p), callee);
}

/* A list of arguments is made of what the caller passed, which it decided (pass_arguments) if it
 * has hooks; else of anything. A copy is one of its source. From here on what is in it is decided.
 */
static void list_made(struct hd_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    struct hd_pass *p = f->p;
    if (kind == HD_CALLEE_VA_START) {
        if (!f->arg_end)
            begin_arguments(f);
        LLVMValueRef none = hd_hooks_tok(p, HD_TOK_NONE);
        branch_on(f, call, HD_SITE_CALL, LLVMBuildSelect(p->b, f->arg_mine, none, f->arg_past, ""));
    } else {
        struct hd_dep source = hd_deps_of(f, LLVMGetOperand(call, 1));
        if (source.n > 0)
            branch_on(f, call, HD_SITE_CALL, hd_deps_join(f, p->b, source));
    }
    hd_hooks_after(p->b, call);
    hd_block_written(f, call, LLVMGetOperand(call, 0), va_list_size(p),
                     hd_hooks_tok(p, HD_TOK_NONE));
}

/* The back end would turn these into loads and stores that are not seen. */
static void keep_call(LLVMValueRef call)
{
    static const char *const names[] = {"memcmp", "bcmp",   "strcmp", "strlen", "strnlen",
                                        "memchr", "strcpy", "stpcpy", "mempcpy"};
    LLVMValueRef fn = hd_calls_function(call);
    size_t len;
    const char *name = fn ? LLVMGetValueName2(fn, &len) : "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
        unsigned kind = LLVMGetEnumAttributeKindForName("nobuiltin", 9);
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(context, kind, 0));
    }
}

static void real_call(struct hd_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    int looks_at;
    bool clears;
    f->calls = true;
    if (hd_calls_through(call, &looks_at, &clears) && hd_control_after(call)) {
        pass_through(f, call, looks_at, clears);
        return;
    }
    keep_call(call);
    hd_locks_call(f, call);
    if (!hd_calls_function(call))
        indirect_call(f, call);
    pass_arguments(f, call, kind);
    came_back(f, call, kind);
    returned(f, call);
}

static bool is_intrinsic(LLVMValueRef call)
{
    LLVMValueRef fn = hd_calls_function(call);
    size_t len;
    return fn && strncmp(LLVMGetValueName2(fn, &len), "llvm.", 5) == 0;
}

void hd_control_call(struct hd_fn *f, LLVMValueRef inst, enum hd_callee kind)
{
    LLVMPositionBuilderBefore(f->p->b, inst);
    switch (kind) {
    case HD_CALLEE_UNKNOWN:
    case HD_CALLEE_VARARG_OK:
    case HD_CALLEE_TWICE:
        real_call(f, inst, kind);
        break;
    case HD_CALLEE_PURE:
        if (!is_intrinsic(inst))
            real_call(f, inst, kind);
        break;
    case HD_CALLEE_VA_START:
    case HD_CALLEE_VA_COPY:
        list_made(f, inst, kind);
        break;
    case HD_CALLEE_OPAQUE:
        unmodelled(f, inst);
        break;
    case HD_CALLEE_ASM:
        LLVMPositionBuilderBefore(f->p->b, inst);
        if (LLVMGetInstructionOpcode(inst) == LLVMCallBr)
            branch_on(f, inst, HD_SITE_BRANCH, hd_deps_past(f, f->p->b));
        hd_asm_call(f, inst);
        break;
    default:
        break;
    }
}

/* The events of the thread since before the call, with the builder for tokens behind it. */
static LLVMValueRef own_reads(struct hd_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->p;
    LLVMBuilderRef before = LLVMCreateBuilderInContext(p->ctx);
    LLVMPositionBuilderBefore(before, call);
    LLVMValueRef count = LLVMBuildLoad2(before, p->i32, hd_hooks_flow(p, HD_FLOW_COUNT, 0), "");
    LLVMDisposeBuilder(before);
    LLVMValueRef lo =
        LLVMBuildZExt(p->tb, LLVMBuildAdd(p->tb, count, hd_hooks_u32(p, 1), ""), p->i64, "");
    lo = LLVMBuildShl(p->tb, lo, hd_hooks_u64(p, 32), "");
    return LLVMBuildOr(p->tb, lo, hd_deps_past(f, p->tb), "");
}

LLVMValueRef hd_control_result(struct hd_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->p;
    LLVMValueRef place = hd_control_after(call);
    if (!place)
        return hd_hooks_tok(p, HD_TOK_ALL);
    LLVMPositionBuilderBefore(p->tb, place);
    LLVMValueRef returner = hd_hooks_flow(p, FLOW_RETURNER, 0);
    LLVMValueRef callee = LLVMBuildPointerCast(p->tb, LLVMGetCalledValue(call), p->ptr, "");
    LLVMValueRef who = LLVMBuildLoad2(p->tb, p->ptr, returner, "");
    LLVMValueRef mine = LLVMBuildICmp(p->tb, LLVMIntEQ, who, callee, "");
    LLVMValueRef tok = LLVMBuildLoad2(p->tb, p->i64, hd_hooks_flow(p, FLOW_RET, 0), "");
    LLVMValueRef past = hd_calls_own(call) ? own_reads(f, call) : hd_deps_past(f, p->tb);
    LLVMBuildStore(p->tb, null_ptr(p), returner);
    return LLVMBuildSelect(p->tb, mine, tok, past, "");
}

LLVMValueRef hd_control_arg(struct hd_fn *f, LLVMValueRef arg)
{
    struct hd_pass *p = f->p;
    unsigned index = 0;
    for (LLVMValueRef a = LLVMGetFirstParam(f->fn); a != arg; a = LLVMGetNextParam(a))
        index++;
    if (!f->arg_end)
        begin_arguments(f);
    if (index >= HD_FLOW_ARGS)
        return f->arg_past;
    LLVMPositionBuilderBefore(p->tb, f->arg_end);
    LLVMValueRef tok = LLVMBuildLoad2(p->tb, p->i64, hd_hooks_flow(p, FLOW_ARG, index), "");
    return LLVMBuildSelect(p->tb, f->arg_mine, tok, f->arg_past, "");
}

void hd_control_return(struct hd_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->p;
    LLVMValueRef before = LLVMGetPreviousInstruction(inst);
    if (before && hd_shim_is_musttail(before))
        return;
    if (!LLVMIsAReturnInst(inst) || LLVMGetNumOperands(inst) == 0)
        return;
    struct hd_dep d = hd_deps_of(f, LLVMGetOperand(inst, 0));
    if (f->condition) /* code without hooks goes on by it */
        hd_control_branch(f, inst, LLVMGetOperand(inst, 0));
    LLVMPositionBuilderBefore(p->b, inst);
    LLVMBuildStore(p->b, hd_deps_join(f, p->b, hd_used_tokens_rest(f, d)),
                   hd_hooks_flow(p, FLOW_RET, 0));
    LLVMBuildStore(p->b, LLVMBuildPointerCast(p->b, f->fn, p->ptr, ""),
                   hd_hooks_flow(p, FLOW_RETURNER, 0));
}

/* Arguments passed by value: the call filled them in; their address is ours. */
void hd_control_values(struct hd_fn *f)
{
    unsigned index = 1;
    for (LLVMValueRef a = LLVMGetFirstParam(f->fn); a; a = LLVMGetNextParam(a), index++) {
        uint64_t size = byval_size(f, LLVMGetEnumAttributeAtIndex(f->fn, index, byval_kind()));
        if (size == 0)
            continue;
        LLVMValueRef tok = f->coarse ? hd_hooks_tok(f->p, HD_TOK_ALL) : hd_control_arg(f, a);
        hd_deps_set(f, a, NULL);
        hd_hooks_after(f->p->b, f->start);
        hd_block_written(f, NULL, a, size, tok);
    }
}

/* Says that the tokens of the arguments were taken, even if nothing here needs them. */
static void take_arguments(struct hd_fn *f)
{
    struct hd_pass *p = f->p;
    if (f->arg_end)
        return;
    LLVMPositionBuilderBefore(p->tb, f->start);
    LLVMBuildStore(p->tb, null_ptr(p), hd_hooks_flow(p, FLOW_CALLEE, 0));
}

/* Stacks are walked by frame pointers, and a function that calls another one is still there. */
static void keep_frame(struct hd_fn *f)
{
    static const char *const attributes[][2] = {{"frame-pointer", "all"},
                                                {"disable-tail-calls", "true"}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const char *name = attributes[i][0], *value = attributes[i][1];
        LLVMAttributeRef a = LLVMCreateStringAttribute(f->p->ctx, name, (unsigned)strlen(name),
                                                       value, (unsigned)strlen(value));
        LLVMAddAttributeAtIndex(f->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
    }
}

void hd_control_end(struct hd_fn *f)
{
    take_arguments(f);
    LLVMInstructionEraseFromParent(f->start);
    if (f->hooked || f->calls)
        keep_frame(f);
}
