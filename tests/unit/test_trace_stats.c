#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace/stats.h"
#include "trace/text/text.h"

#include <string.h>

static struct hd_stats stats_of(const char *text)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    struct hd_stats stats;
    if (hd_text_read(text, strlen(text), "test", &t, &err) != HD_OK)
        fail_msg("%s", err.text);
    hd_stats_compute(t, &stats);
    hd_trace_free(t);
    return stats;
}

static void counts_kinds_and_sharing(void **state)
{
    (void)state;
    struct hd_stats s = stats_of("a|w(x,1)|\na|r(y)|\nb|r(x,1)|\nb|r(y)|\nb|w(z,2)||val=\na|br|\n");
    assert_int_equal(s.by_op[HD_OP_WRITE], 2);
    assert_int_equal(s.by_op[HD_OP_READ], 3);
    assert_int_equal(s.by_op[HD_OP_BRANCH], 1);
    assert_int_equal(s.shared, 2);         /* x and y */
    assert_int_equal(s.shared_written, 1); /* x */
    assert_int_equal(s.omitted, 2);
    assert_int_equal(s.dependences, 1);
    assert_int_equal(s.sections, 0);
    assert_int_equal(s.nesting, 0);
    assert_int_equal(s.longest.from, HD_EID_NONE);
}

static void measures_sections(void **state)
{
    (void)state;
    struct hd_stats s =
        stats_of("a|acq(l)|\nb|w(x)|\nb|w(x)|\nb|w(x)|\na|acq(m)|\na|w(y)|\na|acq(l)|\n"
                 "a|rel(l)|\na|rel(m)|\na|rel(l)|\n");
    assert_int_equal(s.longest.length, 5); /* the events of b do not count */
    assert_int_equal(s.longest.from, 0);
    assert_int_equal(s.longest.to, 9);
    assert_int_equal(s.longest.lock, 0);
    assert_int_equal(s.sections, 2);
    assert_int_equal(s.nesting, 2); /* l twice is one lock */
    assert_int_equal(s.nesting_at, 4);
    assert_int_equal(s.reentrance, 2);
}

static void wait_ends_a_section(void **state)
{
    (void)state;
    struct hd_stats s =
        stats_of("a|acq(l)|\na|acq(l)|\na|wait(c,l)|\nb|w(x)|\nb|sig(c)|\na|wake(c,l)|\na|w(x)|\n");
    assert_int_equal(s.sections, 2);
    assert_int_equal(s.longest.length, 1);
    assert_int_equal(s.longest.from, 0);
    s = stats_of("a|racq(l)|\na|w(x)|\na|w(x)|\n");
    assert_int_equal(s.longest.length, 2); /* open to the end of its thread */
    assert_int_equal(s.longest.to, HD_EID_NONE);
}

static void survives_nonsense(void **state)
{
    (void)state;
    struct hd_stats s = stats_of("a|rel(l)|\na|rrel(l)|\na|acq(l)|\na|rel(l)|\na|rel(l)|\n");
    assert_int_equal(s.sections, 1);
    assert_int_equal(s.longest.length, 0);
    assert_int_equal(s.longest.from, 2);
    s = stats_of("");
    assert_int_equal(s.sections, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_kinds_and_sharing),
        cmocka_unit_test(measures_sections),
        cmocka_unit_test(wait_ends_a_section),
        cmocka_unit_test(survives_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
