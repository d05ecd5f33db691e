/* heddle campaign: many runs, tests, inputs or shards, here or on a cluster, one report. */
#include "cli/cmds.h"

#include "campaign/sources.h"
#include "cli/campaign_run.h"
#include "cli/common.h"
#include "cli/option_groups.h"
#include "cli/outdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct values {
    const char *out, *tests, *ctest, *inputs, *trace, *properties, *budget, *baseline;
    struct hd_opt_files environment, suppressions, with;
    struct hd_engine_options engine;
    uint64_t runs, seed, steps, quantum, shards, explore, hunt, executions, times;
    double record_timeout;
    int policy, strategy;
    bool plan_only, confirmed_only, sc;
};

static const struct hd_opt options[] = {
    {'n', "runs", HD_OPT_COUNT, offsetof(struct values, runs), "N",
     "Run each test N times, with other policies and seeds (100; of many tests each 20)", NULL, 1,
     1000000000},
    {0, "tests", HD_OPT_FILE, offsetof(struct values, tests), "FILE",
     "Each line of FILE is a test: a command", NULL, 0, 0},
    {0, "ctest", HD_OPT_FILE, offsetof(struct values, ctest), "DIR",
     "Each test of the CMake build folder DIR", NULL, 0, 0},
    {0, "inputs", HD_OPT_FILE, offsetof(struct values, inputs), "DIR",
     "Each file of DIR: as standard input, or in place of @@ in an argument", NULL, 0, 0},
    {0, "analyze", HD_OPT_FILE, offsetof(struct values, trace), "TRACE",
     "Analyse one trace in parts (--shards)", NULL, 0, 0},
    {0, "shards", HD_OPT_COUNT, offsetof(struct values, shards), "N",
     "analyze: the number of parts (16)", NULL, 1, 1000000},
    {0, "explore", HD_OPT_COUNT, offsetof(struct values, explore), "N",
     "Search schedules of each test in N parts, as heddle explore does", NULL, 1, 1000000},
    {0, "strategy", HD_OPT_CHOICE, offsetof(struct values, strategy), "NAME",
     "explore: pct, random; dpor or guided: all schedules or warnings, in N shares",
     "pct|random|dpor|guided", 0, 0},
    {0, "hunt", HD_OPT_COUNT, offsetof(struct values, hunt), "N",
     "Search inputs of each test in N parts, as heddle hunt does", NULL, 1, 1000000},
    {0, "executions", HD_OPT_COUNT, offsetof(struct values, executions), "N",
     "explore, hunt: executions of each part (pct, random: 100; guided: 1000)", NULL, 1,
     1000000000},
    {0, "with", HD_OPT_FILES, offsetof(struct values, with), "OPTION",
     "Give this option to heddle in each unit: --with --size=16; may be repeated", NULL, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "DIR",
     "Put everything into this folder (heddle-out/N)", NULL, 0, 0},
    HD_OPTIONS_ENGINE(engine),
    {0, "plan-only", HD_OPT_FLAG, offsetof(struct values, plan_only), NULL,
     "Write the plan and run nothing", NULL, 0, 0},
    {0, "env", HD_OPT_FILES, offsetof(struct values, environment), "NAME",
     "Units see this variable, too; also NAME=VALUE; may be repeated", NULL, 0, 0},
    {0, "policy", HD_OPT_CHOICE, offsetof(struct values, policy), "NAME",
     "Who runs next in a recorded run: vary, fifo, random, pct or sync", "vary|" HD_CLI_POLICIES, 0,
     0},
    {0, "seed", HD_OPT_COUNT, offsetof(struct values, seed), "N", "Seed of the first run (1)", NULL,
     0, 0},
    {0, "steps", HD_OPT_COUNT, offsetof(struct values, steps), "N",
     "pct: spread the changes over this many accesses (32 to 16384 in turn)", NULL, 1, 1000000000},
    {0, "quantum", HD_OPT_COUNT, offsetof(struct values, quantum), "N",
     "random: mean number of accesses between two choices (1 to 512 in turn)", NULL, 1, 1000000000},
    HD_OPTION_PROPERTY(properties),
    HD_OPTION_TIMES(times),
    HD_OPTION_CONFIRMED_ONLY(confirmed_only),
    HD_OPTION_SC(sc),
    HD_OPTION_ALLOW_UNDECIDED(engine.allow_undecided),
    {0, "record-timeout", HD_OPT_TIME, offsetof(struct values, record_timeout), "TIME",
     "End a recorded run after this time, keep what it did (0: never)", NULL, 0, 0},
    {'b', "budget", HD_OPT_TEXT, offsetof(struct values, budget), "TIME",
     "End each run and all that is done with it after TIME (10s, 2h, none)", NULL, 0, 0},
    HD_OPTION_SUPPRESSIONS(suppressions),
    HD_OPTION_BASELINE(baseline),
    {0},
};

/* ---- options that units get ---- */

static void pass(struct hd_source_options *o, const char *option, const char *value)
{
    hd_unitplan_word(o->plan, &o->options, option);
    if (value)
        hd_unitplan_word(o->plan, &o->options, value);
}

/* A file: units may run elsewhere. */
static enum hd_exit pass_file(const struct hd_cli *cli, struct hd_source_options *o,
                              const char *option, const char *path)
{
    char full[PATH_MAX];
    if (!realpath(path, full)) {
        hd_cli_error(cli, "%s: %s", path, strerror(errno));
        return HD_EXIT_INPUT;
    }
    pass(o, option, full);
    return HD_EXIT_OK;
}

static enum hd_exit pass_options(const struct hd_cli *cli, const struct values *v,
                                 struct hd_source_options *o)
{
    enum hd_exit code = HD_EXIT_OK;
    bool searches = v->explore || v->hunt;
    if (v->properties)
        pass(o, "--property", v->properties);
    if (v->sc)
        pass(o, "--sc", NULL);
    if (v->engine.allow_undecided && !v->hunt)
        pass(o, "--allow-undecided", NULL);
    if (!v->trace)
        pass(o, "--times", hd_unitplan_format(o->plan, "%llu", (unsigned long long)v->times));
    if (v->confirmed_only)
        pass(o, "--confirmed-only", NULL);
    if (v->budget)
        pass(o, "--budget", v->budget);
    if (v->record_timeout > 0 && !v->trace)
        pass(o, searches ? "--timeout" : "--record-timeout",
             hd_unitplan_format(o->plan, "%g", v->record_timeout));
    for (unsigned i = 0; i < v->with.n; i++)
        pass(o, v->with.items[i], NULL);
    for (unsigned i = 0; i < v->suppressions.n && code == HD_EXIT_OK; i++)
        code = pass_file(cli, o, "--suppressions", v->suppressions.items[i]);
    if (v->baseline && code == HD_EXIT_OK)
        code = pass_file(cli, o, "--baseline", v->baseline);
    return code;
}

/* ---- the plan ---- */

static enum hd_exit check(const struct hd_cli *cli, const struct hd_cmd *cmd,
                          const struct values *v, int argc)
{
    int sources = (v->tests != NULL) + (v->ctest != NULL) + (v->trace != NULL);
    bool program = !sources;
    if (sources > 1)
        return hd_cli_usage(cli, cmd, "--tests, --ctest and --analyze: choose one");
    if (program && argc == 0)
        return hd_cli_usage(cli, cmd,
                            "name the program, after --, or --tests, --ctest or --analyze");
    if (!program && (argc > 0 || v->inputs))
        return hd_cli_usage(cli, cmd,
                            "--tests, --ctest and --analyze name what is run; a program, or "
                            "--inputs, is for a campaign without them");
    if (v->trace && (v->explore || v->hunt || v->runs))
        return hd_cli_usage(cli, cmd, "--analyze takes --shards, not --runs, --explore or --hunt");
    if ((v->explore != 0) + (v->hunt != 0) + (v->runs != 0) > 1)
        return hd_cli_usage(cli, cmd, "--runs, --explore and --hunt: choose one");
    if (v->hunt &&
        (v->properties || v->sc || v->confirmed_only || v->suppressions.n || v->baseline))
        return hd_cli_usage(cli, cmd,
                            "--hunt does not take --property, --sc and --confirmed-only; heddle "
                            "report DIR has --suppressions and --baseline");
    if (v->trace && (v->confirmed_only || v->suppressions.n || v->baseline))
        return hd_cli_usage(cli, cmd,
                            "--analyze predicts only; heddle report DIR has "
                            "--suppressions and --baseline");
    return HD_EXIT_OK;
}

static enum hd_status make_units(const struct values *v, struct hd_source_options *o, char **argv,
                                 struct hd_err *err)
{
    if (v->trace)
        return hd_source_shards(o, v->trace, v->shards, err);
    if (v->tests)
        return hd_source_tests(o, v->tests, err);
    if (v->ctest)
        return hd_source_ctest(o, v->ctest, err);
    if (v->inputs)
        return hd_source_inputs(o, v->inputs, argv, err);
    return hd_source_program(o, argv, err);
}

/* Strategies of parts of a search, and how many executions each part has; 0: no limit. A limit of
 * time would make results depend on the machine. */
static const struct {
    const char *name;
    uint64_t executions;
} strategies[] = {{"pct", 100}, {"random", 100}, {"dpor", 0}, {"guided", 1000}};

static uint64_t executions(const struct values *v)
{
    if (v->executions || !v->explore)
        return v->executions;
    return strategies[v->strategy].executions;
}

static enum hd_exit make_plan(const struct hd_cli *cli, const struct values *v, char **argv,
                              struct hd_unitplan *plan)
{
    bool many = v->tests || v->ctest || v->inputs;
    struct hd_source_options o = {.plan = plan,
                                  .runs = v->runs ? v->runs
                                          : many  ? 20
                                                  : 100,
                                  .seed = v->seed,
                                  .policy = v->policy ? (int)hd_common_policy(v->policy - 1) : -1,
                                  .steps = v->steps,
                                  .quantum = v->quantum,
                                  .explore = v->explore,
                                  .hunt = v->hunt,
                                  .executions = executions(v),
                                  .strategy = strategies[v->strategy].name};
    struct hd_err err = {0};
    hd_unitplan_environment(plan, v->environment.items, v->environment.n);
    enum hd_exit code = pass_options(cli, v, &o);
    if (code == HD_EXIT_OK && make_units(v, &o, argv, &err) != HD_OK)
        code = hd_cli_fail_input(cli, &err);
    for (size_t i = 0; i < o.left_out.n && code == HD_EXIT_OK; i++)
        hd_cli_error(cli, "%s", o.left_out.items[i]);
    if (code == HD_EXIT_OK && !plan->units.len) {
        hd_cli_error(cli, "there is nothing to run");
        code = HD_EXIT_INPUT;
    }
    return code;
}

static enum hd_exit save_plan(struct hd_campaign *c, const struct values *v)
{
    struct hd_err err = {0};
    char dir[PATH_MAX];
    enum hd_status s = hd_outdir_make(v->out, dir, sizeof dir, &err);
    if (s == HD_OK && !realpath(dir, c->dir))
        s = hd_err_at(&err, HD_ERR_IO, dir, 0, "%s", strerror(errno));
    if (s == HD_OK)
        s = hd_unitplan_save(&c->plan, c->dir, &err);
    if (s != HD_OK)
        return s == HD_ERR_INPUT ? hd_cli_fail_input(c->cli, &err)
                                 : hd_cli_fail_output(c->cli, &err);
    hd_outdir_link(dir);
    return HD_EXIT_OK;
}

static enum hd_exit plan_and_run(const struct hd_cli *cli, const struct values *v, char **argv)
{
    struct hd_campaign c = {.cli = cli};
    hd_unitplan_init(&c.plan);
    enum hd_exit code = make_plan(cli, v, argv, &c.plan);
    if (code == HD_EXIT_OK)
        code = save_plan(&c, v);
    if (code == HD_EXIT_OK && v->plan_only)
        printf("%s: %s planned\n", c.dir, hd_common_plural(c.plan.units.len, "unit"));
    else if (code == HD_EXIT_OK)
        code = hd_campaign_run(&c, &v->engine);
    hd_unitplan_fini(&c.plan);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.seed = 1, .shards = 16, .times = 3, .engine = HD_ENGINE_DEFAULTS};
    enum hd_exit code;
    bool dashes = hd_common_words_after(argc, argv) > 0;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    const struct hd_cmd *sub = argc && !dashes ? hd_cli_find(cmd, argv[0]) : NULL;
    if (sub)
        return sub->run(cli, sub, argc - 1, argv + 1);
    if (argc && !dashes)
        return hd_cli_usage(cli, cmd,
                            "'%s': programs follow --; commands are run, status, resume, "
                            "report and work",
                            argv[0]);
    argv[argc] = NULL;
    code = check(cli, cmd, &v, argc);
    return code == HD_EXIT_OK ? plan_and_run(cli, &v, argv) : code;
}

static const struct hd_cmd *const subs[] = {&hd_cmd_campaign_status, &hd_cmd_campaign_resume,
                                            &hd_cmd_campaign_report, &hd_cmd_campaign_work, NULL};

const struct hd_cmd hd_cmd_campaign = {
    .name = "campaign",
    .path = "campaign",
    .summary = "many runs, tests or inputs, one report",
    .args = "{-- PROGRAM [ARG]... | --tests FILE | --ctest DIR | --analyze TRACE}",
    .detail =
        "Plans units (runs of a program with other policies and seeds, tests, inputs, parts of a "
        "trace or of a search), runs them here or as jobs of a Slurm cluster, and joins what they "
        "find into one report, which does not depend on where and in which order they ran.\n\n"
        "All files are in heddle-out/N. What is done stays done: after Ctrl-C, a crash or a lost "
        "machine heddle campaign resume goes on. A unit that fails is listed with its reason and "
        "log; the others go on.\n\n"
        "Exits 66 when something is found that is not in the baseline, else 4 when a unit failed, "
        "5 when something is undecided or was not run, otherwise 0.",
    .options = options,
    .subs = subs,
    .run = run,
};
