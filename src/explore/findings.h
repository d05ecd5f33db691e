/* What an execution shows to be wrong, each different thing reported once.
 *
 * Races are told by their two places; deadlocks by the places where the threads wait; crashes by
 * signal and place, failed assertions by their text. A finding comes with choices that lead there:
 * only steps that have to come before it, or that stood before it in the execution.
 */
#ifndef HD_EXPLORE_FINDINGS_H
#define HD_EXPLORE_FINDINGS_H

#include "explore/explore.h"
#include "explore/order.h"

struct hd_findings {
    void (*found)(void *ctx, const struct hd_explore_finding *f); /* or NULL */
    void *ctx;
    struct hd_map seen;
    struct hd_vec keys; /* uint64_t: those in `seen` */
    uint64_t n;
    struct hd_exec *exec;  /* for the receiver */
    struct hd_vec choices; /* scratch */
};

void hd_findings_init(struct hd_findings *f,
                      void (*found)(void *ctx, const struct hd_explore_finding *f), void *ctx);
void hd_findings_fini(struct hd_findings *f);

/* Something with this key was reported in an earlier part of the search. */
void hd_findings_know(struct hd_findings *f, uint64_t key);

/* Looks at the execution that was ordered last, and at the races that were listed. */
void hd_findings_see(struct hd_findings *f, const struct hd_order *order);
/* How an execution ended that was not ordered, because it is too long. */
void hd_findings_see_end(struct hd_findings *f, const struct hd_exec_run *run);

#endif
