/* Raw logs written by hand: what they become, and what is refused. */
#include "drive/build.h"
#include "heddle/rt_abi.h"
#include "heddle/rt_log.h"
#include "model/check.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char path[] = HD_TEST_TMP "/drive_build.raw";

struct log {
    struct hd_log_header header;
    uint64_t *words;
    size_t n;
};

static struct log start(void)
{
    struct log l = {.header = {.magic = HD_LOG_MAGIC, .version = HD_LOG_VERSION, .owner = 1}};
    l.words = calloc(1, HD_LOG_CHUNK);
    assert_non_null(l.words);
    return l;
}

static void put(struct log *l, enum hd_log_kind kind, unsigned aux, unsigned n, ...)
{
    va_list args;
    l->words[l->n++] = (uint64_t)kind | (uint64_t)aux << 8;
    va_start(args, n);
    for (unsigned i = 0; i < n; i++)
        l->words[l->n++] = va_arg(args, uint64_t);
    va_end(args);
}

#define U(x) ((uint64_t)(x))

static enum hd_status finish(struct log *l, struct hd_trace **t, struct hd_build_info *info)
{
    char page[HD_LOG_PAGE] = {0};
    memcpy(page, &l->header, sizeof l->header);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(page, 1, sizeof page, f), sizeof page);
    assert_int_equal(fwrite(l->words, 1, HD_LOG_CHUNK, f), HD_LOG_CHUNK);
    assert_int_equal(fclose(f), 0);
    free(l->words);
    struct hd_err err = {0};
    enum hd_status s = hd_drive_build(path, t, info, &err);
    unlink(path);
    return s;
}

static void expect_consistent(const struct hd_trace *t)
{
    struct hd_err err = {0};
    hd_eid bad;
    if (hd_check_trace(t, &bad, &err) != HD_OK)
        fail_msg("event %u: %s", bad + 1, err.text);
}

/* Memory changed behind our back: a write appears after the last access, by the same thread. */
static void outside_write(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 4, 2, U(0x1000), U(1));
    put(&l, HD_LOG_FORK, 0, 1, U(1));
    put(&l, HD_LOG_SWITCH, 0, 1, U(1));
    put(&l, HD_LOG_READ, 4, 2, U(0x1000), U(2));
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 1);
    assert_int_equal(t->n_events, 4);
    assert_int_equal(t->op[1], HD_OP_WRITE);
    assert_int_equal(t->thread[1], 0);
    assert_string_equal(hd_trace_place_name(t, 1), "outside");
    assert_string_equal(hd_trace_thread_name(t, 1), "T1.1");
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* An 8-byte write and a 4-byte read of its upper half: two cells. */
static void mixed_sizes(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 8, 2, U(0x1000), U(0x500000003));
    put(&l, HD_LOG_READ, 4, 2, U(0x1004), U(5));
    put(&l, HD_LOG_RMW, 4, 3, U(0x1000), U(3), U(4));
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 0);
    assert_int_equal(t->n_events, 4);
    assert_int_equal(hd_trace_n_objs(t, HD_OBJ_LOC), 2);
    assert_int_equal(hd_trace_write_value(t, 0).bits, 3);
    assert_int_equal(hd_trace_write_value(t, 1).bits, 5);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* A write whose value never came, and a block that two threads use and one frees. */
static void pending_and_free(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_ALLOC, 0, 2, U(0x2000), U(16));
    put(&l, HD_LOG_WRITE, 4 | HD_LOG_PENDING, 2, U(0x2000), U(0));
    put(&l, HD_LOG_FORK, 0, 1, U(1));
    put(&l, HD_LOG_SWITCH, 0, 1, U(1));
    put(&l, HD_LOG_READ, 4, 2, U(0x2000), U(9));
    put(&l, HD_LOG_FREE, 0, 1, U(0x2000));
    put(&l, HD_LOG_ALLOC, 0, 2, U(0x2000), U(16));
    put(&l, HD_LOG_READ, 4, 2, U(0x2000), U(1));
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 1); /* the value that was read */
    assert_int_equal(hd_trace_n_objs(t, HD_OBJ_LOC), 2);
    assert_string_equal(hd_trace_obj_name(t, HD_OBJ_LOC, 1), "heap#2+0");
    assert_int_equal(t->op[4], HD_OP_WRITE); /* the free */
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Tokens become dependences on the thread's own reads. */
static void tokens(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    uint64_t one = hd_tok_range(1, 1), both = hd_tok_range(1, 2);
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_SITES, 0, 3, U(0x9000), U(8), U(0));
    put(&l, HD_LOG_READ, 4 | HD_LOG_SITE, 2, U(0x1000), U(1));
    put(&l, HD_LOG_READ, 4 | HD_LOG_SITE | HD_LOG_ADDR, 3, U(0x1004), U(1), one);
    put(&l, HD_LOG_BRANCH, HD_LOG_SITE, 1, both);
    put(&l, HD_LOG_WRITE, 4 | HD_LOG_SITE | HD_LOG_VAL, 3, U(0x1008), U(1), one);
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(t->control, HD_CONTROL_BRANCHES);
    assert_int_equal(t->n_events, 4);
    struct hd_deps d = hd_trace_deps(t, 1, HD_DEP_ADDR);
    assert_false(d.all);
    assert_int_equal(d.n, 1);
    assert_int_equal(hd_trace_back(t, 1, d.dist[0]), 0);
    d = hd_trace_deps(t, 2, HD_DEP_CONTROL);
    assert_int_equal(d.n, 2);
    d = hd_trace_deps(t, 3, HD_DEP_VALUE);
    assert_int_equal(d.n, 1);
    assert_int_equal(hd_trace_back(t, 3, d.dist[0]), 0);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Damage ends the log; what stands before it is kept. */
static void damage(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 4, 2, U(0x1000), U(1));
    put(&l, HD_LOG_RANGE_WRITE, 0, 2, U(0x1000), UINT64_MAX);
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    assert_true(info.broken);
    assert_int_equal(t->n_events, 1);
    hd_trace_free(t);
    hd_build_info_fini(&info);
    l = start();
    l.header.magic++;
    assert_int_equal(finish(&l, &t, &info), HD_ERR_INPUT);
    hd_build_info_fini(&info);
    l = start();
    put(&l, HD_LOG_SWITCH, 0, 1, U(1) << 40);
    assert_int_equal(finish(&l, &t, &info), HD_ERR_INPUT);
    hd_build_info_fini(&info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_write),    cmocka_unit_test(mixed_sizes),
        cmocka_unit_test(pending_and_free), cmocka_unit_test(tokens),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
