/* Threads that wait for each other. Runs in the user's process; see the rules in rt.h. */
#ifndef HD_RT_WAIT_CYCLE_H
#define HD_RT_WAIT_CYCLE_H

#include <stdbool.h>

/* Lock held. Some threads wait in a ring, by locks and joins, without a deadline: no other thread
 * and no handler can end that. */
bool hd_rt_wait_cycle(void);

#endif
