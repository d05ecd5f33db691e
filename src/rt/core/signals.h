/* Handlers that wait for their turn, and who sent them. */
#ifndef HD_RT_CORE_SIGNALS_H
#define HD_RT_CORE_SIGNALS_H

#include "rt/core/rt.h"

/* In `go` of a thread. One that has HD_GO_TOKEN has the token (it is set by send). Each signal that
 * waits for the thread adds HD_GO_SIGNAL: one that comes just before it falls asleep keeps it
 * awake.
 */
#define HD_GO_TOKEN  1u
#define HD_GO_SIGNAL 2u

#define HD_RAN_ANY    1u
#define HD_RAN_BREAKS 2u /* one without SA_RESTART */

void hd_rt_signals_run(struct hd_thread *me); /* token held, at a point to switch */

/* A call that a handler may break off starts here; sig_ran then shows which handlers ran. */
static inline void hd_rt_signals_fresh(struct hd_thread *me)
{
    me->sig_ran = 0;
}

/* The program sends sig to one of its threads, or to itself (HD_SIGNAL_ANY). Token held. */
void hd_rt_signal_sent(uint32_t thread, int sig, uintptr_t pc);
/* Around the call that sends it, with the token: waits until it has come to a thread of ours that
 * has a handler for it and does not block it. */
unsigned hd_rt_signal_before(uint32_t thread);
void hd_rt_signal_settle(struct hd_thread *me, uint32_t thread, int sig, unsigned before);
/* It arrived at this thread: in a handler, or as the result of sigwait (then info may be NULL). */
void hd_rt_signal_came(struct hd_thread *me, int sig, const siginfo_t *info, uintptr_t pc);

#endif
