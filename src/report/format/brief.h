/* Findings on a terminal: at most HD_BRIEF_LINES lines each, or a list when there are many. What is
 * left out is in the long form (`heddle show`), in report.txt and on the page.
 */
#ifndef HD_REPORT_FORMAT_BRIEF_H
#define HD_REPORT_FORMAT_BRIEF_H

#include "report/data/report.h"
#include "report/format/page.h"

#define HD_BRIEF_LINES 10 /* of one finding, with the line that names others on its variable */
#define HD_BRIEF_MANY  5  /* more findings than this are listed */
#define HD_BRIEF_LIST  40 /* findings in a list; the rest is counted */

/* All findings of the report. */
void hd_brief_findings(struct hd_page *p, const struct hd_report *r);

/* The last line: what to do next. Nothing when there is nothing to say. */
void hd_brief_next(struct hd_page *p, const struct hd_report *r);

/* The first line of a finding, and a line for an access: both forms of text have them. */
void hd_brief_heading(struct hd_page *p, const struct hd_finding *f, size_t number);
void hd_brief_access(struct hd_page *p, const struct hd_finding *f, const struct hd_access *a);

#endif
