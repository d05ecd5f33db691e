/* Which code is instrumented. Memory functions called from elsewhere (libgcc, libstdc++, the
 * loader) are not accesses of the program. */
#ifndef HD_RT_CORE_MODULES_H
#define HD_RT_CORE_MODULES_H

#include "rt/core/rt.h"

void hd_rt_module_seen(uintptr_t pc); /* pc lies in an instrumented module; before or after start */
/* All modules that import the function name: one of them called it by a jump, as gcc's optimiser
 * makes of a function's last call, so that no return address shows which. */
void hd_rt_module_calls(char *name);
bool hd_rt_module_has(uintptr_t pc);
void hd_rt_module_start(void); /* the driver knows all modules that are loaded now */
/* Tells the driver of the module that pc lies in, if it was loaded later. Token held. */
void hd_rt_module_tell(uintptr_t pc);
/* Names the modules that were loaded since, and are not instrumented. Token held. */
void hd_rt_module_loaded(void);
bool hd_rt_module_const(const void *p); /* in memory of a module that is not to be written */
/* Tells the driver of a synchronisation object that is, or is in, a variable. Token held. */
void hd_rt_module_uses(const volatile void *object);

#endif
