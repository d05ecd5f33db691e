/* Joins reports of many runs, machines and jobs into one.
 *
 * A finding that occurs in several is kept once: a confirmed or observed one before a predicted
 * one, then the one with the shortest schedule, then the fewest switches. A merged report remembers
 * the reports it was made from (its parts, known by a digest of their content) and how often each
 * finding was seen in each. So the order of the inputs does not matter, nor how they are grouped,
 * and a report that goes in twice, or goes into a merge that has it already, changes nothing.
 *
 * Witnesses, traces and inputs stay where they are; the merged report refers to them by paths
 * relative to its own folder.
 */
#ifndef HD_REPORT_MAKE_MERGE_H
#define HD_REPORT_MAKE_MERGE_H

#include "base/err.h"
#include "report/data/report.h"

/* The union of n >= 1 reports (each with its `directory`; NULL: the current one), for a report that
 * will lie in the folder `directory` (NULL: the current one). The result points into the inputs,
 * which must live as long. The caller frees it. HD_ERR_IO when a folder cannot be found. */
enum hd_status hd_report_merge(struct hd_report *const *inputs, size_t n, const char *directory,
                               struct hd_report **merged, struct hd_err *err);

#endif
