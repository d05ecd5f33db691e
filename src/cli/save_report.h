/* Writing reports where the command line asks for them.
 *
 * A file that is there already is replaced only when it is empty or a report in one of our formats;
 * anything else is left alone and is an error. New content appears whole or not at all.
 */
#ifndef HD_CLI_SAVE_REPORT_H
#define HD_CLI_SAVE_REPORT_H

#include "cli/cli.h"
#include "report/format/formats.h"

/* Writes a report to a file; path NULL and "-" are `stream` (with `color`). ThreadSanitizer's words
 * go to the log that TSAN_OPTIONS names when there is no path. Places below the current folder are
 * relative to it. Text that does not go to a file is brief, unless the report is to be whole. On
 * failure the reason is on stderr and the exit code for it is returned. */
enum hd_exit hd_save_report(const struct hd_cli *cli, struct hd_report *r, enum hd_report_kind kind,
                            const char *path, FILE *stream, bool color);

/* Whether a report can be written there, before any work is done for it: as above, but nothing is
 * written. NULL, "-" and what is no plain file are fine. */
enum hd_exit hd_save_report_check(const struct hd_cli *cli, const char *path);

/* The folder part of a path, in `out`; "." when it has none. */
void hd_save_report_folder(const char *path, char *out, size_t size);

#endif
