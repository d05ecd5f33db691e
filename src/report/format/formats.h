/* All formats of reports: their names, the endings of their files, one function to write them. */
#ifndef HD_REPORT_FORMAT_FORMATS_H
#define HD_REPORT_FORMAT_FORMATS_H

#include "report/data/report.h"

#include <stdio.h>

/* In the order of enum hd_report_kind. */
#define HD_FORMATS        "text|json|sarif|html|perfetto|tsan|junit|github|rules"
#define HD_FORMAT_ENDINGS ".txt, .json, .sarif, .html, .trace, .tsan, .xml, .github, .supp"

enum hd_report_kind {
    HD_REPORT_TEXT,
    HD_REPORT_JSON,
    HD_REPORT_SARIF,
    HD_REPORT_HTML,
    HD_REPORT_PERFETTO,
    HD_REPORT_TSAN,
    HD_REPORT_JUNIT,
    HD_REPORT_GITHUB,
    HD_REPORT_RULES,
    HD_REPORT_KINDS
};

/* The format that the ending of a file's name stands for, or -1. */
int hd_formats_of_name(const char *path);

/* Writes a report. Source files are given as seen from the folder `root` (NULL: as they are), but
 * in JSON; colour is for text only. Stream errors stay in the stream. The report is as before
 * afterwards. */
void hd_formats_write(FILE *out, struct hd_report *r, enum hd_report_kind kind, const char *root,
                      bool color);

/* Whether the file holds a report in one of our formats, by what stands near its beginning and its
 * end. */
bool hd_formats_is_report(FILE *in);

#endif
