/* The judge of atomicity violations and deadlocks, and their enumeration, on small traces whose
 * answers are worked out by hand. */
#include "model/enumerate_property.h"
#include "model/witness.h"
#include "model/witness_json.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Two sections of m in t1 around one of t2; x is read in the first and written in the second. */
static const char *check_then_act = "!control branches\n"
                                    "!init x 0\n"
                                    "t1|acq(m)\n"      /* 1 */
                                    "t1|r(x,0)\n"      /* 2 */
                                    "t1|rel(m)\n"      /* 3 */
                                    "t1|acq(m)\n"      /* 4 */
                                    "t1|w(x,1)\n"      /* 5 */
                                    "t1|rel(m)\n"      /* 6 */
                                    "t2|acq(m)\n"      /* 7 */
                                    "t2|r(x,1)\n"      /* 8 */
                                    "t2|w(x,5)|val=\n" /* 9 */
                                    "t2|rel(m)\n";     /* 10 */

/* Locks in opposite orders, once more under a common lock g, once with a wait in the cycle. */
static const char *opposite = "!control branches\n"
                              "t1|acq(a)\n"  /* 1 */
                              "t1|acq(b)\n"  /* 2 */
                              "t1|rel(b)\n"  /* 3 */
                              "t1|rel(a)\n"  /* 4 */
                              "t2|acq(b)\n"  /* 5 */
                              "t2|acq(a)\n"  /* 6 */
                              "t2|rel(a)\n"  /* 7 */
                              "t2|rel(b)\n"  /* 8 */
                              "t1|acq(g)\n"  /* 9 */
                              "t1|acq(a)\n"  /* 10 */
                              "t1|acq(b)\n"  /* 11 */
                              "t1|rel(b)\n"  /* 12 */
                              "t1|rel(a)\n"  /* 13 */
                              "t1|rel(g)\n"  /* 14 */
                              "t3|acq(g)\n"  /* 15 */
                              "t3|acq(b)\n"  /* 16 */
                              "t3|acq(a)\n"; /* 17 */

static const char *in_wait = "!control branches\n"
                             "t1|acq(k)\n"    /* 1 */
                             "t1|acq(m)\n"    /* 2 */
                             "t1|wait(c,m)\n" /* 3 */
                             "t2|acq(m)\n"    /* 4 */
                             "t2|sig(c)\n"    /* 5 */
                             "t2|rel(m)\n"    /* 6 */
                             "t1|wake(c,m)\n" /* 7 */
                             "t1|rel(m)\n"    /* 8 */
                             "t1|rel(k)\n"    /* 9 */
                             "t2|acq(m)\n"    /* 10 */
                             "t2|acq(k)\n";   /* 11 */

static struct hd_trace *read_trace(const char *text)
{
    struct hd_err err = {0};
    struct hd_trace *t = NULL;
    if (hd_text_read(text, strlen(text), "test", &t, &err) != HD_OK)
        fail_msg("%s", err.text);
    return t;
}

#define LIST(...) ((hd_eid[]){__VA_ARGS__}), sizeof((hd_eid[]){__VA_ARGS__}) / sizeof(hd_eid)

/* The numbers are those of the comments above. NULL: accepted; else a part of the reason. */
static void judge(const struct hd_trace *t, enum hd_property property, const hd_eid *events,
                  size_t n_events, const hd_eid *schedule, size_t n, const char *reason)
{
    hd_eid own[2][16];
    struct hd_err err = {0};
    for (size_t i = 0; i < n_events; i++)
        own[0][i] = events[i] - 1;
    for (size_t i = 0; i < n; i++)
        own[1][i] = schedule[i] - 1;
    struct hd_witness w = {
        .property = property, .events = own[0], .n_events = n_events, .schedule = own[1], .n = n};
    enum hd_status status = hd_witness_check(t, &w, NULL, &err);
    if (!reason && status != HD_OK)
        fail_msg("refused: %s", err.text);
    if (reason && (status != HD_ERR_INPUT || !strstr(err.text, reason)))
        fail_msg("expected '%s', got '%s'", reason, err.text);
}

static void test_judge_atomicity(void **state)
{
    struct hd_trace *t = read_trace(check_then_act);
    const enum hd_property p = HD_PROPERTY_ATOMICITY;
    (void)state;
    judge(t, p, LIST(2, 9, 5), LIST(1, 2, 3, 7, 8, 9, 10, 4, 5), NULL);
    judge(t, p, LIST(2, 9, 5), LIST(7, 8, 9, 10, 1, 2, 3, 4, 5), "does not run event 2 and later");
    judge(t, p, LIST(2, 9, 5), LIST(1, 2, 3, 4, 5), "does not run event 2 and later event 9");
    judge(t, p, LIST(2, 9, 5), LIST(1, 2, 3, 7, 8, 9, 4, 5), "entry 7: event 4 cannot run");
    judge(t, p, LIST(2, 9, 5), LIST(1, 2, 3, 7, 8, 9, 10, 4), "does not end in event 5");
    judge(t, p, LIST(2, 8, 5), LIST(1, 2, 3, 7, 8, 9, 10, 4, 5), "an atomicity violation takes");
    judge(t, p, LIST(2, 9), LIST(1, 2, 3, 7, 8, 9), "an atomicity violation takes");
    judge(t, p, LIST(5, 9, 2), LIST(1, 2, 3, 7, 8, 9, 10, 4, 5), "an atomicity violation takes");
    hd_trace_free(t);
}

static void test_judge_deadlock(void **state)
{
    struct hd_trace *t = read_trace(opposite);
    const enum hd_property p = HD_PROPERTY_DEADLOCK;
    (void)state;
    judge(t, p, LIST(2, 6), LIST(1, 5), NULL);
    judge(t, p, LIST(2, 6), LIST(1), "does not wait for a lock that t2 holds");
    judge(t, p, LIST(2, 6), LIST(1, 2, 5), "entry 3: event 5 cannot run");
    judge(t, p, LIST(2), LIST(1), "at least two");
    judge(t, p, LIST(2, 4), LIST(1), "does not wait for a lock");
    judge(t, p, LIST(2, 10), LIST(1), "belong to one thread");
    hd_trace_free(t);
    t = read_trace(in_wait);
    judge(t, p, LIST(7, 11), LIST(1, 2, 3, 4, 5, 6, 10), NULL);
    judge(t, p, LIST(7, 11), LIST(4, 5, 6, 1, 2, 3, 10), NULL); /* not notified: stuck as well */
    hd_trace_free(t);
}

static void expect_cycles(const char *text, const char *expected)
{
    struct hd_trace *t = read_trace(text);
    struct hd_vec cycles = HD_VEC_INIT(struct hd_cycle);
    struct hd_err err = {0};
    char got[200] = "";
    size_t at = 0;
    assert_int_equal(hd_enumerate_property_deadlocks(t, 0, &cycles, &err), HD_OK);
    for (size_t i = 0; i < cycles.len; i++) {
        const struct hd_cycle *cycle = hd_vec_at(&cycles, i);
        for (size_t k = 0; k < cycle->n; k++)
            at += (size_t)snprintf(got + at, sizeof got - at, "%u%s", cycle->events[k] + 1,
                                   k + 1 < cycle->n ? "-" : " ");
    }
    assert_string_equal(got, expected);
    hd_enumerate_property_cycles_fini(&cycles);
    hd_trace_free(t);
}

static void test_enumerate_deadlocks(void **state)
{
    (void)state;
    expect_cycles(opposite, "2-6 2-17 6-11 ");
    expect_cycles(in_wait, "2-11 7-11 ");
    expect_cycles(check_then_act, "");
}

static void test_enumerate_triples(void **state)
{
    struct hd_trace *t = read_trace(check_then_act);
    const struct hd_triple triples[] = {{1, 8, 4}, {4, 8, 4}, {1, 7, 4}};
    bool found[3];
    struct hd_err err = {0};
    (void)state;
    assert_int_equal(hd_enumerate_property_triples(t, triples, 3, 0, found, &err), HD_OK);
    assert_true(found[0] && !found[1] && found[2]);
    assert_int_equal(hd_enumerate_property_triples(t, triples, 3, 5, found, &err), HD_ERR_LIMIT);
    hd_trace_free(t);
}

static void test_files(void **state)
{
    struct hd_trace *t = read_trace(opposite);
    hd_eid events[] = {1, 5}, schedule[] = {0, 4};
    struct hd_witness back, w = {.property = HD_PROPERTY_DEADLOCK,
                                 .events = events,
                                 .n_events = 2,
                                 .schedule = schedule,
                                 .n = 2};
    struct hd_err err = {0};
    char *text = NULL;
    size_t len;
    (void)state;
    FILE *f = open_memstream(&text, &len);
    hd_witness_json_write(f, t, &w);
    fclose(f);
    assert_non_null(
        strstr(text, "\"property\": \"deadlock\", \"cycle\": [2, 6], \"schedule\": [1, 5]"));
    assert_int_equal(hd_witness_json_parse(text, len, "w", t, &back, &err), HD_OK);
    assert_int_equal(back.property, HD_PROPERTY_DEADLOCK);
    assert_int_equal(hd_witness_check(t, &back, NULL, &err), HD_OK);
    hd_witness_fini(&back);
    free(text);
    hd_trace_free(t);
}

/* A failure: any schedule that can run and ends in its one event. */
static void test_judge_failure(void **state)
{
    struct hd_trace *t = read_trace(opposite);
    hd_eid events[] = {4, 0}, schedule[] = {0, 4}, again[] = {4, 4};
    struct hd_witness back, w = {.property = HD_PROPERTY_FAILURE,
                                 .events = events,
                                 .n_events = 1,
                                 .schedule = schedule,
                                 .n = 2};
    struct hd_err err = {0};
    char *text = NULL;
    size_t len;
    (void)state;
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_OK);
    FILE *f = open_memstream(&text, &len);
    hd_witness_json_write(f, t, &w);
    fclose(f);
    assert_non_null(strstr(text, "\"property\": \"failure\", \"last\": [5]"));
    assert_int_equal(hd_witness_json_parse(text, len, "w", t, &back, &err), HD_OK);
    assert_int_equal(hd_witness_check(t, &back, NULL, &err), HD_OK);
    hd_witness_fini(&back);
    free(text);
    w.n_events = 2;
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_ERR_INPUT);
    w.n_events = 1;
    w.n = 1; /* ends in another event */
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_ERR_INPUT);
    w.n = 2;
    w.schedule = again; /* cannot run */
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_ERR_INPUT);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge_atomicity),     cmocka_unit_test(test_judge_deadlock),
        cmocka_unit_test(test_enumerate_deadlocks), cmocka_unit_test(test_enumerate_triples),
        cmocka_unit_test(test_judge_failure),       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
