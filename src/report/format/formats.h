/* All formats of reports: their names, the endings of their files, one function to write them. */
#ifndef HD_REPORT_FORMAT_FORMATS_H
#define HD_REPORT_FORMAT_FORMATS_H

#include "report/data/report.h"

#include <stdio.h>

/* X(KIND, name, ending of its files, what a file in the format has near its beginning or end), with
 * `sep` between the rows. A file without a mark is never replaced: reasons are written
 * into rules by hand. */
/* clang-format off */
#define HD_FORMATS(X, sep) \
    X(TEXT, "text", ".txt", " predicted only") sep \
    X(JSON, "json", ".json", "\"heddle-report-") sep \
    X(SARIF, "sarif", ".sarif", "\"name\": \"heddle\"") sep \
    X(HTML, "html", ".html", " \xe2\x80\x94 Heddle</title>") sep \
    X(PERFETTO, "perfetto", ".trace", "{\"traceEvents\": [") sep \
    X(TSAN, "tsan", ".tsan", "WARNING: ThreadSanitizer: ") sep \
    X(JUNIT, "junit", ".xml", "<testsuites name=\"heddle\"") sep \
    X(GITHUB, "github", ".github", "%0AId: ") sep \
    X(GITLAB, "gitlab", ".gitlab", "\"check_name\": \"heddle-") sep \
    X(RULES, "rules", ".supp", NULL)
/* clang-format on */

enum hd_report_kind {
#define HD_FORMAT_KIND(kind, name, ending, mark) HD_REPORT_##kind,
    HD_FORMATS(HD_FORMAT_KIND, ) HD_REPORT_KINDS
#undef HD_FORMAT_KIND
};

/* "text|json|..." in the order of enum hd_report_kind, and ".txt, .json, ...". */
#define HD_FORMAT_NAME(kind, name, ending, mark)   name
#define HD_FORMAT_ENDING(kind, name, ending, mark) ending
#define HD_FORMAT_NAMES                            HD_FORMATS(HD_FORMAT_NAME, "|")
#define HD_FORMAT_ENDINGS                          HD_FORMATS(HD_FORMAT_ENDING, ", ")

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
