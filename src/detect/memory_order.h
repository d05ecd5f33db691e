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

enum {
    HD_BY_PLUS = 1, /* by hb+ instead of hb */
    HD_NO_LOCKS =
        2, /* the order in which locks were taken does not count; what they exclude does */
};

enum hd_status hd_detect_order(const struct hd_trace *t, const struct hd_detect_opts *opts,
                               unsigned how, struct hd_detect_result *r, struct hd_err *err);

/* Is b, which comes after a, not ordered after it by hb? */
bool hd_order_unordered(const struct hd_trace *t, hd_eid a, hd_eid b);

#endif
