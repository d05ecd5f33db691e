/* Private to hdt*.c: the INTRO stream of a DATA chunk. */
#ifndef HD_TRACE_HDT_HDT_INTRO_H
#define HD_TRACE_HDT_HDT_INTRO_H

#include "trace/hdt/hdt_decode.h"

/* Adds the names, directives and records of the stream. False: d->fault has the reason. */
bool hd_hdt_intro_read(struct hd_hdt_decoder *d, struct hd_hdt_cur *in);

#endif
