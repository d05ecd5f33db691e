#include "report/format/junit.h"

#include "report/format/report_escape.h"
#include "report/format/words.h"

/* Lines of programs can be of any length; a test server shows a few screens. */
enum { MAX_TEXT = 2000 };

struct writer {
    FILE *out;
    struct hd_arena *a;
    const struct hd_report *r;
    const char *root;
};

static void put(struct writer *w, const char *text)
{
    hd_escape(w->out, HD_ESCAPE_MARKUP, text, MAX_TEXT);
}

static void put_line(struct writer *w, const char *lead, const char *text)
{
    if (!text)
        return;
    fputs(lead, w->out);
    put(w, text);
    fputc('\n', w->out);
}

static void put_detail(struct writer *w, const struct hd_finding *f)
{
    put_line(w, "", hd_words_title(w->a, f));
    put_line(w, "id: ", f->id);
    put_line(w, "status: ", hd_words_status(w->a, f));
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *x = &f->accesses[i];
        put_line(w, "",
                 hd_words_format(w->a, "%s: %s of size %u, locks: %s", x->thread, x->kind, x->size,
                                 hd_words_locks(w->a, x)));
        for (size_t k = 0; k < x->stack.n; k++)
            put_line(w, "    ", hd_words_frame(w->a, &x->stack.frames[k]));
        if (!x->stack.n)
            put_line(w, "    ", hd_words_spot(w->a, &x->at));
    }
    put_line(w, "innermost frames only: ", f->stacks);
    put_line(w, "why: ", f->why);
    put_line(w, "advice: ", hd_words_advice(w->a, f));
    put_line(w, "effect: ", hd_words_effect(f, 0));
    put_line(w, "effect in the other order: ", hd_words_effect(f, 1));
    put_line(w, "replay: ", hd_words_replay(w->a, w->r, f, ""));
    put_line(w, "debug: ", hd_words_replay(w->a, w->r, f, "--gdb"));
    put_line(w, "suppress: ", hd_words_suppression(w->a, f));
}

static void put_case(struct writer *w, const struct hd_finding *f)
{
    const struct hd_spot *at = f->n_accesses ? &f->accesses[0].at : NULL;
    bool error = hd_report_is_error(f);
    fputs("    <testcase classname=\"heddle.", w->out);
    put(w, hd_property_names[f->property]);
    fputs("\" name=\"", w->out);
    put(w, hd_words_format(w->a, "%s [%s]", hd_words_heading(w->a, f), f->id));
    if (at && at->file) {
        fputs("\" file=\"", w->out);
        put(w, hd_words_path(w->root, at->file));
        fprintf(w->out, "\" line=\"%u", at->line);
    }
    fputs("\" time=\"0\">\n", w->out);
    if (error) {
        fputs("      <failure type=\"", w->out);
        put(w, hd_property_names[f->property]);
        fputs("\" message=\"", w->out);
        put(w, hd_words_title(w->a, f));
        fputs("\">\n", w->out);
        put_detail(w, f);
        fputs("      </failure>\n", w->out);
    } else {
        fputs("      <skipped message=\"", w->out);
        put(w, f->known ? "known: it is in the baseline" : hd_words_status(w->a, f));
        fputs("\"/>\n      <system-out>", w->out);
        put_detail(w, f);
        fputs("      </system-out>\n", w->out);
    }
    fputs("    </testcase>\n", w->out);
}

static void put_texts(struct writer *w, const char *lead, const struct hd_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        put_line(w, lead, texts->items[i]);
}

/* What is not decided is an error of the test itself, unless it was said to be none. */
static void put_unfinished(struct writer *w)
{
    const char *why = hd_words_unfinished(w->a, w->r);
    if (!why)
        return;
    fputs("    <testcase classname=\"heddle\" name=\"everything is decided\" time=\"0\">\n",
          w->out);
    fputs(w->r->allow_undecided ? "      <skipped message=\"" : "      <error message=\"", w->out);
    put(w, why);
    fputs("\"/>\n    </testcase>\n", w->out);
}

void hd_junit_write(FILE *out, const struct hd_report *r, const char *root)
{
    struct writer w = {out, hd_arena_new(), r, root};
    size_t errors = hd_report_errors(r), n = r->n_findings ? r->n_findings : 1;
    size_t skipped = r->n_findings - errors, open = hd_report_unfinished(r);
    const char *counts =
        hd_words_format(w.a,
                        "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" "
                        "time=\"%.6f\"",
                        n + open, errors, r->allow_undecided ? 0 : open,
                        r->allow_undecided ? skipped + open : skipped, r->seconds);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle\" %s>\n",
            counts);
    fputs("  <testsuite name=\"", out);
    put(&w, hd_words_command(w.a, r, "run"));
    fprintf(out, "\" %s>\n", counts);
    if (!r->n_findings)
        fputs("    <testcase classname=\"heddle\" name=\"no race found\" time=\"0\"/>\n", out);
    for (size_t i = 0; i < r->n_findings; i++) {
        put_case(&w, &r->findings[i]);
        hd_arena_reset(w.a);
    }
    put_unfinished(&w);
    fprintf(out,
            "    <system-out>%llu pairs cannot race in what was run, %llu undecided, %llu skipped, "
            "%llu findings suppressed\n",
            (unsigned long long)r->impossible, (unsigned long long)r->undecided,
            (unsigned long long)r->skipped, (unsigned long long)r->suppressed);
    put_texts(&w, "undecided: ", &r->undecided_why);
    put_texts(&w, "not modelled: ", &r->unmodelled);
    put_texts(&w, "not instrumented: ", &r->uninstrumented);
    put_texts(&w, "note: ", &r->notes);
    put_texts(&w, "note: ", &r->search_notes);
    fputs("    </system-out>\n  </testsuite>\n</testsuites>\n", out);
    hd_arena_free(w.a);
}
