#include "report/format/html.h"

#include "base/names.h"
#include "report/format/assets.h"
#include "report/format/report_escape.h"
#include "report/format/html_int.h"
#include "report/format/words.h"
#include "report/make/frame_names.h"

#include <string.h>

/* 2 MB for 100 findings: 20 KB each. A step takes some 160 bytes, the rest of a finding some 8 KB,
 * so 1 MB is left for steps, and a little for the source around them. Few findings may have more.
 * From LATER findings on a browser reads those that are opened, and the list at once. */
enum {
    LATER = 30,
    STEP_BUDGET = 6000,
    MIN_STEPS = 20,
    MAX_STEPS = 2000,
    MAX_TEXT = 300,
    MAX_LINE = 300,
    SOURCE_BUDGET = 200 * 1000
};

void hd_html_raw(struct hd_html *h, const char *markup)
{
    fputs(markup, h->out);
}

void hd_html_text(struct hd_html *h, const char *text)
{
    hd_escape(h->out, HD_ESCAPE_MARKUP, text, MAX_TEXT);
}

void hd_html_wrap(struct hd_html *h, const char *before, const char *text, const char *after)
{
    if (!text)
        return;
    hd_html_raw(h, before);
    hd_html_text(h, text);
    hd_html_raw(h, after);
}

void hd_html_function(struct hd_html *h, const char *before, const char *function)
{
    char name[400];
    if (function)
        hd_html_wrap(h, before, hd_frame_names_source(function, name, sizeof name), "");
}

const char *hd_html_id(struct hd_html *h, size_t finding)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    const char *id = h->r->findings[finding].id;
    if (id[0] >= 'A' && id[0] <= 'Z' && id[1] == '-' && id[2] && strlen(id) <= 40 &&
        !id[2 + strspn(id + 2, plain)])
        return id;
    return hd_words_format(h->a, "finding-%zu", finding + 1);
}

void hd_html_status(struct hd_html *h, const struct hd_finding *f, const char *words)
{
    fprintf(h->out, "<span class=\"status %s\">", hd_finding_status_names[f->status]);
    hd_html_text(h, words);
    hd_html_raw(h, "</span>");
}

struct pieces {
    struct hd_names written;
    size_t bytes;
};

static void put_piece(struct hd_html *h, struct pieces *p, const char *file,
                      const struct hd_snippet *text)
{
    if (p->bytes >= SOURCE_BUDGET || !file || !text->lines.n)
        return;
    const char *key = hd_words_format(h->a, "%u %s", text->first, file);
    for (size_t n = 0; n < text->lines.n; n++) {
        size_t len = strlen(text->lines.items[n]);
        p->bytes += len < h->max_line ? len : h->max_line;
        key = n < 3 ? hd_words_format(h->a, "%s\n%s", key, text->lines.items[n]) : key;
    }
    size_t before = p->written.count;
    hd_names_add(&p->written, key, strlen(key));
    if (p->written.count > before)
        hd_html_lines(h, file, text, 0);
    hd_arena_reset(h->a);
}

/* Pieces of source for stepping, each once, for the script alone. Those at accesses are there
 * already, unless they are read later. */
static void put_sources(struct hd_html *h)
{
    struct pieces p = {.bytes = 0};
    hd_html_raw(h, "<template id=\"sources\">");
    for (size_t i = 0; i < h->r->n_findings; i++) {
        const struct hd_finding *f = &h->r->findings[i];
        for (size_t k = 0; k < f->n_sources; k++)
            put_piece(h, &p, f->sources[k].file, &f->sources[k].text);
        for (size_t k = 0; h->later && k < f->n_accesses; k++)
            put_piece(h, &p, f->accesses[k].at.file, &f->accesses[k].source);
    }
    hd_html_raw(h, "</template>\n");
    hd_names_fini(&p.written);
}

void hd_html_lines(struct hd_html *h, const char *file, const struct hd_snippet *text, uint32_t hit)
{
    hd_html_wrap(h, "<pre class=\"src\" tabindex=\"0\" data-file=\"", file ? file : "", "\"");
    fprintf(h->out, " data-hit=\"%u\" role=\"group\" aria-label=\"Source\">", hit);
    for (size_t i = 0; i < text->lines.n; i++) {
        uint32_t n = text->first + (uint32_t)i;
        fprintf(h->out, "<span%s data-n=\"%u\">", n == hit ? " class=\"hit\"" : "", n);
        hd_escape(h->out, HD_ESCAPE_MARKUP, text->lines.items[i], h->max_line);
        hd_html_raw(h, "\n</span>");
    }
    hd_html_raw(h, "</pre>\n");
}

static void put_content(struct hd_html *h)
{
    hd_html_index(h);
    for (size_t i = 0; i < h->r->n_findings; i++) {
        hd_html_finding(h, i);
        hd_arena_reset(h->a);
    }
    hd_html_coverage(h);
    put_sources(h);
}

/* What was run: the command, or in a merged report of several programs their number. */
static const char *program_of(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    for (size_t i = 1; i < r->n_parts; i++) {
        const struct hd_texts *x = &r->parts[0].program, *y = &r->parts[i].program;
        bool same = x->n == y->n;
        for (size_t k = 0; same && k < x->n; k++)
            same = !strcmp(x->items[k], y->items[k]);
        if (!same)
            return hd_words_format(h->a, "%zu merged reports", r->n_parts);
    }
    const char *command = hd_words_command(h->a, h->r, "run"), *program = strstr(command, " -- ");
    return program ? program + 4 : command;
}

static void put_part(struct hd_html *h, const char *name, size_t len)
{
    if (!strncmp(name, "title", len)) {
        fprintf(h->out, "%zu findings in ", h->r->n_findings);
        hd_html_text(h, program_of(h));
        hd_html_raw(h, " \xe2\x80\x94 Heddle");
    } else if (!strncmp(name, "style", len)) {
        hd_html_raw(h, (const char *)hd_asset_style);
    } else if (!strncmp(name, "script", len)) {
        hd_html_raw(h, (const char *)hd_asset_script);
    } else if (!strncmp(name, "program", len)) {
        hd_html_text(h, program_of(h));
    } else if (!strncmp(name, "content", len)) {
        put_content(h);
    } else {
        hd_html_raw(h, "Written by heddle ");
        hd_html_text(h, h->r->tool_version);
    }
}

static size_t clamp(size_t n, size_t low, size_t high)
{
    return n < low ? low : n > high ? high : n;
}

void hd_html_write(FILE *out, const struct hd_report *r)
{
    struct hd_html h = {.out = out, .a = hd_arena_new(), .r = r};
    h.later = r->n_findings >= LATER;
    h.max_line = r->n_findings > 20 ? MAX_LINE / 2 : MAX_LINE;
    h.max_steps = clamp(STEP_BUDGET / (r->n_findings + 1), MIN_STEPS, MAX_STEPS);
    const char *p = (const char *)hd_asset_page, *mark;
    while ((mark = strstr(p, "{{"))) {
        const char *end = strstr(mark, "}}");
        fwrite(p, 1, (size_t)(mark - p), out);
        put_part(&h, mark + 2, (size_t)(end - mark - 2));
        p = end + 2;
    }
    fputs(p, out);
    hd_arena_free(h.a);
}
