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

struct hd_merge;

/* Where the merged report will lie (NULL: the current folder); must outlive the merge. */
struct hd_merge *hd_merge_new(const char *directory);

/* A unit of a campaign. All units of one part are counted together, and their times are kept apart:
 * what they found is the same in every run of the campaign. */
struct hd_merge_unit {
    const char *part;  /* which test: a digest */
    const char *test;  /* for people */
    const char *name;  /* of the unit: 32 hexadecimal digits */
    const char *first; /* for people: "pct, seed 7"; units are added in the order of the plan */
};

/* Takes in a report (with its `directory`; NULL: the current one), of which nothing is needed
 * afterwards. unit may be NULL. HD_ERR_IO when a folder cannot be found; HD_ERR_INPUT when it is a
 * merged report that contradicts itself. */
enum hd_status hd_merge_add(struct hd_merge *m, const struct hd_report *r,
                            const struct hd_merge_unit *unit, struct hd_err *err);

/* Seconds, summed over units. */
struct hd_merge_times {
    double all, record, analyze, replay;
};

/* Ends the merge. NULL: nothing was added. The caller frees the report; times may be NULL. */
struct hd_report *hd_merge_end(struct hd_merge *m, struct hd_merge_times *times);

#endif
