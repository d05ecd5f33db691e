#include "report/filter/rules.h"

#include "report/format/report_escape.h"
#include "report/format/words.h"

#include <string.h>

enum { MAX_TEXT = 300 };

static void put_comment(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    hd_escape(out, HD_ESCAPE_LINE, text, MAX_TEXT);
}

/* A name that a rule can hold as it stands. */
static bool is_plain(const char *name)
{
    static const char special[] = ";\n\r#";
    if (!name || !*name || strpbrk(name, special) || strstr(name, "<->") ||
        strstr(name, " until:") || strstr(name, " reason:") || strlen(name) > MAX_TEXT)
        return false;
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (*p < 0x20 || *p >= 0x7f)
            return false;
    return *name != ' ' && name[strlen(name) - 1] != ' ';
}

static void put_wider(FILE *out, const struct hd_finding *f)
{
    bool deadlock = f->property == HD_PROPERTY_DEADLOCK;
    const char *a = f->n_accesses > 0 ? f->accesses[0].at.function : NULL;
    const char *b = f->n_accesses > 1 ? f->accesses[1].at.function : NULL;
    if (deadlock && is_plain(a))
        fprintf(out, "#deadlock:^%s$\n", a);
    else if (!deadlock && is_plain(a) && is_plain(b))
        fprintf(out, "#race_top:^%s$ <-> ^%s$\n", a, b);
    if (!deadlock && is_plain(f->variable))
        fprintf(out, "#var:^%s$\n", f->variable);
}

static void put_finding(FILE *out, const struct hd_report *r, const struct hd_finding *f,
                        struct hd_arena *a)
{
    put_comment(out, "\n# ", hd_words_title(a, f));
    fputs("\n#", out);
    for (size_t i = 0; i < f->n_accesses; i++)
        put_comment(out, i ? ", " : " ", hd_words_spot(a, &f->accesses[i].at));
    put_comment(out, "; ", hd_words_status(a, f));
    if (r->baseline)
        fputs(f->known ? "; known" : "; new", out);
    fputc('\n', out);
    if (is_plain(f->id)) /* a report that was made by hand may hold anything */
        fprintf(out, "%s\n", hd_words_suppression(a, f));
    put_wider(out, f);
}

void hd_rules_write(FILE *out, const struct hd_report *r, bool errors_only)
{
    struct hd_arena *a = hd_arena_new();
    size_t n = errors_only ? hd_report_errors(r) : r->n_findings;
    fprintf(out,
            "# Suppressions by heddle for %zu finding%s. Each rule hides one finding; those that "
            "are\n# commented out hide more. Behind a rule: until:2026-12-31 reason:why\n",
            n, n == 1 ? "" : "s");
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        if (!errors_only || hd_report_is_error(f))
            put_finding(out, r, f, a);
        hd_arena_reset(a);
    }
    hd_arena_free(a);
}
