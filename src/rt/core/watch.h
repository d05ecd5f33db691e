/* What each epoll descriptor watches: kept from epoll_ctl on, so that epoll_wait informs the
 * program about these channels (chan.h) and no others. A descriptor of which nothing is known,
 * because code that we do not see filled it, means all channels. Only the holder of the token
 * may call these functions.
 */
#ifndef HD_RT_CORE_WATCH_H
#define HD_RT_CORE_WATCH_H

#include "rt/core/rt.h"

void hd_rt_watch_ctl(int ep, int op, int fd, uint32_t events); /* epoll_ctl succeeded */
void hd_rt_watch_closing(int fd);
/* Does it watch anything that has another side outside (live_arrivals.h)? With `tell`: epoll_wait
 * answered, and what is ready of that is kept. */
bool hd_rt_watch_arrivals(int ep, bool tell);
void hd_rt_watch_look(int ep, uintptr_t pc); /* epoll_wait answered */

#endif
