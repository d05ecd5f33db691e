/* Runs in the user's process; see the rules in rt.h. */
#include "rt/stack.h"

#include "rt/blocks.h"

/* Given by the linker: where this library starts, and where its code ends. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_ours(uintptr_t pc)
{
    return pc - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

/* A frame holds the caller's frame address and the address to return to. */
static bool is_frame(const struct hd_thread *t, uintptr_t at)
{
    return at % sizeof(uintptr_t) == 0 && at >= t->stack_low && t->stack_end >= 16 &&
           at <= t->stack_end - 16;
}

unsigned hd_rt_stack_walk(const struct hd_thread *t, const void *frame, uintptr_t *out,
                          unsigned max)
{
    uintptr_t at = (uintptr_t)frame;
    unsigned n = 0;
    while (n < max && is_frame(t, at)) {
        const uintptr_t *words = (const uintptr_t *)at;
        if (words[1] < 4096)
            break;
        if (!is_ours(words[1]))
            out[n++] = words[1];
        if (words[0] <= at)
            break; /* stacks grow down: a caller's frame lies above */
        at = words[0];
    }
    return n;
}

void hd_rt_stack_log(const struct hd_thread *t)
{
    uintptr_t pcs[HD_RT_FRAMES];
    unsigned n = hd_rt_stack_walk(t, t->park_frame, pcs, HD_RT_FRAMES);
    uint64_t *w = hd_rt_log_room(3 + n);
    w[1] = t->num;
    w[2] = n * sizeof *pcs;
    hd_rt_memmove(w + 3, pcs, n * sizeof *pcs);
    hd_rt_log_head(w, HD_LOG_FRAMES, 0, 0);
}
