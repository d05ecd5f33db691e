#include "report/format/report_text.h"

#include "report/make/frame_names.h"
#include "report/format/brief.h"
#include "report/format/report_escape.h"
#include "report/format/page.h"
#include "report/format/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define RULE "=================="

/* "teller bank.c:13:9", "bank.c:13", "teller" */
static void put_spot(struct hd_page *p, const struct hd_spot *at, const char *before)
{
    char name[400];
    if (at->function)
        hd_page_words(p, "%s%s", before, hd_frame_names_source(at->function, name, sizeof name));
    if (at->file && at->column)
        hd_page_words(p, "%s%s:%u:%u", at->function ? " " : before, at->file, at->line, at->column);
    else if (at->file)
        hd_page_words(p, "%s%s:%u", at->function ? " " : before, at->file, at->line);
    else if (!at->function)
        hd_page_words(p, "%san unknown place", before);
}

static void put_locks(struct hd_page *p, const struct hd_access *a)
{
    for (size_t i = 0; i < a->n_locks; i++)
        hd_page_words(p, "%s%s%s", i ? ", " : "", a->locks[i].name,
                      a->locks[i].shared ? " (read side)" : "");
    if (!a->n_locks)
        hd_page_words(p, "none");
}

/* ---- the essence ---- */

static void essence(struct hd_page *p, const struct hd_finding *f, size_t number)
{
    hd_brief_heading(p, f, number);
    for (size_t i = 0; i < f->n_accesses; i++)
        hd_brief_access(p, f, &f->accesses[i]);
}

/* ---- details ---- */

struct frames {
    struct hd_page *p;
    unsigned indent;
};

static void put_frame(void *ctx, size_t number, const struct hd_frame *f)
{
    const struct frames *to = ctx;
    struct hd_page *p = to->p;
    hd_page_begin(p, to->indent, to->indent + 4);
    hd_page_words(p, "#%zu", number);
    if (f->at.function || f->at.file || !f->module)
        put_spot(p, &f->at, " ");
    if (f->module && !f->at.file)
        hd_page_words(p, " (%s)", f->module);
    hd_page_end(p);
}

static void put_frames(struct hd_page *p, const struct hd_stack *s, unsigned indent)
{
    struct frames to = {p, indent};
    p->left_out += hd_frame_names_each(s, p->full, put_frame, &to);
}

/* What of a library was called there: the innermost frame, when it is not the program's own. */
static void put_inside(struct hd_page *p, const struct hd_stack *s, unsigned indent)
{
    char name[400];
    size_t own = hd_frame_names_own(s);
    if (p->full || own == 0 || own == s->n)
        return;
    const struct hd_spot *at = &s->frames[0].at;
    const char *file = at->file ? strrchr(at->file, '/') : NULL;
    hd_page_begin(p, indent, indent + 4);
    hd_page_words(p, "inside %s",
                  at->function ? hd_frame_names_source(at->function, name, sizeof name)
                               : "a library");
    if (at->file)
        hd_page_words(p, " (%s:%u)", file ? file + 1 : at->file, at->line);
    hd_page_end(p);
}

/* "... at:" with its stack, or "... in" with the one place that there is. */
static void put_origin(struct hd_page *p, const struct hd_spot *at, const struct hd_stack *stack,
                       unsigned indent)
{
    size_t own = hd_frame_names_own(stack), shown = 0;
    for (size_t k = 0; k < stack->n; k++)
        shown += p->full || own == stack->n || !hd_frame_names_foreign(&stack->frames[k]);
    hd_page_words(p, shown <= 1 ? " in" : " at:");
    if (shown <= 1) {
        put_spot(p, stack->n ? &stack->frames[own < stack->n ? own : 0].at : at, " ");
        p->left_out += stack->n - shown;
    }
    hd_page_end(p);
    if (shown > 1)
        put_frames(p, stack, indent);
}

static void put_thread(struct hd_page *p, const char *before, const struct hd_finding *f,
                       const char *thread)
{
    struct hd_arena *a = hd_arena_new();
    hd_page_words(p, "%s%s", before, hd_words_thread(a, f, thread));
    hd_arena_free(a);
}

/* A thread of a deadlock. */
static void put_wait(struct hd_page *p, const struct hd_finding *f, const struct hd_access *a)
{
    hd_page_begin(p, 2, 6);
    put_thread(p, "Thread ", f, a->thread);
    hd_page_words(p, ": %s %s (locks: ", a->kind, a->value ? a->value : "");
    put_locks(p, a);
    hd_page_words(p, "):");
    hd_page_end(p);
    put_frames(p, &a->stack, 4);
}

static void put_access(struct hd_page *p, const struct hd_finding *f, size_t i)
{
    const struct hd_access *a = &f->accesses[i];
    char kind[64];
    if (f->property == HD_PROPERTY_DEADLOCK) {
        put_wait(p, f, a);
        return;
    }
    snprintf(kind, sizeof kind, "%s", a->kind);
    if (i == 0 && kind[0] >= 'a' && kind[0] <= 'z')
        kind[0] = (char)(kind[0] - 'a' + 'A');
    hd_page_begin(p, 2, 6);
    hd_page_words(p, "%s%s", i ? "Concurrent " : "", kind);
    if (a->size)
        hd_page_words(p, " of size %u", a->size);
    bool failure = f->property == HD_PROPERTY_FAILURE;
    if (i == 0 && !failure)
        hd_page_words(p, " %s '%s'", hd_access_only_reads(a) ? "at" : "to", f->variable);
    if (i == 0 && !failure && f->location && strcmp(f->location, f->variable) != 0)
        hd_page_words(p, " (%s)", f->location);
    put_thread(p, " by thread ", f, a->thread);
    hd_page_words(p, " (locks: ");
    put_locks(p, a);
    hd_page_words(p, "):");
    hd_page_end(p);
    put_frames(p, &a->stack, 4);
    put_inside(p, &a->stack, 6);
    for (size_t k = 0; k < a->n_locks; k++) {
        hd_page_begin(p, 4, 8);
        hd_page_words(p, "holds %s, taken", a->locks[k].name);
        put_origin(p, &a->locks[k].taken, &a->locks[k].stack, 6);
    }
}

static void put_source(struct hd_page *p, const struct hd_access *a)
{
    enum { AROUND = 2 };
    const struct hd_snippet *s = &a->source;
    hd_page_begin(p, 2, 4);
    if (!s->lines.n) {
        if (a->at.file)
            hd_page_words(p, "%s:%u: %s", a->at.file, a->at.line,
                          s->missing ? s->missing : "no source");
        hd_page_end(p);
        return;
    }
    hd_page_words(p, "%s:", a->at.file);
    hd_page_end(p);
    for (size_t i = 0; i < s->lines.n; i++) {
        uint32_t line = s->first + (uint32_t)i;
        bool here = line == a->at.line;
        if (line + AROUND < a->at.line || line > a->at.line + AROUND)
            continue;
        hd_page_begin(p, 2, 0);
        hd_page_style(p, here ? HD_STYLE_BOLD : HD_STYLE_PLAIN);
        fprintf(p->out, "%s%5u | ", here ? ">" : " ", line);
        hd_page_raw(p, s->lines.items[i], HD_PAGE_WIDTH - 11);
        hd_page_style(p, HD_STYLE_PLAIN);
        hd_page_end(p);
    }
}

/* "lock m bank.c:24" */
static void put_step(struct hd_page *p, const struct hd_schedule_step *s)
{
    struct hd_arena *a = hd_arena_new();
    struct hd_frame frame = {.at = s->at};
    struct hd_schedule_step step = *s;
    /* Addresses say nothing, and what the racing accesses give depends on which goes first. */
    if (s->racing || (s->value && strstr(s->value, "0x")))
        step.value = NULL;
    hd_page_words(p, "%s", hd_words_step(a, &step));
    if (s->at.file && !hd_frame_names_foreign(&frame))
        hd_page_words(p, " %s:%u", s->at.file, s->at.line);
    hd_arena_free(a);
}

/* Of one stretch, what a reader has to know: its synchronisation and its last step that is no
 * branch. */
static size_t last_shown(const struct hd_finding *f, size_t from, size_t to)
{
    size_t last = to - 1;
    while (last > from && !strcmp(f->steps[last].op, "br"))
        last--;
    return last;
}

static size_t stretch_end(const struct hd_finding *f, size_t i, size_t end)
{
    size_t k = i + 1;
    while (k < end && !strcmp(f->steps[k].thread, f->steps[i].thread))
        k++;
    return k;
}

/* One stretch of one thread. */
static void put_stretch(struct hd_page *p, const struct hd_finding *f, size_t from, size_t to,
                        int width)
{
    enum { SHOWN = 6 };
    size_t left = 0, shown = 0, last = last_shown(f, from, to);
    hd_page_begin(p, 4, 4 + (unsigned)width + 1);
    hd_page_words(p, "%s", f->steps[from].thread);
    for (int n = (int)strlen(f->steps[from].thread); n < width; n++, p->column++)
        fputc(' ', p->out);
    for (size_t i = from; i < to; i++) {
        if (i > last || (i < last && (!f->steps[i].essential || shown >= SHOWN))) {
            left++;
            continue;
        }
        hd_page_words(p, shown ? ", " : " ");
        if (left)
            hd_page_words(p, "... ");
        left = 0;
        shown++;
        put_step(p, &f->steps[i]);
    }
    if (to - from > shown)
        hd_page_words(p, " [%zu events]", to - from);
    hd_page_end(p);
}

static int thread_width(const struct hd_finding *f)
{
    size_t width = 2;
    for (size_t i = 0; i < f->n_steps; i++) {
        size_t len = strlen(f->steps[i].thread);
        width = len > width && len <= 16 ? len : width;
    }
    return (int)width;
}

static void put_schedule(struct hd_page *p, const struct hd_finding *f)
{
    enum { HEAD = 4, TAIL = 8 }; /* stretches shown at both ends of a long schedule */
    size_t end = f->n_steps, stretches = 0, at = 0;
    bool race = f->property == HD_PROPERTY_RACE,
         together = race || f->property == HD_PROPERTY_DEADLOCK;
    int width = thread_width(f);
    while (together && end && f->steps[end - 1].racing && f->n_steps - end < f->n_accesses)
        end--;
    for (size_t i = 0; i < end; i = stretch_end(f, i, end))
        stretches++;
    fprintf(p->out, "  Schedule (%" PRIu64 " event%s, %u context switch%s%s):\n",
            f->n_steps + f->steps_left_out, f->n_steps == 1 ? "" : "s", f->switches,
            f->switches == 1 ? "" : "es", f->steps_left_out ? "; only some are here" : "");
    for (size_t i = 0; i < end; at++) {
        size_t to = stretch_end(f, i, end);
        if (stretches <= HEAD + TAIL || at < HEAD || at >= stretches - TAIL)
            put_stretch(p, f, i, to, width);
        else if (at == HEAD)
            fprintf(p->out, "    ... %zu more stretches ...\n", stretches - HEAD - TAIL);
        i = to;
    }
    for (size_t i = end; i < f->n_steps; i++) {
        hd_page_begin(p, 4, 8);
        hd_page_style(p, HD_STYLE_BOLD);
        hd_page_words(p, i > end                 ? "and:"
                         : hd_words_unordered(f) ? "not ordered after the first:"
                         : race                  ? "now both can run:"
                                                 : "now blocked:");
        hd_page_style(p, HD_STYLE_PLAIN);
        hd_page_words(p, " %s ", f->steps[i].thread);
        put_step(p, &f->steps[i]);
        hd_page_end(p);
    }
}

static void put_diff(struct hd_page *p, const char *diff)
{
    enum { SHOWN = 8 };
    unsigned n = 0;
    for (const char *at = diff; *at; n++) {
        size_t len = strcspn(at, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(len < 500 ? len : 500), at);
        if (n < SHOWN) {
            hd_page_begin(p, 6, 0);
            hd_page_raw(p, line, HD_PAGE_WIDTH - 6);
            hd_page_end(p);
        }
        at += len + (at[len] == '\n');
    }
    if (n > SHOWN)
        fprintf(p->out, "      ... and %u more lines\n", n - SHOWN);
}

static void put_effect(struct hd_page *p, const struct hd_finding *f, int order)
{
    const struct hd_effect *e = &f->effects[order];
    if (!e->summary)
        return;
    hd_page_begin(p, 4, 6);
    hd_page_words(p, "%s of %s first: %s", f->accesses[order].kind, f->accesses[order].thread,
                  e->summary);
    for (size_t k = 0; k < e->values.n && k < f->n_accesses; k++) {
        size_t i = order && f->n_accesses == 2 ? 1 - k : k; /* as they happened */
        if (e->values.items[i])
            hd_page_words(p, "; %s %s %s", f->accesses[i].thread,
                          hd_access_only_reads(&f->accesses[i]) ? "reads"
                          : hd_access_updates(&f->accesses[i])  ? "updates"
                                                                : "writes",
                          e->values.items[i]);
    }
    hd_page_end(p);
    if (e->assertion && !strstr(e->summary, e->assertion)) {
        hd_page_begin(p, 6, 6);
        hd_page_words(p, "%s", e->assertion);
        hd_page_end(p);
    }
    put_frames(p, &e->stack, 6);
    if (e->output_diff) {
        fprintf(p->out, "      output, against the other order:\n");
        put_diff(p, e->output_diff);
    }
}

/* Where the memory, the threads and the locks come from. */
static void put_origins(struct hd_page *p, const struct hd_finding *f)
{
    if (f->block_stack.n) {
        hd_page_begin(p, 2, 6);
        if (f->property == HD_PROPERTY_FAILURE)
            hd_page_words(p, "The heap block of its last access was allocated");
        else
            hd_page_words(p, "Location is a %s, allocated",
                          f->location ? f->location : "heap block");
        put_origin(p, NULL, &f->block_stack, 4);
    }
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct hd_thread_made *t = &f->threads[i];
        hd_page_begin(p, 2, 6);
        if (t->parent) {
            put_thread(p, "Thread ", f, t->name);
            hd_page_words(p, " created by %s", t->parent);
            put_origin(p, &t->at, &t->stack, 4);
        } else {
            hd_page_words(p, "Thread %s is the main thread", t->name);
            hd_page_end(p);
        }
    }
    for (size_t i = 0; i < f->n_locks; i++) {
        const struct hd_lock_made *l = &f->locks[i];
        hd_page_begin(p, 2, 6);
        hd_page_words(p, "Lock %s %s", l->name, hd_words_lock_made(l));
        put_origin(p, &l->at, &l->stack, 4);
    }
    if (f->stacks && f->status != HD_FINDING_OBSERVED) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "Innermost frames only: %s", f->stacks);
        hd_page_end(p);
    }
}

static void put_advice(struct hd_page *p, const struct hd_finding *f)
{
    struct hd_arena *a = hd_arena_new();
    const char *advice = hd_words_advice(a, f);
    if (advice) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "Advice: %s", advice);
        hd_page_end(p);
    }
    hd_arena_free(a);
}

static void put_summary_of(struct hd_page *p, const struct hd_finding *f)
{
    char name[400];
    hd_page_begin(p, 0, 2);
    hd_page_words(p, "SUMMARY: heddle: %s", hd_words_kind(f));
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_spot *at = &f->accesses[i].at;
        hd_page_words(p, i ? " / " : " ");
        if (at->file)
            hd_page_words(p, "%s:%u", at->file, at->line);
        else
            hd_page_words(p, "unknown place");
        if (at->file && at->column)
            hd_page_words(p, ":%u", at->column);
        if (at->function)
            hd_page_words(p, " in %s", hd_frame_names_source(at->function, name, sizeof name));
    }
    hd_page_end(p);
}

static void put_effects(struct hd_page *p, const struct hd_finding *f)
{
    if (!f->effects[0].summary && (f->property != HD_PROPERTY_RACE || !f->effects[1].summary))
        return;
    if (f->property != HD_PROPERTY_RACE) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "Effect: %s", f->effects[0].summary);
        hd_page_end(p);
        return;
    }
    fprintf(p->out, "  Effect of the two orders:\n");
    put_effect(p, f, 0);
    put_effect(p, f, 1);
}

/* By its id where the run is the latest one, by its witness where the folder is the user's own. */
static void put_commands(struct hd_page *p, const struct hd_report *r, const struct hd_finding *f)
{
    if (f->input) {
        fputs("  Input: ", p->out);
        hd_escape(p->out, HD_ESCAPE_LINE, r->directory, 0);
        fputs(r->directory ? "/" : "", p->out);
        hd_escape(p->out, HD_ESCAPE_LINE, f->input, 0);
        fputc('\n', p->out);
    }
    if (f->shown_by && r->runs > 1) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "First shown by: %s", f->shown_by);
        hd_page_end(p);
    }
    if (!f->witness)
        return;
    if (!r->directory || !strncmp(r->directory, "heddle-out/", 11)) {
        fprintf(p->out, "  Replay: heddle replay %s   Debug: heddle replay --gdb %s\n", f->id,
                f->id);
        return;
    }
    struct hd_arena *a = hd_arena_new();
    fprintf(p->out, "  Replay: %s\n", hd_words_replay(a, r, f, ""));
    fprintf(p->out, "  Debug: %s\n", hd_words_replay(a, r, f, "--gdb"));
    hd_arena_free(a);
}

static void details(struct hd_page *p, const struct hd_report *r, const struct hd_finding *f)
{
    char proof[64];
    hd_page_begin(p, 0, 2);
    hd_page_style(p, HD_STYLE_BOLD);
    hd_page_words(p, "WARNING: heddle: %s [%s] id=%s", hd_words_kind(f),
                  hd_words_proof(f, proof, sizeof proof), f->id);
    hd_page_style(p, HD_STYLE_PLAIN);
    hd_page_end(p);
    for (size_t i = 0; i < f->n_accesses; i++)
        put_access(p, f, i);
    if (f->reason) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "Not confirmed: %s", f->reason);
        hd_page_end(p);
    }
    if (f->why) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "Why it can happen: %s", f->why);
        hd_page_end(p);
    }
    for (size_t i = 0; i < f->follows.n; i++) {
        hd_page_begin(p, 2, 4);
        hd_page_words(p, "Follows from it: %s", f->follows.items[i]);
        hd_page_end(p);
    }
    put_advice(p, f);
    if (f->n_steps)
        put_schedule(p, f);
    put_effects(p, f);
    for (size_t i = 0; i < f->n_accesses; i++)
        put_source(p, &f->accesses[i]);
    put_origins(p, f);
    for (size_t i = 0; i < f->processes.n; i++)
        fprintf(p->out, "%s%s%s",
                i ? ", " : "  In processes that the program started: ", f->processes.items[i],
                i + 1 < f->processes.n ? "" : "\n");
    if (f->duplicates)
        fprintf(p->out, "  Found %u more time%s.\n", f->duplicates, f->duplicates == 1 ? "" : "s");
    put_commands(p, r, f);
    put_summary_of(p, f);
    fprintf(p->out, "%s\n", RULE);
}

/* ---- the frame ---- */

/* A line that must not be broken. */
struct line {
    char text[512];
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void add_to(struct line *l, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(l->text + l->len, sizeof l->text - l->len, fmt, args);
    va_end(args);
    l->len = strlen(l->text);
}

static void put_list(struct hd_page *p, const char *title, const struct hd_texts *list)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < list->n && i < SHOWN; i++) {
        hd_page_begin(p, 0, 2);
        hd_page_words(p, "%s: %s", title, list->items[i]);
        hd_page_end(p);
    }
    if (list->n > SHOWN)
        fprintf(p->out, "%s: ... and %zu more\n", title, list->n - SHOWN);
}

static void put_rules(struct hd_page *p, const struct hd_report *r)
{
    for (size_t i = 0; i < r->n_rules; i++) {
        const struct hd_rule_use *rule = &r->rules[i];
        if (rule->used)
            continue;
        hd_page_begin(p, 0, 2);
        hd_page_words(p, "%s suppression: %s:%u: %s", rule->expired ? "Expired" : "Unused",
                      rule->file ? rule->file : "?", rule->line, rule->text);
        hd_page_end(p);
    }
}

static void put_gone(struct hd_page *p, const struct hd_report *r)
{
    for (size_t i = 0; i < r->n_gone; i++) {
        const struct hd_gone *g = &r->gone[i];
        hd_page_begin(p, 0, 2);
        hd_page_words(p, "Gone since the baseline: %s [%s] %s", g->title ? g->title : g->variable,
                      hd_finding_status_names[g->status], g->id);
        hd_page_end(p);
    }
}

static void put_count(struct hd_page *p, uint64_t n, const char *one, const char *many)
{
    hd_page_words(p, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* Behind the counts of a summary, each only where there is some. */
static void put_part(struct line *l, uint64_t n, const char *one, const char *many)
{
    if (n)
        add_to(l, ", %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void count_findings(struct line *l, const struct hd_report *r)
{
    uint64_t proved[HD_PROPERTIES] = {0}, predicted = 0, known = 0;
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        if (f->known)
            known++;
        else if (f->status == HD_FINDING_PREDICTED)
            predicted += !f->refuted;
        else
            proved[f->property]++;
    }
    add_to(l, "heddle: %llu %s confirmed", (unsigned long long)proved[HD_PROPERTY_RACE],
           proved[HD_PROPERTY_RACE] == 1 ? "race" : "races");
    put_part(l, proved[HD_PROPERTY_ATOMICITY], "atomicity violation", "atomicity violations");
    put_part(l, proved[HD_PROPERTY_DEADLOCK], "deadlock", "deadlocks");
    put_part(l, proved[HD_PROPERTY_FAILURE], "failure", "failures");
    add_to(l, ", %llu predicted only", (unsigned long long)predicted);
    put_part(l, hd_report_refuted(r), "refuted", "refuted");
    if (known || r->baseline)
        add_to(l, ", %llu known", (unsigned long long)known);
    if (r->baseline)
        add_to(l, ", %zu gone", r->n_gone);
    put_part(l, r->suppressed, "suppressed", "suppressed");
    put_part(l, r->undecided, "undecided", "undecided");
}

/* How the recorded program ended, when it did not end well. */
static void put_ending(struct line *l, const struct hd_report *r)
{
    const char *name = r->signal ? sigabbrev_np(r->signal) : NULL;
    if (name)
        add_to(l, "; killed by SIG%s", name);
    else if (r->signal)
        add_to(l, "; killed by signal %d", r->signal);
}

/* What was looked at. */
static void put_extent(struct hd_page *p, const struct hd_report *r)
{
    hd_page_begin(p, 0, 2);
    hd_page_words(p, "Checked: ");
    put_count(p, r->events, "event", "events");
    if (r->runs > 1)
        hd_page_words(p, " in %llu runs", (unsigned long long)r->runs);
    hd_page_words(p, "; ");
    put_count(p, r->impossible, "other pair", "other pairs");
    hd_page_words(p, " cannot race %s", r->runs > 1 ? "there" : "in this run");
    hd_page_words(p, ", %llu undecided", (unsigned long long)r->undecided);
    hd_page_end(p);
}

static void put_unfinished(struct hd_page *p, const struct hd_report *r)
{
    struct hd_arena *a = hd_arena_new();
    const char *why = hd_words_unfinished(a, r);
    if (why && !hd_report_errors(r)) {
        hd_page_begin(p, 0, 2);
        hd_page_words(p, "Not decided: %s", why);
        hd_page_end(p);
    }
    hd_arena_free(a);
}

/* One line, the last: scripts take it. What does not fit stands before it. */
static void summary(struct hd_page *p, const struct hd_report *r, bool alone)
{
    struct line line = {0}, folder = {0}, ending = {0};
    count_findings(&line, r);
    put_ending(&ending, r);
    if (r->interrupted)
        add_to(&ending, "; interrupted");
    if (r->directory)
        add_to(&folder, "; %s", r->directory);
    bool fits = line.len + ending.len + folder.len <= HD_PAGE_WIDTH;
    if (!fits && !alone)
        fprintf(p->out, "Files: %s\n", r->directory);
    hd_page_style(p, hd_report_errors(r) ? HD_STYLE_RED : HD_STYLE_BOLD);
    fputs(line.text, p->out);
    hd_page_style(p, HD_STYLE_PLAIN);
    fprintf(p->out, "%s%s\n", ending.text, fits ? folder.text : "");
}

void hd_report_text_summary(FILE *out, const struct hd_report *r)
{
    struct hd_page p;
    hd_page_init(&p, out, false);
    summary(&p, r, true);
}

static void put_findings(struct hd_page *p, const struct hd_report *r)
{
    for (size_t i = 0; i < r->n_findings && !ferror(p->out); i++)
        essence(p, &r->findings[i], i + 1);
    if (r->n_findings)
        fprintf(p->out, "\n%s\n", RULE);
    for (size_t i = 0; i < r->n_findings && !ferror(p->out); i++)
        details(p, r, &r->findings[i]);
}

void hd_report_text_finding(FILE *out, const struct hd_report *r, const struct hd_finding *f,
                            bool color)
{
    struct hd_page p;
    hd_page_init(&p, out, color);
    p.full = r->full_stacks;
    details(&p, r, f);
    if (p.left_out)
        fputs("Frames of libraries are left out; --full-stacks shows them.\n", out);
}

void hd_report_text_write(FILE *out, const struct hd_report *r, bool color)
{
    struct hd_page p;
    hd_page_init(&p, out, color);
    p.full = r->full_stacks;
    (r->brief ? hd_brief_findings : put_findings)(&p, r);
    put_gone(&p, r);
    put_list(&p, "Undecided", &r->undecided_why);
    put_list(&p, "Not modelled", &r->unmodelled);
    put_list(&p, "Not instrumented", &r->uninstrumented);
    put_list(&p, "Note", &r->notes);
    put_list(&p, "Note", &r->search_notes);
    put_rules(&p, r);
    if (p.left_out)
        fputs("Frames of libraries are left out; heddle report -v --full-stacks shows them.\n",
              out);
    put_extent(&p, r);
    put_unfinished(&p, r);
    summary(&p, r, false);
    if (r->brief)
        hd_brief_next(&p, r);
}
