/* The start of a module compiled by our pass: abi/rt_abi.h. Runs in the user's process; see the
 * rules in rt.h. */
#include "abi/rt_abi.h"
#include "rt/core/modules.h"
#include "rt/core/rt.h"
#include "rt/core/site_tables.h"
#include "rt/core/sys.h"

#include <sys/syscall.h>

/* Its hooks would mean other things, and what it does would be missing without a word. */
static _Noreturn void refuse_module(void)
{
    static const char text[] = "heddle: a part of this program was compiled by another version of "
                               "heddle: compile it again with this one's heddle cc\n";
    hd_rt_syscall(SYS_write, 2, (long)text, sizeof text - 1, 0, 0, 0);
    for (;;)
        hd_rt_syscall(SYS_exit_group, 3, 0, 0, 0, 0, 0);
}

/* Hooks that earlier versions had: a program that calls them is refused by us, not by the loader.
 */
void __hd_enter(void), __hd_leave(void), __hd_unwound(void);

HD_EXPORT void __hd_enter(void)
{
    refuse_module();
}

HD_EXPORT void __hd_leave(void)
{
    refuse_module();
}

HD_EXPORT void __hd_unwound(void)
{
    refuse_module();
}

HD_EXPORT __attribute__((noinline)) void __hd_module_init(struct hd_module *m)
{
    if (m->version != HD_ABI_VERSION)
        refuse_module();
    hd_rt_module_seen(HD_PC);
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return;
    hd_rt_site_tables_add(m);
    hd_rt_leave(me);
}
