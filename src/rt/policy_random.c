/* Policy random: every choice is uniform among the ready threads, and comes after a number of hooks
 * that is uniform between 1 and twice the quantum. */
#include "rt/policy.h"

static uint64_t state;

static void start(void)
{
    state = rt.header->seed;
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static struct hd_thread *pick(void)
{
    unsigned n = hd_rt_n_ready();
    if (!n)
        return NULL;
    uint64_t k = n == 1 ? 0 : hd_rt_random_next(&state) % n;
    for (uint32_t i = 0;; i++)
        if (rt.threads[i]->state == HD_READY && k-- == 0)
            return rt.threads[i];
}

static uint64_t budget(void)
{
    return 1 + hd_rt_random_next(&state) % (2 * rt.header->quantum);
}

static bool asked(struct hd_thread *running)
{
    (void)running;
    return true;
}

const struct hd_policy hd_rt_random = {"random", start, created, pick, budget, asked, NULL};
