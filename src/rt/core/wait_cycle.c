/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/wait_cycle.h"

#include "rt/core/rt.h"
#include "rt/libc/sync.h"

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

bool hd_rt_wait_cycle(void)
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
