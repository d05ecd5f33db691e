/* Shards: on random traces, what all shards say together is what one run over everything says: the
 * same racing pairs, the same undecided ones, the same counts; each group is decided by one shard.
 *
 * HEDDLE_TEST_LONG=1 runs 2,000 seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "predict/run/share.h"
#include "predict/run/predict.h"
#include "trace/gen/gen.h"

/* What is compared: figures that add up, and a sum over the pairs that does not depend on order. */
struct answer {
    uint64_t conflicting, places, raced, races, open, undecided, skipped, proved, pairs;
    uint64_t candidates, groups, found, others_proved;
};

static uint64_t mark(uint64_t a, uint64_t b)
{
    return (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xc2b2ae3d27d4eb4f) + 1);
}

static void add_violations(struct answer *x, const struct hd_prediction *v)
{
    x->candidates += v->candidates;
    x->groups += v->groups;
    x->found += v->found.len;
    for (size_t i = 0; i < v->found.len; i++) {
        const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&v->found, i))->witness;
        x->pairs += mark(w->events[0], w->events[1]);
    }
    for (int s = 0; s < HD_STEPS; s++)
        x->others_proved += v->proved[s];
}

static void add(struct answer *x, const struct hd_trace *t, uint32_t shard, uint32_t shards,
                bool all)
{
    struct hd_predict_options o;
    struct hd_prediction p, v;
    struct hd_err err = {0};
    hd_predict_defaults(&o);
    o.jobs = 1;
    o.shard = shard;
    o.shards = shards;
    o.all_pairs = all;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &o, &p, &err), HD_OK);
    x->conflicting += p.candidates;
    x->places += p.groups;
    x->raced += p.groups_found;
    x->races += p.found.len;
    x->open += p.open;
    x->undecided += p.undecided.len;
    x->skipped += p.skipped;
    for (int s = 0; s < HD_STEPS; s++)
        x->proved += p.proved[s];
    for (size_t i = 0; i < p.found.len; i++) {
        const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&p.found, i))->witness;
        x->pairs += mark(w->a, w->b);
    }
    hd_prediction_fini(&p);
    assert_int_equal(hd_predict(t, HD_PROPERTY_ATOMICITY, &o, &v, &err), HD_OK);
    add_violations(x, &v);
    hd_prediction_fini(&v);
    assert_int_equal(hd_predict(t, HD_PROPERTY_DEADLOCK, &o, &v, &err), HD_OK);
    add_violations(x, &v);
    hd_prediction_fini(&v);
}

static void test_union_is_the_whole(void **state)
{
    (void)state;
    uint64_t seeds = seeds_count(150, 2000), races = 0, divided = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct hd_gen_config config;
        struct hd_trace *t = NULL;
        struct hd_err err = {0};
        hd_gen_small(seed, &config);
        config.events = 20 + seed % 60;
        config.features = seed % 2 ? HD_GEN_ALL : config.features; /* memory orders, too */
        if (hd_gen(&config, &t, &err) != HD_OK)
            continue;
        struct answer whole = {0}, sum = {0};
        uint32_t n = 2 + (uint32_t)(seed % 5);
        bool all = seed % 3 == 0;
        add(&whole, t, 0, 1, all);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t before = sum.races;
            add(&sum, t, i, n, all);
            divided += sum.races > before && sum.races < whole.races;
        }
        if (memcmp(&whole, &sum, sizeof sum))
            fail_msg("seed %llu, %u shards: %llu races of %llu pairs, whole %llu of %llu",
                     (unsigned long long)seed, n, (unsigned long long)sum.races,
                     (unsigned long long)sum.conflicting, (unsigned long long)whole.races,
                     (unsigned long long)whole.conflicting);
        races += whole.races;
        hd_trace_free(t);
    }
    assert_true(races > seeds); /* the test sees something */
    assert_true(divided > seeds / 4);
}

static void test_division_is_even(void **state)
{
    (void)state;
    uint64_t pairs[100], sum[4] = {0};
    uint32_t owner[100];
    for (int i = 0; i < 100; i++)
        pairs[i] = (uint64_t)i * (uint64_t)i;
    hd_share_divide(pairs, 100, 4, owner);
    for (int i = 0; i < 100; i++)
        sum[owner[i]] += 1 + (uint64_t)i;
    for (int k = 0; k < 4; k++)
        assert_in_range(sum[k], 1200, 1325);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_union_is_the_whole),
        cmocka_unit_test(test_division_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
