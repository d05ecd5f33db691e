/* Names to ids and back: many names, growth, texts that look alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/names.h"

enum { MANY = 100000 };

static size_t write_name(char *text, size_t size, uint32_t i)
{
    return (size_t)snprintf(text, size, i % 2 ? "src/file%u.c:%u" : "v%u", i, i * 3);
}

static void many_names_keep_their_ids(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_names n = {0};
    char text[64];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < MANY; i++) {
            size_t len = write_name(text, sizeof text, i);
            assert_int_equal(hd_names_add(&n, text, len), i);
        }
    assert_int_equal(n.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t id = 0;
        size_t len = write_name(text, sizeof text, i);
        assert_string_equal(hd_names_text(&n, i), text);
        assert_int_equal(hd_names_len(&n, i), len);
        assert_true(hd_names_find(&n, text, len, &id));
        assert_int_equal(id, i);
    }
    assert_int_equal(hd_alloc_in_use() - base, hd_names_bytes(&n));
    hd_names_fini(&n);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void unknown_names_are_not_found(void **state)
{
    (void)state;
    struct hd_names n = {0};
    uint32_t id = 77;
    assert_false(hd_names_find(&n, "x", 1, &id));
    hd_names_add(&n, "xy", 2);
    assert_false(hd_names_find(&n, "x", 1, &id));
    assert_false(hd_names_find(&n, "xyz", 3, &id));
    assert_false(hd_names_find(&n, "", 0, &id));
    assert_int_equal(id, 77);
    assert_int_equal(n.count, 1);
    hd_names_fini(&n);
}

static void odd_texts_are_names_too(void **state)
{
    (void)state;
    struct hd_names n = {0};
    static char big[100000];
    memset(big, 'b', sizeof big);
    assert_int_equal(hd_names_add(&n, "", 0), 0);
    assert_int_equal(hd_names_add(&n, big, sizeof big), 1);
    assert_int_equal(hd_names_add(&n, big, sizeof big - 1), 2);
    assert_int_equal(hd_names_add(&n, "a\0b", 3), 3);
    assert_int_equal(hd_names_add(&n, "a\0c", 3), 4);
    assert_int_equal(hd_names_add(&n, "a", 1), 5);
    assert_int_equal(hd_names_add(&n, NULL, 0), 0);
    assert_int_equal(hd_names_add(&n, big, sizeof big), 1);
    assert_int_equal(hd_names_len(&n, 0), 0);
    assert_int_equal(hd_names_len(&n, 1), sizeof big);
    assert_memory_equal(hd_names_text(&n, 4), "a\0c", 4);
    hd_names_fini(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_names_keep_their_ids),
        cmocka_unit_test(unknown_names_are_not_found),
        cmocka_unit_test(odd_texts_are_names_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
