#include "cli/filters.h"

#include "report/filter/baseline.h"
#include "report/filter/ignore.h"
#include "report/format/report_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool hd_filters_tsan_option(const char *key, char *value, size_t size)
{
    static const char separators[] = ":, \t\n";
    const char *p = getenv("TSAN_OPTIONS");
    size_t key_len = strlen(key);
    while (p && *(p += strspn(p, separators))) {
        size_t name = strcspn(p, "=:, \t\n");
        const char *at = p + name + (p[name] == '=');
        bool quoted = *at == '\'' || *at == '"';
        const char stop[2] = {*at, 0};
        at += quoted;
        size_t len = strcspn(at, quoted ? stop : separators);
        if (name == key_len && !strncmp(p, key, name))
            return len && (size_t)snprintf(value, size, "%.*s", (int)len, at) < size;
        p = at + len + (quoted && at[len]);
    }
    return false;
}

static void set_today(struct hd_suppressions *s)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm day;
    char text[32];
    if (gmtime_r(&now, &day) && strftime(text, sizeof text, "%Y-%m-%d", &day) == 10)
        hd_suppress_today(s, text);
}

enum hd_exit hd_filters_load(const struct hd_cli *cli, const struct hd_opt_files *files,
                             struct hd_suppressions *s)
{
    struct hd_names warnings = {0};
    struct hd_err err = {0};
    enum hd_exit code = HD_EXIT_OK;
    char theirs[PATH_MAX];
    set_today(s);
    for (unsigned i = 0; i < files->n && code == HD_EXIT_OK; i++)
        if (hd_suppress_load(s, files->items[i], &warnings, &err) != HD_OK)
            code = hd_cli_fail_input(cli, &err);
    if (!files->n && hd_filters_tsan_option("suppressions", theirs, sizeof theirs) &&
        hd_suppress_load(s, theirs, &warnings, &err) != HD_OK)
        code = hd_cli_fail_input(cli, &err);
    for (uint32_t i = 0; i < warnings.count; i++)
        hd_cli_error(cli, "%s", hd_names_text(&warnings, i));
    hd_names_fini(&warnings);
    return code;
}

enum hd_exit hd_filters_apply(const struct hd_cli *cli, struct hd_report *r,
                              const struct hd_opt_files *files, const char *baseline)
{
    struct hd_suppressions *s = hd_suppress_new();
    struct hd_report *earlier = NULL;
    struct hd_err err = {0};
    enum hd_exit code = hd_filters_load(cli, files, s);
    if (code == HD_EXIT_OK && baseline && hd_report_json_load(baseline, &earlier, &err) != HD_OK)
        code = hd_cli_fail_input(cli, &err);
    if (code == HD_EXIT_OK) {
        if (earlier)
            hd_baseline_apply(earlier, baseline, r);
        hd_suppress_apply(s, r);
        hd_ignore_apply(r);
    }
    hd_report_free(earlier);
    hd_suppress_free(s);
    return code;
}
