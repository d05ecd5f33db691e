/* Policy pct: probabilistic concurrency testing. Each thread gets a random priority at its creation
 * and the highest ready one runs. At depth - 1 random moments of the run the running thread falls
 * below all others. A thread that yields, is seen to poll, or runs for FAIR hooks without a change,
 * falls too: otherwise a thread that polls would wait for ever for one of lower priority. */
#include "rt/policy/policy.h"

#define FAIR   (1u << 18)
#define SLICE  (1u << 12) /* hooks between two looks, when no change is near */
#define POINTS 64

static uint64_t state;
static uint64_t points[POINTS]; /* ascending */
static unsigned n_points, next_point;
static uint64_t steps; /* hooks until the end of the present budget */
static uint64_t low;   /* falling priorities */
static uint64_t run;   /* hooks in slices since the last change; 0: the budget ends with one */

static void start(void)
{
    state = rt.header->seed;
    n_points = rt.header->depth > POINTS ? POINTS : rt.header->depth;
    n_points -= n_points > 0;
    for (unsigned i = 0; i < n_points; i++) {
        uint64_t at = 1 + hd_rt_random_next(&state) % rt.header->steps;
        unsigned j = i;
        for (; j > 0 && points[j - 1] > at; j--)
            points[j] = points[j - 1];
        points[j] = at;
    }
    low = UINT64_C(1) << 32;
}

static void created(struct hd_thread *t)
{
    t->prio = (UINT64_C(1) << 32) + (hd_rt_random_next(&state) >> 1);
}

static struct hd_thread *pick(void)
{
    struct hd_thread *best = NULL;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        struct hd_thread *t = rt.threads[i];
        if (t->state == HD_READY && (!best || t->prio > best->prio))
            best = t;
    }
    return best;
}

/* Budgets that end early, because a thread blocked, count in full: the moments of change then come
 * a little sooner, which is as random as before. */
static uint64_t budget(void)
{
    while (next_point < n_points && points[next_point] <= steps)
        next_point++;
    uint64_t n = next_point < n_points ? points[next_point] - steps : FAIR;
    if (n < FAIR) {
        run = 0;
    } else {
        n = SLICE;
        run += n;
    }
    steps += n;
    return n;
}

static bool asked(struct hd_thread *running, bool passes)
{
    if (!passes && (rt.budget || (run && run < FAIR)))
        return false;
    if (run >= FAIR)
        running->poll.owes = true;
    run = 0;
    running->prio = --low;
    return true;
}

const struct hd_policy hd_rt_policy_pct = {start, created, pick, budget, asked, NULL};
