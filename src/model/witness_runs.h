/* Long schedules as runs (docs/MODEL.md section 6): "t1 400, t2 3, t1 17" instead of 420 event
 * numbers. A run takes the next so many events of its thread, in the order of the trace; every
 * schedule that can be carried out has this form, because no thread leaves out an event.
 */
#ifndef HD_MODEL_WITNESS_RUNS_H
#define HD_MODEL_WITNESS_RUNS_H

#include "base/json.h"
#include "trace/trace.h"

/* Schedules with at most so many entries are written as lists: some 70 KB. */
enum { HD_RUNS_ABOVE = 10000 };

/* The version of the form, in files. */
enum { HD_RUNS_FORM = 1 };

/* Whether a schedule is to be written as runs: it is long, it has the form, and runs are shorter.
 */
bool hd_runs_suit(const struct hd_trace *t, const hd_eid *schedule, size_t n);

/* {"form": 1, "entries": 420, "list": [["t1", 400], ["t2", 3], ["t1", 17]]} */
void hd_runs_write(struct hd_json *j, const struct hd_trace *t, const hd_eid *schedule, size_t n);

/* Takes runs one by one, from a file. */
struct hd_runs {
    const struct hd_trace *t;
    uint32_t *done; /* by thread */
};

void hd_runs_init(struct hd_runs *r, const struct hd_trace *t);
void hd_runs_fini(struct hd_runs *r);
/* Writes the next `count` events of the thread to `to`. False: it has not so many left. */
bool hd_runs_take(struct hd_runs *r, hd_tid thread, size_t count, hd_eid *to);

#endif
