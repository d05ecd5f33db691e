/* A variable that many threads use at many places: the counts are those of a naive count, every
 * witness is accepted in its long form, and races by places are those of all pairs of events. */
#include "base/rng.h"
#include "predict/run/predict.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct shape {
    unsigned accesses, threads, places, locked; /* locked: in percent */
    bool atomics;
};

static struct hd_trace *hot(uint64_t seed, const struct shape *s)
{
    static const char *const ops[] = {"r", "w", "ar", "rmw"};
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    struct hd_rng rng;
    struct hd_trace *t;
    struct hd_err err;
    hd_rng_init(&rng, seed);
    for (unsigned u = 1; u <= s->threads; u++)
        fprintf(f, "m|fork(t%u)|1\n", u);
    for (unsigned i = 0; i < s->accesses; i++) {
        unsigned u = 1 + (unsigned)hd_rng_below(&rng, s->threads);
        unsigned op = (unsigned)hd_rng_below(&rng, s->atomics ? 4 : 2);
        unsigned place = 100 + (unsigned)hd_rng_below(&rng, s->places);
        bool locked = hd_rng_below(&rng, 100) < s->locked;
        if (locked)
            fprintf(f, "t%u|acq(l)|10\n", u);
        fprintf(f, "t%u|%s(x)|%u\n", u, ops[op], place);
        if (locked)
            fprintf(f, "t%u|rel(l)|11\n", u);
    }
    for (unsigned u = 1; u <= s->threads; u++)
        fprintf(f, "m|join(t%u)|2\n", u);
    fclose(f);
    assert_int_equal(hd_text_read(text, len, "hot", &t, &err), HD_OK);
    free(text);
    return t;
}

static void predict(const struct hd_trace *t, bool all_pairs, unsigned jobs,
                    struct hd_prediction *p)
{
    struct hd_predict_options o;
    hd_predict_defaults(&o);
    o.all_pairs = all_pairs;
    o.jobs = jobs;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &o, p, NULL), HD_OK);
    assert_int_equal(p->rejected.n, 0);
}

/* Conflicting pairs of events, and of places, by looking at all of them. */
static void count(const struct hd_trace *t, unsigned places, uint64_t *events, uint64_t *pairs)
{
    char *seen = calloc((size_t)places * places, 1);
    *events = *pairs = 0;
    for (hd_eid a = 0; a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++) {
            if (!hd_op_is_access(t->op[a]) || !hd_op_is_access(t->op[b]) ||
                !hd_property_conflict(t, a, b))
                continue;
            unsigned p = (unsigned)atoi(hd_trace_place_name(t, a)) - 100;
            unsigned q = (unsigned)atoi(hd_trace_place_name(t, b)) - 100;
            char *cell = &seen[(p < q ? p : q) * places + (p < q ? q : p)];
            *pairs += !*cell;
            *cell = 1;
            ++*events;
        }
    free(seen);
}

/* Returns how many witnesses came in short form. */
static size_t judge(const struct hd_trace *t, const struct hd_prediction *p)
{
    size_t in_short = 0;
    for (size_t i = 0; i < p->found.len; i++) {
        const struct hd_predicted *race = hd_vec_at(&p->found, i);
        struct hd_witness whole = hd_witness_long(&race->witness, t, NULL);
        struct hd_err err;
        if (hd_witness_check(t, &whole, NULL, &err) != HD_OK)
            fail_msg("race %zu: %s", i, err.text);
        in_short += race->witness.prefix > 0;
        hd_witness_fini(&whole);
    }
    return in_short;
}

static void places_are_those_of_all_pairs(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{300, 5, 30, 0, false},
                                          {300, 5, 60, 50, false},
                                          {250, 4, 12, 30, true},
                                          {300, 20, 40, 20, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct hd_trace *t = hot(i, &shapes[i]);
        struct hd_prediction by_places, by_events;
        uint64_t events, pairs;
        count(t, shapes[i].places, &events, &pairs);
        predict(t, false, 1, &by_places);
        predict(t, true, 2, &by_events);
        assert_int_equal(by_places.candidates, events);
        assert_int_equal(by_places.groups, pairs);
        assert_int_equal(by_places.groups_found, by_events.groups_found);
        assert_int_equal(by_places.groups_undecided + by_events.groups_undecided, 0);
        assert_int_equal(by_events.skipped, 0);
        assert_true(by_places.groups_found > 10);
        judge(t, &by_places);
        hd_prediction_fini(&by_places);
        hd_prediction_fini(&by_events);
        hd_trace_free(t);
    }
}

static bool same_races(const struct hd_prediction *p, const struct hd_prediction *q)
{
    bool same = p->found.len == q->found.len;
    for (size_t i = 0; i < p->found.len && same; i++) {
        const struct hd_predicted *x = hd_vec_at(&p->found, i), *y = hd_vec_at(&q->found, i);
        same = x->witness.a == y->witness.a && x->witness.b == y->witness.b &&
               x->witness.prefix == y->witness.prefix && x->witness.n == y->witness.n &&
               !memcmp(x->witness.schedule, y->witness.schedule,
                       x->witness.n * sizeof *x->witness.schedule);
    }
    return same;
}

/* Some 20,000 races: schedules come in short form, and do not depend on the workers. */
static void many_races_stay_cheap(void **state)
{
    (void)state;
    const struct shape shape = {6000, 8, 200, 20, false};
    struct hd_trace *t = hot(7, &shape);
    struct hd_prediction one, two;
    predict(t, false, 1, &one);
    predict(t, false, 2, &two);
    assert_true(one.groups_found > 19000);
    assert_int_equal(one.groups_undecided, 0);
    assert_true(same_races(&one, &two));
    assert_true(judge(t, &one) > 10000);
    hd_prediction_fini(&one);
    hd_prediction_fini(&two);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_all_pairs),
        cmocka_unit_test(many_races_stay_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
