/* A race whose accesses a replay made in turn (schedule.h): does neither happen before the other?
 */
#include "detect/memory_order.h"
#include "build/build.h"
#include "replay/replay_int.h"
#include "model/property.h"

#include <string.h>

/* The events of a step, [*from, *to) of the thread's list. */
static const hd_eid *events_of(const struct hd_trace *t, const struct hd_origins *o,
                               const char *thread, uint32_t step, size_t *from, size_t *to)
{
    hd_tid u;
    size_t n = 0;
    const hd_eid *events = NULL;
    if (hd_names_find(&t->threads, thread, strlen(thread), &u))
        events = hd_trace_thread_events(t, u, &n);
    *from = 0;
    while (*from < n && o->step[events[*from]] != step)
        (*from)++;
    for (*to = *from; *to < n && o->step[events[*to]] == step;)
        (*to)++;
    return events;
}

static bool find(const struct hd_trace *t, const struct hd_origins *o, const struct hd_schedule *s)
{
    size_t from[2], to[2];
    const hd_eid *events[2];
    for (unsigned i = 0; i < 2; i++)
        events[i] = events_of(t, o, s->at[i].thread, s->at[i].step, &from[i], &to[i]);
    for (size_t i = from[0]; i < to[0]; i++)
        for (size_t k = from[1]; k < to[1]; k++) {
            hd_eid a = events[0][i], b = events[1][k];
            if (hd_op_is_access(t->op[a]) && hd_op_is_access(t->op[b]) &&
                hd_property_conflict(t, a, b))
                return hd_memory_order_unordered(t, a < b ? a : b, a < b ? b : a);
        }
    return false;
}

bool hd_replay_unordered(const char *data, size_t len, const struct hd_schedule *s)
{
    struct hd_trace *t = NULL;
    struct hd_build_info info;
    struct hd_origins o = {0};
    struct hd_err ignored = {0};
    /* The two accesses have to be events. */
    const struct hd_build_watch watch = {.keep_handed = true};
    bool yes = hd_build_trace("replay", data, len, &watch, &t, &info, &ignored) == HD_OK &&
               hd_origins_load(t, &o, &ignored) == HD_OK && find(t, &o, s);
    hd_origins_fini(&o);
    hd_trace_free(t);
    hd_build_info_fini(&info);
    return yes;
}
