/* heddle show: all about one finding of a run; heddle annotate: its source. */
#include "cli/cmds.h"

#include "cli/option_groups.h"
#include "cli/outdir.h"
#include "cli/save_report.h"
#include "report/format/margin.h"
#include "report/format/paths.h"
#include "report/format/report_json.h"
#include "report/format/report_text.h"

#include <limits.h>
#include <unistd.h>

struct values {
    const char *run;
    bool full;
};

/* clang-format off */
#define OPTION_RUN                                                                                 \
    {0, "run", HD_OPT_FILE, offsetof(struct values, run), "DIR",                                   \
     "The run that has the race (heddle-out/latest)", NULL, 0, 0}
/* clang-format on */
static const struct hd_opt options[] = {
    OPTION_RUN,
    HD_OPTION_FULL_STACKS(full),
    {0},
};

static const struct hd_opt annotate_options[] = {
    OPTION_RUN,
    {0},
};

static enum hd_exit show(struct hd_cli *cli, const struct hd_cmd *cmd, struct hd_report *r,
                         const char *path, int argc, char **argv)
{
    struct hd_err err = {0};
    struct hd_paths paths;
    char cwd[PATH_MAX];
    enum hd_exit code = HD_EXIT_OK;
    hd_paths_shorten(&paths, r, getcwd(cwd, sizeof cwd));
    for (int i = 0; (i < argc || i == 0) && code == HD_EXIT_OK; i++) {
        const struct hd_finding *f = NULL;
        if (hd_outdir_find(r, argc ? argv[i] : NULL, path, false, &f, &err) != HD_OK)
            code = hd_cli_fail_input(cli, &err);
        else if (cmd == &hd_cmd_annotate)
            hd_margin_write(stdout, f, (size_t)(f - r->findings) + 1, cli->color_out);
        else
            hd_report_text_finding(stdout, r, f, cli->color_out);
    }
    hd_paths_restore(&paths);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    char path[PATH_MAX], folder[PATH_MAX];
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    for (int i = 0; i < argc; i++)
        if (!hd_outdir_is_id(argv[i]))
            return hd_cli_usage(cli, cmd, "'%s' is no id such as R-7f3a9c", argv[i]);
    if (hd_outdir_report(v.run, path, sizeof path, &err) != HD_OK ||
        hd_report_json_load(path, &r, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (v.run)
        hd_save_report_folder(path, folder, sizeof folder);
    else
        hd_outdir_latest(folder, sizeof folder);
    r->directory = folder;
    r->full_stacks = v.full;
    code = show(cli, cmd, r, path, argc, argv);
    hd_report_free(r);
    return code;
}

const struct hd_cmd hd_cmd_show = {
    .name = "show",
    .path = "show",
    .summary = "show all about a finding",
    .args = "[ID]...",
    .detail =
        "Prints all that is known about findings of a run: stacks, why it can happen, the\n"
        "schedule, what each order did, the sources, where threads and locks come from. An ID\n"
        "is one of the report (R-7f3a9c, or the beginning of it); without one it is the first\n"
        "finding. The run is the latest one here, or that of --run.",
    .options = options,
    .min_args = 0,
    .max_args = 1000,
    .run = run,
};

const struct hd_cmd hd_cmd_annotate = {
    .name = "annotate",
    .path = "annotate",
    .summary = "show the source of a finding with its accesses",
    .args = "[ID]...",
    .detail =
        "Prints the source around the accesses of a finding, with the accesses, the locks\n"
        "that are held and the lines where they were taken in the margin. An ID is one of\n"
        "the report (R-7f3a9c, or the beginning of it); without one it is the first finding.\n"
        "The run is the latest one here, or that of --run.",
    .options = annotate_options,
    .min_args = 0,
    .max_args = 1000,
    .run = run,
};
