#include "abi/rt_apis.h"
#include "pass/pass.h"

#include <string.h>

/* What the table of modelled functions says about their results. */
static const struct {
    const char *name;
    enum hd_api_dep dep;
} modelled[] = {
#define HD_API_DEP(group, ret, name, params, dep, text) {#name, HD_DEP_##dep},
    HD_APIS(HD_API_DEP)
#undef HD_API_DEP
};

#define NAME(name) #name,
#define MATH(name) #name, #name "f", #name "l",
static const char *const pure_functions[] = {HD_PURE_LIBC(NAME) HD_PURE_CXX(NAME)
                                                 HD_PURE_MATH(MATH)};
static const char *const quiet_functions[] = {HD_QUIET_CXX(NAME)};
#undef NAME
#undef MATH

/* Their variable arguments are formatted or handed to the kernel, outside instrumented code. */
static const char *const vararg_functions[] = {
    "printf",  "fprintf", "dprintf",      "sprintf",       "snprintf",       "asprintf",
    "scanf",   "fscanf",  "sscanf",       "open",          "open64",         "openat",
    "fcntl",   "fcntl64", "ioctl",        "syscall",       "prctl",          "execl",
    "execlp",  "err",     "errx",         "warn",          "warnx",          "syslog",
    "wprintf", "error",   "__printf_chk", "__fprintf_chk", "__snprintf_chk", "__sprintf_chk",
};

static const char *const twice_functions[] = {
    "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "vfork",
};

/* Intrinsics by prefix; the first that fits decides. What is not listed is PURE when LLVM says that
 * it touches no memory and PAST otherwise. */
static const struct {
    const char *prefix;
    enum hd_callee kind;
} intrinsics[] = {
    {"llvm.dbg.", HD_CALLEE_IGNORED},
    {"llvm.lifetime.", HD_CALLEE_IGNORED},
    {"llvm.assume", HD_CALLEE_IGNORED},
    {"llvm.donothing", HD_CALLEE_IGNORED},
    {"llvm.experimental.noalias", HD_CALLEE_IGNORED},
    {"llvm.prefetch", HD_CALLEE_IGNORED},
    {"llvm.va_end", HD_CALLEE_IGNORED},
    {"llvm.stacksave", HD_CALLEE_PURE},
    {"llvm.stackrestore", HD_CALLEE_IGNORED},
    {"llvm.invariant.", HD_CALLEE_IGNORED},
    {"llvm.memcpy.element", HD_CALLEE_OPAQUE},
    {"llvm.memmove.element", HD_CALLEE_OPAQUE},
    {"llvm.memset.element", HD_CALLEE_OPAQUE},
    {"llvm.memcpy.", HD_CALLEE_COPY},
    {"llvm.memmove.", HD_CALLEE_MOVE},
    {"llvm.memset.", HD_CALLEE_SET},
    {"llvm.va_start", HD_CALLEE_VA_START},
    {"llvm.va_copy", HD_CALLEE_VA_COPY},
    {"llvm.masked.", HD_CALLEE_OPAQUE},
    {"llvm.vp.", HD_CALLEE_OPAQUE},
    {"llvm.threadlocal.address", HD_CALLEE_PURE},
    {"llvm.eh.typeid.for", HD_CALLEE_PURE},
    {"llvm.frameaddress", HD_CALLEE_PURE},
    {"llvm.returnaddress", HD_CALLEE_PURE},
    {"llvm.trap", HD_CALLEE_IGNORED},
};

bool hd_calls_is_call(LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    return op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
}

bool hd_calls_is_memory(enum hd_callee kind)
{
    return kind == HD_CALLEE_COPY || kind == HD_CALLEE_MOVE || kind == HD_CALLEE_SET;
}

LLVMValueRef hd_calls_function(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    while (LLVMIsAConstantExpr(callee) && LLVMGetConstOpcode(callee) == LLVMBitCast)
        callee = LLVMGetOperand(callee, 0);
    if (LLVMIsAGlobalAlias(callee))
        return callee;
    return LLVMIsAFunction(callee) ? callee : NULL;
}

static bool is_listed(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}
#define IS_LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof((list)[0]))

static bool has_attribute(LLVMValueRef fn, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (kind == 0)
        return false;
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
    return a && LLVMGetEnumAttributeValue(a) == value;
}

/* LLVM 14 says readnone, later versions say memory(none), whose number is 0. */
static bool touches_no_memory(LLVMValueRef fn)
{
    return has_attribute(fn, "readnone", 0) || has_attribute(fn, "memory", 0);
}

static enum hd_callee intrinsic_kind(LLVMValueRef fn, const char *name)
{
    for (size_t i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++)
        if (strncmp(name, intrinsics[i].prefix, strlen(intrinsics[i].prefix)) == 0)
            return intrinsics[i].kind;
    return touches_no_memory(fn) ? HD_CALLEE_PURE : HD_CALLEE_PAST;
}

static enum hd_callee block_kind(const char *name)
{
    if (strcmp(name, "memcpy") == 0)
        return HD_CALLEE_COPY;
    if (strcmp(name, "memmove") == 0)
        return HD_CALLEE_MOVE;
    return strcmp(name, "memset") == 0 ? HD_CALLEE_SET : HD_CALLEE_UNKNOWN;
}

static enum hd_callee libc_kind(LLVMValueRef call, LLVMValueRef fn, const char *name)
{
    if (has_attribute(fn, "returns_twice", 0) || IS_LISTED(name, twice_functions))
        return HD_CALLEE_TWICE;
    if (!LLVMIsDeclaration(fn))
        return HD_CALLEE_UNKNOWN;
    if (LLVMGetNumArgOperands(call) == 3 && LLVMIsACallInst(call)) {
        enum hd_callee kind = block_kind(name);
        if (kind != HD_CALLEE_UNKNOWN)
            return kind;
    }
    if (IS_LISTED(name, pure_functions) || touches_no_memory(fn))
        return HD_CALLEE_PURE;
    for (size_t i = 0; i < sizeof modelled / sizeof modelled[0]; i++)
        if (modelled[i].dep == HD_DEP_ARGS && strcmp(name, modelled[i].name) == 0)
            return HD_CALLEE_PURE;
    return IS_LISTED(name, vararg_functions) ? HD_CALLEE_VARARG_OK : HD_CALLEE_UNKNOWN;
}

/* "" when the function called is not known or is not declared only. */
static const char *name_of(LLVMValueRef call)
{
    LLVMValueRef fn = hd_calls_function(call);
    size_t len;
    return fn && LLVMIsAFunction(fn) && LLVMIsDeclaration(fn) ? LLVMGetValueName2(fn, &len) : "";
}

bool hd_calls_through(LLVMValueRef call, int *looks_at, bool *clears)
{
    static const struct {
        const char *name;
        int looks_at;
        bool clears;
    } list[] = {
#define HD_THROUGH_ENTRY(name, looks_at, clears) {#name, looks_at, clears},
        HD_THROUGH(HD_THROUGH_ENTRY)
#undef HD_THROUGH_ENTRY
    };
    const char *name = name_of(call);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        *looks_at = list[i].looks_at;
        *clears = list[i].clears;
        if (strcmp(name, list[i].name) == 0)
            return true;
    }
    return false;
}

bool hd_calls_modelled(LLVMValueRef call)
{
    const char *name = name_of(call);
    for (size_t i = 0; i < sizeof modelled / sizeof modelled[0]; i++)
        if (strcmp(name, modelled[i].name) == 0)
            return true;
    return strncmp(name, "__tsan_", 7) == 0 || strncmp(name, "Annotate", 8) == 0 ||
           IS_LISTED(name, pure_functions) || IS_LISTED(name, quiet_functions);
}

bool hd_calls_own(LLVMValueRef call)
{
    const char *name = name_of(call);
    for (size_t i = 0; i < sizeof modelled / sizeof modelled[0]; i++)
        if (modelled[i].dep == HD_DEP_OWN && strcmp(name, modelled[i].name) == 0)
            return true;
    return false;
}

enum hd_callee hd_calls_kind(LLVMValueRef call)
{
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return HD_CALLEE_ASM;
    LLVMValueRef fn = hd_calls_function(call);
    if (!fn || !LLVMIsAFunction(fn))
        return HD_CALLEE_UNKNOWN;
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);
    if (strncmp(name, "llvm.", 5) == 0)
        return intrinsic_kind(fn, name);
    return libc_kind(call, fn, name);
}
