/* Many runs from one process: fork_server.c. */
#ifndef HD_RT_CORE_FORK_SERVER_H
#define HD_RT_CORE_FORK_SERVER_H

/* The first thing that the runtime does, once hd_real is known. In a process that was not asked to
 * serve it does nothing; otherwise it returns once in every run. */
void hd_rt_serve(void);

#endif
