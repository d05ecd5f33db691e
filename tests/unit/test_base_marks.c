/* Marks against an array of flags, also while they are made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/marks.h"
#include "base/rng.h"

enum { MOST = 2000 };

/* The first `known` positions have all their marks. */
static void compare(const struct hd_marks *m, const bool *flags, size_t known)
{
    uint32_t n = 0;
    for (size_t i = 0; i < known; i++) {
        assert_int_equal(hd_marks_has(m, i), flags[i]);
        assert_int_equal(hd_marks_before(m, i), n);
        n += flags[i];
        assert_int_equal(hd_marks_upto(m, i), n);
    }
    assert_int_equal(m->n, n);
    size_t next = m->size;
    for (size_t i = known; i-- > 0;) {
        next = flags[i] ? i : next;
        assert_int_equal(hd_marks_next(m, i), next);
    }
}

static void agrees_with_flags(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 65, 128, 129, MOST};
    struct hd_rng rng;
    hd_rng_init(&rng, 7);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint32_t one_in = 1; one_in < 2000; one_in *= 3) {
            bool flags[MOST] = {0};
            struct hd_marks m;
            hd_marks_init(&m, sizes[k]);
            for (size_t i = 0; i < sizes[k]; i++) {
                flags[i] = hd_rng_below(&rng, one_in) == 0;
                if (flags[i])
                    hd_marks_add(&m, i);
                if (i % 97 == 0)
                    compare(&m, flags, i + 1);
            }
            compare(&m, flags, sizes[k]);
            hd_marks_fini(&m);
        }
}

static void knows_the_positions_behind_the_last_mark(void **state)
{
    (void)state;
    struct hd_marks m;
    hd_marks_init(&m, 1000);
    assert_int_equal(hd_marks_before(&m, 999), 0);
    hd_marks_add(&m, 70);
    assert_int_equal(hd_marks_before(&m, 999), 1);
    assert_int_equal(hd_marks_upto(&m, 128), 1);
    assert_int_equal(hd_marks_upto(&m, 69), 0);
    hd_marks_fini(&m);
}

static void gives_memory_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 64, 200};
    size_t base = hd_alloc_in_use();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct hd_marks m;
        hd_marks_init(&m, sizes[k]);
        hd_marks_fini(&m);
        hd_marks_fini(&m); /* a zeroed one, too */
        assert_int_equal(hd_alloc_in_use(), base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_flags),
        cmocka_unit_test(knows_the_positions_behind_the_last_mark),
        cmocka_unit_test(gives_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
