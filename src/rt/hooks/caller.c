/* Runs in the user's process; see the rules in rt.h. */
#include "rt/hooks/caller.h"

struct hd_caller hd_rt_caller(uintptr_t pc, const void *fn, unsigned n)
{
    struct hd_caller by = {pc, __hd_flow.count, HD_TOK_ALL, HD_TOK_NONE};
    if (!rt.pass)
        return by;
    if (__hd_flow.callee == HD_FLOW_THROUGH) {
        by.tok = __hd_flow.arg[0];
    } else if (__hd_flow.callee == fn) {
        by.tok = HD_TOK_NONE;
        if (n == HD_FLOW_ARGS)
            by.numbers = __hd_flow.arg[--n];
        for (unsigned i = 0; i < n; i++)
            by.tok = hd_tok_join(by.tok, __hd_flow.arg[i]);
        __hd_flow.callee = NULL;
    }
    if (by.tok == HD_TOK_ALL)
        by.tok = hd_tok_range(0, by.first);
    return by;
}

struct hd_caller hd_rt_caller_list(uintptr_t pc, const void *fn, unsigned n)
{
    struct hd_caller by = hd_rt_caller(pc, fn, n);
    hd_tok tok = hd_tok_join(by.tok, by.numbers); /* of six arguments the last: the list */
    by.tok = tok == HD_TOK_ALL ? hd_tok_range(0, by.first) : tok;
    by.numbers = HD_TOK_NONE;
    return by;
}

void hd_rt_depend_numbers(struct hd_thread *me, struct hd_caller by)
{
    hd_tok tok = by.numbers == HD_TOK_ALL ? hd_tok_range(0, by.first) : by.numbers;
    hd_tok rest = rt.pass ? hd_decided_rest(&me->decided, tok) : HD_TOK_NONE;
    if (rest != HD_TOK_NONE)
        hd_rt_log2(HD_LOG_MORE, 0, hd_rt_pack.prev, HD_MORE_VAL, rest);
}

void hd_rt_depend_slow(struct hd_thread *me, const struct hd_caller *by)
{
    hd_tok tok = by->tok;
    if (__hd_flow.count > by->first) /* it entered before: what it read then decides what follows */
        tok = hd_tok_join(tok, hd_tok_range(by->first + 1, __hd_flow.count));
    hd_tok rest = hd_decided_rest(&me->decided, tok);
    if (rest != HD_TOK_NONE) {
        hd_rt_log1(HD_LOG_BRANCH, 0, rest);
        hd_decided_add(&me->decided, tok, __hd_flow.count);
    }
    me->in_rt |= HD_IN_TOLD;
}
