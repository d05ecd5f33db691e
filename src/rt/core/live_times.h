/* What the clock says: kept while recording, returned again in a replay (abi/rt_arrivals.h).
 *
 * In a replay each thread gets the times that it got in the recorded run, whatever the order of the
 * threads is now: a loop that waits for the time to come goes round as often. So threads have
 * clocks of their own there, and a deadline that one computed from its clock is as far away as it
 * was. When the recorded answers are used up no thread gets an earlier time than any did before. */
#ifndef HD_RT_CORE_LIVE_TIMES_H
#define HD_RT_CORE_LIVE_TIMES_H

#include "rt/core/live_answers.h"

struct hd_thread;

struct hd_times {
    uint64_t asked, said;      /* how often, and what it said last, or in the last played answer */
    int64_t skew;              /* its clock is this far ahead of rt.now */
    struct hd_answers answers; /* a replay: its next one */
    uint64_t played;           /* answers so far */
};

/* The time that the thread gets, in units of rt.now. */
uint64_t hd_rt_times_tell(struct hd_thread *me);
/* A time as the thread sees it, in units of rt.now. */
uint64_t hd_rt_times_seen(const struct hd_thread *me, uint64_t at);

#endif
