/* What the formats share: escapes, sentences, lanes. The formats themselves are read by parsers in
 * tests/web. */
#include "base/alloc.h"
#include "report/format/report_escape.h"
#include "report/format/lanes.h"
#include "report/format/words.h"
#include "report_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_escaped(enum hd_escape how, const char *text, size_t max, const char *expected)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    hd_escape(out, how, text, max);
    fclose(out);
    assert_string_equal(got, expected);
    free(got);
}

static void test_escapes(void **state)
{
    (void)state;
    expect_escaped(HD_ESCAPE_MARKUP, "<a b=\"'&'\">\t\n", 0,
                   "&lt;a b=&quot;&#39;&amp;&#39;&quot;&gt;\t\xe2\x90\x8a");
    expect_escaped(HD_ESCAPE_LINE, "a\tb\x1b[1m\x7f", 0,
                   "a\xe2\x90\x89"
                   "b\xe2\x90\x9b[1m\xe2\x90\xa1");
    expect_escaped(HD_ESCAPE_DATA, "50%,:\n", 0, "50%25,:\xe2\x90\x8a");
    expect_escaped(HD_ESCAPE_PROPERTY, "50%,:", 0, "50%25%2C%3A");
    expect_escaped(HD_ESCAPE_LINE, "abcdef", 4, "abcd... (2 more)");
    expect_escaped(HD_ESCAPE_LINE, "abcd", 4, "abcd");
    expect_escaped(HD_ESCAPE_LINE, NULL, 0, "");
    /* Every length of UTF-8 passes; what is too long, cut, a surrogate or too large does not. */
    expect_escaped(HD_ESCAPE_LINE, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 0,
                   "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    expect_escaped(HD_ESCAPE_LINE, "\xc0\xaf", 0, "\xef\xbf\xbd\xef\xbf\xbd");
    expect_escaped(HD_ESCAPE_LINE, "\xe2\x82", 0, "\xef\xbf\xbd\xef\xbf\xbd");
    expect_escaped(HD_ESCAPE_LINE, "\xed\xa0\x80", 0, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_escaped(HD_ESCAPE_LINE, "\xf4\x90\x80\x80", 0,
                   "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_escaped(HD_ESCAPE_MARKUP, "\xe2\x80\xae\xef\xbf\xbf\xc2\x85", 0,
                   "[U+202E]\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_uris_and_paths(void **state)
{
    (void)state;
    struct hd_arena *a = hd_arena_new();
    assert_string_equal(hd_escape_uri(a, "src/a b%c:1.c"), "src/a%20b%25c%3A1.c");
    assert_string_equal(hd_escape_uri(a, "/x/\xff.c"), "file:///x/%FF.c");
    assert_string_equal(hd_words_path("/x/y", "/x/y/a.c"), "a.c");
    assert_string_equal(hd_words_path("/x/y/", "/x/y//a.c"), "a.c");
    assert_string_equal(hd_words_path("/x/y", "/x/yz/a.c"), "/x/yz/a.c");
    assert_string_equal(hd_words_path(NULL, "/x/a.c"), "/x/a.c");
    assert_string_equal(hd_words_path("/", "/x/a.c"), "/x/a.c");
    hd_arena_free(a);
}

static const struct hd_finding *finding(const struct hd_report *r, const char *id)
{
    for (size_t i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id))
            return &r->findings[i];
    fail_msg("no finding %s", id);
    return NULL;
}

static void test_sentences(void **state)
{
    (void)state;
    struct hd_report *r = hd_fixture_bank();
    const struct hd_finding *f = finding(r, "R-7f3a9c12");
    assert_string_equal(hd_words_title(r->arena, f),
                        "Data race on 'balance': read in withdraw (T1.1) and write in withdraw "
                        "(T1.2)");
    assert_string_equal(hd_words_status(r->arena, f), "confirmed by 20 of 20 replays");
    assert_string_equal(hd_words_advice(r->arena, f),
                        "3 of 3 accesses to 'balance' hold 'lock'. Take it around "
                        "src/bank.c:17:9 too.");
    assert_string_equal(hd_words_step(r->arena, &f->steps[14]), "write balance = 50");
    assert_string_equal(hd_words_step(r->arena, &f->steps[0]), "create thread T1.1");
    r->directory = "out dir";
    hd_report_add(r, &r->program, "it's\n");
    assert_string_equal(hd_words_replay(r->arena, r, f, "--gdb"),
                        "heddle replay --gdb 'out dir/witness-R-7f3a9c12.json'");
    assert_string_equal(hd_words_command(r->arena, r, "run"),
                        "heddle run -- ./bank --seed=7 $'it\\'s\\012'");
    f = finding(r, "R-55e0a3b9");
    assert_string_equal(hd_words_heading(r->arena, f), "Deadlock around 'lock, log_lock'");
    assert_null(hd_words_replay(r->arena, r, f, ""));
    assert_string_equal(hd_words_advice(r->arena, f),
                        "Take these locks in the same order everywhere.");
    assert_string_equal(hd_words_why(r->arena, f), "T1.1 holds lock and waits for another, T1.3 "
                                                   "holds log_lock and waits for another. None of "
                                                   "them gives way.");
    f = finding(r, "R-2c91f07a");
    assert_string_equal(hd_words_why(r->arena, f),
                        "T1.1 does a read at src/bank.c:14:9 and a write at src/bank.c:17:9 as if "
                        "they were one step, but nothing keeps the write of T1.2 from coming in "
                        "between.");
    f = finding(r, "R-0b44d1ee");
    assert_string_equal(hd_words_status(r->arena, f),
                        "predicted, not confirmed: the replay left the schedule at src/bank.c:29");
    assert_string_equal(hd_words_effect(f, 0), "not run");
    hd_report_free(r);
}

static void expect_edges(const struct hd_lanes *l, const uint32_t *order,
                         const struct hd_lane_edge *expected, size_t n)
{
    struct hd_vec edges = HD_VEC_INIT(struct hd_lane_edge);
    hd_lanes_edges(l, order, &edges);
    assert_int_equal(edges.len, n);
    for (size_t i = 0; i < n; i++) {
        const struct hd_lane_edge *e = hd_vec_at(&edges, i);
        assert_int_equal(e->from, expected[i].from);
        assert_int_equal(e->to, expected[i].to);
        assert_int_equal(e->kind, expected[i].kind);
    }
    hd_vec_fini(&edges);
}

static void test_lanes(void **state)
{
    (void)state;
    struct hd_report *r = hd_fixture_bank();
    const struct hd_finding *f = finding(r, "R-7f3a9c12");
    struct hd_lanes l;
    hd_lanes_init(&l, f, r->arena);
    assert_int_equal(l.n_threads, 3);
    assert_string_equal(l.threads[0], "T1");
    assert_string_equal(l.threads[1], "T1.1");
    assert_int_equal(l.holds.len, 2);
    const struct hd_lane_hold *h = hd_vec_at(&l.holds, 0);
    assert_int_equal(h->from, 3);
    assert_int_equal(h->to, 5);
    assert_int_equal(l.held[4], 0);
    assert_int_equal(l.held[6], HD_LANES_NONE);
    static const struct hd_lane_edge witness[] = {
        {1, 2, HD_EDGE_CREATE}, {0, 6, HD_EDGE_CREATE}, {5, 7, HD_EDGE_LOCK}};
    static const struct hd_lane_edge recorded[] = {
        {0, 6, HD_EDGE_CREATE}, {1, 2, HD_EDGE_CREATE}, {9, 3, HD_EDGE_LOCK}};
    expect_edges(&l, NULL, witness, 3);
    expect_edges(&l, f->recorded, recorded, 3);
    hd_lanes_fini(&l);

    /* The locks that a deadlock waits for are not held. */
    hd_lanes_init(&l, finding(r, "R-55e0a3b9"), r->arena);
    assert_int_equal(l.holds.len, 2);
    hd_lanes_fini(&l);
    hd_report_free(r);
}

/* A wait gives its lock back and takes it again; locks need not nest; readers do not wait for
 * readers. */
static void test_lanes_of_every_kind(void **state)
{
    (void)state;
    static const struct hd_schedule_step steps[] = {
        {.thread = "A", .op = "acq", .object = "m"},
        {.thread = "A", .op = "acq", .object = "n"},
        {.thread = "A", .op = "rel", .object = "m"},
        {.thread = "A", .op = "wait", .object = "c", .lock = "n"},
        {.thread = "B", .op = "acq", .object = "n"},
        {.thread = "B", .op = "sig", .object = "c"},
        {.thread = "B", .op = "rel", .object = "n"},
        {.thread = "A", .op = "wake", .object = "c", .lock = "n"},
        {.thread = "A", .op = "aw", .object = "x"},
        {.thread = "B", .op = "ar", .object = "x"},
        {.thread = "B", .op = "racq", .object = "rw"},
        {.thread = "B", .op = "rrel", .object = "rw"},
        {.thread = "A", .op = "racq", .object = "rw"},
        {.thread = "A", .op = "rrel", .object = "rw"},
        {.thread = "B", .op = "acq", .object = "rw"},
        {.thread = "A", .op = "barin", .object = "b"},
        {.thread = "B", .op = "barout", .object = "b"},
        {.thread = "B", .op = "join", .object = "A"},
        {.thread = "B", .op = "join", .object = "nobody"},
    };
    static const struct hd_lane_edge expected[] = {
        {3, 4, HD_EDGE_LOCK},   {6, 7, HD_EDGE_LOCK},   {5, 7, HD_EDGE_NOTIFY},
        {8, 9, HD_EDGE_ATOMIC}, {13, 14, HD_EDGE_LOCK}, {15, 16, HD_EDGE_BARRIER},
        {15, 17, HD_EDGE_JOIN},
    };
    struct hd_finding f = {.id = "R-1", .n_steps = sizeof steps / sizeof *steps};
    f.steps = (struct hd_schedule_step *)steps;
    struct hd_arena *a = hd_arena_new();
    struct hd_lanes l;
    hd_lanes_init(&l, &f, a);
    const struct hd_lane_hold *m = hd_vec_at(&l.holds, 0), *n = hd_vec_at(&l.holds, 1);
    assert_int_equal(m->to, 2);
    assert_int_equal(n->to, 3);
    assert_int_equal(l.held[3], 1); /* n, and below it m, which has ended */
    assert_int_equal(n->below, 0);
    assert_int_equal(l.held[7], HD_LANES_NONE);
    expect_edges(&l, NULL, expected, sizeof expected / sizeof *expected);
    hd_lanes_fini(&l);
    hd_arena_free(a);
}

static void test_steps_that_are_kept(void **state)
{
    (void)state;
    struct hd_report *r = hd_fixture_bank();
    const struct hd_finding *f = finding(r, "R-7f3a9c12");
    bool keep[15];
    assert_int_equal(hd_lanes_keep(f, 100, keep), 0);
    assert_int_equal(hd_lanes_keep(f, 3, keep), 12);
    assert_true(keep[14] && keep[13] && keep[9] && !keep[12] && !keep[0]);
    assert_int_equal(hd_lanes_keep(f, 0, keep), 15);
    hd_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_uris_and_paths),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_lanes_of_every_kind),
        cmocka_unit_test(test_steps_that_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
