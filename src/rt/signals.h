/* Handlers that wait for their turn. */
#ifndef HD_RT_SIGNALS_H
#define HD_RT_SIGNALS_H

#include "rt/rt.h"

void hd_rt_signals_run(struct hd_thread *me); /* token held, at a point to switch */

#endif
