#include "report/format/page.h"

#include "base/err.h"
#include "report/format/report_escape.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void hd_page_init(struct hd_page *p, FILE *out, bool color)
{
    *p = (struct hd_page){.out = out, .color = color};
}

static void put_spaces(struct hd_page *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        fputc(' ', p->out);
    p->column += n;
}

void hd_page_begin(struct hd_page *p, unsigned first, unsigned rest)
{
    p->column = 0;
    p->indent = rest;
    p->gap = false;
    put_spaces(p, first);
}

void hd_page_end(struct hd_page *p)
{
    fputc('\n', p->out);
    p->column = 0;
    p->gap = false;
}

static unsigned width_of(const char *text, const char *end)
{
    unsigned n = 0;
    while (text < end && *text)
        n += hd_escape_char(NULL, &text);
    return n;
}

static void put_word(struct hd_page *p, const char *text, size_t len)
{
    enum { LONGEST = 500 }; /* the name of a template, not a joke */
    const char *end = text + len;
    unsigned width = width_of(text, end), shown = 0;
    if (p->gap && p->column + 1 + width > HD_PAGE_WIDTH && p->column > p->indent) {
        hd_page_end(p);
        put_spaces(p, p->indent);
    } else if (p->gap) {
        put_spaces(p, 1);
    }
    p->gap = false;
    while (text < end && shown < LONGEST)
        shown += hd_escape_char(p->out, &text);
    if (text < end)
        shown += (unsigned)fprintf(p->out, "...");
    p->column += shown;
}

void hd_page_words(struct hd_page *p, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    HD_ASSERT(n >= 0); /* out of memory, outside our allocator */
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, " \n");
        if (len)
            put_word(p, at, len);
        at += len;
        if (*at) {
            p->gap = true;
            at++;
        }
    }
    free(text);
}

void hd_page_raw(struct hd_page *p, const char *text, unsigned max)
{
    unsigned start = p->column;
    const char *end = text + strlen(text);
    for (const char *at = text; *at;) {
        unsigned used = p->column - start;
        if (used + 3 >= max && width_of(at, end) > max - used) {
            fputs("...", p->out);
            p->column += 3;
            return;
        }
        if (*at == '\t') {
            put_spaces(p, 4 - used % 4);
            at++;
        } else {
            p->column += hd_escape_char(p->out, &at);
        }
    }
}

void hd_page_style(struct hd_page *p, enum hd_style style)
{
    fputs(hd_term_style(p->color, style), p->out);
}
