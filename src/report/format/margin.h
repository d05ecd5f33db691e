/* The source around the accesses of a finding, with what the threads do in the margin: the
 * accesses, and where the locks were taken that they hold. 80 columns. Lines that two accesses
 * share are shown once.
 */
#ifndef HD_REPORT_FORMAT_MARGIN_H
#define HD_REPORT_FORMAT_MARGIN_H

#include "report/data/report.h"

#include <stdio.h>

/* number: its place in the report, from 1. Stream errors stay in the stream (ferror). */
void hd_margin_write(FILE *out, const struct hd_finding *f, size_t number, bool color);

#endif
