/* What a thread is given and what it returns keep their expressions. Runs in the user's process;
 * see the rules in rt.h. */
#include "rt/concolic/rt_sym.h"

void hd_rt_sym_given(struct hd_thread *me, const void *fn, unsigned i)
{
    me->sym_given = 0;
    if (!hd_rt_sym.on || __hd_sym_flow.callee != fn)
        return;
    __hd_sym_flow.callee = NULL;
    me->sym_given = __hd_sym_flow.arg[i];
}

void hd_rt_sym_start(struct hd_thread *me, const void *start)
{
    if (!hd_rt_sym.on)
        return;
    __hd_sym_flow.callee = start;
    __hd_sym_flow.arg[0] = me->sym_arg;
}

void hd_rt_sym_end(struct hd_thread *me, const void *start)
{
    if (hd_rt_sym.on && __hd_sym_flow.returner == start)
        me->sym_result = __hd_sym_flow.ret;
}

/* n bytes at out are the low ones of the result. */
void hd_rt_sym_joined(uint32_t id, void *out, unsigned n)
{
    if (!hd_rt_sym.on || !out)
        return;
    unsigned width = id ? hd_rt_sym_node(id)->width : 0;
    if (width > 8 * n)
        id = hd_rt_sym_extract(id, 0, 8 * n);
    hd_rt_sym_set_bytes(out, n, id);
}
