/* The page of one finding: title, sources, what each order did, what to do. */
#include "report/format/report_escape.h"
#include "report/make/frame_names.h"
#include "report/format/html_int.h"
#include "report/format/words.h"

#include <string.h>

static char mark_of(size_t access)
{
    return access < 26 ? (char)('A' + access) : '*';
}

static void put_crumb(struct hd_html *h, size_t i)
{
    size_t n = h->r->n_findings;
    hd_html_raw(h, "<p class=\"crumb\"><a href=\"#index\">All findings</a>");
    fprintf(h->out, "<span>%zu of %zu</span>", i + 1, n);
    if (i > 0)
        fprintf(h->out, "<a href=\"#%s\">Previous</a>", hd_html_id(h, i - 1));
    if (i + 1 < n)
        fprintf(h->out, "<a href=\"#%s\">Next</a>", hd_html_id(h, i + 1));
    hd_html_raw(h, "</p>\n");
}

static void put_outcome(struct hd_html *h, const struct hd_effect *e)
{
    bool bad = e->signal || e->deadlock || e->timeout || e->exit_status != 0;
    if (!e->summary) {
        hd_html_raw(h, "<span class=\"soft\">not run</span>");
        return;
    }
    fprintf(h->out, "<span class=\"status %s\">",
            bad              ? "confirmed"
            : e->output_diff ? "differs"
                             : "fine");
    hd_html_text(h, e->summary);
    hd_html_wrap(h, " (", e->signal_name, ")");
    hd_html_raw(h, e->output_diff ? ", other output" : "");
    hd_html_raw(h, "</span>");
}

static void put_essential_effect(struct hd_html *h, const struct hd_finding *f)
{
    bool one = f->property != HD_PROPERTY_RACE;
    if (!f->effects[0].summary && !f->effects[1].summary)
        return;
    hd_html_raw(h, one ? "<dt>Effect</dt><dd>" : "<dt>Effect</dt><dd>A first: ");
    put_outcome(h, &f->effects[one && !f->effects[0].summary]);
    if (!one) {
        hd_html_raw(h, "; B first: ");
        put_outcome(h, &f->effects[1]);
    }
    hd_html_raw(h, "</dd>");
}

/* Sentences of other rooms may begin small. */
static const char *capital(struct hd_html *h, const char *text)
{
    if (!text || *text < 'a' || *text > 'z')
        return text;
    char *copy = hd_arena_strndup(h->a, text, strlen(text));
    *copy = (char)(*copy - 'a' + 'A');
    return copy;
}

static void put_top(struct hd_html *h, size_t finding)
{
    const struct hd_finding *f = &h->r->findings[finding];
    put_crumb(h, finding);
    hd_html_raw(h, "<h1>");
    hd_html_text(h, hd_words_title(h->a, f));
    hd_html_raw(h, "</h1>\n<p class=\"facts\">");
    hd_html_status(h, f, hd_words_status(h->a, f));
    hd_html_wrap(h, "<code>", f->id, "</code>");
    hd_html_wrap(h, "<span class=\"soft\">", f->location, "</span>");
    for (size_t i = 0; i < f->processes.n; i++)
        hd_html_wrap(h, "<span class=\"soft\">process ", f->processes.items[i], "</span>");
    if (f->duplicates)
        fprintf(h->out, "<span class=\"soft\">seen %llu times</span>", 1ull + f->duplicates);
    if (h->r->runs > 1)
        hd_html_wrap(h, "<span class=\"soft\">first shown by ", f->shown_by, "</span>");
    fprintf(h->out, "<span class=\"soft\">%s</span></p>\n",
            f->known ? "known: in the baseline" : "new");
    hd_html_raw(h, "<dl class=\"essence\">");
    hd_html_wrap(h, "<dt>Why</dt><dd>", capital(h, f->why), "</dd>");
    for (size_t i = 0; i < f->follows.n; i++)
        hd_html_wrap(h, "<dt>Follows from it</dt><dd>", f->follows.items[i], "</dd>");
    put_essential_effect(h, f);
    hd_html_wrap(h, "<dt>Advice</dt><dd>", hd_words_advice(h->a, f), "</dd>");
    hd_html_raw(h, "</dl>\n");
}

static void put_source(struct hd_html *h, const struct hd_access *x)
{
    if (!x->source.lines.n) {
        hd_html_wrap(h, "<p class=\"none\">",
                     x->source.missing ? x->source.missing : "The source is not in the report.",
                     "</p>\n");
        return;
    }
    hd_html_lines(h, x->at.file, &x->source, x->at.line);
}

static void put_frame(void *ctx, size_t number, const struct hd_frame *f)
{
    struct hd_html *h = ctx;
    fprintf(h->out, "<li value=\"%zu\">", number);
    hd_html_wrap(h, "", hd_words_frame(h->a, f), "</li>");
}

/* event: of which it is the stack, so that pointing at it shows it; 0: none. */
static void put_stack(struct hd_html *h, const struct hd_stack *stack, uint64_t event)
{
    hd_html_raw(h, "<ol class=\"stack mono\" start=\"0\"");
    if (event)
        fprintf(h->out, " data-e=\"%llu\"", (unsigned long long)event);
    hd_html_raw(h, ">");
    size_t left = hd_frame_names_each(stack, h->r->full_stacks, put_frame, h);
    if (left)
        fprintf(h->out, "<li class=\"left\">%zu frame%s of libraries left out</li>", left,
                left == 1 ? "" : "s");
    hd_html_raw(h, "</ol>");
}

static void put_held(struct hd_html *h, const struct hd_access *x)
{
    for (size_t i = 0; i < x->n_locks; i++) {
        const struct hd_held *l = &x->locks[i];
        if (!l->stack.n)
            continue;
        hd_html_wrap(h, "<p>", l->name, ", held since:</p>");
        put_stack(h, &l->stack, l->event);
    }
}

static void put_pane(struct hd_html *h, const struct hd_finding *f, size_t i)
{
    const struct hd_access *x = &f->accesses[i];
    bool waits = f->property == HD_PROPERTY_DEADLOCK;
    char mark = mark_of(i);
    hd_html_wrap(h, "<section class=\"pane\" data-thread=\"", x->thread, "\"");
    fprintf(h->out, " data-mark=\"%c\">\n<header><h2><span class=\"mark\">%c</span>", mark, mark);
    hd_html_text(h, x->thread);
    hd_html_wrap(h, ": ", x->kind, "");
    if (x->size)
        fprintf(h->out, " of %u byte%s", x->size, x->size == 1 ? "" : "s");
    hd_html_raw(h, "</h2>\n<p><span class=\"place mono\">");
    hd_html_text(h, hd_words_spot(h->a, &x->at));
    hd_html_function(h, " ", x->at.function);
    hd_html_raw(h, "</span></p><p>");
    hd_html_wrap(h, waits ? "waits for <code>" : "value <code>", x->value, "</code> \xc2\xb7 ");
    hd_html_wrap(h, "holds ", x->n_locks ? hd_words_locks(h->a, x) : "no lock", "</p></header>\n");
    put_source(h, x);
    fprintf(h->out, "<details><summary>Stack (%zu frame%s)</summary>", x->stack.n,
            x->stack.n == 1 ? "" : "s");
    if (x->stack.n)
        put_stack(h, &x->stack, x->event);
    else
        hd_html_raw(h, "<p class=\"soft\">not known</p>");
    put_held(h, x);
    hd_html_raw(h, "</details>\n</section>\n");
}

/* ---- below the schedule ---- */

/* A race has two orders, an atomicity violation one. */
static int orders_of(const struct hd_finding *f)
{
    return f->property == HD_PROPERTY_RACE ? 2 : 1;
}

static void put_value_rows(struct hd_html *h, const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *x = &f->accesses[i];
        fprintf(h->out, "<tr><th scope=\"row\"><span class=\"mark\">%c</span>", mark_of(i));
        hd_html_text(h, x->kind);
        hd_html_raw(h, "</th>");
        hd_html_wrap(h, "<td><code>", x->value ? x->value : "?", "</code></td>");
        for (int k = 0; k < orders_of(f); k++) {
            const struct hd_texts *v = &f->effects[k].values;
            const char *value = i < v->n ? v->items[i] : NULL;
            hd_html_wrap(h, "<td><code>", value ? value : "?", "</code></td>");
        }
        hd_html_raw(h, "</tr>\n");
    }
}

static void put_recorded_outcome(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    if (r->signal)
        fprintf(h->out, "<td>signal %d</td>", r->signal);
    else
        fprintf(h->out, "<td>exit %d</td>", r->exit_status);
}

static void put_effect_detail(struct hd_html *h, const struct hd_effect *e, const char *title)
{
    if (!e->assertion && !e->output_diff && !e->stack.n)
        return;
    hd_html_wrap(h, "<details open><summary>", title, "</summary>");
    hd_html_wrap(h, "<pre class=\"diff\">", e->assertion, "</pre>");
    if (e->output_diff) {
        hd_html_raw(h, "<pre class=\"diff\" tabindex=\"0\">");
        /* Its line ends are ours, all else is the program's. */
        const char *p = e->output_diff;
        for (size_t n = 0; *p && n < 200; n++) {
            size_t len = strcspn(p, "\n");
            hd_html_text(h, hd_arena_strndup(h->a, p, len));
            hd_html_raw(h, "\n");
            p += len + (p[len] == '\n');
        }
        hd_html_raw(h, *p ? "...</pre>" : "</pre>");
    }
    if (e->stack.n)
        put_stack(h, &e->stack, 0);
    hd_html_raw(h, "</details>\n");
}

/* A deadlock has no order of its accesses: it is reached or not. */
static void put_effects(struct hd_html *h, const struct hd_finding *f)
{
    if (f->property == HD_PROPERTY_DEADLOCK)
        return;
    bool two = orders_of(f) == 2;
    fprintf(h->out, "<section><h2>%s</h2>\n<table class=\"orders\"><thead><tr><td></td>",
            two ? "Both orders" : "What it does");
    hd_html_raw(h, "<th scope=\"col\">recorded</th>");
    hd_html_raw(h, two ? "<th scope=\"col\">A first</th><th scope=\"col\">B first</th>"
                       : "<th scope=\"col\">in this order</th>");
    hd_html_raw(h, "</tr></thead><tbody>\n");
    put_value_rows(h, f);
    hd_html_raw(h, "<tr><th scope=\"row\">program</th>");
    put_recorded_outcome(h);
    for (int k = 0; k < orders_of(f); k++) {
        hd_html_raw(h, "<td>");
        put_outcome(h, &f->effects[k]);
        hd_html_raw(h, "</td>");
    }
    hd_html_raw(h, "</tr></tbody></table>\n");
    put_effect_detail(h, &f->effects[0], two ? "A first: what was seen" : "What was seen");
    if (two)
        put_effect_detail(h, &f->effects[1], "B first: what was seen");
    hd_html_raw(h, "</section>\n");
}

static void put_command(struct hd_html *h, const char *label, const char *text)
{
    if (!text)
        return;
    fprintf(h->out, "<p class=\"cmd\"><span class=\"label\">%s</span><code>", label);
    hd_escape(h->out, HD_ESCAPE_MARKUP, text, 4000);
    fprintf(h->out, "</code><button type=\"button\" aria-label=\"Copy: %s\">Copy</button></p>\n",
            label);
}

static void put_commands(struct hd_html *h, const struct hd_finding *f)
{
    put_command(h, "Replay", hd_words_replay(h->a, h->r, f, ""));
    put_command(h, "Debug", hd_words_replay(h->a, h->r, f, "--gdb"));
    put_command(h, "Suppress", hd_words_suppression(h->a, f));
    hd_html_wrap(h, "<p class=\"soft\">Input: <code>", f->input, "</code></p>");
}

/* Where something comes from: its stack behind a line that names what it is. */
static void put_origin(struct hd_html *h, const char *what, const struct hd_spot *at,
                       const struct hd_stack *stack, uint64_t event)
{
    hd_html_raw(h, stack->n ? "<li><details><summary>" : "<li>");
    hd_html_text(h, what);
    size_t own = hd_frame_names_own(stack);
    if (stack->n)
        at = &stack->frames[own < stack->n ? own : 0].at;
    hd_html_wrap(h, " at <span class=\"mono\">", hd_words_spot(h->a, at), "</span>");
    if (stack->n) {
        hd_html_raw(h, "</summary>");
        put_stack(h, stack, event);
        hd_html_raw(h, "</details>");
    }
    hd_html_raw(h, "</li>\n");
}

static void put_origins(struct hd_html *h, const struct hd_finding *f)
{
    if (!f->n_threads && !f->n_locks && !f->block_stack.n)
        return;
    hd_html_raw(h, "<h2 class=\"next\">Where they come from</h2>\n<ul class=\"origins\">");
    if (f->block_stack.n)
        put_origin(h, "the heap block, allocated", NULL, &f->block_stack, 0);
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct hd_thread_made *t = &f->threads[i];
        if (t->parent)
            put_origin(h, hd_words_format(h->a, "%s, created by %s", t->name, t->parent), &t->at,
                       &t->stack, t->event);
        else
            hd_html_wrap(h, "<li>", t->name, ", the main thread</li>\n");
    }
    for (size_t i = 0; i < f->n_locks; i++)
        put_origin(h,
                   hd_words_format(h->a, "lock %s, %s", f->locks[i].name,
                                   hd_words_lock_made(&f->locks[i])),
                   &f->locks[i].at, &f->locks[i].stack, f->locks[i].made ? 0 : f->locks[i].event);
    hd_html_raw(h, "</ul>\n");
    hd_html_wrap(h, "<p class=\"soft\">Innermost frames only: ", f->stacks, "</p>\n");
}

void hd_html_finding(struct hd_html *h, size_t finding)
{
    const struct hd_finding *f = &h->r->findings[finding];
    fprintf(h->out, "<article class=\"page finding\" id=\"%s\">\n", hd_html_id(h, finding));
    put_top(h, finding);
    hd_html_raw(h, h->later ? "<noscript>" : "");
    hd_html_raw(h, "<div class=\"panes\">\n");
    for (size_t i = 0; i < f->n_accesses; i++)
        put_pane(h, f, i);
    hd_html_raw(h, "</div>\n<div class=\"under\">\n");
    hd_html_schedule(h, finding);
    if (f->n_steps)
        hd_html_raw(h, "<section class=\"event\"><h2>Event</h2><dl></dl></section>\n");
    hd_html_raw(h, "</div>\n<div class=\"rest\">\n");
    put_effects(h, f);
    hd_html_seen(h, f);
    hd_html_raw(h, "<section><h2>Commands</h2>\n");
    put_commands(h, f);
    put_origins(h, f);
    hd_html_raw(h, "</section>\n</div>\n");
    hd_html_raw(h, h->later ? "</noscript></article>\n" : "</article>\n");
}
