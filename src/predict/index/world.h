/* Everything about a trace that all pairs share: the indices, the sections, the must-clocks, and
 * which read is needed fresh from which event on. Built once, immutable, shared by the workers.
 */
#ifndef HD_PREDICT_INDEX_WORLD_H
#define HD_PREDICT_INDEX_WORLD_H

#include "predict/index/accesses.h"
#include "predict/index/counters.h"
#include "predict/index/must.h"
#include "predict/index/held_sections.h"

struct hd_world {
    const struct hd_trace *t;
    struct hd_sections *sections;
    struct hd_accesses *locs, *conds, *sems, *barriers;
    struct hd_counters *counters;
    struct hd_must *must;
    uint32_t *needed_at; /* by event, for reads: the position in its thread of the first event that
                          * can run only if this read is fresh; UINT32_MAX when there is none */
    const uint32_t *functions; /* by event, see hd_predict_options; NULL: not known */
    const uint32_t *spots;     /* the same; NULL: the places of the trace */
    size_t n_threads;
};

struct hd_world *hd_world_new(const struct hd_trace *t);
/* With the sections of locks and nothing else: enough to see whether locks can deadlock. */
struct hd_world *hd_world_new_locks(const struct hd_trace *t);
void hd_world_free(struct hd_world *w);

static inline bool hd_world_before(const struct hd_world *w, hd_eid a, hd_eid b)
{
    return hd_must_before(w->must, w->t, a, b);
}

/* The event at a position of a thread. Requires that it exists. */
static inline hd_eid hd_world_event(const struct hd_world *w, hd_tid u, uint32_t pos)
{
    const struct hd_index *index = &w->t->by_obj[HD_OBJ_THREAD];
    HD_DCHECK(pos < index->start[u + 1] - index->start[u]);
    return index->list[index->start[u] + pos];
}

/* Number of events of a thread before `base` in the trace. */
uint32_t hd_world_events_before(const struct hd_world *w, hd_tid u, hd_eid base);

static inline uint32_t hd_world_thread_len(const struct hd_world *w, hd_tid u)
{
    const struct hd_index *index = &w->t->by_obj[HD_OBJ_THREAD];
    return index->start[u + 1] - index->start[u];
}

#endif
