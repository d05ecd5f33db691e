/* heddle hunt: look for inputs that reach a race. */
#include "cli/cmds.h"
#include "cli/campaign_run.h"
#include "cli/common.h"
#include "cli/duration.h"
#include "session/hunt_session.h"
#include "cli/hunt_show.h"
#include "cli/outdir.h"
#include "cli/save_report.h"
#include "cli/option_groups.h"
#include "abi/rt_apis.h"

#include "base/interrupt.h"
#include "concolic/shared_arena.h"
#include "concolic/input_search.h"
#include "record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct values {
    const char *inputs, *calls, *dir, *rerun, *json, *shard;
    double budget, solver, timeout; /* 0: not given */
    uint64_t max_paths, at_once, max_depth, memory, size, times;
    int order; /* enum hd_hunt_order */
    bool no_prune, first, keep, no_predict;
    struct hd_path_share share;
};

#define ORDERS "depth|coverage"

static const struct hd_opt options[] = {
    {0, "input", HD_OPT_TEXT, offsetof(struct values, inputs), "LIST",
     "What is input: argv:N, env:NAME, stdin, file:PATH, none (argv,stdin)", NULL, 0, 0},
    {0, "symbolic-call", HD_OPT_TEXT, offsetof(struct values, calls), "LIST",
     "Functions whose result is input, or none (rand)", NULL, 0, 0},
    {0, "size", HD_OPT_COUNT, offsetof(struct values, size), "N",
     "Give each input room for N bytes (8)", NULL, 1, 1000000},
    {'b', "budget", HD_OPT_TIME, offsetof(struct values, budget), "TIME",
     "Stop after TIME (10s, 5m)", NULL, 1, 0},
    {0, "max-paths", HD_OPT_COUNT, offsetof(struct values, max_paths), "N", "Stop after N runs",
     NULL, 1, 100000000},
    {0, "first", HD_OPT_FLAG, offsetof(struct values, first), NULL, "Stop at the first race", NULL,
     0, 0},
    HD_OPTION_AT_ONCE(at_once),
    {'o', "output", HD_OPT_FILE, offsetof(struct values, dir), "DIR",
     "Put everything into this folder (heddle-out/N)", NULL, 0, 0},
    {0, "order", HD_OPT_CHOICE, offsetof(struct values, order), "HOW",
     "What to try next: depth first or new coverage first", ORDERS, 0, 0},
    {0, "no-prune", HD_OPT_FLAG, offsetof(struct values, no_prune), NULL,
     "Try every path, also those that can cover nothing new", NULL, 0, 0},
    {0, "no-predict", HD_OPT_FLAG, offsetof(struct values, no_predict), NULL,
     "Do not look for races, only for paths", NULL, 0, 0},
    {0, "max-depth", HD_OPT_COUNT, offsetof(struct values, max_depth), "N",
     "Look at the first N choices of a path (20000)", NULL, 1, 1000000},
    {0, "solver-budget", HD_OPT_TIME, offsetof(struct values, solver), "TIME",
     "Let the solver give up a question after TIME (10s)", NULL, 1, 0},
    {0, "timeout", HD_OPT_TIME, offsetof(struct values, timeout), "TIME",
     "End a run after TIME of processor time (60s)", NULL, 1, 0},
    {0, "memory", HD_OPT_COUNT, offsetof(struct values, memory), "BYTES",
     "Give the program at most this much memory", NULL, 1000000, 0},
    HD_OPTION_TIMES(times),
    {0, "shard", HD_OPT_TEXT, offsetof(struct values, shard), "SHARE",
     "Look into one share of the paths: I/N, or auto", NULL, 0, 0},
    {0, "keep-all", HD_OPT_FLAG, offsetof(struct values, keep), NULL, "Keep the trace of every run",
     NULL, 0, 0},
    {0, "rerun", HD_OPT_FILE, offsetof(struct values, rerun), "FILE",
     "Run the program once with this input", NULL, 0, 0},
    HD_OPTION_JSON(json),
    {0},
};

/* ---- what is input ---- */

static bool known_place(const char *word)
{
    return !strcmp(word, "stdin") || !strcmp(word, "argv") || !strcmp(word, "none") ||
           (!strncmp(word, "argv:", 5) && word[5] >= '1' && word[5] <= '9') ||
           (!strncmp(word, "env:", 4) && word[4]) || (!strncmp(word, "file:", 5) && word[5]);
}

static void add_place(struct hd_input *in, const struct values *v, const char *word, int argc)
{
    char place[4096];
    if (!strcmp(word, "none"))
        return;
    if (!strcmp(word, "argv")) {
        for (int i = 1; i < argc; i++) {
            snprintf(place, sizeof place, "input:argv:%d:%llu", i, (unsigned long long)v->size);
            hd_input_place(in, place);
        }
        return;
    }
    snprintf(place, sizeof place, "input:%s:%llu", word, (unsigned long long)v->size);
    hd_input_place(in, place);
}

/* A block of memory cannot be made up: of a function that returns one there is no other result. */
static bool gives_memory(const char *name)
{
#define IS_HEAP(group, ret, api, params, dep, text)                                                \
    if (!strcmp(#group, "heap") && !strcmp(name, #api))                                            \
        return true;
    HD_APIS(IS_HEAP)
#undef IS_HEAP
    return false;
}

static bool add_places(struct hd_cli *cli, const struct hd_cmd *cmd, struct hd_input *in,
                       const struct values *v, int argc)
{
    char *list = strdup(v->inputs), *rest = list, *word;
    bool ok = list != NULL;
    while (ok && (word = strsep(&rest, ","))) {
        ok = known_place(word);
        if (ok)
            add_place(in, v, word, argc);
        else
            hd_cli_usage(cli, cmd,
                         "--input wants argv:N, env:NAME, stdin, file:PATH or none, not '%s'",
                         word);
    }
    free(list);
    list = rest = strdup(v->calls ? v->calls : "rand");
    while (ok && (word = strsep(&rest, ","))) {
        char place[4096];
        snprintf(place, sizeof place, "call:%s", word);
        ok = !gives_memory(word);
        if (!ok)
            hd_cli_usage(cli, cmd, "--symbolic-call: %s gives memory, which cannot be input", word);
        else if (*word && strcmp(word, "none") != 0)
            hd_input_place(in, place);
    }
    free(list);
    return ok;
}

/* Standard input that is not a terminal is the first value of the object. */
static void take_stdin(struct hd_input *in, uint64_t size)
{
    static uint8_t bytes[1 << 20];
    size_t n = 0;
    ssize_t got;
    if (isatty(0))
        return;
    while (n < sizeof bytes && (got = read(0, bytes + n, sizeof bytes - n)) > 0)
        n += (size_t)got;
    if (n == 0)
        return;
    char place[64];
    snprintf(place, sizeof place, "input:stdin:%zu", n > size ? n : (size_t)size);
    hd_input_place(in, place); /* the first of a name wins, so this comes before the default */
    hd_input_set(in, "stdin", bytes, n);
    uint8_t length[2] = {(uint8_t)n, (uint8_t)(n >> 8)};
    if (n < UINT16_MAX)
        hd_input_set(in, "stdin.length", length, 2);
}

/* ---- running ---- */

struct show {
    struct hd_cli *cli;
    struct hd_progress progress;
    struct hd_cli_json json;
    struct hd_vec found; /* struct hd_hunt_shown */
    struct hd_hunt_session session;
};

static void on_found(void *ctx, const struct hd_found *f)
{
    struct show *w = ctx;
    struct hd_hunt_taken taken;
    hd_hunt_session_take(&w->session, f, &taken);
    hd_progress_end(&w->progress);
    hd_hunt_show_remember(&w->found, f, &taken);
    if (w->json.text)
        hd_hunt_show_found(w->cli, f, &taken);
}

static void on_progress(void *ctx, uint64_t paths, uint64_t open)
{
    struct show *w = ctx;
    w->progress.total = paths + open;
    hd_progress_update(&w->progress, paths);
}

static void read_times(const struct values *v, struct hd_hunt_options *o)
{
    o->seconds = v->budget;
    if (v->solver > 0)
        o->solver_seconds = v->solver;
    if (v->timeout > 0)
        o->limits.seconds = v->timeout;
}

/* The report in the folder, then on the screen. */
static enum hd_exit report(struct show *w, const struct hd_hunt_options *o,
                           const struct hd_hunt_stats *stats)
{
    struct hd_session_result result;
    struct hd_err err = {0};
    enum hd_exit code = HD_EXIT_OK;
    if (hd_hunt_session_finish(&w->session, stats, &result, &err) != HD_OK)
        code = hd_cli_fail_output(w->cli, &err);
    hd_outdir_link(o->dir);
    hd_hunt_show_info(o, stats);
    if (w->json.out)
        hd_hunt_show_json(w->json.out, o, stats, &w->found);
    if (w->json.text && code == HD_EXIT_OK && result.report->n_findings)
        code =
            hd_save_report(w->cli, result.report, HD_REPORT_TEXT, NULL, stdout, w->cli->color_out);
    if (w->json.text)
        hd_hunt_show_text(w->cli, o, stats);
    hd_session_result_fini(&result);
    return code;
}

static enum hd_exit hunt(struct hd_cli *cli, const struct values *v, struct hd_hunt_options *o,
                         char **argv)
{
    struct hd_hunt_stats stats;
    struct hd_err err = {0};
    struct show w = {.cli = cli};
    enum hd_exit code = hd_cli_json_begin(cli, v->json, &w.json);
    if (code != HD_EXIT_OK)
        return code;
    w.found = hd_hunt_show_list();
    hd_hunt_session_begin(&w.session, argv, o->dir, (uint32_t)v->times,
                          (uint32_t)o->limits.seconds + 1);
    hd_cli_progress(cli, &w.progress, "hunt", "paths", 0);
    w.progress.hint = "Ctrl-C for partial results";
    o->found = on_found;
    o->progress = on_progress;
    o->ctx = &w;
    hd_interrupt_catch();
    enum hd_status s = hd_input_search_run(o, &stats, &err);
    hd_interrupt_release();
    hd_progress_end(&w.progress);
    if (s != HD_OK)
        code = s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
    else
        code = report(&w, o, &stats);
    for (int k = 0; k < HD_FOUND_KINDS && code == HD_EXIT_OK; k++)
        code = stats.found[k] ? HD_EXIT_RACE : code;
    if (code == HD_EXIT_OK && stats.ignored.count)
        code = HD_EXIT_UNDECIDED;
    hd_hunt_session_end(&w.session);
    hd_hunt_show_list_fini(&w.found);
    hd_input_search_stats_fini(&stats);
    return hd_cli_json_end(cli, &w.json, code);
}

/* The program is looked at before there is a folder. */
static enum hd_exit hunt_in_folder(struct hd_cli *cli, const struct values *v,
                                   struct hd_hunt_options *o, char **argv)
{
    char dir[PATH_MAX];
    struct hd_err err = {0};
    enum hd_status s = hd_input_search_check(o, &err);
    if (s == HD_OK)
        s = hd_outdir_make(v->dir, dir, sizeof dir, &err);
    if (s != HD_OK)
        return s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
    o->dir = dir;
    enum hd_exit code = hunt(cli, v, o, argv);
    hd_outdir_drop(dir); /* when nothing was run */
    return code;
}

static enum hd_exit search(struct hd_cli *cli, const struct hd_cmd *cmd, const struct values *v,
                           int argc, char **argv)
{
    struct hd_hunt_options o;
    struct hd_input seed;
    enum hd_exit code = HD_EXIT_USAGE;
    hd_input_search_defaults(&o);
    hd_input_init(&seed);
    for (int i = 0; i < argc; i++)
        hd_input_word(&seed, argv[i]);
    if (strstr(v->inputs, "stdin"))
        take_stdin(&seed, v->size);
    read_times(v, &o);
    if (add_places(cli, cmd, &seed, v, argc)) {
        o.seed = &seed;
        o.order = (enum hd_hunt_order)v->order;
        o.max_paths = v->max_paths;
        o.max_depth = (uint32_t)v->max_depth;
        o.jobs = (unsigned)v->at_once;
        o.share = v->share;
        o.asked_calls = v->calls != NULL;
        o.no_prune = v->no_prune;
        o.no_predict = v->no_predict;
        o.first_only = v->first;
        o.keep_all = v->keep;
        o.limits.memory = v->memory;
        code = hunt_in_folder(cli, v, &o, argv);
    }
    hd_input_fini(&seed);
    return code;
}

/* ---- --rerun ---- */

static enum hd_exit rerun(struct hd_cli *cli, const struct values *v, int argc, char **argv)
{
    struct hd_input in;
    struct hd_err err = {0};
    struct hd_record_result result = {0};
    char arena[] = "/tmp/heddle-rerun-XXXXXX", trace[64];
    if (hd_input_load(v->rerun, &in, &err) != HD_OK) {
        hd_input_fini(&in);
        return hd_cli_fail_input(cli, &err);
    }
    char **words = calloc(in.words.len + 1, sizeof *words);
    for (size_t i = 0; words && i < in.words.len; i++)
        words[i] = (char *)((struct hd_input_bytes *)hd_vec_at(&in.words, i))->data;
    int fd = mkstemp(arena);
    enum hd_exit code = HD_EXIT_TOOL;
    enum hd_status s = HD_ERR_IO;
    if (fd < 0 || !words)
        hd_cli_error(cli, "cannot make a temporary file: %s", strerror(errno));
    else if ((s = hd_shared_arena_create(arena, &in, true, &err)) != HD_OK)
        code = hd_cli_fail_output(cli, &err);
    else {
        setenv(HD_SYM_ENV, arena, 1);
        snprintf(trace, sizeof trace, "%s.hdr", arena);
        struct hd_record_opts opts = {
            .out = trace, .argv = argc ? argv : words, .policy = HD_POLICY_FIFO, .seed = 1};
        opts.quantum = opts.depth = opts.steps = 1;
        opts.exit_steps = HD_RECORD_EXIT_STEPS;
        s = hd_record_run(&opts, &result, &err);
        code = s == HD_OK          ? (enum hd_exit)WEXITSTATUS(result.wait_status)
               : s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err)
                                   : hd_cli_fail_output(cli, &err);
        if (s == HD_OK && WIFSIGNALED(result.wait_status))
            code = (enum hd_exit)(128 + WTERMSIG(result.wait_status));
        unlink(trace);
        hd_record_result_fini(&result);
    }
    if (fd >= 0) {
        close(fd);
        unlink(arena);
    }
    free(words);
    hd_input_fini(&in);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.inputs = "argv,stdin", .times = 3};
    enum hd_exit code;
    v.at_once = 1;
    v.max_depth = 20000;
    v.size = 8;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    argv[argc] = NULL;
    if (v.rerun)
        return rerun(cli, &v, argc, argv);
    if (argc == 0)
        return hd_cli_usage(cli, cmd, "name the program, after --");
    uint64_t share = 1, shares = 1;
    if (v.shard && !hd_campaign_share(cli, cmd, v.shard, &share, &shares))
        return HD_EXIT_USAGE;
    v.share = (struct hd_path_share){(uint32_t)share - 1, (uint32_t)shares};
    return search(cli, cmd, &v, argc, argv);
}

const struct hd_cmd hd_cmd_hunt = {
    .name = "hunt",
    .path = "hunt",
    .summary = "look for inputs that reach a race",
    .args = "-- PROGRAM [ARG]...",
    .detail =
        "Runs a program that was built with heddle cc --concolic again and again, each time with "
        "an input that takes another path, and looks for races on every path. A program without "
        "races behaves the same under every schedule, so each input is run under one schedule "
        "only; prediction sees the others.\n"
        "\n"
        "Inputs are the arguments and standard input unless --input says otherwise, and what "
        "heddle_make_symbolic of heddle/annotate.h names. The bytes given on the command line are "
        "the first ones tried.\n"
        "\n"
        "Failed assertions, crashes, deadlocks and runs that exceed their memory or time are found "
        "too. What is found is replayed with its input and reported as heddle run does.\n"
        "\n"
        "All files are in heddle-out/N, every input as testNNNNNN.input: --rerun FILE "
        "runs the program with one of them; heddle replay and heddle report take the folder like "
        "that of a run.\n"
        "\n"
        "Exits 66 when something was found.",
    .options = options,
    .min_args = 0,
    .max_args = 1 << 20,
    .run = run,
};
