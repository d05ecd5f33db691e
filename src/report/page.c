#include "report/page.h"

#include "base/err.h"

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

/* C0 and C1 controls and DEL; C1 only as UTF-8 (c2 80 to c2 9f). */
static size_t control_at(const char *text)
{
    unsigned char c = (unsigned char)text[0], d = (unsigned char)text[1];
    if (c < 0x20 || c == 0x7f)
        return 1;
    return c == 0xc2 && d >= 0x80 && d < 0xa0 ? 2 : 0;
}

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static unsigned width_of(const char *text, size_t len)
{
    unsigned n = 0;
    for (size_t i = 0; i < len; i++)
        n += starts_character(text[i]);
    return n;
}

static void put_word(struct hd_page *p, const char *text, size_t len)
{
    unsigned width = width_of(text, len);
    if (p->gap && p->column + 1 + width > HD_PAGE_WIDTH && p->column > p->indent) {
        hd_page_end(p);
        put_spaces(p, p->indent);
    } else if (p->gap) {
        put_spaces(p, 1);
    }
    p->gap = false;
    for (size_t i = 0; i < len; i++) {
        size_t control = control_at(text + i);
        if (control == 2)
            i++;
        fputc(control ? '?' : text[i], p->out);
    }
    p->column += width;
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
    for (const char *at = text; *at; at++) {
        unsigned used = p->column - start;
        if (starts_character(*at) && used + 3 >= max && width_of(at, strlen(at)) > max - used) {
            fputs("...", p->out);
            p->column += 3;
            return;
        }
        size_t control = *at == '\t' ? 0 : control_at(at);
        if (*at == '\t') {
            put_spaces(p, 4 - used % 4);
            continue;
        }
        at += control == 2;
        fputc(control ? '?' : *at, p->out);
        p->column += control || starts_character(*at);
    }
}

void hd_page_style(struct hd_page *p, enum hd_style style)
{
    fputs(hd_term_style(p->color, style), p->out);
}
