/* `heddle` itself: the table of verbs, --version. */
#include "cli/cli.h"
#include "cli/cmds.h"
#include "solve/solve.h"

static const struct hd_cmd *const verbs[] = {
    /* Help explains the first ten and names the others. */
    &hd_cmd_run,      &hd_cmd_cc,
    &hd_cmd_cxx,      &hd_cmd_record,
    &hd_cmd_analyze,  &hd_cmd_replay,
    &hd_cmd_show,     &hd_cmd_report,
    &hd_cmd_doctor,   &hd_cmd_tutorial,
    &hd_cmd_explore,  &hd_cmd_hunt,
    &hd_cmd_campaign, &hd_cmd_merge,
    &hd_cmd_clean,    &hd_cmd_annotate,
    &hd_cmd_compare,  &hd_cmd_trace,
    &hd_cmd_witness,  &hd_cmd_completion,
    &hd_cmd_help,     NULL,
};

struct values {
    bool version;
};

static const struct hd_opt options[] = {
    {0, "version", HD_OPT_FLAG, offsetof(struct values, version), NULL,
     "Show the version and build id", NULL, 0, 0},
    {0},
};

static enum hd_exit print_version(void)
{
    const char *id = hd_cli_build_id();
    printf("heddle %s\n", HD_VERSION);
    if (*id)
        printf("build-id %s\n", id);
    printf("solver %s\n", hd_solver_version());
    return HD_EXIT_OK;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (v.version)
        return print_version();
    return hd_cli_run_group(cli, cmd, argc, argv);
}

const struct hd_cmd hd_cmd_root = {
    .name = "heddle",
    .path = "",
    .summary = "predictive race detector for C and C++",
    .args = "COMMAND",
    .detail = "",
    .options = options,
    .subs = verbs,
    .run = run,
};
