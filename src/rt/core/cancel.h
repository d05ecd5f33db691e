/* Cancellation points: a blocking call of POSIX's list asks hd_rt_cancelled after it wakes, tidies
 * up, and then ends the thread. */
#ifndef HD_RT_CORE_CANCEL_H
#define HD_RT_CORE_CANCEL_H

#include "rt/core/rt.h"

bool hd_rt_cancelled(const struct hd_thread *me);
/* Leaves the runtime and lets libc unwind the thread. Returns only if libc has cancellation off. */
void hd_rt_cancel_here(struct hd_thread *me);

/* Cleanup of a variable that holds the thread while it is outside in a call of libc's, and NULL
 * afterwards. When libc unwinds the thread there, it comes back first: what the program's handlers
 * do is recorded, and the thread ends for the scheduler. */
void hd_rt_cancel_away(struct hd_thread **away);
#define HD_CANCEL_AWAY(me) __attribute__((cleanup(hd_rt_cancel_away))) struct hd_thread *away = me

/* Back from outside, with the token: acts on a request that came meanwhile. */
void hd_rt_cancel_back(struct hd_thread *me);

/* The system call nr with the arguments a, without the token, as a cancellation point. */
long hd_rt_cancel_syscall(struct hd_thread *me, long nr, const long *a);

/* Entry of a cancellation point: acts on a request, or returns that there was none. */
void hd_rt_cancel_point(struct hd_thread *me, uintptr_t pc);

#endif
