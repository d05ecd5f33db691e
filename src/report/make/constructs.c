#include "report/make/constructs.h"

#include <ctype.h>
#include <string.h>

#define REACH 400 /* lines that are looked at in one direction */

static const char *after_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Behind "#pragma omp", or NULL. */
static const char *directive(const char *line)
{
    static const char *const words[] = {"#", "pragma", "omp"};
    for (int i = 0; i < 3; i++) {
        line = after_blanks(line);
        size_t n = strlen(words[i]);
        if (strncmp(line, words[i], n))
            return NULL;
        line += n;
    }
    return isspace((unsigned char)*line) ? line : NULL;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && !strncmp(at, word, n);
}

static unsigned meaning(const char *at, size_t n)
{
    static const struct {
        const char *word;
        unsigned bits;
    } known[] = {{"parallel", HD_OMP_PARALLEL}, {"for", HD_OMP_LOOP},
                 {"distribute", HD_OMP_LOOP},   {"sections", HD_OMP_SECTIONS},
                 {"section", HD_OMP_SECTIONS},  {"single", HD_OMP_SINGLE},
                 {"master", HD_OMP_MASTER},     {"masked", HD_OMP_MASTER},
                 {"task", HD_OMP_TASK},         {"taskloop", HD_OMP_TASK | HD_OMP_LOOP},
                 {"nowait", HD_OMP_NOWAIT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_word(at, n, known[i].word))
            return known[i].bits;
    return 0;
}

/* Directives that hold for nothing that follows. */
static bool stands_alone(const char *at, size_t n)
{
    static const char *const words[] = {"barrier",       "taskwait", "taskyield", "flush",
                                        "threadprivate", "cancel",   "declare",   NULL};
    for (int i = 0; words[i]; i++)
        if (is_word(at, n, words[i]))
            return true;
    return false;
}

/* The words of a directive outside its parentheses; 0: it holds for nothing that follows. */
static unsigned words_of(const char *text)
{
    unsigned bits = HD_OMP_OTHER;
    int depth = 0;
    bool first = true;
    while (*text) {
        size_t n = 0;
        while (isalpha((unsigned char)text[n]))
            n++;
        if (n && first && stands_alone(text, n))
            return 0;
        bits |= n && !depth ? meaning(text, n) : 0;
        first = first && !n;
        depth += *text == '(';
        depth -= *text == ')';
        text += n ? n : 1;
    }
    return bits;
}

/* ---- what a directive holds for ---- */

struct nesting {
    int round, curly;
};

/* Goes on to the end of the line; true: the statement has ended there. */
static bool ends_in(const char *text, struct nesting *n)
{
    for (; *text; text++) {
        if (text[0] == '/' && text[1] == '/')
            return false;
        n->round += *text == '(';
        n->round -= *text == ')';
        n->curly += *text == '{';
        n->curly -= *text == '}';
        bool closed = n->round == 0 && n->curly == 0;
        if (closed && (*text == ';' || *text == '}'))
            return true;
    }
    return false;
}

/* The last line of the statement behind the directive in `line`; 0: not found. */
static uint32_t end_of(struct hd_sources *s, const char *file, uint32_t line)
{
    struct nesting n = {0};
    bool goes_on = true; /* the directive, over a backslash */
    for (uint32_t at = line; at < line + REACH; at++) {
        const char *text = hd_sources_line(s, file, at);
        if (!text)
            return 0;
        size_t len = strlen(text);
        bool own = goes_on || *after_blanks(text) == '#';
        goes_on = own && len && text[len - 1] == '\\';
        if (!own && ends_in(text, &n))
            return at;
    }
    return 0;
}

size_t hd_constructs_around(struct hd_sources *s, const struct hd_spot *at,
                            struct hd_construct out[HD_CONSTRUCTS_MOST])
{
    size_t n = 0;
    for (uint32_t line = at->line; at->file && line-- > 1 && n < HD_CONSTRUCTS_MOST;) {
        const char *text = hd_sources_line(s, at->file, line);
        if (!text || *text == '}' || at->line - line > REACH)
            break;
        const char *words = directive(text);
        unsigned bits = words ? words_of(words) : 0;
        uint32_t end = bits ? end_of(s, at->file, line) : 0;
        if (end >= at->line)
            out[n++] = (struct hd_construct){line, end, bits};
    }
    return n;
}
