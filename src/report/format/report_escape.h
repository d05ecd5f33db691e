/* Texts of programs, made safe for the place where they are shown.
 *
 * Names, values and source lines may hold any bytes. In every form here: bytes that are not UTF-8
 * come out as U+FFFD; control characters as their pictures (U+2400 and on), so that no text can
 * start a new line, move a terminal's cursor or break XML; and the characters that change the
 * direction of writing as [U+202E], so that a line reads as it is compiled.
 */
#ifndef HD_REPORT_FORMAT_REPORT_ESCAPE_H
#define HD_REPORT_FORMAT_REPORT_ESCAPE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdio.h>

enum hd_escape {
    HD_ESCAPE_LINE,     /* plain text on one line */
    HD_ESCAPE_MARKUP,   /* HTML and XML: content and quoted attributes; tabs stay */
    HD_ESCAPE_DATA,     /* the message of a GitHub workflow command */
    HD_ESCAPE_PROPERTY, /* a property of one */
};

/* At most max characters (0: all of them), then "..." and how many were left out. NULL writes
 * nothing. */
void hd_escape(FILE *out, enum hd_escape how, const char *text, size_t max);

/* The next character of a text that is not at its end, for a terminal: controls become '?', as a
 * picture would not be in every font. Moves *text behind it and returns its width in columns. out
 * NULL only measures. */
unsigned hd_escape_char(FILE *out, const char **text);

/* A file name as a URI, made in the arena: a relative reference, or file:// for an absolute name.
 */
const char *hd_escape_uri(struct hd_arena *a, const char *path);

#endif
