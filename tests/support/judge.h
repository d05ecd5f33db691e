/* Judges prediction on a small trace by exhaustive enumeration, and counts which filters proved
 * something: for random tests of rules about values.
 */
#ifndef HD_TESTS_SUPPORT_JUDGE_H
#define HD_TESTS_SUPPORT_JUDGE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "detect/pairs.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "predict/run/predict.h"
#include "trace/text/text.h"

static bool agrees(const struct hd_trace *t, const struct hd_enum_result *e, uint32_t steps)
{
    struct hd_predict_options options;
    struct hd_prediction p;
    struct hd_pairs found = {0}, real = {0};
    hd_predict_defaults(&options);
    options.all_pairs = true;
    options.jobs = 1;
    options.steps = steps;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, &p, NULL), HD_OK);
    for (size_t i = 0; i < p.found.len; i++) {
        const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&p.found, i))->witness;
        hd_pairs_push(&found, w->a, w->b);
    }
    for (size_t i = 0; i < e->n_pairs; i++)
        hd_pairs_push(&real, e->pairs[i].a, e->pairs[i].b);
    hd_pairs_sort(&found);
    hd_pairs_sort(&real);
    bool same = hd_pairs_equal(&found, &real) && !p.undecided.len && !p.rejected.n;
    if (!same)
        print_error("predicted %zu, enumerated %zu, undecided %zu, steps %#x\n", found.len,
                    real.len, p.undecided.len, steps);
    hd_pairs_fini(&found);
    hd_pairs_fini(&real);
    hd_prediction_fini(&p);
    return same;
}

/* How many conflicting pairs were proved impossible by each filter: rules that never fire are
 * not tested. */
static uint64_t proved[HD_STEPS], races;
static uint32_t counted = 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST | 1u << HD_STEP_GREEDY;

static void count(const struct hd_trace *t)
{
    struct hd_predict_options options;
    struct hd_prediction p;
    hd_predict_defaults(&options);
    options.all_pairs = true;
    options.jobs = 1;
    options.steps = counted;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, &p, NULL), HD_OK);
    for (int s = 0; s < HD_STEPS; s++)
        proved[s] += p.proved[s];
    races += p.found.len;
    hd_prediction_fini(&p);
}

/* True: the trace could be enumerated. */
static bool judge(uint64_t seed, const char *buffer, size_t len, bool show)
{
    struct hd_trace *t = NULL;
    struct hd_enum_result e = {0};
    struct hd_enum_opts opts = {.max_states = 200000};
    struct hd_err err = {0};
    hd_eid bad;
    const uint32_t all = (1u << HD_STEPS) - 1, greedy = 1u << HD_STEP_GREEDY;
    const uint32_t others = 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST; /* than protocol */
    if (show)
        fwrite(buffer, 1, len, stderr);
    if (hd_text_read(buffer, len, "values", &t, &err) != HD_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    if (hd_check_trace(t, &bad, &err) != HD_OK)
        fail_msg("seed %llu: event %u: %s", (unsigned long long)seed, bad + 1, err.text);
    bool done = hd_enumerate(t, &opts, &e, &err) == HD_OK;
    if (done && (!agrees(t, &e, all) || !agrees(t, &e, all & ~others) ||
                 (seed % 4 == 0 && !agrees(t, &e, all & ~greedy)))) {
        fwrite(buffer, 1, len, stderr);
        fail_msg("seed %llu", (unsigned long long)seed);
    }
    count(t);
    hd_enum_result_fini(&e);
    hd_trace_free(t);
    return done;
}

/* Judges the traces that `make` draws of seeds: 0 to n - 1; those of HEDDLE_SEEDS=FROM,TO; or the
 * one of HEDDLE_SEED, which is shown. How many were enumerated. */
static uint64_t judge_seeds(size_t (*make)(uint64_t seed, char *buffer, size_t size), uint64_t n)
{
    static char buffer[8192];
    const char *one = getenv("HEDDLE_SEED"), *range = getenv("HEDDLE_SEEDS");
    uint64_t from = 0, done = 0;
    if (one)
        n = (from = strtoull(one, NULL, 0)) + 1;
    else if (range && sscanf(range, "%" SCNu64 ",%" SCNu64, &from, &n) != 2)
        fail_msg("HEDDLE_SEEDS is not two numbers: %s", range);
    for (uint64_t seed = from; seed < n; seed++) {
        size_t len = make(seed, buffer, sizeof buffer);
        done += judge(seed, buffer, len, one != NULL);
    }
    return done;
}

/* Nothing is expected of the number of races in a choice of seeds. */
static bool seeds_were_chosen(void)
{
    return getenv("HEDDLE_SEED") || getenv("HEDDLE_SEEDS");
}

#endif
