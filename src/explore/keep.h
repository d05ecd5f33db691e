/* Numbers the recordings of what a search has found, and hands them on. */
#ifndef HD_EXPLORE_KEEP_H
#define HD_EXPLORE_KEEP_H

#include "explore/explore.h"
#include "explore/found.h"

struct hd_keeper {
    const char *dir; /* absolute; recordings are DIR/trace-N.hdt */
    uint64_t next;   /* N */
    struct hd_explored_taker taker;
};

/* f->exec must not be running. One that cannot be had again is reported as lost and is no failure.
 */
enum hd_status hd_keep(struct hd_keeper *k, const struct hd_explore_finding *f, bool *led,
                       struct hd_err *err);
/* An execution that is only worth predicting on. */
enum hd_status hd_keep_run(struct hd_keeper *k, struct hd_exec *exec, const struct hd_exec_run *run,
                           bool *led, struct hd_err *err);

#endif
