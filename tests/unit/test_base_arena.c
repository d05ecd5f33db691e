/* The bump arena: alignment, no overlap, accounting, reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"

static void fresh_arena_holds_nothing(void **state)
{
    (void)state;
    size_t before = hd_alloc_in_use();
    struct hd_arena *a = hd_arena_new();
    assert_int_equal(hd_arena_bytes(a), 0);
    hd_arena_reset(a);
    hd_arena_free(a);
    hd_arena_free(NULL);
    assert_int_equal(hd_alloc_in_use(), before);
}

/* Fills every piece with its own byte and looks at all of them at the end: an overlap shows. */
static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    enum { N = 5000 };
    static unsigned char *piece[N];
    static size_t size[N];
    size_t before = hd_alloc_in_use(), sum = 0;
    struct hd_arena *a = hd_arena_new();
    uint32_t seed = 7;
    for (size_t i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        size[i] = i % 500 == 499 ? (size_t)3 << 20 : seed >> 16 & 0x3ff;
        piece[i] = hd_arena_alloc(a, size[i]);
        assert_int_equal((uintptr_t)piece[i] % 16, 0);
        memset(piece[i], (int)(i % 251), size[i]);
        sum += (size[i] + 15) / 16 * 16;
    }
    assert_int_equal(hd_arena_bytes(a), sum);
    assert_true(hd_alloc_in_use() - before >= sum);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k += 13)
            assert_int_equal(piece[i][k], i % 251);
    hd_arena_free(a);
    assert_int_equal(hd_alloc_in_use(), before);
}

static void reset_reuses_memory(void **state)
{
    (void)state;
    struct hd_arena *a = hd_arena_new();
    for (int i = 0; i < 1000; i++)
        hd_arena_alloc(a, 4096);
    hd_arena_reset(a);
    assert_int_equal(hd_arena_bytes(a), 0);
    size_t kept = hd_alloc_in_use();
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 100; i++)
            memset(hd_arena_alloc(a, 4096), round, 4096);
        assert_int_equal(hd_alloc_in_use(), kept);
        hd_arena_reset(a);
    }
    hd_arena_free(a);
}

/* A large request must not waste the rest of the block in use. */
static void large_request_keeps_the_block(void **state)
{
    (void)state;
    struct hd_arena *a = hd_arena_new();
    char *first = hd_arena_alloc(a, 32);
    memset(hd_arena_alloc(a, 1 << 20), 1, 1 << 20);
    char *second = hd_arena_alloc(a, 32);
    assert_ptr_equal(second, first + 32);
    hd_arena_free(a);
}

static void calloc_is_zeroed_after_reset(void **state)
{
    (void)state;
    struct hd_arena *a = hd_arena_new();
    memset(hd_arena_alloc(a, 1000), 0xff, 1000);
    hd_arena_reset(a);
    unsigned char *p = hd_arena_calloc(a, 100, 10);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(p[i], 0);
    char *s = hd_arena_strndup(a, "heddle", 3);
    assert_string_equal(s, "hed");
    hd_arena_free(a);
}

static jmp_buf out;

static void jump_out(size_t bytes)
{
    (void)bytes;
    longjmp(out, 1);
}

static void overflow_is_fatal(void **state)
{
    (void)state;
    struct hd_arena *a = hd_arena_new();
    volatile int caught = 0;
    hd_alloc_set_oom_hook(jump_out);
    if (!setjmp(out))
        hd_arena_calloc(a, SIZE_MAX / 8, 16);
    else
        caught++;
    if (!setjmp(out))
        hd_arena_alloc(a, SIZE_MAX - 3);
    else
        caught++;
    hd_alloc_set_oom_hook(NULL);
    assert_int_equal(caught, 2);
    hd_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_arena_holds_nothing),
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(reset_reuses_memory),
        cmocka_unit_test(large_request_keeps_the_block),
        cmocka_unit_test(calloc_is_zeroed_after_reset),
        cmocka_unit_test(overflow_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
