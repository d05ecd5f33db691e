/* heddle run: record, analyse, replay and report in one go. */
#include "cli/cmds.h"

#include "base/interrupt.h"
#include "cli/common.h"
#include "cli/duration.h"
#include "cli/functions.h"
#include "cli/filters.h"
#include "cli/outdir.h"
#include "cli/run_options.h"
#include "cli/option_groups.h"
#include "session/session.h"
#include "record/preload.h"
#include "record/record.h"
#include "report/format/report_json.h"
#include "report/format/formats.h"

#include <limits.h>
#include <string.h>

struct values {
    const char *out, *budget, *replay_time, *baseline, *cflags, *properties;
    struct hd_opt_files suppressions;
    struct hd_runs_output output;
    bool confirmed_only, allow_undecided, sc;
    int policy; /* 0: vary; else of HD_CLI_POLICIES, plus 1 */
    uint64_t runs, seed, times, jobs, quantum, depth, steps, max_size, exit_steps;
    double timeout, record_timeout;
    bool keep_all, preload;
};

static const struct hd_opt options[] = {
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "DIR",
     "Put everything into this folder (heddle-out/N)", NULL, 0, 0},
    {'n', "runs", HD_OPT_COUNT, offsetof(struct values, runs), "N",
     "Record N runs, with other policies and seeds (as many as are cheap)", NULL, 1, 1000000},
    {0, "policy", HD_OPT_CHOICE, offsetof(struct values, policy), "NAME",
     "Who runs next in a recorded run: vary, fifo, random, pct or sync", "vary|" HD_CLI_POLICIES, 0,
     0},
    {0, "seed", HD_OPT_COUNT, offsetof(struct values, seed), "N", "Seed of the first run (1)", NULL,
     0, 0},
    {0, "quantum", HD_OPT_COUNT, offsetof(struct values, quantum), "N",
     "random: mean number of accesses between two choices (by the length of the first run)", NULL,
     1, 1000000000},
    HD_OPTION_DEPTH(depth),
    {0, "steps", HD_OPT_COUNT, offsetof(struct values, steps), "N",
     "pct: spread the changes over this many accesses (as many as the first run had)", NULL, 1,
     1000000000},
    HD_OPTION_PROPERTY(properties),
    HD_OPTION_TIMES(times),
    HD_OPTION_CONFIRMED_ONLY(confirmed_only),
    HD_OPTION_SC(sc),
    HD_OPTION_ALLOW_UNDECIDED(allow_undecided),
    {0, "timeout", HD_OPT_TIME, offsetof(struct values, timeout), "TIME",
     "End a replay after this time (60); 0 is never", NULL, 0, 0},
    {0, "record-timeout", HD_OPT_TIME, offsetof(struct values, record_timeout), "TIME",
     "End a recorded run after this time, keep what it did (0: never)", NULL, 0, 0},
    HD_OPTION_EXIT_STEPS(exit_steps),
    HD_OPTION_PRELOAD(preload),
    HD_OPTION_KEEP_ALL_EVENTS(keep_all),
    {0, "max-size", HD_OPT_COUNT, offsetof(struct values, max_size), "BYTES",
     "Stop recording when a trace has this size (2G); 0 is never", NULL, 0, 0},
    {'b', "budget", HD_OPT_TEXT, offsetof(struct values, budget), "TIME",
     "End each run and all that is done with it after TIME (10s, 2h, none)", NULL, 0, 0},
    {0, "replay-time", HD_OPT_TEXT, offsetof(struct values, replay_time), "TIME",
     "Replay for so long in all (as long as the rest takes, 1m at least; 10s, 2h, none)", NULL, 0,
     0},
    HD_OPTION_JOBS(jobs),
    HD_OPTION_SUPPRESSIONS(suppressions),
    HD_OPTION_BASELINE(baseline),
    HD_OPTION_CFLAGS(cflags),
    HD_OPTIONS_REPORT(output),
    {0},
};

struct run {
    const struct hd_cli *cli;
    const struct hd_cmd *cmd;
    struct values *v;
    struct hd_session_options o;
    struct hd_progress progress;
    enum hd_stage stage;
    char dir[PATH_MAX];
};

/* ---- what is asked for ---- */

static enum hd_exit read_options(struct run *r)
{
    struct values *v = r->v;
    r->o.runs = v->runs;
    r->o.policy = v->policy ? (int)hd_common_policy(v->policy - 1) : -1;
    r->o.seed = v->seed;
    r->o.quantum = v->quantum;
    r->o.depth = (uint32_t)v->depth;
    r->o.steps = (uint32_t)v->steps;
    r->o.exit_steps = v->exit_steps;
    r->o.keep_all = v->keep_all;
    if (v->preload)
        hd_preload_always();
    r->o.times = (uint32_t)v->times;
    r->o.timeout = hd_duration_seconds(v->timeout);
    r->o.record_timeout = v->record_timeout;
    r->o.max_size = v->max_size;
    r->o.confirmed_only = v->confirmed_only;
    r->o.allow_undecided = v->allow_undecided;
    hd_predict_defaults(&r->o.predict);
    r->o.predict.functions = hd_functions_of_events;
    r->o.predict.sc = v->sc;
    r->o.predict.jobs = (unsigned)v->jobs;
    enum hd_exit code = hd_run_options_check_output(r->cli, r->cmd, &v->output);
    if (code != HD_EXIT_OK)
        return code;
    if (!hd_common_properties(r->cli, r->cmd, v->properties ? v->properties : "race,deadlock",
                              &r->o.properties))
        return HD_EXIT_USAGE;
    if (!hd_duration_budget(r->cli, r->cmd, v->budget, &r->o.predict.seconds))
        return HD_EXIT_USAGE;
    r->o.replay_time = HD_SESSION_REPLAY_TIME;
    if (v->replay_time &&
        !hd_duration_limit(r->cli, r->cmd, "--replay-time", v->replay_time, &r->o.replay_time))
        return HD_EXIT_USAGE;
    r->o.predict.undivided = !v->budget;
    if (v->budget && r->o.predict.seconds > 0)
        r->o.budget = r->o.predict.seconds;
    return HD_EXIT_OK;
}

/* ---- progress ---- */

static void show_progress(void *ctx, enum hd_stage stage, uint64_t done, uint64_t total)
{
    struct run *r = ctx;
    if (stage != r->stage) {
        if (r->stage != HD_STAGE_STARTING)
            hd_progress_end(&r->progress);
        r->stage = stage;
        hd_cli_progress(r->cli, &r->progress, hd_stage_names[stage], hd_stage_units[stage], total);
        r->progress.hint = "Ctrl-C for partial results";
        if (r->progress.live && r->stage > HD_STAGE_READING)
            r->progress.next =
                0; /* one step of it may take long: what is going on is shown at once */
        /* The program has the terminal while it runs. */
        if (stage == HD_STAGE_RECORDING)
            r->progress.out = NULL;
    }
    r->progress.total = total;
    hd_progress_update(&r->progress, done);
}

static void print_line(void *ctx, const char *line)
{
    const struct run *r = ctx;
    hd_cli_error(r->cli, "%s", line);
}

/* ---- the run ---- */

/* What was done, and the end that the signal asks for. */
static enum hd_exit end_interrupted(const struct run *r, const struct hd_session_result *result)
{
    const struct hd_report *report = result->report;
    enum hd_stage stage = result->cut_recording ? HD_STAGE_RECORDING : r->stage;
    hd_cli_error(r->cli, "interrupted by SIG%s while %s: %s analysed, %s kept",
                 sigabbrev_np(result->ended_by), hd_stage_names[stage],
                 hd_common_plural(report->runs, "run"),
                 hd_common_plural(report->n_findings, "finding"));
    return hd_common_end_like(result->ended_by);
}

static enum hd_exit run_session(struct run *r)
{
    struct hd_session_result result;
    struct hd_err err = {0};
    r->o.progress = show_progress;
    r->o.progress_ctx = r;
    r->o.say = print_line;
    hd_interrupt_catch();
    enum hd_status s = hd_session_run(&r->o, &result, &err);
    hd_interrupt_release();
    if (r->stage != HD_STAGE_STARTING)
        hd_progress_end(&r->progress);
    enum hd_exit code;
    if (s != HD_OK) {
        code =
            s == HD_ERR_INPUT ? hd_cli_fail_input(r->cli, &err) : hd_cli_fail_output(r->cli, &err);
    } else {
        hd_outdir_link(r->dir);
        code = hd_run_options_report(r->cli, &r->v->output, result.report);
        if (result.late && !r->v->budget)
            hd_cli_error(r->cli, "the default budget of " HD_CLI_BUDGET_TEXT
                                 " for reading and analysis is used up (--budget TIME changes it)");
        code = result.failed ? HD_EXIT_TOOL : code;
        if (result.ended_by)
            code = end_interrupted(r, &result);
        else if (code == HD_EXIT_OK || (code == HD_EXIT_UNDECIDED && result.wait_status))
            code = hd_common_end_like(result.wait_status);
    }
    hd_session_result_fini(&result);
    return code;
}

static enum hd_exit run_in_folder(struct run *r, int argc, char **argv, int before)
{
    char program[PATH_MAX];
    enum hd_exit code = hd_run_options_check_paths(r->cli, &r->v->output);
    if (code == HD_EXIT_OK)
        code = hd_run_options_program(r->cli, r->cmd, r->dir, r->v->cflags, before, &argc, &argv,
                                      program, sizeof program);
    r->o.argv = argv;
    return code == HD_EXIT_OK ? run_session(r) : code;
}

static enum hd_exit run_prepared(struct run *r, int argc, char **argv, int before)
{
    struct hd_err err = {0};
    struct hd_report *baseline = NULL;
    r->o.suppressions = hd_suppress_new();
    enum hd_exit code = hd_filters_load(r->cli, &r->v->suppressions, r->o.suppressions);
    if (code == HD_EXIT_OK && r->v->baseline &&
        hd_report_json_load(r->v->baseline, &baseline, &err) != HD_OK)
        code = hd_cli_fail_input(r->cli, &err);
    r->o.baseline = baseline;
    r->o.baseline_name = r->v->baseline;
    if (code == HD_EXIT_OK) {
        enum hd_status s = hd_outdir_make(r->v->out, r->dir, sizeof r->dir, &err);
        if (s != HD_OK)
            code = s == HD_ERR_INPUT ? hd_cli_fail_input(r->cli, &err)
                                     : hd_cli_fail_output(r->cli, &err);
    }
    if (code == HD_EXIT_OK) {
        r->o.dir = r->dir;
        code = run_in_folder(r, argc, argv, before);
        hd_outdir_drop(r->dir); /* when nothing was recorded */
    }
    hd_suppress_free(r->o.suppressions);
    hd_report_free(baseline);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.seed = 1, .times = 3, .timeout = 60};
    struct run r = {.cli = cli, .cmd = cmd, .v = &v};
    enum hd_exit code;
    v.depth = 3;
    v.exit_steps = HD_RECORD_EXIT_STEPS;
    v.max_size = HD_RECORD_MAX_SIZE;
    int after = hd_common_words_after(argc, argv);
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = read_options(&r);
    return code == HD_EXIT_OK ? run_prepared(&r, argc, argv, argc - after) : code;
}

const struct hd_cmd hd_cmd_run = {
    .name = "run",
    .path = "run",
    .summary = "record, predict, confirm and report races",
    .args = "{-- PROGRAM [ARG]... | FILE.c... [-- ARG...]}",
    .detail =
        "Runs an instrumented program (see heddle cc), predicts the races that other orders "
        "of its threads lead to, runs the program again under each such order, and reports. "
        "A race that the program really did is confirmed; one that it did not do is listed as "
        "predicted, with the reason. Source files are compiled first.\n\n"
        "The program is recorded several times under different schedules while that is cheap; the "
        "first run is yours, the output of the others is thrown away.\n\n"
        "All files are in heddle-out/N: the trace, a witness for each race, "
        "report.json, .txt and .html; heddle-out/latest is the newest. The program's input "
        "and output are its own; the report goes to the standard error.\n\n"
        "Exits 66 when a race is found that is not in the baseline: confirmed, or predicted "
        "and not contradicted by a replay. Nothing found, but something undecided, cut or "
        "interrupted: 5, unless the program itself failed. Otherwise as the program did.",
    .options = options,
    .min_args = 1,
    .max_args = 1 << 20,
    .run = run,
};
