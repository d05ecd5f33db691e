#include "report/format/report_escape.h"

#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void put_utf8(FILE *out, uint32_t c)
{
    if (c < 0x80) {
        fputc((int)c, out);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    fputc((int)(((0xff00u >> (more + 1)) & 0xff) | c >> (6 * more)), out);
    while (more-- > 0)
        fputc((int)(0x80 | (c >> (6 * more) & 0x3f)), out);
}

/* Control characters and the two codes that XML forbids. Line and paragraph separators count as
 * controls: some readers of lines break there. */
static uint32_t visible(uint32_t c)
{
    if (c < 0x20)
        return 0x2400 + c;
    if (c == 0x7f)
        return 0x2421;
    return hd_printable_is_control(c) || c == 0xfffe || c == 0xffff ? HD_UTF8_BAD : c;
}

static const char *markup_entity(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static const char *command_entity(uint32_t c, bool property)
{
    if (c == '%')
        return "%25";
    if (property && c == ':')
        return "%3A";
    if (property && c == ',')
        return "%2C";
    return NULL;
}

static void put_char(FILE *out, enum hd_escape how, uint32_t c)
{
    const char *entity = how == HD_ESCAPE_MARKUP ? markup_entity(c)
                         : how == HD_ESCAPE_LINE ? NULL
                                                 : command_entity(c, how == HD_ESCAPE_PROPERTY);
    if (entity)
        fputs(entity, out);
    else if (c == '\t' && how == HD_ESCAPE_MARKUP)
        fputc('\t', out);
    else if (hd_printable_turns_direction(c))
        fprintf(out, "[U+%04X]", c);
    else
        put_utf8(out, visible(c));
}

void hd_escape(FILE *out, enum hd_escape how, const char *text, size_t max)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = 0, left = 0;
    while (p && *p) {
        uint32_t c = hd_printable_next(&p);
        if (!max || n < max)
            put_char(out, how, c);
        else
            left++;
        n++;
    }
    if (left)
        fprintf(out, "... (%zu more)", left);
}

unsigned hd_escape_char(FILE *out, const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    uint32_t c = hd_printable_next(&p);
    *text = (const char *)p;
    if (hd_printable_turns_direction(c)) {
        int n = snprintf(NULL, 0, "[U+%04X]", c);
        if (out)
            fprintf(out, "[U+%04X]", c);
        return (unsigned)n;
    }
    if (out && visible(c) != c)
        fputc('?', out);
    else if (out)
        put_utf8(out, c);
    return 1;
}

const char *hd_escape_uri(struct hd_arena *a, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~/";
    static const char scheme[] = "file://";
    char *uri = hd_arena_alloc(a, sizeof scheme + 3 * strlen(path)), *u = uri;
    if (*path == '/')
        u = stpcpy(u, scheme);
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        if (strchr(plain, *p))
            *u++ = (char)*p;
        else
            u += sprintf(u, "%%%02X", *p);
    *u = 0;
    return uri;
}
