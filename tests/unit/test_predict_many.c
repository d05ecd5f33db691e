/* A variable that many threads use at many places: the counts are those of a naive count, every
 * witness is accepted in its long form, and races by places are those of all pairs of events. */
#include "base/alloc.h"
#include "base/rng.h"
#include "predict/index/near.h"
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

/* The pairs of a group one by one: how many locks exclude, and how many nothing rules out. */
static void look_at_all(const struct hd_world *w, const struct hd_candidates *c,
                        const struct hd_group *group, uint64_t *locked, uint64_t *open)
{
    struct hd_bundle_walk walk = hd_bundle_walk(c, group);
    struct hd_bundle bundle;
    *locked = *open = 0;
    while (hd_bundle_next(&walk, &bundle)) {
        const struct hd_class *x = hd_class_at(c, bundle.x), *y = hd_class_at(c, bundle.y);
        for (uint32_t k = x->start; k < x->end; k++)
            for (uint32_t l = y->start; l < y->end; l++) {
                hd_eid a = c->events[k], b = c->events[l];
                bool excluded = hd_sections_exclude(w->sections, a, b);
                *locked += excluded;
                *open += !excluded && !hd_world_before(w, a, b) && !hd_world_before(w, b, a);
            }
    }
}

static void pairs_without_an_open_one_are_known(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{600, 5, 300, 50, false},
                                          {300, 4, 20, 30, true},
                                          {600, 70, 40, 20, true},
                                          {60, 6, 30, 40, true}};
    size_t closed = 0, total = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct hd_trace *t = hot(i, &shapes[i]);
        struct hd_world *w = hd_world_new(t);
        struct hd_candidates *c = hd_candidates_new(w);
        struct hd_near *near = hd_near_find(w, c, &(struct hd_near_options){true, true});
        for (size_t g = 0; g < c->groups.len; g++, total++) {
            uint64_t locked, open, counted;
            look_at_all(w, c, hd_vec_at(&c->groups, g), &locked, &open);
            assert_true(hd_candidates_locked(c, w->sections, hd_vec_at(&c->groups, g), &counted));
            assert_int_equal(counted, locked);
            if (near[g].closed)
                assert_int_equal(open, 0);
            closed += near[g].closed;
        }
        hd_free(near, c->groups.len * sizeof *near);
        hd_candidates_free(c);
        hd_world_free(w);
        hd_trace_free(t);
    }
    assert_true(closed > 500 && closed < total);
}

static struct hd_trace *read_text(const char *text)
{
    struct hd_trace *t;
    struct hd_err err;
    assert_int_equal(hd_text_read(text, strlen(text), "text", &t, &err), HD_OK);
    return t;
}

/* Whether the places of the first and the last access of the trace are said to have no open pair.
 */
static bool says_closed(const struct hd_trace *t)
{
    struct hd_world *w = hd_world_new(t);
    struct hd_candidates *c = hd_candidates_new(w);
    struct hd_near *near = hd_near_find(w, c, &(struct hd_near_options){true, true});
    bool closed = false;
    size_t found = 0;
    for (size_t g = 0; g < c->groups.len; g++) {
        const struct hd_group *group = hd_vec_at(&c->groups, g);
        uint32_t first = t->place[0], last = t->place[t->n_events - 1];
        if (group->place_x == first && group->place_y == last) {
            closed = near[g].closed;
            found++;
        }
    }
    assert_int_equal(found, 1);
    hd_free(near, c->groups.len * sizeof *near);
    hd_candidates_free(c);
    hd_world_free(w);
    return closed;
}

/* The race of the first and the last access is not seen by a walk that one of its limits ends:
 * that on all looks, also when they are used up between two accesses (48 of them have 512 looks
 * with two pairs of places met, and the first 33 take all), or that on one access. */
static void a_walk_with_an_early_end_closes_nothing(void **state)
{
    (void)state;
    static const unsigned lengths[] = {48, 49, 3000};
    for (size_t i = 0; i < 3; i++) {
        char *text = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&text, &len);
        fputs("t1|w(x,1)|1\n", f);
        for (unsigned n = 2; n < lengths[i]; n++)
            fputs(n % 2 ? "t1|w(x,1)|2\n" : "t2|w(x,1)|3\n", f);
        fputs("t2|w(x,1)|4\n", f);
        fclose(f);
        struct hd_trace *t = read_text(text);
        assert_false(says_closed(t));
        hd_trace_free(t);
        free(text);
    }
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    fputs("t1|w(x,1)|1\n", f);
    for (unsigned n = 0; n < 5000; n++)
        fputs("t2|r(x,1)|3\n", f);
    fputs("t3|w(x,2)|4\n", f);
    fclose(f);
    struct hd_trace *t = read_text(text);
    assert_false(says_closed(t));
    hd_trace_free(t);
    free(text);
}

/* A thread that stops in a section waits before it while others use the lock: the linear steps
 * find every race, and leave nothing open. */
static void sections_wait_for_others(void **state)
{
    (void)state;
    const struct shape shape = {2000, 8, 200, 50, false};
    struct hd_trace *t = hot(3, &shape);
    struct hd_prediction all, cheap;
    struct hd_predict_options o;
    hd_predict_defaults(&o);
    o.steps = 1u << HD_STEP_LOCKSET | 1u << HD_STEP_MUST | 1u << HD_STEP_GREEDY;
    predict(t, false, 1, &all);
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &o, &cheap, NULL), HD_OK);
    assert_true(cheap.groups_found > 5000);
    assert_int_equal(cheap.groups_found, all.groups_found);
    assert_int_equal(cheap.groups_undecided + all.groups_undecided, 0);
    assert_int_equal(all.found_by[HD_STEP_GREEDY], all.groups_found);
    hd_prediction_fini(&all);
    hd_prediction_fini(&cheap);
    hd_trace_free(t);
}

/* Half a million pairs of places are found, or left when the user interrupts, in memory and time
 * for one entry each: room for 16 took most of the second after SIGTERM. */
static void a_pair_of_places_takes_little_memory(void **state)
{
    const struct shape shape = {6000, 8, 250, 50, false};
    struct hd_trace *t = hot(7, &shape);
    struct hd_prediction p;
    (void)state;
    size_t before = hd_alloc_in_use();
    hd_alloc_reset_peak();
    predict(t, false, 1, &p);
    size_t each = (hd_alloc_peak() - before) / p.groups;
    print_message("%zu bytes for each of %zu groups\n", each, (size_t)p.groups);
    assert_true(p.groups > 30000 && each < 1000);
    hd_prediction_fini(&p);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_of_places_takes_little_memory),
        cmocka_unit_test(places_are_those_of_all_pairs),
        cmocka_unit_test(many_races_stay_cheap),
        cmocka_unit_test(pairs_without_an_open_one_are_known),
        cmocka_unit_test(a_walk_with_an_early_end_closes_nothing),
        cmocka_unit_test(sections_wait_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
