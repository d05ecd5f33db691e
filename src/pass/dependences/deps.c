/* Tokens of values: which reads of this activation (or, over the flow record, of callers and
 * callees) a value was computed from. docs/algorithms/dependences.md argues each case.
 *
 * A token lives next to the instruction whose value it describes, so it dominates every use of the
 * value. Tokens are made on demand and kept in dep_of.
 */
#include "pass/dependences/used_tokens.h"
#include "pass/pass.h"

#define REACH     100  /* instructions to look at before a read */
#define MAX_DEPTH 1500 /* frames of about 300 bytes: far from the compiler's 8 MB stack */

static struct hd_dep one(LLVMValueRef tok)
{
    return (struct hd_dep){1, {tok}};
}

static struct hd_dep all(struct hd_fn *f)
{
    return one(hd_hooks_tok(f->p, HD_TOK_ALL));
}

static bool is_all(LLVMValueRef tok)
{
    return LLVMIsAConstantInt(tok) && LLVMConstIntGetZExtValue(tok) == HD_TOK_ALL;
}

static LLVMValueRef umin(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, x, y, ""), x, y, "");
}

/* hd_tok_join of abi/rt_abi.h in instructions. */
static LLVMValueRef join_two(struct hd_pass *p, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef mask = hd_hooks_u64(p, ~(uint64_t)UINT32_MAX);
    LLVMValueRef lo = LLVMBuildAnd(b, umin(b, x, y), mask, "");
    LLVMValueRef hi = umin(b, LLVMBuildTrunc(b, x, p->i32, ""), LLVMBuildTrunc(b, y, p->i32, ""));
    return LLVMBuildOr(b, lo, LLVMBuildZExt(b, hi, p->i64, ""), "");
}

/* Whether a token was there already when the read was made that has the other one. */
static bool came_before(struct hd_fn *f, LLVMValueRef tok, LLVMValueRef read)
{
    if (!LLVMIsAInstruction(tok) || tok == read)
        return true;
    LLVMBasicBlockRef a = LLVMGetInstructionParent(tok), b = LLVMGetInstructionParent(read);
    if (a != b)
        return hd_used_tokens_before(f, a, b);
    for (unsigned steps = 0; steps < REACH && (read = LLVMGetPreviousInstruction(read)); steps++)
        if (read == tok)
            return true;
    return LLVMIsAPHINode(tok);
}

/* The token of a read before which all others were there, so that it ends last; or NULL. A read
 * that is dominated by the making of a token is made anew whenever that is. */
static LLVMValueRef last_read(struct hd_fn *f, const struct hd_dep *d)
{
    for (unsigned i = 0; i < d->n; i++) {
        unsigned before = 0;
        if (!hd_token_runs_is_read(f->p, d->tok[i]))
            continue;
        while (before < d->n && came_before(f, d->tok[before], d->tok[i]))
            before++;
        if (before == d->n)
            return d->tok[i];
    }
    return NULL;
}

LLVMValueRef hd_deps_join(struct hd_fn *f, LLVMBuilderRef b, struct hd_dep d)
{
    if (d.n == 0)
        return hd_hooks_tok(f->p, HD_TOK_NONE);
    LLVMValueRef tok = d.tok[0], last = d.n > 1 ? last_read(f, &d) : NULL;
    for (unsigned i = 1; i < d.n; i++)
        tok = last ? umin(b, tok, d.tok[i]) : join_two(f->p, b, tok, d.tok[i]);
    return last ? hd_deps_range(f->p, b, tok, last) : tok;
}

LLVMValueRef hd_deps_range(struct hd_pass *p, LLVMBuilderRef b, LLVMValueRef first,
                           LLVMValueRef last)
{
    LLVMValueRef lo = LLVMBuildAnd(b, first, hd_hooks_u64(p, UINT64_MAX << 32), "");
    LLVMValueRef hi = LLVMBuildAnd(b, last, hd_hooks_u64(p, UINT32_MAX), "");
    return LLVMBuildOr(b, lo, hi, "");
}

static bool holds(const struct hd_dep *d, LLVMValueRef tok)
{
    for (unsigned i = 0; i < d->n; i++)
        if (d->tok[i] == tok)
            return true;
    return false;
}

void hd_deps_add(struct hd_fn *f, LLVMBuilderRef b, struct hd_dep *into, struct hd_dep more)
{
    for (unsigned i = 0; i < more.n; i++) {
        if (is_all(more.tok[i]) || (into->n == 1 && is_all(into->tok[0]))) {
            *into = all(f);
            return;
        }
        if (holds(into, more.tok[i]))
            continue;
        if (into->n == HD_DEP_MAX)
            *into = b ? one(hd_deps_join(f, b, *into)) : all(f);
        HD_ASSERT(into->n < HD_DEP_MAX);
        if (!is_all(into->tok[0]))
            into->tok[into->n++] = more.tok[i];
    }
}

LLVMValueRef hd_deps_past(struct hd_fn *f, LLVMBuilderRef b)
{
    LLVMValueRef count = LLVMBuildLoad2(b, f->p->i32, hd_hooks_flow(f->p, HD_FLOW_COUNT, 0), "");
    return LLVMBuildZExt(b, LLVMBuildNot(b, count, ""), f->p->i64, "");
}

/* A token of this block itself comes first: those from further up are often empty or decided by the
 * time they are used, and __hd_more has nothing to do then. */
static void recent_first(struct hd_fn *f, struct hd_dep *d)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->p->b);
    for (unsigned i = 0; i < d->n; i++) {
        LLVMValueRef tok = d->tok[i];
        if (!LLVMIsAInstruction(tok) || LLVMGetInstructionParent(tok) != here ||
            LLVMIsAPHINode(tok) || LLVMIsALoadInst(tok))
            continue;
        d->tok[i] = d->tok[0];
        d->tok[0] = tok;
        return;
    }
}

LLVMValueRef hd_deps_pass(struct hd_fn *f, struct hd_dep d, enum hd_more role)
{
    d = hd_token_runs_merge(f, hd_used_tokens_rest(f, d));
    if (role == HD_MORE_VAL)
        d = hd_rounds_merge(f, d);
    recent_first(f, &d);
    for (unsigned i = 1; i < d.n; i++) {
        LLVMValueRef args[] = {hd_hooks_u32(f->p, role), d.tok[i]};
        hd_hooks_call(f, HD_HOOK_more, args);
    }
    d.n = d.n > 1 ? 1 : d.n;
    return hd_deps_join(f, f->p->b, d);
}

LLVMValueRef hd_deps_pass_addr(struct hd_fn *f, struct hd_dep d)
{
    LLVMValueRef tok = hd_deps_pass(f, d, HD_MORE_ADDR);
    hd_used_tokens_add(f, d);
    return tok;
}

static void remember(struct hd_fn *f, LLVMValueRef v, struct hd_dep d)
{
    HD_ASSERT(d.n <= HD_DEP_MAX);
    *hd_map_put(&f->dep_of, (uint64_t)(uintptr_t)v, NULL) = (uint32_t)f->deps.len;
    *(struct hd_dep *)hd_vec_push(&f->deps) = d;
}

void hd_deps_set_all(struct hd_fn *f, LLVMValueRef v, struct hd_dep d)
{
    remember(f, v, d);
}

void hd_deps_set(struct hd_fn *f, LLVMValueRef v, LLVMValueRef tok)
{
    remember(f, v, tok ? one(tok) : (struct hd_dep){0});
}

static LLVMBuilderRef builder_after(struct hd_fn *f, LLVMValueRef inst)
{
    if (LLVMIsATerminatorInst(inst))
        return NULL;
    hd_hooks_after(f->p->tb, inst);
    return f->p->tb;
}

/* The tokens of the operands, which moves the builder. */
static void make_operands(struct hd_fn *f, LLVMValueRef inst, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        hd_deps_of(f, LLVMGetOperand(inst, i));
}

/* They are made: their joins, if there are too many, follow each other where b is. */
static struct hd_dep join_operands(struct hd_fn *f, LLVMBuilderRef b, LLVMValueRef inst, unsigned n)
{
    struct hd_dep d = {0};
    for (unsigned i = 0; i < n; i++)
        hd_deps_add(f, b, &d, hd_deps_of(f, LLVMGetOperand(inst, i)));
    return d;
}

static struct hd_dep of_operands(struct hd_fn *f, LLVMValueRef inst, unsigned n)
{
    make_operands(f, inst, n);
    return join_operands(f, builder_after(f, inst), inst, n);
}

/* The address of a private local has no token of its own, but an index into it may. */
static struct hd_dep of_private_load(struct hd_fn *f, LLVMValueRef load, struct hd_local *local)
{
    struct hd_dep d = {0};
    if (local->tainted) {
        LLVMPositionBuilderBefore(f->p->tb, load);
        d = one(LLVMBuildLoad2(f->p->tb, f->p->i64, local->shadow, ""));
    }
    struct hd_dep index = hd_deps_of(f, LLVMGetOperand(load, 0));
    hd_deps_add(f, builder_after(f, load), &d, index);
    return d;
}

static struct hd_dep of_load(struct hd_fn *f, LLVMValueRef load)
{
    LLVMValueRef ptr = LLVMGetOperand(load, 0);
    struct hd_local *local = hd_locals_is(f, ptr);
    if (local)
        return of_private_load(f, load, local);
    if (hd_locals_is_constant(ptr))
        return hd_deps_of(f, ptr);
    LLVMBuilderRef b = builder_after(f, load); /* not logged: compiler's counters, other segments */
    return one(hd_deps_past(f, b));
}

static struct hd_dep of_phi(struct hd_fn *f, LLVMValueRef phi)
{
    LLVMValueRef start = hd_rounds_start(f, phi);
    if (start)
        return hd_deps_of(f, start);
    LLVMPositionBuilderBefore(f->p->tb, phi);
    struct hd_phi *entry = hd_vec_push(&f->phis);
    *entry = (struct hd_phi){phi, LLVMBuildPhi(f->p->tb, f->p->i64, "")};
    *hd_map_put(&f->phi_of, (uint64_t)(uintptr_t)entry->token, NULL) = (uint32_t)f->phis.len;
    return one(entry->token);
}

LLVMValueRef hd_deps_phi_of(struct hd_fn *f, LLVMValueRef tok)
{
    uint32_t index;
    bool known = hd_map_get(&f->phi_of, (uint64_t)(uintptr_t)tok, &index);
    return known ? ((struct hd_phi *)hd_vec_at(&f->phis, index - 1))->source : NULL;
}

static struct hd_dep of_call(struct hd_fn *f, LLVMValueRef call)
{
    enum hd_callee kind = hd_calls_kind(call);
    if (kind == HD_CALLEE_PURE || hd_calls_is_memory(kind))
        return of_operands(f, call, LLVMGetNumArgOperands(call));
    if (kind == HD_CALLEE_UNKNOWN || kind == HD_CALLEE_VARARG_OK) {
        unsigned n = hd_calls_own(call) ? LLVMGetNumArgOperands(call) : 0;
        make_operands(f, call, n);
        struct hd_dep result = one(hd_control_result(f, call)); /* the builder is behind it then */
        if (is_all(result.tok[0]))
            return result; /* or there is no place behind it */
        struct hd_dep d = join_operands(f, f->p->tb, call, n);
        hd_deps_add(f, f->p->tb, &d, result);
        return d;
    }
    LLVMBuilderRef b = builder_after(f, call);
    return b ? one(hd_deps_past(f, b)) : all(f);
}

static struct hd_dep compute(struct hd_fn *f, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return of_load(f, v);
    case LLVMPHI:
        return of_phi(f, v);
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        return of_call(f, v);
    case LLVMLandingPad:
    case LLVMVAArg:
        return one(hd_deps_past(f, builder_after(f, v)));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: /* on memory that is not logged */
        return all(f);
    default:
        return of_operands(f, v, (unsigned)LLVMGetNumOperands(v));
    }
}

bool hd_deps_tainted(struct hd_fn *f, LLVMValueRef v)
{
    uint32_t mark;
    return hd_map_get(&f->tainted, (uint64_t)(uintptr_t)v, &mark);
}

bool hd_deps_known(struct hd_fn *f, LLVMValueRef v, struct hd_dep *d)
{
    uint32_t index;
    bool known = hd_map_get(&f->dep_of, (uint64_t)(uintptr_t)v, &index);
    if (known)
        *d = *(struct hd_dep *)hd_vec_at(&f->deps, index);
    return known;
}

struct hd_dep hd_deps_of(struct hd_fn *f, LLVMValueRef v)
{
    struct hd_dep d;
    if (!hd_deps_tainted(f, v))
        return (struct hd_dep){0};
    if (hd_deps_known(f, v, &d))
        return d;
    if (f->coarse || f->depth > MAX_DEPTH)
        return all(f);
    f->depth++;
    d = LLVMIsAInstruction(v) ? compute(f, v) : one(hd_control_arg(f, v));
    f->depth--;
    remember(f, v, d);
    return d;
}

void hd_deps_local_store(struct hd_fn *f, LLVMBuilderRef b, struct hd_local *local, struct hd_dep d)
{
    if (!local->tainted)
        return;
    d = hd_used_tokens_rest(f, d);
    if (local->kind == HD_LOCAL_PARTS)
        hd_deps_add(f, b, &d, one(LLVMBuildLoad2(b, f->p->i64, local->shadow, "")));
    LLVMBuildStore(b, hd_deps_join(f, b, d), local->shadow);
}

/* The token of an incoming value, available at the end of the incoming block. */
static LLVMValueRef incoming_token(struct hd_fn *f, LLVMValueRef phi, unsigned i)
{
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    uint32_t index;
    if (v == end || !hd_map_get(&f->reachable, (uint64_t)(uintptr_t)block, &index))
        return hd_hooks_tok(f->p, HD_TOK_ALL);
    hd_deps_of(f, v); /* may move the builder */
    LLVMPositionBuilderBefore(f->p->tb, end);
    f->at = index;
    return hd_deps_join(f, f->p->tb, hd_used_tokens_rest(f, hd_deps_of(f, v)));
}

static LLVMValueRef known_incoming(LLVMValueRef token_phi, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < LLVMCountIncoming(token_phi); i++)
        if (LLVMGetIncomingBlock(token_phi, i) == block)
            return LLVMGetIncomingValue(token_phi, i);
    return NULL;
}

static void fill_phis(struct hd_fn *f)
{
    for (size_t k = 0; k < f->phis.len; k++) { /* asking for tokens may add phis */
        struct hd_phi phi = *(struct hd_phi *)hd_vec_at(&f->phis, k);
        for (unsigned i = 0; i < LLVMCountIncoming(phi.source); i++) {
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi.source, i);
            LLVMValueRef tok = known_incoming(phi.token, block);
            if (!tok)
                tok = incoming_token(f, phi.source, i);
            LLVMAddIncoming(phi.token, &tok, &block, 1);
        }
    }
}

static bool is_none(LLVMValueRef tok)
{
    return LLVMIsAConstantInt(tok) && LLVMConstIntGetZExtValue(tok) == HD_TOK_NONE;
}

static bool is_always_none(LLVMValueRef phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef tok = LLVMGetIncomingValue(phi, i);
        if (tok != phi && !is_none(tok))
            return false;
    }
    return true;
}

static bool calls(struct hd_fn *f, LLVMValueRef inst, enum hd_hook hook)
{
    return inst && LLVMIsACallInst(inst) && LLVMGetCalledValue(inst) == f->p->hook[hook];
}

/* Nothing is to be said by __hd_more then. *branches gets those that depend on it. */
static void replace_by_none(struct hd_fn *f, LLVMValueRef phi, struct hd_vec *branches)
{
    for (LLVMUseRef use = LLVMGetFirstUse(phi), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (calls(f, user, HD_HOOK_more))
            LLVMInstructionEraseFromParent(user);
        else if (calls(f, user, HD_HOOK_branch))
            *(LLVMValueRef *)hd_vec_push(branches) = user;
    }
    LLVMReplaceAllUsesWith(phi, hd_hooks_tok(f->p, HD_TOK_NONE));
    LLVMInstructionEraseFromParent(phi);
}

/* Tokens that turn out to be of nothing, and the hooks that have nothing to say. */
static void drop_empty(struct hd_fn *f)
{
    struct hd_vec branches = HD_VEC_INIT(LLVMValueRef);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < f->phis.len; k++) {
            struct hd_phi *phi = hd_vec_at(&f->phis, k);
            if (!phi->token || !is_always_none(phi->token))
                continue;
            replace_by_none(f, phi->token, &branches);
            phi->token = NULL;
            changed = true;
        }
    }
    for (size_t k = 0; k < branches.len; k++) {
        LLVMValueRef branch = *(LLVMValueRef *)hd_vec_at(&branches, k);
        if (!calls(f, LLVMGetPreviousInstruction(branch), HD_HOOK_more))
            LLVMInstructionEraseFromParent(branch);
    }
    hd_vec_fini(&branches);
}

void hd_deps_finish(struct hd_fn *f)
{
    fill_phis(f);
    drop_empty(f);
}
