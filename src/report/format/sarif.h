/* SARIF 2.1.0, the format of code scanning services and editors.
 *
 * Each result has two code flows. The first is one thread flow, the witness with all threads in one
 * line, because viewers show only the first thread flow of the first code flow. The second has one
 * thread flow for each thread; the racing accesses have the same executionOrder there, which in
 * SARIF means "at the same time". Fingerprints are the id of the finding.
 */
#ifndef HD_REPORT_FORMAT_SARIF_H
#define HD_REPORT_FORMAT_SARIF_H

#include "report/data/report.h"

#include <stdio.h>

/* One object with a final newline. Files below `root` (NULL: none) are given relative to it. Stream
 * errors stay in the stream. */
void hd_sarif_write(FILE *out, const struct hd_report *r, const char *root);

#endif
