/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/real.h"

#include <dlfcn.h>

struct hd_real hd_real;

void hd_rt_real_find(void)
{
#define HD_REAL_FIND(group, ret, name, params, dep, text)                                          \
    *(void **)&hd_real.name = dlsym(RTLD_NEXT, #name);
    HD_APIS(HD_REAL_FIND)
#undef HD_REAL_FIND
}
