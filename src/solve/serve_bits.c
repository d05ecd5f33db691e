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
    return hd_z3.mk_unsigned_int64(s->ctx, value, hd_z3.mk_bv_sort(s->ctx, width));
}

static Z3_ast get_bits(struct hd_serve *s)
{
    uint64_t i = hd_serve_get(s) - 1;
    Z3_ast bits = hd_serve_at(s->asts, i);
    if (!bits) {
        bits =
            hd_z3.mk_ite(s->ctx, hd_serve_at(s->others, i), constant(s, 1, 1), constant(s, 1, 0));
        *(Z3_ast *)hd_vec_at(s->asts, i) = bits;
    }
    return bits;
}

static Z3_ast get_truth(struct hd_serve *s)
{
    uint64_t i = hd_serve_get(s) - 1;
    Z3_ast truth = hd_serve_at(s->others, i);
    return truth ? truth : hd_z3.mk_eq(s->ctx, hd_serve_at(s->asts, i), constant(s, 1, 1));
}

typedef Z3_ast (*maker)(Z3_context, Z3_ast, Z3_ast);
static maker *const makers[] = {
    [HD_BV_ADD] = &hd_z3.mk_bvadd,   [HD_BV_SUB] = &hd_z3.mk_bvsub,
    [HD_BV_MUL] = &hd_z3.mk_bvmul,   [HD_BV_UDIV] = &hd_z3.mk_bvudiv,
    [HD_BV_SDIV] = &hd_z3.mk_bvsdiv, [HD_BV_UREM] = &hd_z3.mk_bvurem,
    [HD_BV_SREM] = &hd_z3.mk_bvsrem, [HD_BV_SHL] = &hd_z3.mk_bvshl,
    [HD_BV_LSHR] = &hd_z3.mk_bvlshr, [HD_BV_ASHR] = &hd_z3.mk_bvashr,
    [HD_BV_AND] = &hd_z3.mk_bvand,   [HD_BV_OR] = &hd_z3.mk_bvor,
    [HD_BV_XOR] = &hd_z3.mk_bvxor,   [HD_BV_EQ] = &hd_z3.mk_eq,
    [HD_BV_NE] = &hd_z3.mk_eq,       [HD_BV_UGT] = &hd_z3.mk_bvugt,
    [HD_BV_UGE] = &hd_z3.mk_bvuge,   [HD_BV_ULT] = &hd_z3.mk_bvult,
    [HD_BV_ULE] = &hd_z3.mk_bvule,   [HD_BV_SGT] = &hd_z3.mk_bvsgt,
    [HD_BV_SGE] = &hd_z3.mk_bvsge,   [HD_BV_SLT] = &hd_z3.mk_bvslt,
    [HD_BV_SLE] = &hd_z3.mk_bvsle,   [HD_BV_CONCAT] = &hd_z3.mk_concat,
};

static void binary(struct hd_serve *s)
{
    enum hd_bv_op op = (enum hd_bv_op)hd_serve_get(s);
    Z3_ast a = get_bits(s), b = get_bits(s);
    Z3_ast r = (*makers[op])(s->ctx, a, b);
    if (op < HD_BV_EQ || op > HD_BV_SLE)
        add(s, r, NULL);
    else
        add(s, NULL, op == HD_BV_NE ? hd_z3.mk_not(s->ctx, r) : r);
}

static void extend(struct hd_serve *s)
{
    Z3_ast a = get_bits(s);
    unsigned by = (unsigned)hd_serve_get(s);
    bool is_signed = hd_serve_get(s);
    add(s, is_signed ? hd_z3.mk_sign_ext(s->ctx, by, a) : hd_z3.mk_zero_ext(s->ctx, by, a), NULL);
}

static void extract(struct hd_serve *s)
{
    Z3_ast a = get_bits(s);
    unsigned low = (unsigned)hd_serve_get(s), width = (unsigned)hd_serve_get(s);
    add(s, hd_z3.mk_extract(s->ctx, low + width - 1, low, a), NULL);
}

static void ite(struct hd_serve *s)
{
    Z3_ast cond = get_truth(s), a = get_bits(s), b = get_bits(s);
    add(s, hd_z3.mk_ite(s->ctx, cond, a, b), NULL);
}

/* Two solvers in turn: the general one is quick with most questions, turning everything into bits
 * first is safer with arithmetic. */
static Z3_solver make_solver(struct hd_serve *s, bool bits)
{
    static const char *const chain[] = {"simplify", "propagate-values", "solve-eqs", "bit-blast",
                                        "sat"};
    if (!bits)
        return hd_z3.mk_simple_solver(s->ctx);
    Z3_tactic all = hd_z3.mk_tactic(s->ctx, chain[0]);
    hd_z3.tactic_inc_ref(s->ctx, all);
    for (size_t i = 1; i < sizeof chain / sizeof *chain; i++) {
        Z3_tactic next = hd_z3.mk_tactic(s->ctx, chain[i]);
        hd_z3.tactic_inc_ref(s->ctx, next);
        Z3_tactic both = hd_z3.tactic_and_then(s->ctx, all, next);
        hd_z3.tactic_inc_ref(s->ctx, both);
        hd_z3.tactic_dec_ref(s->ctx, all);
        hd_z3.tactic_dec_ref(s->ctx, next);
        all = both;
    }
    Z3_solver solver = hd_z3.mk_solver_from_tactic(s->ctx, all);
    hd_z3.tactic_dec_ref(s->ctx, all);
    return solver;
}

/* Of the literals in `parts`. milliseconds 0: no limit of Z3's own. */
static Z3_lbool check_once(struct hd_serve *s, bool bits, unsigned milliseconds)
{
    if (s->solver)
        hd_z3.solver_dec_ref(s->ctx, s->solver);
    s->solver = make_solver(s, bits);
    hd_z3.solver_inc_ref(s->ctx, s->solver);
    Z3_params params = hd_z3.mk_params(s->ctx);
    hd_z3.params_inc_ref(s->ctx, params);
    if (milliseconds)
        hd_z3.params_set_uint(s->ctx, params, hd_z3.mk_string_symbol(s->ctx, "timeout"),
                              milliseconds);
    hd_z3.params_set_bool(s->ctx, params, hd_z3.mk_string_symbol(s->ctx, "ctrl_c"), false);
    hd_z3.solver_set_params(s->ctx, s->solver, params);
    hd_z3.params_dec_ref(s->ctx, params);
    for (size_t i = 0; i < s->parts->len; i++)
        hd_z3.solver_assert(s->ctx, s->solver, *(Z3_ast *)hd_vec_at(s->parts, i));
    return hd_z3.solver_check(s->ctx, s->solver);
}

static void check(struct hd_serve *s)
{
    unsigned milliseconds = (unsigned)hd_serve_get(s);
    s->parts->len = 0;
    for (uint64_t n = hd_serve_get(s); n > 0; n--) {
        Z3_ast truth = get_truth(s);
        bool is = hd_serve_get(s);
        *(Z3_ast *)hd_vec_push(s->parts) = is ? truth : hd_z3.mk_not(s->ctx, truth);
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
        add(s, hd_z3.mk_fresh_const(s->ctx, "v", hd_z3.mk_bv_sort(s->ctx, width)), NULL);
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
