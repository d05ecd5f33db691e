/* Patterns and rules, pages of 80 columns, ids, source lines. */
#include "base/alloc.h"
#include "report/data/id.h"
#include "report/format/page.h"
#include "report/filter/suppress.h"
#include "report/format/report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_glob(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool match;
    } cases[] = {
        {"abc", "xabcx", true},    {"abc", "ab", false},
        {"^abc", "abcx", true},    {"^abc", "xabc", false},
        {"abc$", "xabc", true},    {"abc$", "abcx", false},
        {"^abc$", "abc", true},    {"^abc$", "abcc", false},
        {"a*c", "xabbcx", true},   {"^a*c$", "abbc", true},
        {"^a*c$", "abbcd", false}, {"^a*b*c$", "aXbXbYc", true},
        {"*", "x", true},          {"x", "", false},
        {"a*", "b", false},        {"lib*.so", "libx.so", true},
        {"^*c$", "abc", true},     {"^a*$", "a", true},
        {"a*c$", "acxc", true},    {"^aab$", "aaab", false},
        {"aab", "aaab", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (hd_suppress_glob(cases[i].pattern, cases[i].text) != cases[i].match)
            fail_msg("%s on %s", cases[i].pattern, cases[i].text);
    assert_false(hd_suppress_glob("x", NULL));
}

/* Stacks f1 f2 f3 (a.c, libm.so+1) and g1; variable "queue.head". */
static void fill(struct hd_report *r, struct hd_finding *f)
{
    static const char *const names[] = {"f1", "f2", "f3"};
    *f = (struct hd_finding){.id = "R-123456", .fingerprint = "123456", .variable = "queue.head"};
    f->n_accesses = 2;
    f->accesses = hd_report_array(r, 2, sizeof *f->accesses);
    f->accesses[0] = (struct hd_access){.thread = "T1", .kind = "read"};
    f->accesses[0].stack.n = 3;
    f->accesses[0].stack.frames = hd_report_array(r, 3, sizeof(struct hd_frame));
    for (int i = 0; i < 3; i++)
        f->accesses[0].stack.frames[i] =
            (struct hd_frame){{"src/a.c", 1, 1, names[i]}, "libm.so+0x1"};
    f->accesses[1] = (struct hd_access){.thread = "T2", .kind = "write"};
    f->accesses[1].stack.n = 1;
    f->accesses[1].stack.frames = hd_report_array(r, 1, sizeof(struct hd_frame));
    f->accesses[1].stack.frames[0] = (struct hd_frame){{"b.c", 2, 2, "g1"}, NULL};
}

static bool hides(const char *rule, enum hd_property property)
{
    struct hd_suppressions *s = hd_suppress_new();
    struct hd_report *r = hd_report_new();
    const char *why = "";
    r->n_findings = 1;
    r->findings = hd_report_array(r, 1, sizeof *r->findings);
    fill(r, &r->findings[0]);
    r->findings[0].property = property;
    assert_true(hd_suppress_line(s, rule, "rules", 3, &why));
    hd_suppress_apply(s, r);
    bool hidden = r->n_findings == 0;
    assert_int_equal(r->suppressed, hidden);
    assert_int_equal(r->n_rules, 1);
    assert_int_equal(r->rules[0].used, hidden);
    assert_int_equal(r->rules[0].line, 3);
    hd_report_free(r);
    hd_suppress_free(s);
    return hidden;
}

static void test_rules(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        bool race, deadlock;
    } cases[] = {
        {"race:f2", true, false},
        {"race:^f2$\r\n", true, false},
        {" race : f9", false, false},
        {"race:src/a.c", true, false},
        {"race:head$", true, false},
        {"race_top:f1", true, false},
        {"race_top:f2", false, false},
        {"race_top:g1", true, false},
        {"race:f1;f2", true, false},
        {"race:f2;f3", true, false},
        {"race:f1;f3", false, false},
        {"race:f3;f4", false, false},
        {"race:f3 <-> g1", true, false},
        {"race:g1<->f1", true, false},
        {"race:f1 <-> f2", false, false},
        {"race_top:f2 <-> g1", false, false},
        {"deadlock:f3", false, true},
        {"called_from_lib:libm.so", true, true},
        {"called_from_lib:libc", false, false},
        {"var:^queue.", true, true},
        {"var:tail", false, false},
        {"id:R-123456", true, true},
        {"id:R-12", false, false},
        {"mutex:f1", false, false},
        {"thread:f1", false, false},
        {"signal:f1", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (hides(cases[i].rule, HD_PROPERTY_RACE) != cases[i].race)
            fail_msg("race: %s", cases[i].rule);
        if (hides(cases[i].rule, HD_PROPERTY_DEADLOCK) != cases[i].deadlock)
            fail_msg("deadlock: %s", cases[i].rule);
    }
}

static void test_bad_rules(void **state)
{
    (void)state;
    static const char *const bad[] = {"f",          "what:f",   ":f",
                                      "race:",      "race:  ",  "race: <-> g",
                                      "race:f <->", "race f:g", "var:a <-> b"};
    static const char *const fine[] = {"", "  ", "# comment", "  # race:", "\n"};
    struct hd_suppressions *s = hd_suppress_new();
    struct hd_report *r = hd_report_new();
    const char *why = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (hd_suppress_line(s, bad[i], "rules", 1, &why))
            fail_msg("%s is taken", bad[i]);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_true(hd_suppress_line(s, fine[i], "rules", 1, &why));
    hd_suppress_apply(s, r);
    assert_int_equal(r->n_rules, 0);
    hd_report_free(r);
    hd_suppress_free(s);
}

static void test_page(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    struct hd_page p;
    FILE *out = open_memstream(&text, &len);
    hd_page_init(&p, out, false);
    hd_page_begin(&p, 2, 4);
    for (int i = 0; i < 30; i++)
        hd_page_words(&p, "word%d ", i);
    hd_page_words(&p, "a\x1b[31mb\xc2\x9b"
                      "c");
    hd_page_end(&p);
    hd_page_begin(&p, 0, 0);
    hd_page_raw(&p,
                "\ta  b\xc3\xa4\x07"
                "0123456789",
                12);
    hd_page_end(&p);
    fclose(out);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "a?[31mb?c\n"));
    assert_non_null(strstr(text, "\n    a  b\xc3\xa4...\n"));
    unsigned width = 0;
    for (const char *at = text; *at; at++) {
        width = *at == '\n' ? 0 : width + 1;
        assert_true(width <= 81); /* bytes: one character has two */
    }
    free(text);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void id_of(struct hd_report *r, uint32_t line_a, uint32_t line_b, bool swap,
                  const char *variable, const char **id)
{
    struct hd_sources *s = hd_sources_new();
    struct hd_finding f = {.n_accesses = 2};
    struct hd_access pair[2] = {
        {.kind = "read", .thread = "T1", .at = {HD_TEST_TMP "/id.c", line_a, 1, "f"}},
        {.kind = "write", .thread = "T2", .at = {HD_TEST_TMP "/id.c", line_b, 1, "g"}}};
    f.accesses = hd_report_array(r, 2, sizeof *f.accesses);
    f.accesses[swap] = pair[0];
    f.accesses[!swap] = pair[1];
    hd_id_set(r, &f, variable, s);
    *id = f.id;
    hd_sources_free(s);
}

static void test_id(void **state)
{
    (void)state;
    struct hd_report *r = hd_report_new();
    const char *one, *other;
    write_file(HD_TEST_TMP "/id.c", "x = 1;\n  y = x;\n");
    id_of(r, 1, 2, false, "x", &one);
    assert_int_equal(strlen(one), 8);
    id_of(r, 1, 2, true, "x", &other);
    assert_string_equal(one, other); /* the order does not count */
    id_of(r, 1, 2, false, "y", &other);
    assert_string_not_equal(one, other);
    id_of(r, 1, 1, false, "x", &other);
    assert_string_not_equal(one, other);
    write_file(HD_TEST_TMP "/id.c", "\n\n\tx  =  1;\r\n\ny = x;\n");
    id_of(r, 3, 5, false, "x", &other);
    assert_string_equal(one, other); /* neither lines nor spaces */
    write_file(HD_TEST_TMP "/id.c", "x = 2;\ny = x;\n");
    id_of(r, 1, 2, false, "x", &other);
    assert_string_not_equal(one, other);
    write_file(HD_TEST_TMP "/id.c", "x = 1;\n}\nx = 1;\ny = x;\nx=1;\n");
    id_of(r, 3, 4, false, "x", &other);
    assert_string_equal(one, other); /* an equal line of another function is none of ours */
    id_of(r, 5, 4, false, "x", &other);
    assert_string_not_equal(one, other); /* the second of two equal lines */
    unlink(HD_TEST_TMP "/id.c");
    id_of(r, 1, 2, false, "x", &one);
    id_of(r, 1, 3, false, "x", &other);
    assert_string_not_equal(one, other); /* without the source only numbers are left */
    /* The hash is part of the format: baselines of old versions must go on to match. */
    id_of(r, 1, 2, false, "x", &other);
    assert_string_equal(other, "R-1252ce");
    hd_report_free(r);
}

static void test_snippet(void **state)
{
    (void)state;
    struct hd_report *r = hd_report_new();
    struct hd_sources *s = hd_sources_new();
    struct hd_snippet snippet;
    hd_sources_folder(s, HD_TEST_TMP);
    write_file(HD_TEST_TMP "/snippet.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13");
    struct hd_spot at = {"snippet.c", 11, 0, NULL};
    hd_sources_snippet(s, r, &at, &snippet);
    assert_int_equal(snippet.first, 3);
    assert_int_equal(snippet.lines.n, 11);
    assert_string_equal(snippet.lines.items[10], "13");
    at.line = 14;
    hd_sources_snippet(s, r, &at, &snippet);
    assert_int_equal(snippet.lines.n, 0);
    assert_string_equal(snippet.missing, "the source file has fewer lines now");
    at.file = "nowhere.c";
    hd_sources_snippet(s, r, &at, &snippet);
    assert_string_equal(snippet.missing, "the source file was not found");
    at.file = "."; /* a folder */
    hd_sources_snippet(s, r, &at, &snippet);
    assert_non_null(snippet.missing);
    at.file = NULL;
    hd_sources_snippet(s, r, &at, &snippet);
    assert_string_equal(snippet.missing, "the place in the source is not known");
    hd_sources_free(s);
    hd_report_free(r);
    unlink(HD_TEST_TMP "/snippet.c");
}

/* Names and lines that try to be something else: no control character comes out, no line is
 * endless, and nothing crashes on what is not known. */
static void test_hostile_text(void **state)
{
    (void)state;
    struct hd_report *r = hd_report_new();
    char *text = NULL, *longest = malloc(10001);
    size_t len = 0;
    memset(longest, 'x', 10000);
    longest[10000] = 0;
    r->n_findings = 2;
    r->findings = hd_report_array(r, 2, sizeof *r->findings);
    fill(r, &r->findings[0]);
    struct hd_finding *f = &r->findings[1];
    fill(r, f);
    f->variable = "\x1b]0;title\x07<script>\"'\xff\xfe";
    f->accesses[0].thread = "\r\n\x1b[2J";
    f->accesses[0].at = (struct hd_spot){"a\nb.c", 1, 0,
                                         "\xc2\x9b"
                                         "31m"};
    f->accesses[0].source.first = 1;
    hd_report_add(r, &f->accesses[0].source.lines, longest);
    f->effects[0].summary = "exit 0\x1b[1m";
    f->effects[1] = (struct hd_effect){.summary = "x", .output_diff = "-\x1b\n+\n+"};
    f->reason = "\x1b";
    FILE *out = open_memstream(&text, &len);
    hd_report_text_write(out, r, false);
    fclose(out);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 && text[i] != '\n')
            fail_msg("byte %02x", (unsigned char)text[i]);
    assert_null(strstr(text, "\xc2\x9b"));
    assert_null(strstr(
        text,
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
    free(text);
    free(longest);
    hd_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glob),         cmocka_unit_test(test_rules),
        cmocka_unit_test(test_bad_rules),    cmocka_unit_test(test_page),
        cmocka_unit_test(test_id),           cmocka_unit_test(test_snippet),
        cmocka_unit_test(test_hostile_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
