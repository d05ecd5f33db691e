/* Policy fifo: a thread runs until it blocks; the one that has been ready for longest is next. A
 * thread that polls would never block: when it is seen to, or after FAIR hooks, it goes to the end
 * of the queue. */
#include "rt/policy/policy.h"

#define FAIR  (1u << 20)
#define SLICE (1u << 12) /* hooks between two looks */

static uint64_t run; /* hooks since a thread was picked, in slices */

static void start(void)
{
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static struct hd_thread *pick(void)
{
    struct hd_thread *best = NULL;
    run = 0;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->state == HD_READY && (!best || t->ready_seq < best->ready_seq))
            best = t;
    }
    return best;
}

static uint64_t budget(void)
{
    return SLICE;
}

static bool asked(struct hd_thread *running, bool passes)
{
    run += rt.budget ? 0 : SLICE;
    if (run >= FAIR)
        running->poll.owes = true;
    return passes || run >= FAIR;
}

const struct hd_policy hd_rt_policy_fifo = {start, created, pick, budget, asked, NULL};
