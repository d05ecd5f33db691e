/* The site table of a module, its strings, and the constructor that registers both. */
#include "pass/pass.h"

#include "base/alloc.h"

#include <string.h>

uint32_t hd_sites_string(struct hd_pass *p, const char *text, size_t len)
{
    return hd_names_add(&p->strings, text, len);
}

/* Sites are addressed as an offset from a stand-in that hd_sites_emit replaces. */
LLVMValueRef hd_sites_add(struct hd_fn *f, LLVMValueRef inst, struct hd_site site)
{
    struct hd_pass *p = f->p;
    hd_debug_place(f, inst, &site);
    LLVMValueRef offset = hd_hooks_u64(p, p->sites.len * sizeof site);
    *(struct hd_site *)hd_vec_push(&p->sites) = site;
    if (!p->sites_base)
        p->sites_base = LLVMAddGlobal(p->module, p->i8, "heddle.sites.base");
    return LLVMConstInBoundsGEP2(p->i8, p->sites_base, &offset, 1);
}

static LLVMValueRef add_table(struct hd_pass *p, LLVMValueRef init, const char *name)
{
    LLVMValueRef table = LLVMAddGlobal(p->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(table, init);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

/* All strings one after the other, each with its NUL, at the offset that string_at returns. */
static LLVMValueRef emit_strings(struct hd_pass *p, uint64_t *size)
{
    for (size_t i = 0; i < p->strings.count; i++)
        hd_u32vec_push(&p->string_at, (uint32_t)p->strings.start[i]);
    *size = p->strings.text_len;
    LLVMValueRef bytes =
        LLVMConstStringInContext(p->ctx, p->strings.text, (unsigned)p->strings.text_len, true);
    LLVMValueRef table = add_table(p, bytes, "heddle.strings");
    LLVMSetGlobalConstant(table, true);
    return table;
}

static LLVMTypeRef site_type(struct hd_pass *p)
{
    LLVMTypeRef fields[] = {p->i32, p->i32, p->i32, p->i32, p->i32, p->i32,
                            p->i16, p->i8,  p->i8,  p->i8,  p->i8,  LLVMArrayType(p->i8, 2)};
    return LLVMStructTypeInContext(p->ctx, fields, sizeof fields / sizeof fields[0], false);
}

static LLVMValueRef site_value(struct hd_pass *p, const struct hd_site *s)
{
    HD_ASSERT(s->file < p->string_at.len && s->func < p->string_at.len &&
              s->name < p->string_at.len);
    LLVMValueRef fields[] = {hd_hooks_u32(p, 0),
                             hd_hooks_u32(p, p->string_at.data[s->file]),
                             hd_hooks_u32(p, p->string_at.data[s->func]),
                             hd_hooks_u32(p, p->string_at.data[s->name]),
                             hd_hooks_u32(p, s->line),
                             hd_hooks_u32(p, s->size),
                             LLVMConstInt(p->i16, s->col, false),
                             LLVMConstInt(p->i8, s->kind, false),
                             LLVMConstInt(p->i8, s->flags, false),
                             LLVMConstInt(p->i8, s->order, false),
                             LLVMConstInt(p->i8, s->fail_order, false),
                             LLVMConstNull(LLVMArrayType(p->i8, 2))};
    return LLVMConstStructInContext(p->ctx, fields, sizeof fields / sizeof fields[0], false);
}

static LLVMValueRef emit_sites(struct hd_pass *p)
{
    LLVMTypeRef type = site_type(p);
    size_t n = p->sites.len;
    HD_ASSERT(LLVMABISizeOfType(p->layout, type) == sizeof(struct hd_site));
    LLVMValueRef *rows = hd_alloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = site_value(p, hd_vec_at(&p->sites, i));
    LLVMValueRef table = add_table(p, LLVMConstArray(type, rows, (unsigned)n), "heddle.sites");
    hd_free(rows, n * sizeof *rows);
    LLVMSetSection(table, "heddle_sites");
    LLVMSetAlignment(table, 32);
    return table;
}

static LLVMValueRef emit_record(struct hd_pass *p)
{
    uint64_t size;
    LLVMValueRef strings = emit_strings(p, &size), sites = emit_sites(p);
    LLVMReplaceAllUsesWith(p->sites_base, LLVMConstBitCast(sites, LLVMTypeOf(p->sites_base)));
    LLVMDeleteGlobal(p->sites_base);
    LLVMValueRef fields[] = {
        hd_hooks_u32(p, HD_ABI_VERSION), hd_hooks_u32(p, (uint32_t)p->sites.len),
        LLVMConstBitCast(sites, p->ptr), LLVMConstBitCast(strings, p->ptr),
        hd_hooks_u64(p, size),           LLVMConstNull(p->ptr)};
    return add_table(p, LLVMConstStructInContext(p->ctx, fields, 6, false), "heddle.module");
}

static LLVMValueRef emit_constructor(struct hd_pass *p, LLVMValueRef record)
{
    LLVMTypeRef type = LLVMFunctionType(p->void_type, NULL, 0, false);
    LLVMValueRef fn = LLVMAddFunction(p->module, "heddle.module_ctor", type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(p->b, LLVMAppendBasicBlockInContext(p->ctx, fn, "entry"));
    LLVMSetCurrentDebugLocation2(p->b, NULL);
    LLVMValueRef arg = LLVMConstBitCast(record, p->ptr);
    LLVMBuildCall2(p->b, p->hook_type[HD_HOOK_module_init], p->hook[HD_HOOK_module_init], &arg, 1,
                   "");
    LLVMBuildRetVoid(p->b);
    return fn;
}

/* Appends to llvm.global_ctors, which has to be made anew. Priority 0: before the program's own. */
void hd_sites_constructor(struct hd_pass *p, LLVMValueRef fn)
{
    LLVMValueRef old = LLVMGetNamedGlobal(p->module, "llvm.global_ctors");
    LLVMValueRef init = old ? LLVMGetInitializer(old) : NULL;
    unsigned n = init ? LLVMGetArrayLength(LLVMTypeOf(init)) : 0;
    LLVMValueRef row[] = {hd_hooks_u32(p, 0), fn, LLVMConstNull(p->ptr)};
    LLVMValueRef *rows = hd_alloc((n + 1) * sizeof *rows);
    rows[0] = LLVMConstStructInContext(p->ctx, row, 3, false);
    for (unsigned i = 0; i < n; i++)
        rows[i + 1] = LLVMGetOperand(init, i);
    LLVMValueRef array = LLVMConstArray(LLVMTypeOf(rows[0]), rows, n + 1);
    hd_free(rows, (n + 1) * sizeof *rows);
    if (old)
        LLVMDeleteGlobal(old);
    LLVMValueRef table = LLVMAddGlobal(p->module, LLVMTypeOf(array), "llvm.global_ctors");
    LLVMSetInitializer(table, array);
    LLVMSetLinkage(table, LLVMAppendingLinkage);
}

void hd_sites_emit(struct hd_pass *p)
{
    if (p->sites_base)
        hd_sites_constructor(p, emit_constructor(p, emit_record(p)));
}
