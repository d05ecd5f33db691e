/* Universal causality graphs: what they filter, what they save, and what they cost.
 *
 * Usage: bench_ucg [SECTION...] [FILE...], each section one of
 *   filters        how many pairs of events each filter leaves, alone and together
 *   saved          pairs left to the solver, and processor time, without the graphs, with them, and
 * with their orders as hints for the solver
 *   depth=N        cost of a graph for pairs near the beginning, the middle and the end of a trace
 * of N rounds, chopped and whole
 *   batch[=FILE]   time of a goal when each has a graph of its own, and when up to 64 share one
 * Without arguments: all of them. A file is a trace: filters and saved for it, with a budget.
 * Prints CSV rows, and remarks that start with '#'. */
#include "base/progress.h"
#include "detect/detect.h"
#include "model/check.h"
#include "predict/run/cycles.h"
#include "predict/run/visitor.h"
#include "predict/run/predict.h"
#include "predict/run/triples.h"
#include "predict/ucg/ucg.h"
#include "predict/compare/ucg_detect.h"
#include "predict/index/world.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"
#include "trace/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void fail(const struct hd_err *err)
{
    fprintf(stderr, "bench_ucg: %s\n", err->text);
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

/* Threads that meet at locks and conditions; data matters or not. */
static struct hd_trace *meeting(uint32_t threads, uint32_t events, bool data, uint64_t seed)
{
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    config.seed = seed;
    config.events = events;
    config.threads = threads;
    config.locations = 3;
    config.locks = 4;
    config.control = HD_GEN_CONTROL_BRANCHES;
    config.features = 1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX |
                      1u << HD_GEN_RWLOCK | 1u << HD_GEN_COND | 1u << HD_GEN_FORK |
                      1u << HD_GEN_JOIN;
    if (data)
        config.features |= 1u << HD_GEN_BRANCH | 1u << HD_GEN_DEPS | 1u << HD_GEN_VAL;
    return generate(config);
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
    config.locations = 40;
    config.locks = 8;
    config.races = 10;
    return generate(config);
}

/* ---- filters ---- */

static uint64_t left(const struct hd_trace *t, const char *name)
{
    struct hd_detect_result r = {0};
    struct hd_detect_opts opts = {.pairs = true};
    struct hd_err err = {0};
    enum hd_status status = strcmp(name, "ucg") ? hd_detector_find(name)->run(t, &opts, &r, &err)
                                                : hd_ucg_detect(t, &opts, &r, &err);
    if (status != HD_OK)
        fail(&err);
    uint64_t n = r.pairs.len;
    hd_detect_result_fini(&r);
    return n;
}

static const char filters_head[] = "section,trace,events,pairs,lockset,mhb,both,ucg,max,undecided";

static void filters_of(const char *name, struct hd_trace *t)
{
    struct hd_predict_options o;
    struct hd_prediction p;
    struct hd_err err = {0};
    hd_predict_defaults(&o);
    o.all_pairs = true;
    o.seconds = 60;
    if (hd_predict(t, HD_PROPERTY_RACE, &o, &p, &err) != HD_OK)
        fail(&err);
    double all = p.candidates ? (double)p.candidates : 1;
    const char *const names[] = {"lockset", "mhb", "quick", "ucg"};
    printf("filters,%s,%zu,%llu", name, t->n_events, (unsigned long long)p.candidates);
    for (int i = 0; i < 4; i++)
        printf(",%.1f", 100 * (1 - (double)left(t, names[i]) / all));
    printf(",%.1f,%llu\n", 100 * (1 - (double)(p.found.len + p.open) / all),
           (unsigned long long)p.open);
    hd_prediction_fini(&p);
    hd_trace_free(t);
}

static void filters(void)
{
    printf("# percent of the conflicting pairs of events that each filter rules out; `max` is "
           "exact\n");
    puts(filters_head);
    filters_of("program", program(4000));
    filters_of("two-no-data", meeting(2, 400, false, 7));
    filters_of("two", meeting(2, 400, true, 7));
    filters_of("five-no-data", meeting(5, 300, false, 8));
    filters_of("five", meeting(5, 300, true, 8));
}

/* ---- what is saved ---- */

static double clock_seconds(clockid_t clock)
{
    struct timespec ts;
    return clock_gettime(clock, &ts) ? 0 : (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Of this process and its solvers: those that ended, and those that live. */
static double cpu_now(void)
{
    struct rusage ended;
    char path[64];
    int pid;
    clockid_t clock;
    getrusage(RUSAGE_CHILDREN, &ended);
    double seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) +
                     (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) +
                     (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec) * 1e-6;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "r");
    while (children && fscanf(children, "%d", &pid) == 1)
        if (!clock_getcpuclockid(pid, &clock))
            seconds += clock_seconds(clock);
    if (children)
        fclose(children);
    return seconds;
}

struct cost {
    double cpu;
    uint64_t solver; /* pairs that the solver had to decide */
    uint64_t proved; /* by the graphs */
    uint64_t open;
};

enum how { WITHOUT, WITH, WITH_HINTS, HOWS };

static void add_cost(const struct hd_trace *t, uint32_t steps, enum how how, double seconds,
                     struct cost *cost)
{
    struct hd_predict_options o;
    struct hd_prediction p;
    struct hd_err err = {0};
    hd_predict_defaults(&o);
    o.all_pairs = true;
    o.jobs = 1;
    o.seconds = seconds;
    o.steps = how == WITHOUT ? steps : steps | 1u << HD_STEP_UCG;
    o.no_hints = how != WITH_HINTS;
    double started = cpu_now();
    if (hd_predict(t, HD_PROPERTY_RACE, &o, &p, &err) != HD_OK)
        fail(&err);
    cost->cpu += cpu_now() - started;
    cost->solver += p.found_by[HD_STEP_SMT] + p.proved[HD_STEP_SMT];
    cost->proved += p.proved[HD_STEP_UCG];
    cost->open += p.open;
    hd_prediction_fini(&p);
}

static const char saved_head[] = "section,traces,steps,solver,solver_ucg,proved_ucg,cpu,cpu_ucg,"
                                 "cpu_ucg_hints,undecided";

static void print_saved(const char *traces, const char *steps, const struct cost *costs)
{
    printf("saved,%s,%s,%llu,%llu,%llu,%.3f,%.3f,%.3f,%llu\n", traces, steps,
           (unsigned long long)costs[WITHOUT].solver, (unsigned long long)costs[WITH].solver,
           (unsigned long long)costs[WITH].proved, costs[WITHOUT].cpu, costs[WITH].cpu,
           costs[WITH_HINTS].cpu, (unsigned long long)costs[WITH_HINTS].open);
}

static void saved_by(bool data, uint32_t threads, const char *name, uint32_t steps)
{
    enum { TRACES = 12 };
    struct cost costs[HOWS] = {0};
    char traces[32];
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        struct hd_trace *t = meeting(threads, 110, data, seed);
        for (int how = 0; how < HOWS; how++)
            add_cost(t, steps, (enum how)how, 0, &costs[how]);
        hd_trace_free(t);
    }
    snprintf(traces, sizeof traces, "%u-threads%s", threads, data ? "" : "-no-data");
    print_saved(traces, name, costs);
}

static void saved(void)
{
    const uint32_t smt = 1u << HD_STEP_SMT;
    const uint32_t filters = 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST;
    const uint32_t quick = 1u << HD_STEP_GREEDY | 1u << HD_STEP_CLOSURE;
    printf(
        "# 12 traces: pairs left to the solver without and with the graphs, pairs the graphs rule "
        "out, seconds of processor time of the whole\n");
    puts(saved_head);
    for (int data = 0; data < 2; data++)
        for (uint32_t threads = 2; threads <= 4; threads += 2) {
            saved_by(data, threads, "smt", smt);
            saved_by(data, threads, "filters+smt", filters | smt);
            saved_by(data, threads, "all", filters | quick | smt);
        }
}

/* ---- files ---- */

static struct hd_trace *load(const char *path)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (hd_trace_io_load(path, &t, &err) != HD_OK || hd_check_trace(t, NULL, &err) != HD_OK)
        fail(&err);
    return t;
}

/* With the solver right after the filters, where it has most to do, and with all steps. */
static void file(const char *path)
{
    static bool begun;
    const uint32_t filter = 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST, smt = 1u << HD_STEP_SMT;
    const uint32_t quick = 1u << HD_STEP_GREEDY | 1u << HD_STEP_CLOSURE;
    const struct {
        const char *name;
        uint32_t steps;
    } sets[] = {{"filters+smt", filter | smt}, {"all", filter | quick | smt}};
    const char *slash = strrchr(path, '/');
    struct hd_trace *t = load(path);
    if (!begun)
        puts(saved_head);
    begun = true;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct cost costs[HOWS] = {0};
        for (int how = 0; how < HOWS; how++)
            add_cost(t, sets[i].steps, (enum how)how, 10, &costs[how]);
        print_saved(slash ? slash + 1 : path, sets[i].name, costs);
    }
    puts(filters_head);
    filters_of(slash ? slash + 1 : path, t);
}

/* ---- depth ---- */

/* Rounds in which two threads take two locks in opposite ways, each released in between. held: each
 * holds another lock all the time, so that nothing can be chopped. */
static struct hd_trace *rounds(uint32_t n, bool held)
{
    static const char *const round = "t1|acq(a)\nt1|acq(b)\nt1|rel(a)\nt1|w(x)\nt1|rel(b)\n"
                                     "t2|acq(b)\nt2|acq(a)\nt2|rel(b)\nt2|w(x)\nt2|rel(a)\n";
    size_t len = strlen(round);
    char *text = malloc(n * len + 64);
    size_t at =
        (size_t)sprintf(text, "!control branches\n%s", held ? "t1|acq(c)\nt2|acq(d)\n" : "");
    struct hd_trace *t;
    struct hd_err err = {0};
    for (uint32_t i = 0; i < n; i++, at += len)
        memcpy(text + at, round, len);
    if (hd_text_read(text, at, "rounds", &t, &err) != HD_OK)
        fail(&err);
    free(text);
    return t;
}

/* many: goals that are asked together. */
static void depth_at(const struct hd_ucg_base *base, uint32_t n, double share, bool chop,
                     uint32_t many)
{
    enum { EVENTS = 10, FIRST = 3, SECOND = 8, PAIRS = 200 };
    uint32_t pairs = chop ? PAIRS : 1, start = (uint32_t)((n - PAIRS) * share);
    struct hd_ucg *g = hd_ucg_new(base, chop);
    uint64_t possible = 0;
    double started = hd_progress_now();
    for (uint32_t from = 0, some; from < pairs; from += some) {
        hd_eid events[HD_UCG_ASK][2];
        struct hd_goal goals[HD_UCG_ASK];
        bool answers[HD_UCG_ASK];
        some = pairs - from < many ? pairs - from : many;
        for (uint32_t i = 0; i < some; i++) {
            events[i][0] = (start + from + i) * EVENTS + FIRST;
            events[i][1] = (start + from + i) * EVENTS + SECOND;
            goals[i] = hd_goal_race(events[i]);
        }
        hd_ucg_ask(g, goals, some, answers);
        for (uint32_t i = 0; i < some; i++)
            possible += answers[i];
    }
    double seconds = hd_progress_now() - started;
    const char *kind = !chop ? "whole" : many > 1 ? "batch" : "chopped";
    printf("depth,%s,%u,%.0f,%.1f,%.2f,%llu\n", kind, n, 100 * share,
           (double)hd_ucg_nodes(g) / pairs, 1e6 * seconds / pairs, (unsigned long long)possible);
    hd_ucg_free(g);
}

static void depth(uint32_t n)
{
    static const double shares[] = {0, 0.1, 0.5, 1};
    struct hd_trace *t = rounds(n, false);
    struct hd_sections *s = hd_sections_new(t, NULL, 0);
    struct hd_accesses *conds = hd_accesses_new(t, HD_OBJ_COND);
    struct hd_ucg_base *base = hd_ucg_base_new(t, s, conds, NULL, HD_MHB_ANY_WAITER);
    printf("# cost of a graph by the place of its pair in the trace (percent of its length)\n");
    printf("section,kind,rounds,place,nodes,microseconds,possible\n");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        depth_at(base, n, shares[i], true, 1);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        depth_at(base, n, shares[i], true, HD_UCG_ASK);
    for (size_t i = 1; i < sizeof shares / sizeof *shares && n <= 20000; i++)
        depth_at(base, n, shares[i], false, 1);
    hd_ucg_base_free(base);
    hd_accesses_free(conds);
    hd_sections_free(s);
    hd_trace_free(t);
}

/* ---- batches ---- */

enum { MOST_GOALS = 20000, MOST_EVENTS = 8 };

struct asked {
    enum hd_property property;
    uint32_t n;
    hd_eid events[MOST_EVENTS];
};

/* What the other filters leave, as `max` would put it to the graph. */
static void put_goal(struct hd_vec *goals, const struct hd_world *w, enum hd_property property,
                     const hd_eid *events, uint32_t n)
{
    struct asked a = {.property = property, .n = n};
    struct hd_goal goal =
        property == HD_PROPERTY_RACE ? hd_goal_race(events) : hd_goal_of(property, events, n);
    if (n > MOST_EVENTS || goals->len >= MOST_GOALS || hd_visitor_excluded(w->sections, &goal) ||
        hd_visitor_ordered(w, &goal))
        return;
    memcpy(a.events, events, n * sizeof *events);
    *(struct asked *)hd_vec_push(goals) = a;
}

static void put_races(struct hd_vec *goals, const struct hd_world *w)
{
    struct hd_candidates *c = hd_candidates_new(w);
    for (size_t i = 0; i < c->groups.len && goals->len < MOST_GOALS; i++) {
        struct hd_bundle_walk walk = hd_bundle_walk(c, hd_vec_at(&c->groups, i));
        for (struct hd_bundle b; goals->len < MOST_GOALS && hd_bundle_next(&walk, &b);) {
            const struct hd_class *x = hd_class_at(c, b.x), *y = hd_class_at(c, b.y);
            for (uint32_t e = x->start; e < x->end && goals->len < MOST_GOALS; e++)
                for (uint32_t f = y->start; f < y->end; f++) {
                    const hd_eid pair[] = {c->events[e], c->events[f]};
                    put_goal(goals, w, HD_PROPERTY_RACE, pair, 2);
                }
        }
    }
    hd_candidates_free(c);
}

static void put_triples(struct hd_vec *goals, const struct hd_world *w)
{
    struct hd_triples s;
    hd_triples_init(&s, w, true);
    for (size_t i = 0; i < s.bundles.len; i++) {
        const struct hd_triple_bundle *b = hd_vec_at(&s.bundles, i);
        const struct hd_class *y = hd_class_at(s.c, b->class);
        for (uint32_t k = b->from; k < b->to && goals->len < MOST_GOALS; k++)
            for (uint32_t f = y->start; f < y->end; f++) {
                const struct hd_block_pair *pair = hd_vec_at(&s.pairs, k);
                const hd_eid triple[] = {pair->c, s.c->events[f], pair->d};
                put_goal(goals, w, HD_PROPERTY_ATOMICITY, triple, 3);
            }
    }
    hd_triples_fini(&s);
}

static void put_cycle(struct hd_vec *goals, const struct hd_cycles *s,
                      const struct hd_class_cycle *cycle, hd_eid *events, uint32_t i)
{
    if (i == cycle->n) {
        put_goal(goals, s->w, HD_PROPERTY_DEADLOCK, events, i);
        return;
    }
    const struct hd_request_class *x = hd_request_class_at(s, s->members.data[cycle->start + i]);
    for (uint32_t e = x->start; e < x->end && goals->len < MOST_GOALS; e++) {
        events[i] = s->events[e];
        put_cycle(goals, s, cycle, events, i + 1);
    }
}

static void put_cycles(struct hd_vec *goals, const struct hd_world *w)
{
    struct hd_cycles s;
    hd_eid events[MOST_EVENTS];
    hd_cycles_init(&s, w, false);
    for (size_t i = 0; i < s.cycles.len; i++)
        if (((struct hd_class_cycle *)hd_vec_at(&s.cycles, i))->n <= MOST_EVENTS)
            put_cycle(goals, &s, hd_vec_at(&s.cycles, i), events, 0);
    hd_cycles_done(&s);
}

struct asking {
    double seconds;
    uint64_t graphs, possible;
};

static struct asking ask_all(const struct hd_ucg_base *base, const struct hd_vec *list, size_t most)
{
    struct asking a = {0};
    struct hd_ucg *g = hd_ucg_new(base, true);
    struct hd_goal goals[HD_UCG_ASK];
    bool possible[HD_UCG_ASK];
    double started = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t from = 0, n; from < list->len; from += n) {
        n = list->len - from < most ? list->len - from : most;
        for (size_t i = 0; i < n; i++) {
            const struct asked *x = hd_vec_at(list, from + i);
            goals[i] = x->property == HD_PROPERTY_RACE ? hd_goal_race(x->events)
                                                       : hd_goal_of(x->property, x->events, x->n);
        }
        hd_ucg_ask(g, goals, n, possible);
        for (size_t i = 0; i < n; i++)
            a.possible += possible[i];
    }
    a.seconds = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started;
    a.graphs = hd_ucg_graphs(g);
    hd_ucg_free(g);
    return a;
}

static void print_batch(const char *name, const struct hd_world *w, const struct hd_ucg_base *base,
                        enum hd_property property)
{
    void (*const put[])(struct hd_vec *, const struct hd_world *) = {put_races, put_triples,
                                                                     put_cycles};
    struct hd_vec goals = HD_VEC_INIT(struct asked);
    put[property](&goals, w);
    struct asking one = ask_all(base, &goals, 1), many = ask_all(base, &goals, HD_UCG_ASK);
    double n = goals.len ? 1e6 / (double)goals.len : 0;
    printf("batch,%s,%zu,%s,%zu,%llu,%llu,%llu,%.3f,%.3f\n", name, w->t->n_events,
           hd_property_names[property], goals.len, (unsigned long long)one.possible,
           (unsigned long long)one.graphs, (unsigned long long)many.graphs, n * one.seconds,
           n * many.seconds);
    if (one.possible != many.possible)
        printf("# the answers differ: %llu\n", (unsigned long long)many.possible);
    hd_vec_fini(&goals);
}

static const char batch_head[] = "section,trace,events,property,goals,possible,graphs,graphs_batch,"
                                 "microseconds,microseconds_batch";

static void batch_of(const char *name, struct hd_trace *t)
{
    struct hd_world *w = hd_world_new(t);
    struct hd_ucg_base *base =
        hd_ucg_base_new(t, w->sections, w->conds, w->must, HD_MHB_ANY_WAITER);
    for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++)
        print_batch(name, w, base, (enum hd_property)p);
    hd_ucg_base_free(base);
    hd_world_free(w);
    hd_trace_free(t);
}

static void batch_file(const char *path)
{
    static bool begun;
    const char *slash = strrchr(path, '/');
    struct hd_trace *t = load(path);
    if (!begun)
        puts(batch_head);
    begun = true;
    batch_of(slash ? slash + 1 : path, t);
}

static void batch(void)
{
    printf("# processor time of a goal that lockset and must leave: alone, and with others\n");
    puts(batch_head);
    batch_of("program", program(20000));
    batch_of("two", meeting(2, 400, true, 7));
    batch_of("two-no-data", meeting(2, 400, false, 7));
    batch_of("five", meeting(5, 300, true, 8));
    batch_of("five-no-data", meeting(5, 300, false, 8));
    batch_of("ten-no-data", meeting(10, 1000, false, 9));
    batch_of("rounds", rounds(2000, false));
    batch_of("held", rounds(200, true));
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"filters", "saved", "depth=2000", "depth=200000", "batch"};
    int n = argc > 1 ? argc - 1 : 5;
    const char *const *sections = argc > 1 ? (const char *const *)argv + 1 : all;
    for (int i = 0; i < n; i++) {
        if (!strcmp(sections[i], "filters"))
            filters();
        else if (!strcmp(sections[i], "saved"))
            saved();
        else if (!strncmp(sections[i], "depth=", 6) && atoi(sections[i] + 6) > 200)
            depth((uint32_t)atoi(sections[i] + 6));
        else if (!strcmp(sections[i], "batch"))
            batch();
        else if (!strncmp(sections[i], "batch=", 6))
            batch_file(sections[i] + 6);
        else if (!access(sections[i], R_OK))
            file(sections[i]);
        else
            return fprintf(stderr, "bench_ucg: there is no section %s\n", sections[i]), 2;
        fflush(stdout);
    }
    return 0;
}
