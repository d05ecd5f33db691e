/* heddle report: write the report of a run again, in another format. */
#include "cli/cmds.h"

#include "base/outfile.h"
#include "cli/outdir.h"
#include "report/json.h"
#include "report/text.h"

#include <limits.h>
#include <string.h>

struct values {
    const char *out;
    int format; /* index into formats */
};

#define FORMATS "text|json"

static const struct hd_opt options[] = {
    {'f', "format", HD_OPT_CHOICE, offsetof(struct values, format), "FORMAT", "Format: " FORMATS,
     FORMATS, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "FILE",
     "Write to FILE instead of the standard output", NULL, 0, 0},
    {0},
};

static void write_text(FILE *out, const struct hd_report *r, bool color)
{
    hd_report_write_text(out, r, color);
}

static void write_json(FILE *out, const struct hd_report *r, bool color)
{
    (void)color;
    hd_report_write_json(out, r);
}

/* In the order of FORMATS. */
static void (*const formats[])(FILE *out, const struct hd_report *r, bool color) = {
    write_text,
    write_json,
};

static enum hd_exit write_report(const struct hd_cli *cli, const struct values *v,
                                 const struct hd_report *r)
{
    struct hd_outfile out = {0};
    struct hd_err err = {0};
    if (!v->out || !strcmp(v->out, "-")) {
        formats[v->format](stdout, r, cli->color_out);
        return HD_EXIT_OK;
    }
    if (hd_outfile_open(v->out, &out, &err) != HD_OK)
        return hd_cli_fail_output(cli, &err);
    formats[v->format](out.file, r, false);
    return hd_outfile_commit(&out, &err) == HD_OK ? HD_EXIT_OK : hd_cli_fail_output(cli, &err);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
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
    code = write_report(cli, &v, r);
    hd_report_free(r);
    return code;
}

const struct hd_cmd hd_cmd_report = {
    .name = "report",
    .path = "report",
    .summary = "show the report of a run in another format",
    .args = "[DIR|REPORT.json]",
    .detail = "Reads the report of an earlier heddle run: the folder of that run, its\n"
              "report.json, or nothing for the latest one here; \"-\" is the standard input.\n"
              "Exits 0 whatever the report says.",
    .options = options,
    .min_args = 0,
    .max_args = 1,
    .run = run,
};
