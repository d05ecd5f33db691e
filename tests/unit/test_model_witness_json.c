/* Witness files: round trip, every refusal, faults of the file system. */
#include "model/witness_json.h"
#include "trace/digest.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *text = "!control branches\n"
                          "t1|acq(m)\n"         /* 1 */
                          "t1|wait(c,m)\n"      /* 2 */
                          "\"q\" t|acq(n)\n"    /* 3 */
                          "\"q\" t|wait(c,n)\n" /* 4 */
                          "t3|sig(c)\n"         /* 5 */
                          "\"q\" t|wake(c,n)\n" /* 6 */
                          "\"q\" t|w(x,1)\n"    /* 7 */
                          "t3|w(x,2)\n";        /* 8 */

static int setup(void **state)
{
    struct hd_err err;
    struct hd_trace *t = NULL;
    assert_int_equal(hd_text_read(text, strlen(text), "test", &t, &err), HD_OK);
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    hd_trace_free(*state);
    return 0;
}

static struct hd_witness sample(const struct hd_trace *t, hd_eid *schedule, struct hd_wake *wake)
{
    static const hd_eid order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    memcpy(schedule, order, sizeof order);
    *wake = (struct hd_wake){4, t->thread[2]};
    return (struct hd_witness){
        .a = 6, .b = 7, .schedule = schedule, .n = 8, .wakes = wake, .n_wakes = 1};
}

static char *print(const struct hd_trace *t, size_t *len)
{
    hd_eid schedule[8];
    struct hd_wake wake;
    struct hd_witness w = sample(t, schedule, &wake);
    char *out = NULL;
    FILE *f = open_memstream(&out, len);
    hd_witness_json_write(f, t, &w);
    fclose(f);
    return out;
}

static void test_round_trip(void **state)
{
    const struct hd_trace *t = *state;
    size_t len;
    char *json = print(t, &len), expected[512], digest[HD_DIGEST_SIZE];
    hd_digest_trace(t, digest);
    snprintf(expected, sizeof expected,
             "{\"schema\": \"heddle-witness-1\", \"digest\": \"%s\", \"property\": \"race\", "
             "\"pair\": [7, 8], "
             "\"schedule\": [1, 2, 3, 4, 5, 6, 7, 8], \"wakes\": {\"5\": \"\\\"q\\\" t\"}}\n",
             digest);
    assert_string_equal(json, expected);
    struct hd_witness w;
    struct hd_err err;
    assert_int_equal(hd_witness_json_parse(json, len, "w.json", t, &w, &err), HD_OK);
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_OK);
    assert_int_equal(w.wakes[0].thread, t->thread[2]);
    hd_witness_fini(&w);
    free(json);
}

/* A witness with a long schedule is written as runs and read back. */
static void test_runs(void **state)
{
    enum { MANY = 12000 };
    (void)state;
    char *trace = NULL, *json = NULL;
    size_t len;
    FILE *f = open_memstream(&trace, &len);
    for (int i = 0; i < MANY; i++)
        fprintf(f, "%s|w(%c,%d)\n", i % 3 ? "one" : "two", i % 3 ? 'x' : 'y', i);
    fprintf(f, "one|w(z,1)\ntwo|w(z,2)\n");
    fclose(f);
    struct hd_trace *t;
    struct hd_err err = {0};
    assert_int_equal(hd_text_read(trace, len, "long", &t, &err), HD_OK);
    hd_eid *schedule = malloc((MANY + 2) * sizeof *schedule);
    size_t n = 0;
    for (int wanted = 0; wanted < 2; wanted++)
        for (hd_eid e = 0; e < MANY; e++)
            if ((e % 3 == 0) == wanted)
                schedule[n++] = e;
    schedule[n++] = MANY;
    schedule[n++] = MANY + 1;
    struct hd_witness w = {.a = MANY, .b = MANY + 1, .schedule = schedule, .n = n}, again;
    f = open_memstream(&json, &len);
    hd_witness_json_write(f, t, &w);
    fclose(f);
    assert_null(strstr(json, "\"schedule\""));
    assert_non_null(
        strstr(json, "\"runs\": {\"form\": 1, \"entries\": 12002, \"list\": [[\"one\", 8000], "
                     "[\"two\", 4000], [\"one\", 1], [\"two\", 1]]}"));
    assert_int_equal(hd_witness_json_parse(json, len, "w.json", t, &again, &err), HD_OK);
    assert_int_equal(again.n, n);
    assert_memory_equal(again.schedule, schedule, n * sizeof *schedule);
    assert_int_equal(hd_witness_check(t, &again, NULL, &err), HD_OK);
    hd_witness_fini(&again);
    free(json);
    for (size_t i = 0; i < MANY; i++) /* the observed order: runs of one and two events */
        schedule[i] = (hd_eid)i;
    f = open_memstream(&json, &len);
    hd_witness_json_write(f, t, &w);
    fclose(f);
    assert_non_null(strstr(json, "\"schedule\": [1, 2, 3, "));
    free(json);
    free(schedule);
    free(trace);
    hd_trace_free(t);
}

struct refusal {
    const char *json; /* @ stands for the digest */
    const char *reason;
};

#define HEAD "{\"schema\": \"heddle-witness-1\", \"digest\": \"@\", "

#define RUNS(n) HEAD "\"pair\": [7, 8], \"runs\": {\"form\": 1, \"entries\": " n ", \"list\": "

static const struct refusal refusals[] = {
    {"", "not JSON"},
    {"{", "not JSON"},
    {"[]", "not a JSON object"},
    {"{}", "no \"schema\""},
    {"{\"schema\": 1}", "no \"schema\""},
    {"{\"schema\": \"heddle-witness-2\"}",
     "the schema is \"heddle-witness-2\", not \"heddle-witness-1\""},
    {"{\"schema\": \"heddle-witness-1\"}", "no \"digest\""},
    {"{\"schema\": \"heddle-witness-1\", \"digest\": \"hd1-00\"}",
     "the witness belongs to another trace: its digest is hd1-00, that of this trace is hd1-"},
    {HEAD "\"schedule\": [7, 8]}", "\"pair\" must be two event numbers from 1 to 8"},
    {HEAD "\"pair\": [7], \"schedule\": [7, 8]}", "\"pair\" must be two event numbers"},
    {HEAD "\"pair\": [0, 7], \"schedule\": [7, 8]}", "\"pair\" must be two event numbers"},
    {HEAD "\"pair\": [7, 9], \"schedule\": [7, 8]}", "\"pair\" must be two event numbers"},
    {HEAD "\"pair\": [7, 8]}", "\"schedule\" must be an array"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"runs\": {}}", "only one of them"},
    {HEAD "\"pair\": [7, 8], \"runs\": 7}", "a form of \"runs\" that this version does not know"},
    {HEAD "\"pair\": [7, 8], \"runs\": {\"form\": 2}}", "this version does not know"},
    {HEAD "\"pair\": [7, 8], \"runs\": {\"form\": 1, \"entries\": 1}}", "must have a \"list\""},
    {RUNS("9") "[]}}", "at most 8 \"entries\""},
    {RUNS("3") "[]}}", "\"runs\" has 0 events, not 3"},
    {RUNS("3") "[[\"t1\", 2]]}}", "\"runs\" has 2 events, not 3"},
    {RUNS("3") "[[\"t1\"]]}}", "run 1 must be the name of a thread and a number"},
    {RUNS("3") "[[\"t1\", 0]]}}", "run 1 must be the name of a thread and a number"},
    {RUNS("3") "[[\"t1\", 1], 7]}}", "run 2 must be the name of a thread and a number"},
    {RUNS("3") "[[\"t9\", 1]]}}", "run 1: there is no thread t9"},
    {RUNS("3") "[[\"t1\", 3]]}}", "run 1: thread t1 has not so many events left"},
    {RUNS("1") "[[\"t1\", 2]]}}", "run 1: thread t1 has not so many events left"},
    {HEAD "\"property\": \"magic\", \"pair\": [7, 8]}",
     "must be race, atomicity, deadlock or failure"},
    {HEAD "\"property\": 7, \"pair\": [7, 8]}", "must be race, atomicity, deadlock or failure"},
    {HEAD "\"property\": \"atomicity\", \"pair\": [7, 8]}", "\"triple\" must be an array"},
    {HEAD "\"property\": \"deadlock\", \"cycle\": [1, 9]}",
     "entry 2 of \"cycle\" must be an event number from 1 to 8"},
    {HEAD "\"pair\": [7, 8], \"schedule\": 7}", "\"schedule\" must be an array"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8.0]}",
     "entry 2 of \"schedule\" must be an event number from 1 to 8"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [-1, 8]}", "entry 1 of \"schedule\""},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 4294967304]}", "entry 2 of \"schedule\""},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": []}", "\"wakes\" must map"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"4\": \"t1\"}}",
     "\"4\" in \"wakes\" is not the number of a sig event"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"05\": \"t1\"}}",
     "is not the number of a sig"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"\": \"t1\"}}",
     "is not the number of a sig"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"9\": \"t1\"}}",
     "is not the number of a sig"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"99999999999\": \"t1\"}}",
     "is not the number of a sig"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"5\": \"t9\"}}",
     "event 5 in \"wakes\" must name a thread of the trace, not t9"},
    {HEAD "\"pair\": [7, 8], \"schedule\": [7, 8], \"wakes\": {\"5\": 1}}",
     "must name a thread of the trace"},
    {HEAD "\"pair\": [7, 8], \"pair\": [7, 8], \"schedule\": [7, 8]}", "duplicate"},
};

static void fill(const struct hd_trace *t, const char *pattern, char *out, size_t cap)
{
    char digest[HD_DIGEST_SIZE];
    hd_digest_trace(t, digest);
    const char *at = strchr(pattern, '@');
    if (at)
        snprintf(out, cap, "%.*s%s%s", (int)(at - pattern), pattern, digest, at + 1);
    else
        snprintf(out, cap, "%s", pattern);
}

static void test_refusals(void **state)
{
    const struct hd_trace *t = *state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        char json[512];
        struct hd_err err = {0};
        struct hd_witness w;
        fill(t, refusals[i].json, json, sizeof json);
        if (hd_witness_json_parse(json, strlen(json), "w.json", t, &w, &err) != HD_ERR_INPUT)
            fail_msg("accepted: %s", json);
        if (!strstr(err.text, refusals[i].reason))
            fail_msg("%s\n%s", json, err.text);
        assert_string_equal(err.file, "w.json");
        assert_null(w.schedule);
        assert_null(w.wakes);
    }
}

static void test_extra_fields_and_no_wakes(void **state)
{
    const struct hd_trace *t = *state;
    char json[512];
    struct hd_err err;
    struct hd_witness w;
    fill(t, HEAD "\"new\": {\"a\": []}, \"pair\": [7, 8], \"schedule\": [3, 4, 5, 6, 7, 8]}", json,
         sizeof json);
    assert_int_equal(hd_witness_json_parse(json, strlen(json), "w.json", t, &w, &err), HD_OK);
    assert_int_equal(w.n_wakes, 0);
    assert_int_equal(hd_witness_check(t, &w, NULL, &err), HD_OK); /* one waiter: no choice needed */
    hd_witness_fini(&w);
}

static void test_files(void **state)
{
    const struct hd_trace *t = *state;
    const char *path = HD_TEST_TMP "/witness.json";
    struct hd_err err = {0};
    struct hd_witness w;
    size_t len;
    char *json = print(t, &len);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(json, 1, len, f);
    fclose(f);
    free(json);
    assert_int_equal(hd_witness_json_load(path, t, &w, &err), HD_OK);
    assert_int_equal(w.n, 8);
    hd_witness_fini(&w);
    assert_int_equal(remove(path), 0);
    assert_int_equal(hd_witness_json_load(path, t, &w, &err), HD_ERR_IO);
    assert_string_equal(err.file, path);
    assert_int_equal(hd_witness_json_load(HD_TEST_TMP, t, &w, &err), HD_ERR_IO);
    assert_non_null(strstr(err.text, "cannot read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_extra_fields_and_no_wakes),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
