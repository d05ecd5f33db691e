/* Lines of at most 80 columns on a stream, with colours or without: what the text format is made
 * of. Columns are counted in code points; wide characters are not looked at.
 */
#ifndef HD_REPORT_FORMAT_PAGE_H
#define HD_REPORT_FORMAT_PAGE_H

#include "base/term.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HD_PAGE_WIDTH 80

struct hd_page {
    FILE *out;
    bool color;
    unsigned column; /* of the next character, from 0 */
    unsigned indent; /* of the lines after the first of a paragraph */
    bool gap;        /* a space stands before the next word */
    bool full;       /* stacks are shown with the frames of libraries */
    size_t left_out; /* such frames, so far */
};

void hd_page_init(struct hd_page *p, FILE *out, bool color);
/* Begins a line: `first` columns in, the lines that follow it `rest` columns in. */
void hd_page_begin(struct hd_page *p, unsigned first, unsigned rest);
void hd_page_end(struct hd_page *p);
/* Words, broken at spaces where a line would get too long. Texts of programs
 * are made safe (hd_escape_char), very long words are cut. */
void hd_page_words(struct hd_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text that is never broken, made safe, cut at `max` columns with "...".
 * Tabs become spaces up to the next multiple of 4. */
void hd_page_raw(struct hd_page *p, const char *text, unsigned max);
void hd_page_style(struct hd_page *p, enum hd_style style);

#endif
