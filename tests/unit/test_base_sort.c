/* hd_sort: as qsort_r with equal elements in their order, for lists longer than its pieces; an
 * interrupt ends it early, and no element is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/stop.h"

struct item {
    uint32_t key, number;
};

static uint64_t compared;

static int by_key(const void *x, const void *y, void *arg)
{
    const struct item *p = x, *q = y;
    if (++compared == *(uint64_t *)arg)
        hd_interrupt_request();
    return p->key < q->key ? -1 : p->key > q->key;
}

static struct item *draw(size_t n, uint32_t keys)
{
    struct item *list = hd_alloc(n * sizeof *list);
    struct hd_rng rng;
    hd_rng_init(&rng, n);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct item){hd_rng_below(&rng, keys), i};
    return list;
}

static void lists_of_all_lengths_are_sorted(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 1000, 16384, 16385, 32768, 50000, 131072, 200001};
    uint64_t never = 0;
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i];
        struct item *list = draw(n, 500);
        hd_sort(list, n, sizeof *list, by_key, &never);
        for (size_t k = 1; k < n; k++)
            assert_true(list[k - 1].key < list[k].key ||
                        (list[k - 1].key == list[k].key && list[k - 1].number < list[k].number));
        hd_free(list, n * sizeof *list);
    }
}

/* Interrupted in the pieces, in the first round of merging, and in the last one. */
static void an_interrupt_ends_it_and_loses_nothing(void **state)
{
    static uint64_t at[] = {100, 1500000, 3200000};
    enum { N = 200000 };
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct item *list = draw(N, 1u << 30);
        bool *seen = hd_calloc(N, sizeof *seen);
        struct hd_stop_scope around = hd_stop_begin(0, 0);
        hd_interrupt_catch();
        compared = 0;
        hd_sort(list, N, sizeof *list, by_key, &at[i]);
        assert_true(compared >= at[i] && compared < at[i] + 300000);
        assert_int_equal(hd_stop_end(around), HD_STOP_ASKED);
        hd_interrupt_release();
        for (size_t k = 0; k < N; k++) {
            assert_false(seen[list[k].number]);
            seen[list[k].number] = true;
        }
        hd_free(seen, N * sizeof *seen);
        hd_free(list, N * sizeof *list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_all_lengths_are_sorted),
        cmocka_unit_test(an_interrupt_ends_it_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
