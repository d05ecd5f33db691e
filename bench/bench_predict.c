/* Speed of `max`: the whole pipeline, the solver alone, one worker and two, and where the time
 * goes.
 *
 * Usage: bench_predict [SECTION...], each one of
 *   program=N   the generator's program style with about N events, 8 threads, 10 planted races
 *   ratio=N     the same, all steps and then the solver alone (stopped after 120 s); their ratio
 *   mixed=N     random style, all primitives: the solver has work. Every pair of events, then ratio
 *   memory=N    random style, memory, locks and branches only: greedy and closure have work; as
 *               mixed
 *   jobs=N      the trace of memory, every pair of events, with one worker and with two
 *   FILE        a trace: pairs of places, every pair of events, and syncp
 * Without arguments: a selection of some seconds. Prints one CSV row for each run (bench/predict.sh
 * keeps them), and remarks that start with '#'. */
#include "base/alloc.h"
#include "base/progress.h"
#include "detect/detect.h"
#include "model/check.h"
#include "predict/run/predict.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALL_STEPS = (1 << HD_STEPS) - 1, SMT_ONLY = 1 << HD_STEP_SMT, SMT_SECONDS = 120 };

struct run {
    const char *mode; /* all, smt, pairs, syncp */
    uint32_t steps;
    bool all_pairs;
    unsigned jobs;
    double limit; /* seconds; 0 = none */
};

struct outcome {
    double wall, cpu;
    double busy;   /* workers at work on pairs, on average, once the indices were there */
    bool finished; /* nothing undecided */
};

static double cpu_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double load_now(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

static void fail(const struct hd_err *err)
{
    fprintf(stderr, "bench_predict: %s\n", err->text);
    exit(4);
}

static struct hd_trace *generate(struct hd_gen_config config)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (hd_gen(&config, &t, &err) != HD_OK || hd_check_trace(t, NULL, &err) != HD_OK)
        fail(&err);
    return t;
}

static struct hd_trace *program(uint32_t events)
{
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    config.style = HD_GEN_STYLE_PROGRAM;
    config.control = HD_GEN_CONTROL_BRANCHES;
    config.seed = 1;
    config.events = events;
    config.threads = 8;
    config.locations = 400;
    config.locks = 20;
    config.races = 10;
    return generate(config);
}

/* Values that hardly recur, so that a read has one source and its choice matters. */
static struct hd_trace *hard(uint32_t events, uint32_t without)
{
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    config.control = HD_GEN_CONTROL_BRANCHES;
    config.seed = 1;
    config.events = events;
    config.threads = 5;
    config.locations = 10;
    config.locks = 4;
    config.values = 1000;
    config.features =
        HD_GEN_ALL & ~without & ~(UINT32_C(1) << HD_GEN_OMIT | UINT32_C(1) << HD_GEN_SHAPES);
    return generate(config);
}

/* ---- rows ---- */

static void header(void)
{
    printf("trace,mode,events,threads,conflicting pairs,place pairs,races,undecided,seconds,cpu "
           "seconds,must,greedy,closure,smt,shorten,jobs,peak bytes/event,load\n");
}

static void row_start(const char *name, const char *mode, const struct hd_trace *t)
{
    printf("%s,%s,%zu,%zu,", name, mode, t->n_events, hd_trace_n_threads(t));
}

static void row_end(unsigned jobs, size_t peak, const struct hd_trace *t)
{
    printf("%u,%.1f,%.1f\n", jobs, (double)peak / (double)t->n_events, load_now());
    fflush(stdout);
}

static void print_row(const char *name, const struct run *run, const struct hd_trace *t,
                      const struct hd_prediction *p, struct outcome o, size_t peak)
{
    const double *s = p->step_seconds;
    row_start(name, run->mode, t);
    printf("%llu,%llu,%zu,%llu,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,",
           (unsigned long long)p->candidates, (unsigned long long)p->groups, p->found.len,
           (unsigned long long)p->open, o.wall, o.cpu, s[HD_STEP_MUST], s[HD_STEP_GREEDY],
           s[HD_STEP_CLOSURE], s[HD_STEP_SMT], p->shorten_seconds);
    row_end(run->jobs, peak, t);
}

static double busy_workers(const struct hd_prediction *p, double wall)
{
    const double *s = p->step_seconds;
    double work = s[HD_STEP_GREEDY] + s[HD_STEP_CLOSURE] + s[HD_STEP_SMT] + p->shorten_seconds;
    return work / (wall - s[HD_STEP_MUST]);
}

/* Short runs are made five times; the row is that of the one with the least processor time. */
static struct outcome predict(const char *name, const struct hd_trace *t, struct run run)
{
    struct hd_predict_options options;
    hd_predict_defaults(&options);
    options.all_pairs = run.all_pairs;
    options.steps = run.steps;
    options.jobs = run.jobs;
    options.seconds = run.limit;
    struct hd_prediction best = {0};
    struct outcome o = {.cpu = 1e9};
    size_t peak = 0;
    double spent = 0;
    for (int i = 0; i < 5 && (i == 0 || spent < 0.5); i++) {
        struct hd_prediction p;
        struct hd_err err = {0};
        size_t base = hd_alloc_in_use();
        hd_alloc_reset_peak();
        double wall = hd_progress_now(), cpu = cpu_now();
        if (hd_predict(t, HD_PROPERTY_RACE, &options, &p, &err) != HD_OK)
            fail(&err);
        cpu = cpu_now() - cpu;
        wall = hd_progress_now() - wall;
        spent += wall;
        if (i && cpu >= o.cpu) {
            hd_prediction_fini(&p);
            continue;
        }
        if (i)
            hd_prediction_fini(&best);
        best = p;
        o = (struct outcome){wall, cpu, busy_workers(&p, wall), p.open == 0};
        peak = hd_alloc_peak() - base;
    }
    print_row(name, &run, t, &best, o, peak);
    hd_prediction_fini(&best);
    return o;
}

static void syncp(const char *name, const struct hd_trace *t)
{
    struct hd_detect_opts opts = {0};
    struct hd_detect_result r;
    struct hd_err err = {0};
    size_t base = hd_alloc_in_use();
    hd_alloc_reset_peak();
    double wall = hd_progress_now(), cpu = cpu_now();
    if (hd_detector_find("syncp")->run(t, &opts, &r, &err) != HD_OK)
        fail(&err);
    cpu = cpu_now() - cpu;
    wall = hd_progress_now() - wall;
    size_t peak = hd_alloc_peak() - base;
    row_start(name, "syncp", t);
    printf(",,%zu,,%.4f,%.4f,,,,,,", r.places.len, wall, cpu);
    row_end(1, peak, t);
    hd_detect_result_fini(&r);
}

/* ---- sections ---- */

static const struct run by_places = {"all", ALL_STEPS, false, 1, 0};
static const struct run by_events = {"pairs", ALL_STEPS, true, 1, 0};
static const struct run solver_alone = {"smt", SMT_ONLY, false, 1, SMT_SECONDS};

/* The solver alone against all steps, both by places, one worker. */
static void print_ratio(const char *name, const struct hd_trace *t)
{
    struct outcome all = predict(name, t, by_places), smt = predict(name, t, solver_alone);
    printf("# %s: the solver alone takes %s%.0f times the processor time (%.0f times by the "
           "clock)%s\n",
           name, smt.finished ? "" : "more than ", smt.cpu / all.cpu, smt.wall / all.wall,
           smt.finished ? "" : "; stopped with pairs undecided");
}

static void print_jobs(const char *name, const struct hd_trace *t)
{
    struct run one = by_events, two = by_events;
    two.jobs = 2;
    struct outcome o1 = predict(name, t, one), o2 = predict(name, t, two);
    printf("# %s: two workers are %.2f times as fast by the clock, for %.2f times the processor "
           "time; %.2f of them were busy\n",
           name, o1.wall / o2.wall, o2.cpu / o1.cpu, o2.busy);
}

static void file_section(const char *path)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    const char *name = path + strlen(path);
    for (int slashes = 0; name > path && (slashes += name[-1] == '/') < 2;)
        name--; /* with its folder: some names occur in several */
    if (hd_trace_io_load(path, &t, &err) != HD_OK || hd_check_trace(t, NULL, &err) != HD_OK)
        fail(&err);
    predict(name, t, by_places);
    predict(name, t, by_events);
    syncp(name, t);
    hd_trace_free(t);
}

static void section(const char *arg)
{
    const char *equals = strchr(arg, '=');
    if (!equals) {
        file_section(arg);
        return;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s-%s", (int)(equals - arg), arg, equals + 1);
    uint32_t events = (uint32_t)strtoul(equals + 1, NULL, 10);
    const uint32_t not_memory = 1u << HD_GEN_COND | 1u << HD_GEN_TIMEOUT | 1u << HD_GEN_BARRIER |
                                1u << HD_GEN_SEM | 1u << HD_GEN_TRYFAIL;
    bool mixed = !strncmp(arg, "mixed=", 6), memory = !strncmp(arg, "memory=", 7);
    bool jobs = !strncmp(arg, "jobs=", 5), ratio = !strncmp(arg, "ratio=", 6);
    if (!mixed && !memory && !jobs && !ratio && strncmp(arg, "program=", 8) != 0) {
        fprintf(stderr, "bench_predict: no section '%s'\n", arg);
        exit(2);
    }
    struct hd_trace *t =
        mixed || memory || jobs ? hard(events, mixed ? 0 : not_memory) : program(events);
    if (jobs)
        print_jobs(name, t);
    else if (!ratio)
        predict(name, t, mixed || memory ? by_events : by_places);
    if (ratio || mixed || memory)
        print_ratio(name, t);
    hd_trace_free(t);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"program=10000", "program=100000", "program=1000000",
                                        "ratio=500",     "ratio=1000",     "mixed=400",
                                        "jobs=2000"};
    header();
    for (int i = 1; i < argc; i++)
        section(argv[i]);
    for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; i++)
        section(usual[i]);
    return 0;
}
