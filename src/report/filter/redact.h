/* A report for others: what the program worked on and where it lives is left out. */
#ifndef HD_REPORT_FILTER_REDACT_H
#define HD_REPORT_FILTER_REDACT_H

#include "report/data/report.h"

/* Leaves out source lines, values that were read and written, what the program wrote, its arguments
 * and inputs, and the folders of absolute paths. Names, places, stacks and schedules stay. */
void hd_redact_report(struct hd_report *r);

#endif
