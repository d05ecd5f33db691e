/* Rounds of a thread that polls (trace/polls.h): events that may turn out to be left out are held
 * back. What is held has no number yet: where the number of the next event is needed,
 * hd_walk_polls_end comes first. Part of build/walk.h.
 */
#ifndef HD_BUILD_POLL_ROUNDS_H
#define HD_BUILD_POLL_ROUNDS_H

#include "base/err.h"
#include "log/rt_log.h"
#include "trace/polls.h"

/* Walks start again only where much is left out. */
#define HD_WALK_PATIENCE 32

struct hd_walk;

struct hd_walk_polls {
    struct hd_poll_rounds rounds;
    struct hd_walk_held {
        uint64_t site;
        uint32_t steps, detail, cell;
        enum hd_log_kind kind;
    } held[HD_POLLS_HELD];            /* beside rounds.hold */
    uint32_t cell;                    /* of the access at hand, or HD_CELL_NONE */
    uint32_t thread;                  /* whose events are held */
    size_t reads, known, first_known; /* of the thread, when what is held began; ended */
    bool named;                       /* a set may name reads that are held */
    bool dropped;                     /* a round was left out since the last record */
    struct hd_walk_polled {
        uint64_t at;     /* in the log, when the last round was left out */
        uint32_t steps;  /* of the thread, then */
        uint32_t bytes;  /* of the round that follows there, if the log may repeat it; or 0 */
        uint32_t events; /* the same */
    } last;
    bool needed; /* rounds were left out that the trace needs */
};

void hd_walk_polls_start(struct hd_walk *w); /* a walk starts */
/* *held: the event is held back. Else what was held was put before it. */
enum hd_status hd_walk_polls_hold(struct hd_walk *w, const struct hd_event *ev, bool *held);
enum hd_status hd_walk_polls_end(struct hd_walk *w); /* nothing is held any more */
/* An event writes. known: by the current thread, this value. */
void hd_walk_polls_wrote(struct hd_walk *w, const struct hd_event *ev, bool known);
/* Behind a record that left out a round: passes over those that the log repeats. How many records.
 */
uint32_t hd_walk_polls_skip(struct hd_walk *w);
void hd_walk_polls_named(struct hd_walk *w, const struct hd_u32vec *reads); /* by a set */

#endif
