/* The HTML report: one file with all it needs inside. It asks nothing of the network (and forbids
 * itself to), and its text can be read without JavaScript.
 *
 * A list of the findings, a page for each, and a page on what was covered. The page of a finding
 * holds its schedule as a table; the script draws the lanes from that table. To keep a report of
 * many findings below 2 MB, schedules are cut to a share of what is left: the essential steps stay,
 * and the page shows how many are left out (the witness file has them all).
 */
#ifndef HD_REPORT_FORMAT_HTML_H
#define HD_REPORT_FORMAT_HTML_H

#include "report/data/report.h"

#include <stdio.h>

/* Stream errors stay in the stream. */
void hd_html_write(FILE *out, const struct hd_report *r);

#endif
