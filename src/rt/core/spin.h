/* Threads that wait by asking again and again: for memory, for a lock, for a call's answer, for the
 * time to come.
 *
 * Such a thread polls: it lets all others run before it asks again, in short turns, and when all
 * that can run are polling the clock goes to the next deadline. Being taken for one wrongly costs a
 * thread some switches and nothing else: every order stays possible. What a thread is taken for
 * follows from its own events.
 *
 * Two ways to see it. Calls that say "not yet" count themselves (hd_rt_polled): HD_POLLS in a row
 * with little between them, and nothing changed in memory. Loops without such calls show in the log
 * (hd_rt_passes). */
#ifndef HD_RT_CORE_SPIN_H
#define HD_RT_CORE_SPIN_H

#include "rt/core/rt.h"

#define HD_POLLS 16

/* A call is about to return "try again". The number of such calls in a row. */
uint32_t hd_rt_polled(struct hd_thread *me);
/* The same for a question for the time: it makes time pass itself, so no deadline is gone to. */
uint32_t hd_rt_asks_again(struct hd_thread *me);
/* The same for one that also lets others run: a yield. */
void hd_rt_polled_yield(struct hd_thread *me);
/* At a question of the scheduler: whether it must let others run. out: its budget is used up. */
bool hd_rt_passes(struct hd_thread *me, bool out);
/* me has released what others wait for: it lets them have it if it polls or ran for very long. */
void hd_rt_released(struct hd_thread *me);
void hd_rt_turn_starts(struct hd_thread *t);
void hd_rt_turn_ends(struct hd_thread *me);
void hd_rt_moves_on(struct hd_thread *me); /* it polls no more */
/* The budget of a thread that polls. */
uint64_t hd_rt_poll_budget(void);
/* All that can run have looked in vain, no deadline will come: whether they rest before the next
 * look, so that the log grows slowly. */
bool hd_rt_must_rest(void);

#endif
