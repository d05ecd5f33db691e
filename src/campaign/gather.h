/* What a campaign has given so far: the merged report, what failed, what is missing.
 *
 * The report depends on the plan and the units that are done alone. How long it took differs from
 * run to run and is kept apart (times.json).
 */
#ifndef HD_CAMPAIGN_GATHER_H
#define HD_CAMPAIGN_GATHER_H

#include "campaign/unitplan.h"
#include "report/make/merge.h"

struct hd_failed_unit {
    const struct hd_unit *unit;
    char *reason; /* of hd_strndup */
};

struct hd_gathered {
    struct hd_report *report; /* NULL: no unit is done */
    size_t done, running, open;
    struct hd_vec failed; /* struct hd_failed_unit, in the order of the plan */
    struct hd_merge_times times;
};

/* Reads all that is there. HD_ERR_INPUT: a report cannot be read. hd_gathered_fini in any case. */
enum hd_status hd_gather(const struct hd_unitplan *plan, const char *dir, struct hd_gathered *g,
                         struct hd_err *err);
void hd_gathered_fini(struct hd_gathered *g);

/* Writes report.json, .txt and .html, and times.json into the folder. */
enum hd_status hd_gather_save(struct hd_gathered *g, const char *dir, struct hd_err *err);

#endif
