/* A report against an earlier one: what is new, what was known, what is gone.
 *
 * Findings are the same when their fingerprints are (id.h), whatever their lines, threads and runs.
 * "Gone" means that this run did not find it again: it may be mended, or this run did not get
 * there.
 */
#ifndef HD_REPORT_FILTER_BASELINE_H
#define HD_REPORT_FILTER_BASELINE_H

#include "report/data/report.h"

/* Marks the findings of r that are in the baseline as known, lists those of the baseline that are
 * not in r as gone, and notes `name` as what it was compared with. An earlier comparison is undone.
 * Call it before findings are suppressed: what is hidden is not gone. */
void hd_baseline_apply(const struct hd_report *baseline, const char *name, struct hd_report *r);

#endif
