/* Runs a plan: puts its events into one order, as near to the observed one as the edges allow, and
 * finds the first event that can not run there.
 *
 * This is prediction's own reading of docs/MODEL.md section 2, made for speed: it starts anywhere
 * in the observed order (all before `base` taken as run), finds the state there from the indices,
 * and pays only for what it touches. It shares no code with model/, which judges the outcome.
 *
 * One simulator belongs to one worker.
 */
#ifndef HD_PREDICT_SEARCH_SIM_H
#define HD_PREDICT_SEARCH_SIM_H

#include "model/matching.h"
#include "predict/search/plan.h"

enum hd_sim_result {
    HD_SIM_DONE,    /* all events of the plan ran: the order is a witness without its last two */
    HD_SIM_CYCLE,   /* the edges and the must-orders leave no event to go on with */
    HD_SIM_LOCK,    /* `event` wants a lock that section `other` holds */
    HD_SIM_READ,    /* `event` must be fresh, but memory holds what write `other` (or none) left */
    HD_SIM_WAKE,    /* `event` leaves a wait, but no thread has notified it */
    HD_SIM_TMO,     /* `event` times out, but `other` has notified it */
    HD_SIM_SIG,     /* `event` must notify a thread, but only threads that time out later wait */
    HD_SIM_TRYFAIL, /* `event` must fail to lock, but the lock is free */
    HD_SIM_SEM,     /* `event` waits for a semaphore whose count is 0 */
    HD_SIM_BARRIER, /* `event` leaves a barrier whose round is not complete */
    HD_SIM_CUT,     /* the limit on steps is reached, or the user wants an end: nothing is known */
};

struct hd_sim;

/* matching may be NULL when the trace has no sig. Both must outlive the simulator. */
struct hd_sim *hd_sim_new(const struct hd_world *w, const struct hd_matching *matching);
void hd_sim_free(struct hd_sim *s);

struct hd_sim_failure {
    hd_eid event;
    uint32_t other; /* see above; HD_EID_NONE when there is none */
};

/* Runs the plan after the first `base` events of the trace, all of which must be in the plan. */
enum hd_sim_result hd_sim_run(struct hd_sim *s, const struct hd_plan *plan, hd_eid base,
                              struct hd_sim_failure *failure);

/* Of the last run: how many events of a thread have run, the order (without the base), and the
 * choice of notified waiters (without the base). */
uint32_t hd_sim_ran(const struct hd_sim *s, hd_tid u);
const struct hd_u32vec *hd_sim_order(const struct hd_sim *s);
const struct hd_vec *hd_sim_wakes(const struct hd_sim *s); /* struct hd_wake */

/* Events run since hd_sim_new: the deterministic measure of work. */
uint64_t hd_sim_steps(const struct hd_sim *s);
/* No run goes on when so many have run; UINT64_MAX, as at first: no limit. */
void hd_sim_limit(struct hd_sim *s, uint64_t steps);

#endif
