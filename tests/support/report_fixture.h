/* Reports made by hand, for the tests of every format. */
#ifndef HD_TESTS_REPORT_FIXTURE_H
#define HD_TESTS_REPORT_FIXTURE_H

#include "report/data/report.h"

/* A bank: a confirmed race, a predicted one, a known one, an atomicity violation and a deadlock,
 * with sources, stacks, both orders, and a coverage page with something on it. */
struct hd_report *hd_fixture_bank(void);

/* The same findings with every text hostile: quotes, tags, control characters, bytes that are not
 * UTF-8, ends of comments, scripts and CDATA sections, lines of 10,000 characters. */
struct hd_report *hd_fixture_hostile(void);

/* Findings that lack all that may be missing, with ids and steps that nobody would make. */
struct hd_report *hd_fixture_sparse(void);

/* n confirmed races on n / 3 variables, each with a schedule of `steps` events. */
struct hd_report *hd_fixture_many(size_t n, size_t steps);

/* One race in a schedule of six threads. */
struct hd_report *hd_fixture_crowd(void);

/* What no output may contain as it stands: the start of a tag that hostile texts carry. */
#define HD_FIXTURE_TAG "<img src=x onerror=alert(1)>"

#endif
