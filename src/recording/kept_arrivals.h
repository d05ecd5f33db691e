/* What came from outside in a recorded run (abi/rt_arrivals.h): from the log to the META of its
 * trace, and from there to the file that a replay plays. */
#ifndef HD_RECORDING_KEPT_ARRIVALS_H
#define HD_RECORDING_KEPT_ARRIVALS_H

#include "base/err.h"
#include "base/bytes.h"
#include "recording/rawlog.h"
#include "trace/trace.h"

struct hd_kept_arrivals {
    struct hd_bytes items;
    size_t last; /* where the last item begins */
};

void hd_kept_arrivals_fini(struct hd_kept_arrivals *k);
/* One more record HD_LOG_ARRIVAL of the thread with this name ("T1.2"). */
void hd_kept_arrivals_add(struct hd_kept_arrivals *k, const char *thread, const struct hd_raw *rec);
void hd_kept_arrivals_save(const struct hd_kept_arrivals *k, struct hd_trace *t);
/* Writes the file. *any: there is something to play; otherwise there is no file. */
enum hd_status hd_kept_arrivals_write(const struct hd_trace *t, const char *path, bool *any,
                                      struct hd_err *err);

#endif
