#include "pass/pass.h"

#include <string.h>

LLVMValueRef hd_locals_base(LLVMValueRef ptr)
{
    for (;;) {
        bool inst = LLVMIsAInstruction(ptr) != NULL;
        if (!inst && !LLVMIsAConstantExpr(ptr))
            return ptr;
        LLVMOpcode op = inst ? LLVMGetInstructionOpcode(ptr) : LLVMGetConstOpcode(ptr);
        if (op != LLVMGetElementPtr && op != LLVMBitCast && op != LLVMAddrSpaceCast)
            return ptr;
        ptr = LLVMGetOperand(ptr, 0);
    }
}

struct hd_local *hd_locals_is(struct hd_fn *f, LLVMValueRef ptr)
{
    uint32_t index;
    if (!hd_map_get(&f->local_of, (uint64_t)(uintptr_t)hd_locals_base(ptr), &index) || index == 0)
        return NULL;
    return hd_vec_at(&f->locals, index - 1);
}

#define REACH 16 /* phis and selects on the way to the objects that a pointer may point into */

struct bases {
    LLVMValueRef seen[REACH];
    unsigned n;
};

static bool all_constant(struct bases *b, LLVMValueRef ptr);

/* A pointer that is one of several: operand `first` and those behind it. */
static bool each_constant(struct bases *b, LLVMValueRef choice, unsigned first, unsigned n)
{
    for (unsigned i = 0; i < b->n; i++)
        if (b->seen[i] == choice)
            return true;
    if (b->n == REACH)
        return false;
    b->seen[b->n++] = choice;
    for (unsigned i = first; i < n; i++)
        if (!all_constant(b, LLVMGetOperand(choice, i)))
            return false;
    return true;
}

static bool all_constant(struct bases *b, LLVMValueRef ptr)
{
    LLVMValueRef base = hd_locals_base(ptr);
    if (LLVMIsAPHINode(base))
        return each_constant(b, base, 0, LLVMCountIncoming(base));
    if (LLVMIsASelectInst(base))
        return each_constant(b, base, 1, 3);
    return LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base);
}

bool hd_locals_is_constant(LLVMValueRef ptr)
{
    struct bases b = {.n = 0};
    return all_constant(&b, ptr);
}

/* Counters that the compiler itself adds (coverage, profiles): their races are not the user's. */
static bool is_compiler_made(LLVMValueRef ptr)
{
    LLVMValueRef base = hd_locals_base(ptr);
    if (!LLVMIsAGlobalVariable(base))
        return false;
    size_t len;
    const char *name = LLVMGetValueName2(base, &len);
    return len > 7 && (strncmp(name, "__llvm_", 7) == 0 || strncmp(name, "__profc", 7) == 0);
}

bool hd_locals_hooked(struct hd_fn *f, LLVMValueRef ptr)
{
    LLVMTypeRef type = LLVMTypeOf(ptr);
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type) != 0)
        return false; /* vectors of pointers, segment registers */
    return !hd_locals_is(f, ptr) && !hd_locals_is_constant(ptr) && !is_compiler_made(ptr);
}

struct walk {
    struct hd_vec work; /* LLVMValueRef: the alloca and pointers into it */
    LLVMValueRef alloca;
    bool whole;
};

static bool is_whole_access(const struct walk *w, LLVMValueRef ptr, LLVMTypeRef type)
{
    return ptr == w->alloca && type == LLVMGetAllocatedType(w->alloca);
}

static bool call_keeps(LLVMValueRef call, LLVMValueRef ptr, struct walk *w)
{
    enum hd_callee kind = hd_calls_kind(call);
    if (kind == HD_CALLEE_IGNORED)
        return true;
    if (!hd_calls_is_memory(kind) || LLVMGetCalledValue(call) == ptr)
        return false;
    w->whole = false;
    return true;
}

/* Whether this use keeps the address inside the function. */
static bool use_keeps(struct walk *w, LLVMValueRef ptr, LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user))
        return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
        w->whole = w->whole && is_whole_access(w, ptr, LLVMTypeOf(user));
        return LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
    case LLVMStore:
        if (LLVMGetOperand(user, 0) == ptr)
            return false;
        w->whole = w->whole && is_whole_access(w, ptr, LLVMTypeOf(LLVMGetOperand(user, 0)));
        return LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
    case LLVMGetElementPtr:
    case LLVMBitCast:
        if (LLVMGetOperand(user, 0) != ptr ||
            LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
            return false;
        *(LLVMValueRef *)hd_vec_push(&w->work) = user;
        return true;
    case LLVMICmp:
        return true;
    case LLVMCall:
        return call_keeps(user, ptr, w);
    default:
        return false;
    }
}

static bool is_private(struct walk *w)
{
    w->work.len = 0;
    *(LLVMValueRef *)hd_vec_push(&w->work) = w->alloca;
    w->whole = true;
    while (w->work.len > 0) {
        LLVMValueRef ptr = *(LLVMValueRef *)hd_vec_at(&w->work, --w->work.len);
        for (LLVMUseRef use = LLVMGetFirstUse(ptr); use; use = LLVMGetNextUse(use))
            if (!use_keeps(w, ptr, LLVMGetUser(use)))
                return false;
    }
    return true;
}

void hd_locals_find(struct hd_fn *f)
{
    struct walk w = {.work = HD_VEC_INIT(LLVMValueRef)};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->fn);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i) || !LLVMIsConstant(LLVMGetOperand(i, 0)))
            continue;
        w.alloca = i;
        if (!is_private(&w))
            continue;
        struct hd_local *local = hd_vec_push(&f->locals);
        *local = (struct hd_local){.alloca = i, .kind = w.whole ? HD_LOCAL_WHOLE : HD_LOCAL_PARTS};
        *hd_map_put(&f->local_of, (uint64_t)(uintptr_t)i, NULL) = (uint32_t)f->locals.len;
    }
    hd_vec_fini(&w.work);
}
