/* The second thread of a race stays before its access while the others run on under policy fifo.
 *
 * Each access of another thread that conflicts with the one that waits is then a race that really
 * happens: both are about to be made. The driver finds them in the log, between the record that
 * both stand and the one that the thread goes on (HD_FOLLOW_RELEASED). It goes on when the others
 * cannot or only wait for it, and after MOST hooks or PICKS turns. While it is held it counts as
 * blocked, so that no policy picks it and the clock goes on for the others. */
#include "rt/policy/policy.h"

#define MOST  (1u << 20) /* hooks of the others */
#define PICKS 4096
#define POLLS 64 /* turns of threads that ask again and again for what another one has to do */

static struct hd_thread *held;
static uint64_t hooks, picks, polls;

/* It is READY again already. */
static void released(void)
{
    uint64_t nothing = 0;
    hd_rt_log_data(HD_LOG_FOLLOW, 0, HD_FOLLOW_RELEASED, &nothing, sizeof nothing);
    held = NULL;
}

void hd_rt_hold(struct hd_thread *t)
{
    if (!t || t->state != HD_READY)
        return;
    held = t;
    t->state = HD_BLOCKED;
    t->wait_obj = &held;
    t->wait_kind = HD_WAITS_OTHER;
    t->deadline = HD_NEVER;
}

/* Lock held. */
static void release(void)
{
    hd_rt_make_ready(held);
    released();
}

static bool some_sleep(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->state == HD_BLOCKED && rt.threads[i]->deadline != HD_NEVER)
            return true;
    return false;
}

struct hd_thread *hd_rt_hold_pick(void)
{
    struct hd_thread *next = hd_rt_policy_fifo.pick();
    if (held && held->state != HD_BLOCKED)
        released(); /* by a signal or a cancellation */
    if (!held)
        return next;
    polls += next && next->poll.polling;
    bool sleeps = !next && some_sleep() && !rt.n_fdwait && !rt.n_outside && !rt.exiting;
    if ((next || sleeps) && ++picks < PICKS && hooks < MOST && polls < POLLS)
        return next;
    release();
    return next ? next : hd_rt_policy_fifo.pick();
}

bool hd_rt_hold_asked(struct hd_thread *running, bool passes)
{
    hooks += rt.budget ? 0 : hd_rt_policy_fifo.budget();
    if (held && hooks >= MOST)
        hd_rt_unblock_one(held);
    return hd_rt_policy_fifo.asked(running, passes) || (held && hooks >= MOST);
}
