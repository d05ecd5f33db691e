#include "pass/dependences/used_tokens.h"
#include "pass/pass.h"
#include "pass/access/atomic_calls.h"
#include "pass/access/lent.h"
#include "pass/concolic/pass_sym.h"
#include "pass/control/locks.h"

#include "base/alloc.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

static unsigned attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static bool has_attribute(LLVMValueRef fn, const char *name)
{
    unsigned kind = attribute_kind(name);
    return kind && LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
}

/* The wrapper compiles with the front end's thread sanitizer on, which marks the functions to look
 * at and honours no_sanitize("thread") and ignore lists; it says so in the environment. */
static bool wants_hooks(LLVMValueRef fn)
{
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);
    if (LLVMIsDeclaration(fn) || LLVMGetLinkage(fn) == LLVMAvailableExternallyLinkage)
        return false;
    if (strncmp(name, "__tsan_", 7) == 0)
        return false;
    if (strncmp(name, "__hd_", 5) == 0 && strncmp(name, "__hd_model_", 11) != 0)
        return false;
    if (has_attribute(fn, "naked") || has_attribute(fn, "disable_sanitizer_instrumentation"))
        return false;
    return !getenv("HEDDLE_PASS_MARKED") || has_attribute(fn, "sanitize_thread");
}

/* What is said about the memory a function touches is no longer true. */
static void drop_attributes(LLVMValueRef fn)
{
    static const char *const names[] = {
        "readnone",
        "readonly",
        "writeonly",
        "argmemonly",
        "inaccessiblememonly",
        "memory",
        "inaccessiblemem_or_argmemonly",
        "nosync",
        "nofree",
        "speculatable",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsigned kind = attribute_kind(names[i]);
        if (kind)
            LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
    }
}

struct walk {
    LLVMBasicBlockRef block;
    unsigned next; /* successor to go to */
};

/* Depth first; a block is put down when all its successors are done, so the order comes out
 * reversed. */
static void find_order(struct hd_fn *f)
{
    struct hd_vec stack = HD_VEC_INIT(struct walk);
    unsigned n = LLVMCountBasicBlocks(f->fn);
    f->cap_order = n;
    f->order = hd_alloc(n * sizeof *f->order);
    size_t at = n;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->fn);
    *(struct walk *)hd_vec_push(&stack) = (struct walk){entry, 0};
    hd_map_put(&f->reachable, (uint64_t)(uintptr_t)entry, NULL);
    while (stack.len > 0) {
        struct walk *top = hd_vec_at(&stack, stack.len - 1);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        if (top->next == LLVMGetNumSuccessors(end)) {
            f->order[--at] = top->block;
            stack.len--;
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, top->next++);
        bool fresh;
        hd_map_put(&f->reachable, (uint64_t)(uintptr_t)to, &fresh);
        if (fresh)
            *(struct walk *)hd_vec_push(&stack) = (struct walk){to, 0};
    }
    f->n_order = n - at;
    memmove(f->order, f->order + at, f->n_order * sizeof *f->order);
    hd_vec_fini(&stack);
}

static void make_shadows(struct hd_fn *f)
{
    for (size_t i = 0; i < f->locals.len && !f->coarse; i++) {
        struct hd_local *local = hd_vec_at(&f->locals, i);
        if (!local->tainted)
            continue;
        local->shadow = hd_hooks_slot(f, f->p->i64);
        LLVMPositionBuilderBefore(f->p->b, f->start);
        LLVMBuildStore(f->p->b, hd_hooks_tok(f->p, HD_TOK_NONE), local->shadow);
    }
}

static void visit_call(struct hd_fn *f, LLVMValueRef inst)
{
    enum hd_callee kind = hd_calls_kind(inst);
    if (hd_calls_is_memory(kind))
        hd_block_call(f, inst, kind);
    else
        hd_control_call(f, inst, kind);
    if (kind == HD_CALLEE_IGNORED)
        hd_lent_end_scope(f, inst);
}

static void visit(struct hd_fn *f, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        hd_access_load(f, inst);
        break;
    case LLVMStore:
        hd_access_store(f, inst);
        break;
    case LLVMAtomicRMW:
        hd_access_rmw(f, inst);
        break;
    case LLVMAtomicCmpXchg:
        hd_access_cas(f, inst);
        break;
    case LLVMFence:
        hd_access_fence(f, inst);
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        visit_call(f, inst);
        break;
    case LLVMBr:
        if (LLVMIsConditional(inst))
            hd_control_branch(f, inst, LLVMGetCondition(inst));
        break;
    case LLVMSwitch:
    case LLVMIndirectBr:
        hd_control_branch(f, inst, LLVMGetOperand(inst, 0));
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: /* a zero would end the program: going on is a choice */
        if (!LLVMIsConstant(LLVMGetOperand(inst, 1)))
            hd_control_branch(f, inst, LLVMGetOperand(inst, 1));
        break;
    case LLVMAlloca: /* so is having room on the stack */
        hd_control_branch(f, inst, LLVMGetOperand(inst, 0));
        break;
    case LLVMLandingPad:
        hd_control_landing(f, inst);
        break;
    case LLVMRet:
    case LLVMResume:
        hd_lent_end_scope(f, inst);
        hd_control_return(f, inst);
        break;
    default:
        break;
    }
}

/* The instructions of the program, before any of ours is among them. */
static void list_instructions(struct hd_fn *f, struct hd_vec *list)
{
    for (size_t i = 0; i < f->n_order; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(f->order[i]); inst;
             inst = LLVMGetNextInstruction(inst)) {
            *(LLVMValueRef *)hd_vec_push(list) = inst;
            if (hd_calls_is_call(inst) && hd_calls_kind(inst) == HD_CALLEE_TWICE)
                f->coarse = true;
        }
}

static void fini_function(struct hd_fn *f)
{
    hd_free(f->order, f->cap_order * sizeof *f->order);
    hd_map_fini(&f->reachable);
    hd_used_tokens_fini(f);
    hd_vec_fini(&f->locals);
    hd_map_fini(&f->local_of);
    hd_map_fini(&f->tainted);
    hd_map_fini(&f->dep_of);
    hd_vec_fini(&f->deps);
    hd_vec_fini(&f->phis);
    hd_vec_fini(&f->lent);
    hd_map_fini(&f->phi_of);
    hd_map_fini(&f->var_of);
    hd_vec_fini(&f->vars);
}

/* Memory calls may be erased; the concolic part gets what it needs of them at once, and never sees
 * them in the list. */
static void visit_memory(struct hd_fn *f, struct hd_sym_pass *sym, LLVMValueRef *inst,
                         struct hd_vec *blocks)
{
    enum hd_callee kind = hd_calls_is_call(*inst) ? hd_calls_kind(*inst) : HD_CALLEE_UNKNOWN;
    if (!hd_calls_is_memory(kind))
        return;
    LLVMValueRef next = LLVMGetNextInstruction(*inst), ops[3];
    for (unsigned i = 0; i < 3; i++)
        ops[i] = LLVMGetOperand(*inst, i);
    visit(f, *inst);
    hd_sym_block(sym, next, kind, ops, blocks);
    *inst = NULL;
}

static void record_function(struct hd_fn *f, struct hd_sym_pass *sym, struct hd_vec *list,
                            struct hd_vec *blocks)
{
    hd_control_begin(f);
    make_shadows(f);
    hd_control_values(f);
    for (size_t i = 0; i < list->len; i++) {
        LLVMValueRef *inst = hd_vec_at(list, i);
        LLVMBasicBlockRef block = LLVMGetInstructionParent(*inst);
        if (block != f->order[f->at])
            hd_used_tokens_block(f, block);
        if (sym)
            visit_memory(f, sym, inst, blocks);
        if (*inst)
            visit(f, *inst);
    }
    hd_deps_finish(f);
    hd_locks_finish(f);
    hd_control_end(f);
}

#ifdef HD_DEBUG
/* LLVM's own judge of what was put in: types of arguments, definitions before uses, incoming values
 * of phis. */
static void check_function(LLVMValueRef fn)
{
    HD_ASSERT(!LLVMVerifyFunction(fn, LLVMPrintMessageAction));
}
#endif

static void run_function(struct hd_pass *p, struct hd_sym_pass *sym, LLVMValueRef fn)
{
    struct hd_fn f = {.p = p,
                      .fn = fn,
                      .condition = hd_locks_is_condition(fn),
                      .locals = HD_VEC_INIT(struct hd_local),
                      .deps = HD_VEC_INIT(struct hd_dep),
                      .phis = HD_VEC_INIT(struct hd_phi),
                      .lent = HD_VEC_INIT(struct hd_lent),
                      .vars = HD_VEC_INIT(struct hd_var)};
    struct hd_vec list = HD_VEC_INIT(LLVMValueRef), blocks = HD_VEC_INIT(struct hd_sym_block);
    hd_control_prepare(fn);
    hd_atomic_calls(p, fn);
    find_order(&f);
    hd_used_tokens_init(&f);
    hd_vars_find(&f);
    hd_locals_find(&f);
    hd_lent_find(&f);
    hd_taint_find(&f);
    list_instructions(&f, &list);
    if (!sym || !sym->models)
        record_function(&f, sym, &list, &blocks);
    if (sym)
        hd_sym_function(sym, &f, &list, &blocks);
    drop_attributes(fn);
    HD_SELF_CHECK(check_function(fn));
    hd_vec_fini(&list);
    hd_vec_fini(&blocks);
    fini_function(&f);
}

static void run_functions(struct hd_pass *p, struct hd_sym_pass *sym)
{
    struct hd_vec list = HD_VEC_INIT(LLVMValueRef);
    for (LLVMValueRef fn = LLVMGetFirstFunction(p->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (wants_hooks(fn))
            *(LLVMValueRef *)hd_vec_push(&list) = fn;
    }
    for (size_t i = 0; i < list.len; i++)
        run_function(p, sym, *(LLVMValueRef *)hd_vec_at(&list, i));
    hd_vec_fini(&list);
}

/* ThreadSanitizer's own pass runs after this one and must find nothing to do. */
static void keep_sanitizer_out(struct hd_pass *p)
{
    unsigned kind = attribute_kind("disable_sanitizer_instrumentation");
    LLVMAttributeRef mark = LLVMCreateEnumAttribute(p->ctx, kind, 0);
    for (LLVMValueRef fn = LLVMGetFirstFunction(p->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, mark);
}

static void drop_unused(struct hd_pass *p)
{
    for (unsigned i = 0; i < HD_HOOK_COUNT; i++)
        if (!LLVMGetFirstUse(p->hook[i]))
            LLVMDeleteFunction(p->hook[i]);
    if (!LLVMGetFirstUse(p->flow))
        LLVMDeleteGlobal(p->flow);
}

static void find_expressions(struct hd_pass *p)
{
    uint64_t deref = 6; /* DW_OP_deref */
    LLVMDIBuilderRef di = LLVMCreateDIBuilderDisallowUnresolved(p->module);
    p->empty_expr = LLVMDIBuilderCreateExpression(di, NULL, 0);
    p->deref_expr = LLVMDIBuilderCreateExpression(di, &deref, 1);
    LLVMDisposeDIBuilder(di);
}

bool hd_pass_run(LLVMModuleRef module)
{
    struct hd_pass p = {.module = module,
                        .ctx = LLVMGetModuleContext(module),
                        .layout = LLVMGetModuleDataLayout(module),
                        .sites = HD_VEC_INIT(struct hd_site),
                        .volatile_atomic = getenv("HEDDLE_PASS_VOLATILE_ATOMIC") != NULL};
    if (LLVMGetNamedGlobal(module, "heddle.module"))
        return false; /* already done, for example before link-time optimisation */
#if LLVM_VERSION_MAJOR >= 19
    bool records = LLVMIsNewDbgInfoFormat(module);
    LLVMSetIsNewDbgInfoFormat(module, false);
#endif
    p.b = LLVMCreateBuilderInContext(p.ctx);
    p.tb = LLVMCreateBuilderInContext(p.ctx);
    find_expressions(&p);
    hd_hooks_init(&p);
    hd_sites_string(&p, "", 0);
    struct hd_sym_pass sym, *concolic = hd_sym_wanted() ? &sym : NULL;
    p.concolic = concolic != NULL;
    if (concolic)
        hd_sym_init(concolic, &p);
    run_functions(&p, concolic);
    hd_sites_emit(&p);
    if (concolic)
        hd_sym_emit(concolic);
    keep_sanitizer_out(&p);
    drop_unused(&p);
    LLVMDisposeBuilder(p.b);
    LLVMDisposeBuilder(p.tb);
    hd_names_fini(&p.strings);
    hd_u32vec_fini(&p.string_at);
    hd_vec_fini(&p.sites);
#if LLVM_VERSION_MAJOR >= 19
    LLVMSetIsNewDbgInfoFormat(module, records);
#endif
    return true;
}
