/* Details of events: written into a trace, read back, refused when damaged. */
#include "build/details.h"

#include "base/alloc.h"
#include "trace/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 4

/* Two places; the events lie at 0, 1, 1, 0. */
static struct hd_trace *small_trace(void)
{
    struct hd_builder *b = hd_builder_new();
    struct hd_err err = {0};
    struct hd_trace *t = NULL;
    hd_tid thread;
    hd_builder_thread(b, "T1", 2, &thread, &err);
    uint32_t x = hd_builder_obj(b, HD_OBJ_LOC, "x", 1);
    uint32_t place[2] = {hd_builder_place(b, "a.c:1", 5), hd_builder_place(b, "a.c:2", 5)};
    for (int i = 0; i < EVENTS; i++) {
        struct hd_event ev = {.op = HD_OP_WRITE, .thread = thread, .obj = x};
        ev.place = place[i == 1 || i == 2];
        assert_int_equal(hd_builder_add(b, &ev, &err), HD_OK);
    }
    assert_int_equal(hd_builder_finish(b, &t, &err), HD_OK);
    return t;
}

static void add_details(struct hd_trace *t, unsigned events)
{
    struct hd_details_writer *w = hd_details_writer_new();
    struct hd_detail one = {.function = "f", .name = "x", .column = 3, .size = 4, .flags = 16};
    struct hd_detail two = {.function = "g", .name = "", .column = 300, .frees = true};
    uint32_t sites[3] = {hd_details_site(w, 1, &one), hd_details_site(w, 0, &two),
                         hd_details_site(w, 1, &two)};
    hd_details_add_block(w, 64, hd_details_origin(w, "a.c:9", "make"));
    const uint32_t of[EVENTS] = {sites[1], sites[0], sites[2], UINT32_MAX};
    for (unsigned i = 0; i < events; i++)
        hd_details_event(w, of[i]);
    hd_details_finish(w, t);
    hd_details_writer_free(w);
}

static void test_round_trip(void **state)
{
    (void)state;
    size_t before = hd_alloc_in_use();
    struct hd_trace *t = small_trace();
    struct hd_detail at;
    struct hd_block_origin block;
    assert_null(hd_details_open(t));
    add_details(t, EVENTS);
    struct hd_details *d = hd_details_open(t);
    assert_non_null(d);
    assert_true(hd_details_at(d, 0, &at));
    assert_string_equal(at.function, "g");
    assert_true(at.frees);
    assert_int_equal(at.column, 300);
    assert_true(hd_details_at(d, 1, &at));
    assert_string_equal(at.name, "x");
    assert_int_equal(at.flags, 16);
    assert_int_equal(at.size, 4);
    assert_false(at.frees);
    assert_true(hd_details_at(d, 2, &at));
    assert_string_equal(at.function, "g");
    assert_true(hd_details_block(d, 1, &block));
    assert_int_equal(block.bytes, 64);
    assert_string_equal(block.place, "a.c:9");
    assert_false(hd_details_block(d, 2, &block));
    assert_false(hd_details_block(d, 0, &block));
    assert_false(hd_details_at(NULL, 0, &at));
    assert_string_equal(at.name, "");
    hd_details_close(d);
    hd_trace_free(t);
    assert_int_equal(hd_alloc_in_use(), before);
}

/* Every cut and every changed byte: refused or read, never out of bounds. */
static void test_damage(void **state)
{
    (void)state;
    struct hd_trace *whole = small_trace();
    add_details(whole, EVENTS);
    size_t len;
    const uint8_t *data = hd_trace_meta(whole, "details", &len);
    for (size_t cut = 0; cut < len; cut++) {
        struct hd_trace *t = small_trace();
        hd_trace_meta_add(t, "details", data, cut);
        assert_null(hd_details_open(t));
        hd_trace_free(t);
    }
    for (size_t at = 0; at < len; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct hd_trace *t = small_trace();
            uint8_t copy[512];
            assert_true(len <= sizeof copy);
            memcpy(copy, data, len);
            copy[at] ^= (uint8_t)(1u << bit);
            hd_trace_meta_add(t, "details", copy, len);
            struct hd_details *d = hd_details_open(t);
            struct hd_detail detail;
            for (hd_eid e = 0; d && e < EVENTS; e++)
                if (hd_details_at(d, e, &detail))
                    assert_true(strlen(detail.function) + strlen(detail.name) < len);
            hd_details_close(d);
            hd_trace_free(t);
        }
    hd_trace_free(whole);
}

static void test_many_sites(void **state)
{
    (void)state;
    struct hd_trace *t = small_trace();
    struct hd_details_writer *w = hd_details_writer_new();
    uint32_t site = 0;
    for (unsigned i = 0; i < 400; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%u", i);
        struct hd_detail d = {.function = "f", .name = name};
        site = hd_details_site(w, 0, &d);
    }
    for (int i = 0; i < EVENTS; i++)
        hd_details_event(w, site);
    hd_details_finish(w, t);
    hd_details_writer_free(w);
    struct hd_details *d = hd_details_open(t);
    struct hd_detail at;
    assert_true(hd_details_at(d, 0, &at));
    assert_string_equal(at.name, "v255");
    assert_false(hd_details_at(d, 1, &at)); /* its place has no sites */
    hd_details_close(d);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_many_sites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
