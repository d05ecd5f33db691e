/* Writes the hand-made reports of tests/support in every format into a folder. */
#include "report/format/github.h"
#include "report/format/gitlab.h"
#include "report/format/html.h"
#include "report/format/report_json.h"
#include "report/format/junit.h"
#include "report/format/perfetto.h"
#include "report/filter/rules.h"
#include "report/format/sarif.h"
#include "report/format/report_text.h"
#include "report/format/tsan.h"
#include "report_fixture.h"

#include <stdlib.h>
#include <string.h>

static FILE *create(const char *dir, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", dir, name, suffix);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    return out;
}

#define WRITE(suffix, call)                                                                        \
    do {                                                                                           \
        FILE *out = create(dir, name, suffix);                                                     \
        call;                                                                                      \
        fclose(out);                                                                               \
    } while (0)

static void write_all(const char *dir, const char *name, struct hd_report *r)
{
    r->directory = "heddle-out/1";
    WRITE("json", hd_report_json_write(out, r));
    WRITE("sarif", hd_sarif_write(out, r, NULL));
    WRITE("html", hd_html_write(out, r));
    WRITE("xml", hd_junit_write(out, r, NULL));
    WRITE("github", hd_github_write(out, r, NULL));
    WRITE("gitlab", hd_gitlab_write(out, r, NULL));
    WRITE("tsan", hd_tsan_write(out, r, 1));
    WRITE("txt", hd_report_text_write(out, r, false));
    WRITE("supp", hd_rules_write(out, r, false));
    WRITE("trace.json", hd_perfetto_write(out, r));
    hd_report_free(r);
}

/* So many that a browser reads them later: the same ones again, under other names. */
static struct hd_report *hostiles(void)
{
    enum { TIMES = 10 };
    struct hd_report *r = hd_fixture_hostile();
    size_t n = r->n_findings;
    struct hd_finding *all = hd_report_array(r, n * TIMES, sizeof *all);
    for (size_t i = 0; i < n * TIMES; i++) {
        all[i] = r->findings[i % n];
        if (i >= n)
            all[i].id = hd_report_format(r, "R-%06zx", i);
    }
    r->findings = all;
    r->n_findings = n * TIMES;
    return r;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    write_all(argv[1], "bank", hd_fixture_bank());
    write_all(argv[1], "hostile", hd_fixture_hostile());
    write_all(argv[1], "hostiles", hostiles());
    write_all(argv[1], "many", hd_fixture_many(100, 150));
    write_all(argv[1], "crowd", hd_fixture_crowd());
    write_all(argv[1], "sparse", hd_fixture_sparse());
    write_all(argv[1], "empty", hd_report_new());
    return 0;
}
