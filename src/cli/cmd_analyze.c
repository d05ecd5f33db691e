#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "session/analysis.h"
#include "cli/cmds.h"
#include "cli/campaign_run.h"
#include "cli/common.h"
#include "cli/duration.h"
#include "cli/functions.h"
#include "cli/json_parts.h"
#include "cli/show_prediction.h"
#include "cli/option_groups.h"
#include "cli/outdir.h"
#include "cli/run_options.h"
#include "session/session.h"
#include "cli/pairs_from.h"
#include "build/details.h"
#include "model/witness_json.h"

#include <string.h>

struct values {
    const char *detectors, *properties, *budget, *pair_budget, *steps, *dir, *shard, *out;
    uint64_t jobs, solver_memory, window;
    int matching;
    const char *json, *pairs_from;
    bool pairs, require_complete, allow_undecided, sc, lenient, no_increments;
};

static const struct hd_opt options[] = {
    {'d', "detector", HD_OPT_TEXT, offsetof(struct values, detectors), "LIST",
     "Detectors, separated by commas (max)", NULL, 0, 0},
    {0, "property", HD_OPT_TEXT, offsetof(struct values, properties), "LIST",
     "What max looks for: race, atomicity, deadlock (race)", NULL, 0, 0},
    {'p', "pairs", HD_OPT_FLAG, offsetof(struct values, pairs), NULL,
     "Decide every pair of events, not only of source places", NULL, 0, 0},
    HD_OPTION_PAIRS_FROM(pairs_from),
    {0, "lenient", HD_OPT_FLAG, offsetof(struct values, lenient), NULL,
     "RAPID STD without wait(): assume one where a held lock is taken", NULL, 0, 0},
    HD_OPTION_SC(sc),
    HD_OPTION_JSON(json),
    {0, "witness-dir", HD_OPT_FILE, offsetof(struct values, dir), "DIR",
     "Write each schedule as a file in DIR, such as witness-A-B.json", NULL, 0, 0},
    {'b', "budget", HD_OPT_TEXT, offsetof(struct values, budget), "TIME",
     "Stop after TIME (10s, 2h, none) and report what is decided (5m)", NULL, 0, 0},
    {0, "pair-budget", HD_OPT_TEXT, offsetof(struct values, pair_budget), "TIME",
     "Let the solver give up a pair after TIME (60s)", NULL, 0, 0},
    {0, "solver-memory", HD_OPT_COUNT, offsetof(struct values, solver_memory), "MB",
     "Let a solver use so many megabytes (1536)", NULL, 16, 1 << 20},
    {0, "shard", HD_OPT_TEXT, offsetof(struct values, shard), "SHARE",
     "I/N: decide the I-th of N shares of the pairs; auto: as the job array says", NULL, 0, 0},
    {'o', "output", HD_OPT_FILE, offsetof(struct values, out), "DIR",
     "Write a report as heddle run does into this folder, and print no schedules", NULL, 0, 0},
    HD_OPTION_JOBS(jobs),
    {0, "steps", HD_OPT_TEXT, offsetof(struct values, steps), "LIST",
     "Steps of max: lockset,must,protocol,ucg,greedy,closure,smt", NULL, 0, 0},
    {0, "no-increments", HD_OPT_FLAG, offsetof(struct values, no_increments), NULL,
     "Start the solver afresh for each pair; for measurements", NULL, 0, 0},
    {0, "window", HD_OPT_COUNT, offsetof(struct values, window), "N",
     "rv and said: look at N events at a time (10000)", NULL, 2, UINT32_MAX - 1},
    {0, "matching", HD_OPT_CHOICE, offsetof(struct values, matching), "HOW",
     "Waiters that a signal may wake, for mhb, quick and ucg", "any|recorded", 0, 0},
    {0, "require-complete", HD_OPT_FLAG, offsetof(struct values, require_complete), NULL,
     "Exit 3 at once when TRACE is cut short or empty", NULL, 0, 0},
    HD_OPTION_ALLOW_UNDECIDED(allow_undecided),
    {0},
};

/* Cuts the next word of a list off *rest; NULL at the end. The list is changed. */
static char *next_word(char **rest)
{
    return *rest ? strsep(rest, ",") : NULL;
}

/* ---- text ---- */

static void print_detector(const struct hd_cli *cli, const char *name, const struct hd_trace *t,
                           const struct hd_analysis *a, bool pairs)
{
    for (size_t i = 0; i < a->pairs.len && !ferror(stdout); i++) {
        hd_eid x = a->pairs.data[i].a, y = a->pairs.data[i].b;
        printf("%s: %s: event %u (%s %s) and event %u (%s %s)\n", a->detector,
               hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[x]), x + 1,
               hd_trace_thread_name(t, t->thread[x]), hd_trace_place_name(t, x), y + 1,
               hd_trace_thread_name(t, t->thread[y]), hd_trace_place_name(t, y));
    }
    printf("%s%s: %s reports %s%s%s\n", hd_term_style(cli->color_out, HD_STYLE_BOLD), name,
           a->detector, hd_common_plural(pairs ? a->pairs.len : a->places.len, "pair"),
           pairs ? " of events" : " of source places",
           hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    if (a->cut)
        printf("%s: %s was stopped before its end: there may be more\n", name, a->detector);
    if (a->undecided.len)
        printf("%s: %s left pairs undecided: time ran out or the trace is too long\n", name,
               a->detector);
}

/* ---- JSON ---- */

static void json_pair(struct hd_json *j, hd_eid a, hd_eid b)
{
    hd_json_parts_events(j, (const hd_eid[]){a, b}, 2);
}

/* Figures of the properties other than races, if any was asked for. */
static void json_properties(struct hd_json *j, const struct hd_analysis *a)
{
    if (!(a->properties & ~(1u << HD_PROPERTY_RACE)))
        return;
    hd_json_key(j, "properties");
    hd_json_begin_object(j);
    for (int k = HD_PROPERTY_ATOMICITY; k < HD_PREDICTED_PROPERTIES; k++)
        if (a->properties >> k & 1)
            hd_show_prediction_json_figures(j, &a->predictions[k]);
    hd_json_end_object(j);
}

static void json_witnesses(struct hd_json *j, const struct hd_trace *t, const struct hd_analysis *a)
{
    uint64_t omitted = 0;
    hd_json_key(j, "witnesses");
    hd_json_begin_array(j);
    for (int k = 0; k < HD_PREDICTED_PROPERTIES; k++)
        omitted += hd_show_prediction_json_witnesses(j, t, &a->predictions[k]);
    hd_json_end_array(j);
    hd_json_key(j, "witnesses_omitted");
    hd_json_uint(j, omitted);
}

static void json_max(struct hd_json *j, const struct hd_trace *t, const struct hd_analysis *a)
{
    const struct hd_prediction *p = &a->predictions[HD_PROPERTY_RACE];
    uint64_t rejected = 0;
    hd_show_prediction_json_follows(j, t, p);
    hd_json_key(j, "undecided");
    hd_json_begin_array(j);
    for (int k = 1; k <= HD_PREDICTED_PROPERTIES; k++) { /* races come last */
        const struct hd_prediction *one = &a->predictions[k % HD_PREDICTED_PROPERTIES];
        hd_show_prediction_json_undecided(j, one);
        rejected += one->rejected.n;
    }
    hd_json_end_array(j);
    if (p->cut) {
        hd_json_key(j, "cut");
        hd_json_string(j, hd_reason_texts[p->cut_why]);
    }
    hd_json_key(j, "conflicting");
    hd_json_uint(j, p->candidates);
    hd_json_parts_steps(j, "impossible", p->proved);
    hd_json_parts_steps(j, "found", p->found_by);
    hd_json_key(j, "skipped");
    hd_json_uint(j, p->skipped);
    hd_json_key(j, "rejected_witnesses");
    hd_json_uint(j, rejected);
    json_properties(j, a);
    json_witnesses(j, t, a);
}

static void json_analysis(struct hd_json *j, const struct hd_trace *t, const struct hd_analysis *a)
{
    hd_json_key(j, a->detector);
    hd_json_begin_object(j);
    if (!a->exact || a->properties >> HD_PROPERTY_RACE & 1) {
        hd_json_key(j, "pairs");
        hd_json_begin_array(j);
        for (size_t i = 0; i < a->pairs.len; i++)
            json_pair(j, a->pairs.data[i].a, a->pairs.data[i].b);
        hd_json_end_array(j);
        hd_json_key(j, "places");
        hd_json_uint(j, a->places.len);
    }
    for (int k = HD_PROPERTY_ATOMICITY; k < HD_PREDICTED_PROPERTIES; k++)
        if (a->properties >> k & 1)
            hd_show_prediction_json_found(j, &a->predictions[k]);
    if (a->exact)
        json_max(j, t, a);
    if (a->cut) {
        hd_json_key(j, "cut");
        hd_json_bool(j, true);
    }
    if (a->undecided.len) {
        hd_json_key(j, "undecided");
        hd_json_begin_array(j);
        for (size_t i = 0; i < a->undecided.len; i++)
            json_pair(j, a->undecided.data[i].a, a->undecided.data[i].b);
        hd_json_end_array(j);
    }
    hd_json_key(j, "seconds");
    hd_json_double(j, a->seconds);
    hd_json_end_object(j);
}

/* ---- the run ---- */

struct run {
    struct hd_cli *cli;
    const struct values *v;
    const char *name;
    const struct hd_trace *t;
    struct hd_analysis_options options;
    struct hd_cli_json output;
    struct hd_json json;
    struct hd_warned_pairs asked; /* --pairs-from */
    struct hd_vec answers;        /* struct hd_answer, for each of them */
    bool whole; /* the trace is not known to be a part of the run, and not empty */
    bool raced, undecided;
    double started, seconds; /* the time budget */
    bool late;               /* it was used up */
};

static enum hd_exit save_witness(const struct run *r, const struct hd_witness *w)
{
    return w->n ? hd_common_save_witness(r->cli, r->v->dir, r->name, r->t, w) : HD_EXIT_OK;
}

static enum hd_exit save_witnesses(const struct run *r, const struct hd_analysis *a)
{
    enum hd_exit code = HD_EXIT_OK;
    for (int k = 0; k < HD_PREDICTED_PROPERTIES; k++) {
        const struct hd_vec *found = &a->predictions[k].found;
        for (size_t i = 0; i < found->len && code == HD_EXIT_OK; i++)
            code = save_witness(r, &((struct hd_predicted *)hd_vec_at(found, i))->witness);
    }
    return code;
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct hd_progress *progress = ctx;
    progress->total = total;
    hd_progress_update(progress, done);
}

/* A witness of ours that was rejected is our fault, and the user's to know; the rest stands. */
static void print_rejected(const struct run *r, const struct hd_rejected *rejected)
{
    if (rejected->n)
        hd_cli_error(r->cli, "internal error: %s rejected, the rest stands: %s",
                     hd_common_plural(rejected->n, "schedule"), rejected->first.text);
}

/* What reading and the detectors before have left of the budget. */
static double seconds_left(const struct run *r)
{
    double left = r->started + r->seconds - hd_progress_now();
    return r->seconds <= 0 ? r->seconds : left > 0 ? left : -1;
}

/* What an exact result means for the exit code, and what it reports of itself on stderr. */
static void take_result(struct run *r, const struct hd_analysis *a)
{
    r->undecided |= a->cut;
    for (int k = 0; k < HD_PREDICTED_PROPERTIES; k++) {
        const struct hd_prediction *p = &a->predictions[k];
        r->raced |= p->found.len > 0;
        r->undecided |= p->undecided.len > 0 || p->cut;
        r->late |= hd_prediction_late(p);
        print_rejected(r, &p->rejected);
    }
}

/* What the result shows of the warnings of another tool. */
static enum hd_exit answer_asked(struct run *r, const struct hd_analysis *a)
{
    struct hd_err err = {0};
    enum hd_status s = hd_answers_make(r->t, a, &r->options, &r->asked, &r->answers, &err);
    for (size_t i = 0; i < r->answers.len; i++)
        r->undecided |= hd_answer_is_open(hd_vec_at(&r->answers, i));
    if (s == HD_OK && r->output.text)
        hd_pairs_from_print(&r->asked, &r->answers, r->v->pairs_from);
    return s == HD_OK ? HD_EXIT_OK : hd_cli_fail_output(r->cli, &err);
}

static enum hd_exit run_one(struct run *r, const char *detector)
{
    struct hd_progress progress;
    struct hd_analysis a;
    struct hd_err err = {0};
    enum hd_exit code = HD_EXIT_OK;
    hd_cli_progress(r->cli, &progress, detector, "groups", 0);
    progress.hint = "Ctrl-C for partial results";
    r->options.predict.progress = show_progress;
    r->options.predict.progress_ctx = &progress;
    r->options.predict.seconds = seconds_left(r);
    enum hd_status status = hd_analysis_run(detector, r->t, &r->options, &a, &err);
    hd_progress_end(&progress);
    if (status != HD_OK) {
        hd_analysis_fini(&a);
        return hd_cli_fail_output(r->cli, &err);
    }
    take_result(r, &a);
    if (r->output.out)
        json_analysis(&r->json, r->t, &a);
    for (int k = 0; r->output.text && k < HD_PREDICTED_PROPERTIES; k++)
        if (a.properties >> k & 1)
            hd_show_prediction(r->cli, r->name, r->t, &a.predictions[k], r->v->pairs, r->whole);
    if (r->output.text && !a.exact)
        print_detector(r->cli, r->name, r->t, &a, r->v->pairs);
    if (r->v->dir && a.exact)
        code = save_witnesses(r, &a);
    if (r->v->pairs_from && a.exact && code == HD_EXIT_OK)
        code = answer_asked(r, &a);
    hd_analysis_fini(&a);
    return code;
}

static enum hd_exit run_all(struct run *r)
{
    char *list = hd_strndup(r->v->detectors, strlen(r->v->detectors)), *rest = list;
    enum hd_exit code = hd_cli_json_begin(r->cli, r->v->json, &r->output);
    if (r->output.out) {
        hd_json_init(&r->json, r->output.out);
        hd_json_begin_object(&r->json);
        hd_json_key(&r->json, "schema");
        hd_json_string(&r->json, "heddle-analysis-1");
        hd_common_json_trace(&r->json, r->t);
        hd_json_key(&r->json, "complete");
        hd_json_bool(&r->json, r->whole);
        hd_json_key(&r->json, "detectors");
        hd_json_begin_object(&r->json);
    }
    hd_interrupt_catch();
    for (char *word = next_word(&rest); word && code == HD_EXIT_OK; word = next_word(&rest))
        code = run_one(r, word);
    hd_interrupt_release();
    if (r->output.out) {
        hd_json_end_object(&r->json);
        if (r->v->pairs_from)
            hd_pairs_from_json(&r->json, &r->asked, &r->answers);
        hd_json_end_object(&r->json);
    }
    code = hd_cli_json_end(r->cli, &r->output, code);
    hd_free(list, strlen(r->v->detectors) + 1);
    if (code != HD_EXIT_OK)
        return code;
    if (r->late && !r->v->budget)
        hd_cli_error(r->cli, "the default budget of " HD_CLI_BUDGET_TEXT
                             " is used up (--budget TIME changes it)");
    bool open = r->undecided || !r->whole;
    bool allowed = r->v->allow_undecided && !r->v->require_complete;
    return r->raced ? HD_EXIT_RACE : open && !allowed ? HD_EXIT_UNDECIDED : HD_EXIT_OK;
}

static bool parse_steps(const char *text, uint32_t *steps)
{
    size_t size = strlen(text) + 1;
    char *list = hd_strndup(text, size - 1), *rest = list;
    bool ok = true;
    *steps = 0;
    for (char *word = next_word(&rest); word && ok; word = next_word(&rest)) {
        int s = 0;
        while (s < HD_STEPS && strcmp(word, hd_step_names[s]))
            s++;
        ok = s < HD_STEPS;
        *steps |= ok ? 1u << s : 0;
        if (!strcmp(word, "filters")) {
            ok = true;
            *steps |= 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST | 1u << HD_STEP_PROTOCOL |
                      1u << HD_STEP_UCG;
        }
    }
    hd_free(list, size);
    return ok;
}

/* The first name in the list that is no detector, or NULL; the caller frees it (strlen + 1). */
static bool known_detectors(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *text,
                            enum hd_exit *code)
{
    size_t size = strlen(text) + 1;
    char *list = hd_strndup(text, size - 1), *rest = list;
    bool ok = true;
    for (char *word = next_word(&rest); word && ok; word = next_word(&rest))
        if (!hd_analysis_known(word)) {
            ok = false;
            *code = hd_cli_usage(cli, cmd, "there is no detector '%s'", word);
        }
    hd_free(list, size);
    return ok;
}

/* Turns the option texts into numbers. False: usage error, already told. */
static bool read_options(struct run *r, const struct hd_cmd *cmd, enum hd_exit *code)
{
    const struct values *v = r->v;
    struct hd_predict_options *p = &r->options.predict;
    *code = HD_EXIT_USAGE;
    hd_predict_defaults(p);
    p->functions = hd_functions_of_events;
    p->spots = hd_details_spots;
    p->all_pairs = v->pairs;
    p->sc = v->sc;
    p->jobs = (unsigned)v->jobs;
    if (v->solver_memory)
        p->solver_memory = (size_t)v->solver_memory << 20;
    r->options.recorded_matching = v->matching == 1;
    r->options.window = (uint32_t)v->window;
    if (!known_detectors(r->cli, cmd, v->detectors, code) ||
        !hd_common_properties(r->cli, cmd, v->properties, &r->options.properties))
        return false;
    if (strcmp(v->properties, "race") && strcmp(v->detectors, "max")) {
        hd_cli_usage(r->cli, cmd, "only max knows other properties than races: --detector max");
        return false;
    }
    if (v->pairs_from && strcmp(v->detectors, "max")) {
        hd_cli_usage(r->cli, cmd, "only max answers --pairs-from: --detector max");
        return false;
    }
    if ((v->shard || v->out) && strcmp(v->detectors, "max")) {
        hd_cli_usage(r->cli, cmd, "--shard and --output are for the detector max");
        return false;
    }
    uint64_t shard = 1, shards = 1;
    if (v->shard && !hd_campaign_share(r->cli, cmd, v->shard, &shard, &shards))
        return false;
    p->shard = (uint32_t)(shard - 1);
    p->shards = (uint32_t)shards;
    if (!hd_duration_budget(r->cli, cmd, v->budget, &r->seconds))
        return false;
    p->seconds = r->seconds;
    p->undivided = !v->budget;
    p->no_increments = v->no_increments;
    if (v->pair_budget && !hd_duration_parse(v->pair_budget, &p->pair_seconds)) {
        hd_cli_usage(r->cli, cmd, "--pair-budget wants a time like 10s, not '%s'", v->pair_budget);
        return false;
    }
    if (v->steps && !parse_steps(v->steps, &p->steps)) {
        hd_cli_usage(
            r->cli, cmd,
            "--steps wants some of lockset, must, protocol, ucg, greedy, syncp, closure, smt, not "
            "'%s'",
            v->steps);
        return false;
    }
    return true;
}

/* "No race" of half a trace must not look like that of a whole one. False: refused. */
static bool judge_whole(struct run *r)
{
    if (r->t->n_events == 0) {
        hd_cli_error(r->cli, "%s: warning: the trace has no events: nothing is analysed", r->name);
        r->whole = false;
    }
    if (!r->whole && r->v->require_complete)
        hd_cli_error(r->cli, "%s: the trace is not complete, and --require-complete is given",
                     r->name);
    return r->whole || !r->v->require_complete;
}

/* Is the order of the trace possible? HD_EXIT_OK: yes. It takes less than reading did, which had
 * its part of the budget: what was read is checked to its end, or there would be no answer. */
static enum hd_exit check(const struct run *r, const char *path)
{
    struct hd_stop_scope around = hd_stop_begin(0, 0);
    bool possible = hd_common_check(r->cli, path, r->t);
    bool stopped = hd_stop_end(around) != HD_STOP_NO;
    return possible ? HD_EXIT_OK : stopped ? HD_EXIT_UNDECIDED : HD_EXIT_INPUT;
}

/* The answers as a report in a folder. */
static enum hd_exit write_report(const struct run *r, char *trace)
{
    char *argv[] = {trace, NULL}, dir[PATH_MAX];
    struct hd_session_options o = {.argv = argv,
                                   .dir = dir,
                                   .allow_undecided = r->v->allow_undecided,
                                   .properties = r->options.properties,
                                   .predict = r->options.predict};
    struct hd_session_result result = {0};
    struct hd_err err = {0};
    enum hd_status s = hd_outdir_make(r->v->out, dir, sizeof dir, &err);
    hd_interrupt_catch();
    if (s == HD_OK)
        s = hd_session_trace(&o, trace, &result, &err);
    hd_interrupt_release();
    enum hd_exit code = s == HD_OK          ? HD_EXIT_OK
                        : s == HD_ERR_INPUT ? hd_cli_fail_input(r->cli, &err)
                                            : hd_cli_fail_output(r->cli, &err);
    if (s == HD_OK) {
        result.report->of_trace = true;
        result.report->late = result.late;
        code = hd_run_options_report(r->cli, &(struct hd_runs_output){0}, result.report);
    }
    hd_session_result_fini(&result);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.detectors = "max", .properties = "race"};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    cli->lenient = v.lenient;
    struct run r = {.cli = cli,
                    .v = &v,
                    .name = hd_common_input_name(argv[0]),
                    .answers = HD_VEC_INIT(struct hd_answer)};
    r.started = hd_progress_now();
    if (!read_options(&r, cmd, &code))
        return code;
    if (v.pairs_from) {
        code = hd_pairs_from_read(cli, v.pairs_from, &r.asked);
        if (code != HD_EXIT_OK) {
            hd_warned_pairs_fini(&r.asked);
            return code;
        }
    }
    if (v.out)
        return write_report(&r, argv[0]);
    struct hd_trace *t =
        hd_common_load_whole(cli, argv[0], r.seconds ? r.seconds : -1, &r.whole, &code);
    r.t = t;
    if (t)
        code = judge_whole(&r) ? check(&r, argv[0]) : HD_EXIT_INPUT;
    if (t && code == HD_EXIT_OK)
        code = run_all(&r);
    hd_trace_free(t);
    hd_warned_pairs_fini(&r.asked);
    hd_vec_fini(&r.answers);
    return code;
}

const struct hd_cmd hd_cmd_analyze = {
    .name = "analyze",
    .path = "analyze",
    .summary = "every race that a trace allows, with schedules",
    .args = "TRACE",
    .detail = "Decides every pair of conflicting accesses of a recorded trace: a race, with\n"
              "a schedule that leads to it and that the model of docs/MODEL.md accepts;\n"
              "impossible in every schedule; or undecided, with the reason. One race is\n"
              "shown for each pair of source places. Exits 66 when there is a race, 5 when\n"
              "there is none but something is undecided, or the trace is cut short or empty.\n"
              "Ctrl-C ends the work and prints what is decided.\n\n"
              "--property atomicity decides whether an access of another thread can come\n"
              "between two of a block that is meant to be atomic: marked in the trace, or\n"
              "inferred. --property deadlock decides every cycle of threads that wait for\n"
              "each other's locks.\n\n"
              "Other detectors can be asked for comparison (--detector max,hb,...):\n"
              "rv, said, lockset, lah, mhb, quick, ucg, hb, shb, cp, wcp, syncp. Their\n"
              "reports come without schedules and do not change the exit code, unless\n"
              "--budget or Ctrl-C cut them short.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
