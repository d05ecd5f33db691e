/* Between the scheduler and the end of the process: runon.c, ends.c. */
#ifndef HD_RT_CORE_RUNON_H
#define HD_RT_CORE_RUNON_H

#include "rt/core/rt.h"

/* The thread rt.exiting, which let the others run on, goes on now. idle: no thread is ready. */
bool hd_rt_exit_due(bool idle);
/* It waits, and others sleep and wake up before it goes on: the clock jumps to that. */
bool hd_rt_exit_sleepers(void);
uint64_t hd_rt_exit_budget(uint64_t n); /* of n hooks, while others run on */
void hd_rt_settle(int status);          /* the process is about to end with it */

#endif
