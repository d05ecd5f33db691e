/* heddle explore: search other schedules of the program itself. */
#include "cli/cmds.h"

#include "base/interrupt.h"
#include "cli/campaign_run.h"
#include "cli/common.h"
#include "cli/duration.h"
#include "cli/filters.h"
#include "cli/outdir.h"
#include "cli/run_options.h"
#include "cli/option_groups.h"
#include "cli/pairs_from.h"
#include "session/search.h"
#include "record/preload.h"
#include "record/record.h"
#include "report/format/formats.h"
#include "report/format/report_json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    const char *out, *baseline, *cflags, *properties, *pairs_from, *shard;
    struct hd_opt_files suppressions;
    struct hd_runs_output output;
    int strategy;           /* enum hd_search_strategy; -1: not said */
    double budget, timeout; /* budget 0: none */
    uint64_t runs, seed, times, at_once, preemptions, exit_steps;
    int aim; /* enum hd_aim */
    bool resume, first, confirmed_only, allow_undecided, sc, preload;
};

static const struct hd_opt options[] = {
    {0, "strategy", HD_OPT_CHOICE, offsetof(struct values, strategy), "NAME",
     "How to search: guided, dpor, pct or random", HD_SEARCH_STRATEGIES, 0, 0},
    {'b', "budget", HD_OPT_TIME, offsetof(struct values, budget), "TIME",
     "Search for at most TIME (10s, 5m)", NULL, 1, 0},
    {'n', "runs", HD_OPT_COUNT, offsetof(struct values, runs), "N",
     "Run the program at most N times; pct, random: 100 without a budget", NULL, 1, 1000000000},
    HD_OPTION_AT_ONCE(at_once),
    {0, "resume", HD_OPT_FLAG, offsetof(struct values, resume), NULL,
     "Go on with the search in the folder (heddle-out/latest)", NULL, 0, 0},
    {0, "first", HD_OPT_FLAG, offsetof(struct values, first), NULL,
     "Stop at the first confirmed finding", NULL, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "DIR",
     "Put everything into this folder (heddle-out/N)", NULL, 0, 0},
    {0, "seed", HD_OPT_COUNT, offsetof(struct values, seed), "N",
     "pct, random: seed of the first run (1)", NULL, 0, 0},
    {0, "preemptions", HD_OPT_COUNT, offsetof(struct values, preemptions), "N",
     "Stop running threads at most N times (guided: 2; dpor: any number)", NULL, 0, 7},
    {0, "shard", HD_OPT_TEXT, offsetof(struct values, shard), "SHARE",
     "dpor, guided: only the I-th of N shares of the search, as I/N; auto: from the environment",
     NULL, 0, 0},
    {0, "aim", HD_OPT_CHOICE, offsetof(struct values, aim), "HOW",
     "guided: parked (park a thread and prefer another), hint (only prefer) or none",
     "parked|hint|none", 0, 0},
    HD_OPTION_PROPERTY(properties),
    HD_OPTION_PAIRS_FROM(pairs_from),
    HD_OPTION_TIMES(times),
    HD_OPTION_CONFIRMED_ONLY(confirmed_only),
    HD_OPTION_SC(sc),
    HD_OPTION_ALLOW_UNDECIDED(allow_undecided),
    HD_OPTION_EXIT_STEPS(exit_steps),
    HD_OPTION_PRELOAD(preload),
    {0, "timeout", HD_OPT_TIME, offsetof(struct values, timeout), "TIME",
     "End one execution after this time (10)", NULL, 1, 0},
    HD_OPTION_SUPPRESSIONS(suppressions),
    HD_OPTION_BASELINE(baseline),
    HD_OPTION_CFLAGS(cflags),
    HD_OPTIONS_REPORT(output),
    {0},
};

static const char *const strategies[] = {
#define STRATEGY_NAME(kind, name) name,
    HD_SEARCH_TABLE(STRATEGY_NAME, )
#undef STRATEGY_NAME
};
#define N_STRATEGIES 4
#define SAMPLES      100 /* runs of pct and random when nothing is said */

struct explore {
    const struct hd_cli *cli;
    const struct hd_cmd *cmd;
    struct values *v;
    struct hd_search_options o;
    struct hd_search_state state;
    struct hd_report *earlier; /* of a search that goes on; given away to the session */
    struct hd_progress progress;
    char hint[96];
    char dir[PATH_MAX], full[PATH_MAX], program[PATH_MAX], input[PATH_MAX + 16];
    struct hd_warned_pairs asked; /* --pairs-from */
    char **words;                 /* of a search that goes on without naming its program; or NULL */
};

/* ---- what is asked for ---- */

/* Once the strategy is known. */
static void set_bound(struct explore *x)
{
    uint64_t given = x->v->preemptions;
    uint32_t usual = x->o.strategy == HD_SEARCH_GUIDED ? 2 : UINT32_MAX;
    x->o.preemptions = given != UINT64_MAX ? (uint32_t)given : usual;
}

/* dpor judges executions, not blocks of them: it would look for nothing and call that complete. */
static enum hd_exit check_properties(const struct explore *x)
{
    bool blocks = x->o.session.properties >> HD_PROPERTY_ATOMICITY & 1;
    if (blocks && x->o.strategy == HD_SEARCH_DPOR)
        return hd_cli_usage(x->cli, x->cmd,
                            "strategy dpor does not look for atomicity violations; use pct");
    return HD_EXIT_OK;
}

static enum hd_exit read_share(struct explore *x)
{
    uint64_t i = 1, n = 1;
    bool samples = x->v->strategy == HD_SEARCH_PCT || x->v->strategy == HD_SEARCH_RANDOM;
    if (x->v->shard && samples)
        return hd_cli_usage(x->cli, x->cmd,
                            "--shard needs --strategy guided or dpor; pct and random are divided "
                            "by --seed");
    if (x->v->shard && !hd_campaign_share(x->cli, x->cmd, x->v->shard, &i, &n))
        return HD_EXIT_USAGE;
    x->o.share = (struct hd_schedule_share){(uint32_t)i - 1, (uint32_t)n};
    return HD_EXIT_OK;
}

static enum hd_exit read_options(struct explore *x)
{
    struct values *v = x->v;
    struct hd_session_options *s = &x->o.session;
    x->o.strategy = v->strategy < 0 ? HD_SEARCH_GUIDED : (enum hd_search_strategy)v->strategy;
    x->o.runs = v->runs;
    x->o.timeout = v->timeout;
    x->o.seconds = v->budget;
    s->budget = v->budget;
    x->o.jobs = (unsigned)v->at_once;
    set_bound(x);
    x->o.aim = v->aim;
    x->o.first = v->first;
    s->times = (uint32_t)v->times;
    s->confirmed_only = v->confirmed_only;
    s->allow_undecided = v->allow_undecided;
    s->exit_steps = v->exit_steps;
    if (v->preload)
        hd_preload_always();
    s->timeout = hd_duration_seconds(v->timeout);
    hd_predict_defaults(&s->predict);
    s->predict.sc = v->sc;
    enum hd_exit code = hd_run_options_check_output(x->cli, x->cmd, &v->output);
    if (code == HD_EXIT_OK)
        code = read_share(x);
    if (code != HD_EXIT_OK)
        return code;
    if (!hd_common_properties(x->cli, x->cmd, v->properties ? v->properties : "race,deadlock",
                              &s->properties))
        return HD_EXIT_USAGE;
    return check_properties(x);
}

/* ---- the folder ---- */

static enum hd_exit fail(const struct explore *x, enum hd_status s, const struct hd_err *err)
{
    return s == HD_ERR_INPUT ? hd_cli_fail_input(x->cli, err) : hd_cli_fail_output(x->cli, err);
}

/* Standard input for every run: a copy, since each reads it from the start. A terminal and the null
 * device give nothing. */
static enum hd_exit keep_input(struct explore *x)
{
    struct stat st;
    char bytes[65536];
    ssize_t got = 0;
    snprintf(x->input, sizeof x->input, "%s/input", x->full);
    if (x->v->resume) {
        x->o.input = access(x->input, R_OK) == 0 ? x->input : NULL;
        return HD_EXIT_OK;
    }
    if (fstat(0, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)))
        return HD_EXIT_OK;
    int fd = open(x->input, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0;
    while (ok && (got = read(0, bytes, sizeof bytes)) > 0)
        ok = write(fd, bytes, (size_t)got) == got;
    ok = fd >= 0 && close(fd) == 0 && ok && got == 0;
    if (!ok) {
        hd_cli_error(x->cli, "cannot keep the standard input: %s", strerror(errno));
        return HD_EXIT_TOOL;
    }
    x->o.input = x->input;
    return HD_EXIT_OK;
}

/* The search that goes on has to be the one that is asked for. */
static enum hd_exit check_same(struct explore *x, int argc, char **argv)
{
    const char *strategy = hd_names_text(&x->state.strategy, 0);
    bool same = argc == 0 || (size_t)argc == x->state.words.len;
    for (int i = 0; same && i < argc; i++)
        same = !strcmp(argv[i], hd_names_text(&x->state.program, x->state.words.data[i]));
    if (!same)
        return hd_cli_usage(x->cli, x->cmd, "the search in %s is about another program", x->dir);
    int k = 0;
    while (k < N_STRATEGIES && strcmp(strategies[k], strategy) != 0)
        k++;
    if (k == N_STRATEGIES || (x->v->strategy >= 0 && x->v->strategy != k))
        return hd_cli_usage(x->cli, x->cmd, "the search in %s has strategy %s", x->dir, strategy);
    x->o.strategy = (enum hd_search_strategy)k;
    set_bound(x);
    return check_properties(x);
}

static enum hd_exit resume(struct explore *x, int argc, char **argv)
{
    struct hd_err err = {0};
    char path[PATH_MAX + 32];
    if (x->v->out)
        snprintf(x->dir, sizeof x->dir, "%s", x->v->out);
    else
        hd_outdir_latest(x->dir, sizeof x->dir);
    if (!realpath(x->dir, x->full)) {
        hd_cli_error(x->cli, "there is no search to go on with: %s: %s", x->dir, strerror(errno));
        return HD_EXIT_INPUT;
    }
    snprintf(path, sizeof path, "%s/" HD_SEARCH_FILE, x->full);
    hd_search_state_fini(&x->state);
    enum hd_status s = hd_search_state_load(&x->state, path, &err);
    if (s != HD_OK)
        return hd_cli_fail_input(x->cli, &err);
    enum hd_exit code = check_same(x, argc, argv);
    if (code != HD_EXIT_OK)
        return code;
    snprintf(path, sizeof path, "%s/report.json", x->full);
    if (hd_report_json_load(path, &x->earlier, &err) != HD_OK)
        return hd_cli_fail_input(x->cli, &err);
    size_t n = x->state.words.len;
    x->words = calloc(n + 1, sizeof *x->words);
    for (size_t i = 0; x->words && i < n; i++)
        x->words[i] = (char *)hd_names_text(&x->state.program, x->state.words.data[i]);
    x->o.session.argv = x->words;
    return x->words ? hd_run_options_check_paths(x->cli, &x->v->output) : HD_EXIT_TOOL;
}

static enum hd_exit begin(struct explore *x, int argc, char **argv, int before)
{
    struct hd_err err = {0};
    enum hd_status s = hd_outdir_make(x->v->out, x->dir, sizeof x->dir, &err);
    if (s != HD_OK)
        return fail(x, s, &err);
    if (!realpath(x->dir, x->full)) {
        hd_cli_error(x->cli, "cannot use %s: %s", x->dir, strerror(errno));
        return HD_EXIT_TOOL;
    }
    enum hd_exit code = hd_run_options_check_paths(x->cli, &x->v->output);
    if (code == HD_EXIT_OK)
        code = hd_run_options_program(x->cli, x->cmd, x->dir, x->v->cflags, before, &argc, &argv,
                                      x->program, sizeof x->program);
    if (code != HD_EXIT_OK)
        return code;
    x->o.session.argv = argv;
    x->state.seed = x->v->seed;
    hd_search_state_program(&x->state, strategies[x->o.strategy], argv);
    return HD_EXIT_OK;
}

/* ---- the search ---- */

static void show_progress(void *ctx, const struct hd_search_progress *p)
{
    struct explore *x = ctx;
    snprintf(x->hint, sizeof x->hint, "%" PRIu64 " states, %" PRIu64 " open; Ctrl-C ends it",
             p->states, p->frontier);
    hd_progress_update(&x->progress, p->executions);
}

static enum hd_exit search(struct explore *x)
{
    struct hd_search_result result;
    struct hd_err err = {0};
    bool samples = x->o.strategy == HD_SEARCH_PCT || x->o.strategy == HD_SEARCH_RANDOM;
    if (!x->o.runs && x->o.seconds == 0) { /* dpor has an end of its own */
        x->o.runs = samples ? SAMPLES : 0;
        x->o.seconds = x->o.strategy == HD_SEARCH_GUIDED ? 60 : 0;
        x->o.samples = SAMPLES;
    }
    x->o.session.dir = x->full;
    x->o.progress = show_progress;
    x->o.ctx = x;
    hd_cli_progress(x->cli, &x->progress, "exploring", "executions", 0);
    x->progress.hint = x->hint;
    hd_interrupt_catch();
    enum hd_status s = hd_search(&x->o, &x->state, x->earlier, &result, &err);
    hd_interrupt_release();
    x->earlier = NULL;
    hd_progress_end(&x->progress);
    enum hd_exit code = HD_EXIT_OK;
    if (s != HD_OK) {
        code = fail(x, s, &err);
    } else {
        result.session.report->directory = hd_report_text(result.session.report, x->dir);
        hd_outdir_link(x->dir);
        code = hd_run_options_report(x->cli, &x->v->output, result.session.report);
        bool answered =
            !x->v->pairs_from ||
            hd_pairs_from_report(x->cli, &x->asked, result.session.report, result.exhausted);
        if (!answered && code == HD_EXIT_OK && !x->v->allow_undecided)
            code = HD_EXIT_UNDECIDED;
    }
    hd_session_result_fini(&result.session);
    return code;
}

static enum hd_exit run_prepared(struct explore *x, int argc, char **argv, int before)
{
    struct hd_err err = {0};
    struct hd_report *baseline = NULL;
    x->o.session.suppressions = hd_suppress_new();
    enum hd_exit code = hd_filters_load(x->cli, &x->v->suppressions, x->o.session.suppressions);
    if (code == HD_EXIT_OK && x->v->baseline &&
        hd_report_json_load(x->v->baseline, &baseline, &err) != HD_OK)
        code = hd_cli_fail_input(x->cli, &err);
    x->o.session.baseline = baseline;
    x->o.session.baseline_name = x->v->baseline;
    if (code == HD_EXIT_OK)
        code = x->v->resume ? resume(x, argc, argv) : begin(x, argc, argv, before);
    if (code == HD_EXIT_OK)
        code = keep_input(x);
    if (code == HD_EXIT_OK)
        code = search(x);
    if (*x->dir && !x->v->resume)
        hd_outdir_drop(x->dir); /* when nothing was recorded */
    hd_suppress_free(x->o.session.suppressions);
    hd_report_free(baseline);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.exit_steps = HD_RECORD_EXIT_STEPS,
                       .strategy = -1,
                       .seed = 1,
                       .times = 3,
                       .timeout = 10,
                       .at_once = 1,
                       .preemptions = UINT64_MAX};
    struct explore x = {.cli = cli, .cmd = cmd, .v = &v};
    enum hd_exit code;
    int after = hd_common_words_after(argc, argv);
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (argc == 0 && !v.resume)
        return hd_cli_usage(cli, cmd, "name the program, after --");
    argv[argc] = NULL;
    code = read_options(&x);
    if (code != HD_EXIT_OK)
        return code;
    hd_search_state_init(&x.state);
    x.o.on = v.pairs_from;
    if (v.pairs_from)
        code = hd_pairs_from_read(cli, v.pairs_from, &x.asked);
    if (code == HD_EXIT_OK)
        code = run_prepared(&x, argc, argv, argc - after);
    hd_warned_pairs_fini(&x.asked);
    hd_search_state_fini(&x.state);
    hd_report_free(x.earlier);
    free(x.words);
    return code;
}

const struct hd_cmd hd_cmd_explore = {
    .name = "explore",
    .path = "explore",
    .summary = "search other schedules of the program",
    .args = "{-- PROGRAM [ARG]... | FILE.c... [-- ARG...]}",
    .detail =
        "Runs an instrumented program (see heddle cc) again and again under other schedules, "
        "for races that prediction from one run cannot reach because another schedule takes "
        "another branch. What is found is predicted on, replayed and reported as heddle run "
        "does. What the program writes is not shown; its standard input is kept and given "
        "to each run.\n\n"
        "All files are in heddle-out/N. Ctrl-C or the end of the budget ends "
        "the search with a report; --resume goes on with it.\n\n"
        "Exits 66 when something is found that is not in the baseline, 5 when nothing is found "
        "but something is undecided or cut short, otherwise 0.",
    .options = options,
    .min_args = 0,
    .max_args = 1 << 20,
    .run = run,
};
