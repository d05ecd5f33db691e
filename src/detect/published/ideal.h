/* Sync-preserving ideals (Mathur, Pavlogiannis, Viswanathan 2021).
 *
 * A set of events, given as how many first events of each thread it holds, is an ideal if with each
 * event it holds what the recorded orders (edges.h) and the write it reads from demand, and if of
 * any two sections of a lock that exclude each other and whose acquires it holds, it holds the
 * release of the earlier one. Running an ideal in trace order is a schedule in which every read
 * returns its traced value and every lock's sections keep their order.
 *
 * The base collects, along one walk of the trace, what all ideals of the trace share. An ideal only
 * grows: hd_ideal_add adds an event's demands and closes it again. Costs: an ideal meets each
 * acquire at most once, and never more than one for each lock and thread at a single growth.
 */
#ifndef HD_DETECT_PUBLISHED_IDEAL_H
#define HD_DETECT_PUBLISHED_IDEAL_H

#include "detect/clock.h"
#include "detect/edges.h"
#include "detect/published/sections.h"

struct hd_ideal_lock;   /* sections of a lock by thread and side */
struct hd_ideal_thread; /* acquires of a thread */

struct hd_ideal_base {
    const struct hd_trace *t;
    struct hd_timeline line; /* what the events before an event demand */
    struct hd_outer_sections sections;
    struct hd_vec release; /* by section: struct hd_clock * in force at its release; not counted */
    struct hd_ideal_lock *lock;
    struct hd_ideal_thread *thread;
    uint8_t *contended;     /* by location */
    struct hd_stamp *write; /* by location that communicates: the last write */
    struct hd_edges edges;
    struct hd_relay relay;
    uint32_t
        *segment; /* by thread: grows whenever its next event may demand more than the last did */
};

void hd_ideal_base_init(struct hd_ideal_base *b, const struct hd_trace *t);
void hd_ideal_base_fini(struct hd_ideal_base *b);

/* Passing an event has two halves. Between them the clock of the event's thread is what the event
 * needs to be enabled; the second adds what the event itself demands of those that follow. */
void hd_ideal_base_before(struct hd_ideal_base *b, hd_eid e);
void hd_ideal_base_after(struct hd_ideal_base *b, hd_eid e);

/* The latest sections of a lock that an ideal holds. */
struct hd_ideal_last {
    uint32_t lock;        /* lock + 1; 0: an empty slot */
    uint32_t write, read; /* section + 1, or 0 */
};

struct hd_ideal {
    uint32_t *have;             /* by thread: first events held */
    uint32_t *closed;           /* by thread: the acquires among so many first events are settled */
    struct hd_ideal_last *last; /* by hash of the lock, open addressing */
    size_t n_last, cap_last;
    bool grew;
};

void hd_ideal_init(struct hd_ideal *i, const struct hd_ideal_base *b);
void hd_ideal_fini(struct hd_ideal *i, const struct hd_ideal_base *b);
void hd_ideal_copy(struct hd_ideal *to, const struct hd_ideal *from, const struct hd_ideal_base *b);

/* Adds the first `tick` events of thread u, whose demands are in clock c, and closes the ideal. */
void hd_ideal_add(struct hd_ideal *i, const struct hd_ideal_base *b, hd_tid u, uint32_t tick,
                  const struct hd_clock *c);

#endif
