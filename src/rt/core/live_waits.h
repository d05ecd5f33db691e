/* Asking for the end of a child without waiting for it: a replay gives the recorded answers again.
 *
 * How often a loop of such calls hears "not yet" depends on how fast the child is; a replay that
 * let it go round another number of times would be another run. */
#ifndef HD_RT_CORE_LIVE_WAITS_H
#define HD_RT_CORE_LIVE_WAITS_H

#include "rt/core/live_answers.h"

struct hd_waits_told {
    struct hd_answers answers; /* a replay: the next one */
    uint64_t asked, played;    /* calls so far; those with a recorded answer */
    uint64_t vain;             /* "not yet" in a row; in a replay: that are left */
    bool known, child;         /* a replay: what comes after them is `child` */
};

enum hd_wait_answer {
    HD_WAIT_UNKNOWN, /* no replay, or its answers are used up: the system says */
    HD_WAIT_NOT_YET,
    HD_WAIT_CHILD,  /* there is one: it may take longer here */
    HD_WAIT_FAILED, /* the call failed; it will again */
};

/* The thread is about to ask. */
enum hd_wait_answer hd_rt_waits_ask(struct hd_thread *me);
/* What the system said. */
void hd_rt_waits_told(struct hd_thread *me, enum hd_wait_answer answer);

#endif
