/* Booleans, clauses and order variables in Z3. */
#include "base/vec.h"
#include "solve/serve.h"

static void add(struct hd_vec *to, Z3_ast ast)
{
    *(Z3_ast *)hd_vec_push(to) = ast;
}

static Z3_ast get_literal(struct hd_serve *s)
{
    int64_t lit = hd_serve_get_signed(s);
    Z3_ast ast = hd_serve_at(s->asts, (uint64_t)(lit < 0 ? -lit : lit) - 1);
    return lit < 0 ? hd_z3.mk_not(s->ctx, ast) : ast;
}

static Z3_ast get_order(struct hd_serve *s)
{
    return hd_serve_at(s->others, hd_serve_get(s));
}

/* Into `parts`. */
static unsigned get_literals(struct hd_serve *s)
{
    unsigned n = (unsigned)hd_serve_get(s);
    s->parts->len = 0;
    for (unsigned i = 0; i < n; i++)
        add(s->parts, get_literal(s));
    return n;
}

static void clause(struct hd_serve *s)
{
    unsigned n = get_literals(s);
    Z3_ast all = n == 0   ? hd_z3.mk_false(s->ctx)
                 : n == 1 ? *(Z3_ast *)s->parts->data
                          : hd_z3.mk_or(s->ctx, n, s->parts->data);
    hd_z3.solver_assert(s->ctx, s->solver, all);
}

static void at_least(struct hd_serve *s)
{
    unsigned k = (unsigned)hd_serve_get(s), n = get_literals(s);
    add(s->asts, hd_z3.mk_atleast(s->ctx, n, s->parts->data, k));
}

static void check(struct hd_serve *s)
{
    unsigned n = get_literals(s);
    hd_serve_result(
        s, hd_z3.solver_check_assumptions(s->ctx, s->solver, n, n ? s->parts->data : NULL));
}

static void before(struct hd_serve *s)
{
    Z3_ast x = get_order(s), y = get_order(s);
    add(s->asts, hd_z3.mk_lt(s->ctx, x, y));
}

static void values(struct hd_serve *s, Z3_ast (*get)(struct hd_serve *))
{
    for (uint64_t n = hd_serve_get(s); n > 0; n--)
        hd_serve_value(s, get(s));
}

void hd_serve_order(struct hd_serve *s, enum hd_wire_op op)
{
    switch (op) {
    case HD_WIRE_BOOL:
        add(s->asts, hd_z3.mk_fresh_const(s->ctx, "b", s->bool_sort));
        break;
    case HD_WIRE_ORDER:
        add(s->others, hd_z3.mk_fresh_const(s->ctx, "o", s->int_sort));
        break;
    case HD_WIRE_BEFORE:
        before(s);
        break;
    case HD_WIRE_CLAUSE:
        clause(s);
        break;
    case HD_WIRE_AT_LEAST:
        at_least(s);
        break;
    case HD_WIRE_CHECK:
        check(s);
        break;
    case HD_WIRE_TRUTHS:
        values(s, get_literal);
        break;
    default: /* HD_WIRE_PLACES */
        values(s, get_order);
        break;
    }
}
