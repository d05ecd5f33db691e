/* Warnings of another race detector: pairs of source places that the user asks about.
 *
 * Read from ThreadSanitizer's or Helgrind's text, from SARIF, or from lines "file:line file:line"
 * (# begins a comment); which of these it is shows in the file. Only data races count. The same two
 * places stand in the list once, in the order of the file.
 */
#ifndef HD_REPORT_FILTER_WARNINGS_READ_H
#define HD_REPORT_FILTER_WARNINGS_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_code_place {
    const char *file; /* NULL: the warning does not say */
    uint32_t line;
};

struct hd_warned_pair {
    struct hd_code_place at[2];
};

struct hd_warned_pairs {
    struct hd_vec list; /* struct hd_warned_pair */
    struct hd_arena *arena;
};

/* path "-" is the standard input. HD_ERR_INPUT: there is no warning in it, or a line that is
 * neither a pair nor a comment. The caller ends the list in any case. */
enum hd_status hd_warnings_read(const char *path, struct hd_warned_pairs *out, struct hd_err *err);
void hd_warned_pairs_fini(struct hd_warned_pairs *p);

/* The place that ends in ":line" or ":line:column". False: it has no line. */
bool hd_code_place_parse(struct hd_arena *a, const char *text, size_t len,
                         struct hd_code_place *out);

/* The same line of the same file: one name ends, after a slash, as the other. */
bool hd_code_place_same(const struct hd_code_place *a, const struct hd_code_place *b);

/* The two places, in either order, are those of the pair. */
bool hd_warned_pair_is(const struct hd_warned_pair *p, const struct hd_code_place *a,
                       const struct hd_code_place *b);

#endif
