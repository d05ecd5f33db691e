/* Universal causality graphs: what must come before what in any schedule that has a property, from
 * locks, waits and the property itself (after Kahlon and Wang, docs/algorithms/causality-graphs.md
 * states what differs).
 *
 * Seeds: the orders of the base, which hold in every schedule; the stops of the goal, before which
 * their threads have run all and after which nothing; `first` before `then`. Induced, to a fixpoint
 * and through chains over any threads:
 *   - a section that can not have ended before another one of its lock began (it is held at a
 *     stop, or some event of the other comes before its end) begins after the other's end;
 *   - a wake comes after what all notifiers that are still possible come after, its wait before
 *     the last of them if they are all of one thread; a time-out has no notifier in its wait.
 * A cycle, a needed event beyond a stop, or a wake without a notifier means: no schedule has the
 * property. The answer "possible" is a proof as well when only two threads matter and their data
 * does not; for more it is not.
 *
 * Chopping: a barrier is a number of events for each thread, such that no thread holds a lock or
 * waits there, nothing before it needs anything after it, and no wait after it can have a notifier
 * before it. Nothing before a barrier can contradict the property, so the graph has the events
 * after the last barrier only.
 *
 * A graph is closed for up to 64 goals at once (predict/ucg/ucg_int.h); one goal is a batch of one.
 * The same memory serves one batch after another; it belongs to one worker.
 */
#ifndef HD_PREDICT_UCG_UCG_H
#define HD_PREDICT_UCG_UCG_H

#include "predict/search/goal.h"
#include "predict/ucg/ucg_base.h"

struct hd_ucg;

/* chop: false takes every event into the graph and forgets every answer; for tests and
 * measurements. Otherwise goals with the same label (predict/ucg/ucg_labels.h) share one answer. */
struct hd_ucg *hd_ucg_new(const struct hd_ucg_base *base, bool chop);
void hd_ucg_free(struct hd_ucg *g); /* NULL is fine */

/* A graph of several goals takes at most about 16 bytes times this for the edges that hold for some
 * of them only; one that would take more is made in parts. For tests; the default is 16 MB. */
void hd_ucg_limit(struct hd_ucg *g, size_t levels);

/* From hd_progress_now() == deadline on, or when the user has pressed Ctrl-C, graphs are left as
 * they are, and what nothing contradicts by then is called possible. 0: never. */
void hd_ucg_deadline(struct hd_ucg *g, double deadline);

/* Whether some schedule may reach each of the goals, at most HD_UCG_ASK; false: none does. Those
 * that lie near each other share one graph, whose edges carry the goals they hold for; no answer
 * depends on the others. Goals that follow each other should lie near each other. */
enum { HD_UCG_ASK = 64 };
void hd_ucg_ask(struct hd_ucg *g, const struct hd_goal *goals, size_t n, bool *possible);

/* The same for one. */
bool hd_ucg_possible(struct hd_ucg *g, const struct hd_goal *goal);

/* What the graph of the goal knows beyond the orders of the base, in every schedule that reaches
 * the goal: struct hd_ucg_order. False: no schedule does. */
struct hd_ucg_order {
    hd_eid from, to; /* from comes before to, and both run; or HD_EID_NONE: from runs */
};
bool hd_ucg_orders(struct hd_ucg *g, const struct hd_goal *goal, struct hd_vec *orders);

/* Goals whose answer was that of an earlier one with the same label. */
uint64_t hd_ucg_shared(const struct hd_ucg *g);

/* Graphs that were closed. */
uint64_t hd_ucg_graphs(const struct hd_ucg *g);

/* Since hd_ucg_new: synchronisation events taken into graphs, the measure of work. */
uint64_t hd_ucg_nodes(const struct hd_ucg *g);

#endif
