/* memcpy, memmove, memset: intrinsics and calls are replaced by hooks that do the work themselves,
 * so that they are logged once even where the runtime interposes the libc functions. Also the
 * blocks that calls copy behind the program's back: arguments passed by value and argument lists.
 */
#include "pass/pass.h"

/* Token for all events between two counts of the flow record. */
static LLVMValueRef events_since(struct hd_fn *f, LLVMValueRef before)
{
    struct hd_pass *p = f->p;
    LLVMValueRef first = LLVMBuildAdd(p->b, before, hd_hooks_u32(p, 1), "");
    first = LLVMBuildShl(p->b, LLVMBuildZExt(p->b, first, p->i64, ""), hd_hooks_u64(p, 32), "");
    return LLVMBuildOr(p->b, first, hd_deps_past(f, p->b), "");
}

static LLVMValueRef count_now(struct hd_fn *f)
{
    return LLVMBuildLoad2(f->p->b, f->p->i32, hd_hooks_flow(f->p, HD_FLOW_COUNT, 0), "");
}

static struct hd_dep contents_of(struct hd_fn *f, struct hd_local *local)
{
    if (!local->tainted)
        return (struct hd_dep){0};
    if (f->coarse)
        return (struct hd_dep){1, {hd_hooks_tok(f->p, HD_TOK_ALL)}};
    return (struct hd_dep){1, {LLVMBuildLoad2(f->p->b, f->p->i64, local->shadow, "")}};
}

static void replace(LLVMValueRef inst, LLVMValueRef result)
{
    if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(inst, result);
    LLVMInstructionEraseFromParent(inst);
}

/* The site of a block operation; a constant length is its size. named: what it is named after, or
 * NULL. */
static LLVMValueRef block_site(struct hd_fn *f, LLVMValueRef inst, LLVMValueRef named,
                               enum hd_site_kind kind, uint8_t flags)
{
    struct hd_site site = {.kind = (uint8_t)kind, .flags = flags};
    LLVMValueRef len = LLVMGetOperand(inst, 2);
    if (LLVMIsAConstantInt(len) && LLVMConstIntGetZExtValue(len) <= UINT32_MAX)
        site.size = (uint32_t)LLVMConstIntGetZExtValue(len);
    if (named)
        hd_vars_name(f, named, site.size, &site);
    return hd_sites_add(f, inst, site);
}

static bool is_logged(struct hd_fn *f, LLVMValueRef ptr)
{
    return hd_locals_hooked(f, ptr);
}

static LLVMValueRef length(struct hd_fn *f, LLVMValueRef inst)
{
    return LLVMBuildZExtOrBitCast(f->p->b, LLVMGetOperand(inst, 2), f->p->i64, "");
}

static void fill(struct hd_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->p;
    LLVMValueRef to = LLVMGetOperand(inst, 0);
    struct hd_local *local = hd_locals_is(f, to);
    struct hd_dep addr = hd_deps_of(f, to), val = hd_deps_of(f, LLVMGetOperand(inst, 1));
    struct hd_dep len = hd_deps_of(f, LLVMGetOperand(inst, 2));
    LLVMPositionBuilderBefore(p->b, inst);
    hd_deps_add(f, p->b, &addr, len);
    if (local) {
        hd_deps_add(f, p->b, &val, addr);
        if (!f->coarse)
            hd_deps_local_store(f, p->b, local, val);
        return;
    }
    if (!is_logged(f, to))
        return;
    LLVMValueRef site = block_site(f, inst, to, HD_SITE_SET, 0);
    LLVMValueRef byte = LLVMGetOperand(inst, 1);
    if (LLVMTypeOf(byte) != p->i32)
        byte = LLVMBuildZExt(p->b, byte, p->i32, "");
    LLVMValueRef where = hd_hooks_ptr(p, to), n = length(f, inst);
    /* One token each and nothing settled: a fill of no length is no event. */
    LLVMValueRef addr_tok = hd_deps_join(f, p->b, addr), val_tok = hd_deps_join(f, p->b, val);
    hd_hooks_call(f, HD_HOOK_memset, (LLVMValueRef[]){site, where, byte, n, addr_tok, val_tok});
    replace(inst, to);
}

/* What a copy needs to know about its source and destination. */
struct copy {
    LLVMValueRef inst, to, from;
    struct hd_local *to_local, *from_local;
    struct hd_dep addr, from_addr; /* with the length */
    uint8_t flags;
};

static void copy_deps(struct hd_fn *f, struct copy *c)
{
    LLVMBuilderRef b = f->p->b;
    c->addr = hd_deps_of(f, c->to);
    c->from_addr = hd_deps_of(f, c->from);
    struct hd_dep len = hd_deps_of(f, LLVMGetOperand(c->inst, 2));
    LLVMPositionBuilderBefore(b, c->inst);
    hd_deps_add(f, b, &c->addr, len);
    hd_deps_add(f, b, &c->from_addr, len);
    if (c->from_local)
        hd_deps_add(f, b, &c->from_addr, contents_of(f, c->from_local));
    else if (!is_logged(f, c->from) && !hd_locals_is_constant(c->from))
        c->from_addr = (struct hd_dep){1, {hd_hooks_tok(f->p, HD_TOK_ALL)}};
    c->flags = (uint8_t)((is_logged(f, c->from) ? 0 : HD_SITE_SRC_PRIVATE) |
                         (is_logged(f, c->to) ? 0 : HD_SITE_DST_PRIVATE));
}

/* Copies that become a load and a store with their hooks, whose records are short. */
static bool is_split(LLVMValueRef len)
{
    uint64_t n = LLVMIsAConstantInt(len) ? LLVMConstIntGetZExtValue(len) : 0;
    return n == 16 || n == 32 || n == 64;
}

static LLVMValueRef as_pointer_to(struct hd_pass *p, LLVMTypeRef type, LLVMValueRef ptr)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(ptr));
    return LLVMBuildBitCast(p->b, ptr, LLVMPointerType(type, space), "");
}

static void load_and_store(struct hd_fn *f, const struct copy *c)
{
    struct hd_pass *p = f->p;
    unsigned n = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(c->inst, 2));
    LLVMTypeRef type = LLVMIntTypeInContext(p->ctx, n * 8);
    LLVMValueRef v = LLVMBuildLoad2(p->b, type, as_pointer_to(p, type, c->from), "");
    LLVMSetAlignment(v, 1);
    LLVMSetAlignment(LLVMBuildStore(p->b, v, as_pointer_to(p, type, c->to)), 1);
}

static struct hd_dep split_copy(struct hd_fn *f, const struct copy *c)
{
    struct hd_pass *p = f->p;
    struct hd_dep contents = c->from_addr;
    LLVMValueRef n = length(f, c->inst), from = hd_hooks_ptr(p, c->from);
    if (!(c->flags & HD_SITE_SRC_PRIVATE)) {
        LLVMValueRef tok = hd_deps_pass_addr(f, c->from_addr);
        LLVMValueRef site = block_site(f, c->inst, c->from, HD_SITE_READ, 0);
        tok = hd_hooks_call(f, HD_HOOK_read_n, (LLVMValueRef[]){site, from, n, tok});
        contents = (struct hd_dep){1, {tok}};
    }
    if (!(c->flags & HD_SITE_DST_PRIVATE)) {
        LLVMValueRef to = hd_hooks_ptr(p, c->to);
        LLVMValueRef addr = hd_deps_pass_addr(f, c->addr);
        LLVMValueRef val = hd_deps_pass(f, contents, HD_MORE_VAL);
        LLVMValueRef site = block_site(f, c->inst, c->to, HD_SITE_WRITE, 0);
        hd_hooks_call(f, HD_HOOK_write_n, (LLVMValueRef[]){site, to, n, addr, from, val});
    }
    load_and_store(f, c);
    return contents;
}

static struct hd_dep whole_copy(struct hd_fn *f, const struct copy *c, enum hd_hook hook)
{
    struct hd_pass *p = f->p;
    LLVMValueRef named = c->flags & HD_SITE_DST_PRIVATE ? NULL : c->to;
    LLVMValueRef site = block_site(f, c->inst, named, HD_SITE_COPY, c->flags);
    LLVMValueRef to = hd_hooks_ptr(p, c->to), from = hd_hooks_ptr(p, c->from);
    LLVMValueRef n = length(f, c->inst), before = count_now(f);
    LLVMValueRef to_tok = hd_deps_join(f, p->b, c->addr);
    LLVMValueRef from_tok = hd_deps_join(f, p->b, c->from_addr);
    hd_hooks_call(f, hook, (LLVMValueRef[]){site, to, from, n, to_tok, from_tok});
    if (c->flags & HD_SITE_SRC_PRIVATE)
        return c->from_addr;
    return (struct hd_dep){1, {events_since(f, before)}};
}

static void copy(struct hd_fn *f, LLVMValueRef inst, enum hd_hook hook)
{
    struct copy c = {.inst = inst, .to = LLVMGetOperand(inst, 0), .from = LLVMGetOperand(inst, 1)};
    c.to_local = hd_locals_is(f, c.to);
    c.from_local = hd_locals_is(f, c.from);
    copy_deps(f, &c);
    struct hd_dep contents = c.from_addr;
    bool logged = (c.flags & HD_SITE_SRC_PRIVATE) == 0 || (c.flags & HD_SITE_DST_PRIVATE) == 0;
    bool split = is_split(LLVMGetOperand(inst, 2));
    if (logged)
        contents = split ? split_copy(f, &c) : whole_copy(f, &c, hook);
    if (c.to_local && !f->coarse) {
        hd_deps_add(f, f->p->b, &contents, c.addr);
        hd_deps_local_store(f, f->p->b, c.to_local, contents);
    }
    if (logged)
        replace(inst, c.to);
}

void hd_block_call(struct hd_fn *f, LLVMValueRef inst, enum hd_callee kind)
{
    if (kind == HD_CALLEE_SET)
        fill(f, inst);
    else
        copy(f, inst, kind == HD_CALLEE_MOVE ? HD_HOOK_memmove : HD_HOOK_memcpy);
}

LLVMValueRef hd_block_read(struct hd_fn *f, LLVMValueRef at, LLVMValueRef ptr, uint64_t size)
{
    struct hd_site site = {.kind = HD_SITE_READ, .size = (uint32_t)size};
    hd_vars_name(f, ptr, size, &site);
    LLVMValueRef record = hd_sites_add(f, at, site);
    LLVMValueRef where = hd_hooks_ptr(f->p, ptr);
    LLVMValueRef addr = hd_deps_join(f, f->p->b, hd_deps_of(f, ptr));
    return hd_hooks_call(f, HD_HOOK_read_n,
                         (LLVMValueRef[]){record, where, hd_hooks_u64(f->p, size), addr});
}

void hd_block_written(struct hd_fn *f, LLVMValueRef at, LLVMValueRef ptr, uint64_t size,
                      LLVMValueRef val)
{
    struct hd_site site = {.kind = HD_SITE_WRITE, .size = (uint32_t)size};
    hd_vars_name(f, ptr, size, &site);
    LLVMValueRef record = hd_sites_add(f, at, site);
    LLVMValueRef where = hd_hooks_ptr(f->p, ptr), none = hd_hooks_tok(f->p, HD_TOK_NONE);
    hd_hooks_call(f, HD_HOOK_write_n,
                  (LLVMValueRef[]){record, where, hd_hooks_u64(f->p, size), none, where, val});
}
