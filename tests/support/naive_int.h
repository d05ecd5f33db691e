/* What naive_published.c and naive_order.c need of naive.c: the single questions about the events
 * that have run. */
#ifndef TESTS_NAIVE_INT_H
#define TESTS_NAIVE_INT_H

#include "naive.h"

bool nv_reads(enum hd_op op);
bool nv_writes(enum hd_op op);
bool nv_access(enum hd_op op);
bool nv_conflict(const struct nv_event *a, const struct nv_event *b);
uint64_t nv_initial(const struct nv_trace *t, int x);

/* Runs memory along r. Returns the stale reads; *held is what memory has at x in the end. */
uint32_t nv_memory(const struct nv_trace *t, const struct nv_run *r, int x, uint64_t *held);

bool nv_waiting(const struct nv_trace *t, const struct nv_run *r, int u, int c);
int nv_last(const struct nv_trace *t, const struct nv_run *r, int u); /* event, or -1 */

bool nv_enabled(const struct nv_trace *t, const struct nv_run *r, int i);

/* May event i run after r when exactly these reads are stale? */
bool nv_possible(const struct nv_trace *t, const struct nv_run *r, int i, uint32_t stale);

#endif
