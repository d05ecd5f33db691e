/* Complete reorderings of a window, state by state.
 *
 * A state is how far each thread has come, what memory holds where it still matters, who waits and
 * has been notified, and who stands in a round of a barrier that is not complete; all else (locks,
 * counts) follows from how far the threads have come. The search runs one event after another in
 * the order of the trace where it can, goes back where nothing can run, and never looks at a state
 * twice. Events that can only help, whatever comes later, run at once. Few threads have few states:
 * this decides what repairs (closure.h) do not, because it forgets how it came to a state.
 *
 * It respects the orders of a saturation (saturate.h), so they are never tried in vain; and it is
 * a reading of docs/MODEL.md section 2 for orders of all events of a window, in which a written
 * value depends on all earlier reads of its thread. Belongs to one thread.
 */
#ifndef HD_PREDICT_SEARCH_FRONTIER_H
#define HD_PREDICT_SEARCH_FRONTIER_H

#include "model/matching.h"
#include "predict/search/closure.h"
#include "predict/search/meetings.h"
#include "predict/search/saturate.h"

struct hd_frontier;

/* All must outlive it. matching: of the trace, for what comes before a window. */
struct hd_frontier *hd_frontier_new(const struct hd_world *w, const struct hd_matching *matching);
void hd_frontier_free(struct hd_frontier *f); /* NULL is fine */

struct hd_frontier_question {
    const struct hd_saturation *known; /* orders, and reads that must be fresh */
    hd_eid from, to;                   /* its window */
    /* Who notifies whom is as recorded: by event, of a wait what notified it, or HD_EID_NONE; of a
     * sig or bcast how many it notified. NULL: any waiter may be notified. */
    const hd_eid *notifier;
    const uint32_t *notified;
    uint64_t states; /* as many are looked at */
    double deadline; /* 0: none */
};

/* Two accesses, of different threads and of one location. */
struct hd_frontier_pair {
    hd_eid a, b;
    bool found;
};

/* HD_RACE: there is an order, see hd_frontier_order. HD_IMPOSSIBLE: there is none. */
enum hd_verdict hd_frontier_decide(struct hd_frontier *f, const struct hd_frontier_question *q);
/* Looks at all states, and finds where threads can stand at once, each before an access of a
 * location that both use, in states from which all can run to the end. False: there are too many
 * states, and nothing is known. */
bool hd_frontier_find_meetings(struct hd_frontier *f, const struct hd_frontier_question *q,
                               struct hd_meetings *meetings);
/* rv: finds the pairs of a list, sorted by events, a below b, that are next to each other in an
 * order in which the reads that guard them are fresh. branch: by event, what rv takes as a branch.
 * The question has notifiers, and no reads that must be fresh. False: there are too many states;
 * what is not found may be there. */
bool hd_frontier_find_pairs(struct hd_frontier *f, const struct hd_frontier_question *q,
                            const uint8_t *branch, struct hd_frontier_pair *list, size_t n);
/* The order, without what comes before the window; valid until the next question. */
const struct hd_u32vec *hd_frontier_order(const struct hd_frontier *f);

#endif
