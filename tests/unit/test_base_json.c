/* The JSON writer, parsed back with jansson. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"

struct sink {
    char *text;
    size_t len;
    struct hd_json j;
};

static void start(struct sink *s)
{
    hd_json_init(&s->j, open_memstream(&s->text, &s->len));
}

static json_t *parse(struct sink *s)
{
    json_error_t why;
    fclose(s->j.out);
    json_t *root = json_loadb(s->text, s->len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
    if (!root)
        fail_msg("%s in %s", why.text, s->text);
    free(s->text);
    return root;
}

static void layout_is_fixed(void **state)
{
    (void)state;
    struct sink s;
    start(&s);
    hd_json_begin_object(&s.j);
    hd_json_key(&s.j, "a");
    hd_json_begin_array(&s.j);
    hd_json_uint(&s.j, 1);
    hd_json_int(&s.j, -2);
    hd_json_begin_array(&s.j);
    hd_json_end_array(&s.j);
    hd_json_begin_object(&s.j);
    hd_json_end_object(&s.j);
    hd_json_end_array(&s.j);
    hd_json_key(&s.j, "b");
    hd_json_bool(&s.j, true);
    hd_json_key(&s.j, "c");
    hd_json_null(&s.j);
    hd_json_key(&s.j, "d");
    hd_json_double(&s.j, 0.5);
    hd_json_end_object(&s.j);
    fclose(s.j.out);
    assert_string_equal(s.text,
                        "{\"a\": [1, -2, [], {}], \"b\": true, \"c\": null, \"d\": 0.500000}");
    free(s.text);
}

static void numbers_at_their_limits(void **state)
{
    (void)state;
    struct sink s;
    start(&s);
    hd_json_begin_array(&s.j);
    hd_json_int(&s.j, INT64_MIN);
    hd_json_int(&s.j, INT64_MAX);
    hd_json_uint(&s.j, 0);
    hd_json_uint(&s.j, INT64_MAX);
    hd_json_double(&s.j, -1e300);
    hd_json_double(&s.j, NAN);
    hd_json_double(&s.j, -INFINITY);
    hd_json_end_array(&s.j);
    json_t *root = parse(&s);
    assert_true(json_integer_value(json_array_get(root, 0)) == INT64_MIN);
    assert_true(json_integer_value(json_array_get(root, 1)) == INT64_MAX);
    assert_true(json_integer_value(json_array_get(root, 2)) == 0);
    assert_true(json_integer_value(json_array_get(root, 3)) == INT64_MAX);
    assert_true(json_real_value(json_array_get(root, 4)) == -1e300);
    assert_true(json_is_null(json_array_get(root, 5)));
    assert_true(json_is_null(json_array_get(root, 6)));
    json_decref(root);
    start(&s);
    hd_json_uint(&s.j, UINT64_MAX);
    fclose(s.j.out);
    assert_string_equal(s.text, "18446744073709551615");
    free(s.text);
}

static void check_string(const char *given, const char *read_back)
{
    struct sink s;
    start(&s);
    hd_json_string(&s.j, given);
    json_t *root = parse(&s);
    assert_string_equal(json_string_value(root), read_back);
    json_decref(root);
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void strings_survive_or_are_repaired(void **state)
{
    (void)state;
    static const char *const whole[] = {
        "",
        "plain",
        "q\"b\\s/",
        "\b\f\n\r\t\x01\x1f\x7f",
        "\xc3\xa9",
        "\xe2\x82\xac",
        "\xf0\x9f\x98\x80",
        "\xed\x9f\xbf",
        "\xf4\x8f\xbf\xbf",
        "a\xc2\x80z",
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        check_string(whole[i], whole[i]);
    check_string("a\x80z", "a" BAD "z");
    check_string("\xc3", BAD);
    check_string("\xc3(", BAD "(");
    check_string("\xc0\xaf", BAD BAD);
    check_string("\xe0\x80\xaf", BAD BAD BAD);
    check_string("\xed\xa0\x80", BAD BAD BAD);
    check_string("\xf4\x90\x80\x80", BAD BAD BAD BAD);
    check_string("\xf0\x9f\x98", BAD BAD BAD);
    check_string("\xff\xfe", BAD BAD);
}

static void keys_are_escaped_too(void **state)
{
    (void)state;
    struct sink s;
    start(&s);
    hd_json_begin_object(&s.j);
    hd_json_key(&s.j, "a\"\n");
    hd_json_string(&s.j, "v");
    hd_json_end_object(&s.j);
    json_t *root = parse(&s);
    assert_string_equal(json_string_value(json_object_get(root, "a\"\n")), "v");
    json_decref(root);
}

/* Random bytes always give a document that parses to valid text. */
static void random_bytes_always_parse(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int round = 0; round < 20000; round++) {
        char text[17] = {0};
        for (int i = 0; i < 16; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (char)(seed >> 24);
        }
        struct sink s;
        start(&s);
        hd_json_string(&s.j, text);
        json_t *root = parse(&s);
        assert_true(json_is_string(root));
        json_decref(root);
    }
}

static void deepest_nesting(void **state)
{
    (void)state;
    struct sink s;
    start(&s);
    for (int i = 0; i < 63; i++)
        hd_json_begin_array(&s.j);
    for (int i = 0; i < 63; i++) {
        hd_json_end_array(&s.j);
        if (i < 62)
            hd_json_uint(&s.j, 1);
    }
    json_decref(parse(&s));
}

static void value_without_key(struct hd_json *j)
{
    hd_json_begin_object(j);
    hd_json_uint(j, 1);
}

static void key_in_array(struct hd_json *j)
{
    hd_json_begin_array(j);
    hd_json_key(j, "a");
}

static void wrong_bracket(struct hd_json *j)
{
    hd_json_begin_array(j);
    hd_json_end_object(j);
}

static void end_after_key(struct hd_json *j)
{
    hd_json_begin_object(j);
    hd_json_key(j, "a");
    hd_json_end_object(j);
}

static void end_too_many(struct hd_json *j)
{
    hd_json_end_array(j);
}

static void too_deep(struct hd_json *j)
{
    for (int i = 0; i < 64; i++)
        hd_json_begin_array(j);
}

static void misuse_is_an_assertion(void **state)
{
    (void)state;
    static void (*const misuses[])(struct hd_json *) = {
        value_without_key, key_in_array, wrong_bracket, end_after_key, end_too_many, too_deep,
    };
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        pid_t pid = fork();
        if (!pid) {
            struct hd_json j;
            FILE *null = fopen("/dev/null", "w");
            if (!null || !freopen("/dev/null", "w", stderr))
                _exit(99);
            hd_json_init(&j, null);
            misuses[i](&j);
            _exit(98);
        }
        int status;
        waitpid(pid, &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_fixed),
        cmocka_unit_test(numbers_at_their_limits),
        cmocka_unit_test(strings_survive_or_are_repaired),
        cmocka_unit_test(keys_are_escaped_too),
        cmocka_unit_test(random_bytes_always_parse),
        cmocka_unit_test(deepest_nesting),
        cmocka_unit_test(misuse_is_an_assertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
