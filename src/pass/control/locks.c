/* Synchronisation of a library that is usually not instrumented: absl::Mutex, Notification and
 * BlockingCounter. Around the calls of its functions go those by which a program tells
 * ThreadSanitizer of locks and orders of its own (src/rt/hooks/annotate_tsan.c). Where the library
 * is instrumented it tells the same itself, and the lock nests. */
#include "pass/control/locks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAKES = 1,
    GIVES = 2,
    TRIES = 4,
    READS = 8,
    SECOND = 16, /* the lock is the second argument */
    POSTS = 32,  /* what came before is seen by who awaits the object */
    AWAITS = 64
};
enum { FLAG_READ = 1 << 3, FLAG_FAILED = 1 << 5 }; /* of ThreadSanitizer's interface */

/* What follows the namespace in the mangled name. */
static const struct {
    const char *name;
    unsigned what;
} functions[] = {
    {"5Mutex4LockEv", TAKES},
    {"5Mutex6UnlockEv", GIVES},
    {"5Mutex7TryLockEv", TAKES | TRIES},
    {"5Mutex10ReaderLockEv", TAKES | READS},
    {"5Mutex12ReaderUnlockEv", GIVES | READS},
    {"5Mutex13ReaderTryLockEv", TAKES | TRIES | READS},
    {"5Mutex8LockWhenERKNS0_9ConditionE", TAKES},
    {"5Mutex14ReaderLockWhenERKNS0_9ConditionE", TAKES | READS},
    {"5Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE", TAKES},
    {"5Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE", TAKES},
    {"5Mutex25ReaderLockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE", TAKES | READS},
    {"5Mutex26ReaderLockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE", TAKES | READS},
    {"5Mutex5AwaitERKNS0_9ConditionE", GIVES | TAKES},
    {"5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE", GIVES | TAKES},
    {"5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE", GIVES | TAKES},
    {"7CondVar4WaitEPNS0_5MutexE", GIVES | TAKES | SECOND},
    {"7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE", GIVES | TAKES | SECOND},
    {"7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE", GIVES | TAKES | SECOND},
    {"12Notification6NotifyEv", POSTS},
    {"12Notification19WaitForNotificationEv", AWAITS},
    {"12Notification30WaitForNotificationWithTimeoutENS0_8DurationE", AWAITS},
    {"12Notification31WaitForNotificationWithDeadlineENS0_4TimeE", AWAITS},
    {"15BlockingCounter14DecrementCountEv", POSTS | AWAITS},
    {"15BlockingCounter4WaitEv", AWAITS},
};

/* What follows the namespace in the name of a function of the library, or "". The inline namespace
 * has another name in every version. */
static const char *name_in(LLVMValueRef fn)
{
    static const char *const starts[] = {"_ZN4absl", "_ZNK4absl"};
    size_t len;
    const char *name = fn ? LLVMGetValueName2(fn, &len) : "";
    size_t start = strlen(starts[strncmp(name, starts[1], 9) == 0]);
    if ((strncmp(name, starts[0], 8) != 0 && start == 8) || !isdigit((unsigned char)name[start]))
        return "";
    char *at;
    unsigned long skip = strtoul(name + start, &at, 10);
    return skip > strlen(at) ? "" : at + skip;
}

/* 0: none of them. */
static unsigned find(LLVMValueRef call)
{
    const char *name = name_in(hd_calls_function(call));
    for (size_t i = 0; *name && i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].what;
    return 0;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Is fn given to a constructor of absl::Condition? */
static bool given_to_condition(LLVMValueRef fn)
{
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) || !hd_calls_is_call(user))
            continue;
        const char *name = name_in(hd_calls_function(user));
        if (starts_with(name, "9ConditionC") && strcmp(name + 12, "EPFbPvES2_") == 0)
            return true;
    }
    return false;
}

/* Functions of the library's headers that call what an absl::Condition holds; it is their argument.
 */
static bool is_caller(LLVMValueRef fn)
{
    const char *name = name_in(fn);
    return starts_with(name, "9Condition19CastAndCallFunctionI") ||
           starts_with(name, "9Condition17CastAndCallMethodI");
}

static void call_lock_hook(struct hd_fn *f, const char *name, LLVMValueRef lock, LLVMValueRef flags)
{
    struct hd_pass *p = f->p;
    LLVMTypeRef params[] = {p->ptr, p->i32, p->i32};
    LLVMTypeRef type = LLVMFunctionType(p->void_type, params, 3, false);
    LLVMValueRef fn = LLVMGetNamedFunction(p->module, name);
    if (!fn)
        fn = LLVMAddFunction(p->module, name, type);
    struct hd_dep dep = hd_deps_of(f, lock);
    hd_control_tokens(f, fn, &dep, 1);
    LLVMValueRef args[] = {hd_hooks_ptr(p, lock), flags, hd_hooks_u32(p, 0)};
    LLVMBuildCall2(p->b, type, LLVMBuildPointerCast(p->b, fn, LLVMPointerType(type, 0), ""), args,
                   3, "");
    f->hooked = true;
}

static void call_order_hook(struct hd_fn *f, const char *name, LLVMValueRef object)
{
    struct hd_pass *p = f->p;
    LLVMTypeRef type = LLVMFunctionType(p->void_type, &p->ptr, 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(p->module, name);
    if (!fn)
        fn = LLVMAddFunction(p->module, name, type);
    struct hd_dep dep = hd_deps_of(f, object);
    hd_control_tokens(f, fn, &dep, 1);
    LLVMValueRef arg = hd_hooks_ptr(p, object);
    LLVMBuildCall2(p->b, type, LLVMBuildPointerCast(p->b, fn, LLVMPointerType(type, 0), ""), &arg,
                   1, "");
    f->hooked = true;
}

static void call_condition_hook(struct hd_pass *p, const char *name, LLVMTypeRef param,
                                LLVMValueRef arg)
{
    LLVMTypeRef type = LLVMFunctionType(p->void_type, &param, 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(p->module, name);
    if (!fn)
        fn = LLVMAddFunction(p->module, name, type);
    LLVMBuildCall2(p->b, type, fn, &arg, 1, "");
}

bool hd_locks_is_condition(LLVMValueRef fn)
{
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(fn));
    return LLVMGetTypeKind(result) == LLVMIntegerTypeKind && LLVMCountParams(fn) == 1 &&
           (is_caller(fn) || given_to_condition(fn));
}

void hd_locks_finish(struct hd_fn *f)
{
    struct hd_pass *p = f->p;
    if (!f->condition)
        return;
    LLVMPositionBuilderBefore(p->b, LLVMGetNextInstruction(f->start));
    call_condition_hook(p, "__hd_condition_begin", p->ptr,
                        is_caller(f->fn) ? hd_hooks_ptr(p, LLVMGetParam(f->fn, 0))
                                         : LLVMConstNull(p->ptr));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->fn); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsAReturnInst(end))
            continue;
        LLVMPositionBuilderBefore(p->b, end);
        LLVMValueRef result = LLVMGetOperand(end, 0);
        result = LLVMBuildICmp(p->b, LLVMIntNE, result, LLVMConstNull(LLVMTypeOf(result)), "");
        result = LLVMBuildZExt(p->b, result, p->i32, "");
        call_condition_hook(p, "__hd_condition_end", p->i32, result);
    }
}

static void order_call(struct hd_fn *f, LLVMValueRef call, unsigned what, LLVMValueRef after)
{
    LLVMValueRef object = LLVMGetOperand(call, 0);
    if (what & POSTS)
        call_order_hook(f, "__tsan_release", object);
    if (what & AWAITS) {
        LLVMPositionBuilderBefore(f->p->b, after);
        call_order_hook(f, "__tsan_acquire", object);
        LLVMPositionBuilderBefore(f->p->b, call);
    }
}

void hd_locks_call(struct hd_fn *f, LLVMValueRef call)
{
    struct hd_pass *p = f->p;
    unsigned what = find(call);
    LLVMValueRef after = what & (TAKES | GIVES | AWAITS) ? hd_control_after(call) : NULL;
    if (!what || (what & (TAKES | GIVES | AWAITS) && !after))
        return;
    if (what & (POSTS | AWAITS)) {
        order_call(f, call, what, after);
        return;
    }
    LLVMValueRef lock = LLVMGetOperand(call, what & SECOND ? 1 : 0);
    LLVMValueRef flags = hd_hooks_u32(p, what & READS ? FLAG_READ : 0);
    if (what & GIVES)
        call_lock_hook(f, "__tsan_mutex_pre_unlock", lock, flags);
    if (what & TAKES)
        call_lock_hook(f, "__tsan_mutex_pre_lock", lock, flags);
    if (strstr(name_in(hd_calls_function(call)), "9Condition"))
        call_condition_hook(p, "__hd_condition_awaited", p->ptr,
                            hd_hooks_ptr(p, LLVMGetOperand(call, 1)));
    LLVMPositionBuilderBefore(p->b, after);
    if (what & TAKES) {
        if (what & TRIES) {
            LLVMValueRef failed = hd_hooks_u32(p, FLAG_FAILED);
            LLVMTypeRef type = LLVMTypeOf(call);
            LLVMValueRef none = LLVMConstNull(type);
            LLVMValueRef got = LLVMBuildICmp(p->b, LLVMIntNE, call, none, "");
            flags = LLVMBuildSelect(p->b, got, flags, failed, "");
        }
        call_lock_hook(f, "__tsan_mutex_post_lock", lock, flags);
    } else {
        call_lock_hook(f, "__tsan_mutex_post_unlock", lock, flags);
    }
    LLVMPositionBuilderBefore(p->b, call);
}
