/* Reads that follow each other. A token is a range of ids, so the tokens of reads of one block
 * between which the thread reads nothing else are one token, exactly: from the first to the last.
 * That saves a call of __hd_more and its record for each but the first.
 *
 * Blocks are instrumented in an order in which a token's block comes before its uses, so all hooks
 * that will ever stand between two tokens already do.
 */
#include "pass/pass.h"

#define REACH 100 /* instructions to look at behind a read */

static int hook_of(struct hd_pass *p, LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    for (int i = 0; callee && i < HD_HOOK_COUNT; i++)
        if (p->hook[i] == callee)
            return i;
    return -1;
}

bool hd_token_runs_is_read(struct hd_pass *p, LLVMValueRef inst)
{
    switch (hook_of(p, inst)) {
    case HD_HOOK_read1:
    case HD_HOOK_read2:
    case HD_HOOK_read4:
    case HD_HOOK_read8:
    case HD_HOOK_read_n:
        return true;
    default:
        return false;
    }
}

/* Whether the thread may read something in inst that we do not know the token of. */
static bool may_read(struct hd_pass *p, LLVMValueRef inst)
{
    switch (hook_of(p, inst)) {
    case -1:
        break;
    case HD_HOOK_write1:
    case HD_HOOK_write2:
    case HD_HOOK_write4:
    case HD_HOOK_write8:
    case HD_HOOK_write_n:
    case HD_HOOK_branch:
    case HD_HOOK_more:
        return false;
    default:
        return true;
    }
    if (!hd_calls_is_call(inst))
        return false; /* an access that is hooked has its hook before it */
    enum hd_callee kind = hd_calls_kind(inst);
    return kind != HD_CALLEE_PURE && kind != HD_CALLEE_IGNORED;
}

static unsigned index_of(const struct hd_dep *d, LLVMValueRef tok)
{
    unsigned i = 0;
    while (i < d->n && d->tok[i] != tok)
        i++;
    return i;
}

/* The last token that tok and nothing else leads to; those passed are marked in *taken. */
static LLVMValueRef last_of_run(struct hd_pass *p, const struct hd_dep *d, unsigned from,
                                unsigned *taken)
{
    LLVMValueRef last = d->tok[from], inst = last;
    for (unsigned steps = 0; steps < REACH && (inst = LLVMGetNextInstruction(inst)); steps++) {
        unsigned i = index_of(d, inst);
        if (i < d->n && hd_token_runs_is_read(p, inst)) {
            *taken |= 1u << i;
            last = inst;
        } else if (may_read(p, inst)) {
            break;
        }
    }
    return last;
}

/* A run may go further than we look behind its first read: its last one begins a run then. */
static LLVMValueRef end_of_chain(const struct hd_dep *d, LLVMValueRef *last, unsigned from)
{
    unsigned at = from, next = index_of(d, last[from]);
    while (next != at) {
        at = next;
        next = index_of(d, last[at]);
    }
    return last[at];
}

struct hd_dep hd_token_runs_merge(struct hd_fn *f, struct hd_dep d)
{
    LLVMValueRef last[HD_DEP_MAX];
    struct hd_dep merged = {0};
    unsigned taken = 0;
    if (d.n < 2)
        return d;
    for (unsigned i = 0; i < d.n; i++)
        last[i] =
            hd_token_runs_is_read(f->p, d.tok[i]) ? last_of_run(f->p, &d, i, &taken) : d.tok[i];
    for (unsigned i = 0; i < d.n; i++) {
        if (taken >> i & 1)
            continue;
        LLVMValueRef end = end_of_chain(&d, last, i);
        merged.tok[merged.n++] =
            end == d.tok[i] ? d.tok[i] : hd_deps_range(f->p, f->p->b, d.tok[i], end);
    }
    return merged;
}
