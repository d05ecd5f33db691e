/* What hides findings of a report or calls them known: suppression files, comments in the source,
 * a baseline. Shared by the commands that make and show reports.
 */
#ifndef HD_CLI_FILTERS_H
#define HD_CLI_FILTERS_H

#include "cli/cli.h"
#include "report/filter/suppress.h"

/* Loads the rules of the files; without files, of the one that `suppressions` of TSAN_OPTIONS
 * names. Lines that are no rules are named on stderr. Rules that end are judged by today's date in
 * UTC, or by SOURCE_DATE_EPOCH. */
enum hd_exit hd_filters_load(const struct hd_cli *cli, const struct hd_opt_files *files,
                             struct hd_suppressions *s);

/* Compares with the baseline (a report.json, or NULL) and takes out what the rules and comments
 * hide. */
enum hd_exit hd_filters_apply(const struct hd_cli *cli, struct hd_report *r,
                              const struct hd_opt_files *files, const char *baseline);

/* The value of an option in TSAN_OPTIONS. Options are separated by colons, commas or spaces; values
 * may be quoted. False: it is not there, is empty, or does not fit. */
bool hd_filters_tsan_option(const char *key, char *value, size_t size);

#endif
