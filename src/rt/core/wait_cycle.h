/* Threads that wait for each other. Runs in the user's process; see the rules in rt.h. */
#ifndef HD_RT_WAIT_CYCLE_H
#define HD_RT_WAIT_CYCLE_H

#include <stdbool.h>

/* Lock held, no thread can run. Some threads wait in a ring, by locks and joins, without a
 * deadline. No other thread may end that, and no handler; but some do (they release a lock of
 * another thread, cancel a join, or jump out of it), so it has to last for two seconds of real
 * time. */
bool hd_rt_wait_cycle(void);

#endif
