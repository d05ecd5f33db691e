#include "report/format/brief.h"

#include "report/format/report_escape.h"
#include "report/format/words.h"
#include "report/make/frame_names.h"

#include <stdlib.h>
#include <string.h>

/* ---- a part: text that may take some lines and no more ---- */

struct part {
    struct hd_page page;
    char *text;
    size_t size, lines;
};

static void part_begin(struct part *t, const struct hd_page *like)
{
    *t = (struct part){0};
    FILE *out = open_memstream(&t->text, &t->size);
    HD_ASSERT(out);
    hd_page_init(&t->page, out, like->color);
}

static void part_end(struct part *t)
{
    fclose(t->page.out);
    for (size_t i = 0; i < t->size; i++)
        t->lines += t->text[i] == '\n';
}

/* The first `max` lines; returns how many were written. */
static size_t part_put(const struct hd_page *p, struct part *t, size_t max)
{
    const char *at = t->text;
    size_t n = t->lines < max ? t->lines : max;
    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(at, "\n"), most = HD_PAGE_WIDTH - 4;
        bool cut = i + 1 == n && t->lines > max;
        for (most = cut && len > most ? most : len; most && most < len && at[most] != ' ';)
            most--; /* not within a word */
        fprintf(p->out, "%.*s%s%s\n", (int)most, at,
                cut ? hd_term_style(p->color, HD_STYLE_PLAIN) : "", cut ? " ..." : "");
        at += len + 1;
    }
    free(t->text);
    return n;
}

/* ---- the lines of a finding ---- */

void hd_brief_heading(struct hd_page *p, const struct hd_finding *f, size_t number)
{
    char proof[64], variable[400];
    struct hd_arena *arena = hd_arena_new();
    hd_page_begin(p, 0, 3);
    hd_page_style(p, f->status == HD_FINDING_PREDICTED || f->known ? HD_STYLE_BOLD : HD_STYLE_RED);
    if (f->property == HD_PROPERTY_FAILURE && f->effects[0].summary)
        hd_page_words(p, "%zu. %s: %s", number, hd_words_kind(f), f->effects[0].summary);
    else
        hd_page_words(p, "%zu. %s%s%s", number, hd_words_what(arena, f), hd_words_joint(f),
                      hd_frame_names_variable(f->variable, variable, sizeof variable));
    hd_page_style(p, HD_STYLE_PLAIN);
    hd_page_words(p, " [%s%s] %s", hd_words_proof(f, proof, sizeof proof),
                  f->known ? ", known" : "", f->id);
    hd_page_end(p);
    hd_arena_free(arena);
}

void hd_brief_access(struct hd_page *p, const struct hd_finding *f, const struct hd_access *a)
{
    struct hd_arena *arena = hd_arena_new();
    hd_page_begin(p, 3, 5);
    hd_page_words(p, "%s; locks: %s", hd_words_access(arena, f, a), hd_words_locks(arena, a));
    hd_page_end(p);
    hd_arena_free(arena);
}

/* The line of the source that does it. */
static void put_line(struct hd_page *p, const struct hd_access *a)
{
    const struct hd_snippet *s = &a->source;
    if (a->at.line < s->first || a->at.line - s->first >= s->lines.n)
        return;
    const char *text = s->lines.items[a->at.line - s->first];
    text += strspn(text, " \t");
    if (!*text)
        return;
    hd_page_begin(p, 5, 0);
    hd_page_style(p, HD_STYLE_BOLD);
    fputs("> ", p->out);
    hd_page_raw(p, text, HD_PAGE_WIDTH - 7);
    hd_page_style(p, HD_STYLE_PLAIN);
    hd_page_end(p);
}

static void put_accesses(struct hd_page *p, const struct hd_finding *f)
{
    enum { SHOWN = 3 }; /* threads of a deadlock */
    bool source = f->n_accesses <= 2;
    for (size_t i = 0; i < f->n_accesses && i < SHOWN; i++) {
        struct part line;
        part_begin(&line, p);
        hd_brief_access(&line.page, f, &f->accesses[i]);
        part_end(&line);
        part_put(p, &line, source ? 2 : 1);
        if (source && line.lines < 2)
            put_line(p, &f->accesses[i]);
    }
    if (f->n_accesses > SHOWN)
        fprintf(p->out, "   ... and %zu more threads\n", f->n_accesses - SHOWN);
}

static void make_part(struct part *t, const struct hd_page *like, const char *title,
                      const char *text)
{
    part_begin(t, like);
    if (text) {
        hd_page_begin(&t->page, 3, 5);
        hd_page_words(&t->page, "%s: %s", title, text);
        hd_page_end(&t->page);
    }
    part_end(t);
}

/* Races on one variable are mostly one bug: the worst comes first, and stands for them. */
static bool same_bug(const struct hd_finding *f, const struct hd_finding *g)
{
    return f->property == HD_PROPERTY_RACE && g->property == HD_PROPERTY_RACE &&
           f->status == g->status && f->known == g->known && !strcmp(f->variable, g->variable) &&
           strcmp(f->location ? f->location : "", g->location ? g->location : "") == 0;
}

static bool stands_above(const struct hd_report *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_bug(&r->findings[k], &r->findings[i]))
            return true;
    return false;
}

static bool has_others(const struct hd_report *r, size_t i)
{
    for (size_t k = i + 1; k < r->n_findings; k++)
        if (same_bug(&r->findings[i], &r->findings[k]))
            return true;
    return false;
}

/* Without it no run gets there: the input of a hunt, and the processes that have the race. */
static const char *way_there(struct hd_arena *a, const struct hd_report *r,
                             const struct hd_finding *f)
{
    const char *text = f->input ? hd_words_format(a, "%s%s%s", r->directory ? r->directory : "",
                                                  r->directory ? "/" : "", f->input)
                                : NULL;
    for (size_t i = 0; i < f->processes.n; i++)
        text = hd_words_format(a, "%s%s%s", text ? text : "",
                               !text ? "processes that the program started: " : ", ",
                               f->processes.items[i]);
    return text;
}

/* What is no finding of its own is named here all the same: the first pair, and how many. */
static const char *followers(struct hd_arena *a, const struct hd_finding *f)
{
    if (f->follows.n < 2)
        return f->follows.n ? f->follows.items[0] : NULL;
    return hd_words_format(a, "%zu pairs: %s", f->follows.n, f->follows.items[0]);
}

/* What is needed least gets the lines that are left. */
static void put_finding(struct hd_page *p, const struct hd_report *r, size_t i)
{
    const struct hd_finding *f = &r->findings[i];
    struct hd_arena *a = hd_arena_new();
    struct part head, accesses, way, why, follows, effect, fix;
    part_begin(&head, p);
    hd_brief_heading(&head.page, f, i + 1);
    part_end(&head);
    part_begin(&accesses, p);
    put_accesses(&accesses.page, f);
    part_end(&accesses);
    bool open = f->status == HD_FINDING_PREDICTED && f->reason;
    make_part(&way, p, f->input ? "Input" : "In", way_there(a, r, f));
    make_part(&why, p,
              !open        ? "Why"
              : f->refuted ? "Refuted"
                           : "Not confirmed",
              open ? f->reason : f->why);
    make_part(&follows, p, "Follows from it", followers(a, f));
    make_part(&effect, p, "Effect", hd_words_effects(a, f));
    make_part(&fix, p, "Fix", hd_words_advice(a, f));
    size_t effects = effect.lines < 2 ? effect.lines : 2, fixes = fix.lines < 2 ? fix.lines : 2;
    size_t left = HD_BRIEF_LINES - (has_others(r, i) ? 1 : 0) - (f->follows.n ? 1 : 0) -
                  part_put(p, &head, 2);
    left -= part_put(p, &accesses, 4);
    left -= part_put(p, &way, 1);
    left -= left < effects + fixes ? left : effects + fixes;
    part_put(p, &why, left);
    part_put(p, &follows, 1);
    part_put(p, &effect, 2);
    part_put(p, &fix, 2);
    hd_arena_free(a);
}

static void put_listed(struct hd_page *p, const struct hd_finding *f, size_t number)
{
    struct part head, line;
    part_begin(&head, p);
    hd_brief_heading(&head.page, f, number);
    part_end(&head);
    part_put(p, &head, 1);
    for (size_t i = 0; i < f->n_accesses && i < 2; i++) {
        part_begin(&line, p);
        hd_brief_access(&line.page, f, &f->accesses[i]);
        part_end(&line);
        part_put(p, &line, 1);
    }
}

static void put_others(struct hd_page *p, const struct hd_report *r, size_t i)
{
    enum { NAMED = 4 };
    size_t n = 0;
    struct part line;
    part_begin(&line, p);
    hd_page_begin(&line.page, 3, 5);
    for (size_t k = i + 1; k < r->n_findings; k++)
        if (same_bug(&r->findings[i], &r->findings[k]) && n++ < NAMED)
            hd_page_words(&line.page, "%s%s",
                          n > 1 ? ", " : "And at other places: ", r->findings[k].id);
    if (n > NAMED)
        hd_page_words(&line.page, " and %zu more", n - NAMED);
    hd_page_end(&line.page);
    part_end(&line);
    part_put(p, &line, n ? 1 : 0);
}

void hd_brief_findings(struct hd_page *p, const struct hd_report *r)
{
    size_t bugs = 0, shown = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        bugs += !stands_above(r, i);
    bool list = bugs > HD_BRIEF_MANY;
    size_t n = list && bugs > HD_BRIEF_LIST ? HD_BRIEF_LIST : bugs;
    for (size_t i = 0; i < r->n_findings && shown < n && !ferror(p->out); i++) {
        if (stands_above(r, i))
            continue;
        shown++;
        if (list)
            put_listed(p, &r->findings[i], i + 1);
        else
            put_finding(p, r, i);
        put_others(p, r, i);
        if (!list)
            fputc('\n', p->out);
    }
    if (n < bugs)
        fprintf(p->out, "... and %zu more findings\n", bugs - n);
    if (list)
        fputc('\n', p->out);
}

/* ---- what next ---- */

static bool is_poor(const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        if (!f->accesses[i].at.file || !f->accesses[i].at.line)
            return true;
    return false;
}

/* What a command needs to find the run again: nothing for the latest one. */
static const char *run_words(struct hd_arena *a, const struct hd_report *r)
{
    if (!r->directory || !strncmp(r->directory, "heddle-out/", 11))
        return "";
    return hd_words_format(a, " --run %s", hd_words_shell(a, r->directory));
}

/* Would more time decide more? Not what no step proves: other schedules may show it. Pairs of the
 * same two places, in one run or several, have one line. */
static bool wants_time(const struct hd_report *r)
{
    static const char orders[] = "memory orders not proved for all schedules";
    for (size_t i = 0; i < r->undecided_why.n; i++) {
        size_t n = strlen(r->undecided_why.items[i]), tail = sizeof orders - 1;
        if (n < tail || strcmp(r->undecided_why.items[i] + n - tail, orders) != 0)
            return true;
    }
    return !r->undecided_why.n;
}

void hd_brief_next(struct hd_page *p, const struct hd_report *r)
{
    struct hd_arena *a = hd_arena_new();
    const char *text = NULL;
    if (r->n_findings && is_poor(&r->findings[0]))
        text = "compile with -O1 -g: places without file and line have no debug information";
    else if (r->n_findings && r->directory)
        text = hd_words_format(a, "heddle show %s%s", r->findings[0].id, run_words(a, r));
    else if (r->of_trace && (r->late || (r->undecided && wants_time(r))))
        text = hd_words_format(a, "heddle analyze --budget 30m %s",
                               hd_words_shell(a, r->program.items[0]));
    else if (r->of_trace)
        text = NULL;
    else if (!r->n_findings && r->undecided && r->program.n && wants_time(r))
        text = hd_words_command(a, r, "run --budget 30m");
    else if (!r->n_findings && !r->searched && r->program.n)
        text = hd_words_command(a, r, "explore");
    if (text) {
        fputs("Next: ", p->out);
        hd_escape(p->out, HD_ESCAPE_LINE, text, 0);
        fputc('\n', p->out);
    }
    hd_arena_free(a);
}
