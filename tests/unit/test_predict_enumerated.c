/* Prediction against exhaustive enumeration: on small random traces `max` must give exactly the
 * pairs that some reachable state has enabled together, nothing undecided, and every witness
 * accepted. Each seed runs a different mix of primitives (hd_gen_small) and a different choice of
 * steps; the solver is always among them, so that everything is decided.
 *
 * The small traces are rich in races, and most of these are easy. So there is a second kind: longer
 * traces with more critical sections, branches that depend on everything, and more of the blocking
 * primitives; few states, but reasons that are not near to each other. A third of their pairs at
 * least must not race, and closure and solver must have work.
 *
 * A third kind has shapes in which errors were once found by reading (HD_GEN_SHAPES), with more
 * threads and fewer objects.
 *
 * HEDDLE_TEST_LONG=1 runs 20,000 seeds of the first, 5,000 of the second and 20,000 of the third
 * kind, else 800, 350 and 400. HEDDLE_SEED=n runs only that one, HEDDLE_HARD_SEED=n one of the
 * second and HEDDLE_SHAPE_SEED=n one of the third kind; HEDDLE_FROM=n begins there; a mismatch
 * keeps its trace. HEDDLE_TEST_COUNTS=1 prints which step decided how many pairs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "model/enumerate.h"
#include "predict/run/predict.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"

static const uint32_t all_steps = (1u << HD_STEPS) - 1;

/* Step sets to compare: everything, the solver alone, and each quick step with the solver behind
 * it. */
static uint32_t steps_of(uint64_t seed)
{
    const uint32_t smt = 1u << HD_STEP_SMT;
    const uint32_t choices[] = {all_steps,
                                smt,
                                all_steps & ~(1u << HD_STEP_GREEDY),
                                smt | 1u << HD_STEP_GREEDY,
                                smt | 1u << HD_STEP_CLOSURE,
                                smt | 1u << HD_STEP_MUST,
                                smt | 1u << HD_STEP_PROTOCOL,
                                smt | 1u << HD_STEP_UCG,
                                smt | 1u << HD_STEP_LOCKSET | 1u << HD_STEP_CLOSURE};
    return choices[seed % (sizeof choices / sizeof *choices)];
}

enum kind { SMALL, HARD, SHAPES };

static void show(const struct hd_trace *t, uint64_t seed, enum kind kind)
{
    char path[256];
    static const char *const names[] = {"", "hard-", "shape-"};
    snprintf(path, sizeof path, "%s/predict-%s%llu.trace", HD_TEST_TMP, names[kind],
             (unsigned long long)seed);
    struct hd_err err = {0};
    hd_trace_io_save(t, path, HD_FORMAT_TEXT, &err);
    print_error("seed %llu: the trace is kept in %s\n", (unsigned long long)seed, path);
}

static void compare(const struct hd_trace *t, const struct hd_prediction *p,
                    const struct hd_enum_result *e, uint64_t seed, enum kind kind)
{
    bool same = p->found.len == e->n_pairs && p->undecided.len == 0;
    for (size_t i = 0; same && i < e->n_pairs; i++) {
        const struct hd_predicted *race = hd_vec_at(&p->found, i);
        same = race->witness.a == e->pairs[i].a && race->witness.b == e->pairs[i].b;
    }
    if (same)
        return;
    show(t, seed, kind);
    for (size_t i = 0; i < e->n_pairs; i++)
        print_error("  enumerated %u-%u\n", e->pairs[i].a + 1, e->pairs[i].b + 1);
    for (size_t i = 0; i < p->found.len; i++) {
        const struct hd_predicted *race = hd_vec_at(&p->found, i);
        print_error("  predicted  %u-%u by %s\n", race->witness.a + 1, race->witness.b + 1,
                    hd_step_names[race->found_by]);
    }
    print_error("  undecided  %zu, steps %#x\n", p->undecided.len, steps_of(seed));
    fail();
}

/* The second kind of traces. Those that only the solver sees are shorter, because it is slow. */
static void hard_config(uint64_t seed, struct hd_gen_config *config)
{
    static const uint8_t some[] = {HD_GEN_COND,   HD_GEN_SEM,     HD_GEN_BARRIER, HD_GEN_REENTRANT,
                                   HD_GEN_RWLOCK, HD_GEN_TRYFAIL, HD_GEN_FORK,    HD_GEN_JOIN,
                                   HD_GEN_ATOMIC, HD_GEN_RMW,     HD_GEN_INIT};
    bool closure = steps_of(seed) >> HD_STEP_CLOSURE & 1;
    struct hd_rng rng;
    hd_rng_init(&rng, ~seed);
    hd_gen_defaults(config);
    config->seed = seed;
    config->events = closure ? 50 + hd_rng_below(&rng, 60) : 28 + hd_rng_below(&rng, 28);
    config->threads = 2 + hd_rng_chance(&rng, 40);
    config->locations = 2 + hd_rng_below(&rng, 2);
    config->locks = 2 + hd_rng_below(&rng, 3);
    config->values = 2 + hd_rng_below(&rng, 3);
    config->control = hd_rng_chance(&rng, 60) ? HD_GEN_CONTROL_ALL : HD_GEN_CONTROL_BRANCHES;
    config->features =
        1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX | 1u << HD_GEN_BRANCH;
    for (size_t i = 0; i < sizeof some; i++)
        if (hd_rng_chance(&rng, 45))
            config->features |= 1u << some[i];
    if (config->features >> HD_GEN_COND & 1 && hd_rng_chance(&rng, 60))
        config->features |= 1u << HD_GEN_TIMEOUT;
}

/* The third kind: everything at once, or a few things often. */
static void shape_config(uint64_t seed, struct hd_gen_config *config)
{
    const uint32_t always = 1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX |
                            1u << HD_GEN_BRANCH | 1u << HD_GEN_DEPS | 1u << HD_GEN_SHAPES;
    struct hd_rng rng;
    hd_rng_init(&rng, ~seed);
    hd_gen_defaults(config);
    config->seed = seed;
    config->events = 12 + hd_rng_below(&rng, 19);
    config->threads = 2 + hd_rng_below(&rng, 3);
    config->locations = 1 + hd_rng_below(&rng, 2);
    config->locks = 1 + hd_rng_below(&rng, 2);
    config->values = 1 + hd_rng_below(&rng, 3);
    config->features = always;
    uint32_t chance = 20 + hd_rng_below(&rng, 60);
    for (uint32_t f = 0; f < HD_GEN_FEATURE_COUNT; f++)
        if (f != HD_GEN_FORK && f != HD_GEN_JOIN && f != HD_GEN_OMIT && hd_rng_chance(&rng, chance))
            config->features |= 1u << f;
    if (config->features >> HD_GEN_TIMEOUT & 1)
        config->features |= 1u << HD_GEN_COND;
}

struct counts {
    uint64_t left_out, conflicting, races, found[HD_STEPS], proved[HD_STEPS];
};

static void count(struct counts *n, const struct hd_prediction *p)
{
    uint64_t decided = p->skipped + p->open;
    n->conflicting += p->candidates;
    n->races += p->found.len;
    for (int s = 0; s < HD_STEPS; s++) {
        n->found[s] += p->found_by[s];
        n->proved[s] += p->proved[s];
        decided += p->found_by[s] + p->proved[s];
    }
    assert_int_equal(decided, p->candidates);
}

static void run_predict(const struct hd_trace *t, const struct hd_enum_result *e, uint64_t seed,
                        enum kind kind, struct counts *n)
{
    struct hd_predict_options options;
    struct hd_prediction p;
    struct hd_err err = {0};
    hd_predict_defaults(&options);
    options.sc = true; /* the enumeration is of simultaneous races */
    options.all_pairs = true;
    options.jobs = 1;
    options.steps = steps_of(seed);
    if (hd_predict(t, HD_PROPERTY_RACE, &options, &p, &err) != HD_OK) {
        show(t, seed, kind);
        print_error("  %s (steps %#x)\n", err.text, options.steps);
        fail();
    }
    compare(t, &p, e, seed, kind);
    count(n, &p);
    hd_prediction_fini(&p);
}

/* A trace with too many states to enumerate is left out. */
static void run_seed(uint64_t seed, enum kind kind, struct counts *n)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    if (kind == HARD)
        hard_config(seed, &config);
    else if (kind == SHAPES)
        shape_config(seed, &config);
    else
        hd_gen_small(seed, &config);
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    struct hd_enum_opts opts = {.max_states = 300000};
    struct hd_enum_result e;
    if (hd_enumerate(t, &opts, &e, &err) == HD_OK)
        run_predict(t, &e, seed, kind, n);
    else
        n->left_out++;
    hd_enum_result_fini(&e);
    hd_trace_free(t);
}

static void run_seeds(const char *one, uint64_t seeds, enum kind kind, struct counts *n)
{
    *n = (struct counts){0};
    if (getenv(one)) {
        run_seed(strtoull(getenv(one), NULL, 0), kind, n);
        return;
    }
    uint64_t from = getenv("HEDDLE_FROM") ? strtoull(getenv("HEDDLE_FROM"), NULL, 0) : 0;
    for (uint64_t seed = 0; seed < seeds; seed++)
        run_seed(from + seed, kind, n);
    assert_true(n->left_out * 50 < seeds); /* enumeration must stay the rule */
    if (!getenv("HEDDLE_TEST_COUNTS"))
        return;
    print_message("%llu traces, %llu left out, %llu pairs, %llu races\n", (unsigned long long)seeds,
                  (unsigned long long)n->left_out, (unsigned long long)n->conflicting,
                  (unsigned long long)n->races);
    for (int s = 0; s < HD_STEPS; s++)
        print_message("  %-8s found %llu, proved impossible %llu\n", hd_step_names[s],
                      (unsigned long long)n->found[s], (unsigned long long)n->proved[s]);
}

static void test_equal(void **state)
{
    struct counts n;
    (void)state;
    if (!getenv("HEDDLE_HARD_SEED") && !getenv("HEDDLE_SHAPE_SEED"))
        run_seeds("HEDDLE_SEED", seeds_count(800, 20000), SMALL, &n);
}

static void test_equal_hard(void **state)
{
    struct counts n;
    (void)state;
    if (getenv("HEDDLE_SEED") || getenv("HEDDLE_SHAPE_SEED"))
        return;
    run_seeds("HEDDLE_HARD_SEED", seeds_count(350, 5000), HARD, &n);
    if (getenv("HEDDLE_HARD_SEED"))
        return;
    assert_true(n.races * 3 < n.conflicting * 2);
    const enum hd_step slow[] = {HD_STEP_CLOSURE, HD_STEP_SMT};
    for (int i = 0; i < 2; i++)
        assert_true(n.found[slow[i]] * 50 > n.conflicting &&
                    n.proved[slow[i]] * 50 > n.conflicting);
}

static void test_equal_shapes(void **state)
{
    struct counts n;
    (void)state;
    if (!getenv("HEDDLE_SEED") && !getenv("HEDDLE_HARD_SEED"))
        run_seeds("HEDDLE_SHAPE_SEED", seeds_count(400, 20000), SHAPES, &n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal),
                                       cmocka_unit_test(test_equal_hard),
                                       cmocka_unit_test(test_equal_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
