/* What the commands of `heddle campaign` share: engines, progress, results for people. */
#ifndef HD_CLI_CAMPAIGN_RUN_H
#define HD_CLI_CAMPAIGN_RUN_H

#include "campaign/gather.h"
#include "campaign/unitplan.h"
#include "cli/cli.h"
#include "cli/option_groups.h"

#include <limits.h>

enum hd_engine { HD_ENGINE_LOCAL, HD_ENGINE_SLURM };

/* How units are run. */
struct hd_engine_options {
    int engine;                             /* enum hd_engine */
    uint64_t jobs, retries, per_task, wave; /* wave 0: the first */
    uint64_t memory;                        /* bytes of a unit; 0: not said */
    double timeout;                         /* of a unit; below 0: not said */
    struct hd_opt_files sbatch;             /* options for sbatch */
    bool no_wait, allow_undecided;
};
#define HD_ENGINE_DEFAULTS                                                                         \
    {                                                                                              \
        .retries = 1, .timeout = -1                                                                \
    }

/* clang-format off */
#define HD_OPTIONS_WORK(e)                                                                         \
    HD_OPTION_JOBS(e.jobs),                                                                        \
    {0, "retries", HD_OPT_COUNT, offsetof(struct values, e.retries), "N",                          \
     "Try a unit that fails N times more (1)", NULL, 0, 100},                                      \
    {0, "unit-timeout", HD_OPT_TIME, offsetof(struct values, e.timeout), "TIME",                   \
     "End a unit after this time; it has failed (10m); 0 is never", NULL, 0, 0}
#define HD_OPTIONS_ENGINE(e)                                                                       \
    {0, "engine", HD_OPT_CHOICE, offsetof(struct values, e.engine), "NAME",                        \
     "Where units run: local (here) or slurm (jobs of the cluster)", "local|slurm", 0, 0},         \
    HD_OPTIONS_WORK(e),                                                                            \
    {0, "per-task", HD_OPT_COUNT, offsetof(struct values, e.per_task), "N",                        \
     "slurm: units of one task of the job array (20, more in a large campaign)", NULL, 1,          \
     1000000},                                                                                     \
    {0, "unit-memory", HD_OPT_COUNT, offsetof(struct values, e.memory), "BYTES",                   \
     "slurm: ask for this much memory for each unit that runs at a time (800M)", NULL, 1000000,    \
     0},                                                                                           \
    {0, "sbatch", HD_OPT_FILES, offsetof(struct values, e.sbatch), "OPTION",                       \
     "slurm: give this option to sbatch; may be repeated", NULL, 0, 0},                            \
    {0, "no-wait", HD_OPT_FLAG, offsetof(struct values, e.no_wait), NULL,                          \
     "slurm: end when the jobs are submitted", NULL, 0, 0}
/* clang-format on */

/* A campaign that is there: its folder as an absolute path, and its plan. */
struct hd_campaign {
    const struct hd_cli *cli;
    char dir[PATH_MAX];
    struct hd_unitplan plan;
};
/* HD_EXIT_OK, or the reason is on stderr. hd_unitplan_fini of the plan in any case. */
enum hd_exit hd_campaign_open(struct hd_campaign *c, const struct hd_cli *cli, const char *dir);

/* Runs the units that are not done, and those that failed before, and reports. `units` and n choose
 * some of them; NULL: all. Without `report` the merged report is not made. */
enum hd_exit hd_campaign_local(struct hd_campaign *c, const struct hd_engine_options *e,
                               const uint32_t *units, size_t n, bool report);
enum hd_exit hd_campaign_run(struct hd_campaign *c, const struct hd_engine_options *e);
/* Merges what is there, writes it into the folder, prints a summary. */
enum hd_exit hd_campaign_finish(struct hd_campaign *c, bool allow_undecided);

/* What was found, what failed, how far it is. */
void hd_campaign_print(const struct hd_campaign *c, const struct hd_gathered *g);

/* Reads "I/N" (from 1), or from the environment for "auto": Slurm, GitLab, and others that number
 * the jobs of an array. False: it is none (reported). */
bool hd_campaign_share(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *text,
                       uint64_t *i, uint64_t *n);

#endif
