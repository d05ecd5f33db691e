#include "solve/solve.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/vec.h"
#include "solve/watch.h"

#include <stdio.h>
#include <z3.h>

struct hd_solver {
    Z3_context ctx;
    Z3_solver solver;
    Z3_model model; /* of the last HD_SAT_YES, or NULL */
    Z3_sort int_sort, bool_sort;
    struct hd_vec bools;  /* Z3_ast; literal n is entry n - 1 */
    struct hd_vec orders; /* Z3_ast */
    uint64_t clauses;
    struct hd_watch watch;
    bool spent; /* a check gave up: nothing that Z3 says later can be trusted */
};

/* Z3 calls this on misuse only; a check that gives up does not come here. */
static void on_error(Z3_context ctx, Z3_error_code code)
{
    if (code != Z3_OK)
        hd_panic(__FILE__, __LINE__, Z3_get_error_msg(ctx, code));
}

static void set_params(struct hd_solver *s, unsigned milliseconds)
{
    Z3_params params = Z3_mk_params(s->ctx);
    Z3_params_inc_ref(s->ctx, params);
    Z3_params_set_uint(s->ctx, params, Z3_mk_string_symbol(s->ctx, "timeout"), milliseconds);
    Z3_params_set_uint(s->ctx, params, Z3_mk_string_symbol(s->ctx, "random_seed"), 0);
    /* Otherwise a check takes over SIGINT for the process: the user's Ctrl-C ends that check and is
     * lost, and with checks in two threads the handler is left pointing at a dead one. */
    Z3_params_set_bool(s->ctx, params, Z3_mk_string_symbol(s->ctx, "ctrl_c"), false);
    Z3_solver_set_params(s->ctx, s->solver, params);
    Z3_params_dec_ref(s->ctx, params);
}

struct hd_solver *hd_solver_new(void)
{
    struct hd_solver *s = hd_calloc(1, sizeof *s);
    Z3_config config = Z3_mk_config();
    s->ctx = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(s->ctx, on_error);
    s->solver = Z3_mk_simple_solver(s->ctx);
    Z3_solver_inc_ref(s->ctx, s->solver);
    s->int_sort = Z3_mk_int_sort(s->ctx);
    s->bool_sort = Z3_mk_bool_sort(s->ctx);
    s->bools = HD_VEC_INIT(Z3_ast);
    s->orders = HD_VEC_INIT(Z3_ast);
    *(Z3_ast *)hd_vec_push(&s->bools) = Z3_mk_true(s->ctx);
    hd_watch_init(&s->watch, s->ctx);
    return s;
}

void hd_solver_free(struct hd_solver *s)
{
    if (!s)
        return;
    hd_watch_fini(&s->watch);
    if (s->model)
        Z3_model_dec_ref(s->ctx, s->model);
    Z3_solver_dec_ref(s->ctx, s->solver);
    Z3_del_context(s->ctx);
    hd_vec_fini(&s->bools);
    hd_vec_fini(&s->orders);
    hd_free(s, sizeof *s);
}

static hd_lit add_bool(struct hd_solver *s, Z3_ast ast)
{
    *(Z3_ast *)hd_vec_push(&s->bools) = ast;
    return (hd_lit)s->bools.len;
}

hd_lit hd_solver_bool(struct hd_solver *s)
{
    return add_bool(s, Z3_mk_fresh_const(s->ctx, "b", s->bool_sort));
}

hd_ord hd_solver_order(struct hd_solver *s)
{
    *(Z3_ast *)hd_vec_push(&s->orders) = Z3_mk_fresh_const(s->ctx, "o", s->int_sort);
    return (hd_ord)(s->orders.len - 1);
}

static Z3_ast order_of(const struct hd_solver *s, hd_ord x)
{
    return *(Z3_ast *)hd_vec_at(&s->orders, x);
}

static Z3_ast literal(const struct hd_solver *s, hd_lit lit)
{
    Z3_ast ast = *(Z3_ast *)hd_vec_at(&s->bools, (size_t)(lit < 0 ? -lit : lit) - 1);
    return lit < 0 ? Z3_mk_not(s->ctx, ast) : ast;
}

hd_lit hd_solver_before(struct hd_solver *s, hd_ord x, hd_ord y)
{
    return add_bool(s, Z3_mk_lt(s->ctx, order_of(s, x), order_of(s, y)));
}

hd_lit hd_solver_right_before(struct hd_solver *s, hd_ord x, hd_ord y)
{
    Z3_ast terms[2] = {order_of(s, x), Z3_mk_int(s->ctx, 1, s->int_sort)};
    return add_bool(s, Z3_mk_eq(s->ctx, order_of(s, y), Z3_mk_add(s->ctx, 2, terms)));
}

void hd_solver_clause(struct hd_solver *s, const hd_lit *lits, size_t n)
{
    struct hd_vec parts = HD_VEC_INIT(Z3_ast);
    for (size_t i = 0; i < n; i++)
        *(Z3_ast *)hd_vec_push(&parts) = literal(s, lits[i]);
    Z3_ast clause = n == 0   ? Z3_mk_false(s->ctx)
                    : n == 1 ? *(Z3_ast *)parts.data
                             : Z3_mk_or(s->ctx, (unsigned)n, parts.data);
    Z3_solver_assert(s->ctx, s->solver, clause);
    hd_vec_fini(&parts);
    s->clauses++;
}

hd_lit hd_solver_at_least(struct hd_solver *s, const hd_lit *lits, size_t n, uint32_t k)
{
    if (k == 0)
        return HD_LIT_TRUE;
    if (k > n)
        return HD_LIT_FALSE;
    struct hd_vec parts = HD_VEC_INIT(Z3_ast);
    for (size_t i = 0; i < n; i++)
        *(Z3_ast *)hd_vec_push(&parts) = literal(s, lits[i]);
    Z3_ast sum = Z3_mk_atleast(s->ctx, (unsigned)n, parts.data, k);
    hd_vec_fini(&parts);
    return add_bool(s, sum);
}

enum hd_sat hd_solver_check(struct hd_solver *s, const hd_lit *assumptions, size_t n,
                            double seconds)
{
    struct hd_vec parts = HD_VEC_INIT(Z3_ast);
    if (s->spent)
        return HD_SAT_UNKNOWN;
    for (size_t i = 0; i < n; i++)
        *(Z3_ast *)hd_vec_push(&parts) = literal(s, assumptions[i]);
    double ms = seconds * 1000;
    set_params(s, seconds <= 0 || ms > 4e9 ? 4294967295u : ms < 1 ? 1 : (unsigned)ms);
    hd_watch_busy(&s->watch, true);
    Z3_lbool result =
        Z3_solver_check_assumptions(s->ctx, s->solver, (unsigned)n, n ? parts.data : NULL);
    hd_watch_busy(&s->watch, false);
    hd_vec_fini(&parts);
    if (s->model)
        Z3_model_dec_ref(s->ctx, s->model);
    s->model = NULL;
    s->spent = result == Z3_L_UNDEF;
    if (result != Z3_L_TRUE)
        return result == Z3_L_FALSE ? HD_SAT_NO : HD_SAT_UNKNOWN;
    s->model = Z3_solver_get_model(s->ctx, s->solver);
    Z3_model_inc_ref(s->ctx, s->model);
    return HD_SAT_YES;
}

bool hd_solver_value(const struct hd_solver *s, hd_lit lit)
{
    Z3_ast value;
    bool ok = Z3_model_eval(s->ctx, s->model, literal(s, lit), true, &value);
    return ok && Z3_get_bool_value(s->ctx, value) == Z3_L_TRUE;
}

int64_t hd_solver_place(const struct hd_solver *s, hd_ord x)
{
    Z3_ast value;
    int64_t place = 0;
    bool ok = Z3_model_eval(s->ctx, s->model, order_of(s, x), true, &value) &&
              Z3_get_numeral_int64(s->ctx, value, &place);
    HD_ASSERT(ok);
    return place;
}

uint64_t hd_solver_clauses(const struct hd_solver *s)
{
    return s->clauses;
}

const char *hd_solver_version(void)
{
    static char text[32];
    unsigned major, minor, build, revision;
    if (!text[0]) {
        Z3_get_version(&major, &minor, &build, &revision);
        snprintf(text, sizeof text, "Z3 %u.%u.%u", major, minor, build);
    }
    return text;
}
