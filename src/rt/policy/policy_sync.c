/* Policy sync: a thread gives up its turn after every operation on which another thread may wait or
 * act (unlock, post, signal, create, atomic write); the one that has been ready for longest is
 * next. So workers of a pool get one task each, where fifo lets the first one take them all. In a
 * long run turns get longer: after n switches a turn ends with every (1 + n / PATIENT)-th such
 * operation, so a program that does nothing but lock pays for the square root of its operations. A
 * thread that polls, or runs for FAIR hooks, goes to the end of the queue, too. */
#include "rt/policy/policy.h"

#define FAIR    (1u << 20)
#define SLICE   (1u << 12) /* hooks between two looks */
#define PATIENT 4096

static uint64_t run;      /* hooks since a thread was picked, in slices */
static uint64_t switches; /* of ours, so far */
static uint64_t since;    /* operations since the last of them */
static bool due;

static void start(void)
{
    rt.at_sync = true;
}

static void created(struct hd_thread *t)
{
    (void)t;
}

static struct hd_thread *pick(void)
{
    run = since = 0;
    due = false;
    return hd_rt_policy_fifo.pick();
}

static uint64_t budget(void)
{
    return due ? 1 : SLICE;
}

static bool asked(struct hd_thread *running, bool passes)
{
    run += rt.budget ? 0 : SLICE;
    if (run >= FAIR)
        running->poll.owes = true;
    switches += due;
    return passes || due || run >= FAIR;
}

void hd_rt_sync_done(void)
{
    if (++since < 1 + switches / PATIENT)
        return;
    due = true;
    hd_rt_ask_soon();
}

const struct hd_policy hd_rt_policy_sync = {start, created, pick, budget, asked, NULL};
