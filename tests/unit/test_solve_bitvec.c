/* Bit-vector formulas: every operation against the machine's own, models, contradictions, limits.
 */
#include "solve/bitvec.h"
#include "base/interrupt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool holds(struct hd_bv *bv, hd_term t, bool is)
{
    struct hd_bv_lit lit = {t, is};
    return hd_bv_check(bv, &lit, 1, 10) == HD_SAT_YES;
}

static uint64_t reference(enum hd_bv_op op, uint8_t a, uint8_t b)
{
    int8_t x = (int8_t)a, y = (int8_t)b;
    const uint64_t r[] = {
        [HD_BV_ADD] = (uint8_t)(a + b),
        [HD_BV_SUB] = (uint8_t)(a - b),
        [HD_BV_MUL] = (uint8_t)(a * b),
        [HD_BV_UDIV] = a / b,
        [HD_BV_SDIV] = (uint8_t)(x / y),
        [HD_BV_UREM] = a % b,
        [HD_BV_SREM] = (uint8_t)(x % y),
        [HD_BV_SHL] = b < 8 ? (uint8_t)(a << b) : 0,
        [HD_BV_LSHR] = b < 8 ? a >> b : 0,
        [HD_BV_ASHR] = (uint8_t)(b < 8   ? x >> b
                                 : x < 0 ? -1
                                         : 0),
        [HD_BV_AND] = a & b,
        [HD_BV_OR] = a | b,
        [HD_BV_XOR] = a ^ b,
        [HD_BV_EQ] = a == b,
        [HD_BV_NE] = a != b,
        [HD_BV_UGT] = a > b,
        [HD_BV_UGE] = a >= b,
        [HD_BV_ULT] = a<b, [HD_BV_ULE] = a <= b, [HD_BV_SGT] = x> y,
        [HD_BV_SGE] = x >= y,
        [HD_BV_SLT] = x < y,
        [HD_BV_SLE] = x <= y,
        [HD_BV_CONCAT] = (uint64_t)a << 8 | b,
    };
    return r[op];
}

static void test_operations(void **state)
{
    static const uint8_t pairs[][2] = {{200, 7}, {3, 250}, {128, 1}, {17, 17}, {9, 2}, {255, 3}};
    (void)state;
    struct hd_bv *bv = hd_bv_new();
    for (int op = HD_BV_ADD; op <= HD_BV_CONCAT; op++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            hd_term a = hd_bv_const(bv, 8, pairs[i][0]), b = hd_bv_const(bv, 8, pairs[i][1]);
            hd_term t = hd_bv_binary(bv, (enum hd_bv_op)op, a, b);
            uint64_t want = reference((enum hd_bv_op)op, pairs[i][0], pairs[i][1]);
            hd_term same = hd_bv_binary(bv, HD_BV_EQ, t, hd_bv_const(bv, hd_bv_width(bv, t), want));
            assert_true(holds(bv, same, true));
            assert_false(holds(bv, same, false));
        }
    hd_bv_free(bv);
}

static void test_shapes(void **state)
{
    (void)state;
    struct hd_bv *bv = hd_bv_new();
    hd_term x = hd_bv_var(bv, 8), wide = hd_bv_extend(bv, x, 32, true);
    hd_term minus = hd_bv_binary(bv, HD_BV_EQ, wide, hd_bv_const(bv, 32, 0xfffffff0));
    assert_true(holds(bv, minus, true));
    assert_int_equal(hd_bv_value(bv, x), 0xf0);
    hd_term top = hd_bv_extract(bv, wide, 24, 8);
    hd_term odd = hd_bv_binary(bv, HD_BV_EQ, top, hd_bv_const(bv, 8, 0x7f));
    assert_false(holds(bv, odd, true)); /* it is 0 or 0xff */
    hd_term pick = hd_bv_ite(bv, minus, hd_bv_const(bv, 8, 3), hd_bv_const(bv, 8, 4));
    hd_term three = hd_bv_binary(bv, HD_BV_EQ, pick, hd_bv_const(bv, 8, 3));
    struct hd_bv_lit both[] = {{minus, true}, {three, false}};
    assert_int_equal(hd_bv_check(bv, both, 2, 10), HD_SAT_NO);
    assert_int_equal(hd_bv_check(bv, both, 1, 10), HD_SAT_YES); /* a NO leaves nothing behind */
    hd_bv_free(bv);
}

/* x * y = a large prime product, both factors odd and not 1: more than a millisecond's work. */
static void test_limit(void **state)
{
    (void)state;
    struct hd_bv *bv = hd_bv_new();
    hd_term x = hd_bv_var(bv, 32), y = hd_bv_var(bv, 32);
    hd_term p =
        hd_bv_binary(bv, HD_BV_MUL, hd_bv_extend(bv, x, 64, false), hd_bv_extend(bv, y, 64, false));
    hd_term is =
        hd_bv_binary(bv, HD_BV_EQ, p, hd_bv_const(bv, 64, UINT64_C(4294967291) * 4294967279u));
    struct hd_bv_lit lits[] = {{is, true},
                               {hd_bv_binary(bv, HD_BV_UGT, x, hd_bv_const(bv, 32, 1)), true},
                               {hd_bv_binary(bv, HD_BV_ULT, x, y), true}};
    assert_int_equal(hd_bv_check(bv, lits, 3, 0.001), HD_SAT_UNKNOWN);
    assert_int_equal(hd_bv_check(bv, lits + 1, 1, 10), HD_SAT_YES); /* giving up spoils nothing */
    assert_int_equal(hd_bv_checks(bv), 2);
    hd_bv_free(bv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
