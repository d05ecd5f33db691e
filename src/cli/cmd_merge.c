/* heddle merge: join the reports of many runs. */
#include "cli/cmds.h"

#include "base/alloc.h"
#include "cli/outdir.h"
#include "cli/savereport.h"
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
     "Format: " HD_FORMAT_NAMES, HD_FORMAT_NAMES, 0, 0},
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
    if (hd_report_load_json(path, r, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (strcmp(path, "-") != 0)
        hd_cli_folder(path, folder, sizeof folder);
    (*r)->directory = hd_report_text(*r, folder);
    return HD_EXIT_OK;
}

static enum hd_exit merge(const struct hd_cli *cli, const struct values *v,
                          struct hd_report *const *inputs, size_t n)
{
    struct hd_report *merged;
    struct hd_err err = {0};
    char folder[PATH_MAX] = ".";
    if (v->out && strcmp(v->out, "-") != 0)
        hd_cli_folder(v->out, folder, sizeof folder);
    enum hd_status s = hd_report_merge(inputs, n, folder, &merged, &err);
    if (s != HD_OK)
        return s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
    int format = v->format;
    if (format < 0 && v->out)
        format = hd_formats_of_name(v->out);
    merged->directory = folder;
    enum hd_exit code =
        hd_cli_save_report(cli, merged, format < 0 ? HD_REPORT_JSON : (enum hd_report_kind)format,
                           v->out, stdout, cli->color_out);
    hd_report_free(merged);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.format = -1};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    size_t n = (size_t)argc;
    struct hd_report **inputs = hd_calloc(n, sizeof *inputs);
    code = hd_cli_check_report(cli, v.out);
    for (size_t i = 0; i < n && code == HD_EXIT_OK; i++)
        code = load(cli, argv[i], &inputs[i]);
    if (code == HD_EXIT_OK)
        code = merge(cli, &v, inputs, n);
    for (size_t i = 0; i < n; i++)
        hd_report_free(inputs[i]);
    hd_free(inputs, n * sizeof *inputs);
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
