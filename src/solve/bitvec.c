#include "solve/bitvec.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/vec.h"
#include "solve/watch.h"

#include <z3.h>

/* Comparisons are truth values for Z3; they become bits only where bits are needed. */
struct term {
    Z3_ast bits;  /* NULL: not made yet */
    Z3_ast truth; /* NULL: not a comparison */
};

struct hd_bv {
    Z3_context ctx;
    Z3_solver solver; /* of the last check, or NULL */
    Z3_model model;   /* of the last HD_SAT_YES, or NULL */
    struct hd_watch watch;
    struct hd_vec terms; /* struct term; term n is entry n - 1 */
    uint64_t checks;
    double seconds;
};

static void on_error(Z3_context ctx, Z3_error_code code)
{
    if (code != Z3_OK)
        hd_panic(__FILE__, __LINE__, Z3_get_error_msg(ctx, code));
}

struct hd_bv *hd_bv_new(void)
{
    struct hd_bv *bv = hd_calloc(1, sizeof *bv);
    Z3_config config = Z3_mk_config();
    bv->ctx = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(bv->ctx, on_error);
    bv->terms = HD_VEC_INIT(struct term);
    hd_watch_init(&bv->watch, bv->ctx);
    return bv;
}

static void drop_answer(struct hd_bv *bv)
{
    if (bv->model)
        Z3_model_dec_ref(bv->ctx, bv->model);
    if (bv->solver)
        Z3_solver_dec_ref(bv->ctx, bv->solver);
    bv->model = NULL;
    bv->solver = NULL;
}

void hd_bv_free(struct hd_bv *bv)
{
    if (!bv)
        return;
    hd_watch_fini(&bv->watch);
    drop_answer(bv);
    Z3_del_context(bv->ctx);
    hd_vec_fini(&bv->terms);
    hd_free(bv, sizeof *bv);
}

static hd_term add(struct hd_bv *bv, Z3_ast bits)
{
    *(struct term *)hd_vec_push(&bv->terms) = (struct term){bits, NULL};
    return (hd_term)bv->terms.len;
}

static hd_term add_truth(struct hd_bv *bv, Z3_ast truth)
{
    *(struct term *)hd_vec_push(&bv->terms) = (struct term){NULL, truth};
    return (hd_term)bv->terms.len;
}

static struct term *term_at(const struct hd_bv *bv, hd_term t)
{
    HD_ASSERT(t > 0 && t <= bv->terms.len);
    return hd_vec_at(&bv->terms, t - 1);
}

hd_term hd_bv_var(struct hd_bv *bv, unsigned width)
{
    return add(bv, Z3_mk_fresh_const(bv->ctx, "v", Z3_mk_bv_sort(bv->ctx, width)));
}

static Z3_ast constant(struct hd_bv *bv, unsigned width, uint64_t value)
{
    return Z3_mk_unsigned_int64(bv->ctx, value, Z3_mk_bv_sort(bv->ctx, width));
}

hd_term hd_bv_const(struct hd_bv *bv, unsigned width, uint64_t value)
{
    return add(bv, constant(bv, width, value));
}

static Z3_ast get(struct hd_bv *bv, hd_term t)
{
    struct term *x = term_at(bv, t);
    if (!x->bits)
        x->bits = Z3_mk_ite(bv->ctx, x->truth, constant(bv, 1, 1), constant(bv, 1, 0));
    return x->bits;
}

static Z3_ast get_truth(struct hd_bv *bv, hd_term t)
{
    struct term *x = term_at(bv, t);
    return x->truth ? x->truth : Z3_mk_eq(bv->ctx, x->bits, constant(bv, 1, 1));
}

unsigned hd_bv_width(struct hd_bv *bv, hd_term a)
{
    return Z3_get_bv_sort_size(bv->ctx, Z3_get_sort(bv->ctx, get(bv, a)));
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

hd_term hd_bv_binary(struct hd_bv *bv, enum hd_bv_op op, hd_term a, hd_term b)
{
    Z3_ast r = makers[op](bv->ctx, get(bv, a), get(bv, b));
    if (op < HD_BV_EQ || op > HD_BV_SLE)
        return add(bv, r);
    return add_truth(bv, op == HD_BV_NE ? Z3_mk_not(bv->ctx, r) : r);
}

hd_term hd_bv_extend(struct hd_bv *bv, hd_term a, unsigned width, bool is_signed)
{
    unsigned by = width - hd_bv_width(bv, a);
    if (by == 0)
        return a;
    return add(bv, is_signed ? Z3_mk_sign_ext(bv->ctx, by, get(bv, a))
                             : Z3_mk_zero_ext(bv->ctx, by, get(bv, a)));
}

hd_term hd_bv_extract(struct hd_bv *bv, hd_term a, unsigned low, unsigned width)
{
    return add(bv, Z3_mk_extract(bv->ctx, low + width - 1, low, get(bv, a)));
}

hd_term hd_bv_ite(struct hd_bv *bv, hd_term cond, hd_term a, hd_term b)
{
    return add(bv, Z3_mk_ite(bv->ctx, get_truth(bv, cond), get(bv, a), get(bv, b)));
}

static void set_params(struct hd_bv *bv, double seconds)
{
    double ms = seconds * 1000;
    unsigned limit = ms > 4e9 ? 4294967295u : ms < 1 ? 1 : (unsigned)ms;
    Z3_params params = Z3_mk_params(bv->ctx);
    Z3_params_inc_ref(bv->ctx, params);
    Z3_params_set_uint(bv->ctx, params, Z3_mk_string_symbol(bv->ctx, "timeout"), limit);
    Z3_params_set_bool(bv->ctx, params, Z3_mk_string_symbol(bv->ctx, "ctrl_c"), false);
    Z3_solver_set_params(bv->ctx, bv->solver, params);
    Z3_params_dec_ref(bv->ctx, params);
}

/* Two solvers in turn: the general one is quick with most questions, turning everything into bits
 * first is safer with arithmetic. */
static Z3_solver make_solver(struct hd_bv *bv, bool bits)
{
    static const char *const chain[] = {"simplify", "propagate-values", "solve-eqs", "bit-blast",
                                        "sat"};
    if (!bits)
        return Z3_mk_simple_solver(bv->ctx);
    Z3_tactic all = Z3_mk_tactic(bv->ctx, chain[0]);
    Z3_tactic_inc_ref(bv->ctx, all);
    for (size_t i = 1; i < sizeof chain / sizeof *chain; i++) {
        Z3_tactic next = Z3_mk_tactic(bv->ctx, chain[i]);
        Z3_tactic_inc_ref(bv->ctx, next);
        Z3_tactic both = Z3_tactic_and_then(bv->ctx, all, next);
        Z3_tactic_inc_ref(bv->ctx, both);
        Z3_tactic_dec_ref(bv->ctx, all);
        Z3_tactic_dec_ref(bv->ctx, next);
        all = both;
    }
    Z3_solver solver = Z3_mk_solver_from_tactic(bv->ctx, all);
    Z3_tactic_dec_ref(bv->ctx, all);
    return solver;
}

static Z3_lbool check_once(struct hd_bv *bv, const struct hd_bv_lit *lits, size_t n, double seconds,
                           bool bits)
{
    drop_answer(bv);
    bv->solver = make_solver(bv, bits);
    Z3_solver_inc_ref(bv->ctx, bv->solver);
    set_params(bv, seconds);
    for (size_t i = 0; i < n; i++) {
        Z3_ast truth = get_truth(bv, lits[i].term);
        Z3_solver_assert(bv->ctx, bv->solver, lits[i].is ? truth : Z3_mk_not(bv->ctx, truth));
    }
    hd_watch_busy(&bv->watch, true);
    Z3_lbool result = Z3_solver_check(bv->ctx, bv->solver);
    hd_watch_busy(&bv->watch, false);
    return result;
}

enum hd_sat hd_bv_check(struct hd_bv *bv, const struct hd_bv_lit *lits, size_t n, double seconds)
{
    double started = hd_progress_now();
    Z3_lbool result = check_once(bv, lits, n, seconds / 10, false);
    if (result == Z3_L_UNDEF && !hd_interrupt_requested())
        result = check_once(bv, lits, n, seconds * 9 / 10, true);
    bv->checks++;
    bv->seconds += hd_progress_now() - started;
    if (result != Z3_L_TRUE)
        return result == Z3_L_FALSE ? HD_SAT_NO : HD_SAT_UNKNOWN;
    bv->model = Z3_solver_get_model(bv->ctx, bv->solver);
    Z3_model_inc_ref(bv->ctx, bv->model);
    return HD_SAT_YES;
}

uint64_t hd_bv_value(struct hd_bv *bv, hd_term a)
{
    Z3_ast value;
    uint64_t v = 0;
    bool ok = Z3_model_eval(bv->ctx, bv->model, get(bv, a), true, &value) &&
              Z3_get_numeral_uint64(bv->ctx, value, &v);
    HD_ASSERT(ok);
    return v;
}

uint64_t hd_bv_checks(const struct hd_bv *bv)
{
    return bv->checks;
}

double hd_bv_seconds(const struct hd_bv *bv)
{
    return bv->seconds;
}
