/* The engine slurm: units as job arrays, several to a task, and a job that follows them and makes
 * the report, or submits again what a lost node or a killed task has left.
 *
 * All that the jobs share is the folder of the campaign, which every node must see under the same
 * path. A wave is one array: slurm/wave-N.units lists the units it has to do, by their numbers in
 * the plan; task T does so many of them from T times that number on.
 */
#ifndef HD_CAMPAIGN_SLURM_H
#define HD_CAMPAIGN_SLURM_H

#include "campaign/unitplan.h"

struct hd_slurm_options {
    const struct hd_unitplan *plan;
    const char *dir;          /* of the campaign: an absolute path */
    const char *tool;         /* the heddle that runs the units: an absolute path */
    uint64_t per_task;        /* 0: chosen */
    uint64_t jobs, retries;   /* of each task */
    double timeout;           /* of a unit; below 0: not said, and the site's limit holds */
    uint64_t memory;          /* bytes of a unit; 0: not said, likewise */
    const char *const *extra; /* options for sbatch */
    size_t n_extra;
};

#define HD_SLURM_WAVES 4 /* so often units that give nothing are submitted */

/* Submits the units that are not done as wave `wave` (from 1), and the job that follows. *job: the
 * number of that job; 0: nothing was left to do. HD_ERR_LIMIT: there is no sbatch; HD_ERR_IO:
 * it refused, or the folder cannot be written to. */
enum hd_status hd_slurm_submit(const struct hd_slurm_options *o, unsigned wave, uint64_t *job,
                               struct hd_err *err);

/* The units of one task of a wave, by their numbers in the plan; the caller ends *units. */
enum hd_status hd_slurm_task(const char *dir, unsigned wave, uint64_t task, struct hd_u32vec *units,
                             struct hd_err *err);

/* Whether a job is in the queue still. */
bool hd_slurm_waits(uint64_t job);

#endif
