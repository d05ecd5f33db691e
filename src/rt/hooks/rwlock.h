/* Locks of the program itself, which it annotates: they leave events, and no thread waits. */
#ifndef HD_RT_HOOKS_RWLOCK_H
#define HD_RT_HOOKS_RWLOCK_H

#include "rt/libc/sync.h"

/* The lock at m was taken. Nothing happens if another thread has it: the program is wrong then. */
void hd_rt_rwlock_taken(struct hd_thread *me, void *m, bool exclusive, uintptr_t pc);
/* It is given back, once. False: the thread did not have it. */
bool hd_rt_rwlock_given(struct hd_thread *me, void *m, uintptr_t pc);
/* The same at the thread's next entry, as a write that is logged later; until then it is kept. The
 * caller that finds it kept may clear pend_len: then it stays taken. */
void hd_rt_give_later(struct hd_thread *me, void *m, uintptr_t pc);
bool hd_rt_keeps(const struct hd_thread *me, const void *m);

#endif
