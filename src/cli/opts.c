/* The option parser. Long options are never abbreviated: a script that works today must not break
 * when a new option shares a beginning with an old one. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/duration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct common {
    bool help, quiet;
    int color;
};

const struct hd_opt hd_cli_common_options[] = {
    {'h', "help", HD_OPT_FLAG, offsetof(struct common, help), NULL, "Show this help", NULL, 0, 0},
    {'q', "quiet", HD_OPT_FLAG, offsetof(struct common, quiet), NULL,
     "Print results and errors only, no progress", NULL, 0, 0},
    {0, "color", HD_OPT_CHOICE, offsetof(struct common, color), "WHEN",
     "Colour: auto, always or never", "auto|always|never", 0, 0},
    {0},
};

struct parse {
    struct hd_cli *cli;
    const struct hd_cmd *cmd;
    void *values;
    struct common common;
    int argc, next;
    char **argv;
};

static const struct hd_opt *find_in(const struct hd_opt *table, const char *name, size_t len,
                                    char letter)
{
    for (const struct hd_opt *o = table; o && o->name; o++) {
        bool same_name = name && strlen(o->name) == len && !memcmp(o->name, name, len);
        if (same_name || (letter && o->letter == letter))
            return o;
    }
    return NULL;
}

/* Finds an option and where the value of its table begins. */
static const struct hd_opt *find_option(struct parse *p, const char *name, size_t len, char letter,
                                        void **base)
{
    const struct hd_opt *o = find_in(p->cmd->options, name, len, letter);
    *base = p->values;
    if (!o) {
        o = find_in(hd_cli_common_options, name, len, letter);
        *base = &p->common;
    }
    return o;
}

static bool unknown_option(struct parse *p, const char *name, size_t len)
{
    const char *words[64];
    size_t n = 0;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    const struct hd_opt *tables[] = {p->cmd->options, hd_cli_common_options};
    for (int t = 0; t < 2; t++)
        for (const struct hd_opt *o = tables[t]; o && o->name && n < 64; o++)
            words[n++] = o->name;
    const char *near = hd_suggest(word, words, n);
    hd_cli_usage(p->cli, p->cmd, "unknown option '--%s'%s%s%s", word,
                 near ? "; did you mean '--" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static bool parse_count(const char *text, uint64_t *value)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    uint64_t scale = 1;
    if (*end && !hex) {
        scale = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 0;
        end++;
    }
    return errno == 0 && *end == '\0' && scale && !__builtin_mul_overflow(*value, scale, value);
}

static bool set_count(struct parse *p, const struct hd_opt *o, uint64_t *target, const char *text)
{
    uint64_t value, max = o->max ? o->max : UINT64_MAX;
    if (!parse_count(text, &value)) {
        hd_cli_usage(p->cli, p->cmd, "--%s: '%s' is not a number (like 42, 0x2a, 10k, 2M)", o->name,
                     text);
        return false;
    }
    if (value < o->min || value > max) {
        if (o->max)
            hd_cli_usage(p->cli, p->cmd, "--%s: %s is not between %llu and %llu", o->name, text,
                         (unsigned long long)o->min, (unsigned long long)max);
        else
            hd_cli_usage(p->cli, p->cmd, "--%s: %s is below %llu", o->name, text,
                         (unsigned long long)o->min);
        return false;
    }
    *target = value;
    return true;
}

static bool set_time(struct parse *p, const struct hd_opt *o, double *target, const char *text)
{
    double seconds;
    if (!hd_duration_parse(text, &seconds) || (o->min && seconds <= 0)) {
        hd_cli_usage(p->cli, p->cmd, "--%s wants a time like 10s, 500ms or 5m, not '%s'", o->name,
                     text);
        return false;
    }
    *target = seconds;
    return true;
}

static bool set_choice(struct parse *p, const struct hd_opt *o, int *target, const char *text)
{
    const char *word = o->choices;
    for (int i = 0; *word; i++) {
        size_t len = strcspn(word, "|");
        if (strlen(text) == len && !memcmp(text, word, len)) {
            *target = i;
            return true;
        }
        word += len + (word[len] == '|');
    }
    hd_cli_usage(p->cli, p->cmd, "--%s: '%s' is not one of %s", o->name, text, o->choices);
    return false;
}

static bool add_file(struct parse *p, const struct hd_opt *o, struct hd_opt_files *files,
                     const char *text)
{
    if (files->n == HD_OPT_MAX_FILES) {
        hd_cli_usage(p->cli, p->cmd, "--%s: at most %d may be given", o->name, HD_OPT_MAX_FILES);
        return false;
    }
    files->items[files->n++] = text;
    return true;
}

static bool set_value(struct parse *p, const struct hd_opt *o, void *base, const char *text)
{
    void *target = (char *)base + o->offset;
    switch (o->type) {
    case HD_OPT_FLAG:
        *(bool *)target = true;
        return true;
    case HD_OPT_TEXT:
    case HD_OPT_FILE:
        *(const char **)target = text;
        return true;
    case HD_OPT_FILES:
        return add_file(p, o, target, text);
    case HD_OPT_COUNT:
        return set_count(p, o, target, text);
    case HD_OPT_TIME:
        return set_time(p, o, target, text);
    case HD_OPT_RESULT:
        *(const char **)target = text ? text : "-";
        return true;
    case HD_OPT_CHOICE:
        return set_choice(p, o, target, text);
    }
    return false;
}

/* The argument of an option that stands at argv[next - 1]: inline, or the next word. */
static bool take_value(struct parse *p, const struct hd_opt *o, void *base, const char *inline_text)
{
    if (o->type == HD_OPT_FLAG || o->type == HD_OPT_RESULT)
        return set_value(p, o, base, inline_text);
    if (!inline_text && p->next == p->argc) {
        hd_cli_usage(p->cli, p->cmd, "--%s needs an argument: --%s %s", o->name, o->name, o->arg);
        return false;
    }
    return set_value(p, o, base, inline_text ? inline_text : p->argv[p->next++]);
}

static bool parse_long(struct parse *p, const char *name)
{
    size_t len = strcspn(name, "=");
    void *base;
    const struct hd_opt *o = find_option(p, name, len, 0, &base);
    if (!o)
        return unknown_option(p, name, len);
    if (o->type == HD_OPT_FLAG && name[len]) {
        hd_cli_usage(p->cli, p->cmd, "--%s takes no argument", o->name);
        return false;
    }
    return take_value(p, o, base, name[len] ? name + len + 1 : NULL);
}

static bool parse_short(struct parse *p, const char *letters)
{
    for (; *letters; letters++) {
        void *base;
        const struct hd_opt *o = find_option(p, NULL, 0, *letters, &base);
        if (!o) {
            hd_cli_usage(p->cli, p->cmd, "unknown option '-%c'", *letters);
            return false;
        }
        if (o->type != HD_OPT_FLAG)
            return take_value(p, o, base, letters[1] ? letters + 1 : NULL);
        set_value(p, o, base, NULL);
    }
    return true;
}

static bool parse_words(struct parse *p, int *n_args)
{
    bool options = true;
    while (p->next < p->argc) {
        char *word = p->argv[p->next++];
        bool ok = true;
        if (options && !strcmp(word, "--"))
            options = false;
        else if (options && word[0] == '-' && word[1] == '-')
            ok = parse_long(p, word + 2);
        else if (options && word[0] == '-' && word[1])
            ok = parse_short(p, word + 1);
        else if (p->cmd->subs)
            return p->next--, true; /* a group: the rest belongs to its subcommand */
        else
            p->argv[(*n_args)++] = word;
        if (!ok)
            return false;
    }
    return true;
}

static bool check_args(const struct parse *p, int n_args)
{
    if (p->cmd->subs || (n_args >= p->cmd->min_args && n_args <= p->cmd->max_args))
        return true;
    if (n_args < p->cmd->min_args)
        hd_cli_usage(p->cli, p->cmd, "missing argument: heddle %s %s", p->cmd->path, p->cmd->args);
    else
        hd_cli_usage(p->cli, p->cmd, "unexpected argument '%s'", p->argv[p->cmd->max_args]);
    return false;
}

bool hd_cli_parse(struct hd_cli *cli, const struct hd_cmd *cmd, void *values, int *argc,
                  char **argv, enum hd_exit *code)
{
    struct parse p = {.cli = cli, .cmd = cmd, .values = values, .argc = *argc, .argv = argv};
    p.common.quiet = cli->quiet;
    p.common.color = cli->color;
    int n_args = 0;
    bool ok = parse_words(&p, &n_args);
    *code = HD_EXIT_USAGE;
    if (p.common.help && ok) {
        hd_cli_print_help(cmd);
        *code = HD_EXIT_OK;
        return false;
    }
    if (!ok || !check_args(&p, n_args))
        return false;
    cli->quiet = p.common.quiet;
    cli->color = p.common.color;
    cli->color_out = hd_term_use_color((enum hd_color)cli->color, 1);
    cli->color_err = hd_term_use_color((enum hd_color)cli->color, 2);
    if (cmd->subs) {
        memmove(argv, argv + p.next, (size_t)(p.argc - p.next) * sizeof *argv);
        n_args = p.argc - p.next;
    }
    *argc = n_args;
    return true;
}
