/* OpenMP constructs around a place, read from the source: their directives and what these enclose.
 * A guess by text, for advice only: macros and generated code are not seen through. */
#ifndef HD_REPORT_MAKE_CONSTRUCTS_H
#define HD_REPORT_MAKE_CONSTRUCTS_H

#include "report/make/source.h"

enum hd_construct_word {
    HD_OMP_PARALLEL = 1 << 0,
    HD_OMP_LOOP = 1 << 1, /* for, distribute, taskloop */
    HD_OMP_SECTIONS = 1 << 2,
    HD_OMP_SINGLE = 1 << 3,
    HD_OMP_MASTER = 1 << 4, /* or masked */
    HD_OMP_TASK = 1 << 5,   /* or taskloop */
    HD_OMP_NOWAIT = 1 << 6,
    HD_OMP_OTHER = 1 << 7, /* critical, atomic, ordered, ... */
};

struct hd_construct {
    uint32_t line, end; /* of the directive; the last line of what it holds for */
    unsigned words;     /* enum hd_construct_word */
};

#define HD_CONSTRUCTS_MOST 8
/* Those that enclose the place, innermost first; returns how many. 0: none, or no source. */
size_t hd_constructs_around(struct hd_sources *s, const struct hd_spot *at,
                            struct hd_construct out[HD_CONSTRUCTS_MOST]);

#endif
