/* File names for people. */
#include "report/format/paths.h"
#include "report_fixture.h"

#include "report/format/report_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *root, *file, *expected;
    } cases[] = {
        {"/y/me/project", "/y/me/project/src/a.c", "src/a.c"},
        {"/y/me/project/", "/y/me/project//src/a.c", "src/a.c"},
        {"/y/me/project/build", "/y/me/project/src/a.c", "../src/a.c"},
        {"/y/me/project/build/x", "/y/me/project/src/a.c", "../../src/a.c"},
        {"/y/me/project", "/y/me/projects/a.c", "../projects/a.c"},
        {"/y/me/project", "/usr/include/x.h", "/usr/include/x.h"},
        {"/y/me/project", "/y/you/a.c", "/y/you/a.c"},
        {"/a", "/a/b.c", "b.c"},
        {"/a", "/b/b.c", "/b/b.c"},
        {"/", "/b/b.c", "/b/b.c"},
        {"/a/b", "src/a.c", "src/a.c"},
        {"/a/b", "/a/b", "/a/b"},
        {NULL, "/a/b", "/a/b"},
    };
    struct hd_report *r = hd_report_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(hd_paths_of(r, cases[i].root, cases[i].file), cases[i].expected);
    assert_null(hd_paths_of(r, "/a", NULL));
    hd_report_free(r);
}

static char *json_of(const struct hd_report *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    hd_report_json_write(out, r);
    fclose(out);
    return text;
}

/* Names everywhere, in sentences too, and afterwards all is as before. */
static void test_report(void **state)
{
    (void)state;
    struct hd_report *r = hd_fixture_bank();
    struct hd_paths paths;
    struct hd_finding *f = &r->findings[0];
    f->accesses[0].at.file = f->accesses[0].stack.frames[0].at.file = "/w/p/src/bank.c";
    f->steps[0].at.file = f->threads[1].at.file = "/w/p/src/bank.c";
    f->location = "heap block (8 bytes) from /w/p/src/bank.c:3";
    f->why = "it (/w/p/a.c:1) and '/w/p/b.c:2', not x/w/p/c.c or /w/pq; end /w/p/d.c";
    f->accesses[0].value = "/w/p/value";
    hd_report_add(r, &r->notes, "/w/p/a.c:1 and /w/p/b.c:2");
    char *before = json_of(r);
    hd_paths_shorten(&paths, r, "/w/p");
    assert_string_equal(f->accesses[0].at.file, "src/bank.c");
    assert_string_equal(f->accesses[0].stack.frames[0].at.file, "src/bank.c");
    assert_string_equal(f->steps[0].at.file, "src/bank.c");
    assert_string_equal(f->threads[1].at.file, "src/bank.c");
    assert_string_equal(f->location, "heap block (8 bytes) from src/bank.c:3");
    assert_string_equal(f->why, "it (a.c:1) and 'b.c:2', not x/w/p/c.c or /w/pq; end d.c");
    assert_string_equal(f->accesses[0].value, "/w/p/value");
    assert_string_equal(r->notes.items[r->notes.n - 1], "a.c:1 and b.c:2");
    hd_paths_restore(&paths);
    char *after = json_of(r);
    assert_string_equal(before, after);
    free(before);
    free(after);
    hd_report_free(r);
}

static void test_hostile(void **state)
{
    (void)state;
    struct hd_report *r = hd_fixture_hostile();
    struct hd_paths paths;
    char *before = json_of(r);
    hd_paths_shorten(&paths, r, "/td");
    hd_paths_restore(&paths);
    char *after = json_of(r);
    assert_string_equal(before, after);
    free(before);
    free(after);
    hd_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
