/* Bit-vector terms in Z3. Comparisons are truth values there; they become bits only where bits are
 * needed. A term has its bits in `asts`, its truth in `others`; either may be NULL, not both. */
#include "base/vec.h"
#include "solve/bitvec.h"
#include "solve/serve.h"

static void add(struct hd_serve *s, Z3_ast bits, Z3_ast truth)
{
    *(Z3_ast *)hd_vec_push(s->asts) = bits;
    *(Z3_ast *)hd_vec_push(s->others) = truth;
}

static Z3_ast constant(struct hd_serve *s, unsigned width, uint64_t value)
{
    return Z3_mk_unsigned_int64(s->ctx, value, Z3_mk_bv_sort(s->ctx, width));
}

static Z3_ast get_bits(struct hd_serve *s)
{
    uint64_t i = hd_serve_get(s) - 1;
    Z3_ast bits = hd_serve_at(s->asts, i);
    if (!bits) {
        bits = Z3_mk_ite(s->ctx, hd_serve_at(s->others, i), constant(s, 1, 1), constant(s, 1, 0));
        *(Z3_ast *)hd_vec_at(s->asts, i) = bits;
    }
    return bits;
}

static Z3_ast get_truth(struct hd_serve *s)
{
    uint64_t i = hd_serve_get(s) - 1;
    Z3_ast truth = hd_serve_at(s->others, i);
    return truth ? truth : Z3_mk_eq(s->ctx, hd_serve_at(s->asts, i), constant(s, 1, 1));
}

typedef Z3_ast (*maker)(Z3_context, Z3_ast, Z3_ast);
static const maker makers[] = {
    [HD_BV_ADD] = Z3_mk_bvadd,   [HD_BV_SUB] = Z3_mk_bvsub,   [HD_BV_MUL] = Z3_mk_bvmul,
    [HD_BV_UDIV] = Z3_mk_bvudiv, [HD_BV_SDIV] = Z3_mk_bvsdiv, [HD_BV_UREM] = Z3_mk_bvurem,
    [HD_BV_SREM] = Z3_mk_bvsrem, [HD_BV_SHL] = Z3_mk_bvshl,   [HD_BV_LSHR] = Z3_mk_bvlshr,
    [HD_BV_ASHR] = Z3_mk_bvashr, [HD_BV_AND] = Z3_mk_bvand,   [HD_BV_OR] = Z3_mk_bvor,
    [HD_BV_XOR] = Z3_mk_bvxor,   [HD_BV_EQ] = Z3_mk_eq,       [HD_BV_NE] = Z3_mk_eq,
    [HD_BV_UGT] = Z3_mk_bvugt,   [HD_BV_UGE] = Z3_mk_bvuge,   [HD_BV_ULT] = Z3_mk_bvult,
    [HD_BV_ULE] = Z3_mk_bvule,   [HD_BV_SGT] = Z3_mk_bvsgt,   [HD_BV_SGE] = Z3_mk_bvsge,
    [HD_BV_SLT] = Z3_mk_bvslt,   [HD_BV_SLE] = Z3_mk_bvsle,   [HD_BV_CONCAT] = Z3_mk_concat,
};

static void binary(struct hd_serve *s)
{
    enum hd_bv_op op = (enum hd_bv_op)hd_serve_get(s);
    Z3_ast a = get_bits(s), b = get_bits(s);
    Z3_ast r = makers[op](s->ctx, a, b);
    if (op < HD_BV_EQ || op > HD_BV_SLE)
        add(s, r, NULL);
    else
        add(s, NULL, op == HD_BV_NE ? Z3_mk_not(s->ctx, r) : r);
}

static void extend(struct hd_serve *s)
{
    Z3_ast a = get_bits(s);
    unsigned by = (unsigned)hd_serve_get(s);
    bool is_signed = hd_serve_get(s);
    add(s, is_signed ? Z3_mk_sign_ext(s->ctx, by, a) : Z3_mk_zero_ext(s->ctx, by, a), NULL);
}

static void extract(struct hd_serve *s)
{
    Z3_ast a = get_bits(s);
    unsigned low = (unsigned)hd_serve_get(s), width = (unsigned)hd_serve_get(s);
    add(s, Z3_mk_extract(s->ctx, low + width - 1, low, a), NULL);
}

static void ite(struct hd_serve *s)
{
    Z3_ast cond = get_truth(s), a = get_bits(s), b = get_bits(s);
    add(s, Z3_mk_ite(s->ctx, cond, a, b), NULL);
}

/* Two solvers in turn: the general one is quick with most questions, turning everything into bits
 * first is safer with arithmetic. */
static Z3_solver make_solver(struct hd_serve *s, bool bits)
{
    static const char *const chain[] = {"simplify", "propagate-values", "solve-eqs", "bit-blast",
                                        "sat"};
    if (!bits)
        return Z3_mk_simple_solver(s->ctx);
    Z3_tactic all = Z3_mk_tactic(s->ctx, chain[0]);
    Z3_tactic_inc_ref(s->ctx, all);
    for (size_t i = 1; i < sizeof chain / sizeof *chain; i++) {
        Z3_tactic next = Z3_mk_tactic(s->ctx, chain[i]);
        Z3_tactic_inc_ref(s->ctx, next);
        Z3_tactic both = Z3_tactic_and_then(s->ctx, all, next);
        Z3_tactic_inc_ref(s->ctx, both);
        Z3_tactic_dec_ref(s->ctx, all);
        Z3_tactic_dec_ref(s->ctx, next);
        all = both;
    }
    Z3_solver solver = Z3_mk_solver_from_tactic(s->ctx, all);
    Z3_tactic_dec_ref(s->ctx, all);
    return solver;
}

/* Of the literals in `parts`. milliseconds 0: no limit of Z3's own. */
static Z3_lbool check_once(struct hd_serve *s, bool bits, unsigned milliseconds)
{
    if (s->solver)
        Z3_solver_dec_ref(s->ctx, s->solver);
    s->solver = make_solver(s, bits);
    Z3_solver_inc_ref(s->ctx, s->solver);
    Z3_params params = Z3_mk_params(s->ctx);
    Z3_params_inc_ref(s->ctx, params);
    if (milliseconds)
        Z3_params_set_uint(s->ctx, params, Z3_mk_string_symbol(s->ctx, "timeout"), milliseconds);
    Z3_params_set_bool(s->ctx, params, Z3_mk_string_symbol(s->ctx, "ctrl_c"), false);
    Z3_solver_set_params(s->ctx, s->solver, params);
    Z3_params_dec_ref(s->ctx, params);
    for (size_t i = 0; i < s->parts->len; i++)
        Z3_solver_assert(s->ctx, s->solver, *(Z3_ast *)hd_vec_at(s->parts, i));
    return Z3_solver_check(s->ctx, s->solver);
}

static void check(struct hd_serve *s)
{
    unsigned milliseconds = (unsigned)hd_serve_get(s);
    s->parts->len = 0;
    for (uint64_t n = hd_serve_get(s); n > 0; n--) {
        Z3_ast truth = get_truth(s);
        bool is = hd_serve_get(s);
        *(Z3_ast *)hd_vec_push(s->parts) = is ? truth : Z3_mk_not(s->ctx, truth);
    }
    Z3_lbool result = check_once(s, false, milliseconds);
    if (result == Z3_L_UNDEF)
        result = check_once(s, true, 0);
    hd_serve_result(s, result);
}

static void values(struct hd_serve *s)
{
    for (uint64_t n = hd_serve_get(s); n > 0; n--)
        hd_serve_value(s, get_bits(s));
}

void hd_serve_bits(struct hd_serve *s, enum hd_wire_op op)
{
    unsigned width;
    switch (op) {
    case HD_WIRE_VAR:
        width = (unsigned)hd_serve_get(s);
        add(s, Z3_mk_fresh_const(s->ctx, "v", Z3_mk_bv_sort(s->ctx, width)), NULL);
        break;
    case HD_WIRE_CONST:
        width = (unsigned)hd_serve_get(s);
        add(s, constant(s, width, hd_serve_get(s)), NULL);
        break;
    case HD_WIRE_BINARY:
        binary(s);
        break;
    case HD_WIRE_EXTEND:
        extend(s);
        break;
    case HD_WIRE_EXTRACT:
        extract(s);
        break;
    case HD_WIRE_ITE:
        ite(s);
        break;
    case HD_WIRE_CHECK_BITS:
        check(s);
        break;
    default: /* HD_WIRE_VALUES */
        values(s);
        break;
    }
}
