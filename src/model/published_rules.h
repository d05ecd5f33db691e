/* The published models `said` and `rv` by definition, for traces small enough to enumerate. Inside
 * model/ only: hd_enumerate offers them. docs/algorithms/published-models.md
 * states where each part comes from and where a choice had to be made.
 *
 * Both ask for *complete reorderings*: orders of all events of the trace that program order, fork
 * and join, and the semantics of every synchronisation object allow. What reads return does not
 * stop anything there.
 *
 * said: (a, b) when some complete reordering in which every read returns its traced value has, just
 * before the first of the two, both as the next events of forked threads, and runs the second
 * before the first's thread goes on. Other threads may run in between. Any waiter may be notified.
 *
 * rv: (a, b) when some complete reordering has the two next to each other, and each read that
 * guards them is *concretely feasible*: it returns its traced value, from a write before which all
 * reads of the writing thread are concretely feasible too. What guards an access e: in each thread,
 * all reads before the last branch that must happen before e (program order, fork, join, recorded
 * notification to wake). Branches depend on all earlier reads, whatever the trace's deps and val
 * say; an access with a non-empty addr counts as a branch, and under control all every event does.
 * A sig or bcast must wake exactly whom it woke in the trace.
 */
#ifndef HD_MODEL_PUBLISHED_RULES_H
#define HD_MODEL_PUBLISHED_RULES_H

#include "model/matching.h"
#include "model/space.h"

/* For hd_space_init: the steps of a complete reordering. */
extern const struct hd_space_rule hd_said_rule;
extern const struct hd_space_rule hd_rv_rule; /* ctx: struct hd_recorded */

/* Who woke whom in the observed order. */
struct hd_recorded {
    size_t n_events;
    hd_eid *notifier; /* by event: of a wait, the sig or bcast that removed its thread; else
                         HD_EID_NONE */
    uint32_t *woken;  /* by event: of a sig or bcast, how many it removed */
};

void hd_recorded_init(struct hd_recorded *r, const struct hd_trace *t); /* t is consistent */
void hd_recorded_fini(struct hd_recorded *r);

/* Judges pairs in a finished space: new, then ask, then free. */
struct hd_published_rules;
struct hd_published_rules *hd_published_rules_new(const struct hd_trace *t,
                                                  const struct hd_space *space,
                                                  const struct hd_recorded *recorded);
void hd_published_rules_free(struct hd_published_rules *p);

/* Is (a, b), both allowed in state id, a race that shows in this state? */
bool hd_published_rules_said(struct hd_published_rules *p, uint32_t id, hd_eid a, hd_eid b);
bool hd_published_rules_rv(struct hd_published_rules *p, uint32_t id, hd_eid a, hd_eid b);

#endif
