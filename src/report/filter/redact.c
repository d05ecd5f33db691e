#include "report/filter/redact.h"

#include "report/data/shape.h"

#include <string.h>

static bool is_one_of(const char *key, const char *const *list)
{
    for (; key && *list; list++)
        if (!strcmp(key, *list))
            return true;
    return false;
}

/* ---- paths ---- */

/* Where an absolute path may begin, and where a path ends. */
static bool is_border(char c)
{
    return c == 0 || strchr(" \t\n\"'`()[]<>,;:=", c);
}

/* The text with only the last part of each absolute path. */
static const char *without_folders(struct hd_report *r, const char *text)
{
    if (!text || !strchr(text, '/'))
        return text;
    char *out = hd_report_array(r, strlen(text) + 1, 1), *to = out;
    for (const char *p = text; *p;) {
        const char *last = p;
        if (*p == '/' && (p == text || is_border(p[-1])))
            for (const char *end = p; !is_border(*end); end++)
                last = *end == '/' && !is_border(end[1]) ? end + 1 : last;
        if (last > p)
            p = last;
        else
            *to++ = *p++;
    }
    return out;
}

/* ---- fields ---- */

static void redact_text(struct hd_report *r, const struct hd_shape_field *f, const char **text)
{
    static const char *const secret[] = {"value", "assertion", "output_diff", "input", NULL};
    *text = is_one_of(f->key, secret) ? NULL : without_folders(r, *text);
    if (*text && is_one_of(f->key, (const char *const[]){"test", NULL}))
        *text = hd_report_format(r, "%.*s", (int)strcspn(*text, " "), *text);
}

static void redact_texts(struct hd_report *r, const struct hd_shape_field *f, struct hd_texts *t)
{
    static const char *const secret[] = {"lines", "values", NULL}, *const first[] = {"program",
                                                                                     NULL};
    if (is_one_of(f->key, secret))
        t->n = 0;
    if (is_one_of(f->key, first) && t->n > 1)
        t->n = 1;
    for (size_t i = 0; i < t->n; i++)
        t->items[i] = without_folders(r, t->items[i]);
}

/* Every text of the report is in the table, so none is forgotten. */
static void redact(struct hd_report *r, const struct hd_shape *shape, char *base)
{
    for (size_t i = 0; i < shape->n; i++) {
        const struct hd_shape_field *f = &shape->fields[i];
        char *at = base + f->offset;
        if (f->kind == HD_SHAPE_TEXT)
            redact_text(r, f, (const char **)(void *)at);
        else if (f->kind == HD_SHAPE_TEXTS)
            redact_texts(r, f, (struct hd_texts *)(void *)at);
        else if (f->kind == HD_SHAPE_SUB || f->kind == HD_SHAPE_SAME)
            redact(r, f->shape, at);
        else if (f->kind == HD_SHAPE_GROUP)
            redact(r, f->shape, base);
        if (f->kind != HD_SHAPE_LIST)
            continue;
        char *list = *(char **)(void *)at;
        size_t n = *(const size_t *)(const void *)(base + f->count);
        for (size_t k = 0; k < n; k++)
            redact(r, f->shape, list + k * f->shape->size);
    }
}

/* The text of an assertion is source, too. */
static void redact_summary(const char **summary)
{
    static const char failed[] = "assertion failed";
    if (*summary && !strncmp(*summary, failed, sizeof failed - 1))
        *summary = failed;
}

void hd_redact_report(struct hd_report *r)
{
    static const char why[] = "the source was left out (--redact)";
    redact(r, &hd_shape_report, (char *)r);
    for (size_t i = 0; i < r->n_findings; i++) {
        struct hd_finding *f = &r->findings[i];
        f->n_sources = 0;
        for (int k = 0; k < 2; k++)
            redact_summary(&f->effects[k].summary);
        for (size_t k = 0; k < f->n_accesses; k++)
            f->accesses[k].source.missing = why;
    }
}
