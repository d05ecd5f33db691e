/* Corners: empty and one-thread traces, many threads, a hot location, limits, interrupts, memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "detect/detect.h"
#include "detect/filters/mhb.h"
#include "trace/builder.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

static struct hd_trace *from_text(const char *text)
{
    struct hd_trace *t;
    struct hd_err err;
    assert_int_equal(hd_text_read(text, strlen(text), "text", &t, &err), HD_OK);
    return t;
}

static void expect_counts(const struct hd_trace *t, const struct hd_detector *d, uint64_t racy,
                          size_t places)
{
    struct hd_detect_opts opts = {0};
    struct hd_detect_result r;
    struct hd_err err;
    assert_int_equal(d->run(t, &opts, &r, &err), HD_OK);
    if (r.racy_events != racy || r.places.len != places)
        fail_msg("%s: %llu racy events, %zu places", d->name, (unsigned long long)r.racy_events,
                 r.places.len);
    hd_detect_result_fini(&r);
}

static void nothing_races_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "t1|w(x)|1\nt1|r(x)|2\nt1|acq(l)|3\nt1|w(x)|4\n",
                                        "t1|fork(t2)|1\nt1|join(t2)|2\n", "!sem s 3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hd_trace *t = from_text(texts[i]);
        for (size_t d = 0; d < hd_n_detectors; d++)
            expect_counts(t, &hd_detectors[d], 0, 0);
        hd_trace_free(t);
    }
}

static void names_are_found(void **state)
{
    (void)state;
    assert_int_equal(hd_n_detectors, 9);
    for (size_t i = 0; i < hd_n_detectors; i++) {
        assert_ptr_equal(hd_detector_find(hd_detectors[i].name), &hd_detectors[i]);
        assert_true(strlen(hd_detectors[i].summary) > 0);
    }
    assert_null(hd_detector_find("max"));
    assert_null(hd_detector_find(""));
}

static void add(struct hd_builder *b, enum hd_op op, hd_tid u, uint32_t obj, uint32_t place)
{
    struct hd_err err;
    struct hd_event ev = {.op = op, .thread = u, .obj = obj, .place = place};
    assert_int_equal(hd_builder_add(b, &ev, &err), HD_OK);
}

static struct hd_builder *builder(uint32_t threads, uint32_t locks, uint32_t places)
{
    struct hd_builder *b = hd_builder_new();
    struct hd_err err;
    char name[16];
    for (uint32_t i = 0; i < threads; i++) {
        hd_tid u;
        int len = snprintf(name, sizeof name, "t%u", i);
        assert_int_equal(hd_builder_thread(b, name, (size_t)len, &u, &err), HD_OK);
    }
    for (uint32_t i = 0; i < locks; i++)
        hd_builder_obj(b, HD_OBJ_LOCK, name, (size_t)snprintf(name, sizeof name, "l%u", i));
    for (uint32_t i = 0; i < places; i++)
        hd_builder_place(b, name, (size_t)snprintf(name, sizeof name, "%u", i));
    hd_builder_obj(b, HD_OBJ_LOC, "x", 1);
    hd_builder_obj(b, HD_OBJ_LOC, "y", 1);
    return b;
}

static struct hd_trace *finish(struct hd_builder *b)
{
    struct hd_trace *t;
    struct hd_err err;
    assert_int_equal(hd_builder_finish(b, &t, &err), HD_OK);
    return t;
}

/* 500 threads, each forked and joined, adding to x under one lock and writing y without. */
static void many_threads(void **state)
{
    (void)state;
    enum { N = 500 };
    struct hd_builder *b = builder(N + 1, 1, 4);
    for (hd_tid u = 1; u <= N; u++)
        add(b, HD_OP_FORK, 0, u, 0);
    for (hd_tid u = 1; u <= N; u++) {
        add(b, HD_OP_ACQ, u, 0, 0);
        add(b, HD_OP_READ, u, 0, 1);
        add(b, HD_OP_WRITE, u, 0, 2);
        add(b, HD_OP_REL, u, 0, 0);
        add(b, HD_OP_WRITE, u, 1, 3);
    }
    for (hd_tid u = 1; u <= N; u++)
        add(b, HD_OP_JOIN, 0, u, 0);
    add(b, HD_OP_WRITE, 0, 1, 0);
    struct hd_trace *t = finish(b);
    expect_counts(t, hd_detector_find("lockset"), N,
                  2); /* the last write too, to those that know no order */
    expect_counts(t, hd_detector_find("quick"), N - 1, 1);
    expect_counts(t, hd_detector_find("hb"), N - 1, 1);
    expect_counts(t, hd_detector_find("syncp"), N - 1, 1);
    expect_counts(t, hd_detector_find("wcp"), N - 1, 1);
    expect_counts(t, hd_detector_find("cp"), N - 1, 1);
    hd_trace_free(t);
}

/* 300,000 accesses of four threads to one location, half of them under a lock: every one from the
 * second thread's first on races, and the fast mode must not look at pairs. */
static void hot_location(void **state)
{
    (void)state;
    enum { N = 300000 };
    struct hd_builder *b = builder(4, 1, 64);
    for (uint32_t i = 0; i < N; i++) {
        hd_tid u = i / 100 % 4;
        bool locked = i / 50 % 2;
        if (locked && i % 50 == 0)
            add(b, HD_OP_ACQ, u, 0, 0);
        add(b, i % 3 ? HD_OP_READ : HD_OP_WRITE, u, 0, i % 60);
        if (locked && i % 50 == 49)
            add(b, HD_OP_REL, u, 0, 0);
    }
    struct hd_trace *t = finish(b);
    for (size_t i = 0; i < hd_n_detectors; i++) {
        struct hd_detect_opts opts = {0};
        struct hd_detect_result r;
        struct hd_err err;
        assert_int_equal(hd_detectors[i].run(t, &opts, &r, &err), HD_OK);
        assert_true(r.racy_events > 0 && r.places.len > 0);
        hd_detect_result_fini(&r);
    }
    hd_trace_free(t);
}

static void too_many_pairs_is_an_error(void **state)
{
    (void)state;
    struct hd_builder *b = builder(2, 0, 1);
    for (uint32_t i = 0; i < 40000; i++)
        add(b, HD_OP_WRITE, i % 2, 0, 0);
    struct hd_trace *t = finish(b);
    struct hd_detect_opts opts = {.pairs = true, .max_pairs = 1000};
    for (size_t i = 0; i < hd_n_detectors; i++) {
        struct hd_detect_result r;
        struct hd_err err = {0};
        assert_int_equal(hd_detectors[i].run(t, &opts, &r, &err), HD_ERR_LIMIT);
        assert_string_equal(err.text, "more than 1000 racing pairs");
        assert_true(r.pairs.len <= 1000);
        hd_detect_result_fini(&r);
    }
    hd_trace_free(t);
}

static void recorded_matching_fixes_the_notifier(void **state)
{
    (void)state;
    struct hd_trace *t =
        from_text("t1|acq(l)|1\nt1|wait(c,l)|2\nt2|w(x)|3\nt2|sig(c)|4\nt1|wake(c,l)|5\n"
                  "t1|r(x)|6\nt1|rel(l)|7\nt3|sig(c)|8\n");
    struct hd_mhb *any = hd_mhb_new(t), *recorded = hd_mhb_new_matching(t, HD_MHB_RECORDED);
    assert_false(hd_mhb_ordered(any, 2, 5));
    assert_true(hd_mhb_ordered(recorded, 2, 5));
    hd_mhb_free(any);
    hd_mhb_free(recorded);
    struct hd_detect_opts opts = {.recorded_matching = true};
    struct hd_detect_result r;
    struct hd_err err;
    assert_int_equal(hd_detector_find("quick")->run(t, &opts, &r, &err), HD_OK);
    assert_int_equal(r.racy_events, 0);
    hd_detect_result_fini(&r);
    hd_trace_free(t);
}

/* A long program-like trace: memory is given back, planted races are found, none are made up. */
static void programs_give_their_planted_races(void **state)
{
    (void)state;
    size_t before = hd_alloc_in_use();
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    config.style = HD_GEN_STYLE_PROGRAM;
    config.control = HD_GEN_CONTROL_ALL;
    config.events = 50000;
    config.threads = 12;
    config.locks = 20;
    config.locations = 60;
    config.races = 8;
    struct hd_trace *t;
    struct hd_err err;
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    expect_counts(t, hd_detector_find("quick"), 8, 8);
    expect_counts(t, hd_detector_find("syncp"), 8, 8);
    expect_counts(t, hd_detector_find("wcp"), 8, 8);
    expect_counts(t, hd_detector_find("hb"), 4, 4);
    expect_counts(t, hd_detector_find("shb"), 4, 4);
    hd_trace_free(t);
    assert_int_equal(hd_alloc_in_use(), before);
}

/* Last: a request cannot be taken back. */
static void an_interrupt_ends_the_run(void **state)
{
    (void)state;
    struct hd_builder *b = builder(2, 0, 1);
    for (uint32_t i = 0; i < 200000; i++)
        add(b, HD_OP_WRITE, i % 2, 0, 0);
    struct hd_trace *t = finish(b);
    hd_interrupt_request();
    for (size_t i = 0; i < hd_n_detectors; i++) {
        struct hd_detect_opts opts = {.pairs = true};
        struct hd_detect_result r;
        struct hd_err err = {0};
        assert_int_equal(hd_detectors[i].run(t, &opts, &r, &err), HD_ERR_STOPPED);
        hd_detect_result_fini(&r);
    }
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_races_alone),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(hot_location),
        cmocka_unit_test(too_many_pairs_is_an_error),
        cmocka_unit_test(recorded_matching_fixes_the_notifier),
        cmocka_unit_test(programs_give_their_planted_races),
        cmocka_unit_test(an_interrupt_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
