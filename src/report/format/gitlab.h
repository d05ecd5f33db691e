/* GitLab code quality: a JSON array, shown at the lines of a merge request. Errors are `critical`,
 * predictions `minor`, findings of the baseline `info`; what is not decided is an entry, too.
 */
#ifndef HD_REPORT_FORMAT_GITLAB_H
#define HD_REPORT_FORMAT_GITLAB_H

#include "report/data/report.h"

#include <stdio.h>

/* Files below `root` (NULL: none) are given relative to it. Stream errors stay in the stream. */
void hd_gitlab_write(FILE *out, const struct hd_report *r, const char *root);

#endif
