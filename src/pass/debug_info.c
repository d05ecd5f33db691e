/* Places from debug info, and access to metadata nodes as lists of operands: LLVM 14's C API names
 * few of their fields, but their positions are the same in 14 and 19.
 */
#include "pass/pass.h"

#include "base/alloc.h"

#include <limits.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

unsigned hd_debug_n_operands(struct hd_pass *p, LLVMMetadataRef node)
{
    return LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(p->ctx, node));
}

static LLVMValueRef operand_value(struct hd_pass *p, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(p->ctx, node);
    unsigned n = LLVMGetMDNodeNumOperands(v);
    if (i >= n)
        return NULL;
    LLVMValueRef *operands = hd_alloc(n * sizeof *operands);
    LLVMGetMDNodeOperands(v, operands);
    LLVMValueRef operand = operands[i];
    hd_free(operands, n * sizeof *operands);
    return operand;
}

LLVMMetadataRef hd_debug_operand(struct hd_pass *p, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = operand_value(p, node, i);
    return v ? LLVMValueAsMetadata(v) : NULL;
}

const char *hd_debug_string(struct hd_pass *p, LLVMMetadataRef node, unsigned i, unsigned *len)
{
    LLVMValueRef v = operand_value(p, node, i);
    return v ? LLVMGetMDString(v, len) : NULL;
}

/* Operands of scopes: 0 file, 1 scope, 2 name (of a subprogram). */
static void set_function(struct hd_fn *f, LLVMMetadataRef scope, struct hd_site *site)
{
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        scope = hd_debug_operand(f->p, scope, 1);
    unsigned len = 0;
    const char *name = scope ? hd_debug_string(f->p, scope, 2, &len) : NULL;
    size_t n = len;
    if (!name)
        name = LLVMGetValueName2(f->fn, &n);
    site->func = hd_sites_string(f->p, name, n);
}

static const char *directory_of(LLVMMetadataRef file, unsigned *len)
{
    const char *text = file ? LLVMDIFileGetDirectory(file, len) : NULL;
    return text && *len ? text : NULL;
}

/* A name of a file is relative to a directory that clang chooses: of a source with an absolute path
 * it cuts off what that has in common with the folder of the compilation. Names are relative to
 * that folder, as the command line and DWARF have them, or absolute. Operand 5 of a subprogram is
 * its unit. */
static void set_file(struct hd_fn *f, LLVMMetadataRef scope, struct hd_site *site)
{
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL, of = LLVMGetSubprogram(f->fn);
    LLVMMetadataRef unit = of ? hd_debug_operand(f->p, of, 5) : NULL;
    unsigned len, dir_len = 0, unit_len = 0;
    char whole[PATH_MAX];
    const char *name = file ? LLVMDIFileGetFilename(file, &len) : NULL;
    if (!name)
        return;
    const char *dir = directory_of(file, &dir_len);
    const char *home = unit ? directory_of(LLVMDIScopeGetFile(unit), &unit_len) : NULL;
    bool same = home && dir && dir_len == unit_len && !memcmp(home, dir, dir_len);
    if (dir && home && !same && len && *name != '/' && (size_t)dir_len + len + 2 <= sizeof whole) {
        len =
            (unsigned)snprintf(whole, sizeof whole, "%.*s/%.*s", (int)dir_len, dir, (int)len, name);
        name = whole;
    }
    site->file = hd_sites_string(f->p, name, len);
}

static LLVMMetadataRef line_of(LLVMValueRef inst)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
    return loc && LLVMDILocationGetLine(loc) ? loc : NULL;
}

/* The optimiser leaves some instructions without a line. The nearest one of their block that has
 * one, those after it first, stands for it, as in a debugger that stops there. */
static LLVMMetadataRef nearest_line(LLVMValueRef inst)
{
    LLVMMetadataRef loc = line_of(inst);
    for (LLVMValueRef i = inst; i && !loc; i = LLVMGetNextInstruction(i))
        loc = line_of(i);
    for (LLVMValueRef i = inst; i && !loc; i = LLVMGetPreviousInstruction(i))
        loc = line_of(i);
    return loc;
}

void hd_debug_place(struct hd_fn *f, LLVMValueRef inst, struct hd_site *site)
{
    LLVMMetadataRef loc = inst ? nearest_line(inst) : NULL;
    LLVMMetadataRef scope = loc ? LLVMDILocationGetScope(loc) : LLVMGetSubprogram(f->fn);
    if (loc) {
        site->line = LLVMDILocationGetLine(loc);
        unsigned col = line_of(inst) ? LLVMDILocationGetColumn(loc) : 0;
        site->col = col > UINT16_MAX ? 0 : (uint16_t)col;
    } else if (scope) {
        site->line = LLVMDISubprogramGetLine(scope);
    }
    set_function(f, scope, site);
    set_file(f, scope, site);
}
