#include "base/alloc.h"
#include "base/interrupt.h"
#include "session/analysis.h"
#include "cli/cmds.h"
#include "cli/common.h"
#include "cli/compare_json.h"
#include "cli/functions.h"
#include "cli/option_groups.h"
#include "predict/index/candidates.h"
#include "predict/compare/stages.h"

#include <string.h>

struct values {
    const char *detectors;
    double budget;
    uint64_t jobs;
    const char *json;
    bool csv, whole;
};

static const struct hd_opt options[] = {
    {0, "csv", HD_OPT_FLAG, offsetof(struct values, csv), NULL,
     "Print comma-separated values instead of a table", NULL, 0, 0},
    HD_OPTION_JSON(json),
    {'d', "detector", HD_OPT_TEXT, offsetof(struct values, detectors), "LIST",
     "Detectors to compare, separated by commas", NULL, 0, 0},
    {'b', "budget", HD_OPT_TIME, offsetof(struct values, budget), "TIME",
     "Time for each of max, rv and said on a trace (10s)", NULL, 0, 0},
    HD_OPTION_JOBS(jobs),
    {0, "whole-graphs", HD_OPT_FLAG, offsetof(struct values, whole), NULL,
     "Do not chop traces for causality graphs; for measurements", NULL, 0, 0},
    {0},
};

/* The order of the published comparisons: from the weakest filter to the strictest order. */
#define DEFAULT_DETECTORS "quick,max,rv,said,syncp,wcp,cp,shb,hb"
static const char *const stage_names[] = {"candidates", "lockset", "mhb",
                                          "both",       "ucg",     "witnesses",
                                          "undecided",  "seconds", "filter_seconds"};

static void describe(const char *name, const struct hd_trace *t, struct hd_compare_row *row)
{
    *row = (struct hd_compare_row){
        .trace = name, .threads = hd_trace_n_threads(t), .events = t->n_events};
    for (size_t e = 0; e < t->n_events; e++) {
        enum hd_op op = t->op[e];
        row->accesses += hd_op_is_access(op);
        row->branches += op == HD_OP_BRANCH;
        row->sync +=
            !hd_op_is_access(op) && op != HD_OP_BRANCH && op != HD_OP_BEGIN && op != HD_OP_END;
    }
    struct hd_world *w = hd_world_new(t);
    struct hd_candidates *c = hd_candidates_new(w);
    row->candidates = c->groups.len;
    hd_candidates_free(c);
    hd_world_free(w);
}

static void run_cell(const struct hd_trace *t, const struct hd_analysis_options *o,
                     const char *detector, struct hd_compare_row *row)
{
    struct hd_analysis a;
    struct hd_err err = {0};
    enum hd_status status = hd_analysis_run(detector, t, o, &a, &err);
    const struct hd_prediction *races = &a.predictions[HD_PROPERTY_RACE];
    row->cells[row->n_cells].name = detector;
    row->cells[row->n_cells].done = status == HD_OK && !a.cut;
    row->cells[row->n_cells].places = a.places.len;
    row->cells[row->n_cells].undecided =
        a.exact ? races->groups_undecided + races->cut : a.undecided.len;
    row->cells[row->n_cells].seconds = a.seconds;
    row->cells[row->n_cells].pairs = a.places;
    a.places = (struct hd_pairs){0};
    row->n_cells++;
    hd_analysis_fini(&a);
}

/* The places a detector reports: from the row if it is there. */
static uint64_t places(const struct hd_trace *t, const struct hd_analysis_options *o,
                       const char *detector, struct hd_compare_row *row)
{
    size_t n = row->n_cells;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(row->cells[i].name, detector))
            return row->cells[i].places;
    run_cell(t, o, detector, row);
    hd_pairs_fini(&row->cells[n].pairs);
    row->n_cells = n; /* not asked for as a line of its own; its cell is read once more below */
    return row->cells[n].places;
}

static void stages_of_races(const struct hd_trace *t, const struct hd_analysis_options *o,
                            struct hd_compare_row *row)
{
    struct hd_compare_stage *s = &row->stages[HD_PROPERTY_RACE];
    size_t max = 0, ucg = 0;
    s->candidates = row->candidates;
    s->lockset = places(t, o, "lockset", row);
    s->mhb = places(t, o, "mhb", row);
    s->both = places(t, o, "quick", row);
    s->ucg = places(t, o, "ucg", row);
    while (strcmp(row->cells[ucg].name, "ucg"))
        ucg++;
    s->filter_seconds = row->cells[ucg].seconds;
    s->witnesses = places(t, o, "max", row);
    while (strcmp(row->cells[max].name, "max"))
        max++;
    s->undecided = row->cells[max].undecided;
    s->seconds = row->cells[max].seconds;
}

static void stages_of(enum hd_property property, const struct hd_trace *t,
                      const struct hd_analysis_options *o, struct hd_compare_row *row)
{
    struct hd_compare_stage *s = &row->stages[property];
    struct hd_stages left;
    struct hd_prediction p;
    struct hd_err err = {0};
    hd_stages_run(property, t, &o->predict, &left);
    hd_predict(t, property, &o->predict, &p, &err);
    *s = (struct hd_compare_stage){left.candidates,    left.lockset, left.mhb,
                                   left.both,          left.ucg,     p.found.len,
                                   p.groups_undecided, left.seconds, p.seconds};
    hd_prediction_fini(&p);
}

static void print_stages(const struct hd_compare_row *row)
{
    printf("  %-12s %10s %7s %7s %7s %7s %9s %9s %9s\n", "property", "candidates", "lockset", "mhb",
           "both", "ucg", "witnesses", "undecided", "seconds");
    for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++) {
        const struct hd_compare_stage *s = &row->stages[p];
        printf("  %-12s %10llu %7llu %7llu %7llu %7llu %9llu %9llu %9.3f\n", hd_property_names[p],
               (unsigned long long)s->candidates, (unsigned long long)s->lockset,
               (unsigned long long)s->mhb, (unsigned long long)s->both, (unsigned long long)s->ucg,
               (unsigned long long)s->witnesses, (unsigned long long)s->undecided, s->seconds);
    }
}

static void print_stages_csv(const struct hd_compare_row *row)
{
    for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++) {
        const struct hd_compare_stage *s = &row->stages[p];
        printf(",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.6f,%.6f", (unsigned long long)s->candidates,
               (unsigned long long)s->lockset, (unsigned long long)s->mhb,
               (unsigned long long)s->both, (unsigned long long)s->ucg,
               (unsigned long long)s->witnesses, (unsigned long long)s->undecided, s->seconds,
               s->filter_seconds);
    }
}

static void print_csv(const struct hd_compare_row *row, bool heading)
{
    if (heading) {
        printf("trace,threads,events,accesses,sync,branches,candidates");
        for (size_t i = 0; i < row->n_cells; i++)
            printf(",%s,%s_undecided,%s_seconds", row->cells[i].name, row->cells[i].name,
                   row->cells[i].name);
        for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++)
            for (size_t i = 0; i < sizeof stage_names / sizeof *stage_names; i++)
                printf(",%s_stage_%s", hd_property_names[p], stage_names[i]);
        printf("\n");
    }
    putchar('"');
    for (const char *p = row->trace; *p; p++)
        printf(*p == '"' ? "\"\"" : "%c", *p);
    printf("\",%llu,%llu,%llu,%llu,%llu,%llu", (unsigned long long)row->threads,
           (unsigned long long)row->events, (unsigned long long)row->accesses,
           (unsigned long long)row->sync, (unsigned long long)row->branches,
           (unsigned long long)row->candidates);
    for (size_t i = 0; i < row->n_cells; i++)
        if (row->cells[i].done)
            printf(",%llu,%llu,%.6f", (unsigned long long)row->cells[i].places,
                   (unsigned long long)row->cells[i].undecided, row->cells[i].seconds);
        else
            printf(",,,%.6f", row->cells[i].seconds);
    print_stages_csv(row);
    printf("\n");
}

/* One block a trace: a line of figures, then a line a detector. */
static void print_block(const struct hd_cli *cli, const struct hd_compare_row *row)
{
    printf("%s%s%s\n", hd_term_style(cli->color_out, HD_STYLE_BOLD), row->trace,
           hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    printf("  %s, %s: %llu reads and writes, %llu sync, %s\n",
           hd_common_plural(row->threads, "thread"), hd_common_plural(row->events, "event"),
           (unsigned long long)row->accesses, (unsigned long long)row->sync,
           row->branches == 1 ? "1 branch" : hd_common_plural(row->branches, "branche"));
    printf("  %-12s %12s %12s %12s\n", "detector", "place pairs", "undecided", "seconds");
    printf("  %-12s %12llu\n", "candidates", (unsigned long long)row->candidates);
    for (size_t i = 0; i < row->n_cells; i++) {
        if (row->cells[i].done)
            printf("  %-12s %12llu", row->cells[i].name, (unsigned long long)row->cells[i].places);
        else
            printf("  %-12s %12s", row->cells[i].name, "gave up");
        if (row->cells[i].undecided)
            printf(" %12llu", (unsigned long long)row->cells[i].undecided);
        else
            printf(" %12s", "");
        printf(" %12.3f\n", row->cells[i].seconds);
    }
    print_stages(row);
}

/* Splits the list in place; false when a name is unknown (told) or there are too many. */
static bool split(const struct hd_cli *cli, const struct hd_cmd *cmd, char *list,
                  const char **names)
{
    size_t n = 0;
    for (char *word = strsep(&list, ","); word; word = strsep(&list, ",")) {
        if (!hd_analysis_known(word) || n + 1 == HD_COMPARE_MOST) {
            hd_cli_usage(cli, cmd, "there is no detector '%s'", word);
            return false;
        }
        names[n++] = word;
    }
    names[n] = NULL;
    return true;
}

static void row_fini(struct hd_compare_row *row)
{
    for (size_t i = 0; i < row->n_cells; i++)
        hd_pairs_fini(&row->cells[i].pairs);
}

static void compare_one(const struct hd_trace *t, const char *name,
                        const struct hd_analysis_options *o, const char **names,
                        struct hd_compare_row *row)
{
    describe(name, t, row);
    for (size_t k = 0; names[k]; k++)
        run_cell(t, o, names[k], row);
    stages_of_races(t, o, row);
    stages_of(HD_PROPERTY_ATOMICITY, t, o, row);
    stages_of(HD_PROPERTY_DEADLOCK, t, o, row);
}

static enum hd_exit compare(struct hd_cli *cli, const struct values *v,
                            const struct hd_analysis_options *o, const char **names, int n,
                            char **paths)
{
    struct hd_cli_json json = {0};
    struct hd_json j;
    enum hd_exit code = hd_cli_json_begin(cli, v->json, &json);
    if (code == HD_EXIT_OK && json.out)
        hd_compare_json_begin(&j, json.out);
    for (int i = 0; i < n && code != HD_EXIT_TOOL && !hd_interrupt_requested(); i++) {
        enum hd_exit one;
        struct hd_trace *t = hd_common_load(cli, paths[i], &one);
        struct hd_compare_row row;
        if (!t || !hd_common_check(cli, paths[i], t)) {
            hd_trace_free(t);
            code = HD_EXIT_INPUT;
            continue;
        }
        compare_one(t, hd_common_input_name(paths[i]), o, names, &row);
        if (json.out)
            hd_compare_json_row(&j, t, &row);
        if (json.text && v->csv)
            print_csv(&row, i == 0);
        else if (json.text)
            print_block(cli, &row);
        fflush(stdout);
        row_fini(&row);
        hd_trace_free(t);
    }
    if (json.out)
        hd_compare_json_end(&j);
    return hd_cli_json_end(cli, &json, code);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.detectors = DEFAULT_DETECTORS, .budget = 10};
    struct hd_analysis_options o = {0};
    const char *names[HD_COMPARE_MOST];
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    hd_predict_defaults(&o.predict);
    o.predict.functions = hd_functions_of_events;
    o.predict.jobs = (unsigned)v.jobs;
    o.predict.whole_graphs = v.whole;
    o.predict.seconds = v.budget > 0 ? v.budget : -1;
    size_t size = strlen(v.detectors) + 1;
    char *list = hd_strndup(v.detectors, size - 1);
    code = HD_EXIT_USAGE;
    if (split(cli, cmd, list, names)) {
        hd_interrupt_catch();
        code = compare(cli, &v, &o, names, argc, argv);
        hd_interrupt_release();
    }
    hd_free(list, size);
    return code;
}

const struct hd_cmd hd_cmd_compare = {
    .name = "compare",
    .path = "compare",
    .summary = "compare the answers of several detectors",
    .args = "TRACE...",
    .detail = "Runs each detector on each trace and prints how many distinct pairs of source\n"
              "places it reports, and how long it took. `candidates` counts all pairs of\n"
              "places with conflicting accesses; `quick` those that locks and forks leave\n"
              "open; `max` is exact. A second table shows how many candidates each filter\n"
              "leaves when it is used alone, and how many have a witness in the end, for\n"
              "races, atomicity violations and deadlocks. Races do not change the exit code.",
    .options = options,
    .min_args = 1,
    .max_args = 1000000,
    .run = run,
};
