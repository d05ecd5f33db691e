/* Words of a line, as a shell splits them. */
#include "campaign/sources.h"

#include "base/bytes.h"

#include <ctype.h>
#include <string.h>

/* One quoted part, from behind the quote; returns where it ends, NULL: it does not. */
static const char *quoted(const char *p, char quote, struct hd_bytes *word)
{
    for (; *p && *p != quote; p++) {
        if (quote == '"' && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
            p++;
        hd_bytes_put(word, p, 1);
    }
    return *p ? p + 1 : NULL;
}

/* One word; returns where it ends, NULL: a quote does not end. */
static const char *one_word(const char *p, struct hd_bytes *word)
{
    while (p && *p && !isspace((unsigned char)*p)) {
        if (*p == '\'' || *p == '"') {
            p = quoted(p + 1, *p, word);
            continue;
        }
        if (*p == '\\' && p[1])
            p++;
        hd_bytes_put(word, p++, 1);
    }
    return p;
}

const char *hd_source_words(struct hd_unitplan *p, const char *line, struct hd_texts *words)
{
    struct hd_bytes word = {0};
    while (line) {
        while (isspace((unsigned char)*line))
            line++;
        if (!*line || *line == '#')
            break;
        word.len = 0;
        line = one_word(line, &word);
        hd_bytes_put(&word, "", 1);
        if (line)
            hd_unitplan_word(p, words, (const char *)word.data);
    }
    hd_bytes_fini(&word);
    return line ? NULL : "a quote does not end";
}
