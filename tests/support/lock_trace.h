/* Small random traces in which threads nest locks in any order: rich in lock-order cycles, which
 * the generator of trace/gen/gen.h hardly makes. Consistent by construction. */
#ifndef HD_TEST_LOCK_TRACE_H
#define HD_TEST_LOCK_TRACE_H

#include "trace/trace.h"

struct hd_lock_trace {
    uint64_t seed;
    uint32_t events;  /* about */
    uint32_t threads; /* up to 8 */
    uint32_t locks;   /* up to 8 */
    bool data;        /* reads and writes, branches that depend on them; else accesses that matter
                       * to nobody */
    bool rwlocks;
    bool forks; /* the first thread makes the others, and may wait for them */
};

/* The caller frees the trace. NULL, with a message on stderr, when it can not be made. */
struct hd_trace *hd_lock_trace(const struct hd_lock_trace *config);

#endif
