/* What would differ from run to run; see live_inputs.c. */
#ifndef HD_RT_CORE_LIVE_INPUTS_H
#define HD_RT_CORE_LIVE_INPUTS_H

#include "rt/core/fd.h"
#include "rt/core/rt.h"

void hd_rt_random_fill(struct hd_thread *me, void *out, size_t n);
/* Does it read /dev/random or /dev/urandom? */
bool hd_rt_random_fd(const struct hd_fd *at);
pid_t hd_rt_real_pid(pid_t pid); /* for the system, what the program means by pid */

#endif
