/* Parallel loops for work that splits into independent items.
 *
 * Items are handed out one at a time, in ascending order, from a shared counter: a worker that is
 * done takes the next, so uneven items balance by themselves. Worker 0 is the calling thread. Which
 * worker gets which item is not deterministic: a caller that must give deterministic output stores
 * its result by item, and uses the worker number only to pick scratch memory. All that the items
 * did is visible to the caller when the call returns.
 */
#ifndef HD_BASE_POOL_H
#define HD_BASE_POOL_H

#include <stddef.h>

/* One item. worker < the n_threads of the call; no two items run under one worker at a time. */
typedef void (*hd_parallel_fn)(void *ctx, size_t item, unsigned worker);

/* Runs fn for every item in [0, n_items) and returns when all are done. n_threads <= 1 runs them in
 * the calling thread, in order. Fewer threads are used when there are fewer items, or when the
 * system refuses to start more. Workers block all signals, so handlers run in the caller's threads.
 */
void hd_pool_for(size_t n_items, unsigned n_threads, hd_parallel_fn fn, void *ctx);

/* Processors this process may use, at least 1: the default for n_threads. */
unsigned hd_pool_cpus(void);

#endif
