#include "cli/run_options.h"

#include "cli/compile.h"
#include "cli/save_report.h"
#include "report/filter/rules.h"
#include "report/format/report_text.h"

#include <string.h>

enum hd_exit hd_run_options_program(const struct hd_cli *cli, const struct hd_cmd *cmd,
                                    const char *dir, const char *cflags, int before, int *argc,
                                    char ***argv, char *program, size_t size)
{
    int sources = 0;
    while (sources < before && hd_compile_is_source((*argv)[sources]))
        sources++;
    if (sources) {
        if (sources < before)
            return hd_cli_usage(cli, cmd, "'%s' is no source file; arguments follow --",
                                (*argv)[sources]);
        enum hd_exit code = hd_compile_sources(cli, dir, sources, *argv, cflags, program, size);
        if (code != HD_EXIT_OK)
            return code;
        *argv += sources - 1;
        *argc -= sources - 1;
        (*argv)[0] = program;
    }
    (*argv)[*argc] = NULL;
    return HD_EXIT_OK;
}

enum hd_exit hd_run_options_check_output(const struct hd_cli *cli, const struct hd_cmd *cmd,
                                         struct hd_runs_output *out)
{
    bool printed = out->json && !strcmp(out->json, "-");
    if (printed && out->format != HD_REPORT_TEXT && out->format != HD_REPORT_JSON)
        return hd_cli_usage(cli, cmd, "--json and --format ask for two formats; choose one");
    if (printed) { /* the same as --format json */
        out->format = HD_REPORT_JSON;
        out->json = NULL;
    }
    for (unsigned i = 0; i < out->reports.n; i++)
        if (hd_formats_of_name(out->reports.items[i]) < 0)
            return hd_cli_usage(cli, cmd, "no format has the ending of '%s': " HD_FORMAT_ENDINGS,
                                out->reports.items[i]);
    return HD_EXIT_OK;
}

enum hd_exit hd_run_options_check_paths(const struct hd_cli *cli, const struct hd_runs_output *out)
{
    enum hd_exit code = hd_save_report_check(cli, out->json);
    for (unsigned i = 0; i < out->reports.n && code == HD_EXIT_OK; i++)
        code = hd_save_report_check(cli, out->reports.items[i]);
    return code;
}

static enum hd_exit print(const struct hd_cli *cli, const struct hd_runs_output *out,
                          struct hd_report *report)
{
    enum hd_exit code = HD_EXIT_OK;
    fflush(stdout);
    report->full_stacks = out->full;
    report->whole = out->whole;
    if (!cli->quiet || out->format != HD_REPORT_TEXT)
        code = hd_save_report(cli, report, (enum hd_report_kind)out->format, NULL, stderr,
                              cli->color_err);
    else if (hd_report_errors(report) || hd_report_unfinished(report))
        hd_report_text_summary(stderr, report);
    if (out->rules)
        hd_rules_write(stderr, report, out->rules == 1);
    return code;
}

static enum hd_exit save(const struct hd_cli *cli, const struct hd_runs_output *out,
                         struct hd_report *report)
{
    enum hd_exit code = HD_EXIT_OK, one;
    if (out->json)
        code = hd_save_report(cli, report, HD_REPORT_JSON, out->json, stdout, false);
    for (unsigned i = 0; i < out->reports.n; i++) {
        const char *path = out->reports.items[i];
        int kind = hd_formats_of_name(path);
        one = hd_save_report(cli, report, (enum hd_report_kind)kind, path, stdout, false);
        code = code == HD_EXIT_OK ? one : code;
    }
    return code;
}

enum hd_exit hd_run_options_report(const struct hd_cli *cli, const struct hd_runs_output *out,
                                   struct hd_report *report)
{
    enum hd_exit code = print(cli, out, report), saved = save(cli, out, report);
    code = code == HD_EXIT_OK ? saved : code;
    if (code == HD_EXIT_OK && hd_report_errors(report))
        return HD_EXIT_RACE;
    bool open = hd_report_unfinished(report) && !report->allow_undecided;
    return code == HD_EXIT_OK && open ? HD_EXIT_UNDECIDED : code;
}
