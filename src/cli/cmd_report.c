/* heddle report: write the report of a run again, in another format. */
#include "cli/cmds.h"

#include "cli/outdir.h"
#include "cli/savereport.h"
#include "report/json.h"

#include <limits.h>
#include <string.h>

struct values {
    const char *out;
    int format; /* -1: by the name of the output */
};

static const struct hd_opt options[] = {
    {'f', "format", HD_OPT_CHOICE, offsetof(struct values, format), "FORMAT", "Format: " HD_FORMATS,
     HD_FORMATS, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "FILE",
     "Write to FILE instead of the standard output", NULL, 0, 0},
    {0},
};

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.format = -1};
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    char path[PATH_MAX] = "-";
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    const char *word = argc ? argv[0] : NULL;
    if ((!word || strcmp(word, "-") != 0) &&
        hd_outdir_report(word, path, sizeof path, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (hd_report_load_json(path, &r, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    char folder[PATH_MAX];
    hd_cli_folder(path, folder, sizeof folder);
    r->directory = folder;
    if (v.format < 0)
        v.format = v.out ? hd_formats_of_name(v.out) : HD_REPORT_TEXT;
    if (v.format < 0)
        v.format = HD_REPORT_TEXT;
    code = hd_cli_save_report(cli, r, (enum hd_report_kind)v.format, v.out, stdout, cli->color_out);
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
