/* Sets of small integers against an array of flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/bitset.h"

static void agrees_with_flags(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 65, 128, 1000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        bool flags[1000] = {0};
        struct hd_bitset s;
        uint32_t seed = 3;
        hd_bitset_init(&s, sizes[k]);
        for (int op = 0; op < 5000; op++) {
            seed = seed * 1664525 + 1013904223;
            size_t i = (seed >> 8) % sizes[k];
            bool add = seed >> 31;
            assert_int_equal(hd_bitset_has(&s, i), flags[i]);
            flags[i] = add;
            if (add)
                hd_bitset_add(&s, i);
            else
                hd_bitset_del(&s, i);
        }
        for (size_t i = 0; i < sizes[k]; i++)
            assert_int_equal(hd_bitset_has(&s, i), flags[i]);
        hd_bitset_fini(&s);
    }
}

static void gives_memory_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 64, 200};
    size_t base = hd_alloc_in_use();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct hd_bitset s;
        hd_bitset_init(&s, sizes[k]);
        for (size_t i = 0; i < sizes[k]; i++)
            assert_false(hd_bitset_has(&s, i));
        hd_bitset_fini(&s);
        assert_int_equal(hd_alloc_in_use(), base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_flags),
        cmocka_unit_test(gives_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
