/* Values that go round in a loop: a phi at its head gets what was computed from it.
 *
 * If nothing else goes in, the token stays that of the start. Else the phi's token, which is one
 * range, has all reads of the rounds before; a read that will be in it in the next round may as
 * well be in it now, which saves a call of __hd_more and its record.
 */
#include "pass/dependences/used_tokens.h"
#include "pass/pass.h"

#define REACH 64 /* values on a way round */

/* From a value back to what it was computed from. */
struct way {
    struct hd_fn *f;
    LLVMValueRef seen[REACH];
    unsigned n_seen;
};

static bool was_here(const struct way *w, LLVMValueRef v)
{
    for (unsigned i = 0; i < w->n_seen; i++)
        if (w->seen[i] == v)
            return true;
    return false;
}

/* Whether the way goes on from v to its operands: v is computed from them and nothing else. */
static bool goes_on(struct way *w, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || w->n_seen == REACH)
        return false;
    w->seen[w->n_seen++] = v;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMLandingPad:
    case LLVMVAArg:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return false;
    default:
        return true;
    }
}

/* ---- nothing else goes in ---- */

struct round {
    struct way way;
    LLVMValueRef phi;
    bool met; /* the phi itself was found */
};

static bool only_of(struct round *r, LLVMValueRef v);

static bool operands_only_of(struct round *r, LLVMValueRef inst)
{
    bool phi = LLVMIsAPHINode(inst) != NULL;
    unsigned n = phi ? LLVMCountIncoming(inst) : (unsigned)LLVMGetNumOperands(inst);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = phi ? LLVMGetIncomingValue(inst, i) : LLVMGetOperand(inst, i);
        if (phi && !hd_deps_tainted(r->way.f, v) && !LLVMIsUndef(v))
            return false; /* no longer of the phi on this way */
        if (!only_of(r, v))
            return false;
    }
    return true;
}

/* Whether v is computed from the phi and from constants only. */
static bool only_of(struct round *r, LLVMValueRef v)
{
    if (v == r->phi)
        r->met = true;
    if (v == r->phi || !hd_deps_tainted(r->way.f, v) || was_here(&r->way, v))
        return true;
    return goes_on(&r->way, v) && operands_only_of(r, v);
}

/* Whether every way to the phi comes from its i-th incoming block. One that jumps into the loop may
 * bring no value at all (undef), and what the others start with is not there then. */
static bool only_way_in(struct hd_fn *f, LLVMValueRef phi, unsigned i)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i), head = LLVMGetInstructionParent(phi);
    return from != head && hd_used_tokens_before(f, from, head);
}

LLVMValueRef hd_rounds_start(struct hd_fn *f, LLVMValueRef phi)
{
    LLVMValueRef start = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        struct round r = {.way = {.f = f}, .phi = phi};
        if (only_of(&r, v) && r.met)
            continue;
        if (start || !hd_deps_tainted(f, v) || !only_way_in(f, phi, i))
            return NULL;
        start = v;
    }
    return start;
}

/* ---- reads go in ---- */

struct search {
    struct way way;
    LLVMValueRef tok;
};

static bool depends(struct search *s, LLVMValueRef v);

static bool operands_depend(struct search *s, LLVMValueRef inst)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++)
        if (depends(s, LLVMGetOperand(inst, i)))
            return true;
    return false;
}

/* Whether v is computed from what has the token, as far as that is known. */
static bool depends(struct search *s, LLVMValueRef v)
{
    struct hd_dep d;
    if (hd_deps_known(s->way.f, v, &d)) {
        for (unsigned i = 0; i < d.n; i++)
            if (d.tok[i] == s->tok)
                return true;
        return false;
    }
    if (!hd_deps_tainted(s->way.f, v) || was_here(&s->way, v))
        return false;
    return goes_on(&s->way, v) && !LLVMIsAPHINode(v) && operands_depend(s, v);
}

/* Whether the phi that has the token `phi` gets what depends on tok. */
static bool goes_in(struct hd_fn *f, LLVMValueRef phi, LLVMValueRef tok)
{
    LLVMValueRef source = hd_deps_phi_of(f, phi);
    for (unsigned i = 0; source && i < LLVMCountIncoming(source); i++) {
        struct search s = {.way = {.f = f}, .tok = tok};
        if (depends(&s, LLVMGetIncomingValue(source, i)))
            return true;
    }
    return false;
}

struct hd_dep hd_rounds_merge(struct hd_fn *f, struct hd_dep d)
{
    for (unsigned i = 0; i < d.n; i++) {
        struct hd_dep round = {1, {d.tok[i]}}, rest = {0};
        for (unsigned k = 0; k < d.n; k++)
            if (k != i && goes_in(f, d.tok[i], d.tok[k]))
                round.tok[round.n++] = d.tok[k];
            else if (k != i)
                rest.tok[rest.n++] = d.tok[k];
        if (round.n > 1) {
            rest.tok[rest.n++] = hd_deps_join(f, f->p->b, round);
            return rest;
        }
    }
    return d;
}
