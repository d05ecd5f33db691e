/* Suppressions: rules that hide findings, in ThreadSanitizer's syntax and a little more
 * (docs/REPORTS.md has the whole of it).
 *
 *   type:pattern          type: race, race_top, deadlock, called_from_lib, mutex, thread, signal,
 *                         and our own var and id
 *   race:A <-> B          one access matches A, the other B
 *   race:f;g;h            frames f, g, h stand next to each other in a stack, innermost first
 *   ... until:2026-12-31  behind any rule: it holds up to this day
 *   ... reason:TEXT       behind that: why it is there, kept for the report
 *
 * A pattern is found anywhere in a function, file, module or variable; * stands for anything, a
 * leading ^ and a trailing $ tie it to the ends. Lines that begin with # are comments. A line that
 * is no rule gives a warning and is left out; the rest of the file holds.
 */
#ifndef HD_REPORT_FILTER_SUPPRESS_H
#define HD_REPORT_FILTER_SUPPRESS_H

#include "base/err.h"
#include "base/names.h"
#include "report/data/report.h"

struct hd_suppressions;

struct hd_suppressions *hd_suppress_new(void);
void hd_suppress_free(struct hd_suppressions *s); /* NULL is fine */

/* Which day it is, "2026-12-31". Rules with an earlier until: hide nothing. Without a call none is
 * over. */
void hd_suppress_today(struct hd_suppressions *s, const char *date);

/* Adds the rules of a file. HD_ERR_IO when it cannot be read. Warnings ("file:3: ...") are added to
 * `warnings`. */
enum hd_status hd_suppress_load(struct hd_suppressions *s, const char *path,
                                struct hd_names *warnings, struct hd_err *err);
/* One line. False: it is no rule, and *why (a literal) is what is wrong. Comments and blank lines
 * are fine. */
bool hd_suppress_line(struct hd_suppressions *s, const char *text, const char *file, uint32_t line,
                      const char **why);

/* Takes the findings that a rule matches out of the report, counts them, and lists every rule with
 * its uses, behind those that are listed already. A finding counts for the first rule that matches.
 */
void hd_suppress_apply(struct hd_suppressions *s, struct hd_report *r);

/* Whether the pattern matches, for tests. */
bool hd_suppress_glob(const char *pattern, const char *text);

#endif
