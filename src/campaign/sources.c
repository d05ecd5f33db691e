#include "campaign/sources.h"

#include "base/alloc.h"
#include "log/rt_log.h"
#include "record/program.h"
#include "record/record.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

/* ---- one test ---- */

/* The file of its program, and which build that is. */
static enum hd_status find_program(struct hd_source_options *o, struct hd_unit *u,
                                   struct hd_err *err)
{
    char name[PATH_MAX], path[PATH_MAX], full[PATH_MAX], build[80];
    const char *word = u->program.items[0];
    bool relative = strchr(word, '/') && *word != '/';
    snprintf(name, sizeof name, "%s%s%s", relative ? u->folder : "", relative ? "/" : "", word);
    enum hd_status s = hd_program_find(name, path, sizeof path, err);
    if (s != HD_OK)
        return s;
    if (!realpath(path, full))
        return hd_err_at(err, HD_ERR_INPUT, path, 0, "%s", strerror(errno));
    s = hd_unitplan_build(full, build, err);
    u->file = hd_unitplan_text(o->plan, full);
    u->build = hd_unitplan_text(o->plan, build);
    return s;
}

static void word(struct hd_source_options *o, struct hd_unit *u, const char *text)
{
    hd_unitplan_word(o->plan, &u->tool, text);
}

static void option(struct hd_source_options *o, struct hd_unit *u, const char *name, ull value)
{
    word(o, u, name);
    word(o, u, hd_unitplan_format(o->plan, "%llu", value));
}

static enum hd_policy_kind policy_of(const struct hd_source_options *o, uint64_t run)
{
    if (o->policy >= 0)
        return (enum hd_policy_kind)o->policy;
    if (run < 2)
        return run ? HD_POLICY_SYNC : HD_POLICY_FIFO;
    return run % 2 ? HD_POLICY_RANDOM : HD_POLICY_PCT;
}

/* One run. How long the program runs is not known here, so units try several lengths in turn: over
 * how many steps pct spreads its changes, how many random lets pass between two choices. */
static void plan_run(struct hd_source_options *o, struct hd_unit *u, uint64_t i)
{
    static const unsigned steps[] = {32, 256, 2048, 16384}, quanta[] = {1, 8, 64, 512};
    enum hd_policy_kind policy = policy_of(o, i);
    bool pct = policy == HD_POLICY_PCT, random = policy == HD_POLICY_RANDOM;
    ull seed = o->seed + i;
    word(o, u, "run");
    option(o, u, "--runs", 1);
    word(o, u, "--policy");
    word(o, u, hd_policy_names[policy]);
    option(o, u, "--seed", seed);
    if (pct)
        option(o, u, "--steps", o->steps ? o->steps : steps[i / 2 % 4]);
    option(o, u, "--jobs", 1); /* other units use the other cores */
    if (random)
        option(o, u, "--quantum", o->quantum ? o->quantum : quanta[i / 2 % 4]);
    u->how = pct || random
                 ? hd_unitplan_format(o->plan, "%s, seed %llu", hd_policy_names[policy], seed)
                 : hd_policy_names[policy];
}

static void plan_share(struct hd_source_options *o, struct hd_unit *u, uint64_t i, uint64_t n,
                       const char *what)
{
    word(o, u, "--shard");
    word(o, u, hd_unitplan_format(o->plan, "%llu/%llu", (ull)i + 1, (ull)n));
    u->how = hd_unitplan_format(o->plan, "%s, share %llu of %llu", what, (ull)i + 1, (ull)n);
}

/* A part of a search over schedules: a share of them, or seeds of its own. */
static void plan_explore(struct hd_source_options *o, struct hd_unit *u, uint64_t i)
{
    ull first = o->seed + i * o->executions;
    word(o, u, "explore");
    word(o, u, "--strategy");
    word(o, u, o->strategy);
    bool warnings = !strcmp(o->strategy, "guided");
    if (warnings || !strcmp(o->strategy, "dpor")) {
        plan_share(o, u, i, o->explore, warnings ? "warnings" : "schedules");
        if (o->executions)
            option(o, u, "--runs", o->executions);
        return;
    }
    option(o, u, "--seed", first);
    option(o, u, "--runs", o->executions);
    u->how = hd_unitplan_format(o->plan, "explore %s, seeds %llu to %llu", o->strategy, first,
                                (ull)(first + o->executions - 1));
}

/* A part of a search over inputs: a share of the paths. */
static void plan_hunt(struct hd_source_options *o, struct hd_unit *u, uint64_t i)
{
    word(o, u, "hunt");
    plan_share(o, u, i, o->hunt, "hunt");
    if (o->executions)
        option(o, u, "--max-paths", o->executions);
}

static void plan_unit(struct hd_source_options *o, struct hd_unit *u, uint64_t i)
{
    if (o->hunt)
        plan_hunt(o, u, i);
    else if (o->explore)
        plan_explore(o, u, i);
    else
        plan_run(o, u, i);
}

enum hd_status hd_source_add(struct hd_source_options *o, struct hd_unit *test, struct hd_err *err)
{
    enum hd_status s = find_program(o, test, err);
    uint64_t n = o->hunt ? o->hunt : o->explore ? o->explore : o->runs;
    const char *input = test->how; /* the sources say here what is special about all of them */
    for (uint64_t i = 0; i < n && s == HD_OK; i++) {
        struct hd_unit u = *test;
        plan_unit(o, &u, i);
        word(o, &u, "--quiet");
        hd_unitplan_words(o->plan, &u.tool, &o->options);
        if (input)
            u.how = hd_unitplan_format(o->plan, "%s, %s", input, u.how);
        hd_unitplan_add(o->plan, &u);
    }
    return s;
}

/* ---- sources ---- */

static const char *joined(struct hd_unitplan *p, const struct hd_texts *words)
{
    const char *text = "";
    for (size_t i = 0; i < words->n; i++)
        text = hd_unitplan_format(p, "%s%s%s", text, i ? " " : "", words->items[i]);
    return text;
}

static enum hd_status here(struct hd_source_options *o, struct hd_unit *u, struct hd_err *err)
{
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        return hd_err_set(err, HD_ERR_INPUT, "the current folder is not known: %s",
                          strerror(errno));
    u->folder = hd_unitplan_text(o->plan, cwd);
    return HD_OK;
}

static enum hd_status begin_test(struct hd_source_options *o, char **argv, struct hd_unit *u,
                                 struct hd_err *err)
{
    *u = (struct hd_unit){0};
    for (; *argv; argv++)
        hd_unitplan_word(o->plan, &u->program, *argv);
    u->test = joined(o->plan, &u->program);
    return here(o, u, err);
}

enum hd_status hd_source_program(struct hd_source_options *o, char **argv, struct hd_err *err)
{
    struct hd_unit u;
    enum hd_status s = begin_test(o, argv, &u, err);
    return s == HD_OK ? hd_source_add(o, &u, err) : s;
}

static enum hd_status test_line(struct hd_source_options *o, const char *line, struct hd_err *err)
{
    struct hd_unit u = {0};
    const char *why = hd_source_words(o->plan, line, &u.program);
    if (why)
        return hd_err_set(err, HD_ERR_INPUT, "%s", why);
    if (!u.program.n)
        return HD_OK;
    u.test = joined(o->plan, &u.program);
    enum hd_status s = here(o, &u, err);
    return s == HD_OK ? hd_source_add(o, &u, err) : s;
}

enum hd_status hd_source_tests(struct hd_source_options *o, const char *path, struct hd_err *err)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t number = 0;
    enum hd_status s = HD_OK;
    struct hd_err why = {0};
    FILE *in = fopen(path, "re");
    if (!in)
        return hd_err_at(err, HD_ERR_INPUT, path, 0, "%s", strerror(errno));
    while (s == HD_OK && getline(&line, &room, in) > 0) {
        number++;
        s = test_line(o, line, &why);
    }
    free(line);
    fclose(in);
    return s == HD_OK ? s : hd_err_at(err, s, path, number, "%s", why.text);
}

/* ---- inputs ---- */

static int plain_file(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* The program with one input: @@ stands for the file, or it is the standard input. */
static void with_input(struct hd_source_options *o, struct hd_unit *u, const char *file)
{
    bool named = false;
    struct hd_texts words = {0};
    for (size_t i = 0; i < u->program.n; i++) {
        const char *at = strstr(u->program.items[i], "@@");
        named = named || at;
        hd_unitplan_word(o->plan, &words,
                         at ? hd_unitplan_format(o->plan, "%.*s%s%s",
                                                 (int)(at - u->program.items[i]),
                                                 u->program.items[i], file, at + 2)
                            : u->program.items[i]);
    }
    if (named)
        u->program = words;
    else
        u->input = hd_unitplan_text(o->plan, file);
}

enum hd_status hd_source_inputs(struct hd_source_options *o, const char *folder, char **argv,
                                struct hd_err *err)
{
    char full[PATH_MAX];
    struct dirent **list;
    struct hd_unit test;
    struct stat st;
    enum hd_status s = begin_test(o, argv, &test, err);
    int n = s == HD_OK && realpath(folder, full) ? scandir(full, &list, plain_file, alphasort) : -1;
    if (s == HD_OK && n < 0)
        return hd_err_at(err, HD_ERR_INPUT, folder, 0, "%s", strerror(errno));
    size_t before = o->plan->units.len;
    for (int i = 0; i < n; i++) {
        struct hd_unit u = test;
        const char *file = hd_unitplan_format(o->plan, "%s/%s", full, list[i]->d_name);
        if (s == HD_OK && stat(file, &st) == 0 && S_ISREG(st.st_mode)) {
            with_input(o, &u, file);
            u.how = hd_unitplan_format(o->plan, "input %s", list[i]->d_name);
            s = hd_source_add(o, &u, err);
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    if (s == HD_OK && o->plan->units.len == before)
        s = hd_err_at(err, HD_ERR_INPUT, folder, 0, "there is no file in it");
    return s;
}

/* ---- shards ---- */

enum hd_status hd_source_shards(struct hd_source_options *o, const char *trace, uint64_t shards,
                                struct hd_err *err)
{
    char full[PATH_MAX], build[80];
    struct hd_unit test = {0};
    if (!realpath(trace, full))
        return hd_err_at(err, HD_ERR_INPUT, trace, 0, "%s", strerror(errno));
    enum hd_status s = hd_unitplan_build(full, build, err);
    if (s == HD_OK)
        s = here(o, &test, err);
    test.test = hd_unitplan_text(o->plan, trace);
    test.file = hd_unitplan_text(o->plan, full);
    test.build = hd_unitplan_text(o->plan, build);
    for (uint64_t i = 0; i < shards && s == HD_OK; i++) {
        struct hd_unit u = test;
        word(o, &u, "analyze");
        word(o, &u, full);
        word(o, &u, "--shard");
        word(o, &u, hd_unitplan_format(o->plan, "%llu/%llu", (ull)i + 1, (ull)shards));
        u.how = hd_unitplan_format(o->plan, "shard %llu of %llu", (ull)i + 1, (ull)shards);
        option(o, &u, "--jobs", 1);
        word(o, &u, "--quiet");
        hd_unitplan_words(o->plan, &u.tool, &o->options);
        hd_unitplan_add(o->plan, &u);
    }
    return s;
}
