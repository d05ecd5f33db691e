/* What a replay found out, put into a finding. */
#ifndef HD_REPORT_MAKE_REPLAYED_H
#define HD_REPORT_MAKE_REPLAYED_H

#include "replay/replay.h"
#include "report/data/report.h"

/* Sets status, reason, replays, stacks and effects. Texts are copied into the report. */
void hd_replayed_apply(struct hd_report *r, struct hd_finding *f,
                       const struct hd_replay_result *result);

#endif
