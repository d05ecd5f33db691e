#include "report/make/expression.h"

#include <ctype.h>
#include <string.h>

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where the bracket opens that closes at `at`, or NULL. */
static const char *open_of(const char *line, const char *at)
{
    int depth = 0;
    for (;; at--) {
        depth += (*at == ']') - (*at == '[');
        if (!depth)
            return at;
        if (at == line)
            return NULL;
    }
}

/* Behind the bracket that opens at `at`, or NULL. */
static const char *close_of(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '[') - (*at == ']');
        if (!depth)
            return at + 1;
    }
    return NULL;
}

static const char *name_start(const char *line, const char *end)
{
    while (end > line && in_name(end[-1]))
        end--;
    return end;
}

/* How long what joins two names before `at` is: ".", "->", "::". */
static size_t joint(const char *line, const char *at)
{
    if (at - line >= 2 && (!memcmp(at - 2, "->", 2) || !memcmp(at - 2, "::", 2)))
        return 2;
    return at > line && at[-1] == '.';
}

/* The expression that ends at `end`: names and elements, joined. NULL: it is something else. */
static const char *expression_start(const char *line, const char *end)
{
    for (;;) {
        while (end > line && end[-1] == ']') {
            end = open_of(line, end - 1);
            if (!end)
                return NULL;
        }
        const char *start = name_start(line, end);
        if (start == end || isdigit((unsigned char)*start))
            return NULL;
        size_t n = joint(line, start);
        if (!n)
            return start;
        end = start - n;
    }
}

/* A name, or a library's own words, tell nothing new. */
static bool tells(const char *text)
{
    bool library = strstr(text, "_M_") || !strncmp(text, "__", 2) || strstr(text, ">__") ||
                   strstr(text, ".__");
    return !library && strncmp(text, "this->_", 7) != 0 && strcspn(text, "\"'(") == strlen(text) &&
           (strchr(text, '[') || strchr(text, '.') || strstr(text, "->"));
}

bool hd_expression_at(const char *line, uint32_t column, char out[HD_EXPRESSION_SIZE])
{
    if (!column || column > strlen(line))
        return false;
    const char *at = line + column - 1, *end = at;
    if (in_name(*at)) {
        while (in_name(*end))
            end++;
        while (end && *end == '[')
            end = close_of(end);
    } else if (*at == '[' || !strchr("=+-*/%&|^<>", *at)) {
        return false;
    } else {
        while (end > line && end[-1] == ' ')
            end--;
    }
    const char *start = end ? expression_start(line, end) : NULL;
    size_t n = start ? (size_t)(end - start) : 0;
    if (!n || n >= HD_EXPRESSION_SIZE)
        return false;
    memcpy(out, start, n);
    out[n] = 0;
    return tells(out);
}
