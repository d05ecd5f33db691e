#include "report/format/github.h"

#include "report/format/report_escape.h"
#include "report/format/words.h"

/* The service cuts messages at 64 KiB; ours stay far below. */
enum { MAX_TEXT = 1000 };

static void put_property(FILE *out, const char *lead, const char *text)
{
    fputs(lead, out);
    hd_escape(out, HD_ESCAPE_PROPERTY, text, MAX_TEXT);
}

static void put_message(FILE *out, const char *lead, const char *text)
{
    if (!text)
        return;
    fputs(lead, out);
    hd_escape(out, HD_ESCAPE_DATA, text, MAX_TEXT);
}

static void put_finding(FILE *out, struct hd_arena *a, const struct hd_report *r,
                        const struct hd_finding *f, const char *root)
{
    const struct hd_spot *at = f->n_accesses ? &f->accesses[0].at : NULL;
    fputs(f->known || f->refuted  ? "::notice "
          : hd_report_is_error(f) ? "::error "
                                  : "::warning ",
          out);
    if (at && at->file) {
        put_property(out, "file=", hd_words_path(root, at->file));
        if (at->line)
            fprintf(out, ",line=%u", at->line);
        if (at->line && at->column)
            fprintf(out, ",col=%u", at->column);
        fputc(',', out);
    }
    put_property(out, "title=", hd_words_heading(a, f));
    put_message(out, "::", hd_words_title(a, f));
    put_message(out, "; ", hd_words_status(a, f));
    for (size_t i = 1; i < f->n_accesses; i++)
        put_message(out, "%0AThe other access: ", hd_words_spot(a, &f->accesses[i].at));
    put_message(out, "%0AWhy: ", f->why);
    put_message(out, "%0A", hd_words_advice(a, f));
    put_message(out, "%0AReplay: ", hd_words_replay(a, r, f, ""));
    put_message(out, "%0AId: ", f->id);
    fputc('\n', out);
}

void hd_github_write(FILE *out, const struct hd_report *r, const char *root)
{
    struct hd_arena *a = hd_arena_new();
    for (size_t i = 0; i < r->n_findings; i++) {
        put_finding(out, a, r, &r->findings[i], root);
        hd_arena_reset(a);
    }
    const char *why = hd_words_unfinished(a, r);
    if (why) {
        bool error = !r->allow_undecided && !hd_report_errors(r);
        put_property(out, error ? "::error title=" : "::warning title=", "Heddle: not all decided");
        put_message(out, "::", why);
        fputc('\n', out);
    }
    hd_arena_free(a);
}
