/* heddle merge: join the reports of many runs. */
#include "cli/cmds.h"

#include "cli/outdir.h"
#include "cli/save_report.h"
#include "report/format/report_json.h"
#include "report/make/merge.h"

#include <limits.h>
#include <string.h>

struct values {
    const char *out;
    int format; /* -1: by the name of the output */
};

static const struct hd_opt options[] = {
    {'f', "format", HD_OPT_CHOICE, offsetof(struct values, format), "FORMAT",
     "Print the report in this format", HD_FORMAT_NAMES, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "FILE",
     "Write to FILE instead of the standard output", NULL, 0, 0},
    {0},
};

/* Loads the report and notes in which folder it lies. */
static enum hd_exit load(const struct hd_cli *cli, const char *word, struct hd_report **r)
{
    char path[PATH_MAX] = "-", folder[PATH_MAX] = ".";
    struct hd_err err = {0};
    *r = NULL;
    if (strcmp(word, "-") != 0 && hd_outdir_report(word, path, sizeof path, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (hd_report_json_load(path, r, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (strcmp(path, "-") != 0)
        hd_save_report_folder(path, folder, sizeof folder);
    (*r)->directory = hd_report_text(*r, folder);
    return HD_EXIT_OK;
}

static enum hd_exit save(const struct hd_cli *cli, const struct values *v, const char *folder,
                         struct hd_report *merged)
{
    int format = v->format;
    if (format < 0 && v->out)
        format = hd_formats_of_name(v->out);
    merged->directory = folder;
    return hd_save_report(cli, merged, format < 0 ? HD_REPORT_JSON : (enum hd_report_kind)format,
                          v->out, stdout, cli->color_out);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.format = -1};
    struct hd_err err = {0};
    char folder[PATH_MAX] = ".";
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = hd_save_report_check(cli, v.out);
    if (v.out && strcmp(v.out, "-") != 0)
        hd_save_report_folder(v.out, folder, sizeof folder);
    struct hd_merge *m = hd_merge_new(folder);
    for (int i = 0; i < argc && code == HD_EXIT_OK; i++) {
        struct hd_report *r;
        code = load(cli, argv[i], &r);
        enum hd_status s = code == HD_EXIT_OK ? hd_merge_add(m, r, NULL, &err) : HD_OK;
        if (s != HD_OK)
            code = s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
        hd_report_free(r);
    }
    struct hd_report *merged = hd_merge_end(m, NULL);
    if (code == HD_EXIT_OK)
        code = save(cli, &v, folder, merged);
    hd_report_free(merged);
    return code;
}

const struct hd_cmd hd_cmd_merge = {
    .name = "merge",
    .path = "merge",
    .summary = "join the reports of many runs",
    .args = "{DIR|REPORT.json}...",
    .detail = "Joins reports of many runs, machines and jobs. Each race is kept once, with its\n"
              "shortest witness; figures are added up. The order of the reports does not matter,\n"
              "and a report that is given twice, or is in a merged one already, counts once. The\n"
              "result is JSON unless the name of FILE or --format says otherwise; witnesses stay\n"
              "where they are and are named relative to FILE. Exits 0 whatever the reports say.",
    .options = options,
    .min_args = 1,
    .max_args = 1000000,
    .run = run,
};
