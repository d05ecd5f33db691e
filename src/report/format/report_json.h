/* JSON reports, schema heddle-report-1: docs/MODEL.md section 6 with the fields of docs/REPORTS.md;
 * docs/report.schema.json describes the same for validators. What is written is read back without
 * loss, except that bytes that are not UTF-8 have become U+FFFD and seconds have six decimals.
 */
#ifndef HD_REPORT_FORMAT_REPORT_JSON_H
#define HD_REPORT_FORMAT_REPORT_JSON_H

#include "base/err.h"
#include "report/data/report.h"

#include <stdio.h>

/* One object with a final newline. Stream errors stay in the stream (ferror). */
void hd_report_json_write(FILE *out, const struct hd_report *r);

/* Reads a report; path "-" is standard input. HD_ERR_IO when the system refuses; HD_ERR_INPUT with
 * file (and line, when it is no JSON) when the content does. Unknown fields are ignored, so that
 * later versions may add some. On success the caller frees *r; else it is NULL. */
enum hd_status hd_report_json_load(const char *path, struct hd_report **r, struct hd_err *err);
enum hd_status hd_report_json_parse(const char *text, size_t len, const char *name,
                                    struct hd_report **r, struct hd_err *err);

#endif
