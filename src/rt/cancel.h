/* Cancellation points: a blocking call of POSIX's list asks hd_rt_cancelled after it wakes, tidies
 * up, and then ends the thread. */
#ifndef HD_RT_CANCEL_H
#define HD_RT_CANCEL_H

#include "rt/rt.h"

bool hd_rt_cancelled(const struct hd_thread *me);
/* Leaves the runtime and lets libc unwind the thread. Returns only if libc has cancellation off. */
void hd_rt_cancel_here(struct hd_thread *me);

/* Entry of a cancellation point: acts on a request, or says that there was none. */
void hd_rt_cancel_point(struct hd_thread *me, uintptr_t pc);

#endif
