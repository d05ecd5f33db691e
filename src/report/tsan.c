#include "report/tsan.h"

#include "report/escape.h"
#include "report/words.h"

#include <ctype.h>

enum { MAX_TEXT = 1000 };

static const char *const headings[HD_PROPERTIES] = {"data race", "atomicity violation",
                                                    "lock-order-inversion (potential deadlock)"};

static void put(FILE *out, const char *text)
{
    hd_escape(out, HD_ESCAPE_LINE, text, MAX_TEXT);
}

static void put_line(FILE *out, const char *lead, const char *text)
{
    if (!text)
        return;
    fputs(lead, out);
    put(out, text);
    fputc('\n', out);
}

static void put_frame(FILE *out, size_t n, const struct hd_frame *f, struct hd_arena *a)
{
    fprintf(out, "    #%zu ", n);
    put(out, hd_words_frame(a, f));
    if (f->at.file && f->module) {
        fputs(" (", out);
        put(out, f->module);
        fputc(')', out);
    }
    fputc('\n', out);
}

static void put_access(FILE *out, const struct hd_access *x, bool first, struct hd_arena *a)
{
    const char *kind = first ? x->kind : hd_words_format(a, "concurrent %s", x->kind);
    fputs("  ", out);
    if (*kind)
        fputc(toupper((unsigned char)*kind), out);
    put(out, *kind ? kind + 1 : kind);
    if (x->size)
        fprintf(out, " of size %u", x->size);
    fputs(" by thread ", out);
    put(out, x->thread);
    if (x->n_locks) {
        fputs(" (mutexes: ", out);
        for (size_t i = 0; i < x->n_locks; i++) {
            fprintf(out, "%s%s ", i ? ", " : "", x->locks[i].shared ? "read" : "write");
            put(out, x->locks[i].name);
        }
        fputc(')', out);
    }
    fputs(":\n", out);
    for (size_t i = 0; i < x->n_stack; i++)
        put_frame(out, i, &x->stack[i], a);
    if (!x->n_stack)
        put_frame(out, 0, &(struct hd_frame){x->at, NULL}, a);
    fputc('\n', out);
}

static void put_threads(FILE *out, const struct hd_finding *f, struct hd_arena *a)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct hd_thread_made *t = &f->threads[i];
        if (!t->parent)
            continue;
        fputs("  Thread ", out);
        put(out, t->name);
        fputs(" created by ", out);
        put(out, t->parent);
        fputs(" at:\n", out);
        put_frame(out, 0, &(struct hd_frame){t->at, NULL}, a);
        fputc('\n', out);
    }
}

static void put_finding(FILE *out, const struct hd_report *r, const struct hd_finding *f,
                        unsigned pid, struct hd_arena *a)
{
    fprintf(out, "==================\n==%u==WARNING: ThreadSanitizer: %s (pid=%u)\n", pid,
            headings[f->property], pid);
    for (size_t i = 0; i < f->n_accesses; i++)
        put_access(out, &f->accesses[i], i == 0, a);
    fputs("  Location is ", out);
    put(out, f->location ? f->location : "memory");
    fputs(" '", out);
    put(out, f->variable);
    fputs("'\n\n", out);
    put_threads(out, f, a);
    put_line(out, "  Status: ", hd_words_status(a, f));
    put_line(out, "  Why: ", f->why);
    put_line(out, "  Replay: ", hd_words_replay(a, r, f, ""));
    fprintf(out, "SUMMARY: ThreadSanitizer: %s ", headings[f->property]);
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_spot *at = &f->accesses[i].at;
        put(out, hd_words_format(a, "%s%s in %s", i ? " / " : "", hd_words_spot(a, at),
                                 at->function ? at->function : "??"));
    }
    fputs("\n==================\n", out);
}

void hd_report_write_tsan(FILE *out, const struct hd_report *r, unsigned pid)
{
    struct hd_arena *a = hd_arena_new();
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        if (f->status != HD_FINDING_PREDICTED && !f->known)
            put_finding(out, r, f, pid, a);
        hd_arena_reset(a);
    }
    size_t n = hd_report_errors(r);
    if (n)
        fprintf(out, "ThreadSanitizer: reported %zu warnings\n", n);
    hd_arena_free(a);
}
