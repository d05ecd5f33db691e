/* Source files, as they are now: lines for reports and for ids.
 *
 * A file is looked for as it is named, then in the given folders, each file once. Paths in debug
 * information are those that the compiler was given, so a relative one is found when the report is
 * made where the program was built.
 */
#ifndef HD_REPORT_MAKE_SOURCE_H
#define HD_REPORT_MAKE_SOURCE_H

#include "report/data/report.h"

#define HD_SOURCE_AROUND 8 /* lines shown before and after a place */

struct hd_sources;

struct hd_sources *hd_sources_new(void);
void hd_sources_free(struct hd_sources *s); /* NULL is fine */
/* One more folder to look in. */
void hd_sources_folder(struct hd_sources *s, const char *path);

/* The line as it is, or NULL when there is none. Valid as long as s. */
const char *hd_sources_line(struct hd_sources *s, const char *file, uint32_t line);
/* The line without spaces, or NULL when there is none. Valid as long as s. */
const char *hd_sources_squeezed(struct hd_sources *s, const char *file, uint32_t line);

/* How many lines above it, in the same function, have the same text but for spaces. A function is
 * taken to begin after the last '}' that stands at the start of a line. 0 when there is no source.
 */
uint32_t hd_sources_equal_above(struct hd_sources *s, const char *file, uint32_t line);

/* The lines around a place, copied into the report. */
void hd_sources_snippet(struct hd_sources *s, struct hd_report *r, const struct hd_spot *at,
                        struct hd_snippet *out);

#endif
