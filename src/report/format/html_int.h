/* Shared by the files that write the HTML report. */
#ifndef HD_REPORT_FORMAT_HTML_INT_H
#define HD_REPORT_FORMAT_HTML_INT_H

#include "report/data/report.h"

#include <stdio.h>

struct hd_html {
    FILE *out;
    struct hd_arena *a; /* reset after each finding */
    const struct hd_report *r;
    size_t max_steps; /* shown of one schedule */
    size_t max_line;  /* characters shown of a source line */
    bool later;       /* findings are read when they are opened */
};

/* Markup, as it stands. */
void hd_html_raw(struct hd_html *h, const char *markup);
/* Text of any origin, escaped and cut at a length that fits a page. */
void hd_html_text(struct hd_html *h, const char *text);
/* Both: before, text, after; nothing at all when text is NULL. */
void hd_html_wrap(struct hd_html *h, const char *before, const char *text, const char *after);
/* The short name of a function; NULL: nothing. */
void hd_html_function(struct hd_html *h, const char *before, const char *function);
/* The id of a finding's element: its own id when that is one of ours, else its number. */
const char *hd_html_id(struct hd_html *h, size_t finding);
/* Source lines in a <pre>, the one with the number `hit` marked. */
void hd_html_lines(struct hd_html *h, const char *file, const struct hd_snippet *text,
                   uint32_t hit);
/* "read", "confirmed" as class and words: a <span> for the status. */
void hd_html_status(struct hd_html *h, const struct hd_finding *f, const char *words);

void hd_html_finding(struct hd_html *h, size_t finding);  /* html_finding.c */
void hd_html_schedule(struct hd_html *h, size_t finding); /* html_schedule.c */
void hd_html_index(struct hd_html *h);                    /* html_index.c */
void hd_html_coverage(struct hd_html *h);                 /* html_coverage.c */

/* html_seen.c, of a campaign: the cell of the list that has in how many units a finding was seen,
 * of how many; of other reports how often. */
void hd_html_seen_cell(struct hd_html *h, const struct hd_finding *f);
/* The tests in which it was; nothing when the report is not of a campaign. */
void hd_html_seen(struct hd_html *h, const struct hd_finding *f);
/* Whether the report is of a campaign over several tests; a table of them with their findings. */
bool hd_html_by_test(const struct hd_report *r);
void hd_html_tests(struct hd_html *h);

#endif
