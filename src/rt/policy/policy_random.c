/* Policy random: every choice is uniform among the ready threads, and comes after a number of hooks
 * that is uniform between 1 and twice the quantum. Threads that poll sit out until the others have
 * had as many turns as there are, twice. */
#include "rt/policy/policy.h"

static uint64_t state;

static void start(void)
{
    state = rt.header->seed;
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static bool may(const struct hd_thread *t, unsigned turns)
{
    return t->state == HD_READY && (!t->poll.polling || rt.acted - t->poll.looked >= turns);
}

static struct hd_thread *pick(void)
{
    unsigned ready = hd_rt_n_ready(), turns = 2 * ready, n = 0;
    if (!ready)
        return NULL;
    for (uint32_t i = 0; i < rt.n_threads; i++)
        n += may(rt.threads[i], turns);
    if (!n) {
        n = ready;
        turns = 0;
    }
    uint64_t k = n == 1 ? 0 : hd_rt_random_next(&state) % n;
    for (uint32_t i = 0;; i++)
        if (may(rt.threads[i], turns) && k-- == 0)
            return rt.threads[i];
}

static uint64_t budget(void)
{
    return 1 + hd_rt_random_next(&state) % (2 * rt.header->quantum);
}

static bool asked(struct hd_thread *running, bool passes)
{
    (void)running;
    return passes || !rt.budget;
}

const struct hd_policy hd_rt_policy_random = {start, created, pick, budget, asked, NULL};
