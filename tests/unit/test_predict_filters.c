/* In long traces the sweep does without causality graphs, and what is left is asked about after
 * closure (predict/run/driver.h). So with filters alone, long or short, nothing is left undecided
 * that the graph of the pair by itself refutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "predict/index/world.h"
#include "predict/run/predict.h"
#include "predict/ucg/ucg.h"
#include "trace/gen/gen.h"

static struct hd_trace *make(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_defaults(&config);
    config.seed = seed;
    config.events = 400;
    config.threads = 3 + (uint32_t)(seed % 2);
    config.locks = 2 + (uint32_t)(seed % 5);
    config.locations = 1;
    config.features =
        1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX | 1u << HD_GEN_COND;
    if (hd_gen(&config, &t, &err) != HD_OK)
        fail_msg("%s", err.text);
    return t;
}

static void judge(const struct hd_trace *t, const struct hd_prediction *v, uint64_t seed)
{
    struct hd_world *w = hd_world_new(t);
    struct hd_ucg_base *base =
        hd_ucg_base_new(t, w->sections, w->conds, w->must, HD_MHB_ANY_WAITER);
    struct hd_ucg *g = hd_ucg_new(base, true);
    for (size_t i = 0; i < v->undecided.len; i++) {
        const hd_eid *pair = hd_undecided_events(hd_vec_at(&v->undecided, i));
        struct hd_goal goal = hd_goal_race(pair);
        if (!hd_ucg_possible(g, &goal))
            fail_msg("seed %llu: events %u and %u are left open", (unsigned long long)seed,
                     pair[0] + 1, pair[1] + 1);
    }
    hd_ucg_free(g);
    hd_ucg_base_free(base);
    hd_world_free(w);
}

static void test_nothing_refuted_is_left(void **state)
{
    (void)state;
    uint64_t refuted = 0, left = 0;
    struct seeds seeds = seeds_given(40, 1000);
    for (uint64_t seed = seeds.from; seed < seeds.end; seed++) {
        struct hd_trace *t = make(seed);
        struct hd_predict_options options;
        struct hd_prediction v;
        struct hd_err err;
        hd_predict_defaults(&options);
        options.all_pairs = seed % 2;
        options.jobs = 1;
        options.filter_until = seed % 4 < 2 ? 0 : HD_PREDICT_FILTER_UNTIL;
        options.steps = 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST | 1u << HD_STEP_UCG;
        assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &options, &v, &err), HD_OK);
        judge(t, &v, seed);
        refuted += v.proved[HD_STEP_UCG];
        left += v.undecided.len;
        hd_prediction_fini(&v);
        hd_trace_free(t);
    }
    assert_true(refuted > 10 * (seeds.end - seeds.from));
    assert_true(left > seeds.end - seeds.from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_refuted_is_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
