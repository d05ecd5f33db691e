/* Prediction on traces that are too long to enumerate: 300 to 1000 events of 8 threads, all
 * features of the generator. What can be checked without enumeration is that model/ accepts every
 * witness and that the steps agree: what one combination of steps finds, no other proves
 * impossible. Also: a witness that is rejected costs its pair and nothing else.
 *
 * HEDDLE_TEST_LONG=1 draws 10,000 traces, else 8; HEDDLE_SEEDS=m,n those of the seeds m to n - 1.
 * Four of five traces have 300 to 450 events, the fifth up to 1000. All steps together are compared
 * with three combinations drawn from the 255 there are. Each prediction has 60 ms beyond the linear
 * steps, so the longer traces are decided in part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "base/rng.h"
#include "detect/detect.h"
#include "predict/run/predict.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

#define FILTERS                                                                                    \
    (1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST | 1u << HD_STEP_PROTOCOL | 1u << HD_STEP_UCG)
#define GREEDY  (1u << HD_STEP_GREEDY)
#define SYNCP   (1u << HD_STEP_SYNCP)
#define CLOSURE (1u << HD_STEP_CLOSURE)
#define SMT     (1u << HD_STEP_SMT)

#define ALL (FILTERS | GREEDY | SYNCP | CLOSURE | SMT)

enum { COMBINATIONS = 4 };
static const double SECONDS = 0.06;

static struct hd_trace *make(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_defaults(&config);
    config.seed = seed;
    config.events = 300 + (uint32_t)(seed * 37 % (seed % 5 ? 151 : 701));
    config.threads = 8;
    config.locks = 6;
    config.locations = 10;
    config.features = HD_GEN_ALL;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return t;
}

/* Pairs of places: those with a race, and those that are not proved to have none. */
struct answer {
    struct hd_pairs races, possible;
    bool cut; /* the time was over before the pairs were known: nothing is proved */
};

static void places_of(const struct hd_trace *t, const struct hd_prediction *p, struct answer *a)
{
    *a = (struct answer){.cut = p->cut};
    for (size_t i = 0; i < p->found.len; i++) {
        const struct hd_predicted *race = hd_vec_at(&p->found, i);
        hd_pairs_push(&a->races, t->place[race->witness.a], t->place[race->witness.b]);
        hd_pairs_push(&a->possible, t->place[race->witness.a], t->place[race->witness.b]);
    }
    for (size_t i = 0; i < p->undecided.len; i++) {
        const struct hd_undecided *u = hd_vec_at(&p->undecided, i);
        hd_pairs_push(&a->possible, t->place[u->few[0]], t->place[u->few[1]]);
    }
    hd_pairs_sort(&a->races);
    hd_pairs_sort(&a->possible);
}

static void answer_fini(struct answer *a)
{
    hd_pairs_fini(&a->races);
    hd_pairs_fini(&a->possible);
}

static void predict_for(const struct hd_trace *t, uint64_t seed, uint32_t steps, double seconds,
                        struct answer *a)
{
    struct hd_predict_options options;
    struct hd_prediction p;
    hd_predict_defaults(&options);
    options.steps = steps;
    options.seconds = seconds;
    options.jobs = 1;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, &p, NULL), HD_OK);
    if (p.rejected.n)
        fail_msg("seed %llu, steps %x: %s", (unsigned long long)seed, steps, p.rejected.first.text);
    places_of(t, &p, a);
    hd_prediction_fini(&p);
}

static uint64_t compared; /* answers that were not cut */

/* All steps, and three other combinations of them. */
static void draw_combinations(uint64_t seed, uint32_t *combination)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed);
    combination[0] = ALL;
    for (int i = 1; i < COMBINATIONS; i++)
        combination[i] = 1 + (uint32_t)hd_rng_below(&rng, ALL);
}

static void judge(uint64_t seed)
{
    struct hd_trace *t = make(seed);
    struct answer answers[COMBINATIONS];
    uint32_t combination[COMBINATIONS];
    struct hd_pair pair;
    draw_combinations(seed, combination);
    for (int i = 0; i < COMBINATIONS; i++)
        predict_for(t, seed, combination[i], SECONDS, &answers[i]);
    for (int i = 0; i < COMBINATIONS; i++) {
        compared += !answers[i].cut;
        for (int k = 0; k < COMBINATIONS; k++)
            if (!answers[k].cut && !hd_pairs_subset(&answers[i].races, &answers[k].possible, &pair))
                fail_msg("seed %llu: steps %x find a race of places %u and %u, %x prove there is "
                         "none",
                         (unsigned long long)seed, combination[i], pair.a, pair.b, combination[k]);
    }
    for (int i = 0; i < COMBINATIONS; i++)
        answer_fini(&answers[i]);
    hd_trace_free(t);
}

static void no_witness_is_rejected_and_steps_agree(void **state)
{
    (void)state;
    const char *range = getenv("HEDDLE_SEEDS");
    unsigned long long from = 0, to = seeds_count(8, 10000);
    if (range && sscanf(range, "%llu,%llu", &from, &to) != 2)
        fail_msg("HEDDLE_SEEDS is not two numbers: %s", range);
    for (uint64_t seed = from; seed < to; seed++)
        judge(seed);
    print_message("%llu answers compared\n", (unsigned long long)compared);
    assert_true(to <= from || compared > 0);
}

/* What greedy finds, with all the time it wants, and what syncp and shb report. */
static void find_cheaply(const struct hd_trace *t, uint64_t seed, struct answer *greedy,
                         struct hd_detect_result r[2])
{
    static const char *const detectors[] = {"syncp", "shb"};
    const struct hd_detect_opts opts = {0};
    struct hd_err err;
    predict_for(t, seed, FILTERS | GREEDY, 0, greedy);
    assert_true(greedy->races.len > 10);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hd_detector_find(detectors[i])->run(t, &opts, &r[i], &err), HD_OK);
        assert_true(r[i].places.len > 10);
    }
}

/* The cheap steps go over all groups before the dear ones begin, and to their end: at any budget,
 * also at none, nothing of what greedy, syncp and shb find alone is lost. */
static void any_budget_keeps_what_is_cheap(void **state)
{
    static const double budgets[] = {-1, 1e-9, 0.001, 0.01, 0.1};
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct hd_trace *t = make(seed);
        struct hd_detect_result r[2];
        struct answer greedy;
        struct hd_pair pair;
        find_cheaply(t, seed, &greedy, r);
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
            struct answer a;
            predict_for(t, seed, ALL, budgets[i], &a);
            assert_false(a.cut);
            assert_true(hd_pairs_subset(&greedy.races, &a.races, &pair));
            assert_true(hd_pairs_subset(&r[0].places, &a.races, &pair));
            assert_true(hd_pairs_subset(&r[1].places, &a.races, &pair));
            answer_fini(&a);
        }
        hd_detect_result_fini(&r[0]);
        hd_detect_result_fini(&r[1]);
        answer_fini(&greedy);
        hd_trace_free(t);
    }
}

/* Without any time there is no chance in the answer, whatever the number of workers. */
static void no_time_gives_one_answer(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct hd_trace *t = make(seed);
        struct hd_prediction p[3];
        for (unsigned i = 0; i < 3; i++) {
            struct hd_predict_options options;
            hd_predict_defaults(&options);
            options.seconds = -1;
            options.jobs = 1 + i;
            options.all_pairs = seed & 1;
            assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, &p[i], NULL), HD_OK);
            assert_true(p[i].undecided.len > 0);
            assert_int_equal(p[i].found.len, p[0].found.len);
            assert_int_equal(p[i].undecided.len, p[0].undecided.len);
            assert_int_equal(p[i].open, p[0].open);
            assert_memory_equal(p[i].proved, p[0].proved, sizeof p[i].proved);
            assert_memory_equal(p[i].found_by, p[0].found_by, sizeof p[i].found_by);
        }
        for (unsigned i = 0; i < 3; i++)
            hd_prediction_fini(&p[i]);
        hd_trace_free(t);
    }
}

/* ---- rejected witnesses ---- */

static uint32_t spoilt_steps; /* whose witnesses are made wrong: bit set of 1 << enum hd_step */
static uint64_t spoilt;

static void spoil(enum hd_step step, struct hd_witness *w)
{
    if (!(spoilt_steps >> step & 1) || !w->n)
        return;
    if (w->n > 1)
        w->schedule[0] = w->schedule[w->n - 1]; /* an event twice */
    else
        w->prefix = 0; /* nothing that c' needs */
    spoilt++;
}

static void predict_spoilt(const struct hd_trace *t, uint32_t steps, struct hd_prediction *p)
{
    struct hd_predict_options options;
    hd_predict_defaults(&options);
    options.spoil = spoil;
    options.jobs = 1;
    spoilt_steps = steps;
    spoilt = 0;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, p, NULL), HD_OK);
    assert_int_equal(p->rejected.n, spoilt);
}

static struct hd_trace *small(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_small(seed, &config);
    config.events += 20;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return t;
}

/* The steps after a spoilt one find what it found; with all of them spoilt, every race is listed as
 * undecided for that reason, and what was proved stays proved. */
static void a_rejected_witness_costs_its_pair(void **state)
{
    (void)state;
    uint64_t races = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct hd_trace *t = small(seed);
        struct hd_prediction sound, greedy, all;
        predict_spoilt(t, 0, &sound);
        predict_spoilt(t, GREEDY | SYNCP, &greedy);
        predict_spoilt(t, GREEDY | SYNCP | CLOSURE | SMT, &all);
        assert_int_equal(greedy.found.len, sound.found.len);
        assert_int_equal(greedy.undecided.len, 0);
        assert_int_equal(all.found.len, 0);
        assert_int_equal(all.groups_undecided, sound.groups_found);
        for (size_t i = 0; i < all.undecided.len; i++)
            assert_int_equal(((struct hd_undecided *)hd_vec_at(&all.undecided, i))->why,
                             HD_WHY_REJECTED);
        races += sound.found.len;
        hd_prediction_fini(&sound);
        hd_prediction_fini(&greedy);
        hd_prediction_fini(&all);
        hd_trace_free(t);
    }
    assert_true(races > 30);
}

static void a_rejected_violation_costs_its_group(void **state)
{
    (void)state;
    uint64_t found = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct hd_trace *t = small(seed);
        struct hd_predict_options options;
        struct hd_prediction sound, all;
        hd_predict_defaults(&options);
        options.spoil = spoil;
        options.jobs = 1;
        spoilt_steps = 0;
        hd_predict(t, HD_PROPERTY_ATOMICITY, &options, &sound, NULL);
        spoilt_steps = GREEDY | CLOSURE | SMT;
        hd_predict(t, HD_PROPERTY_ATOMICITY, &options, &all, NULL);
        assert_int_equal(all.found.len, 0);
        assert_int_equal(all.groups_undecided, sound.found.len);
        assert_true(all.rejected.n >= sound.found.len);
        found += sound.found.len;
        hd_prediction_fini(&sound);
        hd_prediction_fini(&all);
        hd_trace_free(t);
    }
    assert_true(found > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_witness_is_rejected_and_steps_agree),
        cmocka_unit_test(any_budget_keeps_what_is_cheap),
        cmocka_unit_test(no_time_gives_one_answer),
        cmocka_unit_test(a_rejected_witness_costs_its_pair),
        cmocka_unit_test(a_rejected_violation_costs_its_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
