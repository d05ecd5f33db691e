/* The witness checker: what it refuses, where, and why; and that a checker can be used again. */
#include "model/enumerate.h"
#include "model/witness.h"
#include "naive.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const char *flag_trace = "!control branches\n!init flag 0\n"
                                "t1|w(x,1)\n"              /* 1 */
                                "t1|acq(m)\n"              /* 2 */
                                "t1|w(flag,1)\n"           /* 3 */
                                "t1|rel(m)\n"              /* 4 */
                                "t2|acq(m)\n"              /* 5 */
                                "t2|r(flag,1)\n"           /* 6 */
                                "t2|rel(m)\n"              /* 7 */
                                "t2|r(x,1)\n"              /* 8 */
                                "t2|br||deps=6\n"          /* 9 */
                                "t2|w(y,1)||addr=8;val=\n" /* 10 */
                                "t1|w(y,2)||val=\n"        /* 11 */
                                "t1|w(x,3)||val=\n";       /* 12 */

static const char *wait_trace = "!control branches\n"
                                "t1|acq(m)\n"    /* 1 */
                                "t1|wait(c,m)\n" /* 2 */
                                "t2|acq(n)\n"    /* 3 */
                                "t2|wait(c,n)\n" /* 4 */
                                "t3|sig(c)\n"    /* 5 */
                                "t1|wake(c,m)\n" /* 6 */
                                "t1|w(x,1)\n"    /* 7 */
                                "t3|w(x,2)\n"    /* 8 */
                                "t3|bcast(c)\n"  /* 9 */
                                "t2|wake(c,n)\n" /* 10 */
                                "t2|w(x,3)\n";   /* 11 */

struct judged {
    const char **trace;
    int a, b; /* 1-based, as all numbers here */
    int schedule[16];
    int wakes[4]; /* sig, thread number from 0, sig, thread */
    int entry;    /* refused at this entry; 0: accepted; -1: as a whole */
    const char *reason;
};

static const struct judged cases[] = {
    {&flag_trace, 1, 8, {5, 6, 7, 1, 8}, {0}, 0, NULL},
    {&flag_trace, 8, 1, {5, 6, 7, 8, 1}, {0}, 0, NULL},
    {&flag_trace, 8, 12, {1, 2, 3, 4, 5, 6, 7, 11, 8, 12}, {0}, 0, NULL},
    {&flag_trace, 10, 11, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {0}, 0, NULL},
    {&flag_trace,
     1,
     8,
     {1, 8},
     {0},
     2,
     "entry 2: event 8 cannot run: event 5 of the same thread has not run"},
    {&flag_trace, 1, 8, {5, 6, 6, 7, 1, 8}, {0}, 3, "event 6 cannot run: it has already run"},
    {&flag_trace, 1, 8, {1, 5, 6, 7, 1, 8}, {0}, 5, "it has already run"},
    {&flag_trace, 1, 8, {5, 6, 7, 8, 1}, {0}, -1, "does not end in the pair: events 1, 8"},
    {&flag_trace, 1, 8, {8}, {0}, -1, "does not end in the pair"},
    {&flag_trace, 1, 8, {0}, {0}, -1, "does not end in the pair"},
    {&flag_trace,
     3,
     6,
     {1, 2, 5, 3, 6},
     {0},
     3,
     "entry 3: event 5 cannot run: lock m is held by t1 since event 2"},
    {&flag_trace, 3, 6, {1, 2, 3, 6}, {0}, 4, "event 5 of the same thread has not run"},
    {&flag_trace, 3, 8, {1, 2, 3, 8}, {0}, -1, "events 3 and 8 do not conflict"},
    {&flag_trace, 1, 12, {1, 12}, {0}, -1, "events 1 and 12 do not conflict"},
    {&flag_trace, 2, 5, {1, 2, 5}, {0}, -1, "events 2 and 5 do not conflict"},
    {&flag_trace, 1, 13, {1, 13}, {0}, 2, "entry 2 is event 13, but the trace has 12"},
    {&flag_trace,
     10,
     11,
     {5, 6, 7, 1, 2, 3, 4, 8, 9, 10, 11},
     {0},
     9,
     "the branch depends on event 6, which read another value of flag"},
    {&flag_trace,
     10,
     11,
     {1, 2, 3, 4, 5, 6, 7, 11, 12, 8, 9, 10, 11},
     {0},
     12,
     "its address depends on event 8, which read another value of x"},
    {&flag_trace,
     1,
     8,
     {5, 6, 7, 1, 8},
     {3, 0},
     -1,
     "wakes names an event that is not a sig of the schedule"},
    {&wait_trace, 7, 8, {1, 2, 5, 6, 7, 8}, {0}, 0, NULL},
    {&wait_trace, 7, 8, {1, 2, 5, 6, 7, 8}, {5, 0}, 0, NULL},
    {&wait_trace,
     7,
     8,
     {1, 2, 5, 6, 7, 8},
     {5, 1},
     3,
     "entry 3: event 5 cannot wake t2, which is not waiting on condition c"},
    {&wait_trace, 7, 8, {1, 2, 5, 6, 7, 8}, {5, 9}, 3, "event 5 cannot wake an unknown thread"},
    {&wait_trace, 7, 8, {1, 2, 3, 4, 5, 6, 7, 8}, {5, 0}, 0, NULL},
    {&wait_trace,
     7,
     8,
     {1, 2, 3, 4, 5, 6, 7, 8},
     {0},
     5,
     "event 5 must say which waiter of condition c it wakes"},
    {&wait_trace, 7, 8, {1, 2, 3, 4, 5, 6, 7, 8}, {5, 1}, 6, "t1 is still waiting on condition c"},
    {&wait_trace, 8, 11, {1, 2, 3, 4, 5, 10, 8, 11}, {5, 1}, 0, NULL},
    {&wait_trace, 7, 8, {1, 2, 5, 6, 7, 8}, {5, 0, 5, 0}, -1, "wakes names event 5 twice"},
    {&wait_trace, 7, 8, {5, 1, 2, 6, 7, 8}, {0}, 4, "no thread has notified it"},
    {&wait_trace, 7, 8, {5, 1, 2, 6, 7, 8}, {5, 0}, 1, "event 5 cannot wake t1"},
};

static void judge(struct hd_checker *checker, const struct judged *c)
{
    hd_eid schedule[16];
    struct hd_wake wakes[2];
    struct hd_witness w = {.a = (hd_eid)c->a - 1, .b = (hd_eid)c->b - 1};
    w.schedule = schedule;
    w.wakes = wakes;
    for (; w.n < 16 && c->schedule[w.n]; w.n++)
        schedule[w.n] = (hd_eid)c->schedule[w.n] - 1;
    for (; w.n_wakes < 2 && c->wakes[2 * w.n_wakes]; w.n_wakes++)
        wakes[w.n_wakes] = (struct hd_wake){(hd_eid)c->wakes[2 * w.n_wakes] - 1,
                                            (hd_tid)c->wakes[2 * w.n_wakes + 1]};
    struct hd_err err = {0};
    size_t entry;
    enum hd_status status = hd_checker_check(checker, &w, &entry, &err);
    size_t expected = c->entry > 0 ? (size_t)c->entry - 1 : w.n;
    if ((status == HD_OK) != (c->entry == 0) || entry != expected)
        fail_msg("case %td: %s (entry %zu)", c - cases, status ? err.text : "accepted", entry + 1);
    if (c->reason && !strstr(err.text, c->reason))
        fail_msg("case %td: %s", c - cases, err.text);
}

static void test_cases(void **state)
{
    (void)state;
    const char *const *traces[] = {&flag_trace, &wait_trace};
    for (int k = 0; k < 2; k++) {
        struct hd_trace *t;
        struct hd_err err;
        const char *text = *traces[k];
        assert_int_equal(hd_text_read(text, strlen(text), "test", &t, &err), HD_OK);
        struct hd_checker *checker = hd_checker_new(t);
        for (int again = 0; again < 2; again++) /* refusals must leave no trace in the checker */
            for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
                if (*cases[i].trace == text)
                    judge(checker, &cases[i]);
        hd_checker_free(checker);
        hd_trace_free(t);
    }
}

/* Runs some events at random, rewinds, and compares with the initial state byte for byte. */
static void rewind_once(struct nv_random *rnd, const struct hd_trace *t)
{
    struct hd_layout layout;
    struct hd_state s;
    hd_eid ran[NV_MAX];
    size_t n = 0;
    hd_layout_init(&layout, t);
    hd_state_init(&s, &layout);
    for (int tries = 0; tries < 400 && n < 12; tries++) {
        hd_eid e = (hd_eid)nv_pick(rnd, (int)t->n_events);
        if (!hd_state_enabled(&s, e))
            continue;
        hd_tid woken = t->op[e] == HD_OP_SIG ? hd_state_first_waiter(&s, t->obj[e]) : HD_TID_NONE;
        hd_state_step(&s, e, woken);
        ran[n++] = e;
    }
    assert_true(n > 0);
    assert_memory_not_equal(s.block, layout.initial, layout.key_bytes);
    hd_state_rewind(&s, ran, n);
    assert_memory_equal(s.block, layout.initial, layout.bytes);
    hd_state_fini(&s);
    hd_layout_fini(&layout);
}

static void test_rewind(void **state)
{
    (void)state;
    uint8_t ops[HD_OP_COUNT];
    for (int op = 0; op < HD_OP_COUNT; op++)
        ops[op] = (uint8_t)op;
    struct nv_shape shape = {20, 4, 2, ops, HD_OP_COUNT, false, 0, false};
    struct nv_random rnd = {5};
    for (int i = 0; i < 2000; i++) {
        struct nv_trace naive;
        struct hd_err err;
        nv_random_trace(&rnd, &shape, &naive);
        struct hd_trace *t = nv_build(&naive, &err);
        assert_non_null(t);
        rewind_once(&rnd, t);
        hd_trace_free(t);
    }
}

/* A schedule after the first `prefix` events of the trace: mostly events that can run, some that
 * cannot. Returns its length. */
static size_t wander(struct nv_random *rnd, const struct hd_trace *t, size_t prefix,
                     const struct hd_matching *m, hd_eid *schedule)
{
    struct hd_layout layout;
    struct hd_state s;
    size_t n = 0, most = (size_t)nv_pick(rnd, 12);
    hd_layout_init(&layout, t);
    hd_state_init(&s, &layout);
    for (hd_eid e = 0; e < prefix; e++)
        hd_state_step(&s, e, t->op[e] == HD_OP_SIG ? hd_matching_woken(m, e) : HD_TID_NONE);
    for (int tries = 0; tries < 300 && n < most; tries++) {
        hd_eid e = (hd_eid)nv_pick(rnd, (int)t->n_events);
        bool runs = hd_state_enabled(&s, e);
        if (!runs && nv_pick(rnd, 400))
            continue;
        schedule[n++] = e;
        if (!runs)
            break;
        hd_state_step(&s, e,
                      t->op[e] == HD_OP_SIG ? hd_state_first_waiter(&s, t->obj[e]) : HD_TID_NONE);
    }
    hd_state_fini(&s);
    hd_layout_fini(&layout);
    return n;
}

/* Two events near to each other, which conflict if some tries give such. */
static void pick_pair(struct nv_random *rnd, const struct hd_trace *t, struct hd_witness *w)
{
    for (int tries = 0; tries < 50; tries++) {
        w->a = (hd_eid)nv_pick(rnd, (int)t->n_events);
        w->b = (hd_eid)((w->a + (size_t)nv_pick(rnd, 10)) % t->n_events);
        if (hd_property_conflict(t, w->a, w->b))
            break;
    }
    w->schedule[w->n] = w->a;
    w->schedule[w->n + 1] = w->b;
}

/* The short form of a witness is judged as its long form is, by a checker that goes to and fro. */
static void test_prefix(void **state)
{
    (void)state;
    struct nv_random rnd = {9};
    size_t accepted = 0, refused = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct hd_gen_config config;
        struct hd_trace *t;
        struct hd_err err;
        struct hd_matching m;
        hd_gen_small(seed, &config);
        config.events += 60;
        assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
        hd_matching_check(t, &m);
        struct hd_checker *checker = hd_checker_new(t);
        for (int i = 0; i < 60; i++) {
            hd_eid schedule[16];
            struct hd_witness w = {.schedule = schedule,
                                   .prefix = (size_t)nv_pick(&rnd, (int)t->n_events + 1)};
            w.n = wander(&rnd, t, w.prefix, &m, schedule);
            for (int k = 0; k < 30; k++) {
                pick_pair(&rnd, t, &w);
                struct hd_witness two = w, whole;
                struct hd_err first = {0}, second = {0};
                size_t entry, same;
                two.n = w.n + 2;
                whole = hd_witness_long(&two, t, NULL);
                enum hd_status status = hd_checker_check(checker, &two, &entry, &first);
                assert_int_equal(status, hd_witness_check(t, &whole, &same, &second));
                assert_int_equal(entry, same);
                assert_string_equal(first.text, second.text);
                accepted += status == HD_OK;
                refused += status != HD_OK && entry < whole.n;
                hd_witness_fini(&whole);
            }
        }
        hd_checker_free(checker);
        hd_matching_fini(&m);
        hd_trace_free(t);
    }
    assert_true(accepted > 100);
    assert_true(refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_rewind),
        cmocka_unit_test(test_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
