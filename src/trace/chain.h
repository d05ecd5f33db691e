/* The same trace with fewer threads: one that is created after another was joined goes on in its
 * place. docs/algorithms/building.md, "Chains of threads", has the argument.
 *
 * Every schedule of t is one of the new trace, and the other way round: creation and end of a
 * thread in the middle of a chain are posts, and what waits for them takes from a semaphore. All
 * events of t are in the new trace, in their order; `from` has the old one of each. Initial values,
 * places and objects have the numbers they have in t. Bytes under keys are not taken over.
 */
#ifndef HD_TRACE_CHAIN_H
#define HD_TRACE_CHAIN_H

#include "base/err.h"
#include "base/vec.h"
#include "trace/trace.h"

struct hd_chains {
    struct hd_trace *t; /* NULL: not worth it */
    struct hd_u32vec
        from; /* by event of it: the one of the old trace, HD_EID_NONE for added ones */
};

/* Only if the number of threads is at least `least` and falls to its half (least 0: if it falls at
 * all). The trace has to be consistent. The caller ends *out in any case. */
enum hd_status hd_chains_make(const struct hd_trace *t, size_t least, struct hd_chains *out,
                              struct hd_err *err);
void hd_chains_fini(struct hd_chains *c);

#endif
