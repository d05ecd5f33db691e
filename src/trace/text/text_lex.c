/* Numbers, quoting for error messages, and the suggestion for an unknown operation. */
#include "base/suggest.h"
#include "trace/text/text_int.h"

#include <string.h>

static enum hd_number parse_hex(struct hd_span s, uint64_t *value)
{
    uint64_t v = 0;
    if (s.p == s.end)
        return HD_NUMBER_MALFORMED;
    for (; s.p < s.end; s.p++) {
        char c = *s.p;
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (unsigned)((c | 0x20) - 'a') + 10;
        else
            return HD_NUMBER_MALFORMED;
        if (v >> 60)
            return HD_NUMBER_RANGE;
        v = v << 4 | digit;
    }
    *value = v;
    return HD_NUMBER_OK;
}

static enum hd_number parse_decimal(struct hd_span s, uint64_t *value)
{
    uint64_t v = 0;
    bool overflow = false;
    const char *safe = hd_span_len(s) < 20 ? s.end : s.p + 19; /* 19 digits stay below 2^64 */
    if (s.p == s.end)
        return HD_NUMBER_MALFORMED;
    for (; s.p < s.end; s.p++) {
        unsigned digit = (unsigned)(unsigned char)*s.p - '0';
        if (digit > 9)
            return HD_NUMBER_MALFORMED;
        if (s.p < safe) {
            v = v * 10 + digit;
            continue;
        }
        /* 2^64 - 1 ends in 5, so the last digit may be at most that beside the largest tens. */
        overflow |= v > UINT64_MAX / 10 || (v == UINT64_MAX / 10 && digit > UINT64_MAX % 10);
        v = v * 10 + digit;
    }
    *value = v;
    return overflow ? HD_NUMBER_RANGE : HD_NUMBER_OK;
}

enum hd_number hd_text_number(struct hd_span s, bool may_be_negative, uint64_t *value)
{
    *value = 0;
    if (hd_span_len(s) > 1 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x')
        return parse_hex((struct hd_span){s.p + 2, s.end}, value);
    if (!may_be_negative || s.p == s.end || *s.p != '-')
        return parse_decimal(s, value);
    enum hd_number result = parse_decimal((struct hd_span){s.p + 1, s.end}, value);
    if (result == HD_NUMBER_OK && *value > UINT64_C(1) << 63)
        return HD_NUMBER_RANGE;
    *value = -*value;
    return result;
}

const char *hd_text_quote(struct hd_span s, char out[HD_TEXT_QUOTE])
{
    static const char hex[] = "0123456789abcdef";
    char *o = out;
    const char *cut = hd_span_len(s) > 40 ? s.p + 40 : s.end;
    for (const char *p = s.p; p < cut; p++) {
        unsigned char c = (unsigned char)*p;
        if (c >= 0x20 && c != 0x7f) {
            *o++ = (char)c;
            continue;
        }
        *o++ = '\\';
        *o++ = 'x';
        *o++ = hex[c >> 4];
        *o++ = hex[c & 15];
    }
    strcpy(o, cut < s.end ? "..." : "");
    return out;
}

/* What people write who think of the operation by its full name. */
static const char *const full_names[][2] = {
    {"read", "r"},          {"load", "r"},          {"write", "w"},     {"store", "w"},
    {"acquire", "acq"},     {"lock", "acq"},        {"release", "rel"}, {"unlock", "rel"},
    {"rdlock", "racq"},     {"branch", "br"},       {"signal", "sig"},  {"notify", "sig"},
    {"notifyall", "bcast"}, {"broadcast", "bcast"}, {"create", "fork"}, {"start", "fork"},
    {"trylock", "tryfail"}, {"timeout", "tmo"},     {"xchg", "rmw"},    {"cas", "rmw"},
};

const char *hd_text_nearest_op(struct hd_span name)
{
    const char *texts[HD_OP_COUNT];
    char word[16];
    size_t n = hd_span_len(name);
    if (n == 0 || n >= sizeof word)
        return NULL;
    for (size_t i = 0; i < n; i++)
        word[i] = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] | 0x20) : name.p[i];
    word[n] = 0;
    for (size_t i = 0; i < sizeof full_names / sizeof *full_names; i++)
        if (!strcmp(full_names[i][0], word))
            return full_names[i][1];
    for (int op = 0; op < HD_OP_COUNT; op++)
        texts[op] = hd_op_info[op].text;
    return hd_suggest(word, texts, HD_OP_COUNT);
}
