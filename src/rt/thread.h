/* Between start-up and thread.c. */
#ifndef HD_RT_THREAD_H
#define HD_RT_THREAD_H

#include "rt/rt.h"

void hd_rt_thread_setup(struct hd_thread *main_thread);
void hd_rt_log_stack(struct hd_thread *me);
void hd_rt_thread_first(struct hd_thread *me); /* a new thread waits for its first turn */

#endif
