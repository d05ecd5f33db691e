/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/frame_walk.h"

#include <link.h>

static uintptr_t own_low, own_end; /* where this library is */

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    uintptr_t here = (uintptr_t)&hd_rt_stack_init;
    (void)size;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && here - from < p->p_memsz) {
            own_low = from;
            own_end = from + p->p_memsz;
            return 1;
        }
    }
    return 0;
}

void hd_rt_stack_init(void)
{
    dl_iterate_phdr(look, NULL);
}

static bool is_ours(uintptr_t pc)
{
    return pc - own_low < own_end - own_low;
}

/* A frame holds the caller's frame address and the address to return to. */
static bool is_frame(const struct hd_thread *t, uintptr_t at)
{
    return at % sizeof(uintptr_t) == 0 && at >= t->stack_low && t->stack_end >= 16 &&
           at <= t->stack_end - 16;
}

/* Return addresses of the frames from `frame` (a frame address of t) outwards, without those of the
 * runtime itself; at most `max`. t must be the caller, or not be running. Returns how many. */
static unsigned walk_frames(const struct hd_thread *t, const void *frame, uintptr_t *out,
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
    unsigned n = walk_frames(t, t->park_frame, pcs, HD_RT_FRAMES);
    for (unsigned i = 0; i < n && hd_rt_log.chunks; i++) /* the driver names what has a slot */
        hd_pack_slot_of(&hd_rt_pack, hd_rt_log.keys, hd_pack_key(pcs[i], HD_SHAPE_PLACE));
    hd_rt_log_data(HD_LOG_FRAMES, 0, t->num, pcs, n * sizeof *pcs);
}
