/* heddle campaign resume: go on with what is not done. */
#include "cli/campaign_run.h"
#include "cli/cmds.h"
#include "cli/option_groups.h"

struct values {
    struct hd_engine_options engine;
};

static const struct hd_opt options[] = {
    HD_OPTIONS_ENGINE(engine),
    {0, "wave", HD_OPT_COUNT, offsetof(struct values, engine.wave), "N",
     "slurm: for jobs of a campaign: what wave N - 1 has left", NULL, 1, 1000},
    HD_OPTION_ALLOW_UNDECIDED(engine.allow_undecided),
    {0},
};

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.engine = HD_ENGINE_DEFAULTS};
    struct hd_campaign c;
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = hd_campaign_open(&c, cli, argv[0]);
    if (code == HD_EXIT_OK)
        code = hd_campaign_run(&c, &v.engine);
    hd_unitplan_fini(&c.plan);
    return code;
}

const struct hd_cmd hd_cmd_campaign_resume = {
    .name = "resume",
    .path = "campaign resume",
    .summary = "go on with what is not done",
    .args = "DIR",
    .detail =
        "Runs the units of the campaign in DIR that are not done, and those that failed, and\n"
        "reports as heddle campaign does. A campaign that is complete is reported again.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
