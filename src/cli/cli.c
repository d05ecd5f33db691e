#include "cli/cli.h"

#include "base/suggest.h"
#include "report/format/report_escape.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void start_message(const struct hd_cli *cli)
{
    fflush(stdout);
    fprintf(stderr, "%sheddle:%s ", hd_term_style(cli->color_err, HD_STYLE_BOLD),
            hd_term_style(cli->color_err, HD_STYLE_PLAIN));
}

static void put_text(FILE *out, const char *fmt, va_list ap)
{
    char text[16384];
    vsnprintf(text, sizeof text, fmt, ap);
    for (const char *p = text; *p;) {
        if (*p == '\n')
            fputc(*p++, out);
        else
            hd_escape_char(out, &p);
    }
}

void hd_cli_print(FILE *out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_text(out, fmt, ap);
    va_end(ap);
}

void hd_cli_error(const struct hd_cli *cli, const char *fmt, ...)
{
    va_list ap;
    start_message(cli);
    va_start(ap, fmt);
    put_text(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

enum hd_exit hd_cli_usage(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *fmt, ...)
{
    va_list ap;
    start_message(cli);
    if (*cmd->path)
        fprintf(stderr, "%s: ", cmd->path);
    va_start(ap, fmt);
    put_text(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nheddle: see 'heddle %s%s'\n", *cmd->path ? "help " : "--help", cmd->path);
    return HD_EXIT_USAGE;
}

static void print_err(const struct hd_cli *cli, const struct hd_err *err)
{
    if (err->file[0] && err->line)
        hd_cli_error(cli, "%s:%llu: %s", err->file, (unsigned long long)err->line, err->text);
    else if (err->file[0])
        hd_cli_error(cli, "%s: %s", err->file, err->text);
    else
        hd_cli_error(cli, "%s", err->text);
}

enum hd_exit hd_cli_fail_input(const struct hd_cli *cli, const struct hd_err *err)
{
    print_err(cli, err);
    return err->code == HD_ERR_INTERNAL ? HD_EXIT_TOOL : HD_EXIT_INPUT;
}

enum hd_exit hd_cli_fail_output(const struct hd_cli *cli, const struct hd_err *err)
{
    print_err(cli, err);
    return err->code == HD_ERR_INPUT ? HD_EXIT_INPUT : HD_EXIT_TOOL;
}

void hd_cli_progress(const struct hd_cli *cli, struct hd_progress *p, const char *label,
                     const char *unit, uint64_t total)
{
    hd_progress_begin(p, cli->quiet ? NULL : stderr, hd_term_is_live(2), label, unit, total);
}

/* Why stdout failed. The call that failed may be long past and its errno gone: one more byte, after
 * output that is broken anyway, meets the same obstacle. 0 when it does not. */
static int stdout_errno(void)
{
    clearerr(stdout);
    errno = 0;
    fputc('\n', stdout);
    return fflush(stdout) ? errno : 0;
}

enum hd_exit hd_cli_json_begin(const struct hd_cli *cli, const char *path, struct hd_cli_json *j)
{
    struct hd_err err = {0};
    *j = (struct hd_cli_json){.text = !path};
    if (!path)
        return HD_EXIT_OK;
    if (!strcmp(path, "-")) {
        j->out = stdout;
        return HD_EXIT_OK;
    }
    if (hd_outfile_open(path, &j->file, &err) != HD_OK)
        return hd_cli_fail_output(cli, &err);
    j->out = j->file.file;
    j->text = true;
    return HD_EXIT_OK;
}

static bool is_done(enum hd_exit code)
{
    return code == HD_EXIT_OK || code == HD_EXIT_RACE || code == HD_EXIT_UNDECIDED;
}

enum hd_exit hd_cli_json_end(const struct hd_cli *cli, struct hd_cli_json *j, enum hd_exit code)
{
    struct hd_err err = {0};
    if (j->out && is_done(code))
        putc('\n', j->out);
    if (!j->file.file)
        return code;
    if (!is_done(code))
        hd_outfile_discard(&j->file);
    else if (hd_outfile_commit(&j->file, &err) != HD_OK)
        return hd_cli_fail_output(cli, &err);
    return code;
}

enum hd_exit hd_cli_finish(const struct hd_cli *cli, enum hd_exit code)
{
    errno = 0;
    bool failed = ferror(stdout), now = fflush(stdout) != 0;
    int reason = now ? errno : failed ? stdout_errno() : 0;
    if ((!failed && !now) || reason == EPIPE)
        return code;
    hd_cli_error(cli, "standard output: %s", reason ? strerror(reason) : "a write failed");
    return HD_EXIT_TOOL;
}

const struct hd_cmd *hd_cli_find(const struct hd_cmd *group, const char *name)
{
    for (const struct hd_cmd *const *sub = group->subs; sub && *sub; sub++)
        if (!strcmp((*sub)->name, name))
            return *sub;
    return NULL;
}

static enum hd_exit unknown_command(const struct hd_cli *cli, const struct hd_cmd *group,
                                    const char *name)
{
    const char *words[32];
    size_t n = 0;
    for (const struct hd_cmd *const *sub = group->subs; *sub && n < 32; sub++)
        words[n++] = (*sub)->name;
    const char *near = hd_suggest(name, words, n);
    return hd_cli_usage(cli, group, "unknown command '%s'%s%s%s", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum hd_exit hd_cli_run_group(struct hd_cli *cli, const struct hd_cmd *group, int argc, char **argv)
{
    enum hd_exit code;
    if (!hd_cli_parse(cli, group, NULL, &argc, argv, &code))
        return code;
    if (argc == 0)
        return hd_cli_usage(cli, group, "a command is missing");
    const struct hd_cmd *sub = hd_cli_find(group, argv[0]);
    if (!sub)
        return unknown_command(cli, group, argv[0]);
    return sub->run(cli, sub, argc - 1, argv + 1);
}
