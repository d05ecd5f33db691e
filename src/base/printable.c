#include "base/printable.h"

uint32_t hd_printable_next(const unsigned char **p)
{
    static const uint32_t min_of[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = *p;
    *p = s + 1;
    if (*s < 0x80)
        return *s;
    if (*s < 0xc2 || *s > 0xf4)
        return HD_UTF8_BAD;
    size_t len = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
    uint32_t c = *s & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return HD_UTF8_BAD;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < min_of[len] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return HD_UTF8_BAD;
    *p = s + len;
    return c;
}

bool hd_printable_turns_direction(uint32_t c)
{
    return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e ||
           c == 0x200f || c == 0x61c;
}

bool hd_printable_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

/* The number of bytes at text that must not be shown; 0 when *len bytes may be. */
static size_t hidden(const char *text, size_t *len)
{
    const unsigned char *start = (const unsigned char *)text, *p = start;
    uint32_t c = hd_printable_next(&p);
    *len = (size_t)(p - start);
    if (c == '\t')
        return 0;
    bool c1 = *len == 1 && *start >= 0x80 && *start < 0xa0;
    return c1 || hd_printable_is_control(c) || hd_printable_turns_direction(c) ? *len : 0;
}

bool hd_printable_ok(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = 1;
        char part[5] = {0}; /* no zero byte need follow the text */
        for (size_t k = 0; k < 4 && i + k < len; k++)
            part[k] = text[i + k];
        if ((unsigned char)*part < 0x80
                ? hd_printable_is_control((unsigned char)*part) && *part != '\t'
                : hidden(part, &n))
            return false;
        i += n;
    }
    return true;
}

void hd_printable_make(char *text)
{
    while (*text) {
        size_t len, n = hidden(text, &len);
        for (size_t i = 0; i < n; i++)
            text[i] = '_';
        text += len;
    }
}
