/* Which locks can be part of a deadlock, by the order in which threads take them.
 *
 * There is an edge from the lock that a thread took last, of those it holds, to the lock that it
 * takes now. From every lock that it holds a path leads to the one it takes: those it took earlier
 * were held when it took the last one, and so on. In a deadlock each thread takes a lock that the
 * next one holds, so that all these locks lie on one cycle of the graph. Linear in the number of
 * lock operations, where the edges from all held locks would be quadratic.
 */
#ifndef HD_PREDICT_RUN_LOCK_GRAPH_H
#define HD_PREDICT_RUN_LOCK_GRAPH_H

#include "predict/index/world.h"

/* By lock of the trace: 1 when it lies on a cycle. To be freed with hd_free by the number of locks
 * of the trace. */
uint8_t *hd_lock_graph_cyclic(const struct hd_world *w);
/* Does any? Requires the sections of w only. */
bool hd_lock_graph_any(const struct hd_world *w);

#endif
