/* heddle campaign report: what the units have found so far, as one report. */
#include "cli/campaign_run.h"
#include "cli/cmds.h"
#include "cli/option_groups.h"

struct values {
    bool allow_undecided;
};

static const struct hd_opt options[] = {
    HD_OPTION_ALLOW_UNDECIDED(allow_undecided),
    {0},
};

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    struct hd_campaign c;
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = hd_campaign_open(&c, cli, argv[0]);
    if (code == HD_EXIT_OK)
        code = hd_campaign_finish(&c, v.allow_undecided);
    hd_unitplan_fini(&c.plan);
    return code;
}

const struct hd_cmd hd_cmd_campaign_report = {
    .name = "report",
    .path = "campaign report",
    .summary = "join what is done into one report",
    .args = "DIR",
    .detail =
        "Joins the reports of the units that are done and writes report.json, .txt and .html\n"
        "into DIR, and times.json, which has what differs from run to run. heddle report DIR\n"
        "prints it in other formats. Exits as heddle campaign does.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
