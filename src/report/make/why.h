/* Why nothing keeps the accesses of a race apart, in a sentence or two. */
#ifndef HD_REPORT_MAKE_WHY_H
#define HD_REPORT_MAKE_WHY_H

#include "model/witness.h"

/* Writes the sentences for a race into text. */
void hd_why_race(const struct hd_trace *t, const struct hd_witness *w, char *text, size_t size);

#endif
