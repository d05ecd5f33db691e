/* Threads that did no work in any recording: workers of a pool for whom nothing was left. What they
 * would do beside others is in no trace, so nothing can be predicted about it.
 *
 * A thread did work if it wrote to memory that another thread touches, or read such memory while it
 * held no lock. One that did not counts as idle if another thread created at the same place did.
 */
#ifndef HD_SESSION_IDLE_H
#define HD_SESSION_IDLE_H

#include "base/vec.h"
#include "trace/trace.h"

struct hd_idle {
    struct hd_names names; /* of threads that were idle or did work */
    struct hd_vec worked;  /* bool, by name */
};

void hd_idle_init(struct hd_idle *idle);
void hd_idle_fini(struct hd_idle *idle);
void hd_idle_look(struct hd_idle *idle, const struct hd_trace *t);
/* The names of those that were idle in all recordings so far: "T1.2, T1.3 and 4 more"; false: there
 * are none. */
bool hd_idle_list(const struct hd_idle *idle, char *out, size_t size);

#endif
