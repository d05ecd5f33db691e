/* GitHub annotation lines: printed by a workflow step, they show up at the lines of a change.
 * Errors are ::error, predictions ::warning, findings of the baseline ::notice.
 */
#ifndef HD_REPORT_FORMAT_GITHUB_H
#define HD_REPORT_FORMAT_GITHUB_H

#include "report/data/report.h"

#include <stdio.h>

/* One line for each finding. Files below `root` (NULL: none) are given relative to it. Stream
 * errors stay in the stream. */
void hd_github_write(FILE *out, const struct hd_report *r, const char *root);

#endif
