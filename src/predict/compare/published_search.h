/* The quick step of the published models: most pairs are decided by plan, simulation and repair, as
 * in the closure step of max, and need no solver.
 *
 * A complete reordering is a plan that runs all events of the window. For both models each of the
 * two accesses lies between the neighbours, in its thread, of the other: four orders. said asks no
 * more than that and that all reads are fresh, so a completed simulation is an answer, and so is a
 * contradiction. rv asks that the two are next to each other, that some reads are fresh and that
 * all are notified as recorded. A contradiction is an answer there, too, and so is a completed
 * simulation that notifies so: what lies between the two can be put after both.
 *
 * A window is a stretch of the trace: what comes before has run as observed, what comes after does
 * not run.
 */
#ifndef HD_PREDICT_COMPARE_PUBLISHED_SEARCH_H
#define HD_PREDICT_COMPARE_PUBLISHED_SEARCH_H

#include "model/matching.h"
#include "predict/search/closure.h"
#include "predict/search/frontier.h"

struct hd_published_search;

/* w: of the trace whose dependences are those of the model. All must outlive the search. */
struct hd_published_search *hd_published_search_new(const struct hd_world *w,
                                                    const struct hd_matching *matching);
void hd_published_search_free(struct hd_published_search *s);

struct hd_published_pair {
    hd_eid a, b;
    hd_eid from, to;             /* the window: events [from, to), with a and b in it */
    const uint32_t *fresh_below; /* by thread: every read before this position must be fresh */
    /* rv: who notifies whom is as recorded: by event, of a wait what notified it, or HD_EID_NONE;
     * of a sig or bcast how many it notified. NULL: said. */
    const hd_eid *notifier;
    const uint32_t *notified;
    double deadline; /* 0: none */
    bool again;      /* it was left open once: more work is allowed */
};

/* HD_UNKNOWN: the solver has to be asked. */
enum hd_verdict hd_published_search_pair(struct hd_published_search *s,
                                         const struct hd_published_pair *pair);

/* The order of the last HD_RACE of a pair that was asked again, if all of the trace is in one
 * window and it was found by states; otherwise nothing. */
const struct hd_u32vec *hd_published_search_order(const struct hd_published_search *s);

/* said: who can meet in the pair's window. The caller frees it. What does not meet is no race.
 * NULL: there are too many states. */
struct hd_meetings *hd_published_search_meetings(struct hd_published_search *s,
                                                 const struct hd_published_pair *pair);

/* rv: finds the races in a list of pairs of the pair's window, see hd_frontier_find_pairs. False:
 * there are too many states; what is not found may be a race. */
bool hd_published_search_list(struct hd_published_search *s, const struct hd_published_pair *pair,
                              const uint8_t *branch, struct hd_frontier_pair *list, size_t n);

/* True: no schedule of docs/MODEL.md has both enabled, when all reads matter as they do in the
 * world: so no order of said has them next to each other. By closure, for what filters leave. */
bool hd_published_search_exclude(struct hd_published_search *s, hd_eid a, hd_eid b,
                                 double deadline);

#endif
