/* Happens-before of the observed run with memory orders (docs/MODEL.md section 8), in one walk.
 *
 * Reports conflicting accesses that hb, or hb+ if asked for, leaves unordered: opts->unordered is
 * told of one pair of events for each pair of places, or all pairs are listed (opts->pairs). Not a
 * detector of the table: predict/ makes races of what it finds, each with the trace up to the
 * second access as its witness.
 */
#ifndef HD_DETECT_MEMORY_ORDER_H
#define HD_DETECT_MEMORY_ORDER_H

#include "detect/detect.h"

enum hd_order_by { HD_BY_HB, HD_BY_PLUS /* hb+ */ };

enum hd_status hd_memory_order_detect(const struct hd_trace *t, const struct hd_detect_opts *opts,
                                      enum hd_order_by by, struct hd_detect_result *r,
                                      struct hd_err *err);

/* Is b, which comes after a, not ordered after it by hb? */
bool hd_memory_order_unordered(const struct hd_trace *t, hd_eid a, hd_eid b);

#endif
