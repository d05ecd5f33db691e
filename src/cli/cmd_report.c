/* heddle report: write the report of a run again, in another format. */
#include "cli/cmds.h"

#include "cli/filters.h"
#include "cli/outdir.h"
#include "cli/save_report.h"
#include "cli/option_groups.h"
#include "report/filter/redact.h"
#include "report/format/report_json.h"

#include <limits.h>
#include <string.h>

struct values {
    const char *out;
    const char *baseline;
    struct hd_opt_files suppressions;
    int format; /* -1: by the name of the output */
    int rules;  /* of --gen-suppressions */
    bool full, whole, redact;
};

static const struct hd_opt options[] = {
    {'f', "format", HD_OPT_CHOICE, offsetof(struct values, format), "FORMAT",
     "Print the report in this format", HD_FORMAT_NAMES, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "FILE",
     "Write to FILE instead of the standard output", NULL, 0, 0},
    HD_OPTION_FULL_STACKS(full),
    HD_OPTION_WHOLE(whole),
    {0, "redact", HD_OPT_FLAG, offsetof(struct values, redact), NULL,
     "Leave out sources, values, arguments, outputs and folders", NULL, 0, 0},
    {0, "baseline", HD_OPT_FILE, offsetof(struct values, baseline), "FILE",
     "Compare with this report.json: what is new, known, gone", NULL, 0, 0},
    HD_OPTION_SUPPRESSIONS(suppressions),
    {0, "gen-suppressions", HD_OPT_CHOICE, offsetof(struct values, rules), "WHICH",
     "Print rules that hide findings instead: errors (the new confirmed), all, or no",
     "no|errors|all", 0, 0},
    {0},
};

static void keep_errors(struct hd_report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        if (hd_report_is_error(&r->findings[i]))
            r->findings[kept++] = r->findings[i];
    r->n_findings = kept;
}

static enum hd_exit write_report(const struct hd_cli *cli, struct hd_report *r,
                                 const struct values *v)
{
    int format = v->rules ? HD_REPORT_RULES : v->format;
    if (v->rules == 1)
        keep_errors(r);
    if (format < 0)
        format = v->out ? hd_formats_of_name(v->out) : HD_REPORT_TEXT;
    return hd_save_report(cli, r, format < 0 ? HD_REPORT_TEXT : (enum hd_report_kind)format, v->out,
                          stdout, cli->color_out);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.format = -1};
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    char path[PATH_MAX] = "-";
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = hd_save_report_check(cli, v.out);
    if (code != HD_EXIT_OK)
        return code;
    const char *word = argc ? argv[0] : NULL;
    if ((!word || strcmp(word, "-") != 0) &&
        hd_outdir_report(word, path, sizeof path, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (hd_report_json_load(path, &r, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    char folder[PATH_MAX];
    hd_save_report_folder(path, folder, sizeof folder);
    r->directory = folder;
    r->full_stacks = v.full;
    r->whole = v.whole;
    code = hd_filters_apply(cli, r, &v.suppressions, v.baseline);
    if (v.redact)
        hd_redact_report(r);
    if (code == HD_EXIT_OK)
        code = write_report(cli, r, &v);
    hd_report_free(r);
    return code;
}

const struct hd_cmd hd_cmd_report = {
    .name = "report",
    .path = "report",
    .summary = "show the report of a run in another format",
    .args = "[DIR|REPORT.json]",
    .detail =
        "Reads the report of an earlier heddle run: the folder of that run, its\n"
        "report.json, or nothing for the latest one here; \"-\" is the standard input.\n"
        "The format is that of --format, else what the name of FILE ends with (.html, .sarif,\n"
        ".json, .xml for JUnit, .trace for Perfetto), else text. A file that is there and is\n"
        "no report is not overwritten. Exits 0 whatever the report says.",
    .options = options,
    .min_args = 0,
    .max_args = 1,
    .run = run,
};
