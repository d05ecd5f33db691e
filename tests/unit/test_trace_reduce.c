/* Reduction by ownership (trace/reduce.h) against exhaustive enumeration: on small random traces
 * with forks, joins and more locations than most have, the reduced trace must be consistent and
 * have exactly the same racing pairs.
 *
 * Random traces seldom need a rule, so each has a trace of its own, too.
 *
 * HEDDLE_TEST_LONG=1 runs 20,000 seeds, else 1,500. HEDDLE_SEED=n runs only that one; a mismatch
 * keeps its trace.
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
#include "model/check.h"
#include "model/enumerate.h"
#include "trace/gen/gen.h"
#include "trace/reduce.h"
#include "trace/text/text.h"
#include "trace/trace_io.h"

static uint64_t left_out, pairs;

static void keep(const struct hd_trace *t, const struct hd_trace *less, uint64_t seed)
{
    char path[256];
    struct hd_err err = {0};
    snprintf(path, sizeof path, "%s/reduce-%llu.trace", HD_TEST_TMP, (unsigned long long)seed);
    hd_trace_io_save(t, path, HD_FORMAT_TEXT, &err);
    print_error("seed %llu: the trace is kept in %s; reduced:\n", (unsigned long long)seed, path);
    for (hd_eid e = 0; e < less->n_events; e++)
        hd_text_write_event(less, e, stderr);
}

static struct hd_trace *make(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_gen_small(seed, &config);
    config.features |= 1u << HD_GEN_FORK | 1u << HD_GEN_JOIN;
    config.features &= ~(1u << HD_GEN_SHAPES);
    if (seed % 2)
        config.features |= 1u << HD_GEN_VAL | 1u << HD_GEN_DEPS | 1u << HD_GEN_BRANCH;
    if (seed % 4 == 3)
        config.control = HD_GEN_CONTROL_BRANCHES;
    config.locations = 3 + (uint32_t)(seed % 4);
    config.events = 14 + (uint32_t)(seed % 9);
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return t;
}

static bool same(const struct hd_enum_result *whole, const struct hd_enum_result *less,
                 const struct hd_u32vec *from)
{
    bool equal = whole->n_pairs == less->n_pairs;
    for (size_t i = 0; equal && i < less->n_pairs; i++)
        equal = from->data[less->pairs[i].a] == whole->pairs[i].a &&
                from->data[less->pairs[i].b] == whole->pairs[i].b;
    return equal;
}

/* Frees t. */
static void compare(struct hd_trace *t, uint64_t seed)
{
    struct hd_trace *less;
    struct hd_u32vec from = {0};
    struct hd_enum_opts opts = {.max_states = 200000};
    struct hd_enum_result a, b;
    struct hd_err err = {0};
    assert_int_equal(hd_reduce_trace(t, NULL, &less, &from, &err), HD_OK);
    assert_int_equal(from.len, less->n_events);
    bool consistent = hd_check_trace(less, NULL, &err) == HD_OK;
    if (!consistent)
        keep(t, less, seed);
    assert_true(consistent);
    bool done = hd_enumerate(t, &opts, &a, &err) == HD_OK;
    done &= hd_enumerate(less, &opts, &b, &err) == HD_OK;
    if (done && !same(&a, &b, &from)) {
        keep(t, less, seed);
        for (size_t i = 0; i < a.n_pairs; i++)
            print_error("  whole   %u-%u\n", a.pairs[i].a + 1, a.pairs[i].b + 1);
        for (size_t i = 0; i < b.n_pairs; i++)
            print_error("  reduced %u-%u (%u-%u there)\n", from.data[b.pairs[i].a] + 1,
                        from.data[b.pairs[i].b] + 1, b.pairs[i].a + 1, b.pairs[i].b + 1);
        fail();
    }
    for (hd_eid e = 0; e < t->n_events; e++)
        left_out += hd_op_is_access(t->op[e]);
    for (hd_eid e = 0; e < less->n_events; e++)
        left_out -= hd_op_is_access(less->op[e]);
    pairs += a.n_pairs;
    hd_enum_result_fini(&a);
    hd_enum_result_fini(&b);
    hd_u32vec_fini(&from);
    hd_trace_free(less);
    hd_trace_free(t);
}

/* ---- one trace for each rule: without the rule the reduced one has one more race, or one less
 * ---- */

/* v writes y before x. Whoever depends on x being 1 runs after that. */
#define V                                                                                          \
    "m|fork(u)\nm|fork(v)\nm|fork(k)\n"                                                            \
    "v|w(y,2)||val=\nv|w(x,1)||val=\nu|r(x,1)\n" /* events 4, 5, 6 */

static const char *const hand[] = {
    /* a value that comes back to its own thread */
    "!control branches\n!init x 0\n" V "u|w(c,1)||val=6\nu|r(c,1)\nu|br||deps=8\nu|w(y,1)||val=\n",
    /* one that another thread gets by join */
    "!control branches\n!init x 0\n" V "u|w(c,1)||val=6\nm|join(u)\nm|r(c,1)\nm|br||deps=9\n"
    "m|w(y,1)||val=\n",
    /* over an rmw that adds to what it reads */
    "!control branches\n!init x 0\n" V
    "u|w(c,1)||val=6\nu|rmw(c,1,2)||val=8\nu|r(c,2)\nu|br||deps=9\n"
    "u|w(y,1)||val=\n",
    /* an rmw in another thread */
    "!control branches\n!init x 0\n" V "u|w(c,1)||val=6\nm|join(u)\nm|rmw(c,1,2)||val=9\nm|r(c,2)\n"
    "m|br||deps=10\nm|w(y,1)||val=\n",
    /* an address */
    "!control branches\n!init x 0\n" V "u|r(c,0)||addr=6\nu|w(y,1)||val=\n",
    /* all earlier reads */
    "!control branches\n!init x 0\n" V "u|w(c,1)\nu|r(c,1)\nu|br||deps=8\nu|w(y,1)||val=\n",
    /* a write that depends on nothing hides one that does: there is a race */
    "!control branches\n!init x 0\n" V "u|w(c,1)||val=6\nu|w(c,2)||val=\nu|r(c,2)\nu|br||deps=9\n"
    "u|w(y,1)||val=\n",
    /* a thread of which nothing is left cannot be joined before it is created */
    "!control branches\nm|w(y,1)\nm|fork(u)\nu|w(c,1)\nk|join(u)\nk|w(y,2)||val=\n",
    /* control all: a thread with a stale read cannot be joined */
    "!control all\n!init x 0\n" V "u|w(c,1)\nk|join(u)\nk|w(y,1)\n",
    /* control all: an exchange stores its value though what it reads is stale */
    "!control all\nb|w(x,6)\na|rmw(x,6,2)||val=\nc|r(x,2)\nc|w(x,3)\n",
    /* read by two, then written when only one was joined */
    ("!control branches\nm|w(c,1)||val=\nm|fork(u)\nm|fork(v)\nu|r(c,1)\nv|r(c,1)\nm|join(u)\n"
     "m|w(c,2)||val=\n"),
    /* k reads c, too, and u alone writes it: u's own reads are left out with what they depend on */
    "!control branches\n!init x 0\n" V "u|w(c,1)||val=6\nk|r(c,1)\nu|r(c,1)\nu|br||deps=9\n"
    "u|w(y,1)||val=\n",
    "!control branches\n!init x 0\n" V "u|w(c,1)||val=6\nk|r(c,1)\nu|rmw(c,1,2)||val=9\nu|r(c,2)\n"
    "u|br||deps=10\nu|w(y,1)||val=\n",
    "!control branches\n!init x 0\n" V
    "u|w(c,1)\nk|r(c,1)\nu|r(c,1)\nu|br||deps=9\nu|w(y,1)||val=\n",
    /* a read before the first write says what was there: u can go on before c is written */
    "!control branches\nm|fork(u)\nm|fork(v)\nv|r(c,5)\nv|w(y,1)||val=\nv|w(c,5)||val=\nu|r(c,5)\n"
    "u|br||deps=6\nu|w(y,2)||val=\n",
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++) {
        struct hd_trace *t;
        struct hd_err err = {0};
        enum hd_status s = hd_text_read(hand[i], strlen(hand[i]), "hand", &t, &err);
        if (s != HD_OK)
            print_error("trace %zu: %s\n", i, err.text);
        assert_int_equal(s, HD_OK);
        compare(t, i);
    }
}

/* What nobody shares leaves no access; what a block may ask about stays. */
static void what_stays(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t accesses;
    } cases[] = {
        {"m|w(c,1)\nm|fork(u)\nu|w(c,2)\nu|r(c,2)\nm|join(u)\nm|r(c,2)\n", 0},
        {"m|w(c,1)\nm|fork(u)\nm|fork(v)\nu|r(c,1)\nv|r(c,1)\nm|join(u)\nm|join(v)\nm|w(c,2)\n", 0},
        {"m|begin\nm|w(c,1)\nm|fork(u)\nu|w(c,2)\nm|join(u)\nm|r(c,2)\nm|end\n", 3},
        {"m|fork(u)\nm|w(c,1)\nu|w(c,2)\n", 2},
        /* what the only writer reads of its own, and what it does not */
        {"m|fork(u)\nm|w(c,1)\nu|r(c,1)\nm|r(c,1)\nm|ar(c,1)\n", 2},
        {"m|fork(u)\nm|r(c,0)\nm|w(c,1)\nu|r(c,1)\nm|r(c,1)\n", 3},
        {"m|fork(u)\nm|w(c,1)\nu|w(c,2)\nm|r(c,2)\n", 3},
        /* read under locks only, after the fork: nothing can come between that matters */
        {"m|w(c,1)\nm|fork(u)\nm|acq(l)\nm|r(c,1)\nm|rel(l)\nu|acq(l)\nu|r(c,1)\nu|rel(l)\n", 0},
        {"m|begin\nm|w(c,1)\nm|fork(u)\nu|r(c,1)\nm|join(u)\nm|r(c,1)\nm|end\n", 0},
        /* a read between two writes; a write, by a thread that has read it before */
        {"m|begin\nm|w(c,1)\nm|fork(u)\nu|r(c,1)\nm|join(u)\nm|w(c,2)\nm|end\n", 3},
        {"m|begin\nm|r(c,0)\nm|fork(u)\nu|r(c,0)\nu|w(c,2)\nm|join(u)\nm|r(c,2)\nm|end\n", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_trace *t, *less;
        struct hd_err err = {0};
        assert_int_equal(hd_text_read(cases[i].text, strlen(cases[i].text), "case", &t, &err),
                         HD_OK);
        assert_int_equal(hd_reduce_trace(t, NULL, &less, NULL, &err), HD_OK);
        size_t n = 0;
        for (hd_eid e = 0; e < less->n_events; e++)
            n += hd_op_is_access(less->op[e]);
        assert_int_equal(n, cases[i].accesses);
        hd_trace_free(less);
        hd_trace_free(t);
    }
}

static void random_traces(void **state)
{
    (void)state;
    const char *one = getenv("HEDDLE_SEED");
    uint64_t n = seeds_count(1500, 20000);
    if (one) {
        compare(make(strtoull(one, NULL, 10)), strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= n; seed++)
        compare(make(seed), seed);
    assert_true(left_out > n / 2); /* else nothing was tried */
    assert_true(pairs > n / 2);
    print_message("%llu accesses left out, %llu pairs race\n", (unsigned long long)left_out,
                  (unsigned long long)pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(what_stays),
                                       cmocka_unit_test(random_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
