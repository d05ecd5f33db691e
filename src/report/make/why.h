/* Why nothing keeps the accesses of a race apart, in a sentence or two. */
#ifndef HD_REPORT_MAKE_WHY_H
#define HD_REPORT_MAKE_WHY_H

#include "model/witness.h"

/* Of an unordered race: the atomic write and the read of it that lie between the accesses and do
 * not order them. False: there are none. */
bool hd_why_between(const struct hd_trace *t, const struct hd_witness *w, hd_eid pair[2]);

/* Writes the sentences for a race into text. between: a name for the location of the two that
 * hd_why_between gives; NULL: the trace's own. */
void hd_why_race(const struct hd_trace *t, const struct hd_witness *w, const char *between,
                 char *text, size_t size);

#endif
