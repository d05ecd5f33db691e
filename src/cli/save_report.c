#include "cli/save_report.h"

#include "base/outfile.h"
#include "cli/filters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether writing to path loses nothing but a report. What cannot be looked at is left to the
 * attempt to write it. */
static bool may_replace(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return true;
    FILE *in = fopen(path, "rb");
    if (!in)
        return true;
    bool ours = hd_formats_is_report(in);
    fclose(in);
    return ours;
}

/* log_path of TSAN_OPTIONS, where ThreadSanitizer would write for this process; false: none. */
static bool tsan_log(char *path, size_t size)
{
    char name[PATH_MAX];
    if (!hd_filters_tsan_option("log_path", name, sizeof name) || !strcmp(name, "stdout") ||
        !strcmp(name, "stderr"))
        return false;
    int n = snprintf(path, size, "%s.%ld", name, (long)getpid());
    return n > 0 && (size_t)n < size;
}

static enum hd_exit open_report(const struct hd_cli *cli, const char *path, struct hd_outfile *out)
{
    struct hd_err err = {0};
    if (!may_replace(path)) {
        hd_err_at(
            &err, HD_ERR_IO, path, 0,
            "it is there already and is no report of heddle; remove it or choose another name");
        return hd_cli_fail_output(cli, &err);
    }
    return hd_outfile_open(path, out, &err) == HD_OK ? HD_EXIT_OK : hd_cli_fail_output(cli, &err);
}

enum hd_exit hd_save_report_check(const struct hd_cli *cli, const char *path)
{
    struct hd_outfile out = {0};
    struct stat st;
    if (!path || !strcmp(path, "-") ||
        (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return HD_EXIT_OK;
    enum hd_exit code = open_report(cli, path, &out);
    hd_outfile_discard(&out);
    return code;
}

enum hd_exit hd_save_report(const struct hd_cli *cli, struct hd_report *r, enum hd_report_kind kind,
                            const char *path, FILE *stream, bool color)
{
    struct hd_outfile out = {0};
    struct hd_err err = {0};
    char log[PATH_MAX];
    if (!path && kind == HD_REPORT_TSAN && tsan_log(log, sizeof log))
        path = log;
    char cwd[PATH_MAX];
    const char *root = getcwd(cwd, sizeof cwd);
    r->brief = (!path || !strcmp(path, "-")) && !r->whole && !r->full_stacks;
    if (!path || !strcmp(path, "-")) {
        hd_formats_write(stream, r, kind, root, color);
        return HD_EXIT_OK;
    }
    enum hd_exit code = open_report(cli, path, &out);
    if (code != HD_EXIT_OK)
        return code;
    hd_formats_write(out.file, r, kind, root, false);
    return hd_outfile_commit(&out, &err) == HD_OK ? HD_EXIT_OK : hd_cli_fail_output(cli, &err);
}

void hd_save_report_folder(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(out, size, ".");
    else
        snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}
