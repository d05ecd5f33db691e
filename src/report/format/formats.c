#include "report/format/formats.h"

#include "report/format/github.h"
#include "report/format/gitlab.h"
#include "report/format/html.h"
#include "report/format/report_json.h"
#include "report/format/junit.h"
#include "report/format/paths.h"
#include "report/format/perfetto.h"
#include "report/filter/rules.h"
#include "report/format/sarif.h"
#include "report/format/report_text.h"
#include "report/format/tsan.h"

#include <string.h>

static const struct {
    const char *ending, *mark;
} kinds[HD_REPORT_KINDS] = {
#define HD_FORMAT_ROW(kind, name, ending, mark) {ending, mark},
    HD_FORMATS(HD_FORMAT_ROW, )
#undef HD_FORMAT_ROW
};
enum { LOOKED_AT = 4096 };

int hd_formats_of_name(const char *path)
{
    size_t len = strlen(path);
    for (int i = 0; i < HD_REPORT_KINDS; i++) {
        size_t n = strlen(kinds[i].ending);
        if (len > n && !strcmp(path + len - n, kinds[i].ending))
            return i;
    }
    return -1;
}

static void write_kind(FILE *out, const struct hd_report *r, enum hd_report_kind kind,
                       const char *root, bool color)
{
    switch (kind) {
    case HD_REPORT_JSON:
        hd_report_json_write(out, r);
        return;
    case HD_REPORT_SARIF:
        hd_sarif_write(out, r, root);
        return;
    case HD_REPORT_HTML:
        hd_html_write(out, r);
        return;
    case HD_REPORT_PERFETTO:
        hd_perfetto_write(out, r);
        return;
    case HD_REPORT_TSAN:
        hd_tsan_write(out, r, 1);
        return;
    case HD_REPORT_JUNIT:
        hd_junit_write(out, r, root);
        return;
    case HD_REPORT_GITHUB:
        hd_github_write(out, r, root);
        return;
    case HD_REPORT_GITLAB:
        hd_gitlab_write(out, r, root);
        return;
    case HD_REPORT_RULES:
        hd_rules_write(out, r, false);
        return;
    default:
        hd_report_text_write(out, r, color);
    }
}

void hd_formats_write(FILE *out, struct hd_report *r, enum hd_report_kind kind, const char *root,
                      bool color)
{
    /* These have rules of their own for names, or want them as they are. */
    bool own = kind == HD_REPORT_JSON || kind == HD_REPORT_SARIF || kind == HD_REPORT_JUNIT ||
               kind == HD_REPORT_GITHUB || kind == HD_REPORT_GITLAB;
    struct hd_paths paths;
    hd_paths_shorten(&paths, r, own ? NULL : root);
    write_kind(out, r, kind, root, color);
    hd_paths_restore(&paths);
}

static bool has_mark(FILE *in)
{
    char text[LOOKED_AT + 1];
    size_t n = fread(text, 1, LOOKED_AT, in);
    for (size_t i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : ' ';
    text[n] = 0;
    for (int i = 0; i < HD_REPORT_KINDS; i++)
        if (kinds[i].mark && strstr(text, kinds[i].mark))
            return true;
    return false;
}

bool hd_formats_is_report(FILE *in)
{
    if (has_mark(in))
        return true;
    return !fseek(in, -LOOKED_AT, SEEK_END) && has_mark(in);
}
