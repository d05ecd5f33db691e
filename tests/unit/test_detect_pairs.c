/* Sets of pairs against a plain bit matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "detect/pairs.h"

static void empty_set_is_sorted(void **state)
{
    (void)state;
    struct hd_pairs p = {0}, q = {0};
    hd_pairs_sort(&p);
    assert_false(hd_pairs_contains(&p, 1, 2));
    assert_true(hd_pairs_equal(&p, &q));
    hd_pairs_push(&q, 5, 5);
    assert_true(hd_pairs_subset(&p, &q, NULL));
    struct hd_pair missing;
    assert_false(hd_pairs_subset(&q, &p, &missing));
    assert_int_equal(missing.a, 5);
    hd_pairs_fini(&p);
    hd_pairs_fini(&q);
}

static void order_and_repeats_do_not_matter(void **state)
{
    (void)state;
    enum { N = 20 };
    for (unsigned seed = 1; seed <= 50; seed++) {
        unsigned char matrix[N][N] = {{0}};
        struct hd_pairs p = {0};
        srand(seed);
        for (unsigned i = 0; i < seed * 5; i++) {
            unsigned x = (unsigned)rand() % N, y = (unsigned)rand() % N;
            hd_pairs_push(&p, x, y);
            matrix[x < y ? x : y][x < y ? y : x] = 1;
        }
        hd_pairs_sort(&p);
        size_t i = 0;
        for (unsigned a = 0; a < N; a++)
            for (unsigned b = a; b < N; b++) {
                assert_int_equal(hd_pairs_contains(&p, b, a), matrix[a][b]);
                if (!matrix[a][b])
                    continue;
                assert_int_equal(p.data[i].a, a);
                assert_int_equal(p.data[i++].b, b);
            }
        assert_int_equal(i, p.len);
        hd_pairs_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_set_is_sorted),
        cmocka_unit_test(order_and_repeats_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
