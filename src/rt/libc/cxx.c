/* Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/cxx.h"

#include "rt/core/rt.h"

#include <dlfcn.h>

void *hd_rt_cxx_find(const char *name, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, pc);
    Dl_info info;
    void *p = NULL, *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!lib && dladdr((void *)pc, &info))
        lib = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (lib)
        p = dlsym(lib, name);
    if (me)
        hd_rt_leave(me);
    return p;
}
