/* Saturation (predict/search/saturate.h): what it derives, and what it does not, on small traces;
 * and that orders which were taken back leave nothing behind. That its answers are right is a
 * matter of test_predict_published. */
#include "../support/seeds.h"
#include "base/rng.h"
#include "predict/search/saturate.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct given {
    struct hd_trace *t;
    struct hd_world *w;
    struct hd_saturation *s;
};

static struct given given(const char *text, hd_eid from)
{
    struct given g;
    struct hd_err err;
    if (hd_text_read(text, strlen(text), "given", &g.t, &err) != HD_OK)
        fail_msg("%s: %s", text, err.text);
    g.w = hd_world_new(g.t);
    g.s = hd_saturation_new(g.w, from, (hd_eid)g.t->n_events);
    return g;
}

static void done(struct given *g)
{
    hd_saturation_free(g->s);
    hd_world_free(g->w);
    hd_trace_free(g->t);
}

/* Events by their numbers in the trace, from 1 on. */
static bool before(const struct given *g, unsigned x, unsigned y)
{
    return hd_saturation_clock(g->s, y - 1)[g->t->thread[x - 1]] > g->t->pos[x - 1];
}

static bool say(struct given *g, unsigned x, unsigned y)
{
    return hd_saturation_order(g->s, x - 1, y - 1) && hd_saturation_close(g->s);
}

/* t1 comes twice, the others once: the first round is t1 and one of them. */
#define THREE                                                                                      \
    "!barrier b 2\nt1|barin(b)\nt2|barin(b)\nt1|barout(b)\nt2|barout(b)\n"                         \
    "t1|barin(b)\nt3|barin(b)\nt1|barout(b)\nt3|barout(b)\n"

/* 1 and 2, then 5 and 6. */
static void expect_first_with_t2(const struct given *g)
{
    assert_true(before(g, 2, 6) && before(g, 1, 6) && before(g, 2, 5));
    assert_true(before(g, 2, 3) && before(g, 1, 4) && before(g, 6, 7) && before(g, 5, 8));
    assert_false(before(g, 1, 2) || before(g, 2, 1) || before(g, 6, 5));
}

static void test_rounds(void **state)
{
    (void)state;
    struct given g = given(THREE, 0);
    assert_true(hd_saturation_close(g.s));
    assert_true(before(&g, 1, 4) && before(&g, 1, 8)); /* whichever is with whom */
    assert_false(before(&g, 2, 3) || before(&g, 2, 6));
    size_t mark = hd_saturation_mark(g.s);
    assert_true(say(&g, 5, 6)); /* by cuts: 6 outside with 5 inside */
    expect_first_with_t2(&g);
    hd_saturation_undo(g.s, mark);
    assert_true(say(&g, 3, 6)); /* by meeting: 1 departs before 6 comes */
    expect_first_with_t2(&g);
    hd_saturation_undo(g.s, mark);
    assert_false(say(&g, 3, 2) && say(&g, 3, 6));
    done(&g);
}

/* Who comes first and second are the first round. */
static void test_cuts(void **state)
{
    (void)state;
    struct given g = given("!barrier b 2\nt3|barin(b)\nt1|barin(b)\nt3|barout(b)\nt1|barout(b)\n"
                           "t4|barin(b)\nt2|barin(b)\nt4|barout(b)\nt2|barout(b)\n",
                           0);
    assert_true(say(&g, 1, 2) && say(&g, 2, 5));
    assert_false(before(&g, 2, 3));
    assert_true(say(&g, 2, 6));
    assert_true(before(&g, 2, 3) && before(&g, 6, 7));
    done(&g);
}

/* One arrival is left over, and nothing departs from its round. */
static void test_short_round(void **state)
{
    (void)state;
    struct given g = given("!barrier b 2\nt1|barin(b)\nt2|barin(b)\nt1|barout(b)\nt2|barout(b)\n"
                           "t3|barin(b)\n",
                           0);
    assert_true(hd_saturation_close(g.s));
    assert_true(before(&g, 1, 5) && before(&g, 2, 5) && before(&g, 1, 4) && before(&g, 2, 3));
    done(&g);
}

/* The round has begun before the window. */
static void test_open_round(void **state)
{
    (void)state;
    struct given g =
        given("!barrier b 2\nt1|barin(b)\nt2|barin(b)\nt1|barout(b)\nt2|barout(b)\n", 1);
    assert_true(hd_saturation_close(g.s));
    assert_true(before(&g, 2, 3));
    done(&g);
}

/* A thread that does not wait fills a round alone. */
static void test_alone(void **state)
{
    (void)state;
    struct given g = given("!barrier b 2\nt1|barin(b)\nt1|barin(b)\nt1|barout(b)\n", 0);
    assert_true(hd_saturation_close(g.s));
    done(&g);
}

/* Too many threads for rounds: all arrive before any departs. */
static void test_large(void **state)
{
    char text[1024] = "!barrier b 9\n";
    (void)state;
    for (int out = 0; out < 2; out++)
        for (int u = 1; u <= 9; u++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "t%d|%s(b)\n", u,
                     out ? "barout" : "barin");
    struct given g = given(text, 0);
    assert_true(hd_saturation_close(g.s));
    assert_true(before(&g, 1, 18) && before(&g, 9, 10));
    for (unsigned u = 1; u < 9; u++)
        assert_true(say(&g, u, 9));
    done(&g);
}

/* The try fails because of the only section that is not over. */
static void test_try(void **state)
{
    (void)state;
    struct given g = given("t1|acq(m)\nt1|rel(m)\nt1|acq(m)\nt2|tryfail(m)\nt1|rel(m)\n", 0);
    assert_true(hd_saturation_close(g.s));
    assert_false(before(&g, 3, 4));
    assert_true(say(&g, 2, 4));
    assert_true(before(&g, 3, 4) && before(&g, 4, 5));
    done(&g);
}

/* The only source of 4 stores what it stored if its thread has read what it read; another write
 * that comes after the source comes after the read. */
static void test_read(void **state)
{
    (void)state;
    struct given g = given("!init y 0\nt1|r(y,0)\nt1|w(x,1)\nt3|w(x,2)\nt1|w(x,1)\nt2|r(x,1)\n", 0);
    hd_saturation_fresh(g.s, g.t->thread[4], 1);
    assert_true(say(&g, 5, 4)); /* so 2 is the only one */
    assert_true(before(&g, 2, 5) && !before(&g, 5, 3));
    assert_int_equal(hd_saturation_fresh_below(g.s)[g.t->thread[0]], 1);
    size_t mark = hd_saturation_mark(g.s);
    assert_true(say(&g, 2, 3) && before(&g, 5, 3));
    hd_saturation_undo(g.s, mark);
    assert_true(say(&g, 3, 5) && before(&g, 3, 2));
    done(&g);
}

/* ---- taken back ---- */

static void say_some(struct hd_saturation *s, const struct given *g, uint64_t seed)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed);
    for (hd_tid u = 0; u < g->w->n_threads; u++)
        if (hd_rng_chance(&rng, 70))
            hd_saturation_fresh(s, u, hd_world_thread_len(g->w, u));
    for (int i = 0; i < 3; i++) {
        hd_eid x = (hd_eid)hd_rng_below(&rng, g->t->n_events);
        hd_eid y = (hd_eid)hd_rng_below(&rng, g->t->n_events);
        if (x < y && !hd_saturation_order(s, x, y))
            fail_msg("the order of the trace is refused");
    }
}

/* Orders of the trace itself are never refused. After others were said and taken back, the same
 * follows from them as in the beginning. */
static void test_taken_back(void **state)
{
    (void)state;
    struct seeds seeds = seeds_given(300, 10000);
    for (uint64_t seed = seeds.from; seed < seeds.end; seed++) {
        struct hd_gen_config config;
        struct given g;
        struct hd_err err;
        hd_gen_small(seed, &config);
        config.events = 20 + (uint32_t)(seed % 30);
        assert_int_equal(hd_gen(&config, &g.t, &err), HD_OK);
        g.w = hd_world_new(g.t);
        g.s = hd_saturation_new(g.w, 0, (hd_eid)g.t->n_events);
        struct hd_saturation *other = hd_saturation_new(g.w, 0, (hd_eid)g.t->n_events);
        assert_true(hd_saturation_close(g.s));
        size_t mark = hd_saturation_mark(g.s);
        for (uint64_t round = 0; round < 3; round++) {
            hd_saturation_undo(g.s, mark);
            say_some(g.s, &g, 3 * seed + round);
            assert_true(hd_saturation_close(g.s));
        }
        say_some(other, &g, 3 * seed + 2);
        assert_true(hd_saturation_close(other));
        for (hd_eid e = 0; e < g.t->n_events; e++)
            assert_memory_equal(hd_saturation_clock(g.s, e), hd_saturation_clock(other, e),
                                g.w->n_threads * sizeof(uint32_t));
        assert_memory_equal(hd_saturation_fresh_below(g.s), hd_saturation_fresh_below(other),
                            g.w->n_threads * sizeof(uint32_t));
        hd_saturation_free(other);
        done(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),      cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_short_round), cmocka_unit_test(test_read),
        cmocka_unit_test(test_open_round),  cmocka_unit_test(test_alone),
        cmocka_unit_test(test_large),       cmocka_unit_test(test_try),
        cmocka_unit_test(test_taken_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
