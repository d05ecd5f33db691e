/* JUnit XML, for servers that show test results.
 *
 * One test case for each finding, named by what it is and its id, so that a server can tell an old
 * one from a new one. An error (confirmed or seen, and not in the baseline) is a failure; the
 * others are skipped, with the reason. A report without findings is one case that passed.
 */
#ifndef HD_REPORT_FORMAT_JUNIT_H
#define HD_REPORT_FORMAT_JUNIT_H

#include "report/data/report.h"

#include <stdio.h>

/* Files below `root` (NULL: none) are given relative to it. Stream errors stay in the stream. */
void hd_junit_write(FILE *out, const struct hd_report *r, const char *root);

#endif
