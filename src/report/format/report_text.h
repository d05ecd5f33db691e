/* Reports for people: 80 columns, as far as names allow; the essence of each finding in three lines
 * first, details after, one summary line last; or, for a brief report, some lines for each finding,
 * and behind the summary what to do next (brief.h, docs/REPORTS.md). Bytes that a terminal could
 * take for commands come out as '?'.
 */
#ifndef HD_REPORT_FORMAT_REPORT_TEXT_H
#define HD_REPORT_FORMAT_REPORT_TEXT_H

#include "report/data/report.h"

#include <stdio.h>

/* Stream errors stay in the stream (ferror). */
void hd_report_text_write(FILE *out, const struct hd_report *r, bool color);

/* All about one finding. */
void hd_report_text_finding(FILE *out, const struct hd_report *r, const struct hd_finding *f,
                            bool color);

/* The summary line, without colour, with a final newline. */
void hd_report_text_summary(FILE *out, const struct hd_report *r);

#endif
