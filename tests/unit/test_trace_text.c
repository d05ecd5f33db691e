/* The text reader and writer: what lines mean, canonical text, plain STD. */
#include "base/alloc.h"
#include "trace/text/text.h"
#include "../support/trace_equal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct hd_trace *read_text(const char *text)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (hd_text_read(text, strlen(text), "in", &t, &err) != HD_OK)
        fail_msg("%s:%llu: %s", err.file, (unsigned long long)err.line, err.text);
    return t;
}

typedef enum hd_status (*writer)(const struct hd_trace *t, FILE *out, struct hd_err *err);

/* What the writer prints, to be freed with free. */
static char *print(const struct hd_trace *t, writer write)
{
    char *text = NULL;
    size_t len;
    struct hd_err err = {0};
    FILE *out = open_memstream(&text, &len);
    if (write(t, out, &err) != HD_OK)
        fail_msg("%s", err.text);
    fclose(out);
    return text;
}

static void expect_canonical(const char *input, const char *expected)
{
    struct trace_difference difference;
    struct hd_trace *t = read_text(input);
    char *once = print(t, hd_text_write);
    assert_string_equal(once, expected);
    struct hd_trace *again = read_text(once);
    if (!trace_equal(t, again, &difference))
        fail_msg("%s differs after a round trip", difference.text);
    char *twice = print(again, hd_text_write);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    hd_trace_free(t);
    hd_trace_free(again);
}

static const char every_op[] = "!control branches\n"
                               "!init x 5\n"
                               "!sem s 2\n"
                               "!barrier b 1\n"
                               "t1|fork(t2)|main.c:10\n"
                               "t1|r(x,5)|main.c:11\n"
                               "t1|br|main.c:11|deps=2\n"
                               "t1|w(y,7)|main.c:12|val=;addr=2\n"
                               "t1|ar(z)|main.c:13|addr=2\n"
                               "t1|aw(z,18446744073709551615)|main.c:14|val=2,5\n"
                               "t1|rmw(z,18446744073709551615,1)|main.c:15|val=7\n"
                               "t1|rmw(z)|\n"
                               "t1|acq(l)|f(int, char); g.c:1\n"
                               "t1|wait(c,l)|\n"
                               "t2|racq(k)|\n"
                               "t2|racq(k)|again.c:3|try\n"
                               "t2|rrel(k)|\n"
                               "t2|acq(n)||try\n"
                               "t2|rel(n)|\n"
                               "t2|tryfail(m)|\n"
                               "t2|rrel(k)|\n"
                               "t2|sig(c)|\n"
                               "t2|bcast(c)|\n"
                               "t1|wake(c,l)|\n"
                               "t1|wait(c,l)|\n"
                               "t1|tmo(c,l)|\n"
                               "t1|rel(l)|\n"
                               "t2|sem(s)|\n"
                               "t2|post(s)|\n"
                               "t2|barin(b)|\n"
                               "t2|barout(b)|\n"
                               "t2|begin|\n"
                               "t2|end|\n"
                               "t1|join(t2)|main.c:99\n";

static void test_every_op(void **state)
{
    (void)state;
    expect_canonical(every_op, every_op);
}

static void test_odd_layout(void **state)
{
    (void)state;
    expect_canonical("\xef\xbb\xbf# a comment\r\n"
                     "\r\n"
                     "   \t \n"
                     "  !init   my var   -1  \n"
                     "!control all\n"
                     "\t t 1 | r ( my var , 0x0F ) |  a b  |  addr =  \r\n"
                     "  # not an event|r(x)|1\n"
                     "t 1|begin()\n"
                     "t 1|end\n"
                     "t 1|w(v,-9223372036854775808)||val = 1 , 1 ; addr=1\n"
                     "t 1|r(a[4].b;#!)|p#q|",
                     "!init my var 18446744073709551615\n"
                     "t 1|r(my var,15)|a b\n"
                     "t 1|begin|\n"
                     "t 1|end|\n"
                     "t 1|w(v,9223372036854775808)||val=1;addr=1\n"
                     "t 1|r(a[4].b;#!)|p#q\n");
}

/* Directives after the events that they speak of, and for objects without events. */
static void test_directive_order(void **state)
{
    (void)state;
    expect_canonical("!init z 1\n!init a 2\n!sem unused 0\n!sem zero 0\n"
                     "t|w(y)|1\nt|post(s2)|1\nt|post(s1)|2\nt|post(zero)|3\n"
                     "!init x 3\nt|w(x)|4\n!sem s1 4\n!sem s2 5\n!sem s2 5\n!init x 3\n",
                     "!init x 3\n!init a 2\n!init z 1\n!sem s2 5\n!sem s1 4\n!sem unused 0\n"
                     "t|w(y)|1\nt|post(s2)|1\nt|post(s1)|2\nt|post(zero)|3\nt|w(x)|4\n");
}

static void test_empty(void **state)
{
    (void)state;
    expect_canonical("", "");
    expect_canonical("# nothing\n\n", "");
}

/* A block boundary at every place of the input changes nothing. */
static void test_blocks(void **state)
{
    (void)state;
    struct hd_trace *whole = read_text(every_op), *t;
    struct trace_difference difference;
    for (size_t cut = 0; cut < sizeof every_op; cut++) {
        struct hd_err err = {0};
        struct hd_text_reader *r = hd_text_new("in");
        assert_int_equal(hd_text_feed(r, every_op, cut, &err), HD_OK);
        assert_int_equal(hd_text_feed(r, every_op + cut, sizeof every_op - 1 - cut, &err), HD_OK);
        assert_int_equal(hd_text_finish(r, &t, &err), HD_OK);
        assert_true(trace_equal(whole, t, &difference));
        hd_trace_free(t);
    }
    hd_trace_free(whole);
}

/* The reader has a quick way for lines without stray blanks and a general one: both say the same.
 */
static void test_padded(void **state)
{
    (void)state;
    char padded[8192], *o = padded;
    struct trace_difference difference;
    for (const char *p = every_op; *p; p++) {
        bool pad = strchr("|,()", *p) != NULL;
        o += sprintf(o, pad ? " %c\t" : "%c", *p);
    }
    /* Commas in places are text, and so are the blanks beside them. */
    char *place = strstr(padded, "f ");
    assert_non_null(place);
    struct hd_trace *plain = read_text(every_op), *t = read_text(padded);
    for (hd_eid e = 0; e < plain->n_events; e++)
        if (strchr(hd_trace_place_name(plain, e), ','))
            assert_string_equal(hd_trace_place_name(t, e), "f (\tint ,\t char )\t; g.c:1");
    hd_trace_free(t);
    memcpy(place, "f(int, char); g.c:1\n", 20);
    char *rest = strchr(place + 20, '\n') + 1;
    memmove(place + 20, rest, strlen(rest) + 1);
    t = read_text(padded);
    if (!trace_equal(plain, t, &difference))
        fail_msg("%s differs", difference.text);
    hd_trace_free(t);
    hd_trace_free(plain);
}

static void test_values(void **state)
{
    (void)state;
    struct hd_trace *t = read_text("t|r(x)|\nt|r(x,5)|\nt|w(x)|\nt|r(x)|\nt|rmw(y)|\nt|r(y)|\n");
    assert_true(hd_value_eq(hd_trace_read_value(t, 0), (struct hd_value){5, false}));
    assert_true(hd_trace_write_value(t, 2).unique);
    assert_true(hd_value_eq(hd_trace_read_value(t, 3), hd_trace_write_value(t, 2)));
    assert_false(hd_value_eq(hd_trace_read_value(t, 4), hd_trace_write_value(t, 4)));
    assert_true(hd_value_eq(hd_trace_read_value(t, 5), hd_trace_write_value(t, 4)));
    assert_int_equal(t->loc_init[0].how, HD_INIT_FROM_READ);
    hd_trace_free(t);
}

static void expect_no_std(const char *input, const char *reason)
{
    struct hd_trace *t = read_text(input);
    struct hd_err err = {0};
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_int_equal(hd_text_write_std(t, out, &err), HD_ERR_INPUT);
    fclose(out);
    assert_int_equal(len, 0);
    if (!strstr(err.text, reason))
        fail_msg("expected '%s' in '%s'", reason, err.text);
    free(text);
    hd_trace_free(t);
}

static void test_std(void **state)
{
    (void)state;
    static const char plain[] =
        "T0|fork(T1)|1\nT0|r(V1)|12\nT1|w(V[4])|3\nT1|acq(L)|4\nT1|rel(L)|5\n"
        "T1|begin|6\nT1|end|7\nT0|join(T1)|8\n";
    struct hd_trace *t = read_text(plain);
    char *text = print(t, hd_text_write_std);
    assert_string_equal(text, plain);
    free(text);
    hd_trace_free(t);
    expect_no_std("t|r(x)|\nt|w(x,1)|\n", "event 2, a w: it has no values");
    expect_no_std("t|r(x)|\nt|w(x)||val=\n", "event 2, a w: it has no attributes");
    expect_no_std("t|rmw(x)|\n", "event 1, a rmw: it has only r, w,");
    expect_no_std("t|br|\n", "event 1, a br");
    expect_no_std("!control branches\nt|r(x)|\n", "!control branches");
    expect_no_std("!init x 5\nt|r(x)|\n", "initial value of x");
    expect_no_std("!sem s 5\nt|r(x)|\n", "semaphore s");
    expect_no_std("!barrier b 5\nt|r(x)|\n", "barrier b");
}

static void test_failing_stream(void **state)
{
    (void)state;
    struct hd_trace *t = read_text(every_op);
    struct hd_err err = {0};
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(hd_text_write(t, full, &err), HD_ERR_IO);
    assert_non_null(strstr(err.text, "No space left"));
    fclose(full);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_op),        cmocka_unit_test(test_odd_layout),
        cmocka_unit_test(test_directive_order), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_blocks),          cmocka_unit_test(test_padded),
        cmocka_unit_test(test_values),          cmocka_unit_test(test_std),
        cmocka_unit_test(test_failing_stream),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || hd_alloc_in_use() != 0;
}
