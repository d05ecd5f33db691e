/* What the models of the C++ library's functions share. Runs in the user's process. */
#ifndef HD_RT_LIBC_CXX_H
#define HD_RT_LIBC_CXX_H

#include <stdint.h>

/* The library's function of this name, for a call from pc. The library may have come with dlopen,
 * or be a part of the module that calls, so that hd_rt_real_find did not see it. */
void *hd_rt_cxx_find(const char *name, uintptr_t pc);

#endif
