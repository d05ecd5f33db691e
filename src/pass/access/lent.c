/* Locals whose address is given away: another thread may use them when their life is over. Where it
 * ends the runtime is told, once a life.
 *
 * An address is given away when it is stored, or handed to a call that may keep it. LLVM's
 * `nocapture` says which do not; besides, the functions that the runtime models keep nothing but
 * what a new thread gets, and functions of the C++ library that are not compiled here keep nothing
 * that another thread would use. What is left out is missed, never reported wrongly: the ends of
 * arrays of variable length, and of frames that an exception leaves without a landing pad. */
#include "pass/access/lent.h"

#include <string.h>

#define MOST_USES 512 /* of an address: more are taken as given away */

struct walk {
    struct hd_vec work; /* LLVMValueRef: the alloca and pointers into it */
    LLVMValueRef alloca;
    unsigned uses;
    bool marked;
};

static bool has_attribute(LLVMValueRef call, LLVMValueRef fn, unsigned arg, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (!kind)
        return false;
    return LLVMGetCallSiteEnumAttribute(call, arg + 1, kind) ||
           (fn && LLVMIsAFunction(fn) && LLVMGetEnumAttributeAtIndex(fn, arg + 1, kind));
}

static bool is_lifetime(LLVMValueRef fn, const char *which)
{
    size_t len;
    return fn && strncmp(LLVMGetValueName2(fn, &len), which, strlen(which)) == 0;
}

/* Known functions that are only declared: may they keep their argument? */
static bool known_keeps(LLVMValueRef call, LLVMValueRef fn, unsigned arg)
{
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);
    if (strcmp(name, "pthread_create") == 0)
        return arg == 3;
    if (strcmp(name, "thrd_create") == 0)
        return arg == 2;
    if (strcmp(name, "pthread_setspecific") == 0 || strcmp(name, "tss_set") == 0)
        return arg == 1;
    bool std = !strncmp(name, "_ZNSt", 5) || !strncmp(name, "_ZNKSt", 6) ||
               !strncmp(name, "_ZSt", 4) || !strncmp(name, "_ZNSo", 5) ||
               !strncmp(name, "_ZNSi", 5);
    return !std && !hd_calls_modelled(call);
}

static bool call_keeps(struct walk *w, LLVMValueRef call, LLVMValueRef ptr)
{
    LLVMValueRef fn = hd_calls_function(call);
    enum hd_callee kind = hd_calls_kind(call);
    w->marked = w->marked || is_lifetime(fn, "llvm.lifetime.end");
    if (kind == HD_CALLEE_ASM)
        return true;
    if (kind == HD_CALLEE_IGNORED || hd_calls_is_memory(kind))
        return false;
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < n; i++) {
        if (LLVMGetOperand(call, i) != ptr || has_attribute(call, fn, i, "nocapture") ||
            has_attribute(call, fn, i, "byval"))
            continue;
        if (!fn || !LLVMIsAFunction(fn) || !LLVMIsDeclaration(fn) || known_keeps(call, fn, i))
            return true;
    }
    return false;
}

/* Whether this use gives the address away. Ways that lead to another pointer are walked on. */
static bool use_keeps(struct walk *w, LLVMValueRef ptr, LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user) || w->uses++ > MOST_USES)
        return true;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == ptr;
    case LLVMAtomicRMW:
        return LLVMGetOperand(user, 1) == ptr;
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 2) == ptr;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMPHI:
    case LLVMSelect:
        *(LLVMValueRef *)hd_vec_push(&w->work) = user;
        return false;
    case LLVMCall:
    case LLVMInvoke:
        return call_keeps(w, user, ptr);
    default:
        return true;
    }
}

/* All uses are looked at, for the marks of its life. */
static bool is_lent(struct walk *w)
{
    struct hd_map seen = {0};
    bool lent = false, fresh;
    w->work.len = w->uses = 0;
    w->marked = false;
    *(LLVMValueRef *)hd_vec_push(&w->work) = w->alloca;
    while (w->work.len > 0) {
        LLVMValueRef ptr = *(LLVMValueRef *)hd_vec_at(&w->work, --w->work.len);
        hd_map_put(&seen, (uint64_t)(uintptr_t)ptr, &fresh);
        for (LLVMUseRef use = LLVMGetFirstUse(ptr); fresh && use; use = LLVMGetNextUse(use))
            lent |= use_keeps(w, ptr, LLVMGetUser(use));
    }
    hd_map_fini(&seen);
    return lent;
}

void hd_lent_find(struct hd_fn *f)
{
    struct walk w = {.work = HD_VEC_INIT(LLVMValueRef)};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->fn);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i) || hd_locals_is(f, i) ||
            !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            continue;
        w.alloca = i;
        uint64_t size = LLVMABISizeOfType(f->p->layout, LLVMGetAllocatedType(i)) *
                        LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
        if (is_lent(&w) && size && size <= UINT32_MAX)
            *(struct hd_lent *)hd_vec_push(&f->lent) =
                (struct hd_lent){.alloca = i, .size = (uint32_t)size, .marked = w.marked};
    }
    hd_vec_fini(&w.work);
}

static void end_life(struct hd_fn *f, LLVMValueRef inst, const struct hd_lent *l)
{
    struct hd_site site = {.kind = HD_SITE_GONE, .size = l->size};
    hd_vars_name(f, l->alloca, l->size, &site);
    LLVMPositionBuilderBefore(f->p->b, inst);
    LLVMValueRef record = hd_sites_add(f, inst, site);
    hd_hooks_call(f, HD_HOOK_gone, (LLVMValueRef[]){record, hd_hooks_ptr(f->p, l->alloca)});
}

void hd_lent_end_scope(struct hd_fn *f, LLVMValueRef inst)
{
    bool out = !hd_calls_is_call(inst);
    LLVMValueRef before = out ? LLVMGetPreviousInstruction(inst) : NULL;
    if (before && LLVMIsACallInst(before) && hd_shim_is_musttail(before))
        return; /* nothing may stand between the two */
    if (!out && !is_lifetime(hd_calls_function(inst), "llvm.lifetime.end"))
        return;
    for (size_t i = 0; i < f->lent.len; i++) {
        const struct hd_lent *l = hd_vec_at(&f->lent, i);
        if (out ? !l->marked : hd_locals_base(LLVMGetOperand(inst, 1)) == l->alloca)
            end_life(f, inst, l);
    }
}
