/* heddle record: run a program once and keep its trace. */
#include "cli/cmds.h"

#include "cli/common.h"
#include "cli/duration.h"
#include "cli/option_groups.h"
#include "record/preload.h"
#include "record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct values {
    const char *out;
    int policy; /* of HD_CLI_POLICIES */
    uint64_t seed, quantum, depth, steps, limit, max_size, exit_steps;
    double timeout;
    bool keep_all, preload;
};

static const struct hd_opt options[] = {
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "FILE",
     "Write the recording here (run.hdr)", NULL, 0, 0},
    {0, "policy", HD_OPT_CHOICE, offsetof(struct values, policy), "NAME",
     "Who runs next: fifo, random, pct or sync", HD_CLI_POLICIES, 0, 0},
    {0, "seed", HD_OPT_COUNT, offsetof(struct values, seed), "N", "Seed of the random choices (1)",
     NULL, 0, 0},
    {0, "quantum", HD_OPT_COUNT, offsetof(struct values, quantum), "N",
     "random: mean number of accesses between two choices (500)", NULL, 1, 1000000000},
    HD_OPTION_DEPTH(depth),
    {0, "steps", HD_OPT_COUNT, offsetof(struct values, steps), "N",
     "pct: spread the changes over this many accesses (10000)", NULL, 1, 1000000000},
    HD_OPTION_EXIT_STEPS(exit_steps),
    HD_OPTION_PRELOAD(preload),
    HD_OPTION_KEEP_ALL_EVENTS(keep_all),
    {0, "limit", HD_OPT_COUNT, offsetof(struct values, limit), "N",
     "Keep only the first N events; the program runs on (0: keep all)", NULL, 0, 0},
    {0, "max-size", HD_OPT_COUNT, offsetof(struct values, max_size), "BYTES",
     "Stop recording when the trace has this size (2G); 0 is never", NULL, 0, 0},
    {0, "timeout", HD_OPT_TIME, offsetof(struct values, timeout), "TIME",
     "End the program after this time and keep what it did (0: never)", NULL, 0, 0},
    {0, NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void summary(const struct hd_cli *cli, const struct values *v,
                    const struct hd_record_result *r)
{
    if (r->random_addresses)
        hd_cli_error(cli, "the kernel keeps addresses random: runs may differ");
    if (r->info.lost)
        hd_cli_error(cli, "the trace is incomplete: %s", strerror((int)r->info.lost));
    if (r->info.broken)
        hd_cli_error(cli, "the end of the log was damaged by the program; it is left out");
    char text[HD_REMARK_SIZE];
    for (size_t i = 0; i < hd_remarks_count(&r->info.remarks); i++)
        hd_cli_error(cli, "%s", hd_remarks_text(&r->info.remarks, i, text));
    if (cli->quiet)
        return;
    fprintf(stderr,
            "heddle: %s: %s%" PRIu64 " events logged, %" PRIu64 " threads, %" PRIu64
            " bytes; policy %s, seed %" PRIu64 "%s\n",
            v->out, r->more ? "at least " : "", r->events, r->threads, r->bytes,
            hd_policy_names[hd_common_policy(v->policy)], v->seed,
            r->info.limit  ? "; stopped at the limit"
            : r->timed_out ? "; the program was ended at its time-out"
                           : "");
}

/* Whether writing there loses nothing but a trace: both kinds begin with these bytes. */
static bool may_replace(const char *path)
{
    struct stat st;
    char head[3] = "";
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return true;
    FILE *in = fopen(path, "rbe");
    if (!in)
        return true; /* the attempt to write reports why not */
    bool ours = fread(head, 1, 3, in) == 3 && !memcmp(head, "\x89HD", 3);
    fclose(in);
    return ours;
}

static void print_line(void *ctx, const char *line)
{
    hd_cli_error(ctx, "%s", line);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.out = "run.hdr", .seed = 1};
    struct hd_record_result result;
    struct hd_err err = {0};
    enum hd_exit code;
    v.quantum = 500;
    v.depth = 3;
    v.steps = 10000;
    v.exit_steps = HD_RECORD_EXIT_STEPS;
    v.max_size = HD_RECORD_MAX_SIZE;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    argv[argc] = NULL;
    if (v.preload)
        hd_preload_always();
    if (!may_replace(v.out)) {
        hd_err_at(&err, HD_ERR_IO, v.out, 0,
                  "it is there already and is no trace; remove it or choose another name");
        return hd_cli_fail_output(cli, &err);
    }
    struct hd_cli_reading reading = {
        .cli = cli, .label = "counting events", .hint = "Ctrl-C to do without"};
    struct hd_build_watch watch = {.progress = hd_cli_reading, .ctx = &reading};
    struct hd_record_opts opts = {
        .out = v.out,
        .argv = argv,
        .policy = hd_common_policy(v.policy),
        .seed = v.seed,
        .quantum = v.quantum,
        .depth = (uint32_t)v.depth,
        .steps = (uint32_t)v.steps,
        .exit_steps = v.exit_steps,
        .keep_all = v.keep_all,
        .limit = v.limit,
        .max_size = v.max_size,
        .timeout = v.timeout,
        .watch = &watch,
        .say = print_line,
        .say_ctx = cli,
    };
    enum hd_status s = hd_record_run(&opts, &result, &err);
    hd_cli_reading_end(&reading);
    if (s != HD_OK)
        code = s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
    else
        summary(cli, &v, &result);
    if (s == HD_OK)
        code = result.info.lost   ? HD_EXIT_TOOL
               : result.timed_out ? HD_EXIT_OK
                                  : hd_common_end_like(result.wait_status);
    hd_record_result_fini(&result);
    return code;
}

const struct hd_cmd hd_cmd_record = {
    .name = "record",
    .path = "record",
    .summary = "run a program and keep its trace",
    .args = "-- PROGRAM [ARG]...",
    .detail =
        "Runs an instrumented program (see heddle cc) with one thread at a time and writes what "
        "the "
        "threads did to a trace. Input, output, exit status and signals of the program pass "
        "through.\n"
        "\n"
        "The same seed gives the same run again, another seed another order of the threads. A "
        "deadlock ends the run with a report and exit status 66.",
    .options = options,
    .min_args = 1,
    .max_args = 1 << 20,
    .run = run,
};
