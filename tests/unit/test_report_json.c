/* Reports as JSON: what is written is read back, and what is malformed is refused. */
#include "base/alloc.h"
#include "report/format/report_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *written(const struct hd_report *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    hd_report_json_write(out, r);
    fclose(out);
    return text;
}

static void fill_access(struct hd_report *r, struct hd_access *a, const char *kind)
{
    *a = (struct hd_access){
        .thread = "T1.1", .kind = kind, .size = 4, .value = "5 -> 6", .event = 7};
    a->at = (struct hd_spot){"a \"quoted\" <b>.c", 12, 3, "f\xc3\xa4n"};
    a->locks = hd_report_array(r, 2, sizeof *a->locks);
    a->n_locks = 2;
    a->locks[0] = (struct hd_held){.name = "m", .taken = {"a.c", 9, 1, "g"}, .event = 7};
    a->locks[0].stack = (struct hd_stack){hd_report_array(r, 1, sizeof(struct hd_frame)), 1};
    a->locks[0].stack.frames[0].at = a->locks[0].taken;
    a->locks[1] = (struct hd_held){.name = "rw", .shared = true};
    a->stack.frames = hd_report_array(r, 1, sizeof *a->stack.frames);
    a->stack.n = 1;
    a->stack.frames[0] = (struct hd_frame){a->at, "libx.so+0x12"};
    a->source.first = 10;
    hd_report_add(r, &a->source.lines, "\tint x;\x01");
    hd_report_add(r, &a->source.lines, "");
    a->source.missing = NULL;
}

static void fill_finding(struct hd_report *r, struct hd_finding *f, const char *id)
{
    *f = (struct hd_finding){.id = id, .variable = "x", .status = HD_FINDING_PREDICTED};
    f->reason = "not tried";
    f->n_accesses = f->n_steps = 2;
    f->accesses = hd_report_array(r, 2, sizeof *f->accesses);
    fill_access(r, &f->accesses[0], "read");
    fill_access(r, &f->accesses[1], "write");
    f->steps = hd_report_array(r, 2, sizeof *f->steps);
    f->recorded = hd_report_array(r, 2, sizeof *f->recorded);
    for (uint32_t i = 0; i < 2; i++) {
        f->steps[i] = (struct hd_schedule_step){.thread = "T1", .op = "w", .object = "x"};
        f->steps[i].racing = i == 1;
        f->recorded[i] = 1 - i;
    }
    f->effects[0] = (struct hd_effect){.summary = "exit 0", .exit_status = 0};
    f->effects[1] = (struct hd_effect){.summary = "killed", .exit_status = -1, .signal = 11};
    f->effects[1].deadlock = true;
    f->replays_confirmed = 1;
    f->replays_tried = 3;
    f->duplicates = 4;
    f->known = true;
    f->block = 12;
    f->block_stack = f->accesses[0].stack;
    f->stacks = "why not";
    f->n_locks = 1;
    f->locks = hd_report_array(r, 1, sizeof *f->locks);
    f->locks[0] = (struct hd_lock_made){.name = "m", .made = true, .event = 7};
    f->locks[0].stack = f->accesses[0].stack;
}

static struct hd_report *full_report(void)
{
    struct hd_report *r = hd_report_new();
    r->tool_version = "0.1";
    hd_report_add(r, &r->program, "./a");
    hd_report_add(r, &r->program, "an argument");
    hd_report_add(r, &r->notes, "a note");
    r->events = UINT32_MAX * UINT64_C(5);
    r->seconds = 1.25;
    r->exit_status = -1;
    r->signal = 6;
    r->interrupted = true;
    r->n_findings = 2;
    r->findings = hd_report_array(r, 2, sizeof *r->findings);
    fill_finding(r, &r->findings[0], "R-000001");
    fill_finding(r, &r->findings[1], "R-000002");
    r->n_rules = 1;
    r->rules = hd_report_array(r, 1, sizeof *r->rules);
    r->rules[0] = (struct hd_rule_use){"race:x", "s.txt", 3, 0, "r", "2026-01-01", true};
    r->baseline = "b.json";
    r->n_gone = 1;
    r->gone = hd_report_array(r, 1, sizeof *r->gone);
    r->gone[0] =
        (struct hd_gone){"R-000003", "f", HD_PROPERTY_DEADLOCK, HD_FINDING_PREDICTED, "v", "title"};
    return r;
}

static void test_round_trip(void **state)
{
    (void)state;
    size_t before = hd_alloc_in_use();
    struct hd_report *r = full_report(), *again = NULL;
    struct hd_err err = {0};
    char *one = written(r);
    assert_int_equal(hd_report_json_parse(one, strlen(one), "x", &again, &err), HD_OK);
    char *two = written(again);
    assert_string_equal(one, two);
    const struct hd_finding *f = &again->findings[1];
    assert_string_equal(f->accesses[0].at.function, "f\xc3\xa4n");
    assert_string_equal(f->accesses[0].source.lines.items[0], "\tint x;\x01");
    assert_true(f->accesses[1].locks[1].shared);
    assert_null(f->accesses[1].locks[1].taken.file);
    assert_int_equal(f->recorded[0], 1);
    assert_int_equal(f->effects[1].signal, 11);
    assert_int_equal(again->exit_status, -1);
    assert_true(again->events == UINT32_MAX * UINT64_C(5));
    free(one);
    free(two);
    hd_report_free(r);
    hd_report_free(again);
    assert_int_equal(hd_alloc_in_use(), before);
}

static void refused(const char *text, const char *why)
{
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    assert_int_equal(hd_report_json_parse(text, strlen(text), "x.json", &r, &err), HD_ERR_INPUT);
    assert_null(r);
    assert_string_equal(err.file, "x.json");
    if (!strstr(err.text, why))
        fail_msg("%s: said \"%s\", not \"%s\"", text, err.text, why);
}

#define HEAD "{\"schema\": \"heddle-report-1\", "
#define RACE HEAD "\"races\": [{\"id\": \"R-1\", \"variable\": \"x\", "
#define PAIR                                                                                       \
    "\"accesses\": [{\"thread\": \"a\", \"kind\": \"read\"}, {\"thread\": \"b\", \"kind\": "       \
    "\"w\"}]"

static void test_refusals(void **state)
{
    (void)state;
    refused("", "not JSON");
    refused("{\"schema\": ", "not JSON");
    refused("[]", "no \"schema\"");
    refused("{\"schema\": \"heddle-report-2\"}", "the schema is \"heddle-report-2\"");
    refused(HEAD "\"events\": -1}", "\"events\" must be a whole number from 0");
    refused(HEAD "\"events\": 1.5}", "\"events\" must be a whole number");
    refused(HEAD "\"program\": \"a\"}", "\"program\" must be an array");
    refused(HEAD "\"program\": [null]}", "\"program\" must be a string");
    refused(HEAD "\"seconds\": 3}", "\"seconds\" must be an object");
    refused(HEAD "\"interrupted\": 0}", "\"interrupted\" must be true or false");
    refused(HEAD "\"races\": [1]}", "\"races\" must be an array of objects");
    refused(HEAD "\"races\": [{}]}", "\"id\" is missing");
    refused(RACE "\"status\": \"maybe\"}]}", "\"status\" is not one that is known");
    refused(RACE "\"accesses\": []}]}", "R-1: too few \"accesses\"");
    refused(RACE "\"property\": \"atomicity\", " PAIR "}]}", "R-1: too few \"accesses\"");
    refused(RACE PAIR ", \"schedule\": [{\"thread\": \"a\", \"op\": \"w\"}]}]}",
            "\"recorded\" is missing");
    refused(RACE PAIR ", \"schedule\": [{\"thread\": \"a\", \"op\": \"w\"}], \"recorded\": [1]}]}",
            "\"recorded\" must be a permutation");
    refused(RACE PAIR ", \"recorded\": [0]}]}", "\"recorded\" must be as long as");
    refused(HEAD "\"events\": 1, \"events\": 2}", "not JSON");
}

/* A report with no more than docs/MODEL.md section 6 shows, and one with fields of the future. */
static void test_small(void **state)
{
    (void)state;
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    const char text[] =
        RACE "\"later\": {}, \"accesses\": [{\"thread\": \"a\", \"kind\": \"read\", "
             "\"locks\": [\"l\"]}, {\"thread\": \"b\", \"kind\": \"write\"}]}]}";
    assert_int_equal(hd_report_json_parse(text, strlen(text), "x", &r, &err), HD_OK);
    assert_int_equal(r->findings[0].accesses[0].n_locks, 1);
    assert_string_equal(r->findings[0].accesses[0].locks[0].name, "l");
    assert_int_equal(r->findings[0].status, HD_FINDING_CONFIRMED);
    hd_report_free(r);
}

static void test_merging(void **state)
{
    (void)state;
    struct hd_report *r = hd_report_new();
    r->n_findings = 5;
    r->findings = hd_report_array(r, 5, sizeof *r->findings);
    static const char *const prints[] = {"aaaaaa0000000001", "bbbbbb0000000000", "aaaaaa0000000001",
                                         "aaaaaa0000000002", "aaaaaa0000000001"};
    for (size_t i = 0; i < 5; i++) {
        fill_finding(r, &r->findings[i], "R-aaaaaa");
        r->findings[i].fingerprint = prints[i];
        r->findings[i].duplicates = 0;
        r->findings[i].known = false;
    }
    r->findings[1].id = "R-bbbbbb";
    r->findings[4].status = HD_FINDING_CONFIRMED;
    hd_report_settle(r);
    assert_int_equal(r->n_findings, 3);
    assert_string_equal(r->findings[0].id, "R-aaaaaa0000000001"); /* confirmed: first */
    assert_int_equal(r->findings[0].duplicates, 2);
    assert_int_equal(r->findings[0].status, HD_FINDING_CONFIRMED);
    assert_string_equal(r->findings[1].id, "R-aaaaaa0000000002");
    assert_string_equal(r->findings[2].id, "R-bbbbbb");
    assert_int_equal(hd_report_errors(r), 1);
    hd_report_free(r);
}

/* A race of both forms is reported in the first, though its schedule is longer. */
static void test_merging_forms(void **state)
{
    (void)state;
    struct hd_report *r = hd_report_new();
    r->n_findings = 2;
    r->findings = hd_report_array(r, 2, sizeof *r->findings);
    for (size_t i = 0; i < 2; i++) {
        fill_finding(r, &r->findings[i], "R-aaaaaa");
        r->findings[i].fingerprint = "aaaaaa0000000001";
        r->findings[i].form = i ? "simultaneous" : "unordered";
    }
    r->findings[0].n_steps = 1;
    hd_report_settle(r);
    assert_int_equal(r->n_findings, 1);
    assert_string_equal(r->findings[0].form, "simultaneous");
    hd_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_small),         cmocka_unit_test(test_merging),
        cmocka_unit_test(test_merging_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
