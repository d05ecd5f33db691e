/* heddle replay: run the program under the schedule of a witness. */
#include "cli/cc.h"
#include "cli/cmds.h"
#include "cli/common.h"
#include "cli/duration.h"
#include "cli/outdir.h"

#include "base/interrupt.h"
#include "replay/replay.h"
#include "model/witness_json.h"
#include "report/make/frame_names.h"
#include "report/make/variable.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    const char *trace, *run, *core;
    uint64_t times, port;
    double timeout;
    int order; /* index into ORDERS */
    bool verbose, gdb, trust;
};

#define ORDERS "both|first|second"

static const struct hd_opt options[] = {
    {0, "times", HD_OPT_COUNT, offsetof(struct values, times), "N",
     "Run each order this often and compare the runs (1)", NULL, 1, 1000000},
    {0, "order", HD_OPT_CHOICE, offsetof(struct values, order), "WHICH",
     "Which access goes first: first, second or both in turn", ORDERS, 0, 0},
    {0, "timeout", HD_OPT_TIME, offsetof(struct values, timeout), "TIME",
     "End each run after this time; 0 for no limit (60)", NULL, 0, 0},
    {0, "trace", HD_OPT_FILE, offsetof(struct values, trace), "FILE",
     "The trace, if it is not where the witness says", NULL, 0, 0},
    {0, "run", HD_OPT_FILE, offsetof(struct values, run), "DIR",
     "The run that has the race (heddle-out/latest)", NULL, 0, 0},
    {0, "gdb", HD_OPT_FLAG, offsetof(struct values, gdb), NULL,
     "Run it in gdb and stop where both threads stand", NULL, 0, 0},
    {0, "core", HD_OPT_FILE, offsetof(struct values, core), "FILE",
     "Write a core file of the moment at which both threads stand", NULL, 0, 0},
    {0, "gdbserver", HD_OPT_COUNT, offsetof(struct values, port), "PORT",
     "Run it in gdbserver, which waits for a debugger at this port", NULL, 1, 65535},
    {0, "trust", HD_OPT_FLAG, offsetof(struct values, trust), NULL,
     "Run the program of a run that belongs to another user", NULL, 0, 0},
    {'v', "verbose", HD_OPT_FLAG, offsetof(struct values, verbose), NULL,
     "Show what the program writes", NULL, 0, 0},
    {0, NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void print_frame(const struct hd_replay_frame *f)
{
    char name[400];
    struct hd_frame frame = {.at = {.file = f->file, .function = f->function}, .module = f->module};
    if (hd_frame_names_foreign(&frame))
        return;
    hd_cli_print(stdout, "        %s",
                 f->function ? hd_frame_names_source(f->function, name, sizeof name) : "?");
    if (f->file)
        hd_cli_print(stdout, " at %s:%" PRIu32 "\n", f->file, f->line);
    else if (f->module)
        hd_cli_print(stdout, " in %s+0x%" PRIx64 "\n", f->module, f->offset);
    else
        hd_cli_print(stdout, "\n");
}

static void print_stack(const struct hd_replay_stack *s)
{
    for (size_t i = 0; i < s->n; i++)
        print_frame(&s->frames[i]);
}

static void print_accesses(const struct hd_trace *t, const struct hd_witness *w,
                           const struct hd_replay_order *o)
{
    const hd_eid pair[2] = {w->a, w->b};
    for (int i = 0; i < 2; i++) {
        const struct hd_replay_access *a = &o->access[i];
        hd_cli_print(stdout, "    %s: %s of %" PRIu64 " bytes at 0x%" PRIx64 ", %s\n",
                     a->thread ? a->thread : "?", a->kind ? a->kind : "access", a->size, a->address,
                     hd_trace_place_name(t, pair[i]));
        print_stack(&a->stack);
    }
}

static void print_lines(const char *text, const char *indent)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        hd_cli_print(stdout, "%s%.*s\n", indent, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_order(const struct hd_trace *t, const struct hd_witness *w,
                        const struct hd_replay_order *o, int which)
{
    const hd_eid pair[2] = {w->a, w->b};
    if (!o->ran)
        return;
    if (w->property == HD_PROPERTY_RACE) {
        hd_eid e = pair[which];
        hd_cli_print(stdout, "  %s first (%s): %s\n", hd_trace_thread_name(t, t->thread[e]),
                     hd_trace_place_name(t, e), o->summary);
        for (int i = 0; i < 2; i++) {
            const struct hd_replay_access *a = &o->access[which ? !i : i];
            if (a->value)
                hd_cli_print(stdout, "    %s %ss %s\n", a->thread, a->kind, a->value);
        }
    } else {
        hd_cli_print(stdout, "  %s\n", o->summary);
    }
    print_stack(&o->crash);
    char text[HD_REMARK_SIZE];
    for (size_t i = 0; i < hd_remarks_count(&o->waiting); i++)
        hd_cli_print(stdout, "    %s\n", hd_remarks_text(&o->waiting, i, text));
}

/* As the report calls it. */
static void print_variable(const struct hd_trace *t, const struct hd_witness *w)
{
    const hd_eid pair[2] = {w->a, w->b};
    struct hd_report *names = hd_report_new();
    struct hd_details *details = hd_details_open(t);
    struct hd_variable variable;
    hd_variable_of(names, t, details, pair, 2, &variable);
    hd_cli_print(stdout, " on %s", variable.name);
    if (strcmp(variable.location, variable.name) != 0 && strcmp(variable.location, "global") != 0)
        hd_cli_print(stdout, " (%s)", variable.location);
    hd_details_close(details);
    hd_report_free(names);
}

static void print_confirmed(const struct hd_cli *cli, const struct hd_trace *t,
                            const struct hd_witness *w, const struct hd_replay_result *r)
{
    bool race = w->property == HD_PROPERTY_RACE;
    const struct hd_replay_order *o = r->orders[0].ran ? &r->orders[0] : &r->orders[1];
    printf("%sCONFIRMED%s %s", hd_term_style(cli->color_out, HD_STYLE_RED),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN), hd_property_names[w->property]);
    if (race)
        print_variable(t, w);
    printf("\n");
    if (race)
        print_accesses(t, w, o);
    for (int i = 0; i < 2; i++)
        print_order(t, w, &r->orders[i], i);
    if (r->output_diff) {
        printf("  the orders write different things (- first, + second):\n");
        print_lines(r->output_diff, "    ");
    }
}

static void print_result(const struct hd_cli *cli, const struct hd_trace *t,
                         const struct hd_witness *w, const struct hd_replay_result *r,
                         bool repeated)
{
    for (uint32_t i = 0; i < r->notes.count; i++)
        hd_cli_error(cli, "note: %s", hd_names_text(&r->notes, i));
    if (r->verdict == HD_REPLAY_CONFIRMED)
        print_confirmed(cli, t, w, r);
    else
        hd_cli_print(stdout, "%s: %s\n", hd_replay_verdict_names[r->verdict], r->reason);
    if (r->tried)
        printf("%" PRIu32 " of %s confirmed%s\n", r->confirmed,
               hd_common_plural(r->tried, "execution"),
               !repeated || r->confirmed < r->tried ? ""
               : r->same                            ? ", all repetitions alike"
                                                    : ", repetitions differ");
}

/* Where the commands for gdb are. */
static bool find_script(char *path, size_t size)
{
    char dir[PATH_MAX];
    return hd_cc_find_lib_dir(dir, sizeof dir) &&
           snprintf(path, size, "%s/heddle-gdb.py", dir) < (int)size && access(path, R_OK) == 0;
}

static enum hd_exit told_core(const struct hd_cli *cli, const char *path)
{
    if (access(path, R_OK) != 0) {
        hd_cli_error(cli, "%s was not written: is gdb there, and the disk not full?", path);
        return HD_EXIT_TOOL;
    }
    hd_cli_print(stdout, "%s is written; look at it with: gdb PROGRAM %s\n", path, path);
    return HD_EXIT_OK;
}

static enum hd_exit debug(const struct hd_cli *cli, const struct values *v,
                          struct hd_replay_options *opts)
{
    char script[PATH_MAX] = "";
    struct hd_replay_result result;
    struct hd_err err = {0};
    if (!find_script(script, sizeof script)) {
        hd_cli_error(cli, "the commands for gdb (lib/heddle/heddle-gdb.py) are missing");
        return HD_EXIT_UNSUPPORTED;
    }
    char core[PATH_MAX], folder[PATH_MAX] = "";
    opts->gdb = v->gdb || v->core ? script : NULL;
    if (v->core) { /* gdb may run in another folder; memory may hold secrets */
        umask(077);
        bool known = *v->core == '/' || getcwd(folder, sizeof folder);
        snprintf(core, sizeof core, "%s%s%s", folder, *folder ? "/" : "", v->core);
        opts->core = known ? core : v->core;
    }
    opts->gdbserver = (uint32_t)v->port;
    if (v->port && !cli->quiet)
        fprintf(stderr,
                "heddle: connect with: gdb -x %s -ex 'target remote localhost:%" PRIu64
                "' -ex continue\n",
                script, v->port);
    hd_interrupt_catch(); /* Ctrl-C is for the debugger */
    enum hd_status s = hd_replay_run(opts, &result, &err);
    hd_interrupt_release();
    enum hd_exit code = HD_EXIT_OK;
    if (s != HD_OK)
        code = s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
    else if (result.verdict != HD_REPLAY_CONFIRMED)
        printf("%s: %s\n", hd_replay_verdict_names[result.verdict], result.reason);
    if (s == HD_OK && result.verdict != HD_REPLAY_CONFIRMED)
        code = HD_EXIT_DIVERGED;
    else if (s == HD_OK && v->core)
        code = told_core(cli, opts->core);
    hd_replay_result_fini(&result);
    return code;
}

static enum hd_exit replay(struct hd_cli *cli, const struct values *v, const char *path,
                           const struct hd_trace *t, char **argv)
{
    static const unsigned orders[] = {HD_REPLAY_FIRST | HD_REPLAY_SECOND, HD_REPLAY_FIRST,
                                      HD_REPLAY_SECOND};
    struct hd_witness w = {0};
    struct hd_replay_result result;
    struct hd_err err = {0};
    size_t entry;
    if (hd_witness_json_load(path, t, &w, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (hd_witness_check(t, &w, &entry, &err) != HD_OK) {
        hd_cli_error(cli, "%s: not a witness: %s", hd_common_input_name(path), err.text);
        hd_witness_fini(&w);
        return HD_EXIT_INPUT;
    }
    struct hd_replay_options opts = {.trace = t,
                                     .witness = &w,
                                     .argv = argv,
                                     .orders = orders[v->order],
                                     .times = (uint32_t)v->times,
                                     .timeout = hd_duration_seconds(v->timeout),
                                     .show = v->verbose};
    enum hd_exit code = HD_EXIT_TOOL;
    if (v->gdb || v->core || v->port) {
        code = debug(cli, v, &opts);
        hd_witness_fini(&w);
        return code;
    }
    hd_interrupt_catch();
    enum hd_status s = hd_replay_run(&opts, &result, &err);
    hd_interrupt_release();
    if (s == HD_ERR_STOPPED) {
        hd_cli_error(cli, "interrupted after %s", hd_common_plural(result.tried, "execution"));
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    } else if (s == HD_OK) {
        print_result(cli, t, &w, &result, v->times > 1);
        bool good = result.verdict == HD_REPLAY_CONFIRMED && result.same;
        code = good ? HD_EXIT_RACE : HD_EXIT_DIVERGED;
    } else {
        code = s == HD_ERR_INPUT ? hd_cli_fail_input(cli, &err) : hd_cli_fail_output(cli, &err);
    }
    hd_replay_result_fini(&result);
    hd_witness_fini(&w);
    return code;
}

/* A recording names which program is run, with what arguments, where. */
static bool is_foreign(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid != geteuid();
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.times = 1, .timeout = 60};
    struct hd_err err = {0};
    enum hd_exit code;
    char path[PATH_MAX], witness[PATH_MAX];
    size_t others;
    int after = hd_common_words_after(argc, argv);
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    argv[argc] = NULL;
    if (v.gdb + (v.core != NULL) + (v.port != 0) > 1)
        return hd_cli_usage(cli, cmd, "--gdb, --core and --gdbserver exclude each other");
    const char *word = argc > after ? argv[0] : NULL;
    if (hd_outdir_witness(word, v.run, witness, sizeof witness, &others, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (others)
        hd_cli_error(cli, "replaying %s; the run has %s more", witness,
                     hd_common_plural(others, "race"));
    if (!v.trace && !strcmp(witness, "-"))
        return hd_cli_usage(cli, cmd, "a witness on standard input needs --trace");
    if (!v.trace && hd_witness_json_trace(witness, path, sizeof path, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    if (!v.trust && is_foreign(v.trace ? v.trace : path)) {
        hd_cli_error(cli,
                     "%s: it belongs to another user, and replay runs the program that it names "
                     "(--trust does it all the same)",
                     v.trace ? v.trace : path);
        return HD_EXIT_INPUT;
    }
    struct hd_trace *t = hd_common_load(cli, v.trace ? v.trace : path, &code);
    if (!t)
        return code;
    code = HD_EXIT_INPUT;
    if (hd_common_check(cli, v.trace ? v.trace : path, t))
        code = replay(cli, &v, witness, t, argc > (word != NULL) ? argv + (word != NULL) : NULL);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_replay = {
    .name = "replay",
    .path = "replay",
    .summary = "run a program under the schedule of a witness",
    .args = "[WITNESS|ID] [-- PROGRAM [ARG]...]",
    .detail =
        "Runs the recorded program again, one thread at a time, in exactly the order that the "
        "witness gives, until both threads stand before their accesses. If these touch the same "
        "memory the race is confirmed. Then lets them go, once in each order, to the end of the "
        "program, and prints what each order did.\n"
        "\n"
        "Stops at the first event that is not the expected one and says what came instead. The "
        "program is the one that the trace names, unless another is given.\n"
        "\n"
        "A race can be named by its id (R-7f3a9c, or the beginning of it): then it is one of the "
        "latest heddle run here, or of the run given with --run. Without a word it is the first "
        "race of that run.\n"
        "\n"
        "With --gdb the program runs in gdb and stops where both threads stand; the commands "
        "heddle-schedule, heddle-next and heddle-other show the schedule, run its next step, and "
        "let the other access go first.\n"
        "\n"
        "Exits 66 when everything was confirmed, and 6 when not.",
    .options = options,
    .min_args = 0,
    .max_args = 1 << 20,
    .run = run,
};
