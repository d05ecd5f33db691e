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

static void add(struct hd_bytes *items, const char *thread, enum hd_arrival kind, uint32_t id,
                const void *data, size_t len)
{
    struct hd_raw rec = {
        .kind = HD_LOG_ARRIVAL, .w = {(uint64_t)id << 8 | kind}, .data = data, .len = len};
    hd_arrivals_add(items, thread, &rec);
}

static void written_and_read_back(void **state)
{
    (void)state;
    struct hd_bytes items = {0};
    struct hd_trace *t = empty_trace();
    uint32_t listener = 3;
    bool any = true;
    assert_int_equal(hd_arrivals_write(t, path, &any, NULL), HD_OK);
    assert_false(any);
    add(&items, "T1", HD_ARRIVAL_ACCEPT, 7, &listener, sizeof listener);
    add(&items, "T1.2.3", HD_ARRIVAL_READ, 7, "hello", 5);
    hd_arrivals_save(&items, t);
    assert_int_equal(hd_arrivals_write(t, path, &any, NULL), HD_OK);
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
    hd_bytes_fini(&items);
    hd_trace_free(t);
}

/* Every way to cut the items short, and numbers that no runtime writes, are refused. */
static void damage_is_refused(void **state)
{
    (void)state;
    struct hd_bytes items = {0};
    uint32_t listener = 3, far = UINT32_MAX;
    add(&items, "T1", HD_ARRIVAL_ACCEPT, 7, &listener, sizeof listener);
    size_t whole = items.len;
    for (size_t n = 1; n <= whole; n++) {
        struct hd_trace *t = empty_trace();
        struct hd_bytes part = {0};
        struct hd_err err = {0};
        bool any;
        hd_bytes_put(&part, items.data, n);
        hd_arrivals_save(&part, t);
        assert_int_equal(hd_arrivals_write(t, path, &any, &err), n == whole ? HD_OK : HD_ERR_INPUT);
        hd_bytes_fini(&part);
        hd_trace_free(t);
    }
    memcpy(items.data + sizeof(struct hd_arrivals_item), &far, sizeof far);
    struct hd_trace *t = empty_trace();
    struct hd_err err = {0};
    bool any;
    hd_arrivals_save(&items, t);
    assert_int_equal(hd_arrivals_write(t, path, &any, &err), HD_ERR_INPUT);
    hd_trace_free(t);
    hd_bytes_fini(&items);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read_back),
                                       cmocka_unit_test(damage_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
