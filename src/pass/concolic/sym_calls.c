/* Ids over calls: arguments, results, models of library functions, results that are inputs. */
#include "pass/concolic/pass_sym.h"

#include <stdio.h>
#include <string.h>

enum { FLOW_CALLEE, FLOW_RETURNER, FLOW_RET, FLOW_RET2, FLOW_ARG, FLOW_BLOCK }; /* hd_sym_flow */

/* Functions with a model (src/rt/concolic/sym_models.c), which the program calls after the real
 * one. They are run only when an argument, or memory near a pointer argument, is symbolic. */
static const char *const models[] = {
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "bcmp",
    "strlen",
    "strnlen",
    "strcpy",
    "strncpy",
    "stpcpy",
    "strcat",
    "strncat",
    "strdup",
    "strndup",
    "strchr",
    "strrchr",
    "memchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    "isprint",
    "tolower",
    "toupper",
    "sscanf",
    "__isoc99_sscanf",
    "__isoc23_strtol",
    "__isoc23_strtoul",
    "__isoc23_strtoll",
    "__isoc23_strtoull",
    "__isoc23_sscanf",
    "mempcpy",
    "abs",
    "labs",
    "memmem",
    "memrchr",
    "strchrnul",
    "strcasestr",
    "div",
    "sprintf",
    "snprintf",
};

/* The same, but they bring input in, or what they look at is not seen from their arguments: the
 * model runs after every call. */
static const char *const inputs[] = {
    "strsep",  "strtok",   "strtok_r",   "__strtok_r",     "bsearch",         "pread",  "readv",
    "mmap",    "getdelim", "__getdelim", "__isoc23_scanf", "__isoc23_fscanf", "read",   "fgets",
    "fgetc",   "getc",     "getchar",    "fread",          "getline",         "open",   "fopen",
    "fopen64", "scanf",    "fscanf",     "__isoc99_scanf", "__isoc99_fscanf", "open64", "getenv",
};

/* Of these the failure may be input (--symbolic-call). */
static const char *const can_fail[] = {"open", "open64", "fopen", "fopen64"};

/* With a model for each of the two numbers that they answer. */
static const char *const pairs[] = {"ldiv", "lldiv"};

/* What these change, no later code of the program looks at. */
static const char *const outputs[] = {
    "printf", "puts",  "putchar", "fprintf", "fputs",   "fputc",   "putc",
    "fwrite", "write", "perror",  "fflush",  "dprintf", "vprintf", "vfprintf",
};

/* These compute nothing from the memory that they are given, or their result is not looked at. A
 * name that ends in _ stands for all that start so. */
static const char *const harmless[] = {
    "pthread_", "sem_",   "mtx_",     "cnd_",   "thrd_",   "heddle_", "__hd_",     "__assert_fail",
    "free",     "malloc", "calloc",   "close",  "fclose",  "exit",    "_exit",     "abort",
    "realloc",  "fseek",  "rewind",   "lseek",  "feof",    "ferror",  "setvbuf",   "setbuf",
    "fileno",   "ungetc", "clearerr", "ftell",  "signal",  "perror",  "remove",    "unlink",
    "atexit",   "__cxa_", "_ZdlPv",   "_ZdaPv", "_ZdlPvm", "rand_r",  "nanosleep", "qsort",
};

static bool is_in(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}
#define IS_IN(name, list) is_in(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_harmless(const char *name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        size_t n = strlen(harmless[i]);
        if (harmless[i][n - 1] == '_' ? !strncmp(name, harmless[i], n) : !strcmp(name, harmless[i]))
            return true;
    }
    return false;
}

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
static void modelled_pair(struct hd_sym_fn *f, LLVMValueRef call)
{
    LLVMBuilderRef b = f->s->p->b;
    LLVMValueRef at = LLVMGetNextInstruction(call);
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

static void modelled(struct hd_sym_fn *f, LLVMValueRef call, const char *name, bool always)
{
    LLVMValueRef at = LLVMGetNextInstruction(call);
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
    return IS_IN(name, outputs) && !LLVMGetFirstUse(call);
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

/* printf and its like with a va_list; functions of C++ strings; streams of C++. */
static void passed_behind(struct hd_sym_fn *f, LLVMValueRef call, const char *name)
{
    struct hd_pass *p = f->s->p;
    bool list = *name == 'v' && (strstr(name, "printf") || strstr(name, "scanf"));
    bool string = strncmp(name, "_Z", 2) == 0 && strstr(name, "basic_string");
    bool stream = strncmp(name, "_ZNSi", 5) == 0 || strncmp(name, "_ZSt7getline", 12) == 0 ||
                  (strncmp(name, "_ZStrs", 6) == 0 && strstr(name, "istream"));
    LLVMPositionBuilderBefore(p->b, call);
    if (stream)
        hd_sym_call(f->s, HD_SYM_HOOK_istream, (LLVMValueRef[]){name_value(f, name)});
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

static void real_call(struct hd_sym_fn *f, LLVMValueRef call, enum hd_callee kind)
{
    if (is_external(call) && LLVMIsACallInst(call) && strcmp(name_of(call), "getopt") == 0)
        replace_call(f, call, "__hd_model_getopt");
    if (is_external(call) && LLVMIsACallInst(call) && strcmp(name_of(call), "getopt_long") == 0)
        replace_call(f, call, "__hd_model_getopt_long");
    struct hd_pass *p = f->s->p;
    const char *name = name_of(call);
    bool outside = is_external(call), external = outside && LLVMIsACallInst(call);
    LLVMPositionBuilderBefore(p->b, call);
    if (external && !IS_IN(name, outputs))
        hd_sym_past(f->s, hd_hooks_u64(p, hash_name(name)));
    if (!hd_calls_function(call))
        indirect(f, call);
    LLVMValueRef at = hd_control_after(call), any = NULL;
    bool model = external && IS_IN(name, models), input = external && IS_IN(name, inputs);
    if (!model && !input) {
        if (outside && !is_harmless(name) && !is_plain_output(call, name)) {
            passed_memory(f, call, name);
            passed_behind(f, call, name);
        }
        lost_arguments(f, call, kind);
        any = pass_ids(f, call);
    }
    if (!at && any && outside && !is_plain_output(call, name)) { /* nowhere to look afterwards */
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, call, any);
        hd_sym_drop(f, HD_SYM_LOST_CALL);
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
    if (!at)
        return;
    if (model || input) {
        if (IS_IN(name, can_fail)) /* behind the model, which sees what the call itself answers */
            chosen(f, call, at, name);
        modelled(f, call, name, input);
        return;
    }
    if (external && IS_IN(name, pairs) && hd_sym_parts(f->s, LLVMTypeOf(call)) == 2) {
        modelled_pair(f, call);
        return;
    }
    if (kind != HD_CALLEE_PURE)
        take_result(f, call, at);
    if (any && (outside || !hd_calls_function(call)) && !is_plain_output(call, name)) {
        LLVMPositionBuilderBefore(p->b, at);
        struct hd_sym_slow slow = hd_sym_slow_begin(f->s, at, any);
        LLVMValueRef text = is_modelled_elsewhere(name)
                                ? LLVMConstNull(p->ptr)
                                : name_value(f, *name ? name : "(indirect)");
        LLVMValueRef fn = LLVMBuildPointerCast(p->b, LLVMGetCalledValue(call), p->ptr, "");
        hd_sym_call(f->s, HD_SYM_HOOK_unmodelled, (LLVMValueRef[]){text, fn});
        hd_sym_slow_end(f->s, slow, NULL, NULL);
    }
    if ((kind == HD_CALLEE_UNKNOWN || kind == HD_CALLEE_PURE) && *name && LLVMIsACallInst(call))
        chosen(f, call, at, name);
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
