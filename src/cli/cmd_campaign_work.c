/* heddle campaign work: a share of the units, for job arrays and matrices of CI systems. */
#include "base/alloc.h"
#include "campaign/slurm.h"
#include "cli/campaign_run.h"
#include "cli/cmds.h"

#include <stdlib.h>

struct values {
    const char *share;
    uint64_t wave;
    struct hd_engine_options engine;
};

static const struct hd_opt options[] = {
    {0, "shard", HD_OPT_TEXT, offsetof(struct values, share), "SHARE",
     "I/N: the I-th of N shares, or auto: as the job array says (1/1)", NULL, 0, 0},
    {0, "wave", HD_OPT_COUNT, offsetof(struct values, wave), "N",
     "slurm: for jobs of a campaign: the units of this task in wave N", NULL, 1, 1000},
    HD_OPTIONS_WORK(engine),
    {0},
};

/* Every n-th unit from the i-th on: tests of different length are spread. */
static enum hd_exit work(struct hd_campaign *c, const struct hd_engine_options *e, uint64_t i,
                         uint64_t n)
{
    size_t total = c->plan.units.len, count = 0;
    uint32_t *units = hd_calloc(total, sizeof *units);
    for (uint64_t k = i - 1; k < total; k += n)
        units[count++] = (uint32_t)k;
    enum hd_exit code = hd_campaign_local(c, e, units, count, false);
    hd_free(units, total * sizeof *units);
    return code;
}

/* The units that the task of a Slurm job has in a wave. */
static enum hd_exit work_in_wave(struct hd_campaign *c, const struct values *v)
{
    const char *task = getenv("SLURM_ARRAY_TASK_ID");
    struct hd_u32vec units = {0};
    struct hd_err err = {0};
    enum hd_exit code;
    if (hd_slurm_task(c->dir, (unsigned)v->wave, task ? strtoull(task, NULL, 10) : 0, &units,
                      &err) != HD_OK)
        code = hd_cli_fail_input(c->cli, &err);
    else
        code = hd_campaign_local(c, &v->engine, units.data, units.len, false);
    hd_u32vec_fini(&units);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.engine = HD_ENGINE_DEFAULTS};
    struct hd_campaign c;
    enum hd_exit code;
    uint64_t i = 1, n = 1;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (v.share && !hd_campaign_share(cli, cmd, v.share, &i, &n))
        return HD_EXIT_USAGE;
    code = hd_campaign_open(&c, cli, argv[0]);
    if (code == HD_EXIT_OK)
        code = v.wave ? work_in_wave(&c, &v) : work(&c, &v.engine, i, n);
    hd_unitplan_fini(&c.plan);
    return code;
}

const struct hd_cmd hd_cmd_campaign_work = {
    .name = "work",
    .path = "campaign work",
    .summary = "run a share of the units, without a report",
    .args = "DIR",
    .detail = "Runs a share of the units of the campaign in DIR that are not done. Any number of\n"
              "these may run at the same time, on any machines that see DIR; or each in a copy of\n"
              "DIR whose folders units/ are put together afterwards. heddle campaign report joins\n"
              "the results. Exits 0 when its units are done, whatever they found, and 4 when one\n"
              "failed.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
