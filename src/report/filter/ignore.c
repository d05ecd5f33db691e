#include "report/filter/ignore.h"

#include "base/log.h"

#include <ctype.h>
#include <string.h>

static const char words[] = "heddle:ignore";

/* The first comment sign at or after text, or NULL. Strings that hold one are taken for comments,
 * which is harmless: the words have to follow. */
static const char *comment_in(const char *text)
{
    const char *line = strstr(text, "//"), *block = strstr(text, "/*");
    return !line || (block && block < line) ? block : line;
}

/* Where the words stand in a comment of this line, or NULL. */
static const char *words_in(const char *line)
{
    const char *at = comment_in(line);
    at = at ? strstr(at, words) : NULL;
    if (!at)
        return NULL;
    unsigned char next = (unsigned char)at[sizeof words - 1];
    return isalnum(next) || next == '_' || next == '-' ? NULL : at;
}

static bool is_comment_only(const char *line)
{
    line += strspn(line, " \t");
    return !strncmp(line, "//", 2) || !strncmp(line, "/*", 2);
}

/* The line with that number, or NULL. */
static const char *line_of(const struct hd_snippet *s, uint32_t number)
{
    return number >= s->first && number - s->first < s->lines.n ? s->lines.items[number - s->first]
                                                                : NULL;
}

/* The comment that speaks about the access, and the number of its line. */
static const char *comment_for(const struct hd_access *a, uint32_t *number)
{
    const char *line = line_of(&a->source, a->at.line);
    const char *at = line ? words_in(line) : NULL;
    *number = a->at.line;
    if (at || a->at.line < 2)
        return at;
    line = line_of(&a->source, a->at.line - 1);
    *number = a->at.line - 1;
    return line && is_comment_only(line) ? words_in(line) : NULL;
}

static const char *reason_of(struct hd_report *r, const char *at)
{
    at += sizeof words - 1;
    const char *end = strstr(at, "*/");
    size_t len = end ? (size_t)(end - at) : strlen(at);
    while (len && strchr(" \t:", *at)) {
        at++;
        len--;
    }
    while (len && strchr(" \t\r", at[len - 1]))
        len--;
    return len ? hd_report_format(r, "%.*s", (int)(len < 1000 ? len : 1000), at) : NULL;
}

static void count_use(struct hd_report *r, const struct hd_spot *at, uint32_t line,
                      const char *reason)
{
    for (size_t i = 0; i < r->n_rules; i++) {
        struct hd_rule_use *rule = &r->rules[i];
        if (rule->line == line && rule->file && !strcmp(rule->file, at->file) &&
            !strncmp(rule->text, words, sizeof words - 1)) {
            rule->used++;
            return;
        }
    }
    struct hd_rule_use *all = hd_report_array(r, r->n_rules + 1, sizeof *all);
    if (r->n_rules)
        memcpy(all, r->rules, r->n_rules * sizeof *all);
    all[r->n_rules++] = (struct hd_rule_use){
        .text = words, .file = at->file, .line = line, .used = 1, .reason = reason};
    r->rules = all;
    if (!reason)
        hd_report_add(r, &r->notes,
                      hd_report_format(r, "%s:%u: %s gives no reason", at->file, line, words));
}

static bool is_ignored(struct hd_report *r, const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        uint32_t line;
        const char *at = comment_for(&f->accesses[i], &line);
        if (at && f->accesses[i].at.file) {
            HD_DEBUG_LINE(REPORT, "%s is ignored by the comment at %s:%u", f->id,
                          f->accesses[i].at.file, line);
            count_use(r, &f->accesses[i].at, line, reason_of(r, at));
            return true;
        }
    }
    return false;
}

void hd_ignore_apply(struct hd_report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n_findings; i++) {
        if (is_ignored(r, &r->findings[i]))
            r->suppressed++;
        else
            r->findings[kept++] = r->findings[i];
    }
    r->n_findings = kept;
}
