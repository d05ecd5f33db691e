/* The first events of a trace (trace/trace_head.h): indices against a filter of the whole, and on
 * small random traces, by exhaustive enumeration, no race that the whole does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "base/alloc.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "trace/gen/gen.h"
#include "trace/trace_head.h"

static struct hd_trace *make(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_gen_small(seed, &config);
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    return t;
}

/* The entries of each object are those of the whole that come before n, and no others. */
static void same_entries(const struct hd_trace *t, const struct hd_trace *head, size_t n)
{
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++) {
        const struct hd_index *all = &t->by_obj[kind], *some = &head->by_obj[kind];
        assert_int_equal(all->count, some->count);
        for (size_t i = 0; i < all->count; i++) {
            uint32_t at = some->start[i];
            for (uint32_t k = all->start[i]; k < all->start[i + 1]; k++)
                if (all->list[k] < n)
                    assert_int_equal(some->list[at++], all->list[k]);
            assert_int_equal(at, some->start[i + 1]);
        }
    }
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        assert_int_equal(head->fork_of[u], t->fork_of[u] < n ? t->fork_of[u] : HD_EID_NONE);
}

static bool has(const struct hd_enum_result *r, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < r->n_pairs; i++)
        if (r->pairs[i].a == a && r->pairs[i].b == b)
            return true;
    return false;
}

static void compare(const struct hd_trace *t, const struct hd_enum_result *whole, size_t n,
                    uint64_t *races)
{
    struct hd_trace head;
    struct hd_enum_opts opts = {.max_states = 100000};
    struct hd_enum_result some;
    struct hd_err err = {0};
    hd_trace_head_make(t, n, &head);
    same_entries(t, &head, n);
    assert_int_equal(hd_check_trace(&head, NULL, &err), HD_OK);
    if (hd_enumerate(&head, &opts, &some, &err) == HD_OK)
        for (size_t i = 0; i < some.n_pairs; i++)
            assert_true(has(whole, some.pairs[i].a, some.pairs[i].b));
    *races += some.n_pairs;
    hd_enum_result_fini(&some);
    hd_trace_head_fini(&head);
}

static void test_heads(void **state)
{
    uint64_t races = 0, seeds = seeds_count(200, 5000);
    size_t used = hd_alloc_in_use();
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct hd_trace *t = make(seed);
        struct hd_enum_opts opts = {.max_states = 100000};
        struct hd_enum_result whole;
        struct hd_err err = {0};
        if (hd_enumerate(t, &opts, &whole, &err) == HD_OK)
            for (size_t n = 0; n <= t->n_events; n += 3)
                compare(t, &whole, n, &races);
        hd_enum_result_fini(&whole);
        hd_trace_free(t);
    }
    assert_true(races > seeds);
    assert_int_equal(hd_alloc_in_use(), used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
