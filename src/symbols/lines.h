/* The line table of one unit of the debug information (.debug_line, DWARF 2 to 5): which code is of
 * which line. libdw keeps each row in a block of memory of its own and sorts them: of the short
 * recording of a program in one large file that was half of the time (bench/real/README.md).
 *
 * What is not understood leaves no lines.
 */
#ifndef HD_SYMBOLS_LINES_H
#define HD_SYMBOLS_LINES_H

#include "base/vec.h"
#include "symbols/dies.h"

#include <stddef.h>
#include <stdint.h>

struct hd_line {
    uint64_t addr; /* with the bias of the module */
    uint32_t line; /* 0: of no line */
    uint16_t file; /* HD_LINE_END: the code before it ends here */
    uint16_t column;
};
#define HD_LINE_END UINT16_MAX

struct hd_lines {
    struct hd_vec rows;      /* struct hd_line, sequence by sequence, each ended by HD_LINE_END */
    struct hd_vec sequences; /* struct hd_line_sequence, by address */
    struct hd_vec dirs;      /* const char * */
    struct hd_vec files;     /* struct hd_line_file */
    const char *comp_dir;    /* where the compiler ran, or NULL */
};

struct hd_line_sequence {
    uint64_t from, to;
    size_t first, n; /* of its rows */
};

/* Reads the table at an offset of .debug_line. hd_lines_fini afterwards. */
void hd_lines_read(struct hd_lines *l, const struct hd_dies *d, uint64_t offset,
                   const char *comp_dir, uint64_t bias);
void hd_lines_fini(struct hd_lines *l);

/* The row that pc is of, or NULL. */
const struct hd_line *hd_lines_find(const struct hd_lines *l, uint64_t pc);
/* The name of its file, from where the compiler ran if its folder was given so. False: not known.
 */
bool hd_lines_file(const struct hd_lines *l, const struct hd_line *at, char *out, size_t size);

#endif
