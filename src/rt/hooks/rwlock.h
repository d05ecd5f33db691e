/* Locks of the program itself, which it annotates: they leave events, and no thread waits. */
#ifndef HD_RT_HOOKS_RWLOCK_H
#define HD_RT_HOOKS_RWLOCK_H

#include "rt/libc/sync.h"

/* The lock at m was taken. Nothing happens if another thread has it: the program is wrong then. */
void hd_rt_rwlock_taken(struct hd_thread *me, void *m, bool exclusive, uintptr_t pc);
/* It is given back, once. False: the thread did not have it. */
bool hd_rt_rwlock_given(struct hd_thread *me, void *m, uintptr_t pc);

#endif
