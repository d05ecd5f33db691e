/* The entry points behind the table of detect.h, one a file. */
#ifndef HD_DETECT_DETECT_INT_H
#define HD_DETECT_DETECT_INT_H

#include "detect/detect.h"

/* X(name, summary) in the order in which results are shown. */
#define HD_DETECTORS(X)                                                                            \
    X(lockset, "no common lock (Eraser's test on pairs)")                                          \
    X(lah, "no common lock and consistent lock acquisition histories")                             \
    X(mhb, "not ordered in every schedule (must-happen-before)")                                   \
    X(quick, "no common lock and not ordered in every schedule")                                   \
    X(hb, "not ordered by happens-before")                                                         \
    X(shb, "not ordered by schedulable happens-before")                                            \
    X(cp, "not ordered by causally-precedes")                                                      \
    X(wcp, "not ordered by weak causally-precedes")                                                \
    X(syncp, "witnessed by a sync-preserving reordering")

#define HD_DETECT_DECLARE(name, summary)                                                           \
    enum hd_status hd_detect_##name(const struct hd_trace *t, const struct hd_detect_opts *opts,   \
                                    struct hd_detect_result *r, struct hd_err *err);
HD_DETECTORS(HD_DETECT_DECLARE)
#undef HD_DETECT_DECLARE

#endif
