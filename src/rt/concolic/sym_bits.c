/* Expressions of operations that are no single node: counting bits, swapping bytes, overflow. Runs
 * in the user's process; see the rules in rt.h. */
#include "rt/concolic/rt_sym.h"

static uint64_t value_of(uint32_t id)
{
    return hd_rt_sym_node(id)->value;
}

/* One bit of id, as a number of `width` bits. */
static uint32_t bit(uint32_t id, unsigned at, unsigned width)
{
    uint32_t b = hd_rt_sym_extract(id, at, 1);
    return width == 1 ? b : hd_rt_sym_make(HD_SYM_ZEXT, width, b, 0, 0, value_of(b));
}

/* Known operands make a constant; those are nodes too. */
static uint32_t make(enum hd_sym_op op, unsigned width, uint32_t a, uint32_t b, uint64_t value)
{
    uint32_t id = hd_rt_sym_make(op, width, a, b, 0, value);
    return id ? id : hd_rt_sym_const(width, value);
}

static uint32_t count_bits(uint32_t id, unsigned width)
{
    uint32_t sum = hd_rt_sym_const(width, 0);
    for (unsigned i = 0; i < width && sum; i++) {
        uint32_t one = bit(id, i, width);
        if (one)
            sum = make(HD_SYM_ADD, width, sum, one, value_of(sum) + value_of(one));
    }
    return sum;
}

/* Zeros before the first set bit, from the top or from the bottom. */
static uint32_t zeros(uint32_t id, unsigned width, bool from_top)
{
    uint32_t n = hd_rt_sym_const(width, width);
    for (unsigned i = width; i-- > 0 && n;) {
        uint32_t set = bit(id, from_top ? width - 1 - i : i, 1);
        uint64_t v = set && value_of(set) ? i : value_of(n);
        n = set ? hd_rt_sym_make(HD_SYM_ITE, width, set, hd_rt_sym_const(width, i), n, v) : n;
    }
    return n;
}

static uint32_t swap(uint32_t id, unsigned width)
{
    uint32_t out = hd_rt_sym_extract(id, 0, 8);
    for (unsigned i = 1; i < width / 8 && out; i++) {
        uint32_t byte = hd_rt_sym_extract(id, 8 * i, 8);
        out = make(HD_SYM_CONCAT, 8 * (i + 1), out, byte, value_of(out) << 8 | value_of(byte));
    }
    return out;
}

/* The expression, unless it does not say what the program computed. */
static uint32_t agreed(uint32_t id, uint64_t result)
{
    if (id && value_of(id) == result)
        return hd_rt_sym_node(id)->op == HD_SYM_CONST ? 0 : id;
    hd_rt_sym_lost(HD_SYM_LOST_OP);
    return 0;
}

HD_EXPORT uint32_t __hd_sym_bits(uint32_t op, uint32_t id, uint64_t value, uint64_t result)
{
    unsigned width = op >> 8;
    (void)value;
    if (!hd_rt_sym.on || !id)
        return 0;
    switch ((enum hd_sym_bits)(op & 0xff)) {
    case HD_SYM_BITS_COUNT:
        return agreed(count_bits(id, width), result);
    case HD_SYM_BITS_LEAD:
        return agreed(zeros(id, width, true), result);
    case HD_SYM_BITS_TRAIL:
        return agreed(zeros(id, width, false), result);
    default:
        return agreed(swap(id, width), result);
    }
}

/* ---- overflow ---- */

static int64_t as_signed(uint64_t v, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((v ^ sign) - sign);
}

static uint64_t calculate(enum hd_sym_op op, uint64_t a, uint64_t b)
{
    return op == HD_SYM_ADD ? a + b : op == HD_SYM_SUB ? a - b : a * b;
}

/* Up to 32 bits: in 64 bits nothing overflows, so the result fits if it comes back from narrowing.
 */
static uint32_t narrow(enum hd_sym_op op, unsigned width, bool is_signed, uint32_t a, uint32_t b)
{
    enum hd_sym_op widen = is_signed ? HD_SYM_SEXT : HD_SYM_ZEXT;
    uint64_t va = is_signed ? (uint64_t)as_signed(value_of(a), width) : value_of(a);
    uint64_t vb = is_signed ? (uint64_t)as_signed(value_of(b), width) : value_of(b);
    uint32_t x = make(widen, 64, a, 0, va), y = make(widen, 64, b, 0, vb);
    uint64_t v = calculate(op, va, vb);
    uint32_t exact = make(op, 64, x, y, v), low = hd_rt_sym_extract(exact, 0, width);
    uint64_t back = is_signed ? (uint64_t)as_signed(value_of(low), width) : value_of(low);
    return make(HD_SYM_NE, 1, exact, make(widen, 64, low, 0, back), v != back);
}

/* 64 bits, without multiplication. */
static uint32_t full(enum hd_sym_op op, bool is_signed, uint32_t a, uint32_t b)
{
    uint64_t x = value_of(a), y = value_of(b), v = calculate(op, x, y);
    if (!is_signed && op == HD_SYM_SUB)
        return make(HD_SYM_ULT, 1, a, b, x < y);
    uint32_t r = make(op, 64, a, b, v);
    if (!is_signed)
        return make(HD_SYM_ULT, 1, r, a, v < x);
    /* The signs of the operands (for SUB: of a and not b) are the same, that of the result is not.
     */
    uint64_t vy = op == HD_SYM_ADD ? y : ~y;
    uint32_t other = op == HD_SYM_ADD ? b : make(HD_SYM_XOR, 64, b, hd_rt_sym_const(64, ~0ULL), ~y);
    uint32_t left = make(HD_SYM_XOR, 64, a, r, x ^ v);
    uint32_t right = make(HD_SYM_XOR, 64, other, r, vy ^ v);
    uint32_t both = make(HD_SYM_AND, 64, left, right, (x ^ v) & (vy ^ v));
    return make(HD_SYM_SLT, 1, both, hd_rt_sym_const(64, 0), (int64_t)((x ^ v) & (vy ^ v)) < 0);
}

HD_EXPORT uint32_t __hd_sym_overflow(uint32_t op, uint32_t a, uint32_t b, uint64_t va, uint64_t vb,
                                     uint64_t result)
{
    unsigned width = op >> 8 & 0xff;
    bool is_signed = op >> 16;
    enum hd_sym_op kind = (enum hd_sym_op)(op & 0xff);
    if (!hd_rt_sym.on || (!a && !b))
        return 0;
    a = a ? a : hd_rt_sym_const(width, va);
    b = b ? b : hd_rt_sym_const(width, vb);
    if (width <= 32)
        return agreed(narrow(kind, width, is_signed, a, b), result);
    if (width == 64 && kind != HD_SYM_MUL)
        return agreed(full(kind, is_signed, a, b), result);
    hd_rt_sym_lost(HD_SYM_LOST_OP);
    return 0;
}
