/* Errors: what is kept, what is cut, what is tamed; panics end with 4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

static void set_fills_and_returns(void **state)
{
    (void)state;
    struct hd_err err = {.file = "keep", .line = 9};
    assert_int_equal(hd_err_set(&err, HD_ERR_LIMIT, "at most %d", 5), HD_ERR_LIMIT);
    assert_int_equal(err.code, HD_ERR_LIMIT);
    assert_string_equal(err.text, "at most 5");
    assert_string_equal(err.file, "keep");
    assert_int_equal(err.line, 9);
    assert_int_equal(hd_err_set(NULL, HD_ERR_IO, "nobody listens"), HD_ERR_IO);
    assert_int_equal(hd_err_at(NULL, HD_ERR_IO, "f", 1, "nobody listens"), HD_ERR_IO);
}

static void at_gives_the_place(void **state)
{
    (void)state;
    struct hd_err err = {0};
    assert_int_equal(hd_err_at(&err, HD_ERR_INPUT, "a.std", 12, "bad op '%s'", "q"), HD_ERR_INPUT);
    assert_string_equal(err.file, "a.std");
    assert_int_equal(err.line, 12);
    assert_string_equal(err.text, "bad op 'q'");
    hd_err_at(&err, HD_ERR_INPUT, NULL, 0, "no place");
    assert_string_equal(err.file, "");
}

static void texts_can_be_wrapped(void **state)
{
    (void)state;
    struct hd_err err = {0};
    hd_err_at(&err, HD_ERR_INPUT, "a.std", 1, "inner");
    hd_err_at(&err, HD_ERR_INPUT, err.file, 2, "outer: %s", err.text);
    assert_string_equal(err.text, "outer: inner");
    assert_string_equal(err.file, "a.std");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    struct hd_err err = {0};
    char big[2000], path[600];
    memset(big, 'b', sizeof big - 1);
    big[sizeof big - 1] = 0;
    memset(path, 'p', sizeof path);
    strcpy(path + sizeof path - 8, "/end.st");
    hd_err_at(&err, HD_ERR_INPUT, path, 1, "%s", big);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_memory_equal(err.file, "...p", 4);
    assert_string_equal(err.file + sizeof err.file - 8, "/end.st");
    path[sizeof err.file - 1] = 0;
    hd_err_at(&err, HD_ERR_INPUT, path, 1, "fits");
    assert_string_equal(err.file, path);
}

static void control_characters_are_tamed(void **state)
{
    (void)state;
    struct hd_err err = {0};
    hd_err_at(&err, HD_ERR_INPUT, "a\nb", 1, "name '\x1b[31mred\r\n' \xc3\xa9");
    assert_string_equal(err.text, "name '?[31mred?\?' \xc3\xa9");
    assert_string_equal(err.file, "a?b");
}

static void a_broken_invariant_exits_with_4_and_names_it(void **state)
{
    (void)state;
    int fds[2];
    char said[300] = {0};
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(fds[1], STDERR_FILENO);
        HD_ASSERT(fds[0] == -7);
        _exit(99);
    }
    int status;
    close(fds[1]);
    assert_true(read(fds[0], said, sizeof said - 1) > 0);
    close(fds[0]);
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_non_null(strstr(said, "fds[0] == -7"));
    assert_non_null(strstr(said, " tests/unit/test_base_err.c:"));
    HD_ASSERT(fds[0] != -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_and_returns),
        cmocka_unit_test(at_gives_the_place),
        cmocka_unit_test(texts_can_be_wrapped),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(control_characters_are_tamed),
        cmocka_unit_test(a_broken_invariant_exits_with_4_and_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
