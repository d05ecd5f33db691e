/* Memory that one thread alone writes: see sole_writer.c. Shared by the files of this room only. */
#ifndef HD_BUILD_SOLE_WRITER_H
#define HD_BUILD_SOLE_WRITER_H

#include "build/walk_state.h"

/* First walk: granules of a page are written by the current thread; nothing is to be said of them.
 */
void hd_sole_writer_note(struct hd_walk *w, struct hd_cell_marks *marks, unsigned bits,
                         bool writes);
void hd_sole_writer_void(struct hd_cell_marks *marks, unsigned bits);
void hd_sole_writer_settle(struct hd_walk *w); /* after it */
/* Walks that build: granules of the page that the current thread alone writes. */
static inline unsigned hd_sole_writer_mine(const struct hd_walk *w, const struct hd_cell_page *page)
{
    return page->sole_of == w->current + 1 ? page->sole : 0;
}
/* Does the current thread read what it alone writes, or what is private? */
bool hd_sole_writer_reads(struct hd_walk *w, const struct hd_raw *rec, uint64_t len);
/* It has made this access, an event, to the cell at linear. */
void hd_sole_writer_wrote(struct hd_walk *w, const struct hd_walk_access *a, uint64_t linear);

#define HD_SOLE_WEIGHT 64 /* uses of the only writer for one of another thread */
/* First walk: so many uses of shared memory by the current thread, `me` from 1. */
static inline void hd_sole_writer_count(struct hd_cell_marks *marks, unsigned i, uint32_t me,
                                        uint64_t times)
{
    int32_t *alone = &marks->alone[i];
    bool mine = marks->writer[i] == me;
    for (; times && (mine ? *alone < INT32_MAX : *alone > INT32_MIN / 2); times--)
        *alone += mine ? 1 : -HD_SOLE_WEIGHT;
}

#endif
