/* Lock order as clocks: a write acquire comes after every earlier release of the lock, a read
 * acquire after every earlier write release. wait releases, wake and tmo acquire. Nested acquires
 * need no care: what they join is known to the thread, and no thread sees a release inside another
 * hold. */
#ifndef HD_DETECT_PUBLISHED_LOCKCLOCK_H
#define HD_DETECT_PUBLISHED_LOCKCLOCK_H

#include "detect/clock.h"

struct hd_lock_clock {
    struct hd_stamp write;  /* the last write release */
    struct hd_clock *reads; /* read releases since then, joined; or NULL */
};

static inline void hd_lock_clock_fini(struct hd_lock_clock *l, struct hd_clock_pool *p)
{
    hd_stamp_clear(p, &l->write);
    hd_clock_put(p, l->reads);
    l->reads = NULL;
}

bool hd_lock_clock_acquire(struct hd_lock_clock *l, struct hd_clock_pool *p, struct hd_clock **c,
                           hd_tid self, bool write);
void hd_lock_clock_release(struct hd_lock_clock *l, struct hd_clock_pool *p, struct hd_clock *c,
                           hd_tid self, uint32_t tick, bool write);

/* What event e, any but an access, means for the clock *c of its thread. True if *c changed. */
bool hd_lock_clock_step(struct hd_lock_clock *locks, struct hd_clock_pool *p,
                        const struct hd_trace *t, hd_eid e, struct hd_clock **c);

#endif
