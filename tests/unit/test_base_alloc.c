/* The allocator: exact accounting, high-water mark, injected failures, overflow, many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/pool.h"

static jmp_buf out;
static size_t failed_bytes;

static void jump_out(size_t bytes)
{
    failed_bytes = bytes;
    longjmp(out, 1);
}

static void accounting_is_exact(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    void *a = hd_alloc(100);
    assert_int_equal(hd_alloc_in_use(), base + 100);
    unsigned char *b = hd_calloc(7, 9);
    assert_int_equal(hd_alloc_in_use(), base + 163);
    for (int i = 0; i < 63; i++)
        assert_int_equal(b[i], 0);
    a = hd_realloc(a, 100, 1000);
    assert_int_equal(hd_alloc_in_use(), base + 1063);
    a = hd_realloc_array(a, 1000, 10, 1);
    assert_int_equal(hd_alloc_in_use(), base + 73);
    char *s = hd_strndup("heddle", 4);
    assert_string_equal(s, "hedd");
    assert_int_equal(hd_alloc_in_use(), base + 78);
    hd_free(s, 5);
    hd_free(a, 10);
    hd_free(b, 63);
    hd_free(NULL, 12345);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void realloc_keeps_the_content(void **state)
{
    (void)state;
    unsigned char *p = hd_realloc(NULL, 0, 10);
    memset(p, 0x5a, 10);
    p = hd_realloc(p, 10, 100000);
    for (int i = 0; i < 10; i++)
        assert_int_equal(p[i], 0x5a);
    p = hd_realloc(p, 100000, 0);
    assert_non_null(p);
    hd_free(p, 0);
}

static void peak_is_the_high_water_mark(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    hd_alloc_reset_peak();
    assert_int_equal(hd_alloc_peak(), base);
    void *a = hd_alloc(5000), *b = hd_alloc(3000);
    hd_free(a, 5000);
    a = hd_alloc(1000);
    assert_int_equal(hd_alloc_peak(), base + 8000);
    hd_alloc_reset_peak();
    assert_int_equal(hd_alloc_peak(), base + 4000);
    hd_free(a, 1000);
    hd_free(b, 3000);
}

static void the_nth_allocation_fails_once(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    volatile int done = 0;
    hd_alloc_set_oom_hook(jump_out);
    hd_alloc_fail_at(3);
    if (!setjmp(out))
        for (;;) {
            hd_free(hd_alloc(64), 64);
            done++;
        }
    assert_int_equal(done, 2);
    assert_int_equal(failed_bytes, 64);
    hd_free(hd_alloc(8), 8);
    hd_alloc_fail_at(1);
    hd_alloc_fail_at(0);
    hd_free(hd_alloc(8), 8);
    hd_alloc_set_oom_hook(NULL);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void a_failed_realloc_leaves_the_block(void **state)
{
    (void)state;
    char *p = hd_alloc(10);
    strcpy(p, "kept");
    volatile int caught = 0;
    hd_alloc_set_oom_hook(jump_out);
    hd_alloc_fail_at(1);
    if (!setjmp(out))
        hd_realloc(p, 10, 1 << 20);
    else
        caught = 1;
    hd_alloc_set_oom_hook(NULL);
    assert_int_equal(caught, 1);
    assert_string_equal(p, "kept");
    hd_free(p, 10);
}

static void overflow_is_out_of_memory(void **state)
{
    (void)state;
    volatile int caught = 0;
    hd_alloc_set_oom_hook(jump_out);
    if (!setjmp(out))
        hd_calloc(SIZE_MAX / 2, 3);
    else
        caught++;
    if (!setjmp(out))
        hd_realloc_array(NULL, 0, SIZE_MAX / 2, 3);
    else
        caught++;
    hd_alloc_set_oom_hook(NULL);
    assert_int_equal(caught, 2);
}

static void default_hook_exits_with_4(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (!pid) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(99);
        hd_alloc_fail_at(1);
        hd_alloc(1);
        _exit(98);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
}

static void churn(void *ctx, size_t item, unsigned worker)
{
    (void)ctx;
    (void)worker;
    for (size_t i = 1; i < 200; i++)
        hd_free(hd_realloc(hd_alloc(i), i, i * (item % 3 + 1)), i * (item % 3 + 1));
}

static void threads_keep_the_sum(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    hd_pool_for(400, 4, churn, NULL);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void beyond_the_limit_is_out_of_memory(void **state)
{
    (void)state;
    hd_alloc_set_oom_hook(jump_out);
    hd_alloc_set_limit(hd_alloc_in_use() + 1000);
    void *volatile block = hd_alloc(900);
    failed_bytes = 0;
    if (!setjmp(out))
        hd_alloc(200);
    assert_int_equal(failed_bytes, 200);
    hd_alloc_set_limit(0);
    hd_alloc_set_oom_hook(NULL);
    hd_free(block, 900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accounting_is_exact),
        cmocka_unit_test(realloc_keeps_the_content),
        cmocka_unit_test(peak_is_the_high_water_mark),
        cmocka_unit_test(the_nth_allocation_fails_once),
        cmocka_unit_test(a_failed_realloc_leaves_the_block),
        cmocka_unit_test(overflow_is_out_of_memory),
        cmocka_unit_test(default_hook_exits_with_4),
        cmocka_unit_test(threads_keep_the_sum),
        cmocka_unit_test(beyond_the_limit_is_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
