/* What hides findings or compares them: rules that end, comments in the source, the baseline; and
 * the rules that are made for findings. */
#include "report/filter/baseline.h"
#include "report/filter/ignore.h"
#include "report/filter/rules.h"
#include "report/filter/suppress.h"
#include "report_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hd_finding *find(struct hd_report *r, const char *id)
{
    for (size_t i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id))
            return &r->findings[i];
    return NULL;
}

/* Whether the rule hides the race of the fixture on that day. */
static bool hides_on(const char *rule, const char *today, struct hd_rule_use *use)
{
    struct hd_suppressions *s = hd_suppress_new();
    struct hd_report *r = hd_fixture_bank();
    const char *why = NULL;
    size_t before = r->n_rules;
    hd_suppress_today(s, today);
    assert_true(hd_suppress_line(s, rule, "rules", 1, &why));
    hd_suppress_apply(s, r);
    assert_int_equal(r->n_rules, before + 1);
    bool hidden = !find(r, "R-7f3a9c12");
    *use = r->rules[before];
    static char reason[64], until[64];
    snprintf(reason, sizeof reason, "%s", r->rules[before].reason ? r->rules[before].reason : "");
    snprintf(until, sizeof until, "%s", r->rules[before].until ? r->rules[before].until : "");
    use->reason = reason;
    use->until = until;
    hd_report_free(r);
    hd_suppress_free(s);
    return hidden;
}

static void test_until(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *today, *reason, *until;
        bool hides, expired;
    } cases[] = {
        {"var:^balance$ until:2026-03-31", "2026-03-31", "", "2026-03-31", true, false},
        {"var:^balance$ until:2026-03-31", "2026-04-01", "", "2026-03-31", false, true},
        {"var:^balance$ until:2026-03-31", "", "", "2026-03-31", true, false},
        {"var:^balance$ reason: ticket 12 ", "2026-04-01", "ticket 12", "", true, false},
        {"id:R-7f3a9c12 until:2027-01-01 reason:a: b", "2026-04-01", "a: b", "2027-01-01", true,
         false},
        {"race:withdraw <-> withdraw until:2026-01-01 reason:x", "2026-04-01", "x", "2026-01-01",
         false, true},
        {"var:balance reason:not until: they pay", "2026-04-01", "not until: they pay", "", true,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_rule_use use;
        if (hides_on(cases[i].rule, cases[i].today, &use) != cases[i].hides)
            fail_msg("%s on %s", cases[i].rule, cases[i].today);
        assert_string_equal(use.reason, cases[i].reason);
        assert_string_equal(use.until, cases[i].until);
        assert_int_equal(use.expired, cases[i].expired);
    }
}

static void test_bad_dates(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "race:f until:",           "race:f until:tomorrow",     "race:f until:2026-13-01",
        "race:f until:2026-00-10", "race:f until:2026-1-1",     "race:f until:2026-01-32",
        "race:f until:20260101",   "race:f until:2026-01-01 x", "race:f until:2026-01-011"};
    struct hd_suppressions *s = hd_suppress_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = "";
        if (hd_suppress_line(s, bad[i], "rules", 1, &why))
            fail_msg("%s is taken", bad[i]);
        assert_non_null(strstr(why, "until:"));
    }
    hd_suppress_free(s);
}

/* A finding whose first access is at line 2 of this source. */
static bool ignored(const char *before, const char *line, struct hd_rule_use *use, size_t *notes)
{
    struct hd_report *r = hd_report_new();
    const char *lines[] = {before, line, "return;"};
    struct hd_access access = {.thread = "T1", .kind = "write", .at = {"a.c", 2, 1, "f"}};
    access.source = (struct hd_snippet){1, {lines, 3}, NULL};
    struct hd_access pair[2] = {{.thread = "T2", .kind = "read"}, access};
    struct hd_finding f = {.id = "R-1", .variable = "x", .accesses = pair, .n_accesses = 2};
    r->findings = hd_report_array(r, 2, sizeof f);
    r->findings[0] = r->findings[1] = f;
    r->n_findings = 2;
    hd_ignore_apply(r);
    bool hidden = r->n_findings == 0;
    assert_true(hidden || r->n_findings == 2);
    assert_int_equal(r->suppressed, hidden ? 2 : 0);
    assert_int_equal(r->n_rules, hidden);
    if (hidden) {
        static char reason[64];
        *use = r->rules[0];
        assert_string_equal(use->file, "a.c");
        assert_int_equal(use->used, 2);
        snprintf(reason, sizeof reason, "%s", use->reason ? use->reason : "");
        use->reason = reason;
    }
    *notes = r->notes.n;
    hd_report_free(r);
    return hidden;
}

static void test_ignore(void **state)
{
    (void)state;
    static const struct {
        const char *before, *line, *reason;
        uint32_t at; /* line of the comment; 0: not ignored */
    } cases[] = {
        {"", "x++; // heddle:ignore only a hint", "only a hint", 2},
        {"", "x++; /* heddle:ignore: why not */", "why not", 2},
        {"", "x++; //heddle:ignore", "", 2},
        {"  // heddle:ignore above", "x++;", "above", 1},
        {"/* heddle:ignore above */", "x++;", "above", 1},
        {"y++; // heddle:ignore belongs to y", "x++;", "", 0},
        {"", "x++; heddle:ignore", "", 0},
        {"", "x++; // heddle:ignored", "", 0},
        {"", "x++; // heddle:ignore-all", "", 0},
        {"", "x++; // heddle: ignore", "", 0},
        {"", "x++;", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hd_rule_use use = {0};
        size_t notes;
        if (ignored(cases[i].before, cases[i].line, &use, &notes) != (cases[i].at > 0))
            fail_msg("%s", cases[i].line);
        assert_int_equal(notes, cases[i].at && !*cases[i].reason);
        if (cases[i].at) {
            assert_string_equal(use.reason, cases[i].reason);
            assert_int_equal(use.line, cases[i].at);
        }
    }
}

static void test_baseline(void **state)
{
    (void)state;
    struct hd_report *r = hd_fixture_bank(), *old = hd_fixture_bank();
    struct hd_finding *lost = find(old, "R-55e0a3b9"), *kept = find(old, "R-7f3a9c12");
    lost->id = "R-99999999";
    find(old, "R-2c91f07a")->id = "R-11111111";
    kept->fingerprint = "7f3a9c1200000000";
    find(r, "R-7f3a9c12")->fingerprint = "7f3a9c1200000001"; /* another one with the same id */
    hd_baseline_apply(old, "old.json", r);
    assert_string_equal(r->baseline, "old.json");
    assert_true(find(r, "R-0b44d1ee")->known);
    assert_true(find(r, "R-a1a1a1a1")->known);
    assert_false(find(r, "R-55e0a3b9")->known);
    assert_false(find(r, "R-7f3a9c12")->known);
    assert_int_equal(r->n_gone, 3);
    assert_string_equal(r->gone[0].id, "R-11111111");
    assert_int_equal(r->gone[0].property, HD_PROPERTY_ATOMICITY);
    assert_string_equal(r->gone[1].id, "R-7f3a9c12");
    assert_string_equal(r->gone[2].id, "R-99999999");
    assert_int_equal(r->gone[2].status, HD_FINDING_OBSERVED);
    assert_non_null(strstr(r->gone[2].title, "Deadlock around"));
    hd_report_free(old);
    /* Against itself nothing is new and nothing gone, and the former comparison is forgotten. */
    old = hd_fixture_bank();
    find(old, "R-7f3a9c12")->fingerprint = "7f3a9c1200000001";
    hd_baseline_apply(old, "same.json", r);
    assert_int_equal(r->n_gone, 0);
    for (size_t i = 0; i < r->n_findings; i++)
        assert_true(r->findings[i].known);
    hd_report_free(old);
    hd_report_free(r);
}

/* Every rule that is made for a report, those that are commented out too, is one that we read, and
 * the plain ones hide all and nothing else. */
static void check_made(struct hd_report *r, bool errors_only)
{
    char *text = NULL, *save = NULL;
    size_t len = 0, n = errors_only ? hd_report_errors(r) : r->n_findings, left = r->n_findings - n;
    FILE *out = open_memstream(&text, &len);
    struct hd_suppressions *s = hd_suppress_new(), *wide = hd_suppress_new();
    hd_rules_write(out, r, errors_only);
    fclose(out);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *why = "";
        if (!hd_suppress_line(s, line, "made", 1, &why))
            fail_msg("%s: %s", line, why);
        if (line[0] == '#' && line[1] != ' ' && line[1] &&
            !hd_suppress_line(wide, line + 1, "made", 1, &why))
            fail_msg("%s: %s", line, why);
    }
    r->n_rules = 0;
    hd_suppress_apply(s, r);
    assert_int_equal(r->n_findings, left);
    assert_int_equal(r->n_rules, n);
    for (size_t i = 0; i < r->n_rules; i++)
        assert_int_equal(r->rules[i].used, 1);
    hd_suppress_free(s);
    hd_suppress_free(wide);
    hd_report_free(r);
    free(text);
}

static void test_made_rules(void **state)
{
    (void)state;
    check_made(hd_fixture_bank(), false);
    check_made(hd_fixture_bank(), true);
    check_made(hd_fixture_hostile(), false);
    check_made(hd_fixture_many(20, 10), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_until),      cmocka_unit_test(test_bad_dates),
        cmocka_unit_test(test_ignore),     cmocka_unit_test(test_baseline),
        cmocka_unit_test(test_made_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
