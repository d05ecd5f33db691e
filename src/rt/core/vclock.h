/* The virtual clock. It starts at a fixed monotonic time and the real time of the day, moves by a
 * step at every question, and jumps to the next deadline when every thread waits. While a thread
 * waits for the world outside (a socket, a child), real time passes and is added. Deadlines are in
 * rt.now units. */
#ifndef HD_RT_CORE_VCLOCK_H
#define HD_RT_CORE_VCLOCK_H

#include "rt/core/rt.h"

#include <time.h>

/* False when abs is not a valid time. Times before the start give deadline 0. */
bool hd_rt_deadline(clockid_t clock, const struct timespec *abs, uint64_t *deadline);
/* now + rel, or HD_NEVER when rel is NULL. False when rel is not a valid time. */
bool hd_rt_deadline_in(const struct timespec *rel, uint64_t *deadline);

/* Until the first wait for the clock is over; lock held, no thread holds the token. */
uint64_t hd_rt_until_deadline(void);

bool hd_rt_clock_known(clockid_t clock); /* one that we make up, not one of processor time */
void hd_rt_clock_ask(clockid_t clock, struct timespec *ts); /* the clock moves on a little */
int hd_rt_real_clock_gettime(clockid_t clock, struct timespec *ts);
/* nanosleep, called at pc (time.c). */
int hd_rt_sleep(const struct timespec *span, struct timespec *left, uintptr_t pc);

#endif
