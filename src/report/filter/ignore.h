/* Findings that the source itself asks to leave alone:
 *
 *     stats.hits++; // heddle:ignore a lost count does no harm
 *
 * The comment stands on the line of one of the accesses, or alone on the line before it. What
 * follows the words is the reason. The source is what the report holds, so an old report can be
 * filtered where the source is no more.
 */
#ifndef HD_REPORT_FILTER_IGNORE_H
#define HD_REPORT_FILTER_IGNORE_H

#include "report/data/report.h"

/* Takes such findings out of the report, counts them as suppressed, and lists each comment as a
 * rule with its uses. A comment that gives no reason adds a note. */
void hd_ignore_apply(struct hd_report *r);

#endif
