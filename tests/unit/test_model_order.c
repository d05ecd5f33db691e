/* Happens-before of schedules and unordered races: src/model/after.c, the checker and the
 * enumerator against a second reading of docs/MODEL.md section 8 (tests/support/naive_order.c). */
#include "../support/seeds.h"
#include "../support/naive.h"
#include "model/enumerate.h"
#include "model/enumerate_order.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t all_ops[] = {
    HD_OP_READ,  HD_OP_WRITE, HD_OP_READ,  HD_OP_WRITE,  HD_OP_AREAD,  HD_OP_AWRITE, HD_OP_RMW,
    HD_OP_FENCE, HD_OP_ACQ,   HD_OP_REL,   HD_OP_RACQ,   HD_OP_RREL,   HD_OP_FORK,   HD_OP_JOIN,
    HD_OP_WAIT,  HD_OP_SIG,   HD_OP_BCAST, HD_OP_POST,   HD_OP_SEM,    HD_OP_BARIN,  HD_OP_BAROUT,
    HD_OP_AREAD, HD_OP_FENCE, HD_OP_RMW,   HD_OP_BRANCH, HD_OP_TRYFAIL};
static const uint8_t atomic_ops[] = {HD_OP_READ, HD_OP_WRITE, HD_OP_AREAD, HD_OP_AWRITE,
                                     HD_OP_RMW,  HD_OP_FENCE, HD_OP_FENCE, HD_OP_BRANCH};
static const uint8_t flag_ops[] = {HD_OP_READ,   HD_OP_WRITE, HD_OP_READ, HD_OP_WRITE,
                                   HD_OP_BRANCH, HD_OP_AREAD, HD_OP_RMW,  HD_OP_AWRITE};
static const uint8_t object_ops[] = {HD_OP_WRITE,  HD_OP_POST, HD_OP_SEM,  HD_OP_BARIN,
                                     HD_OP_BAROUT, HD_OP_READ, HD_OP_ACQ,  HD_OP_REL,
                                     HD_OP_WAIT,   HD_OP_SIG,  HD_OP_BCAST};

static const struct nv_shape shapes[] = {
    {7, 3, 2, all_ops, sizeof all_ops, false, 0, true},
    {8, 2, 2, all_ops, sizeof all_ops, false, 0, true},
    {8, 2, 2, atomic_ops, sizeof atomic_ops, false, 0, true},
    {7, 3, 1, atomic_ops, sizeof atomic_ops, false, 0, true},
    {7, 3, 2, flag_ops, sizeof flag_ops, false, 0, true},
    {7, 3, 1, object_ops, sizeof object_ops, false, 0, true},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static struct nv_orders naive_orders;

/* Pair for pair; the checker accepts every witness, and none with the two exchanged. */
static void compare(const struct nv_trace *naive, const struct hd_trace *t, size_t *unordered,
                    size_t *alone)
{
    struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
    struct hd_err err;
    assert_int_equal(hd_enumerate_order(t, 0, &pairs, &err), HD_OK);
    nv_unordered(naive, &naive_orders);
    struct hd_checker *checker = hd_checker_new(t);
    size_t at = 0;
    for (hd_eid a = 0; a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++) {
            const struct hd_unordered *p = at < pairs.len ? hd_vec_at(&pairs, at) : NULL;
            bool found = p && p->a == a && p->b == b;
            at += found;
            if (found != naive_orders.unordered[a][b] ||
                (found && p->alone != naive_orders.alone[a][b])) {
                nv_print(naive);
                fail_msg("events %u and %u: %s%s", a + 1, b + 1, found ? "found" : "not found",
                         found && p->alone ? ", alone" : "");
            }
            if (found && hd_checker_check(checker, &p->witness, NULL, &err) != HD_OK)
                fail_msg("events %u and %u: %s", a + 1, b + 1, err.text);
            *unordered += found;
            *alone += found && p->alone;
        }
    hd_checker_free(checker);
    hd_enumerate_order_fini(&pairs);
}

static void test_against_naive(void **state)
{
    (void)state;
    struct nv_random rnd = {11};
    size_t unordered[SHAPES] = {0}, alone[SHAPES] = {0};
    const char *rounds_given = getenv("HEDDLE_TEST_ROUNDS");
    int rounds = rounds_given ? atoi(rounds_given) : (int)seeds_count(120, 3400);
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < SHAPES; k++) {
            struct nv_trace naive;
            struct hd_err err;
            nv_random_trace(&rnd, &shapes[k], &naive);
            struct hd_trace *t = nv_build(&naive, &err);
            if (!t)
                fail_msg("not built: %s", err.text);
            compare(&naive, t, &unordered[k], &alone[k]);
            hd_trace_free(t);
        }
    for (size_t k = 0; k < SHAPES; k++)
        assert_true(alone[k] > 10 && unordered[k] >= alone[k]);
    assert_true(unordered[4] > alone[4]);
}

/* Without weak atomics, pairs that stand alone are simultaneous (docs/MODEL.md section 8). */
static void test_forms_coincide(void **state)
{
    (void)state;
    static const uint8_t ops[] = {
        HD_OP_READ, HD_OP_WRITE, HD_OP_READ,   HD_OP_WRITE,  HD_OP_AREAD, HD_OP_AWRITE, HD_OP_RMW,
        HD_OP_ACQ,  HD_OP_REL,   HD_OP_RACQ,   HD_OP_RREL,   HD_OP_FORK,  HD_OP_JOIN,   HD_OP_POST,
        HD_OP_SEM,  HD_OP_BARIN, HD_OP_BAROUT, HD_OP_BRANCH, HD_OP_BRANCH};
    static const struct nv_shape shape = {9, 3, 2, ops, sizeof ops, false, 0, false};
    struct nv_random rnd = {3};
    size_t alone = 0, follows = 0;
    int rounds = (int)seeds_count(1500, 20000);
    for (int round = 0; round < rounds; round++) {
        struct nv_trace naive;
        struct hd_err err;
        nv_random_trace(&rnd, &shape, &naive);
        struct hd_trace *t = nv_build(&naive, &err);
        assert_non_null(t);
        struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
        struct hd_enum_opts opts = {0};
        struct hd_enum_result races;
        assert_int_equal(hd_enumerate_order(t, 0, &pairs, &err), HD_OK);
        assert_int_equal(hd_enumerate(t, &opts, &races, &err), HD_OK);
        for (size_t i = 0, r = 0; i < pairs.len; i++) {
            const struct hd_unordered *p = hd_vec_at(&pairs, i);
            while (r < races.n_pairs && (races.pairs[r].a < p->a ||
                                         (races.pairs[r].a == p->a && races.pairs[r].b < p->b)))
                r++;
            bool race = r < races.n_pairs && races.pairs[r].a == p->a && races.pairs[r].b == p->b;
            if (p->alone && !race) {
                nv_print(&naive);
                fail_msg("events %u and %u stand alone and are no simultaneous race", p->a + 1,
                         p->b + 1);
            }
            alone += p->alone;
            follows += !p->alone && !race;
        }
        hd_enum_result_fini(&races);
        hd_enumerate_order_fini(&pairs);
        hd_trace_free(t);
    }
    assert_true(alone > 100 && follows > 10);
}

struct litmus {
    const char *name, *text;
    const char *pairs; /* unordered ones; + for those that stand alone */
};

#define MP(store, load)                                                                            \
    "!control branches\n!init x 0\n!init f 0\n"                                                    \
    "t1|w(x,1)\nt1|aw(f,1)||val=;mo=" store "\nt2|ar(f,1)||mo=" load "\nt2|br\nt2|r(x,1)\n"
#define FENCED(first, second)                                                                      \
    "!control branches\n!init x 0\n!init f 0\nt1|w(x,1)\nt1|fence(" first ")\n"                    \
    "t1|aw(f,1)||val=;mo=rlx\nt2|ar(f,1)||mo=rlx\nt2|fence(" second ")\nt2|br\nt2|r(x,1)\n"
#define CHAIN(store, middle, load)                                                                 \
    "!control branches\n!init x 0\n!init f 0\nt1|w(x,1)\nt1|aw(f,1)||val=;mo=" store "\n"          \
    "t3|rmw(f,1,2)||mo=" middle "\nt2|ar(f,2)||mo=" load "\nt2|br\nt2|r(x,1)\n"

#define EXCLUDED(thread, events) thread "|acq(o)||mo=rlx\n" events thread "|rel(o)||mo=rlx\n"
#define WIDE_START(store)                                                                          \
    "!control branches\n!init x 0\n!init p 0\n!init q 0\nt1|w(x,1)\n" EXCLUDED(                    \
        "t1", "t1|aw(p,1)||val=;mo=" store "\nt1|aw(q,1)||val=;mo=" store "\n")
#define WIDE_END(value, load)                                                                      \
    EXCLUDED("t2", "t2|ar(p," value ")||mo=" load "\nt2|ar(q," value ")||mo=" load "\n")           \
    "t2|br\nt2|r(x,1)\n"
#define WIDE(store, load) WIDE_START(store) WIDE_END("1", load)
/* Both parts are read, then both are updated. */
#define WIDE_CHAIN(store, half, middle, load)                                                      \
    WIDE_START(store)                                                                              \
    EXCLUDED("t3", "t3|ar(p,1)||mo=" half "\nt3|ar(q,1)||mo=" half "\n"                            \
                   "t3|rmw(p,1,2)||mo=" middle "\nt3|rmw(q,1,2)||mo=" middle "\n")                 \
    WIDE_END("2", load)

static const struct litmus cases[] = {
    {"message passing", MP("rel", "acq"), ""},
    {"message passing, sc", MP("sc", "sc"), ""},
    {"message passing, consume", MP("rel", "con"), ""},
    {"message passing, relaxed store", MP("rlx", "acq"), "1-5+"},
    {"message passing, relaxed load", MP("rel", "rlx"), "1-5+"},
    {"message passing, relaxed", MP("rlx", "rlx"), "1-5+"},
    {"fences", FENCED("rel", "acq"), ""},
    {"fences, sc", FENCED("sc", "sc"), ""},
    {"fences, wrong first", FENCED("acq", "acq"), "1-7+"},
    {"fences, wrong second", FENCED("rel", "rel"), "1-7+"},
    {"release sequence through a relaxed rmw", CHAIN("rel", "rlx", "acq"), ""},
    {"release sequence, nothing released", CHAIN("rlx", "ar", "acq"), "1-6+"},
    {"release sequence, nothing acquired", CHAIN("rel", "ar", "rlx"), "1-6+"},
    {"a store ends the release sequence",
     "!control branches\n!init x 0\n!init f 0\nt1|w(x,1)\nt1|aw(f,1)||val=;mo=rel\n"
     "t1|aw(f,2)||val=;mo=rlx\nt2|ar(f,2)||mo=acq\nt2|br\nt2|r(x,1)\n",
     "1-6+"},
    {"a plain write ends it, and is a race itself",
     "!control branches\n!init x 0\n!init f 0\nt1|w(x,1)\nt1|aw(f,1)||val=;mo=rel\n"
     "t1|w(f,2)||val=\nt2|ar(f,2)||mo=acq\nt2|br\nt2|r(x,1)\n",
     "1-6 3-4+"},
    {"data behind a plain flag",
     "!control branches\n!init x 0\n!init f 0\nt1|w(x,1)\nt1|w(f,1)||val=\nt2|r(f,1)\nt2|br\n"
     "t2|r(x,1)\n",
     "1-5 2-3+"},
    {"store buffering",
     "!init x 0\n!init y 0\nt1|aw(x,1)||mo=rlx\nt1|ar(y,0)||mo=rlx\nt2|aw(y,1)||mo=rlx\n"
     "t2|ar(x,1)||mo=rlx\n",
     ""},
    {"load buffering guards nothing",
     "!control branches\n!init x 0\n!init y 0\n!init d 0\nt1|w(d,1)\nt1|ar(x,0)||mo=rlx\n"
     "t1|aw(y,1)||val=;mo=rlx\nt2|ar(y,1)||mo=rlx\nt2|br\nt2|r(d,1)\nt2|aw(x,1)||val=;mo=rlx\n",
     "1-6+"},
    {"two writers, two readers",
     "!control branches\n!init x 0\n!init y 0\n!init d 0\nt1|w(d,1)\nt1|aw(x,1)||val=;mo=rel\n"
     "t2|aw(y,1)||val=;mo=rel\nt3|ar(x,1)||mo=acq\nt3|ar(y,1)||mo=acq\nt3|br\nt3|r(d,1)\n"
     "t4|ar(y,1)||mo=acq\nt4|br\nt4|r(d,1)\n",
     "1-10+"},
    {"2+2W",
     "!control branches\n!init x 0\n!init y 0\n!init d 0\nt1|w(d,1)\nt1|aw(x,1)||val=;mo=rel\n"
     "t1|aw(y,2)||val=;mo=rel\nt2|aw(y,1)||val=;mo=rel\nt2|aw(x,2)||val=;mo=rel\n"
     "t2|ar(x,2)||mo=acq\nt2|r(d,1)\n",
     "1-7+"},
    {"a failed try orders nothing",
     "!control branches\n!init x 0\nt1|w(x,1)\nt1|acq(l)\nt2|tryfail(l)\nt2|r(x,1)\nt1|rel(l)\n",
     "1-4+"},
    {"a lock does", "!init x 0\nt1|acq(l)\nt1|w(x,1)\nt1|rel(l)\nt2|acq(l)\nt2|r(x,1)\n", ""},
    {"an exclusion does not",
     "!init x 0\nt1|acq(l)||mo=rlx\nt1|w(x,1)\nt1|rel(l)||mo=rlx\nt2|acq(l)||mo=rlx\nt2|r(x,1)\n",
     "2-5+"},
    {"two parts in an exclusion", WIDE("rel", "acq"), ""},
    {"two parts in an exclusion, relaxed store", WIDE("rlx", "acq"), "1-11+"},
    {"two parts in an exclusion, relaxed load", WIDE("rel", "rlx"), "1-11+"},
    {"two parts, a relaxed update between", WIDE_CHAIN("rel", "rlx", "rlx", "acq"), ""},
    {"two parts, nothing released", WIDE_CHAIN("rlx", "acq", "ar", "acq"), "1-17+"},
    {"two parts, nothing acquired", WIDE_CHAIN("rel", "acq", "ar", "rlx"), "1-17+"},
    {"a semaphore does", "!init x 0\nt1|w(x,1)\nt1|post(s)\nt2|sem(s)\nt2|r(x,1)\n", ""},
};

static void test_litmus(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_trace *t = NULL;
        struct hd_err err = {0};
        char found[200] = "";
        struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
        if (hd_text_read(cases[i].text, strlen(cases[i].text), cases[i].name, &t, &err) != HD_OK)
            fail_msg("%s: %s", cases[i].name, err.text);
        assert_int_equal(hd_enumerate_order(t, 0, &pairs, &err), HD_OK);
        for (size_t k = 0; k < pairs.len; k++) {
            const struct hd_unordered *p = hd_vec_at(&pairs, k);
            size_t used = strlen(found);
            snprintf(found + used, sizeof found - used, "%s%u-%u%s", k ? " " : "", p->a + 1,
                     p->b + 1, p->alone ? "+" : "");
            assert_int_equal(hd_witness_check(t, &p->witness, NULL, &err), HD_OK);
        }
        if (strcmp(found, cases[i].pairs))
            fail_msg("%s: expected '%s', found '%s'", cases[i].name, cases[i].pairs, found);
        hd_enumerate_order_fini(&pairs);
        hd_trace_free(t);
    }
}

/* What the checker refuses. */
static void test_refused(void **state)
{
    (void)state;
    static const char *good = MP("rlx", "rlx"), *ordered = MP("rel", "acq");
    struct hd_trace *t = NULL;
    struct hd_err err;
    hd_eid all[] = {0, 1, 2, 3, 4}, late[] = {1, 2, 3, 4}, wrong[] = {0, 1, 2, 3};
    struct hd_witness w = {.a = 0, .b = 4, .schedule = all, .n = 5, .unordered = true};
    assert_int_equal(hd_text_read(good, strlen(good), "good", &t, &err), HD_OK);
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_OK);
    w.schedule = wrong;
    w.n = 4;
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "does not end in event 5"));
    w.schedule = late;
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "does not run event 1"));
    for (size_t prefix = 0; prefix < 5; prefix++) { /* short forms, in one checker */
        struct hd_witness brief = {.a = 0, .b = 4, .prefix = prefix, .unordered = true};
        brief.schedule = all + prefix;
        brief.n = 5 - prefix;
        assert_int_equal(hd_witness_check(t, &brief, NULL, &err), HD_OK);
    }
    hd_trace_free(t);
    assert_int_equal(hd_text_read(ordered, strlen(ordered), "ordered", &t, &err), HD_OK);
    for (size_t prefix = 0; prefix < 5; prefix++) {
        struct hd_witness brief = {.a = 0, .b = 4, .prefix = prefix, .unordered = true};
        brief.schedule = all + prefix;
        brief.n = 5 - prefix;
        assert_int_equal(hd_witness_check(t, &brief, NULL, &err), HD_ERR_INPUT);
        assert_non_null(strstr(err.text, "event 1 happens before event 5 in this schedule"));
    }
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_forms_coincide),
        cmocka_unit_test(test_litmus),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
