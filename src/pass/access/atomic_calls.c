/* Calls of libatomic become atomic instructions, which the rest of the pass knows.
 *
 * The front end calls libatomic for objects of 16 bytes (without -mcx16) and for those whose type
 * is less aligned than large. Only the object of an instruction is accessed atomically: what a call
 * reads its operands from, or writes its result to, is loaded and stored as a program would. The
 * instructions claim no alignment, so code generation turns them into calls of the same functions
 * where the processor needs that. Objects of other sizes are left alone: no event has their size.
 */
#include "pass/access/atomic_calls.h"

#include "pass/concolic/pass_sym.h"

#include <string.h>

struct atomic_call {
    LLVMValueRef call;
    LLVMTypeRef type; /* of the object, an integer */
    unsigned at;      /* of the first argument after the size */
    bool by_address;  /* operands and result are in memory */
    LLVMBuilderRef b;
};

enum form { LOAD, STORE, EXCHANGE, COMPARE, FETCH };

static const struct {
    const char *name;
    enum form form;
    LLVMAtomicRMWBinOp op;
} names[] = {
    {"load", LOAD, 0},
    {"store", STORE, 0},
    {"exchange", EXCHANGE, LLVMAtomicRMWBinOpXchg},
    {"compare_exchange", COMPARE, 0},
    {"fetch_add", FETCH, LLVMAtomicRMWBinOpAdd},
    {"fetch_sub", FETCH, LLVMAtomicRMWBinOpSub},
    {"fetch_and", FETCH, LLVMAtomicRMWBinOpAnd},
    {"fetch_or", FETCH, LLVMAtomicRMWBinOpOr},
    {"fetch_xor", FETCH, LLVMAtomicRMWBinOpXor},
    {"fetch_nand", FETCH, LLVMAtomicRMWBinOpNand},
};

static bool has_size(uint64_t n)
{
    return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

static LLVMValueRef argument(const struct atomic_call *c, unsigned i)
{
    return LLVMGetOperand(c->call, c->at + i);
}

/* The last arguments are orders; one that is not a constant is taken as the strongest. */
static LLVMAtomicOrdering order(const struct atomic_call *c, unsigned from_end)
{
    static const LLVMAtomicOrdering orders[] = {
        LLVMAtomicOrderingMonotonic,      LLVMAtomicOrderingAcquire,
        LLVMAtomicOrderingAcquire,        LLVMAtomicOrderingRelease,
        LLVMAtomicOrderingAcquireRelease, LLVMAtomicOrderingSequentiallyConsistent,
    };
    LLVMValueRef v = LLVMGetOperand(c->call, LLVMGetNumArgOperands(c->call) - from_end);
    uint64_t n = LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 5;
    return orders[n < 5 ? n : 5];
}

static bool acquires_only(LLVMAtomicOrdering o)
{
    return o == LLVMAtomicOrderingMonotonic || o == LLVMAtomicOrderingAcquire;
}

static LLVMValueRef pointer(const struct atomic_call *c, LLVMValueRef p)
{
    return LLVMBuildBitCast(c->b, p, LLVMPointerType(c->type, 0), "");
}

static LLVMValueRef load(const struct atomic_call *c, LLVMValueRef p)
{
    LLVMValueRef v = LLVMBuildLoad2(c->b, c->type, pointer(c, p), "");
    LLVMSetAlignment(v, 1);
    return v;
}

static LLVMValueRef store(const struct atomic_call *c, LLVMValueRef v, LLVMValueRef p)
{
    LLVMValueRef done = LLVMBuildStore(c->b, v, pointer(c, p));
    LLVMSetAlignment(done, 1);
    return done;
}

/* Operand i. One of 16 bytes that is given by value comes in two registers. */
static LLVMValueRef operand(const struct atomic_call *c, unsigned i)
{
    LLVMValueRef low = argument(c, i);
    if (c->by_address)
        return load(c, low);
    if (LLVMTypeOf(low) == c->type)
        return low;
    LLVMValueRef high = LLVMBuildZExt(c->b, argument(c, i + 1), c->type, "");
    high = LLVMBuildShl(c->b, high, LLVMConstInt(c->type, 64, 0), "");
    return LLVMBuildOr(c->b, LLVMBuildZExt(c->b, low, c->type, ""), high, "");
}

/* The call's result becomes v; where it has an address, that is argument i. */
static void result(const struct atomic_call *c, LLVMValueRef v, unsigned i)
{
    if (c->by_address) {
        store(c, v, argument(c, i));
        return;
    }
    LLVMTypeRef type = LLVMTypeOf(c->call);
    if (type != c->type) {
        LLVMTypeRef half = LLVMStructGetTypeAtIndex(type, 0);
        LLVMValueRef high = LLVMBuildLShr(c->b, v, LLVMConstInt(c->type, 64, 0), "");
        LLVMValueRef low = LLVMBuildTrunc(c->b, v, half, "");
        v = LLVMBuildInsertValue(c->b, LLVMGetUndef(type), low, 0, "");
        v = LLVMBuildInsertValue(c->b, v, LLVMBuildTrunc(c->b, high, half, ""), 1, "");
    }
    LLVMReplaceAllUsesWith(c->call, v);
}

/* What was expected is overwritten only if it was not found. */
static void compare(const struct atomic_call *c)
{
    LLVMAtomicOrdering fail = order(c, 1);
    LLVMValueRef expected = argument(c, 1), wanted = load(c, expected), v = operand(c, 2);
    LLVMValueRef done = LLVMBuildAtomicCmpXchg(
        c->b, pointer(c, argument(c, 0)), wanted, v, order(c, 2),
        acquires_only(fail) ? fail : LLVMAtomicOrderingSequentiallyConsistent, 0);
    LLVMSetAlignment(done, 1);
    LLVMValueRef found = LLVMBuildExtractValue(c->b, done, 0, "");
    LLVMValueRef same = LLVMBuildExtractValue(c->b, done, 1, "");
    LLVMValueRef answer = LLVMBuildZExtOrBitCast(c->b, same, LLVMTypeOf(c->call), "");
    LLVMReplaceAllUsesWith(c->call, answer);
    LLVMValueRef failed = LLVMBuildNot(c->b, same, "");
    LLVMPositionBuilderBefore(c->b, hd_shim_split(c->call, failed));
    store(c, found, expected);
}

static void rewrite(const struct atomic_call *c, enum form form, LLVMAtomicRMWBinOp op)
{
    LLVMAtomicOrdering o = order(c, 1);
    LLVMValueRef v;
    switch (form) {
    case LOAD:
        v = load(c, argument(c, 0));
        LLVMSetOrdering(v, acquires_only(o) ? o : LLVMAtomicOrderingSequentiallyConsistent);
        result(c, v, 1);
        break;
    case STORE:
        v = store(c, operand(c, 1), argument(c, 0));
        LLVMSetOrdering(v, o == LLVMAtomicOrderingMonotonic || o == LLVMAtomicOrderingRelease
                               ? o
                               : LLVMAtomicOrderingSequentiallyConsistent);
        break;
    case EXCHANGE:
    case FETCH:
        v = operand(c, 1);
        v = LLVMBuildAtomicRMW(c->b, op, pointer(c, argument(c, 0)), v, o, 0);
        LLVMSetAlignment(v, 1);
        result(c, v, 2);
        break;
    case COMPARE:
        compare(c);
        break;
    }
    LLVMInstructionEraseFromParent(c->call);
}

/* Of `__atomic_load_16` 16 bytes, of `__atomic_load` what its first argument says; 0: unknown. */
static uint64_t size_in(const char *rest, LLVMValueRef call)
{
    LLVMValueRef first = LLVMGetOperand(call, 0);
    if (!*rest)
        return LLVMIsAConstantInt(first) ? LLVMConstIntGetZExtValue(first) : 0;
    static const char *const ends[] = {"_1", "_2", "_4", "_8", "_16"};
    for (unsigned i = 0; i < 5; i++)
        if (!strcmp(rest, ends[i]))
            return UINT64_C(1) << i;
    return 0;
}

/* A user may have declared such a function in another way: then it is left alone. */
static bool fits(const struct atomic_call *c, enum form form)
{
    static const unsigned counts[] = {
        [LOAD] = 2, [STORE] = 3, [EXCHANGE] = 3, [COMPARE] = 5, [FETCH] = 3};
    unsigned n = LLVMGetNumArgOperands(c->call), count = counts[form];
    LLVMTypeRef type = LLVMTypeOf(c->call);
    if (c->by_address)
        return form != FETCH && n == count + 1 + (form == LOAD || form == EXCHANGE);
    bool halves = LLVMGetIntTypeWidth(c->type) == 128;
    if (form == COMPARE && LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    if (form != COMPARE && form != STORE && type != c->type &&
        !(halves && LLVMGetTypeKind(type) == LLVMStructTypeKind))
        return false;
    return n == count || (n == count + 1 && halves && form != LOAD);
}

static void visit(struct hd_pass *p, LLVMValueRef call)
{
    LLVMValueRef callee = hd_calls_function(call);
    size_t len;
    const char *name = callee ? LLVMGetValueName2(callee, &len) : "";
    if (strncmp(name, "__atomic_", 9) || !LLVMIsDeclaration(callee) ||
        LLVMGetNumArgOperands(call) < 2)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rest = name + 9 + strlen(names[i].name);
        if (strncmp(name + 9, names[i].name, strlen(names[i].name)))
            continue;
        uint64_t size = size_in(rest, call);
        if (!has_size(size))
            return;
        struct atomic_call c = {call, LLVMIntTypeInContext(p->ctx, (unsigned)size * 8), !*rest,
                                !*rest, p->b};
        if (!fits(&c, names[i].form))
            return;
        LLVMPositionBuilderBefore(p->b, call);
        rewrite(&c, names[i].form, names[i].op);
        return;
    }
}

void hd_atomic_calls(struct hd_pass *p, LLVMValueRef fn)
{
    struct hd_vec calls = HD_VEC_INIT(LLVMValueRef);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                *(LLVMValueRef *)hd_vec_push(&calls) = i;
    for (size_t i = 0; i < calls.len; i++)
        visit(p, *(LLVMValueRef *)hd_vec_at(&calls, i));
    hd_vec_fini(&calls);
}
