/* Protocols: exclusion that follows from all states which a few locations and locks can be in.
 *
 * Queue locks with recycled nodes, reader-writer locks of counters under a mutex, barriers that
 * turn a sense, slots with a "full" flag, free lists by index: what keeps two accesses apart there
 * is no single value of a single location. But the locations of such a protocol take few values,
 * and a thread goes through few steps again and again. So the threads are made small automata over
 * the protocol's locations and locks, and all states that these can reach together are looked at.
 * Where no state has one thread at a and another at b, the two are never enabled together.
 *
 * The automata allow more than the threads do, so what they can not reach no schedule can
 * (docs/algorithms/prediction.md has the argument). Protocols with too many states are dropped.
 *
 * Immutable after new; safe to share between threads.
 */
#ifndef HD_PREDICT_INDEX_PROTOCOL_H
#define HD_PREDICT_INDEX_PROTOCOL_H

#include "predict/index/world.h"

struct hd_protocols;

enum { HD_PROTOCOLS_MOST = 8 };

/* Where a thread stands in each protocol when an event is its next one. */
struct hd_stand {
    uint32_t node[HD_PROTOCOLS_MOST];
};

/* How many states all protocols of a trace may have together, which take about a second, and how
 * many one of them may have. */
enum { HD_PROTOCOLS_STATES = 2000000, HD_PROTOCOL_STATES = HD_PROTOCOLS_STATES / 4 };

/* states, most: the same limits here. Ends early, with what it has, when the scope around stops
 * (base/stop.h). */
struct hd_protocols *hd_protocols_new(const struct hd_world *w, size_t states, size_t most);
void hd_protocols_free(struct hd_protocols *p); /* NULL is fine */

/* Whether a protocol was dropped that has too many states for the limits of new. */
bool hd_protocols_cut(const struct hd_protocols *p);

void hd_protocols_stand(const struct hd_protocols *p, hd_eid e, struct hd_stand *stand);

/* True when two events that stand so, of different threads, are never enabled together. */
bool hd_protocols_apart(const struct hd_protocols *p, const struct hd_stand *a,
                        const struct hd_stand *b);

#endif
