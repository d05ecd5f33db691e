/* Runs in the user's process; see the rules in rt.h. */
#include "rt/modules.h"
#include "rt/policy.h"

#include <link.h>

#define MAX_MODULES 256

struct span {
    uintptr_t low, end;
};
static struct span spans[MAX_MODULES], constants[4 * MAX_MODULES];
static unsigned n_spans, n_constants;

bool hd_rt_module_has(uintptr_t pc)
{
    for (unsigned i = 0; i < n_spans; i++)
        if (pc - spans[i].low < spans[i].end - spans[i].low)
            return true;
    return false;
}

bool hd_rt_module_const(const void *p)
{
    for (unsigned i = 0; i < n_constants; i++)
        if ((uintptr_t)p - constants[i].low < constants[i].end - constants[i].low)
            return true;
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    uintptr_t pc = *(uintptr_t *)arg, low = UINTPTR_MAX, end = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
        low = from < low ? from : low;
        end = to > end ? to : end;
    }
    if (pc < low || pc >= end)
        return 0;
    spans[n_spans++] = (struct span){low, end};
    if (rt.on && info->dlpi_name &&
        *info->dlpi_name) { /* loaded after the start: the driver needs it */
        struct hd_thread *me = hd_rt_enter();
        if (me) {
            if (rt.follow)
                hd_rt_follow_module(info->dlpi_name, false, info->dlpi_addr);
            hd_rt_log_text(HD_LOG_MODULE, 0, info->dlpi_addr, info->dlpi_name);
            hd_rt_leave(me);
        }
    }
    return 1;
}

static int add_constants(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && n_constants < 4 * MAX_MODULES)
            constants[n_constants++] = (struct span){from, from + p->p_memsz};
    }
    return 0;
}

void hd_rt_module_seen(uintptr_t pc)
{
    if (n_spans == MAX_MODULES || hd_rt_module_has(pc))
        return;
    dl_iterate_phdr(look, &pc);
    n_constants = 0; /* something may be gone since the last time */
    dl_iterate_phdr(add_constants, NULL);
}
