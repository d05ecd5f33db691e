/* Unordered races of max against enumeration: small random traces with memory orders and fences are
 * decided exactly; in larger ones everything that the observed order leaves unordered is found,
 * with a schedule that model/ accepts.
 *
 * HEDDLE_SEEDS=m,n: the small traces of the seeds m to n - 1. */
#include "../support/seeds.h"
#include "detect/memory_order.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "model/enumerate_order.h"
#include "predict/run/predict.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct hd_trace *make(uint64_t seed, uint32_t events)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_small(seed, &config);
    config.features |= 1u << HD_GEN_ORDERS | 1u << HD_GEN_ATOMIC | 1u << HD_GEN_RMW;
    if (seed % 3 == 0)
        config.features |= 1u << HD_GEN_EXCLUSION;
    config.events = events;
    if (hd_gen(&config, &t, &err) != HD_OK)
        fail_msg("%s", err.text);
    return t;
}

static const char *order_of(struct hd_rng *rng, enum hd_op op)
{
    enum hd_mem_order order;
    do
        order = (enum hd_mem_order)hd_rng_below(rng, HD_ORDER_COUNT);
    while (!hd_mem_order_fits(op, order));
    return hd_mem_order_info[order].text;
}

static void add(char *text, struct hd_rng *rng, unsigned percent, const char *fmt, const char *arg)
{
    size_t n = strlen(text);
    if (hd_rng_chance(rng, percent))
        snprintf(text + n, 1000 - n, fmt, arg); /* NOLINT: the formats are below */
}

/* A flag guards data, more or less: fences, locks, a third thread that updates the flag. */
static struct hd_trace *make_flag(uint64_t seed)
{
    struct hd_rng rng;
    struct hd_trace *t;
    struct hd_err err;
    char text[1000] = "!control branches\n!init x 0\n!init f 0\n";
    hd_rng_init(&rng, seed);
    bool third = hd_rng_chance(&rng, 40);
    add(text, &rng, 30, "t2|acq(l)\nt2|rel(l)\n%s", "");
    add(text, &rng, 100, "t1|w(x,1)||val=\n%s", "");
    add(text, &rng, 30, "t1|fence(%s)\n", order_of(&rng, HD_OP_FENCE));
    add(text, &rng, 30, "t1|acq(l)\nt1|rel(l)\n%s", "");
    add(text, &rng, 100, "t1|aw(f,1)||val=;mo=%s\n", order_of(&rng, HD_OP_AWRITE));
    add(text, &rng, 20, "t1|aw(f,1)||val=;mo=%s\n", order_of(&rng, HD_OP_AWRITE));
    add(text, &rng, 30, "t1|acq(l)\nt1|rel(l)\n%s", "");
    add(text, &rng, third ? 100 : 0, "t3|rmw(f,1,2)||mo=%s\n", order_of(&rng, HD_OP_RMW));
    add(text, &rng, third ? 40 : 0, "t3|r(x,1)\n%s", "");
    add(text, &rng, 40, "t2|acq(l)\nt2|rel(l)\n%s", "");
    add(text, &rng, 100, third ? "t2|ar(f,2)||mo=%s\n" : "t2|ar(f,1)||mo=%s\n",
        order_of(&rng, HD_OP_AREAD));
    add(text, &rng, 30, "t2|fence(%s)\n", order_of(&rng, HD_OP_FENCE));
    add(text, &rng, 80, "t2|br\n%s", "");
    add(text, &rng, 60, "t2|r(x,1)\n%s", "");
    add(text, &rng, 60, "t2|w(x,3)||val=\n%s", "");
    if (hd_text_read(text, strlen(text), "flag", &t, &err) != HD_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

/* An operation on both parts of an object (docs/MODEL.md D29): a store, a load, or an update, which
 * reads both parts first. */
static void add_wide(char *text, struct hd_rng *rng, const char *thread, char what, int old)
{
    char part[100];
    enum hd_op op = what == 's' ? HD_OP_AWRITE : what == 'l' ? HD_OP_AREAD : HD_OP_RMW;
    const char *order = order_of(rng, op);
    snprintf(part, sizeof part, "%s|acq(o)||mo=rlx\n", thread);
    add(text, rng, 100, "%s", part);
    for (int i = 0; i < 2 && what != 's'; i++) {
        bool takes = strcmp(order, "rel") != 0 && strcmp(order, "rlx") != 0;
        const char *half = what == 'l' ? order : takes ? "acq" : "rlx";
        snprintf(part, sizeof part, "%s|ar(%c,%d)||mo=%s\n", thread, "fg"[i], old, half);
        add(text, rng, 100, "%s", part);
    }
    for (int i = 0; i < 2 && what != 'l'; i++) {
        char x = "fg"[i];
        if (what == 's')
            snprintf(part, sizeof part, "%s|aw(%c,1)||val=;mo=%s\n", thread, x, order);
        else
            snprintf(part, sizeof part, "%s|rmw(%c,%d,%d)||mo=%s\n", thread, x, old, old + 1,
                     order);
        add(text, rng, 100, "%s", part);
    }
    snprintf(part, sizeof part, "%s|rel(o)||mo=rlx\n", thread);
    add(text, rng, 100, "%s", part);
}

/* The same with a flag of two parts. */
static struct hd_trace *make_wide(uint64_t seed)
{
    struct hd_rng rng;
    struct hd_trace *t;
    struct hd_err err;
    char text[1000] = "!control branches\n!init x 0\n!init f 0\n!init g 0\n";
    hd_rng_init(&rng, seed);
    bool third = hd_rng_chance(&rng, 30);
    add(text, &rng, 100, "t1|w(x,1)||val=\n%s", "");
    add(text, &rng, 20, "t1|fence(%s)\n", order_of(&rng, HD_OP_FENCE));
    add_wide(text, &rng, "t1", hd_rng_chance(&rng, 50) ? 's' : 'u', 0);
    add(text, &rng, 15, "t1|w(g,1)||val=\n%s", "");
    if (third)
        add_wide(text, &rng, "t3", 'u', 1);
    if (third || hd_rng_chance(&rng, 70))
        add_wide(text, &rng, "t2", 'l', third ? 2 : 1);
    else
        add_wide(text, &rng, "t2", 'u', 1);
    add(text, &rng, 20, "t2|fence(%s)\n", order_of(&rng, HD_OP_FENCE));
    add(text, &rng, 80, "t2|br\n%s", "");
    add(text, &rng, 100, "t2|r(x,1)\n%s", "");
    if (hd_text_read(text, strlen(text), "wide", &t, &err) != HD_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static struct hd_prediction predict(const struct hd_trace *t, bool all_pairs, bool sc)
{
    struct hd_predict_options o;
    struct hd_prediction p;
    struct hd_err err;
    hd_predict_defaults(&o);
    o.all_pairs = all_pairs;
    o.jobs = 1;
    o.sc = sc;
    assert_int_equal(hd_predict(t, HD_PROPERTY_RACE, &o, &p, &err), HD_OK);
    assert_int_equal(p.rejected.n, 0);
    return p;
}

/* The race of the pair, or NULL. */
static const struct hd_predicted *find(const struct hd_prediction *p, hd_eid a, hd_eid b)
{
    for (size_t i = 0; i < p->found.len; i++) {
        const struct hd_predicted *race = hd_vec_at(&p->found, i);
        const struct hd_witness *w = &race->witness;
        if ((w->a == a && w->b == b) || (w->a == b && w->b == a))
            return race;
    }
    return NULL;
}

static void check_witnesses(const struct hd_trace *t, const struct hd_prediction *p)
{
    struct hd_err err;
    for (size_t i = 0; i < p->found.len; i++)
        if (hd_witness_check(t, &((struct hd_predicted *)hd_vec_at(&p->found, i))->witness, NULL,
                             &err))
            fail_msg("%s", err.text);
    for (size_t i = 0; i < p->follows.len; i++) {
        const struct hd_followed *f = hd_vec_at(&p->follows, i);
        if (hd_witness_check(t, &f->witness, NULL, &err) != HD_OK)
            fail_msg("%s", err.text);
        assert_true(hd_property_conflict(t, f->write, f->read));
    }
}

/* What a relaxed load got goes on as a value, by another flag, or nowhere: t3 needs it, or not. */
static struct hd_trace *make_carried(uint64_t seed)
{
    struct hd_rng rng;
    struct hd_trace *t;
    struct hd_err err;
    char text[1000] = "!control branches\n!init x 0\n!init f 0\n!init g 0\n";
    hd_rng_init(&rng, seed);
    bool carried = hd_rng_chance(&rng, 70);
    add(text, &rng, 100, "t1|w(x,1)||val=\n%s", "");
    add(text, &rng, 100, "t1|aw(f,1)||val=;mo=%s\n", order_of(&rng, HD_OP_AWRITE));
    add(text, &rng, 100, "t2|ar(f,1)||mo=%s\n", order_of(&rng, HD_OP_AREAD));
    add(text, &rng, carried ? 50 : 0, "t2|aw(g,1)||val=3;mo=%s\n", order_of(&rng, HD_OP_AWRITE));
    if (!strstr(text, "aw(g"))
        add(text, &rng, 100, carried ? "t2|aw(g,1)||mo=%s\n" : "t2|aw(g,1)||val=;mo=%s\n", "rel");
    add(text, &rng, 20, "t3|rmw(f,1,2)||mo=%s\n", order_of(&rng, HD_OP_RMW));
    add(text, &rng, 100, "t3|ar(g,1)||mo=%s\n", order_of(&rng, HD_OP_AREAD));
    add(text, &rng, 80, "t3|br\n%s", "");
    add(text, &rng, 100, "t3|r(x,1)\n%s", "");
    if (hd_text_read(text, strlen(text), "carried", &t, &err) != HD_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static void test_small(void **state)
{
    (void)state;
    size_t unordered = 0, follows = 0;
    struct seeds seeds = seeds_given(1500, 20000);
    for (uint64_t seed = seeds.from; seed < seeds.end; seed++) {
        struct hd_trace *t = seed % 2        ? make(seed, 7 + (uint32_t)(seed % 9))
                             : seed % 8 == 0 ? make_wide(seed)
                             : seed % 8 == 2 ? make_carried(seed)
                                             : make_flag(seed);
        struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
        struct hd_enum_opts opts = {0};
        struct hd_enum_result races;
        struct hd_err err;
        assert_int_equal(hd_enumerate_order(t, 0, &pairs, &err), HD_OK);
        assert_int_equal(hd_enumerate(t, &opts, &races, &err), HD_OK);
        struct hd_prediction p = predict(t, true, false);
        check_witnesses(t, &p);
        assert_int_equal(p.open, 0);
        size_t expected = races.n_pairs;
        for (size_t i = 0; i < races.n_pairs; i++) {
            const struct hd_predicted *race = find(&p, races.pairs[i].a, races.pairs[i].b);
            assert_true(race && !race->witness.unordered);
        }
        for (size_t i = 0; i < pairs.len; i++) {
            const struct hd_unordered *x = hd_vec_at(&pairs, i);
            const struct hd_predicted *race = find(&p, x->a, x->b);
            bool simultaneous = race && !race->witness.unordered;
            if (x->alone && !race)
                fail_msg("seed %llu: events %u and %u stand alone and are not found",
                         (unsigned long long)seed, x->a + 1, x->b + 1);
            if (!x->alone && race && race->witness.unordered)
                fail_msg("seed %llu: events %u and %u do not stand alone", (unsigned long long)seed,
                         x->a + 1, x->b + 1);
            expected += x->alone && !simultaneous;
            unordered += x->alone && !simultaneous;
        }
        assert_int_equal(p.found.len, expected);
        follows += p.follows.len;
        struct hd_prediction old = predict(t, true, true);
        assert_int_equal(old.found.len, races.n_pairs);
        assert_int_equal(old.follows.len, 0);
        hd_prediction_fini(&old);
        hd_prediction_fini(&p);
        hd_enumerate_order_fini(&pairs);
        hd_enum_result_fini(&races);
        hd_trace_free(t);
    }
    assert_true(unordered > 60 && follows > 6);
}

/* By places: the walk over the observed order against the marks of model/after.h, pair by pair. */
static void test_observed(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct hd_trace *t = make(seed, 60);
        struct hd_prediction p = predict(t, false, false);
        check_witnesses(t, &p);
        struct hd_checker *checker = hd_checker_new(t);
        for (hd_eid b = 0; b < t->n_events; b++)
            for (hd_eid a = 0; a < b; a++) {
                if (!hd_op_is_access(t->op[a]) || !hd_op_is_access(t->op[b]) ||
                    !hd_property_conflict(t, a, b))
                    continue;
                struct hd_witness w = {.a = a, .b = b, .prefix = b, .n = 1, .unordered = true};
                struct hd_err err;
                w.schedule = &b;
                bool unordered = hd_checker_check(checker, &w, NULL, &err) == HD_OK;
                assert_int_equal(unordered, hd_memory_order_unordered(t, a, b));
                if (!unordered)
                    continue;
                bool told = false;
                for (size_t i = 0; i < p.found.len + p.follows.len && !told; i++) {
                    const struct hd_witness *x =
                        i < p.found.len
                            ? &((struct hd_predicted *)hd_vec_at(&p.found, i))->witness
                            : &((struct hd_followed *)hd_vec_at(&p.follows, i - p.found.len))
                                   ->witness;
                    told = (t->place[x->a] == t->place[a] && t->place[x->b] == t->place[b]) ||
                           (t->place[x->a] == t->place[b] && t->place[x->b] == t->place[a]);
                }
                if (!told)
                    fail_msg("seed %llu: the places of events %u and %u are unordered and not told",
                             (unsigned long long)seed, a + 1, b + 1);
                found++;
            }
        hd_checker_free(checker);
        hd_prediction_fini(&p);
        hd_trace_free(t);
    }
    assert_true(found > 100);
}

/* Data behind a plain flag is listed under the race of the flag. */
static void test_follows(void **state)
{
    (void)state;
    static const char text[] = "!control branches\n!init x 0\n!init f 0\nt1|w(x,1)|a.c:1\n"
                               "t1|w(f,1)|a.c:2|val=\nt2|r(f,1)|b.c:1\nt2|br|b.c:1\n"
                               "t2|r(x,1)|b.c:2\n";
    struct hd_trace *t;
    struct hd_err err;
    assert_int_equal(hd_text_read(text, strlen(text), "flag", &t, &err), HD_OK);
    struct hd_prediction p = predict(t, false, false);
    assert_int_equal(p.found.len, 1);
    assert_int_equal(p.follows.len, 1);
    const struct hd_followed *f = hd_vec_at(&p.follows, 0);
    assert_int_equal(f->write, 1);
    assert_int_equal(f->read, 2);
    assert_int_equal(f->witness.a, 0);
    assert_int_equal(f->witness.b, 4);
    hd_prediction_fini(&p);
    hd_trace_free(t);
}

/* The events after 20 others, so that the trace is not enumerated: so many races, none of them in
 * the observed order, and nothing is left open. */
static void expect_races(const char *events, size_t races)
{
    char text[2000] = "!control branches\n!init x 0\n!init f 0\n!init g 0\n";
    size_t n = strlen(text);
    struct hd_trace *t;
    struct hd_err err;
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "t4|w(y,%d)|c.c:1|val=\n", i);
    snprintf(text + n, sizeof text - n, "%s", events);
    assert_int_equal(hd_text_read(text, strlen(text), "events", &t, &err), HD_OK);
    assert_true(t->n_events > 24);
    assert_false(hd_memory_order_unordered(t, 20, (hd_eid)t->n_events - 1));
    struct hd_prediction p = predict(t, false, false);
    check_witnesses(t, &p);
    assert_int_equal(p.found.len, races);
    assert_int_equal(p.open, 0);
    hd_prediction_fini(&p);
    hd_trace_free(t);
}

/* Only the turn of two sections orders the pair in the observed run. */
#define TURNS(store)                                                                               \
    "t1|w(x,1)|a.c:1|val=\nt1|acq(l)|a.c:2\nt1|rel(l)|a.c:3\nt1|aw(f,1)|a.c:4|val=;mo=" store      \
    "\nt2|acq(l)|b.c:1\nt2|rel(l)|b.c:2\nt2|ar(f,1)|b.c:3|mo=acq\nt2|br|b.c:3\nt2|r(x,1)|b.c:4\n"

/* The flag is set twice, the second time in an order that hands on; t3 hears of it from t2, which
 * may have read it in between. */
#define TWICE(store)                                                                               \
    "t1|w(x,1)|a.c:1|val=\nt1|aw(f,1)|a.c:2|val=;mo=" store                                        \
    "\nt1|rmw(f,1,1)|a.c:3|mo=ar\nt2|rmw(f,1,1)|b.c:1|mo=ar\nt2|br|b.c:1\n"                        \
    "t2|aw(g,1)|b.c:2|val=;mo=rel\nt3|rmw(g,1,1)|d.c:1|mo=ar\nt3|br|d.c:1\nt3|w(x,2)|d.c:2|val=\n"

static void test_late(void **state)
{
    (void)state;
    expect_races(TURNS("rel"), 0);
    expect_races(TURNS("rlx"), 1);
}

static void test_spare(void **state)
{
    (void)state;
    expect_races(TWICE("rel"), 0);
    expect_races(TWICE("rlx"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),   cmocka_unit_test(test_observed),
        cmocka_unit_test(test_follows), cmocka_unit_test(test_late),
        cmocka_unit_test(test_spare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
