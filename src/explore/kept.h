/* Findings that last: the execution recorded, and a witness over it that heddle replay takes.
 *
 * The program runs once more along the choices of the finding, this time with a log. A race becomes
 * a witness of a race; everything else, a deadlock too, one of a failure: the program, run along
 * the schedule, ends that way. A deadlock has no events that could stand in a cycle: no thread got
 * the lock.
 */
#ifndef HD_EXPLORE_KEPT_H
#define HD_EXPLORE_KEPT_H

#include "explore/explore.h"
#include "model/witness.h"
#include "trace/trace.h"

/* path: absolute; the recording goes there. The witness has passed the checker. HD_ERR_LIMIT: the
 * recorded execution is not the one of the finding, and why. *trace is NULL then, or the caller's;
 * hd_witness_fini in any case. */
enum hd_status hd_kept_save(const struct hd_explore_finding *f, const char *path,
                            struct hd_trace **trace, struct hd_witness *w, struct hd_err *err);

/* The trace of a recording. */
enum hd_status hd_kept_load(const char *path, struct hd_trace **trace, struct hd_err *err);

#endif
