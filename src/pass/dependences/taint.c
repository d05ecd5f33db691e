/* Which values may depend on a read at all. Everything else (counters of loops with fixed bounds,
 * addresses of globals) has the token "none" without any code for it: no phi, no shadow, no hook
 * for a branch. A value that is not marked here depends on constants only, whatever path was taken;
 * which path was taken is recorded by the branches.
 */
#include "pass/pass.h"

struct spread {
    struct hd_fn *f;
    struct hd_vec work; /* LLVMValueRef */
};

static void mark(struct spread *w, LLVMValueRef v)
{
    uint32_t *slot = hd_map_put(&w->f->tainted, (uint64_t)(uintptr_t)v, NULL);
    if (*slot)
        return;
    *slot = 1;
    *(LLVMValueRef *)hd_vec_push(&w->work) = v;
}

static void mark_loads(struct spread *w, LLVMValueRef ptr)
{
    for (LLVMUseRef use = LLVMGetFirstUse(ptr); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user))
            mark(w, user);
        else if (LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user))
            mark_loads(w, user);
    }
}

static void mark_local(struct spread *w, struct hd_local *local)
{
    if (local->tainted)
        return;
    local->tainted = true;
    mark_loads(w, local->alloca);
}

static bool is_source_call(enum hd_callee kind)
{
    switch (kind) {
    case HD_CALLEE_PURE:
    case HD_CALLEE_IGNORED:
    case HD_CALLEE_COPY:
    case HD_CALLEE_MOVE:
    case HD_CALLEE_SET:
    case HD_CALLEE_VA_START:
    case HD_CALLEE_VA_COPY:
        return false;
    default:
        return true;
    }
}

/* A copy into a private local brings in what was not tracked byte by byte. */
static void seed_call(struct spread *w, LLVMValueRef call)
{
    enum hd_callee kind = hd_calls_kind(call);
    if (kind == HD_CALLEE_COPY || kind == HD_CALLEE_MOVE) {
        struct hd_local *to = hd_locals_is(w->f, LLVMGetOperand(call, 0));
        if (to && !hd_locals_is_constant(LLVMGetOperand(call, 1)))
            mark_local(w, to);
    } else if (is_source_call(kind) || (w->f->p->concolic && kind == HD_CALLEE_PURE)) {
        mark(w, call);
    }
}

static void seed(struct spread *w, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad: {
        LLVMValueRef ptr = LLVMGetOperand(inst, 0);
        if (!hd_locals_is(w->f, ptr) && !hd_locals_is_constant(ptr))
            mark(w, inst);
        break;
    }
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMLandingPad:
    case LLVMVAArg:
        mark(w, inst);
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        seed_call(w, inst);
        break;
    default:
        break;
    }
}

static void flow_into_call(struct spread *w, LLVMValueRef call)
{
    enum hd_callee kind = hd_calls_kind(call);
    if (kind == HD_CALLEE_PURE)
        mark(w, call);
    if (!hd_calls_is_memory(kind))
        return;
    struct hd_local *to = hd_locals_is(w->f, LLVMGetOperand(call, 0));
    if (to)
        mark_local(w, to); /* address, length or byte depends on reads */
    mark(w, call);         /* memcpy() returns its first argument */
}

static void flow(struct spread *w, LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user))
        return;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMStore: {
        struct hd_local *local = hd_locals_is(w->f, LLVMGetOperand(user, 1));
        if (local)
            mark_local(w, local);
        break;
    }
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        flow_into_call(w, user);
        break;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMRet:
    case LLVMResume:
    case LLVMFence:
        break;
    default:
        mark(w, user);
    }
}

void hd_taint_find(struct hd_fn *f)
{
    struct spread w = {.f = f, .work = HD_VEC_INIT(LLVMValueRef)};
    for (LLVMValueRef a = LLVMGetFirstParam(f->fn); a; a = LLVMGetNextParam(a))
        mark(&w, a);
    for (size_t i = 0; i < f->n_order; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(f->order[i]); inst;
             inst = LLVMGetNextInstruction(inst))
            seed(&w, inst);
    while (w.work.len > 0) {
        LLVMValueRef v = *(LLVMValueRef *)hd_vec_at(&w.work, --w.work.len);
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
            flow(&w, LLVMGetUser(use));
    }
    hd_vec_fini(&w.work);
}
