/* What a merged report remembers of the reports that it was made from (merge.h). */
#ifndef HD_REPORT_DATA_PARTS_H
#define HD_REPORT_DATA_PARTS_H

#include "report/data/spot.h"

#include <stdint.h>

/* In a merged report: how often a finding was seen in one of its parts. */
struct hd_seen {
    const char *part;
    uint32_t times;
    uint32_t units;    /* of a campaign: in how many of the part's units; else 0 */
    const char *first; /* the first of them in the plan; NULL: not of a campaign */
};

/* One of the reports that a merged report was made from (merge.h), with its figures; or all units
 * of a campaign that ran the same test. */
struct hd_part {
    const char *id;   /* digest of its content, or of the units that it stands for */
    const char *test; /* of a campaign: which; else NULL */
    uint64_t units;   /* the same: how many; else 0 */
    struct hd_texts program;
    uint64_t events, threads, runs;
    double seconds, record_seconds, analyze_seconds, replay_seconds;
    uint64_t race, impossible, undecided, skipped, suppressed;
};

#endif
