/* Which locations can take part in a race at all: two threads access them, one access writes, one
 * is not atomic. Most accesses of a program are to other locations; detectors skip those.
 */
#ifndef HD_DETECT_FILTERS_CONTENDED_H
#define HD_DETECT_FILTERS_CONTENDED_H

#include "trace/trace.h"

enum {
    HD_LOC_SHARED = 1,  /* two threads access it */
    HD_LOC_WRITTEN = 2, /* some access writes it */
    HD_LOC_PLAIN = 4,   /* some access is not atomic */
    HD_LOC_CONTENDED = 7,
};

/* By location: a mask of HD_LOC_*. The caller frees it with hd_contended_free. */
uint8_t *hd_contended_new(const struct hd_trace *t);
void hd_contended_free(uint8_t *mask, const struct hd_trace *t);

/* Whether a read of the location may read from another thread. */
static inline bool hd_loc_communicates(uint8_t mask)
{
    return (mask & (HD_LOC_SHARED | HD_LOC_WRITTEN)) == (HD_LOC_SHARED | HD_LOC_WRITTEN);
}

#endif
