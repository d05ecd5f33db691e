/* Tokens that a branch further up has used already, or an access for its address. To get here the
 * thread has run that event, so none of their reads is stale, and a dependence on them says nothing
 * (src/rt/hooks/read_marks.h does the same at run time, for what is only known there).
 *
 * "Further up" is: in a block that dominates this one, or before in it. The token is the same value
 * of the function, and a value that dominates an event that dominates a use is made anew only when
 * that event is run anew as well. So it is also the same reads.
 */
#include "base/alloc.h"
#include "pass/dependences/used_tokens.h"
#include "pass/pass.h"

#define NONE  UINT32_MAX
#define REACH 64 /* tokens to look at */

struct entry {
    LLVMValueRef tok;
    uint32_t before; /* index + 1 of the one decided before, or 0 */
};

static uint32_t index_of(struct hd_fn *f, LLVMBasicBlockRef block)
{
    uint32_t i;
    return hd_map_get(&f->reachable, (uint64_t)(uintptr_t)block, &i) ? i : NONE;
}

/* The nearest block that dominates both; blocks are numbered in reverse post-order. */
static uint32_t common(const struct hd_block *blocks, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = blocks[a].dominator;
        else
            b = blocks[b].dominator;
    }
    return a;
}

static bool meet(struct hd_fn *f, uint32_t from)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->order[from]);
    bool changed = false;
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
        uint32_t to = index_of(f, LLVMGetSuccessor(end, k));
        uint32_t now = f->blocks[to].dominator;
        uint32_t next = now == NONE ? from : common(f->blocks, from, now);
        f->blocks[to].dominator = next;
        changed = changed || next != now;
    }
    return changed;
}

void hd_used_tokens_init(struct hd_fn *f)
{
    f->decided = HD_VEC_INIT(struct entry);
    f->blocks = hd_alloc(f->n_order * sizeof *f->blocks);
    for (uint32_t i = 0; i < f->n_order; i++) {
        *hd_map_put(&f->reachable, (uint64_t)(uintptr_t)f->order[i], NULL) = i;
        f->blocks[i] = (struct hd_block){.dominator = i ? NONE : 0};
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->n_order; i++)
            if (f->blocks[i].dominator != NONE)
                changed = meet(f, i) || changed;
    }
}

void hd_used_tokens_fini(struct hd_fn *f)
{
    hd_free(f->blocks, f->n_order * sizeof *f->blocks);
    hd_vec_fini(&f->decided);
}

void hd_used_tokens_block(struct hd_fn *f, LLVMBasicBlockRef block)
{
    f->at = index_of(f, block);
    HD_ASSERT(f->at < f->n_order && f->blocks[f->at].dominator <= f->at);
    if (f->at)
        f->blocks[f->at].decided = f->blocks[f->blocks[f->at].dominator].decided;
}

bool hd_used_tokens_before(struct hd_fn *f, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
    uint32_t first = index_of(f, a), at = index_of(f, b);
    if (first == NONE || at == NONE)
        return false;
    while (at > first)
        at = f->blocks[at].dominator;
    return at == first;
}

static bool is_decided(struct hd_fn *f, LLVMValueRef tok)
{
    uint32_t i = f->blocks[f->at].decided;
    for (unsigned steps = 0; i && steps < REACH; steps++) {
        const struct entry *e = hd_vec_at(&f->decided, i - 1);
        if (e->tok == tok)
            return true;
        i = e->before;
    }
    return false;
}

struct hd_dep hd_used_tokens_rest(struct hd_fn *f, struct hd_dep d)
{
    struct hd_dep rest = {0};
    for (unsigned i = 0; i < d.n; i++)
        if (!is_decided(f, d.tok[i]))
            rest.tok[rest.n++] = d.tok[i];
    return rest;
}

void hd_used_tokens_add(struct hd_fn *f, struct hd_dep d)
{
    for (unsigned i = 0; i < d.n; i++) {
        if (LLVMIsConstant(d.tok[i]))
            continue; /* "all" means something else further down */
        struct entry e = {d.tok[i], f->blocks[f->at].decided};
        *(struct entry *)hd_vec_push(&f->decided) = e;
        f->blocks[f->at].decided = (uint32_t)f->decided.len;
    }
}
