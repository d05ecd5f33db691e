/* Other schedules for a pair, whichever is first in the trace.
 *
 * Late: a runs as late as it can. First everything runs, in the order of the trace, that can
 * without a: each thread stops at its first event that is a, cannot run, or would read another
 * value. Then a runs, and in the same way the rest, until b can run. What ran before a does not
 * happen after it, so a lock that the thread of b has taken by then hands nothing on.
 *
 * Lean: as little as possible runs. The thread of a runs to a, then that of b to b, and where it
 * cannot go on, the others run one event after the other in the order of the trace, until it can.
 * Reads may return other values than they did, where nothing needs them, and in the thread of b
 * where nothing up to b does: so what the thread of a does after a hands on only what b needs.
 *
 * Spare: lean, and the thread of a goes on after a only where no other can. */
#ifndef HD_PREDICT_ORDERS_ORDER_LATE_H
#define HD_PREDICT_ORDERS_ORDER_LATE_H

#include "model/state.h"
#include "model/witness.h"
#include "predict/index/world.h"

/* s is the initial state, and is again afterwards. m is the matching of the trace. False: b does
 * not come to run; else the caller ends the witness, which is not judged yet. *walked grows by what
 * lean looked at. */
bool hd_order_late(struct hd_state *s, const struct hd_matching *m, hd_eid a, hd_eid b,
                   struct hd_witness *w);
bool hd_order_late_lean(struct hd_state *s, const struct hd_matching *m,
                        const struct hd_world *world, hd_eid a, hd_eid b, bool spare,
                        struct hd_witness *w, uint64_t *walked);

#endif
