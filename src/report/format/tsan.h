/* The words of ThreadSanitizer, for the tools that read its output: `ctest -T memcheck` counts the
 * WARNING lines, CodeChecker's converter takes the lines that begin with ==PID==, editors link the
 * stack frames. Only errors (confirmed or seen, and not in the baseline) are written: these
 * readers know no smaller word than WARNING.
 */
#ifndef HD_REPORT_FORMAT_TSAN_H
#define HD_REPORT_FORMAT_TSAN_H

#include "report/data/report.h"

#include <stdio.h>

/* pid: what stands for the process, at least 1. Stream errors stay in the stream. */
void hd_tsan_write(FILE *out, const struct hd_report *r, unsigned pid);

#endif
