/* Between start-up and thread.c. */
#ifndef HD_RT_CORE_THREAD_H
#define HD_RT_CORE_THREAD_H

#include "rt/core/rt.h"

void hd_rt_thread_setup(struct hd_thread *main_thread);
/* The calling thread, which the runtime did not start: it gives the token back when it ends. */
void hd_rt_thread_adopted(struct hd_thread *me);
void hd_rt_log_stack(struct hd_thread *me);
/* start_pc: what the program calls the start of the thread; 0: `start`. */
int hd_rt_thread_create(struct hd_thread *me, pthread_t *out, const pthread_attr_t *attr,
                        void *(*start)(void *), void *arg, uintptr_t start_pc, uintptr_t pc);
/* deadline 0: only look. timeout: what to answer when it passes. */
int hd_rt_thread_join(struct hd_thread *me, pthread_t handle, void **result, uint64_t deadline,
                      int timeout, uintptr_t pc);
struct hd_thread *hd_rt_thread_find(pthread_t handle); /* the latest with it, or NULL */
void hd_rt_thread_first(struct hd_thread *me);         /* a new thread waits for its first turn */

#endif
