/* Another schedule for a pair, whichever is first in the trace: a runs as late as it can.
 *
 * First everything runs, in the order of the trace, that can without a: each thread stops at its
 * first event that is a, cannot run, or would read another value. Then a runs, and in the same way
 * the rest, until b can run. What ran before a does not happen after it, so a lock that the thread
 * of b has taken by then hands nothing on. */
#ifndef HD_PREDICT_ORDERS_ORDER_LATE_H
#define HD_PREDICT_ORDERS_ORDER_LATE_H

#include "model/state.h"
#include "model/witness.h"

/* s is the initial state, and is again afterwards. m is the matching of the trace. False: b does
 * not come to run; else the caller ends the witness, which nobody has judged. */
bool hd_order_late(struct hd_state *s, const struct hd_matching *m, hd_eid a, hd_eid b,
                   struct hd_witness *w);

#endif
