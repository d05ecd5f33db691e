/* Suppression rules for the findings of a report, ready to be kept in a file: for each one what it
 * is, in a comment, the rule that hides it and nothing else, and wider rules that are commented
 * out.
 */
#ifndef HD_REPORT_FILTER_RULES_H
#define HD_REPORT_FILTER_RULES_H

#include "report/data/report.h"

#include <stdio.h>

/* errors_only: for findings that count as errors (hd_report_errors). */
void hd_rules_write(FILE *out, const struct hd_report *r, bool errors_only);

#endif
