/* What calls to the world outside returned to a thread, one number after the other: kept while
 * recording, returned again in a replay (abi/rt_arrivals.h), whatever the order of the threads is
 * now. */
#ifndef HD_RT_CORE_LIVE_ANSWERS_H
#define HD_RT_CORE_LIVE_ANSWERS_H

#include "abi/rt_arrivals.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_thread;

/* Where a thread is in its answers of one kind. Starts as zeros. */
struct hd_answers {
    const void *item; /* of the next answer */
    uint64_t at;      /* where in it */
    bool begun;
};

/* An item of a replay whose contents are varints, in the order of the recorded run. `head` stays.
 */
void hd_rt_answers_keep(const struct hd_arrivals_item *head);
/* The next of this kind. False: there are no more. */
bool hd_rt_answers_next(struct hd_thread *me, struct hd_answers *a, enum hd_arrival kind,
                        uint64_t *value);
/* While recording: one more. */
void hd_rt_answers_log(enum hd_arrival kind, uint64_t value);

#endif
