/* Atomicity violations and deadlocks of a small trace, by definition: like enumerate.h, over every
 * reachable state of docs/MODEL.md. What prediction finds is compared with this.
 */
#ifndef HD_MODEL_ENUMERATE_PROPERTY_H
#define HD_MODEL_ENUMERATE_PROPERTY_H

#include "base/err.h"
#include "base/vec.h"
#include "trace/trace.h"

struct hd_triple {
    hd_eid c, r, d; /* d is c' */
};

/* found[i]: some schedule runs c, later r, later c' of triple i. max_states 0: the default of
 * enumerate.h. HD_ERR_LIMIT when there are more states. */
enum hd_status hd_enumerate_property_triples(const struct hd_trace *t,
                                             const struct hd_triple *triples, size_t n,
                                             size_t max_states, bool *found, struct hd_err *err);

/* A cycle of threads, each at an event that takes a lock which the next thread holds. It begins
 * with its smallest event. */
struct hd_cycle {
    hd_eid *events;
    size_t n;
};

/* Appends to `cycles` (struct hd_cycle) all that some reachable state shows, in ascending order,
 * each once. End them with hd_enumerate_property_cycles_fini. */
enum hd_status hd_enumerate_property_deadlocks(const struct hd_trace *t, size_t max_states,
                                               struct hd_vec *cycles, struct hd_err *err);
void hd_enumerate_property_cycles_fini(struct hd_vec *cycles);

/* The order of cycles: by their events, one after the other. */
int hd_cycle_compare(const struct hd_cycle *x, const struct hd_cycle *y);

#endif
