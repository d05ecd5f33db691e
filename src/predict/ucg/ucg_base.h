/* What the universal causality graphs of all properties of a trace share: the orders that hold in
 * every schedule, the synchronisation events of each thread, and where a thread holds nothing.
 *
 * The orders come from must.h (in `max`) or from detect/filters/mhb.h (the detector `ucg`, which
 * knows nothing of data). With `recorded` matching a wake has just the notifier of the observed
 * run, as published; otherwise any that can have come at the right time. Immutable after new; safe
 * to share between threads.
 */
#ifndef HD_PREDICT_UCG_UCG_BASE_H
#define HD_PREDICT_UCG_UCG_BASE_H

#include "detect/filters/mhb.h"
#include "predict/index/accesses.h"
#include "predict/index/must.h"
#include "predict/index/held_sections.h"

struct hd_ucg_base {
    const struct hd_trace *t;
    const struct hd_sections *sections;
    const struct hd_accesses *conds;
    const struct hd_must *must; /* the orders, or NULL: then those of mhb */
    struct hd_mhb *mhb;
    struct hd_mhb *observed; /* with each wake after the notifier that the run gave it; NULL when
                              * the trace has no waits: then the orders themselves will do */
    hd_eid *notifier;        /* by event, of a wake in the run; NULL unless `recorded` */
    size_t n_threads;
    uint32_t *sync_start; /* by thread, and the end */
    uint32_t *sync;       /* positions of lock operations that open or close a section, of waits and
                           * notifications */
    uint32_t *safe; /* by index into sync, and one more for each thread: see hd_ucg_base_safe */
    size_t n_sync;
    struct hd_u32vec stretches; /* positions where one begins, see ucg_labels.h */
    uint32_t *stretch_start;    /* by thread, and the end */
    uint8_t *few_waiters;       /* by condition: a notification has at most one thread to choose */
};

/* must may be NULL. All arguments must outlive the result. */
struct hd_ucg_base *hd_ucg_base_new(const struct hd_trace *t, const struct hd_sections *sections,
                                    const struct hd_accesses *conds, const struct hd_must *must,
                                    enum hd_mhb_matching matching);
void hd_ucg_base_free(struct hd_ucg_base *b); /* NULL is fine */

/* What must have run before e: one entry for each thread; that of its own is meaningless. */
static inline const uint32_t *hd_ucg_base_clock(const struct hd_ucg_base *b, hd_eid e)
{
    if (b->must)
        return hd_must_clock(b->must, e);
    return hd_timeline_clock(hd_mhb_timeline(b->mhb), b->t->thread[e], b->t->pos[e])->v;
}

static inline hd_eid hd_ucg_base_event(const struct hd_ucg_base *b, hd_tid u, uint32_t pos)
{
    const struct hd_index *index = &b->t->by_obj[HD_OBJ_THREAD];
    return index->list[index->start[u] + pos];
}

/* Index into sync of the thread's first synchronisation event at position >= pos, or the end. */
uint32_t hd_ucg_base_sync_from(const struct hd_ucg_base *b, hd_tid u, uint32_t pos);

/* The last number of events, at most `count`, after which the thread holds no lock and is in no
 * wait. */
uint32_t hd_ucg_base_safe(const struct hd_ucg_base *b, hd_tid u, uint32_t count);

#endif
