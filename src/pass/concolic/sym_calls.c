/* Ids over calls: arguments, results, models of library functions, results that are inputs. */
#include "pass/concolic/pass_sym.h"
#include "pass/concolic/sym_names.h"
#include "pass/concolic/sym_streams.h"

#include <stdio.h>
#include <string.h>

enum { FLOW_CALLEE, FLOW_RETURNER, FLOW_RET, FLOW_RET2, FLOW_ARG, FLOW_BLOCK }; /* hd_sym_flow */

static const char *name_of(LLVMValueRef call)
{
    LLVMValueRef fn = hd_calls_function(call);
    size_t len;
    return fn ? LLVMGetValueName2(fn, &len) : "";
}

static bool is_external(LLVMValueRef call)
{
    LLVMValueRef fn = hd_calls_function(call);
    return fn && LLVMIsAFunction(fn) && LLVMIsDeclaration(fn);
}

static LLVMValueRef name_value(struct hd_sym_fn *f, const char *name)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef bytes = LLVMConstStringInContext(p->ctx, name, (unsigned)strlen(name), false);
    LLVMValueRef v = LLVMAddGlobal(p->module, LLVMTypeOf(bytes), "heddle.name");
    LLVMSetInitializer(v, bytes);
    LLVMSetLinkage(v, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(v, true);
    return LLVMConstBitCast(v, p->ptr);
}

/* ---- structs by value in memory ---- */

static unsigned byval_kind(void)
{
    return LLVMGetEnumAttributeKindForName("byval", 5);
}

/* Bytes of parameter i of a function or call when it is a copy in memory, else 0. */
static uint64_t byval_bytes(struct hd_pass *p, LLVMValueRef fn, unsigned i, bool is_call)
{
    LLVMAttributeRef a = is_call ? LLVMGetCallSiteEnumAttribute(fn, i + 1, byval_kind())
                                 : LLVMGetEnumAttributeAtIndex(fn, i + 1, byval_kind());
    return a ? LLVMABISizeOfType(p->layout, LLVMGetTypeAttributeValue(a)) : 0;
}

/* i1: the first or the last byte is on a page with symbols. */
static LLVMValueRef block_flagged(struct hd_sym_fn *f, LLVMValueRef ptr, uint64_t bytes)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef last = hd_hooks_u64(p, bytes - 1), start = hd_hooks_ptr(p, ptr);
    LLVMValueRef end = LLVMBuildInBoundsGEP2(p->b, p->i8, start, &last, 1, "");
    return LLVMBuildOr(p->b, hd_sym_flagged(f->s, start), hd_sym_flagged(f->s, end), "");
}

/* Tells the callee where our copies are. False: there are none. */
static bool pass_blocks(struct hd_sym_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->s->p;
    unsigned n = 0;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && n < HD_SYM_BLOCKS; i++) {
        uint64_t bytes = byval_bytes(p, call, i, true);
        if (!bytes)
            continue;
        LLVMValueRef ptr = LLVMGetOperand(call, i), flagged = block_flagged(f, ptr, bytes);
        LLVMBuildStore(
            p->b, LLVMBuildSelect(p->b, flagged, hd_hooks_ptr(p, ptr), LLVMConstNull(p->ptr), ""),
            hd_sym_flow(f->s, FLOW_BLOCK, n++));
    }
    return n > 0;
}

/* The shadow of our copies, at the start of the function: what was at this place of the stack
 * before must not be taken for theirs. */
static void take_blocks(struct hd_sym_fn *f, LLVMValueRef mine)
{
    struct hd_pass *p = f->s->p;
    unsigned i = 0, n = 0;
    for (LLVMValueRef a = LLVMGetFirstParam(f->f->fn); a && n < HD_SYM_BLOCKS;
         a = LLVMGetNextParam(a), i++) {
        uint64_t bytes = byval_bytes(p, f->f->fn, i, false);
        if (!bytes)
            continue;
        LLVMPositionBuilderBefore(p->b, f->entry);
        LLVMValueRef from = LLVMBuildLoad2(p->b, p->ptr, hd_sym_flow(f->s, FLOW_BLOCK, n++), "");
        LLVMValueRef none = LLVMConstNull(p->ptr);
        from = LLVMBuildSelect(p->b, mine, from, none, "");
        LLVMValueRef any = LLVMBuildICmp(p->b, LLVMIntNE, from, none, "");
        any = LLVMBuildOr(p->b, any, block_flagged(f, a, bytes), "");
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, f->entry, any);
        hd_sym_call(f->s, HD_SYM_HOOK_block,
                    (LLVMValueRef[]){hd_hooks_ptr(p, a), hd_hooks_u64(p, bytes), from});
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
}

/* ---- arguments and results ---- */

/* i1: the flow record is for this function. */
static LLVMValueRef is_mine(struct hd_sym_fn *f)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef who = LLVMBuildLoad2(p->b, p->ptr, hd_sym_flow(f->s, FLOW_CALLEE, 0), "");
    return LLVMBuildICmp(p->b, LLVMIntEQ, who, LLVMBuildPointerCast(p->b, f->f->fn, p->ptr, ""),
                         "");
}

/* The ids after "..." are kept until va_start. */
static void keep_dots(struct hd_sym_fn *f, LLVMValueRef mine)
{
    struct hd_pass *p = f->s->p;
    unsigned fixed = LLVMCountParams(f->f->fn);
    f->n_dots = fixed < HD_SYM_ARGS ? HD_SYM_ARGS - fixed : 0;
    if (!f->n_dots)
        return;
    LLVMTypeRef type = LLVMArrayType(p->i32, f->n_dots);
    f->dots = hd_hooks_slot(f->f, type);
    for (unsigned i = 0; i < f->n_dots; i++) {
        LLVMValueRef path[] = {hd_hooks_u32(p, 0), hd_hooks_u32(p, i)};
        LLVMValueRef id = LLVMBuildLoad2(p->b, p->i32, hd_sym_flow(f->s, FLOW_ARG, fixed + i), "");
        LLVMBuildStore(p->b, LLVMBuildSelect(p->b, mine, id, f->zero, ""),
                       LLVMBuildInBoundsGEP2(p->b, type, f->dots, path, 2, ""));
    }
}

void hd_sym_dots(struct hd_sym_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->s->p;
    if (!f->dots)
        return;
    LLVMPositionBuilderBefore(p->b, LLVMGetNextInstruction(call));
    hd_sym_call(f->s, HD_SYM_HOOK_dots,
                (LLVMValueRef[]){hd_hooks_ptr(p, LLVMGetOperand(call, 0)), hd_hooks_ptr(p, f->dots),
                                 hd_hooks_u32(p, f->n_dots)});
}

void hd_sym_arguments(struct hd_sym_fn *f)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef fn = f->f->fn, mine = NULL;
    unsigned i = 0;
    LLVMPositionBuilderBefore(p->b, f->entry);
    for (LLVMValueRef a = LLVMGetFirstParam(fn); a && i < HD_SYM_ARGS;
         a = LLVMGetNextParam(a), i++) {
        if (!hd_sym_width(f->s, LLVMTypeOf(a)))
            continue;
        mine = mine ? mine : is_mine(f);
        LLVMValueRef id = LLVMBuildLoad2(p->b, p->i32, hd_sym_flow(f->s, FLOW_ARG, i), "");
        hd_sym_set(f, a, LLVMBuildSelect(p->b, mine, id, f->zero, ""));
    }
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn)) && !f->s->models) {
        mine = mine ? mine : is_mine(f);
        keep_dots(f, mine);
    }
    if (!mine)
        return;
    LLVMBuildStore(p->b, LLVMConstNull(p->ptr), hd_sym_flow(f->s, FLOW_CALLEE, 0));
    take_blocks(f, mine);
}

void hd_sym_return(struct hd_sym_fn *f, LLVMValueRef inst)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef before = LLVMGetPreviousInstruction(inst);
    if (LLVMGetNumOperands(inst) == 0 || (before && hd_shim_is_musttail(before)))
        return;
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    bool parts = hd_sym_parts(f->s, LLVMTypeOf(v)) != 0;
    if (!parts && !hd_sym_width(f->s, LLVMTypeOf(v)))
        return;
    LLVMPositionBuilderBefore(p->b, inst);
    struct hd_sym_pair pair = hd_sym_pair(f, v);
    LLVMBuildStore(p->b, parts ? pair.id[0] : hd_sym_id(f, v), hd_sym_flow(f->s, FLOW_RET, 0));
    if (parts)
        LLVMBuildStore(p->b, pair.id[1], hd_sym_flow(f->s, FLOW_RET2, 0));
    LLVMBuildStore(p->b, LLVMBuildPointerCast(p->b, f->f->fn, p->ptr, ""),
                   hd_sym_flow(f->s, FLOW_RETURNER, 0));
}

/* The id in the flow record when it was `who` that returned last. At the builder. second: that of
 * the other part of a struct, or NULL. */
static LLVMValueRef taken(struct hd_sym_fn *f, LLVMValueRef who, LLVMValueRef *second)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef returner = hd_sym_flow(f->s, FLOW_RETURNER, 0);
    LLVMValueRef last = LLVMBuildLoad2(p->b, p->ptr, returner, "");
    LLVMValueRef mine =
        LLVMBuildICmp(p->b, LLVMIntEQ, last, LLVMBuildPointerCast(p->b, who, p->ptr, ""), "");
    LLVMValueRef id = LLVMBuildLoad2(p->b, p->i32, hd_sym_flow(f->s, FLOW_RET, 0), "");
    if (second) {
        *second = LLVMBuildLoad2(p->b, p->i32, hd_sym_flow(f->s, FLOW_RET2, 0), "");
        *second = LLVMBuildSelect(p->b, mine, *second, f->zero, "");
    }
    LLVMBuildStore(p->b, LLVMConstNull(p->ptr), returner);
    return LLVMBuildSelect(p->b, mine, id, f->zero, "");
}

static LLVMValueRef taken_id(struct hd_sym_fn *f, LLVMValueRef who)
{
    return taken(f, who, NULL);
}

/* After a call: the ids of its result. */
static void take_result(struct hd_sym_fn *f, LLVMValueRef call, LLVMValueRef at)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    bool parts = hd_sym_parts(f->s, type) != 0;
    struct hd_sym_pair pair;
    if (!parts && !hd_sym_width(f->s, type))
        return;
    LLVMPositionBuilderBefore(f->s->p->b, at);
    pair.id[0] = taken(f, LLVMGetCalledValue(call), parts ? &pair.id[1] : NULL);
    if (parts)
        hd_sym_set_pair(f, call, pair);
    else
        hd_sym_set(f, call, pair.id[0]);
}

/* ---- models ---- */

/* i1: an argument is symbolic or points near symbolic memory; NULL: never. */
static LLVMValueRef touches_symbols(struct hd_sym_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef any = NULL;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef v = LLVMGetOperand(call, i), id = hd_sym_id(f, v);
        LLVMValueRef one = hd_sym_any(f, &id, 1);
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && !hd_locals_is_constant(v)) {
            LLVMValueRef near = hd_sym_flagged(f->s, v);
            one = one ? LLVMBuildOr(p->b, one, near, "") : near;
        }
        any = any && one ? LLVMBuildOr(p->b, any, one, "") : any ? any : one;
    }
    return any;
}

/* In a slow block: hands (result, arguments...) to the model, all as 64-bit numbers. */
static LLVMValueRef call_model(struct hd_sym_fn *f, LLVMValueRef call, const char *name,
                               LLVMValueRef answer)
{
    struct hd_pass *p = f->s->p;
    char symbol[96];
    unsigned skip = strncmp(name, "__", 2) ? 0 : strncmp(name, "__isoc", 6) ? 2 : 9;
    snprintf(symbol, sizeof symbol, "__hd_model_%s", name + skip);
    LLVMValueRef args[HD_SYM_ARGS], ids[HD_SYM_ARGS];
    LLVMTypeRef types[HD_SYM_ARGS];
    unsigned n = LLVMGetNumArgOperands(call), used = 0;
    if (n >= HD_SYM_ARGS)
        hd_sym_drop(f, HD_SYM_LOST_CALL);
    for (unsigned i = 0; i <= n && used < HD_SYM_ARGS; i++) {
        LLVMValueRef v = i == 0 ? answer : LLVMGetOperand(call, i - 1);
        unsigned width = hd_sym_width(f->s, LLVMTypeOf(v));
        LLVMValueRef id = i == 0 ? f->zero : hd_sym_id(f, v);
        args[used] = width ? hd_sym_bits(f->s, v) : hd_hooks_u64(p, 0);
        if (width && width < 64 && !hd_sym_is_zero(f, id))
            id = hd_sym_call(f->s, HD_SYM_HOOK_cast,
                             (LLVMValueRef[]){hd_hooks_u32(p, HD_SYM_ZEXT | 64u << 8),
                                              hd_hooks_u32(p, width), id, args[used]});
        types[used] = p->i64;
        ids[used++] = id;
    }
    for (unsigned i = 0; i < used; i++)
        LLVMBuildStore(p->b, ids[i], hd_sym_flow(f->s, FLOW_ARG, i));
    LLVMTypeRef type = LLVMFunctionType(p->i64, types, used, false);
    LLVMValueRef model = LLVMGetNamedFunction(p->module, symbol);
    if (!model)
        model = LLVMAddFunction(p->module, symbol, LLVMFunctionType(p->i64, NULL, 0, true));
    LLVMValueRef fn = LLVMConstBitCast(model, LLVMPointerType(type, 0));
    LLVMBuildStore(p->b, LLVMConstBitCast(model, p->ptr), hd_sym_flow(f->s, FLOW_CALLEE, 0));
    LLVMBuildStore(p->b, hd_hooks_u64(p, 0), f->s->inside);
    LLVMValueRef result = LLVMBuildCall2(p->b, type, fn, args, used, "");
    LLVMBuildStore(p->b, hd_hooks_u64(p, 0), f->s->inside);
    unsigned width = hd_sym_width(f->s, LLVMTypeOf(answer));
    if (!width)
        return NULL;
    LLVMValueRef id = taken_id(f, model), real = hd_sym_bits(f->s, answer);
    if (width < 64) {
        result = LLVMBuildAnd(p->b, result, hd_hooks_u64(p, UINT64_MAX >> (64 - width)), "");
        id = hd_sym_call(f->s, HD_SYM_HOOK_cast,
                         (LLVMValueRef[]){hd_hooks_u32(p, HD_SYM_EXTRACT | width << 8),
                                          hd_hooks_u32(p, 64), id, real});
    }
    return hd_sym_call(f->s, HD_SYM_HOOK_agreed,
                       (LLVMValueRef[]){name_value(f, name), id, result, real});
}

/* ldiv: a quotient and a remainder in two registers. */
static void modelled_pair(struct hd_sym_fn *f, LLVMValueRef call, LLVMValueRef at)
{
    LLVMBuilderRef b = f->s->p->b;
    static const char *const names[] = {"ldiv_quot", "ldiv_rem"};
    struct hd_sym_pair pair;
    for (unsigned i = 0; i < 2; i++) {
        LLVMPositionBuilderBefore(b, at);
        LLVMValueRef answer = LLVMBuildExtractValue(b, call, i, ""),
                     cond = touches_symbols(f, call);
        pair.id[i] = f->zero;
        if (!cond)
            continue;
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, cond);
        LLVMValueRef id = call_model(f, call, names[i], answer);
        pair.id[i] = hd_sym_slow_end(f->s, slow, id, f->zero);
    }
    hd_sym_set_pair(f, call, pair);
}

static void modelled(struct hd_sym_fn *f, LLVMValueRef call, LLVMValueRef at, const char *name,
                     bool always)
{
    LLVMPositionBuilderBefore(f->s->p->b, at);
    LLVMValueRef cond = always ? LLVMConstInt(f->s->i1, 1, false) : touches_symbols(f, call);
    if (!cond)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, cond);
    LLVMValueRef id = call_model(f, call, name, call);
    id = hd_sym_slow_end(f->s, slow, id, f->zero);
    if (!id)
        return;
    hd_sym_set(f, call, id);
    hd_sym_past(f->s, hd_sym_seen(f, call)); /* choices of the model may have made it what it is */
}

/* ---- results that are inputs ---- */

/* Replaces the result where the user asked for it (--symbolic-call): the value and its id come from
 * the runtime. A byte per call remembers that it was not asked for. */
static void chosen(struct hd_sym_fn *f, LLVMValueRef call, LLVMValueRef at, const char *name)
{
    struct hd_pass *p = f->s->p;
    LLVMTypeRef type = LLVMTypeOf(call);
    unsigned width = hd_sym_width(f->s, type);
    bool is_ptr = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if (width < 8 || hd_shim_is_musttail(call))
        return;
    LLVMValueRef cache = LLVMAddGlobal(p->module, p->i8, "heddle.chosen");
    LLVMSetInitializer(cache, LLVMConstInt(p->i8, 0, false));
    LLVMSetLinkage(cache, LLVMInternalLinkage);
    LLVMPositionBuilderBefore(p->b, at);
    LLVMValueRef known = LLVMBuildLoad2(p->b, p->i8, cache, "");
    LLVMValueRef maybe = LLVMBuildICmp(p->b, LLVMIntEQ, known, LLVMConstInt(p->i8, 0, false), "");
    LLVMValueRef old_id = hd_sym_id(f, call);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, maybe);
    LLVMValueRef bits = hd_sym_bits(f->s, call);
    bool bits_use = bits != call; /* the one use of the call that must stay */
    LLVMValueRef args[] = {name_value(f, name), hd_hooks_ptr(p, cache),
                           hd_hooks_u32(p, width | (is_ptr ? 256u : 0)), bits, old_id};
    LLVMValueRef hook = hd_sym_call(f->s, HD_SYM_HOOK_result, args), new = hook;
    LLVMValueRef id = LLVMBuildLoad2(p->b, p->i32, hd_sym_flow(f->s, FLOW_RET, 0), "");
    if (is_ptr)
        new = LLVMBuildIntToPtr(p->b, new, type, "");
    else if (width < 64)
        new = LLVMBuildTrunc(p->b, new, type, "");
    LLVMBasicBlockRef slow_block = LLVMGetInsertBlock(p->b);
    id = hd_sym_slow_end(f->s, slow, id, old_id);
    LLVMPositionBuilderBefore(p->b, id);
    LLVMValueRef value = LLVMBuildPhi(p->b, type, "");
    LLVMReplaceAllUsesWith(call, value);
    LLVMAddIncoming(value, (LLVMValueRef[]){new, call},
                    (LLVMBasicBlockRef[]){slow_block, slow.head}, 2);
    if (bits_use)
        LLVMSetOperand(bits, 0, call);
    else
        LLVMSetOperand(hook, 3, call);
    hd_sym_set(f, value, id);
}

/* ---- calls ---- */

static bool has_dots(LLVMValueRef call)
{
    return LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call));
}

/* The ids in the order of the flow record: by position; after "..." only those of integers and
 * pointers, which share registers. */
static unsigned order_ids(struct hd_sym_fn *f, LLVMValueRef call, LLVMValueRef *ids)
{
    unsigned fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(call)), n = 0;
    bool dots = has_dots(call);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && n < HD_SYM_ARGS; i++) {
        LLVMValueRef v = LLVMGetOperand(call, i);
        if (!dots || i < fixed || hd_sym_width(f->s, LLVMTypeOf(v)))
            ids[n++] = hd_sym_id(f, v);
    }
    while (dots && n < HD_SYM_ARGS)
        ids[n++] = f->zero;
    return n;
}

static LLVMValueRef pass_ids(struct hd_sym_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->s->p;
    LLVMValueRef ids[HD_SYM_ARGS];
    LLVMPositionBuilderBefore(p->b, call);
    bool blocks = pass_blocks(f, call);
    unsigned n = order_ids(f, call, ids);
    LLVMValueRef any = hd_sym_any(f, ids, n);
    if (!any && !blocks)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        LLVMBuildStore(p->b, ids[i], hd_sym_flow(f->s, FLOW_ARG, i));
    LLVMBuildStore(p->b, LLVMBuildPointerCast(p->b, LLVMGetCalledValue(call), p->ptr, ""),
                   hd_sym_flow(f->s, FLOW_CALLEE, 0));
    return any;
}

static void indirect(struct hd_sym_fn *f, LLVMValueRef call)
{
    LLVMValueRef target = LLVMGetCalledValue(call), id = hd_sym_id(f, target);
    LLVMPositionBuilderBefore(f->s->p->b, call);
    LLVMValueRef any = hd_sym_any(f, &id, 1);
    if (!any)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, call, any);
    hd_sym_call(f->s, HD_SYM_HOOK_target, (LLVMValueRef[]){id, hd_hooks_ptr(f->s->p, target)});
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

static uint64_t hash_name(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * UINT64_C(1099511628211);
    return h;
}

/* Something after "..." that goes neither into integer nor into floating registers: then the places
 * of the others on the stack are not known. */
static bool has_odd_dots(struct hd_sym_fn *f, LLVMValueRef call)
{
    unsigned floats = 0;
    for (unsigned i = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
         has_dots(call) && i < LLVMGetNumArgOperands(call); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, i));
        bool is_float = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
        floats += is_float;
        if ((!is_float && !hd_sym_width(f->s, type)) || byval_bytes(f->s->p, call, i, true))
            return true;
    }
    return floats > 8;
}

/* Ids end here: those of arguments beyond the flow record, of structs in registers, and of some
 * that go in after "...". */
static void lost_arguments(struct hd_sym_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    struct hd_pass *p = f->s->p;
    unsigned fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
    bool dots = has_odd_dots(f, call) && kind != HD_CALLEE_VARARG_OK;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef v = LLVMGetOperand(call, i);
        struct hd_sym_pair ids = hd_sym_pair(f, v);
        bool wide = !hd_sym_is_zero(f, ids.id[0]) || !hd_sym_is_zero(f, ids.id[1]);
        if (!wide && i < HD_SYM_ARGS && !(dots && i >= fixed))
            continue;
        if (!wide)
            ids.id[0] = hd_sym_id(f, v);
        LLVMPositionBuilderBefore(p->b, call);
        LLVMValueRef any = hd_sym_any(f, ids.id, 2);
        if (!any)
            continue;
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, call, any);
        hd_sym_drop(f, wide ? HD_SYM_LOST_WIDE : HD_SYM_LOST_VARARG);
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
}

/* Symbolic memory in the hands of a function that is not modelled. */
static void passed_memory(struct hd_sym_fn *f, LLVMValueRef call, const char *name)
{
    struct hd_pass *p = f->s->p;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef v = LLVMGetOperand(call, i);
        if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || hd_locals_is_constant(v) ||
            LLVMIsConstant(v))
            continue;
        LLVMPositionBuilderBefore(p->b, call);
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, call, hd_sym_flagged(f->s, v));
        hd_sym_call(f->s, HD_SYM_HOOK_passed,
                    (LLVMValueRef[]){name_value(f, name), hd_hooks_ptr(p, v)});
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
}

/* Output that is not asked about afterwards computes nothing. */
static bool is_plain_output(LLVMValueRef call, const char *name)
{
    return hd_sym_is_output(name) && !LLVMGetFirstUse(call);
}

/* Synchronisation: the scheduler knows what it does; only which object it is done to is lost. */
static bool is_modelled_elsewhere(const char *name)
{
    static const char *const prefixes[] = {"pthread_", "sem_", "mtx_", "cnd_", "thrd_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* printf and its like with a va_list; functions of C++ strings. */
static void passed_behind(struct hd_sym_fn *f, LLVMValueRef call, const char *name)
{
    struct hd_pass *p = f->s->p;
    bool list = *name == 'v' && (strstr(name, "printf") || strstr(name, "scanf"));
    bool string = strncmp(name, "_Z", 2) == 0 && strstr(name, "basic_string");
    LLVMPositionBuilderBefore(p->b, call);
    for (unsigned i = 0; (list || string) && i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef v = LLVMGetOperand(call, i);
        if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind ||
            (list && i + 1 < LLVMGetNumArgOperands(call)) ||
            (string && (i > 0 || LLVMIsAConstant(v))))
            continue;
        hd_sym_call(
            f->s, HD_SYM_HOOK_behind,
            (LLVMValueRef[]){name_value(f, name), hd_hooks_ptr(p, v), hd_hooks_u32(p, list)});
    }
}

/* A stream of C++ is about to be read, or written with something symbolic. */
static void note_stream(struct hd_sym_fn *f, LLVMValueRef call, const char *name, bool has_model)
{
    struct hd_pass *p = f->s->p;
    bool reads = hd_sym_stream_reads(name);
    if ((!reads && !hd_sym_stream_writes(name)) || LLVMGetNumArgOperands(call) == 0)
        return;
    LLVMPositionBuilderBefore(p->b, call);
    LLVMValueRef stream = hd_hooks_ptr(p, LLVMGetOperand(call, 0)), text = name_value(f, name);
    if (reads) {
        hd_sym_call(f->s, HD_SYM_HOOK_istream,
                    (LLVMValueRef[]){text, stream, hd_hooks_u32(p, has_model)});
        return;
    }
    LLVMValueRef cond = touches_symbols(f, call);
    if (!cond)
        return;
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, call, cond);
    hd_sym_call(f->s, HD_SYM_HOOK_ostream, (LLVMValueRef[]){text, stream});
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

/* Calls the model, which has the same type, in place of the real function. */
static void replace_call(struct hd_sym_fn *f, LLVMValueRef call, const char *symbol)
{
    LLVMModuleRef m = f->s->p->module;
    LLVMValueRef model = LLVMGetNamedFunction(m, symbol);
    if (!model)
        model = LLVMAddFunction(m, symbol, LLVMGetCalledFunctionType(call));
    LLVMTypeRef type = LLVMTypeOf(LLVMGetCalledValue(call));
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, LLVMConstBitCast(model, type));
}

/* What a call is for the search over inputs. */
struct callee {
    const char *name;  /* "": not known */
    const char *model; /* the name of its model; NULL: it has none */
    bool outside;      /* of code without hooks */
    bool always;       /* the model runs after every call */
    bool quiet;        /* it computes nothing that later code looks at */
};

/* Inside of std::stoi and its relatives the converter is called through a pointer. */
static const char *converter_in(LLVMValueRef call, struct hd_sym_fn *f)
{
    size_t len;
    if (hd_calls_function(call) || LLVMGetNumArgOperands(call) != 3)
        return NULL;
    return hd_sym_stream_converter(LLVMGetValueName2(f->f->fn, &len));
}

static struct callee look_up(struct hd_sym_fn *f, LLVMValueRef call, LLVMValueRef at)
{
    struct callee c = {.name = name_of(call), .outside = is_external(call)};
    const char *converter = converter_in(call, f);
    if (at && c.outside && (hd_sym_is_modelled(c.name) || hd_sym_is_input(c.name))) {
        c.model = c.name;
        c.always = hd_sym_is_input(c.name);
    } else if (at && c.outside) {
        c.model = hd_sym_stream_model(c.name);
        c.always = true;
    } else if (at && converter) {
        c.name = c.model = converter;
        c.outside = true;
    }
    c.quiet = hd_sym_is_harmless(c.name) || is_plain_output(call, c.name) ||
              hd_sym_stream_is_state(c.name) || hd_sym_stream_writes(c.name);
    return c;
}

static void replace_getopt(struct hd_sym_fn *f, LLVMValueRef call)
{
    if (!is_external(call))
        return;
    if (strcmp(name_of(call), "getopt") == 0)
        replace_call(f, call, "__hd_model_getopt");
    if (strcmp(name_of(call), "getopt_long") == 0)
        replace_call(f, call, "__hd_model_getopt_long");
}

/* A call without a model: the ids go along. Returns i1: any argument is symbolic, or NULL. */
static LLVMValueRef give_arguments(struct hd_sym_fn *f, LLVMValueRef call, const struct callee *c,
                                   LLVMValueRef at, enum hd_callee kind)
{
    if (c->outside && !c->quiet) {
        passed_memory(f, call, c->name);
        passed_behind(f, call, c->name);
    }
    lost_arguments(f, call, kind);
    LLVMValueRef any = pass_ids(f, call);
    if (!at && any && c->outside && !c->quiet) { /* nowhere to look afterwards */
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, call, any);
        hd_sym_drop(f, HD_SYM_LOST_CALL);
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
    return any;
}

/* After such a call: ids that it did not take are lost. */
static void lost_in(struct hd_sym_fn *f, LLVMValueRef call, const struct callee *c, LLVMValueRef at,
                    LLVMValueRef any)
{
    struct hd_pass *p = f->s->p;
    LLVMPositionBuilderBefore(p->b, at);
    struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
    LLVMValueRef text = is_modelled_elsewhere(c->name)
                            ? LLVMConstNull(p->ptr)
                            : name_value(f, *c->name ? c->name : "(indirect)");
    LLVMValueRef fn = LLVMBuildPointerCast(p->b, LLVMGetCalledValue(call), p->ptr, "");
    hd_sym_call(f->s, HD_SYM_HOOK_unmodelled, (LLVMValueRef[]){text, fn});
    hd_sym_slow_end(f->s, slow, NULL, NULL);
}

static void real_call(struct hd_sym_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    LLVMValueRef at = hd_control_after(call), any = NULL;
    if (at)
        replace_getopt(f, call);
    struct hd_pass *p = f->s->p;
    struct callee c = look_up(f, call, at);
    LLVMPositionBuilderBefore(p->b, call);
    if (c.outside && !hd_sym_is_output(c.name))
        hd_sym_past(f->s, hd_hooks_u64(p, hash_name(c.name)));
    if (!hd_calls_function(call))
        indirect(f, call);
    if (c.outside)
        note_stream(f, call, c.name, c.model != NULL);
    if (!c.model)
        any = give_arguments(f, call, &c, at, kind);
    if (!at)
        return;
    if (c.model) {
        if (hd_sym_is_failing(
                c.name)) /* behind the model, which sees what the call itself answers */
            chosen(f, call, at, c.name);
        modelled(f, call, hd_control_after(call), c.model, c.always);
        return;
    }
    if (c.outside && hd_sym_is_pair(c.name) && hd_sym_parts(f->s, LLVMTypeOf(call)) == 2) {
        modelled_pair(f, call, at);
        return;
    }
    if (kind != HD_CALLEE_PURE)
        take_result(f, call, at);
    if (any && (c.outside || !hd_calls_function(call)) && !is_plain_output(call, c.name) &&
        !hd_sym_stream_writes(c.name))
        lost_in(f, call, &c, at, any);
    if ((kind == HD_CALLEE_UNKNOWN || kind == HD_CALLEE_PURE) && *c.name)
        chosen(f, call, at, c.name);
}

/* Between functions of the models: ids go over, nothing is replaced. */
static void model_call(struct hd_sym_fn *f, LLVMValueRef call)
{
    if (strncmp(name_of(call), "__hd_", 5) == 0)
        return;
    pass_ids(f, call);
    take_result(f, call, hd_control_after(call));
}

void hd_sym_call_inst(struct hd_sym_fn *f, LLVMValueRef call)
{
    enum hd_callee kind = hd_calls_kind(call);
    if (strncmp(name_of(call), "llvm.", 5) == 0) {
        hd_sym_intrinsic(f, call, kind);
        return;
    }
    switch (kind) {
    case HD_CALLEE_UNKNOWN:
    case HD_CALLEE_PURE:
    case HD_CALLEE_VARARG_OK:
    case HD_CALLEE_TWICE:
        if (!f->s->models)
            real_call(f, call, kind);
        else if (hd_control_after(call))
            model_call(f, call);
        break;
    default:
        break;
    }
}
