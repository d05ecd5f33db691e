#include "report/format/tsan.h"

#include "report/format/report_escape.h"
#include "report/make/frame_names.h"
#include "report/format/words.h"

#include <ctype.h>
#include <string.h>

enum { MAX_TEXT = 1000 };

static const char *const headings[HD_PROPERTIES] = {
    "data race", "atomicity violation", "lock-order-inversion (potential deadlock)", "failure"};

struct writer {
    FILE *out;
    struct hd_arena *a;
    const struct hd_report *r;
};

/* Readers look for "ThreadSanitizer:" anywhere in a line, so no text of the program may hold it. */
static void put(struct writer *w, const char *text)
{
    static const char word[] = "ThreadSanitizer:";
    if (text && strstr(text, word)) {
        char *copy = hd_arena_strndup(w->a, text, strlen(text));
        for (char *p = copy; (p = strstr(p, word));)
            p[sizeof word - 2] = ';';
        text = copy;
    }
    hd_escape(w->out, HD_ESCAPE_LINE, text, MAX_TEXT);
}

static void put_line(struct writer *w, const char *lead, const char *text)
{
    if (!text)
        return;
    fputs(lead, w->out);
    put(w, text);
    fputc('\n', w->out);
}

static void put_frame(struct writer *w, size_t n, const struct hd_frame *f)
{
    fprintf(w->out, "    #%zu ", n);
    put(w, hd_words_frame(w->a, f));
    if (f->at.file && f->module) {
        fputs(" (", w->out);
        put(w, f->module);
        fputc(')', w->out);
    }
    fputc('\n', w->out);
}

/* Converters place a report at a frame of its first stack: those of libraries would mislead them.
 */
static void see_frame(void *ctx, size_t number, const struct hd_frame *f)
{
    put_frame(ctx, number, f);
}

static void put_access(struct writer *w, const struct hd_access *x, bool first)
{
    const char *kind = first ? x->kind : hd_words_format(w->a, "concurrent %s", x->kind);
    char *capital = hd_arena_strndup(w->a, kind, strlen(kind));
    *capital = (char)toupper((unsigned char)*capital);
    fputs("  ", w->out);
    put(w, capital);
    if (x->size)
        fprintf(w->out, " of size %u", x->size);
    fputs(" by thread ", w->out);
    put(w, x->thread);
    for (size_t i = 0; i < x->n_locks; i++) {
        fputs(i ? ", " : " (mutexes: ", w->out);
        fputs(x->locks[i].shared ? "read " : "write ", w->out);
        put(w, x->locks[i].name);
    }
    fputs(x->n_locks ? "):\n" : ":\n", w->out);
    hd_frame_names_each(&x->stack, w->r->full_stacks, see_frame, w);
    if (!x->stack.n)
        put_frame(w, 0, &(struct hd_frame){x->at, NULL});
    fputc('\n', w->out);
}

static void put_origin(struct writer *w, const struct hd_spot *at, const struct hd_stack *stack)
{
    fputs(" at:\n", w->out);
    hd_frame_names_each(stack, w->r->full_stacks, see_frame, w);
    if (!stack->n)
        put_frame(w, 0, &(struct hd_frame){*at, NULL});
    fputc('\n', w->out);
}

static void put_origins(struct writer *w, const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct hd_thread_made *t = &f->threads[i];
        if (!t->parent)
            continue;
        fputs("  Thread ", w->out);
        put(w, hd_words_format(w->a, "%s created by %s", t->name, t->parent));
        put_origin(w, &t->at, &t->stack);
    }
    for (size_t i = 0; i < f->n_locks; i++) {
        const struct hd_lock_made *l = &f->locks[i];
        fputs("  Mutex ", w->out);
        put(w, hd_words_format(w->a, "%s %s", l->name, l->made ? "created" : "first taken"));
        put_origin(w, &l->at, &l->stack);
    }
}

static void put_finding(struct writer *w, const struct hd_finding *f, unsigned pid)
{
    fprintf(w->out, "==================\n==%u==WARNING: ThreadSanitizer: %s (pid=%u)\n", pid,
            headings[f->property], pid);
    for (size_t i = 0; i < f->n_accesses; i++)
        put_access(w, &f->accesses[i], i == 0);
    fputs("  Location is ", w->out);
    put(w, hd_words_format(w->a, "%s '%s'", f->location ? f->location : "memory", f->variable));
    if (f->block_stack.n) {
        fputs(" allocated", w->out);
        put_origin(w, NULL, &f->block_stack);
    } else {
        fputs("\n\n", w->out);
    }
    put_origins(w, f);
    put_line(w, "  Innermost frames only: ", f->stacks);
    put_line(w, "  Status: ", hd_words_status(w->a, f));
    put_line(w, "  Why: ", f->why);
    put_line(w, "  Replay: ", hd_words_replay(w->a, w->r, f, ""));
    fprintf(w->out, "SUMMARY: ThreadSanitizer: %s ", headings[f->property]);
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_spot *at = &f->accesses[i].at;
        put(w, hd_words_format(w->a, "%s%s in %s", i ? " / " : "", hd_words_spot(w->a, at),
                               at->function ? at->function : "??"));
    }
    fputs("\n==================\n", w->out);
}

void hd_tsan_write(FILE *out, const struct hd_report *r, unsigned pid)
{
    struct writer w = {out, hd_arena_new(), r};
    size_t n = hd_report_errors(r);
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        if (hd_report_is_error(f))
            put_finding(&w, f, pid);
        hd_arena_reset(w.a);
    }
    if (n)
        fprintf(out, "ThreadSanitizer: reported %zu warnings\n", n);
    hd_arena_free(w.a);
}
