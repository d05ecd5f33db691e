/* Stacks. Runs in the user's process; see the rules in rt.h.
 *
 * By unwind tables, since neither libc nor this runtime keeps frame pointers. Stacks are taken only
 * when a schedule is followed, never while recording. */
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

struct frame_walk {
    struct hd_rt_frame *frames;
    size_t n, max;
};

static _Unwind_Reason_Code on_whole_frame(struct _Unwind_Context *context, void *arg)
{
    enum { FRAME_POINTER = 6 }; /* rbp, as DWARF numbers registers */
    struct frame_walk *w = arg;
    uintptr_t ip = _Unwind_GetIP(context);
    if (!ip || w->n == w->max)
        return _URC_END_OF_STACK;
    /* The frame address of what was called is the stack pointer of its caller. */
    w->frames[w->n++] =
        (struct hd_rt_frame){ip, _Unwind_GetGR(context, FRAME_POINTER), _Unwind_GetCFA(context)};
    return _URC_NO_REASON;
}

size_t hd_rt_unwind_frames(struct hd_rt_frame *frames, size_t max)
{
    struct frame_walk w = {frames, 0, max};
    _Unwind_Backtrace(on_whole_frame, &w);
    return w.n;
}

size_t hd_rt_unwind(uint64_t *frames, size_t max)
{
    struct walk w = {frames, 0, max};
    _Unwind_Backtrace(on_frame, &w);
    return w.n;
}

void hd_rt_unwind_init(void)
{
    uint64_t frame;
    hd_rt_unwind(&frame, 1);
}
