/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/wait_cycle.h"

#include "rt/core/rt.h"
#include "rt/libc/sync.h"

#include <time.h>

#define MS         UINT64_C(1000000)
#define LOOK_EVERY (100 * MS) /* a look costs the square of the threads at most */
#define PATIENCE   (2000 * MS)

/* For whom t waits and has to wait; NULL: what ends the wait is not one thread's doing. */
static const struct hd_thread *waited_for(const struct hd_thread *t)
{
    const struct hd_sync *l = t->wait_obj;
    if (t->state != HD_BLOCKED || t->deadline != HD_NEVER)
        return NULL;
    if (t->wait_kind == HD_WAITS_JOIN)
        return t->wait_obj;
    if (t->wait_kind != HD_WAITS_LOCK)
        return NULL;
    return l->owner ? l->owner : l->readers ? l->readers->thread : NULL;
}

static bool is_cycle(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *first = rt.threads[i], *t = first;
        for (uint32_t steps = 0; t && steps < rt.n_threads; steps++) {
            t = waited_for(t);
            if (t == first)
                return true;
        }
    }
    return false;
}

bool hd_rt_wait_cycle(void)
{
    static uint64_t looked, since;
    static const uint8_t *pos;
    uint64_t now = hd_rt_real_ns(CLOCK_MONOTONIC);
    if (pos != hd_rt_log.pos)
        since = looked = 0; /* a thread ran */
    pos = hd_rt_log.pos;
    if (looked && now - looked < LOOK_EVERY)
        return false;
    looked = now;
    if (!is_cycle())
        since = 0;
    else if (!since)
        since = now;
    return since && now - since >= PATIENCE;
}
