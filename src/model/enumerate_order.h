/* All unordered pairs of a small trace, by definition (docs/MODEL.md section 8): for every access
 * a, every way to go on from every reachable state in which a can run, with the marks of
 * model/after.h. For traces up to about 20 events.
 */
#ifndef HD_MODEL_ENUMERATE_ORDER_H
#define HD_MODEL_ENUMERATE_ORDER_H

#include "base/err.h"
#include "base/vec.h"
#include "model/witness.h"

struct hd_unordered {
    hd_eid a, b; /* a < b */
    bool alone;  /* stands alone in some schedule; else it follows from races */
    struct hd_witness
        witness; /* of the first way found, one in which it stands alone if any does */
};

/* Appends a struct hd_unordered for each pair, ascending by a, then b. Pairs that are also
 * simultaneous are among them. At the limit (0: HD_ENUM_MAX_STATES) HD_ERR_LIMIT and nothing. Given
 * only: HD_EID_NONE, or the pair that is asked for. */
enum hd_status hd_enumerate_order(const struct hd_trace *t, size_t max_states, struct hd_vec *pairs,
                                  struct hd_err *err);
void hd_enumerate_order_fini(struct hd_vec *pairs); /* with the witnesses */

#endif
