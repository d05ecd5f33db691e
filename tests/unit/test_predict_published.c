/* The published models, as the solver answers them, against their enumeration in model/ (which has
 * its own tests): equal pair for pair on random traces. And `said` is a subset of `max`; `rv` is
 * not always (docs/algorithms/published-models.md says why), so that is not asked.
 *
 * HEDDLE_TEST_LONG=1 runs 5,000 seeds, else 300. HEDDLE_SEED=n runs only that one.
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
#include "predict/compare/published_models.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"

static uint64_t windowed; /* pairs found by windows */

static bool enumerate(const struct hd_trace *t, enum hd_enum_model model, struct hd_pairs *pairs)
{
    struct hd_enum_opts opts = {.model = model, .max_states = 100000};
    struct hd_enum_result all;
    struct hd_err err = {0};
    bool ok = hd_enumerate(t, &opts, &all, &err) == HD_OK;
    for (size_t i = 0; i < all.n_pairs; i++)
        hd_pairs_push(pairs, all.pairs[i].a, all.pairs[i].b);
    hd_pairs_sort(pairs);
    hd_enum_result_fini(&all);
    return ok;
}

static void keep_trace(const struct hd_trace *t, uint64_t seed)
{
    char path[256];
    struct hd_err err = {0};
    snprintf(path, sizeof path, "%s/published-%llu.trace", HD_TEST_TMP, (unsigned long long)seed);
    hd_trace_io_save(t, path, HD_FORMAT_TEXT, &err);
    print_error("seed %llu: the trace is kept in %s\n", (unsigned long long)seed, path);
}

static void print_pairs(const char *what, const struct hd_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++)
        print_error("  %s %u-%u\n", what, pairs->data[i].a + 1, pairs->data[i].b + 1);
}

static void expect_by(const struct hd_trace *t, uint64_t seed, enum hd_published model,
                      const struct hd_pairs *enumerated, enum hd_published_steps steps)
{
    struct hd_published_options options = {.all_pairs = true, .steps = steps};
    struct hd_published_result solved;
    hd_published_run(model, t, &options, &solved);
    if (!hd_pairs_equal(enumerated, &solved.pairs) || solved.undecided.len) {
        keep_trace(t, seed);
        print_error("  %s, steps %d\n", model == HD_PUBLISHED_RV ? "rv" : "said", (int)steps);
        print_pairs("enumerated", enumerated);
        print_pairs("solved", &solved.pairs);
        fail();
    }
    hd_published_fini(&solved);
}

/* By states, which are otherwise for larger traces; every fourth seed by the solver alone, and what
 * its orders say about other pairs. */
static void expect_equal(const struct hd_trace *t, uint64_t seed, enum hd_published model,
                         const struct hd_pairs *enumerated)
{
    expect_by(t, seed, model, enumerated, seed % 4 ? HD_PUBLISHED_ALL : HD_PUBLISHED_SOLVER);
    expect_by(t, seed, model, enumerated, HD_PUBLISHED_STATES);
    expect_by(t, seed, model, enumerated, HD_PUBLISHED_MEETINGS);
}

/* The first n events of a trace, by way of its text. */
static struct hd_trace *take_prefix(const struct hd_trace *t, size_t n)
{
    static const char whole[] = HD_TEST_TMP "/published-whole.trace",
                      part[] = HD_TEST_TMP "/published-part.trace";
    struct hd_trace *prefix;
    struct hd_err err = {0};
    char line[1024];
    assert_int_equal(hd_trace_io_save(t, whole, HD_FORMAT_TEXT, &err), HD_OK);
    FILE *in = fopen(whole, "r"), *out = fopen(part, "w");
    assert_true(in && out);
    for (size_t events = 0; fgets(line, sizeof line, in);) {
        bool event = line[0] != '!' && line[0] != '#' && line[0] != '\n';
        events += event;
        if (!event || events <= n)
            fputs(line, out);
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(hd_trace_io_load(part, &prefix, &err), HD_OK);
    return prefix;
}

/* The first window has the pairs of the trace that ends there. Every eighth seed. */
static void expect_first_window(const struct hd_trace *t, uint64_t seed, enum hd_published model,
                                const struct hd_pairs *found)
{
    enum { FIRST = 6 };
    if (seed % 8 != 1 || t->n_events <= FIRST)
        return;
    struct hd_trace *prefix = take_prefix(t, FIRST);
    struct hd_pairs expected = {0}, first = {0};
    bool ok = enumerate(prefix, model == HD_PUBLISHED_RV ? HD_ENUM_RV : HD_ENUM_SAID, &expected);
    for (size_t i = 0; i < found->len; i++)
        if (found->data[i].b < FIRST)
            hd_pairs_push(&first, found->data[i].a, found->data[i].b);
    if (ok && !hd_pairs_equal(&expected, &first)) {
        keep_trace(t, seed);
        print_pairs("enumerated", &expected);
        print_pairs("first window", &first);
        fail();
    }
    hd_pairs_fini(&expected);
    hd_pairs_fini(&first);
    hd_trace_free(prefix);
}

/* By states, windows have the same pairs. */
static void expect_by_states(const struct hd_trace *t, uint64_t seed, enum hd_published model,
                             const struct hd_pairs *expected)
{
    struct hd_published_options options = {.all_pairs = true,
                                           .window = 6,
                                           .steps = seed % 2 ? HD_PUBLISHED_STATES
                                                             : HD_PUBLISHED_MEETINGS};
    struct hd_published_result solved;
    hd_published_run(model, t, &options, &solved);
    if (!hd_pairs_equal(expected, &solved.pairs) || solved.undecided.len) {
        keep_trace(t, seed);
        print_pairs("by search", expected);
        print_pairs("by states", &solved.pairs);
        fail_msg("windows by states differ");
    }
    hd_published_fini(&solved);
}

/* By windows: no pair lies in two of them, and said stays a subset of max. */
static void expect_windows(const struct hd_trace *t, uint64_t seed, const struct hd_pairs *max)
{
    for (int model = HD_PUBLISHED_SAID; model <= HD_PUBLISHED_RV; model++) {
        struct hd_published_options options = {.all_pairs = true, .window = 6};
        struct hd_published_result solved;
        hd_published_run((enum hd_published)model, t, &options, &solved);
        for (size_t i = 0; i < solved.pairs.len; i++)
            assert_int_equal(solved.pairs.data[i].a / 6, solved.pairs.data[i].b / 6);
        windowed += solved.pairs.len;
        if (!solved.undecided.len) {
            expect_first_window(t, seed, (enum hd_published)model, &solved.pairs);
            expect_by_states(t, seed, (enum hd_published)model, &solved.pairs);
        }
        if (model == HD_PUBLISHED_SAID && !hd_pairs_subset(&solved.pairs, max, NULL)) {
            keep_trace(t, seed);
            fail_msg("said by windows is not a subset of max");
        }
        hd_published_fini(&solved);
    }
}

/* One trace; false when there are too many states. */
static bool run_trace(const struct hd_gen_config *config)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    uint64_t seed = config->seed;
    assert_int_equal(hd_gen(config, &t, &err), HD_OK);
    struct hd_pairs max = {0}, said = {0}, rv = {0};
    bool ok = enumerate(t, HD_ENUM_MAX, &max) && enumerate(t, HD_ENUM_SAID, &said) &&
              enumerate(t, HD_ENUM_RV, &rv);
    if (ok) {
        expect_equal(t, seed, HD_PUBLISHED_SAID, &said);
        expect_equal(t, seed, HD_PUBLISHED_RV, &rv);
        if (!hd_pairs_subset(&said, &max, NULL)) {
            keep_trace(t, seed);
            fail_msg("said is not a subset of max");
        }
        expect_windows(t, seed, &max);
    }
    hd_pairs_fini(&max);
    hd_pairs_fini(&said);
    hd_pairs_fini(&rv);
    hd_trace_free(t);
    return ok;
}

static bool run_seed(uint64_t seed)
{
    struct hd_gen_config config;
    hd_gen_small(seed, &config);
    return run_trace(&config);
}

/* Many rounds of a barrier with more users than its size, or as many. */
static bool run_rounds(uint64_t seed)
{
    struct hd_gen_config config;
    hd_gen_small(seed, &config);
    config.features = UINT32_C(1) << HD_GEN_READ | UINT32_C(1) << HD_GEN_WRITE |
                      UINT32_C(1) << HD_GEN_BRANCH | UINT32_C(1) << HD_GEN_BARRIER;
    config.threads = 3 + (uint32_t)(seed % 2);
    config.events = 14 + (uint32_t)(seed % 7);
    config.locations = 2;
    return run_trace(&config);
}

/* Much synchronisation of one kind, and few values: here an event that runs at once by mistake, or
 * a state that is taken for another one, shows. */
static bool run_syncs(uint64_t seed)
{
    static const uint32_t kinds[] = {
        UINT32_C(1) << HD_GEN_SEM,
        UINT32_C(1) << HD_GEN_MUTEX | UINT32_C(1) << HD_GEN_COND,
        UINT32_C(1) << HD_GEN_MUTEX | UINT32_C(1) << HD_GEN_COND | UINT32_C(1) << HD_GEN_TIMEOUT,
        UINT32_C(1) << HD_GEN_MUTEX | UINT32_C(1) << HD_GEN_TRYFAIL | UINT32_C(1) << HD_GEN_RWLOCK,
        UINT32_C(1) << HD_GEN_BARRIER | UINT32_C(1) << HD_GEN_SEM,
    };
    struct hd_gen_config config;
    hd_gen_small(seed, &config);
    config.features = UINT32_C(1) << HD_GEN_READ | UINT32_C(1) << HD_GEN_WRITE |
                      UINT32_C(1) << HD_GEN_BRANCH | kinds[seed / 4 % 5];
    config.threads = 3;
    config.events = 16 + (uint32_t)(seed % 9);
    config.locations = 1 + (uint32_t)(seed / 2 % 2);
    config.locks = 1;
    config.values = 2;
    return run_trace(&config);
}

static void test_syncs(void **state)
{
    (void)state;
    uint64_t seeds = seeds_count(400, 20000), left_out = 0;
    for (uint64_t seed = 0; seed < seeds; seed++)
        left_out += !run_syncs(seed);
    assert_true(left_out * 10 < seeds);
}

static void test_equal(void **state)
{
    (void)state;
    const char *one = getenv("HEDDLE_SEED");
    if (one) {
        run_seed(strtoull(one, NULL, 0));
        return;
    }
    uint64_t seeds = seeds_count(300, 5000), left_out = 0;
    for (uint64_t seed = 0; seed < seeds; seed++)
        left_out += !run_seed(seed);
    assert_true(left_out * 10 < seeds); /* enumeration must stay the rule */
    assert_true(windowed > seeds);
}

static void test_rounds(void **state)
{
    (void)state;
    uint64_t seeds = seeds_count(150, 10000), left_out = 0;
    for (uint64_t seed = 0; seed < seeds; seed++)
        left_out += !run_rounds(seed);
    assert_true(left_out * 10 < seeds);
}

/* What search finds without the solver, which is not asked when a trace has more than one window:
 * no fewer than before. */
static void test_search(void **state)
{
    static const size_t least[] = {[HD_PUBLISHED_SAID] = 115, [HD_PUBLISHED_RV] = 156};
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    (void)state;
    hd_gen_defaults(&config);
    config.seed = 2;
    config.events = 200;
    config.threads = 8;
    config.locks = 6;
    config.locations = 10;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    for (int model = HD_PUBLISHED_SAID; model <= HD_PUBLISHED_RV; model++) {
        struct hd_published_options options = {.window = 199};
        struct hd_published_result found;
        hd_published_run((enum hd_published)model, t, &options, &found);
        print_message("%zu pairs\n", found.pairs.len);
        assert_true(found.pairs.len >= least[model]);
        hd_published_fini(&found);
    }
    hd_trace_free(t);
}

/* 24 uses of a barrier of two by three threads: decided without the solver, which would need
 * minutes. */
static void test_many_rounds(void **state)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    struct hd_published_options options = {.window = 599};
    struct hd_published_result found;
    (void)state;
    hd_gen_defaults(&config);
    config.seed = 1;
    config.events = 600;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    hd_published_run(HD_PUBLISHED_SAID, t, &options, &found);
    assert_int_equal(found.undecided.len, 0);
    assert_true(found.pairs.len > 400);
    hd_published_fini(&found);
    hd_trace_free(t);
}

/* Races of rv that have no witness: proofs for max must not be taken for proofs for rv. */
static void test_unsound(void **state)
{
    static const char *const files[] = {HD_TESTS_DIR "/model/rv_unsound_fork.txt",
                                        HD_TESTS_DIR "/model/rv_unsound_lock.txt"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct hd_trace *t;
        struct hd_err err = {0};
        struct hd_pairs max = {0}, rv = {0};
        assert_int_equal(hd_trace_io_load(files[i], &t, &err), HD_OK);
        assert_true(enumerate(t, HD_ENUM_RV, &rv) && enumerate(t, HD_ENUM_MAX, &max));
        assert_false(hd_pairs_subset(&rv, &max, NULL));
        expect_equal(t, i, HD_PUBLISHED_RV, &rv);
        hd_pairs_fini(&rv);
        hd_pairs_fini(&max);
        hd_trace_free(t);
    }
}

/* A sig that notifies another thread may find a waiter that is not its own. */
static void test_two_sigs(void **state)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    struct hd_pairs rv = {0};
    (void)state;
    assert_int_equal(hd_trace_io_load(HD_TESTS_DIR "/model/recorded_two_sigs.txt", &t, &err),
                     HD_OK);
    assert_true(enumerate(t, HD_ENUM_RV, &rv) && rv.len == 1);
    expect_equal(t, 1, HD_PUBLISHED_RV, &rv);
    hd_pairs_fini(&rv);
    hd_trace_free(t);
}

/* By every step: where an event that runs too early ends a search by states, or a state is taken
 * for another one. */
static void test_states(void **state)
{
    static const struct {
        const char *file;
        size_t said, rv;
    } cases[] = {{HD_TESTS_DIR "/model/states_sem.txt", 1, 1},
                 {HD_TESTS_DIR "/model/states_try.txt", 1, 1},
                 {HD_TESTS_DIR "/model/states_fork.txt", 1, 1},
                 {HD_TESTS_DIR "/model/states_join.txt", 1, 1},
                 {HD_TESTS_DIR "/model/states_notify.txt", 1, 1},
                 {HD_TESTS_DIR "/model/states_wait.txt", 6, 6},
                 {HD_TESTS_DIR "/model/states_rest.txt", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_trace *t;
        struct hd_err err = {0};
        struct hd_pairs said = {0}, rv = {0};
        assert_int_equal(hd_trace_io_load(cases[i].file, &t, &err), HD_OK);
        assert_true(enumerate(t, HD_ENUM_SAID, &said) && said.len == cases[i].said);
        assert_true(enumerate(t, HD_ENUM_RV, &rv) && rv.len == cases[i].rv);
        for (uint64_t seed = 0; seed < 2; seed++) {
            expect_equal(t, seed, HD_PUBLISHED_SAID, &said);
            expect_equal(t, seed, HD_PUBLISHED_RV, &rv);
        }
        hd_pairs_fini(&said);
        hd_pairs_fini(&rv);
        hd_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),       cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_syncs),       cmocka_unit_test(test_search),
        cmocka_unit_test(test_many_rounds), cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_two_sigs),    cmocka_unit_test(test_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
