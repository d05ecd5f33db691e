/* The enumerator and the trace check against the naive reading of the model in
 * tests/support/naive.h. */
#include "../support/seeds.h"
#include "base/alloc.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static const uint8_t all_ops[] = {
    HD_OP_READ,    HD_OP_READ,  HD_OP_READ,   HD_OP_WRITE, HD_OP_WRITE, HD_OP_WRITE, HD_OP_AREAD,
    HD_OP_AWRITE,  HD_OP_RMW,   HD_OP_BRANCH, HD_OP_ACQ,   HD_OP_REL,   HD_OP_RACQ,  HD_OP_RREL,
    HD_OP_TRYFAIL, HD_OP_FORK,  HD_OP_JOIN,   HD_OP_WAIT,  HD_OP_SIG,   HD_OP_BCAST, HD_OP_POST,
    HD_OP_SEM,     HD_OP_BARIN, HD_OP_BAROUT, HD_OP_BEGIN, HD_OP_END,   HD_OP_FENCE,
};
static const uint8_t memory_ops[] = {HD_OP_READ,   HD_OP_WRITE, HD_OP_READ, HD_OP_WRITE,
                                     HD_OP_BRANCH, HD_OP_RMW,   HD_OP_ACQ,  HD_OP_REL};
static const uint8_t wait_ops[] = {HD_OP_ACQ,  HD_OP_WAIT, HD_OP_WAIT,  HD_OP_SIG,
                                   HD_OP_READ, HD_OP_SIG,  HD_OP_BCAST, HD_OP_WRITE};
static const uint8_t lock_ops[] = {HD_OP_ACQ,  HD_OP_REL,     HD_OP_RACQ,  HD_OP_RREL,
                                   HD_OP_READ, HD_OP_TRYFAIL, HD_OP_WRITE, HD_OP_WRITE};
static const uint8_t meet_ops[] = {HD_OP_POST,  HD_OP_SEM,    HD_OP_BARIN, HD_OP_BAROUT,
                                   HD_OP_WRITE, HD_OP_BAROUT, HD_OP_READ,  HD_OP_JOIN};

static const uint8_t monitor_ops[] = {HD_OP_ACQ, HD_OP_ACQ,   HD_OP_WAIT,  HD_OP_WAIT, HD_OP_REL,
                                      HD_OP_SIG, HD_OP_BCAST, HD_OP_WRITE, HD_OP_RACQ, HD_OP_WRITE};
static const uint8_t barrier_ops[] = {HD_OP_BARIN, HD_OP_BAROUT, HD_OP_BAROUT, HD_OP_WRITE};

static const struct nv_shape shapes[] = {
    {8, 3, 2, all_ops, sizeof all_ops, false, 0, false},
    {9, 2, 2, all_ops, sizeof all_ops, false, 0, false},
    {7, 3, 1, all_ops, sizeof all_ops, false, 6, false},
    {8, 3, 2, memory_ops, sizeof memory_ops, false, 0, false},
    {9, 4, 1, wait_ops, sizeof wait_ops, true, 0, false},
    {8, 3, 1, lock_ops, sizeof lock_ops, false, 0, false},
    {8, 3, 1, meet_ops, sizeof meet_ops, false, 0, false},
    {7, 2, 1, memory_ops, sizeof memory_ops, false, 3, false},
    {10, 3, 1, monitor_ops, sizeof monitor_ops, false, 0, false},
    {9, 3, 1, monitor_ops, sizeof monitor_ops, false, 8, false},
    {10, 3, 1, barrier_ops, sizeof barrier_ops, false, 0, false},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Pair for pair, and every witness passes the checker. */
static size_t compare_pairs(const struct nv_trace *naive, const struct hd_trace *t)
{
    bool race[NV_MAX][NV_MAX] = {{false}};
    struct nv_run run = {0};
    nv_explore(naive, &run, race);
    struct hd_enum_result result;
    struct hd_enum_opts opts = {.witnesses = true};
    struct hd_err err;
    assert_int_equal(hd_enumerate(t, &opts, &result, &err), HD_OK);
    struct hd_checker *checker = hd_checker_new(t);
    size_t at = 0;
    for (hd_eid a = 0; a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++) {
            bool here = at < result.n_pairs && result.pairs[at].a == a && result.pairs[at].b == b;
            if (here != race[a][b]) {
                nv_print(naive);
                fail_msg("pair %u-%u: naive %d, enumerator %d", a + 1, b + 1, race[a][b], here);
            }
            if (!here)
                continue;
            if (hd_checker_check(checker, &result.witnesses[at], NULL, &err) != HD_OK)
                fail_msg("witness refused: %s", err.text);
            at++;
        }
    assert_int_equal(at, result.n_pairs);
    hd_checker_free(checker);
    hd_enum_result_fini(&result);
    return at;
}

static void compare_check(const struct nv_trace *naive, const struct hd_trace *t, size_t *good)
{
    struct nv_run run = {0};
    int far = nv_furthest(naive, &run);
    hd_eid bad;
    struct hd_err err;
    enum hd_status status = hd_check_trace(t, &bad, &err);
    hd_eid expected = far == naive->n ? HD_EID_NONE : (hd_eid)far;
    if (bad != expected || (status == HD_OK) != (far == naive->n)) {
        nv_print(naive);
        fail_msg("naive stops at event %d, check says %d at %u", far + 1, (int)status, bad + 1);
    }
    *good += status == HD_OK;
}

static void test_against_naive(void **state)
{
    (void)state;
    struct nv_random rnd = {7};
    size_t pairs[SHAPES] = {0}, seen[HD_OP_COUNT] = {0}, good = 0, total = 0;
    int rounds = (int)seeds_count(400, 8000);
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < SHAPES; k++) {
            struct nv_trace naive;
            struct hd_err err;
            nv_random_trace(&rnd, &shapes[k], &naive);
            struct hd_trace *t = nv_build(&naive, &err);
            if (!t)
                fail_msg("not built: %s", err.text);
            for (int i = 0; i < naive.n; i++)
                seen[naive.ev[i].op]++;
            pairs[k] += compare_pairs(&naive, t);
            compare_check(&naive, t, &good);
            total++;
            hd_trace_free(t);
        }
    /* The comparison means something only if there was something to compare. */
    for (size_t k = 0; k < SHAPES; k++)
        assert_true(pairs[k] > 50);
    for (int op = 0; op < HD_OP_COUNT; op++)
        assert_true(seen[op] > 5);
    assert_true(good > total / 2 && good < total);
}

/* The choice of waiters: longer traces of waits alone, made possible by a random choice, and the
 * same with wakes and time-outs exchanged. */
static void test_matching_against_all_choices(void **state)
{
    (void)state;
    static const uint8_t ops[] = {HD_OP_ACQ,  HD_OP_WAIT, HD_OP_WAIT,
                                  HD_OP_WAIT, HD_OP_SIG,  HD_OP_SIG};
    static const struct nv_shape shape = {16, 5, 2, ops, sizeof ops, true, 0, false};
    static const struct nv_shape single = {16, 5, 1, ops, sizeof ops, true, 0, false};
    struct nv_random rnd = {11};
    size_t good = 0, total = 0;
    for (int round = 0; round < 6000; round++) {
        struct nv_trace naive;
        struct hd_err err;
        nv_random_trace(&rnd, round % 2 ? &shape : &single, &naive);
        for (int twist = 0; twist < 2; twist++) {
            struct hd_trace *t = nv_build(&naive, &err);
            assert_non_null(t);
            compare_check(&naive, t, &good);
            total++;
            hd_trace_free(t);
            for (int i = 0; i < naive.n; i++)
                if (naive.ev[i].op == HD_OP_WAKE || naive.ev[i].op == HD_OP_TMO)
                    naive.ev[i].op = nv_pick(&rnd, 2) ? HD_OP_WAKE : HD_OP_TMO;
        }
    }
    assert_true(good > total / 2 && good < total - 500);
}

static void test_limit(void **state)
{
    (void)state;
    struct nv_random rnd = {3};
    struct nv_trace naive;
    struct hd_err err;
    nv_random_trace(&rnd, &shapes[3], &naive);
    struct hd_trace *t = nv_build(&naive, &err);
    struct hd_enum_result result;
    struct hd_enum_opts opts = {.witnesses = true};
    assert_int_equal(hd_enumerate(t, &opts, &result, &err), HD_OK);
    size_t n = result.n_states;
    assert_true(n > 2);
    hd_enum_result_fini(&result);
    opts.max_states = n;
    assert_int_equal(hd_enumerate(t, &opts, &result, &err), HD_OK);
    hd_enum_result_fini(&result);
    opts.max_states = n - 1;
    assert_int_equal(hd_enumerate(t, &opts, &result, &err), HD_ERR_LIMIT);
    assert_int_equal(result.n_pairs, 0);
    assert_null(result.pairs);
    hd_enum_result_fini(&result);
    hd_trace_free(t);
}

static void test_empty_trace(void **state)
{
    (void)state;
    struct hd_trace *t;
    struct hd_err err;
    struct hd_enum_result result;
    assert_int_equal(hd_builder_finish(hd_builder_new(), &t, &err), HD_OK);
    assert_int_equal(hd_enumerate(t, &(struct hd_enum_opts){0}, &result, &err), HD_OK);
    assert_int_equal(result.n_states, 1);
    assert_int_equal(result.n_pairs, 0);
    assert_int_equal(hd_check_trace(t, NULL, &err), HD_OK);
    hd_enum_result_fini(&result);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_matching_against_all_choices),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_empty_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
