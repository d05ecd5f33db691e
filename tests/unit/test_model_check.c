/* Each way in which an order can be impossible: the event that is refused and the reason given. */
#include "model/check.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct hd_trace *parse(const char *text)
{
    struct hd_trace *t = NULL;
    struct hd_err err;
    if (hd_text_read(text, strlen(text), "test", &t, &err) != HD_OK)
        fail_msg("line %llu: %s", (unsigned long long)err.line, err.text);
    return t;
}

struct refusal {
    const char *text;
    hd_eid event; /* 1-based */
    const char *reason;
};

static const struct refusal refusals[] = {
    {"t1|acq(m)\nt2|acq(m)", 2,
     "event 2 (acq(m) by t2) cannot run here: lock m is held by t1 since event 1"},
    {"t1|acq(m)\nt1|acq(m)\nt1|acq(m)\nt1|rel(m)\nt2|acq(m)", 5,
     "lock m is held by t1 since event 1"},
    {"t1|acq(m)\nt1|rel(m)\nt1|acq(m)\nt2|racq(m)", 4, "lock m is held by t1 since event 3"},
    {"t1|racq(m)\nt2|racq(m)\nt1|rrel(m)\nt1|acq(m)", 4,
     "lock m is held for reading by t2 since event 2"},
    {"t1|acq(m)\nt1|racq(m)", 2, "lock m is held by t1 since event 1"},
    {"t1|rel(m)", 1, "t1 does not hold lock m"},
    {"t1|racq(m)\nt1|rel(m)", 2, "t1 does not hold lock m"},
    {"t1|acq(m)\nt1|rrel(m)", 2, "t1 does not hold lock m for reading"},
    {"t1|racq(m)\nt1|rrel(m)\nt1|rrel(m)", 3, "t1 does not hold lock m for reading"},
    {"t1|acq(m)\nt2|rel(m)", 2, "t2 does not hold lock m"},
    {"t1|tryfail(m)", 1, "no other thread holds lock m, so trying it cannot fail"},
    {"t1|acq(m)\nt1|racq(n)\nt1|tryfail(m)", 3, "no other thread holds lock m"},
    {"t1|racq(m)\nt1|tryfail(m)", 2, "no other thread holds lock m"},
    {"t2|w(x,1)\nt1|fork(t2)", 1, "event 2, which forks t2, has not run"},
    {"t1|join(t2)\nt2|w(x,1)", 1, "thread t2 has not finished: event 2 has not run"},
    {"t1|wait(c,m)", 1, "t1 does not hold lock m"},
    {"t1|racq(m)\nt1|wait(c,m)", 2, "t1 does not hold lock m"},
    {"t1|acq(m)\nt1|wait(c,m)\nt1|wake(c,m)", 3,
     "t1 is still waiting on condition c: no thread has notified it"},
    {"t1|acq(m)\nt2|sig(c)\nt1|wait(c,m)\nt1|wake(c,m)", 4, "no thread has notified it"},
    {"t1|acq(m)\nt1|wait(c,m)\nt2|sig(d)\nt1|wake(c,m)", 4, "no thread has notified it"},
    {"t1|acq(m)\nt1|wait(c,m)\nt2|sig(c)\nt1|tmo(c,m)", 4,
     "t1 has been notified on condition c, so its wait cannot time out"},
    {"t1|acq(m)\nt1|wait(c,m)\nt2|bcast(c)\nt1|tmo(c,m)", 4, "t1 has been notified on condition c"},
    {"t1|acq(m)\nt1|wait(c,m)\nt2|sig(c)\nt2|acq(m)\nt1|wake(c,m)", 5,
     "lock m is held by t2 since event 4"},
    {"t1|acq(m)\nt1|wait(c,m)\nt2|racq(m)\nt1|tmo(c,m)", 4,
     "lock m is held for reading by t2 since event 3"},
    {"t1|acq(m)\nt1|acq(m)\nt1|wait(c,m)\nt2|sig(c)\nt1|wake(c,m)\nt1|rel(m)\nt2|acq(m)", 7,
     "lock m is held by t1 since event 5"},
    {"!sem s 1\nt1|sem(s)\nt2|sem(s)", 2, "the count of semaphore s is 0"},
    {"t1|sem(s)", 1, "the count of semaphore s is 0"},
    {"!barrier b 2\nt1|barin(b)\nt1|barout(b)", 2,
     "only 1 of 2 arrivals at barrier b in its generation"},
    {"!barrier b 1\nt1|barout(b)\nt1|barin(b)", 1, "t1 has not arrived at barrier b"},
    {"!barrier b 2\nt1|barin(b)\nt2|barin(b)\nt3|barin(b)\nt1|barout(b)\nt3|barout(b)", 5,
     "only 1 of 2 arrivals"},
    {"t1|begin\nt1|end\nt1|end", 3, "thread t1 has no open block to end"},
    {"!init x 4\nt1|r(x,5)", 1, "event 1 (r(x) by t1) reads 5, but x holds 4"},
    {"t1|w(x,4)\nt1|r(x,5)", 2, "reads 5, but x holds 4"},
    {"t1|w(x)\nt1|r(x,5)", 2, "reads 5, but x holds the value that event 1 writes"},
    {"t1|r(x)\nt1|w(x,1)\nt1|r(x,5)", 3, "reads 5, but x holds 1"},
    {"!init x 1\nt1|rmw(x,1,2)\nt2|rmw(x,1,2)", 2, "event 2 (rmw(x) by t2) reads 1, but x holds 2"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *r = &refusals[i];
        struct hd_trace *t = parse(r->text);
        struct hd_err err = {0};
        hd_eid bad;
        if (hd_check_trace(t, &bad, &err) != HD_ERR_INPUT)
            fail_msg("accepted:\n%s", r->text);
        if (bad + 1 != r->event || !strstr(err.text, r->reason))
            fail_msg("%s\nevent %u: %s", r->text, bad + 1, err.text);
        hd_trace_free(t);
    }
}

/* The builder lets no wake or tmo stand but after its wait, and nothing else there. The judge does
 * not rely on it: the columns of a good trace are spoilt by hand. */
static void test_spoilt_waits(void **state)
{
    (void)state;
    static const char *reasons[] = {
        "t1 is still in the wait of event 2",
        "t1 has no wait on condition d with lock m just before it",
        "t1 has no wait on condition c with lock n just before it",
        "t1 has no wait on condition c with lock m just before it",
    };
    for (int i = 0; i < 4; i++) {
        struct hd_trace *t =
            parse("t1|acq(m)\nt1|wait(c,m)\nt2|sig(c)\nt1|wake(c,m)\nt2|acq(n)\nt2|sig(d)");
        struct hd_err err = {0};
        hd_eid bad;
        assert_int_equal(hd_check_trace(t, &bad, &err), HD_OK);
        if (i == 0)
            t->op[3] = HD_OP_SIG;
        else if (i == 1)
            t->obj[3] = t->obj[5];
        else if (i == 2)
            t->val[3] = t->obj[4];
        else
            t->op[1] = HD_OP_SIG;
        assert_int_equal(hd_check_trace(t, &bad, &err), HD_ERR_INPUT);
        assert_int_equal(bad, 3);
        if (!strstr(err.text, reasons[i]))
            fail_msg("%s", err.text);
        hd_trace_free(t);
    }
}

static const char *accepted[] = {
    "",
    "t1|acq(m)\nt1|acq(m)\nt1|rel(m)\nt1|rel(m)\nt2|acq(m)",
    "t1|racq(m)\nt1|racq(m)\nt2|racq(m)\nt1|rrel(m)\nt2|rrel(m)\nt1|acq(m)", /* its own read hold is
                                                                                no obstacle */
    "t1|racq(m)\nt2|tryfail(m)",
    "t1|acq(m)\nt2|tryfail(m)\nt1|rel(m)\nt2|acq(m)",
    "t1|fork(t2)\nt1|join(t2)",            /* a thread without events has finished */
    "t1|fork(t2)\nt2|acq(m)\nt1|join(t2)", /* ended with a lock held */
    "t1|acq(m)\nt1|wait(c,m)\nt2|sig(c)\nt1|wake(c,m)\nt1|rel(m)\nt2|sig(c)\nt2|bcast(c)",
    "t1|acq(m)\nt1|wait(c,m)\nt1|tmo(c,m)\nt2|sig(c)\nt1|rel(m)",
    "t1|acq(m)\nt1|wait(c,m)\nt2|acq(n)\nt2|wait(c,n)\nt3|sig(c)\nt1|tmo(c,m)\nt2|wake(c,n)",
    "t1|acq(m)\nt1|wait(c,m)\nt2|acq(n)\nt2|wait(c,n)\nt3|sig(c)\nt1|tmo(c,m)", /* t2 stays,
                                                                                   notified */
    "!sem s 1\nt1|sem(s)\nt2|post(s)\nt2|sem(s)",
    "!sem s 18446744073709551614\nt1|post(s)\nt1|post(s)\nt1|post(s)\nt1|sem(s)",
    "!barrier b 1\nt1|barin(b)\nt1|barout(b)\nt1|barin(b)\nt1|barout(b)",
    "!barrier b "
    "2\nt1|barin(b)\nt2|barin(b)\nt1|barout(b)\nt1|barin(b)\nt2|barout(b)\nt2|barin(b)\nt1|barout("
    "b)",
    "t1|begin\nt1|begin\nt1|end",
    "t1|r(x)\nt1|w(x,1)\nt1|r(x,1)",
};

static void test_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct hd_trace *t = parse(accepted[i]);
        struct hd_err err = {0};
        hd_eid bad = 0;
        if (hd_check_trace(t, &bad, &err) != HD_OK)
            fail_msg("%s\n%s", accepted[i], err.text);
        assert_int_equal(bad, HD_EID_NONE);
        hd_trace_free(t);
    }
}

/* The sig at event 5 must leave t1, which times out, and wake t2; the one at 9 meets nobody. */
static void test_matching(void **state)
{
    (void)state;
    struct hd_trace *t = parse("t1|acq(m)\nt1|wait(c,m)\nt2|acq(n)\nt2|wait(c,n)\nt3|sig(c)\n"
                               "t1|tmo(c,m)\nt2|wake(c,n)\nt3|bcast(c)\nt3|sig(c)\n");
    struct hd_matching m;
    hd_matching_check(t, &m);
    assert_int_equal(m.n, 1);
    assert_int_equal(m.wakes[0].sig, 4);
    assert_int_equal(hd_matching_woken(&m, 4), t->thread[2]);
    assert_int_equal(hd_matching_woken(&m, 8), HD_TID_NONE);
    assert_int_equal(hd_matching_woken(&m, 0), HD_TID_NONE);
    hd_matching_fini(&m);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_spoilt_waits),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_matching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
