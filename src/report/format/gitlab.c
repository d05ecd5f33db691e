#include "report/format/gitlab.h"

#include "report/format/put.h"
#include "report/format/words.h"

static void put_entry(struct hd_json *j, const char *check, const char *severity, const char *print,
                      const char *path, uint32_t line, const char *text)
{
    hd_json_begin_object(j);
    hd_put_text(j, "check_name", check);
    hd_put_text(j, "severity", severity);
    hd_put_text(j, "fingerprint", print);
    hd_put_text(j, "description", text);
    hd_put_object(j, "location");
    hd_put_text(j, "path", path);
    hd_put_object(j, "lines");
    hd_put_uint(j, "begin", line ? line : 1); /* the service takes no 0 */
    hd_json_end_object(j);
    hd_json_end_object(j);
    hd_json_end_object(j);
}

static void put_finding(struct hd_json *j, struct hd_arena *a, const struct hd_finding *f,
                        const char *program, const char *root)
{
    const struct hd_spot *at = f->n_accesses ? &f->accesses[0].at : NULL;
    const char *advice = hd_words_advice(a, f);
    const char *text =
        hd_words_format(a, "%s; %s.%s%s (%s)", hd_words_title(a, f), hd_words_status(a, f),
                        advice ? " " : "", advice ? advice : "", f->id);
    put_entry(j, hd_words_format(a, "heddle-%s", hd_property_names[f->property]),
              f->known || f->refuted  ? "info"
              : hd_report_is_error(f) ? "critical"
                                      : "minor",
              f->fingerprint ? f->fingerprint : f->id,
              at && at->file ? hd_words_path(root, at->file) : program, at ? at->line : 0, text);
}

void hd_gitlab_write(FILE *out, const struct hd_report *r, const char *root)
{
    struct hd_arena *a = hd_arena_new();
    struct hd_json j;
    const char *program = r->program.n ? hd_words_path(root, r->program.items[0]) : ".";
    hd_json_init(&j, out);
    hd_json_begin_array(&j);
    for (size_t i = 0; i < r->n_findings; i++) {
        put_finding(&j, a, &r->findings[i], program, root);
        hd_arena_reset(a);
    }
    const char *why = hd_words_unfinished(a, r);
    if (why)
        put_entry(&j, "heddle-undecided", r->allow_undecided ? "info" : "major", "heddle-undecided",
                  program, 0, hd_words_format(a, "Heddle: %s", why));
    hd_json_end_array(&j);
    fputc('\n', out);
    hd_arena_free(a);
}
