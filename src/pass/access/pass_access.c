#include "pass/pass.h"

static const enum hd_hook read_hooks[] = {HD_HOOK_read1, HD_HOOK_read2, HD_HOOK_read4,
                                          HD_HOOK_read8};
static const enum hd_hook write_hooks[] = {HD_HOOK_write1, HD_HOOK_write2, HD_HOOK_write4,
                                           HD_HOOK_write8};

/* Index of the hook for 1, 2, 4 or 8 bytes; -1 for other sizes. */
static int hook_index(uint64_t size)
{
    for (int i = 0; i < 4; i++)
        if (size == UINT64_C(1) << i)
            return i;
    return -1;
}

static uint8_t order_of(LLVMAtomicOrdering order)
{
    switch (order) {
    case LLVMAtomicOrderingAcquire:
        return __ATOMIC_ACQUIRE;
    case LLVMAtomicOrderingRelease:
        return __ATOMIC_RELEASE;
    case LLVMAtomicOrderingAcquireRelease:
        return __ATOMIC_ACQ_REL;
    case LLVMAtomicOrderingSequentiallyConsistent:
    case LLVMAtomicOrderingNotAtomic: /* volatile */
        return __ATOMIC_SEQ_CST;
    default:
        return __ATOMIC_RELAXED;
    }
}

static uint64_t size_of(struct hd_fn *f, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(f->p->layout, type);
}

/* Volatile is taken as atomic when the user asks for it (heddle cc --volatile-atomic). */
static bool is_atomic(struct hd_fn *f, LLVMValueRef inst, LLVMTypeRef type)
{
    if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
        return true;
    return f->p->volatile_atomic && LLVMGetVolatile(inst) && hook_index(size_of(f, type)) >= 0 &&
           LLVMGetTypeKind(type) != LLVMVectorTypeKind;
}

static LLVMValueRef add_site(struct hd_fn *f, LLVMValueRef inst, LLVMValueRef ptr,
                             struct hd_site site)
{
    hd_vars_name(f, ptr, site.size, &site);
    return hd_sites_add(f, inst, site);
}

static LLVMValueRef plain_read(struct hd_fn *f, LLVMValueRef site, LLVMValueRef ptr, uint64_t size,
                               struct hd_dep addr)
{
    struct hd_pass *p = f->p;
    LLVMValueRef where = hd_hooks_ptr(p, ptr);
    LLVMValueRef tok = hd_deps_pass_addr(f, addr);
    int k = hook_index(size);
    if (k >= 0)
        return hd_hooks_call(f, read_hooks[k], (LLVMValueRef[]){site, where, tok});
    return hd_hooks_call(f, HD_HOOK_read_n,
                         (LLVMValueRef[]){site, where, hd_hooks_u64(p, size), tok});
}

void hd_access_load(struct hd_fn *f, LLVMValueRef inst)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);
    if (!hd_locals_hooked(f, ptr))
        return;
    bool atomic = is_atomic(f, inst, LLVMTypeOf(inst));
    struct hd_site site = {.kind = atomic ? HD_SITE_AREAD : HD_SITE_READ,
                           .size = (uint32_t)size_of(f, LLVMTypeOf(inst)),
                           .flags = LLVMGetVolatile(inst) ? HD_SITE_VOLATILE : 0,
                           .order = atomic ? order_of(LLVMGetOrdering(inst)) : 0};
    struct hd_dep addr = hd_deps_of(f, ptr);
    LLVMPositionBuilderBefore(f->p->b, inst);
    LLVMValueRef record = add_site(f, inst, ptr, site), tok;
    if (atomic)
        tok = hd_hooks_call(
            f, HD_HOOK_aread,
            (LLVMValueRef[]){record, hd_hooks_ptr(f->p, ptr), hd_deps_pass_addr(f, addr)});
    else
        tok = plain_read(f, record, ptr, site.size, addr);
    hd_deps_set(f, inst, tok);
}

/* The bits of a value of at most 8 bytes, zero-extended. Requires an integer, float or pointer. */
static LLVMValueRef bits64(struct hd_fn *f, LLVMValueRef v)
{
    struct hd_pass *p = f->p;
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(p->b, v, p->i64, "");
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        type = LLVMIntTypeInContext(p->ctx, (unsigned)(size_of(f, type) * 8));
        v = LLVMBuildBitCast(p->b, v, type, "");
    }
    return LLVMBuildZExtOrBitCast(p->b, v, p->i64, "");
}

static bool fits_register(struct hd_fn *f, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return hook_index(size_of(f, type)) >= 0;
    case LLVMVectorTypeKind: /* of whole bytes without padding */
        return hook_index(size_of(f, type)) >= 0 &&
               LLVMSizeOfTypeInBits(f->p->layout, type) == size_of(f, type) * 8 &&
               LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMPointerTypeKind;
    default:
        return false;
    }
}

static void plain_write(struct hd_fn *f, LLVMValueRef site, LLVMValueRef ptr, LLVMValueRef value,
                        struct hd_dep addr, struct hd_dep val)
{
    struct hd_pass *p = f->p;
    LLVMValueRef where = hd_hooks_ptr(p, ptr);
    uint64_t size = size_of(f, LLVMTypeOf(value));
    LLVMValueRef addr_tok = hd_deps_pass_addr(f, addr), val_tok = hd_deps_pass(f, val, HD_MORE_VAL);
    if (fits_register(f, LLVMTypeOf(value))) {
        hd_hooks_call(f, write_hooks[hook_index(size)],
                      (LLVMValueRef[]){site, where, addr_tok, bits64(f, value), val_tok});
        return;
    }
    LLVMValueRef slot = hd_hooks_slot(f, LLVMTypeOf(value));
    LLVMBuildStore(p->b, value, slot);
    hd_hooks_call(f, HD_HOOK_write_n,
                  (LLVMValueRef[]){site, where, hd_hooks_u64(p, size), addr_tok,
                                   hd_hooks_ptr(p, slot), val_tok});
}

/* Atomic stores are of integers, pointers or floats of 1 to 16 bytes. */
static void atomic_write(struct hd_fn *f, LLVMValueRef site, LLVMValueRef ptr, LLVMValueRef value,
                         struct hd_dep addr, struct hd_dep val)
{
    struct hd_pass *p = f->p;
    LLVMValueRef lo, hi = hd_hooks_u64(p, 0);
    if (size_of(f, LLVMTypeOf(value)) > 8) {
        LLVMTypeRef wide = LLVMIntTypeInContext(p->ctx, 128);
        LLVMValueRef v = LLVMBuildBitCast(p->b, value, wide, "");
        lo = LLVMBuildTrunc(p->b, v, p->i64, "");
        v = LLVMBuildLShr(p->b, v, LLVMConstInt(wide, 64, false), "");
        hi = LLVMBuildTrunc(p->b, v, p->i64, "");
    } else {
        lo = bits64(f, value);
    }
    LLVMValueRef where = hd_hooks_ptr(p, ptr);
    LLVMValueRef addr_tok = hd_deps_pass_addr(f, addr), val_tok = hd_deps_pass(f, val, HD_MORE_VAL);
    hd_hooks_call(f, HD_HOOK_awrite, (LLVMValueRef[]){site, where, addr_tok, lo, hi, val_tok});
}

static void private_store(struct hd_fn *f, LLVMValueRef inst)
{
    struct hd_local *local = hd_locals_is(f, LLVMGetOperand(inst, 1));
    if (!local || f->coarse)
        return;
    struct hd_dep d = hd_deps_of(f, LLVMGetOperand(inst, 0));
    struct hd_dep index = hd_deps_of(f, LLVMGetOperand(inst, 1));
    LLVMPositionBuilderBefore(f->p->b, inst);
    hd_deps_add(f, f->p->b, &d, index);
    hd_deps_local_store(f, f->p->b, local, d);
}

void hd_access_store(struct hd_fn *f, LLVMValueRef inst)
{
    LLVMValueRef value = LLVMGetOperand(inst, 0), ptr = LLVMGetOperand(inst, 1);
    if (!hd_locals_hooked(f, ptr)) {
        private_store(f, inst);
        return;
    }
    bool atomic = is_atomic(f, inst, LLVMTypeOf(value));
    struct hd_site site = {.kind = atomic ? HD_SITE_AWRITE : HD_SITE_WRITE,
                           .size = (uint32_t)size_of(f, LLVMTypeOf(value)),
                           .flags = LLVMGetVolatile(inst) ? HD_SITE_VOLATILE : 0,
                           .order = atomic ? order_of(LLVMGetOrdering(inst)) : 0};
    struct hd_dep addr = hd_deps_of(f, ptr), val = hd_deps_of(f, value);
    LLVMPositionBuilderBefore(f->p->b, inst);
    LLVMValueRef record = add_site(f, inst, ptr, site);
    if (atomic)
        atomic_write(f, record, ptr, value, addr, val);
    else
        plain_write(f, record, ptr, value, addr, val);
}

static LLVMValueRef before_rmw(struct hd_fn *f, LLVMValueRef inst, struct hd_site site)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);
    struct hd_dep addr = hd_deps_of(f, ptr);
    LLVMPositionBuilderBefore(f->p->b, inst);
    LLVMValueRef record = add_site(f, inst, ptr, site);
    LLVMValueRef where = hd_hooks_ptr(f->p, ptr);
    hd_hooks_call(f, HD_HOOK_rmw_pre, (LLVMValueRef[]){record, where, hd_deps_pass_addr(f, addr)});
    return record;
}

void hd_access_rmw(struct hd_fn *f, LLVMValueRef inst)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), operand = LLVMGetOperand(inst, 1);
    if (!hd_locals_hooked(f, ptr))
        return;
    bool own = LLVMGetAtomicRMWBinOp(inst) != LLVMAtomicRMWBinOpXchg;
    struct hd_site site = {.kind = HD_SITE_RMW,
                           .size = (uint32_t)size_of(f, LLVMTypeOf(operand)),
                           .flags = own ? HD_SITE_OWN : 0,
                           .order = order_of(LLVMGetOrdering(inst))};
    struct hd_dep val = hd_deps_of(f, operand);
    LLVMValueRef record = before_rmw(f, inst, site);
    hd_hooks_after(f->p->b, inst);
    LLVMValueRef where = hd_hooks_ptr(f->p, ptr);
    LLVMValueRef tok = hd_hooks_call(
        f, HD_HOOK_rmw_post, (LLVMValueRef[]){record, where, hd_deps_pass(f, val, HD_MORE_VAL)});
    hd_deps_set(f, inst, tok);
}

void hd_access_cas(struct hd_fn *f, LLVMValueRef inst)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), value = LLVMGetOperand(inst, 2);
    if (!hd_locals_hooked(f, ptr))
        return;
    struct hd_site site = {.kind = HD_SITE_CAS,
                           .size = (uint32_t)size_of(f, LLVMTypeOf(value)),
                           .flags = HD_SITE_OWN,
                           .order = order_of(LLVMGetCmpXchgSuccessOrdering(inst)),
                           .fail_order = order_of(LLVMGetCmpXchgFailureOrdering(inst))};
    struct hd_dep expected = hd_deps_of(f, LLVMGetOperand(inst, 1)), val = expected;
    struct hd_dep new_value = hd_deps_of(f, value);
    LLVMValueRef record = before_rmw(f, inst, site);
    hd_hooks_after(f->p->b, inst);
    hd_deps_add(f, f->p->b, &val, new_value);
    LLVMValueRef stored = LLVMBuildExtractValue(f->p->b, inst, 1, "");
    stored = LLVMBuildZExt(f->p->b, stored, f->p->i32, "");
    LLVMValueRef where = hd_hooks_ptr(f->p, ptr);
    LLVMValueRef tok =
        hd_hooks_call(f, HD_HOOK_cas_post,
                      (LLVMValueRef[]){record, where, hd_deps_pass(f, val, HD_MORE_VAL), stored});
    struct hd_dep result = {1, {tok}}; /* whether it stored depends on what was expected, too */
    hd_deps_add(f, f->p->b, &result, expected);
    hd_deps_set_all(f, inst, result);
}

void hd_access_fence(struct hd_fn *f, LLVMValueRef inst)
{
    int order = hd_shim_fence_order(inst);
    if (order == 0)
        return;
    struct hd_site site = {.kind = HD_SITE_FENCE, .order = order_of((LLVMAtomicOrdering)order)};
    LLVMPositionBuilderBefore(f->p->b, inst);
    hd_hooks_call(f, HD_HOOK_fence, (LLVMValueRef[]){hd_sites_add(f, inst, site)});
}
