/* What came from outside, in the META of a trace: written for a replay as it is, refused when
 * damaged. */
#include "recording/kept_arrivals.h"

#include "abi/rt_arrivals.h"
#include "trace/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char path[] = HD_TEST_TMP "/drive_arrivals";

static struct hd_trace *empty_trace(void)
{
    struct hd_trace *t;
    assert_int_equal(hd_builder_finish(hd_builder_new(), &t, NULL), HD_OK);
    return t;
}

static void add(struct hd_kept_arrivals *items, const char *thread, enum hd_arrival kind,
                uint32_t id, const void *data, size_t len)
{
    struct hd_raw rec = {
        .kind = HD_LOG_ARRIVAL, .w = {(uint64_t)id << 8 | kind}, .data = data, .len = len};
    hd_kept_arrivals_add(items, thread, &rec);
}

static void written_and_read_back(void **state)
{
    (void)state;
    struct hd_kept_arrivals items = {0};
    struct hd_trace *t = empty_trace();
    uint32_t listener = 3;
    bool any = true;
    assert_int_equal(hd_kept_arrivals_write(t, path, &any, NULL), HD_OK);
    assert_false(any);
    add(&items, "T1", HD_ARRIVAL_ACCEPT, 7, &listener, sizeof listener);
    add(&items, "T1.2.3", HD_ARRIVAL_READ, 7, "hello", 5);
    hd_kept_arrivals_save(&items, t);
    assert_int_equal(hd_kept_arrivals_write(t, path, &any, NULL), HD_OK);
    assert_true(any);
    struct {
        struct hd_arrivals_header head;
        struct hd_arrivals_item first;
        uint32_t listener, pad;
        struct hd_arrivals_item second;
        char bytes[8];
    } file;
    FILE *f = fopen(path, "r");
    assert_int_equal(fread(&file, 1, sizeof file, f), sizeof file);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    assert_int_equal(file.head.n, 2);
    assert_int_equal(file.head.bytes, sizeof file);
    assert_int_equal(file.first.thread, 1); /* the main thread */
    assert_int_equal(file.listener, 3);
    assert_int_equal(file.second.thread, hd_arrivals_thread(hd_arrivals_thread(1, 3), 2));
    assert_memory_equal(file.bytes, "hello", 5);
    unlink(path);
    hd_kept_arrivals_fini(&items);
    hd_trace_free(t);
}

/* Answers of the clock that follow each other are one item, as long as one thread asks. */
static void times_are_joined(void **state)
{
    (void)state;
    struct hd_kept_arrivals items = {0};
    for (uint32_t i = 0; i < 9; i++)
        add(&items, "T1", HD_ARRIVAL_TIME, 1000, NULL, 0);
    add(&items, "T1.1", HD_ARRIVAL_TIME, 5, NULL, 0);
    add(&items, "T1", HD_ARRIVAL_TIME, 6, NULL, 0);
    struct {
        struct hd_arrivals_item first;
        uint8_t added[24];
        struct hd_arrivals_item second;
        uint8_t five[8];
        struct hd_arrivals_item third;
        uint8_t six[8];
    } all;
    assert_int_equal(items.items.len, sizeof all);
    memcpy(&all, items.items.data, sizeof all);
    assert_int_equal(all.first.len, 18);
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(all.added[2 * i], 1000 % 128 + 128);
        assert_int_equal(all.added[2 * i + 1], 1000 / 128);
    }
    assert_int_equal(all.second.thread, hd_arrivals_thread(1, 1));
    assert_int_equal(all.second.len, 1);
    assert_int_equal(all.five[0], 5);
    assert_int_equal(all.third.thread, 1);
    assert_int_equal(all.six[0], 6);
    hd_kept_arrivals_fini(&items);
}

/* Every way to cut the items short, and numbers that no runtime writes, are refused. */
static void damage_is_refused(void **state)
{
    (void)state;
    struct hd_kept_arrivals items = {0};
    uint32_t listener = 3, far = UINT32_MAX;
    add(&items, "T1", HD_ARRIVAL_ACCEPT, 7, &listener, sizeof listener);
    size_t whole = items.items.len;
    for (size_t n = 1; n <= whole; n++) {
        struct hd_trace *t = empty_trace();
        struct hd_kept_arrivals part = {0};
        struct hd_err err = {0};
        bool any;
        hd_bytes_put(&part.items, items.items.data, n);
        hd_kept_arrivals_save(&part, t);
        assert_int_equal(hd_kept_arrivals_write(t, path, &any, &err),
                         n == whole ? HD_OK : HD_ERR_INPUT);
        hd_kept_arrivals_fini(&part);
        hd_trace_free(t);
    }
    memcpy(items.items.data + sizeof(struct hd_arrivals_item), &far, sizeof far);
    struct hd_trace *t = empty_trace();
    struct hd_err err = {0};
    bool any;
    hd_kept_arrivals_save(&items, t);
    assert_int_equal(hd_kept_arrivals_write(t, path, &any, &err), HD_ERR_INPUT);
    hd_trace_free(t);
    hd_kept_arrivals_fini(&items);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read_back),
                                       cmocka_unit_test(times_are_joined),
                                       cmocka_unit_test(damage_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
