/* Stacks. Runs in the user's process; see the rules in rt.h.
 *
 * By unwind tables, since neither libc nor this runtime keeps frame pointers. Only called when a
 * schedule is followed, never while recording. */
#include "rt/policy/policy.h"

#include <unwind.h>

struct walk {
    uint64_t *frames;
    size_t n, max;
};

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *arg)
{
    struct walk *w = arg;
    int before = 0;
    uintptr_t ip = _Unwind_GetIPInfo(context, &before);
    if (!ip || w->n == w->max)
        return _URC_END_OF_STACK;
    /* As a return address, so that everybody may look at the byte before. */
    w->frames[w->n++] = ip + (before != 0);
    return _URC_NO_REASON;
}

size_t hd_rt_unwind(uint64_t *frames, size_t max)
{
    struct walk w = {frames, 0, max};
    _Unwind_Backtrace(on_frame, &w);
    return w.n;
}
