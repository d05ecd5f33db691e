/* Names of code, and symbols that are kept for the next who asks about the same files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/symbols.h"

#define BIAS 0x10000000u

static char copy[] = "/tmp/heddle-symbols-XXXXXX"; /* of this program */

static struct hd_symbols *opened(const char *path, uint64_t bias)
{
    struct hd_symbols *s = hd_symbols_new();
    hd_symbols_module(s, path, bias);
    return hd_symbols_share(s);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(uint64_t *)out = info->dlpi_addr;
    return 1;
}

/* The code of this test in the copy, as if it were loaded at BIAS. */
static uint64_t code_of(void (*f)(void **))
{
    uint64_t bias = 0;
    dl_iterate_phdr(first_bias, &bias);
    return (uint64_t)(uintptr_t)f - bias + BIAS + 4;
}

static void test_names(void **state)
{
    (void)state;
    struct hd_symbols *s = opened(copy, BIAS);
    for (int i = 0; i < 2; i++) { /* found, and found again */
        const struct hd_symbols_inline *in;
        const struct hd_symbols_code *code = hd_symbols_code(s, code_of(test_names));
        assert_string_equal(code->function, "test_names");
        assert_non_null(strstr(code->place, "test_symbols.c:"));
        assert_int_equal(hd_symbols_inlined(s, code_of(test_names), &in), 1);
        assert_string_equal(in[0].function, "test_names");
        assert_non_null(strstr(in[0].file, "test_symbols.c"));
        assert_string_equal(hd_symbols_code(s, 1)->place, "");
        assert_int_equal(hd_symbols_inlined(s, 1, &in), 0);
    }
    hd_symbols_free(s);
}

static void test_shared(void **state)
{
    (void)state;
    struct hd_symbols *s = opened(copy, BIAS);
    hd_symbols_free(s);
    assert_ptr_equal(opened(copy, BIAS), s);
    struct hd_symbols *other = opened(copy, BIAS); /* s is in use */
    assert_ptr_not_equal(other, s);
    hd_symbols_free(other);
    hd_symbols_free(s); /* in the place of the other one */
    assert_ptr_equal(opened(copy, BIAS), s);
    hd_symbols_free(s);
}

/* What was read of another file, or of the same at another address, says nothing. */
static void test_others(void **state)
{
    (void)state;
    uint64_t pc = code_of(test_others);
    struct hd_symbols *s = opened(copy, BIAS);
    assert_string_equal(hd_symbols_code(s, pc)->function, "test_others");
    hd_symbols_free(s);
    s = opened(copy, 2 * BIAS);
    assert_string_equal(hd_symbols_code(s, pc)->function, "");
    hd_symbols_free(s);
    hd_symbols_free(opened(copy, BIAS));
    assert_int_equal(truncate(copy, 0), 0);
    s = opened(copy, BIAS);
    assert_string_equal(hd_symbols_code(s, pc)->function, "");
    hd_symbols_free(s);
}

/* A program that is run must not find files open that it did not open. */
static void test_closed_in_programs(void **state)
{
    (void)state;
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(next);
    struct hd_symbols *s = opened("/proc/self/exe", BIAS);
    assert_int_equal(fcntl(next, F_GETFD), FD_CLOEXEC);
    hd_symbols_free(s);
}

static int copy_program(void **state)
{
    char buffer[65536];
    (void)state;
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(copy);
    ssize_t n = to < 0 ? -1 : 1;
    while (n > 0 && (n = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)n) != n)
            n = -1;
    close(from);
    close(to);
    return (int)n;
}

static int remove_copy(void **state)
{
    (void)state;
    return unlink(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_closed_in_programs),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, copy_program, remove_copy);
}
