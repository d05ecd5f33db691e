#include "report/filter/suppress.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/vec.h"
#include "report/make/frame_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rule_type {
    RULE_RACE,
    RULE_RACE_TOP,
    RULE_DEADLOCK,
    RULE_LIB,
    RULE_MUTEX,
    RULE_THREAD,
    RULE_SIGNAL,
    RULE_VAR,
    RULE_ID,
    RULE_TYPES
};
static const char *const type_names[RULE_TYPES] = {
    "race", "race_top", "deadlock", "called_from_lib", "mutex", "thread", "signal", "var", "id"};

struct rule {
    enum rule_type type;
    const char *text;            /* as written */
    const char *pattern, *other; /* other: of a pair, or NULL */
    const char *until, *reason;  /* or NULL */
    const char *file;
    uint32_t line;
    uint64_t used;
};

struct hd_suppressions {
    struct hd_arena *arena;
    struct hd_vec rules; /* struct rule */
    char today[11];      /* "2026-12-31"; empty: not known */
};

struct hd_suppressions *hd_suppress_new(void)
{
    struct hd_suppressions *s = hd_calloc(1, sizeof *s);
    s->arena = hd_arena_new();
    s->rules = HD_VEC_INIT(struct rule);
    return s;
}

void hd_suppress_free(struct hd_suppressions *s)
{
    if (!s)
        return;
    hd_arena_free(s->arena);
    hd_vec_fini(&s->rules);
    hd_free(s, sizeof *s);
}

void hd_suppress_today(struct hd_suppressions *s, const char *date)
{
    snprintf(s->today, sizeof s->today, "%s", date);
}

/* ---- patterns ---- */

/* pattern[0 .. len) with * at text; `end`: it has to reach the end of the text. */
static bool glob_here(const char *pattern, size_t len, const char *text, bool end)
{
    size_t star = SIZE_MAX, p = 0;
    const char *mark = NULL;
    for (;;) {
        if (p < len && pattern[p] == '*') {
            star = ++p;
            mark = text;
        } else if (p == len && (!end || !*text)) {
            return true;
        } else if (*text && p < len && pattern[p] == *text) {
            p++;
            text++;
        } else if (star != SIZE_MAX && *mark) {
            p = star;
            text = ++mark;
        } else {
            return false;
        }
    }
}

static bool glob_part(const char *pattern, size_t len, const char *text)
{
    if (!text || !*text)
        return false;
    bool start = len && *pattern == '^';
    pattern += start;
    len -= start;
    bool end = len && pattern[len - 1] == '$';
    len -= end;
    if (start)
        return glob_here(pattern, len, text, end);
    for (; *text; text++)
        if (glob_here(pattern, len, text, end))
            return true;
    return false;
}

bool hd_suppress_glob(const char *pattern, const char *text)
{
    return glob_part(pattern, strlen(pattern), text);
}

/* ---- reading ---- */

static char *trimmed(struct hd_arena *arena, const char *text, size_t len)
{
    while (len && strchr(" \t\r\n", text[len - 1]))
        len--;
    while (len && strchr(" \t", *text)) {
        text++;
        len--;
    }
    return hd_arena_strndup(arena, text, len);
}

static bool is_date(const char *text)
{
    unsigned month, day;
    int n = 0;
    return strlen(text) == 10 && sscanf(text, "%*4[0-9]-%2u-%2u%n", &month, &day, &n) == 2 &&
           n == 10 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* Takes " until:DATE" and " reason:TEXT" off the end of a rule. */
static bool take_fields(struct hd_suppressions *s, char *whole, struct rule *rule)
{
    static const char until[] = " until:", reason[] = " reason:";
    char *at = strstr(whole, until), *why = strstr(whole, reason);
    if (at && why && why < at)
        at = NULL; /* a word of the reason */
    if (why) {
        rule->reason = trimmed(s->arena, why + sizeof reason - 1, strlen(why + sizeof reason - 1));
        *why = 0;
    }
    if (at) {
        rule->until = trimmed(s->arena, at + sizeof until - 1, strlen(at + sizeof until - 1));
        *at = 0;
    }
    return !at || is_date(rule->until);
}

static enum rule_type type_of(const char *word, size_t len)
{
    enum rule_type type = RULE_RACE;
    while (len && strchr(" \t", word[len - 1]))
        len--;
    while (type < RULE_TYPES &&
           (strlen(type_names[type]) != len || strncmp(type_names[type], word, len) != 0))
        type++;
    return type;
}

bool hd_suppress_line(struct hd_suppressions *s, const char *text, const char *file, uint32_t line,
                      const char **why)
{
    char *whole = trimmed(s->arena, text, strlen(text));
    if (!*whole || *whole == '#')
        return true;
    struct rule rule = {.text = hd_arena_strndup(s->arena, whole, strlen(whole)), .line = line};
    *why = "the date behind until: is not like 2026-12-31";
    if (!take_fields(s, whole, &rule))
        return false;
    const char *colon = strchr(whole, ':');
    *why = "there is no \"type:\" before the pattern";
    if (!colon)
        return false;
    rule.type = type_of(whole, (size_t)(colon - whole));
    *why = "the type is not one that is known";
    if (rule.type == RULE_TYPES)
        return false;
    const char *pair = strstr(colon + 1, "<->");
    rule.pattern =
        trimmed(s->arena, colon + 1, pair ? (size_t)(pair - colon - 1) : strlen(colon + 1));
    rule.other = pair ? trimmed(s->arena, pair + 3, strlen(pair + 3)) : NULL;
    *why = "the pattern is empty";
    if (!*rule.pattern || (rule.other && !*rule.other))
        return false;
    *why = "only race and race_top take a pair";
    if (rule.other && rule.type != RULE_RACE && rule.type != RULE_RACE_TOP)
        return false;
    rule.file = hd_arena_strndup(s->arena, file, strlen(file));
    *(struct rule *)hd_vec_push(&s->rules) = rule;
    return true;
}

enum hd_status hd_suppress_load(struct hd_suppressions *s, const char *path,
                                struct hd_names *warnings, struct hd_err *err)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;
    if (!file)
        return hd_err_at(err, HD_ERR_IO, path, 0, "%s", strerror(errno));
    errno = 0;
    for (uint32_t number = 1; getline(&line, &cap, file) >= 0; number++) {
        const char *why;
        if (hd_suppress_line(s, line, path, number, &why))
            continue;
        char text[512];
        int n =
            snprintf(text, sizeof text, "%.300s:%u: %s; the line is left out", path, number, why);
        hd_names_add(warnings, text, (size_t)n);
    }
    int failed = ferror(file) ? errno : 0;
    free(line);
    fclose(file);
    return failed ? hd_err_at(err, HD_ERR_IO, path, 0, "%s", strerror(failed)) : HD_OK;
}

/* ---- matching ---- */

/* A function also by its name without parameters, and without its class. */
static bool frame_matches(const char *pattern, size_t len, const struct hd_frame *f)
{
    char name[400];
    const char *short_name =
        f->at.function ? hd_frame_names_source(f->at.function, name, sizeof name) : NULL;
    const char *last = short_name ? strrchr(short_name, ':') : NULL;
    return glob_part(pattern, len, f->at.function) || glob_part(pattern, len, short_name) ||
           glob_part(pattern, len, last ? last + 1 : NULL) || glob_part(pattern, len, f->at.file) ||
           glob_part(pattern, len, f->module);
}

/* Patterns between ; on frames next to each other, from frame i on. */
static bool sequence_at(const char *pattern, const struct hd_access *a, size_t i)
{
    for (;; i++) {
        size_t len = strcspn(pattern, ";");
        if (i >= a->stack.n || !frame_matches(pattern, len, &a->stack.frames[i]))
            return false;
        if (!pattern[len])
            return true;
        pattern += len + 1;
    }
}

static bool access_matches(const char *pattern, const struct hd_access *a, bool top)
{
    for (size_t i = 0; i < (top && a->stack.n ? 1 : a->stack.n); i++)
        if (sequence_at(pattern, a, i))
            return true;
    return false;
}

static bool any_matches(const struct rule *rule, const struct hd_finding *f, bool top)
{
    if (rule->other) {
        const struct hd_access *a = &f->accesses[0], *b = &f->accesses[1];
        return (access_matches(rule->pattern, a, top) && access_matches(rule->other, b, top)) ||
               (access_matches(rule->pattern, b, top) && access_matches(rule->other, a, top));
    }
    for (size_t i = 0; i < f->n_accesses; i++)
        if (access_matches(rule->pattern, &f->accesses[i], top))
            return true;
    return false;
}

static bool from_library(const struct rule *rule, const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        for (size_t k = 0; k < f->accesses[i].stack.n; k++)
            if (hd_suppress_glob(rule->pattern, f->accesses[i].stack.frames[k].module))
                return true;
    return false;
}

/* "R-7f3a9c" against a fingerprint: an id may be longer in a report where it had to be. */
static bool is_prefix(const char *id, const char *fingerprint)
{
    enum { SHORTEST = 2 + 6 };
    size_t len = strlen(id);
    return fingerprint && len >= SHORTEST && !strncmp(id, "R-", 2) &&
           !strncmp(id + 2, fingerprint, len - 2);
}

static bool matches(const struct rule *rule, const struct hd_finding *f)
{
    bool deadlock = f->property == HD_PROPERTY_DEADLOCK;
    switch (rule->type) {
    case RULE_RACE:
        return !deadlock && (any_matches(rule, f, false) ||
                             (!rule->other && hd_suppress_glob(rule->pattern, f->variable)));
    case RULE_RACE_TOP:
        return !deadlock && any_matches(rule, f, true);
    case RULE_DEADLOCK:
        return deadlock &&
               (any_matches(rule, f, false) || hd_suppress_glob(rule->pattern, f->variable));
    case RULE_LIB:
        return from_library(rule, f);
    case RULE_VAR:
        return hd_suppress_glob(rule->pattern, f->variable);
    case RULE_ID:
        return !strcmp(rule->pattern, f->id) || is_prefix(rule->pattern, f->fingerprint);
    default:
        return false; /* kinds of reports that we do not make */
    }
}

static bool is_over(const struct hd_suppressions *s, const struct rule *rule)
{
    return rule->until && *s->today && strcmp(rule->until, s->today) < 0;
}

static struct rule *rule_for(struct hd_suppressions *s, const struct hd_finding *f)
{
    for (size_t k = 0; k < s->rules.len; k++) {
        struct rule *rule = hd_vec_at(&s->rules, k);
        if (!is_over(s, rule) && matches(rule, f))
            return rule;
    }
    return NULL;
}

/* Behind the rules that the report lists already. */
static void list_rules(const struct hd_suppressions *s, struct hd_report *r)
{
    struct hd_rule_use *all = hd_report_array(r, r->n_rules + s->rules.len, sizeof *all);
    if (r->n_rules)
        memcpy(all, r->rules, r->n_rules * sizeof *all);
    for (size_t k = 0; k < s->rules.len; k++) {
        const struct rule *rule = hd_vec_at(&s->rules, k);
        all[r->n_rules++] = (struct hd_rule_use){.text = hd_report_text(r, rule->text),
                                                 .file = hd_report_text(r, rule->file),
                                                 .line = rule->line,
                                                 .used = rule->used,
                                                 .reason = hd_report_text(r, rule->reason),
                                                 .until = hd_report_text(r, rule->until),
                                                 .expired = is_over(s, rule)};
    }
    r->rules = all;
}

void hd_suppress_apply(struct hd_suppressions *s, struct hd_report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n_findings; i++) {
        struct rule *hit = rule_for(s, &r->findings[i]);
        if (hit) {
            HD_DEBUG_LINE(REPORT, "%s is suppressed by %s:%u", r->findings[i].id, hit->file,
                          hit->line);
            hit->used++;
            r->suppressed++;
        } else {
            r->findings[kept++] = r->findings[i];
        }
    }
    r->n_findings = kept;
    list_rules(s, r);
}
