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
        size_t count = 0;
        uint32_t seed = 3;
        hd_bitset_init(&s, sizes[k]);
        for (int op = 0; op < 5000; op++) {
            seed = seed * 1664525 + 1013904223;
            size_t i = (seed >> 8) % sizes[k];
            bool add = seed >> 31;
            assert_int_equal(hd_bitset_has(&s, i), flags[i]);
            count += (size_t)add - flags[i];
            flags[i] = add;
            if (add)
                hd_bitset_add(&s, i);
            else
                hd_bitset_del(&s, i);
            assert_int_equal(hd_bitset_count(&s), count);
        }
        hd_bitset_clear_all(&s);
        assert_int_equal(hd_bitset_count(&s), 0);
        hd_bitset_fini(&s);
    }
}

static void unions_and_intersections(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_bitset a, b;
    hd_bitset_init(&a, 200);
    hd_bitset_init(&b, 200);
    assert_false(hd_bitset_intersects(&a, &b));
    hd_bitset_add(&a, 199);
    hd_bitset_add(&b, 198);
    assert_false(hd_bitset_intersects(&a, &b));
    assert_true(hd_bitset_union(&a, &b));
    assert_false(hd_bitset_union(&a, &b));
    assert_true(hd_bitset_intersects(&a, &b));
    assert_true(hd_bitset_has(&a, 198) && hd_bitset_has(&a, 199));
    assert_int_equal(hd_bitset_count(&b), 1);
    hd_bitset_fini(&a);
    hd_bitset_fini(&b);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void the_empty_universe(void **state)
{
    (void)state;
    struct hd_bitset a, b;
    hd_bitset_init(&a, 0);
    hd_bitset_init(&b, 0);
    hd_bitset_clear_all(&a);
    assert_int_equal(hd_bitset_count(&a), 0);
    assert_false(hd_bitset_intersects(&a, &b));
    assert_false(hd_bitset_union(&a, &b));
    hd_bitset_fini(&a);
    hd_bitset_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_flags),
        cmocka_unit_test(unions_and_intersections),
        cmocka_unit_test(the_empty_universe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
