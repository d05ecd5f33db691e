#include "base/json.h"

#include "base/err.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void hd_json_init(struct hd_json *j, FILE *out)
{
    *j = (struct hd_json){.out = out};
}

static void comma(struct hd_json *j)
{
    uint64_t bit = UINT64_C(1) << j->depth;
    if (j->has_item & bit)
        fputs(", ", j->out);
    j->has_item |= bit;
}

static bool in_object(const struct hd_json *j)
{
    return j->is_object >> j->depth & 1;
}

static void before_value(struct hd_json *j)
{
    HD_ASSERT(j->after_key == in_object(j));
    if (!j->after_key)
        comma(j);
    j->after_key = false;
}

static void open_with(struct hd_json *j, char bracket)
{
    before_value(j);
    HD_ASSERT(j->depth < 63);
    j->depth++;
    uint64_t bit = UINT64_C(1) << j->depth;
    j->has_item &= ~bit;
    j->is_object = bracket == '{' ? j->is_object | bit : j->is_object & ~bit;
    fputc(bracket, j->out);
}

static void close_with(struct hd_json *j, char bracket)
{
    HD_ASSERT(j->depth > 0 && !j->after_key && in_object(j) == (bracket == '}'));
    j->depth--;
    fputc(bracket, j->out);
}

void hd_json_begin_object(struct hd_json *j)
{
    open_with(j, '{');
}

void hd_json_end_object(struct hd_json *j)
{
    close_with(j, '}');
}

void hd_json_begin_array(struct hd_json *j)
{
    open_with(j, '[');
}

void hd_json_end_array(struct hd_json *j)
{
    close_with(j, ']');
}

/* Length of the valid UTF-8 sequence at p (1 to 4), or 0 when there is none. */
static size_t utf8_length(const unsigned char *p)
{
    static const unsigned min_of[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (p[0] < 0x80)
        return 1;
    size_t len = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] >= 0xf5)
        return 0;
    unsigned code = p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    if (code < min_of[len] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
        return 0;
    return len;
}

static size_t plain_length(const unsigned char *p)
{
    size_t len = 0;
    while (p[len] >= 0x20 && p[len] < 0x7f && p[len] != '"' && p[len] != '\\')
        len++;
    return len;
}

static void quoted(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    fputc('"', out);
    for (;;) {
        size_t plain = plain_length(p);
        fwrite(p, 1, plain, out);
        p += plain;
        if (!*p)
            break;
        size_t len = utf8_length(p);
        if (!len) {
            fputs("\\ufffd", out);
            p++;
        } else if (*p == '"' || *p == '\\') {
            fprintf(out, "\\%c", *p++);
        } else if (*p < 0x20 || *p == 0x7f) {
            fprintf(out, "\\u%04x", *p++);
        } else {
            fwrite(p, 1, len, out);
            p += len;
        }
    }
    fputc('"', out);
}

void hd_json_key(struct hd_json *j, const char *key)
{
    HD_ASSERT(in_object(j) && !j->after_key);
    comma(j);
    quoted(j->out, key);
    fputs(": ", j->out);
    j->after_key = true;
}

void hd_json_string(struct hd_json *j, const char *text)
{
    before_value(j);
    quoted(j->out, text);
}

void hd_json_uint(struct hd_json *j, uint64_t value)
{
    before_value(j);
    char digits[20]; /* 2^64 - 1 has 20 */
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    fwrite(digits + at, 1, sizeof digits - at, j->out);
}

void hd_json_int(struct hd_json *j, int64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRId64, value);
}

void hd_json_double(struct hd_json *j, double value)
{
    before_value(j);
    if (isfinite(value))
        fprintf(j->out, "%.6f", value);
    else
        fputs("null", j->out);
}

void hd_json_bool(struct hd_json *j, bool value)
{
    before_value(j);
    fputs(value ? "true" : "false", j->out);
}

void hd_json_null(struct hd_json *j)
{
    before_value(j);
    fputs("null", j->out);
}
