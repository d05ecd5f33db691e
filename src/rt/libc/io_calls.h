/* Waiting for descriptors under the scheduler. */
#ifndef HD_RT_LIBC_IO_CALLS_H
#define HD_RT_LIBC_IO_CALLS_H

#include "rt/core/rt.h"

#include <poll.h>

/* Lets others run until fd is ready for events; returns at once if it is, or does not block. False:
 * a handler broke the wait off. */
bool hd_rt_fd_wait(struct hd_thread *me, int fd, short events);

#endif
