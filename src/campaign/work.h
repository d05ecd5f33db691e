/* The local engine: runs units of a plan in so many processes at a time, until all are done.
 * Slurm's tasks are the same with a part of the units each.
 *
 * A unit that gives no report is tried again; after that its failure is kept and the others go on.
 * What is done stays done whatever happens: an interrupt ends the units that run and loses no
 * other. A full disk ends the work, since every unit would fail.
 */
#ifndef HD_CAMPAIGN_WORK_H
#define HD_CAMPAIGN_WORK_H

#include "campaign/unitplan.h"

struct hd_work_progress {
    size_t total, done, running, failed;
    size_t findings; /* reports of findings in what was done here; the same one may be in many */
};

#define HD_UNIT_SECONDS 600 /* for a unit, when nothing is said */

struct hd_work_options {
    const struct hd_unitplan *plan;
    const char *dir;       /* of the campaign: an absolute path */
    const char *tool;      /* the heddle that runs the units: an absolute path */
    const uint32_t *units; /* which units, in this order */
    size_t n_units;
    unsigned jobs;    /* so many at a time */
    unsigned retries; /* after a failure */
    double timeout;   /* seconds for a unit; 0: no end */
    bool again;       /* also those that failed before */
    void (*progress)(void *ctx, const struct hd_work_progress *p); /* may be NULL */
    void *ctx;
};

/* HD_OK: all units were tried; *p has the outcomes. HD_ERR_STOPPED: interrupted. HD_ERR_IO: the
 * folder cannot be written to. */
enum hd_status hd_work(const struct hd_work_options *o, struct hd_work_progress *p,
                       struct hd_err *err);

#endif
