#include "concolic/formula.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"

#include <string.h>

void hd_formula_init(struct hd_formula *f, struct hd_bv *bv, const struct hd_path *path)
{
    *f = (struct hd_formula){.bv = bv,
                             .path = path,
                             .extra = HD_VEC_INIT(struct hd_bv_lit),
                             .wants = HD_VEC_INIT(struct hd_trial_want)};
    f->term = hd_calloc(path->n_nodes, sizeof *f->term);
    f->stamp = hd_calloc(path->n_nodes, sizeof *f->stamp);
    f->parent = hd_calloc(path->n_nodes, sizeof *f->parent);
}

void hd_formula_fini(struct hd_formula *f)
{
    hd_free(f->term, f->path->n_nodes * sizeof *f->term);
    hd_free(f->stamp, f->path->n_nodes * sizeof *f->stamp);
    hd_free(f->parent, f->path->n_nodes * sizeof *f->parent);
    hd_u32vec_fini(&f->work);
    hd_vec_fini(&f->extra);
    hd_vec_fini(&f->wants);
}

/* ---- translation ---- */

static bool has_operands(const struct hd_sym_node *n)
{
    return n->op != HD_SYM_INPUT && n->op != HD_SYM_CONST;
}

/* All operands have their terms. HD_SYM_ADD .. HD_SYM_SLE follow each other as HD_BV_ADD .. do. */
static hd_term make_term(struct hd_formula *f, const struct hd_sym_node *n)
{
    hd_term a = f->term[n->a];
    switch (n->op) {
    case HD_SYM_INPUT:
        return hd_bv_var(f->bv, 8);
    case HD_SYM_CONST:
        return hd_bv_const(f->bv, n->width, n->value);
    case HD_SYM_ZEXT:
    case HD_SYM_SEXT:
        return hd_bv_extend(f->bv, a, n->width, n->op == HD_SYM_SEXT);
    case HD_SYM_EXTRACT:
        return hd_bv_extract(f->bv, a, n->b, n->width);
    case HD_SYM_CONCAT:
        return hd_bv_binary(f->bv, HD_BV_CONCAT, a, f->term[n->b]);
    case HD_SYM_ITE:
        return hd_bv_ite(f->bv, a, f->term[n->b], f->term[n->c]);
    default:
        return hd_bv_binary(f->bv, (enum hd_bv_op)(HD_BV_ADD + (n->op - HD_SYM_ADD)), a,
                            f->term[n->b]);
    }
}

/* Operands have smaller numbers, so one pass over those below `id` that it needs is enough; a stack
 * finds them without recursion. */
static hd_term term_of(struct hd_formula *f, uint32_t id)
{
    f->work.len = 0;
    hd_u32vec_push(&f->work, id);
    while (f->work.len > 0) {
        uint32_t top = f->work.data[f->work.len - 1];
        const struct hd_sym_node *n = &f->path->nodes[top];
        uint32_t ops[3] = {n->a, n->op == HD_SYM_EXTRACT ? 0 : n->b, n->c};
        bool ready = true;
        for (int i = 0; i < 3 && has_operands(n) && !f->term[top]; i++)
            if (ops[i] && !f->term[ops[i]]) {
                hd_u32vec_push(&f->work, ops[i]);
                ready = false;
            }
        if (!ready)
            continue;
        if (!f->term[top])
            f->term[top] = make_term(f, n);
        f->work.len--;
    }
    return f->term[id];
}

/* ---- an expression of another path ---- */

/* Our node for the same input byte, or 0. */
static uint32_t same_input(const struct hd_formula *f, const struct hd_path *other, uint32_t id)
{
    for (uint32_t i = 1; i < f->path->n_nodes; i++)
        if (f->path->nodes[i].op == HD_SYM_INPUT && f->path->hash[i] == other->hash[id])
            return i;
    return 0;
}

/* Terms for the nodes of the other path up to id; inputs that ours does not have are free. Inputs
 * of ours that it uses are listed. */
static hd_term import(struct hd_formula *f, const struct hd_path *other, uint32_t id,
                      struct hd_u32vec *inputs)
{
    struct hd_formula g = {.bv = f->bv, .path = other};
    g.term = hd_calloc(other->n_nodes, sizeof *g.term);
    for (uint32_t i = 1; i <= id; i++) {
        if (other->nodes[i].op != HD_SYM_INPUT)
            continue;
        uint32_t mine = same_input(f, other, i);
        if (!mine)
            continue;
        g.term[i] = term_of(f, mine);
        hd_u32vec_push(inputs, mine);
    }
    hd_term t = term_of(&g, id);
    hd_free(g.term, other->n_nodes * sizeof *g.term);
    hd_u32vec_fini(&g.work);
    return t;
}

/* ---- slicing ---- */

static uint32_t root(struct hd_formula *f, uint32_t i)
{
    while (f->parent[i] != i) {
        f->parent[i] = f->parent[f->parent[i]];
        i = f->parent[i];
    }
    return i;
}

/* The inputs of an expression, joined; 0: none. */
static uint32_t join_inputs(struct hd_formula *f, uint32_t expr)
{
    uint32_t first = 0;
    f->round++;
    f->work.len = 0;
    hd_u32vec_push(&f->work, expr);
    f->stamp[expr] = f->round;
    while (f->work.len > 0) {
        uint32_t id = f->work.data[--f->work.len];
        const struct hd_sym_node *n = &f->path->nodes[id];
        if (n->op == HD_SYM_INPUT) {
            if (!f->parent[id])
                f->parent[id] = id;
            if (first)
                f->parent[root(f, id)] = root(f, first);
            first = id;
        }
        uint32_t ops[3] = {n->a, n->op == HD_SYM_EXTRACT ? 0 : n->b, n->c};
        for (int i = 0; i < 3 && has_operands(n); i++)
            if (ops[i] && f->stamp[ops[i]] != f->round) {
                f->stamp[ops[i]] = f->round;
                hd_u32vec_push(&f->work, ops[i]);
            }
    }
    return first;
}

void hd_formula_slice(struct hd_formula *f, uint32_t last, struct hd_u32vec *steps)
{
    struct hd_u32vec firsts = {0};
    HD_DCHECK(last < f->path->n_steps);
    memset(f->parent, 0, f->path->n_nodes * sizeof *f->parent);
    for (uint32_t i = 0; i <= last; i++)
        hd_u32vec_push(&firsts, join_inputs(f, f->path->steps[i].expr));
    steps->len = 0;
    uint32_t group = firsts.data[last] ? root(f, firsts.data[last]) : 0;
    for (uint32_t i = 0; i < last; i++)
        if (group && firsts.data[i] && root(f, firsts.data[i]) == group &&
            f->path->steps[i].kind != HD_SYM_AGAIN)
            hd_u32vec_push(steps, i);
    hd_u32vec_fini(&firsts);
}

/* ---- questions ---- */

void hd_formula_exclude(struct hd_formula *f, const struct hd_path *other, uint32_t k)
{
    struct hd_u32vec inputs = {0};
    HD_DCHECK(k < other->n_steps);
    hd_term t = import(f, other, other->steps[k].expr, &inputs);
    *(struct hd_bv_lit *)hd_vec_push(&f->extra) = (struct hd_bv_lit){t, other->steps[k].taken == 0};
    hd_u32vec_fini(&inputs);
}

/* Without the solver, when there are few inputs. */
static enum hd_sat try_values(struct hd_formula *f)
{
    if (f->extra.len > 0)
        return HD_SAT_UNKNOWN;
    double before = hd_progress_now();
    enum hd_sat sat = hd_trial(f->path, f->wants.data, f->wants.len, &f->answer);
    f->seconds += hd_progress_now() - before;
    f->tried += sat != HD_SAT_UNKNOWN;
    return sat;
}

static enum hd_sat solve(struct hd_formula *f, double seconds)
{
    struct hd_vec lits = HD_VEC_INIT(struct hd_bv_lit);
    for (size_t i = 0; i < f->wants.len; i++) {
        const struct hd_trial_want *w = hd_vec_at(&f->wants, i);
        *(struct hd_bv_lit *)hd_vec_push(&lits) = (struct hd_bv_lit){term_of(f, w->expr), w->is};
    }
    for (size_t i = 0; i < f->extra.len; i++)
        *(struct hd_bv_lit *)hd_vec_push(&lits) = *(struct hd_bv_lit *)hd_vec_at(&f->extra, i);
    enum hd_sat sat = hd_bv_check(f->bv, lits.data, lits.len, seconds);
    hd_vec_fini(&lits);
    return sat;
}

static void want(struct hd_formula *f, uint32_t step, bool as_it_went)
{
    const struct hd_sym_step *s = &f->path->steps[step];
    *(struct hd_trial_want *)hd_vec_push(&f->wants) =
        (struct hd_trial_want){s->expr, (s->taken != 0) == as_it_went};
}

/* The steps without `n` of them from place `without` on; `last` the other way. */
static enum hd_sat ask(struct hd_formula *f, const struct hd_u32vec *steps, size_t without,
                       size_t n, uint32_t last, double seconds)
{
    f->wants.len = 0;
    for (size_t i = 0; i < steps->len; i++)
        if (i < without || i - without >= n)
            want(f, steps->data[i], true);
    want(f, last, false);
    enum hd_sat sat = try_values(f);
    f->by_trial = sat != HD_SAT_UNKNOWN;
    return f->by_trial ? sat : solve(f, seconds);
}

static void set_byte(struct hd_formula *f, struct hd_input *in, uint32_t id, uint8_t value)
{
    const struct hd_sym_node *n = &f->path->nodes[id];
    const struct hd_input_object *o = hd_input_find(in, (const char *)f->path->objects[n->a].data);
    if (o && n->b < o->bytes.len)
        o->bytes.data[n->b] = value;
}

static void read_answer(struct hd_formula *f, struct hd_input *in)
{
    hd_input_copy(in, &f->path->input);
    for (int i = 0; i < HD_TRIAL_BYTES; i++)
        if (f->answer.input[i])
            set_byte(f, in, f->answer.input[i], f->answer.value[i]);
}

/* Every input that was translated is given its value in the model; others were not asked about. */
static void read_model(struct hd_formula *f, const struct hd_u32vec *steps, uint32_t last,
                       struct hd_input *in)
{
    hd_input_copy(in, &f->path->input);
    f->round++;
    f->work.len = 0;
    for (size_t i = 0; i <= steps->len; i++)
        hd_u32vec_push(&f->work, f->path->steps[i < steps->len ? steps->data[i] : last].expr);
    while (f->work.len > 0) {
        uint32_t id = f->work.data[--f->work.len];
        const struct hd_sym_node *n = &f->path->nodes[id];
        if (f->stamp[id] == f->round)
            continue;
        f->stamp[id] = f->round;
        if (n->op == HD_SYM_INPUT) {
            set_byte(f, in, id, (uint8_t)hd_bv_value(f->bv, f->term[id]));
        } else if (n->op != HD_SYM_CONST) {
            hd_u32vec_push(&f->work, n->a);
            if (n->op != HD_SYM_EXTRACT && n->b)
                hd_u32vec_push(&f->work, n->b);
            if (n->c)
                hd_u32vec_push(&f->work, n->c);
        }
    }
}

enum hd_sat hd_formula_flip(struct hd_formula *f, const struct hd_u32vec *steps, uint32_t last,
                            double seconds, struct hd_input *in)
{
    enum hd_sat sat = ask(f, steps, 0, 0, last, seconds);
    if (sat == HD_SAT_YES && f->by_trial)
        read_answer(f, in);
    else if (sat == HD_SAT_YES)
        read_model(f, steps, last, in);
    return sat;
}

void hd_formula_core(struct hd_formula *f, struct hd_u32vec *steps, uint32_t last, double seconds)
{
    size_t n = steps->len > 1 ? steps->len / 2 : 1; /* halves first: most cores are small */
    for (; n > 0; n /= 2)
        for (size_t i = 0; i < steps->len && !hd_interrupt_requested();) {
            size_t cut = steps->len - i < n ? steps->len - i : n;
            if (ask(f, steps, i, cut, last, seconds) != HD_SAT_NO) {
                i += cut;
                continue;
            }
            steps->len -= cut;
            memmove(steps->data + i, steps->data + i + cut, (steps->len - i) * sizeof(uint32_t));
        }
}

/* Steps that share inputs with those listed; over-approximated by all that have any. */
static void related(struct hd_formula *f, uint32_t depth, const struct hd_u32vec *inputs,
                    struct hd_u32vec *steps)
{
    struct hd_u32vec firsts = {0};
    memset(f->parent, 0, f->path->n_nodes * sizeof *f->parent);
    for (uint32_t i = 0; i < depth; i++)
        hd_u32vec_push(&firsts, join_inputs(f, f->path->steps[i].expr));
    for (size_t i = 0; i < inputs->len; i++) {
        uint32_t id = inputs->data[i];
        if (!f->parent[id])
            f->parent[id] = id;
        f->parent[root(f, id)] = root(f, inputs->data[0]);
    }
    for (uint32_t i = 0; i < depth && inputs->len > 0; i++)
        if (firsts.data[i] && root(f, firsts.data[i]) == root(f, inputs->data[0]))
            hd_u32vec_push(steps, i);
    hd_u32vec_fini(&firsts);
}

bool hd_formula_implies(struct hd_formula *f, uint32_t depth, const struct hd_path *other,
                        uint32_t k, double seconds, struct hd_u32vec *steps)
{
    struct hd_vec lits = HD_VEC_INIT(struct hd_bv_lit);
    struct hd_u32vec inputs = {0};
    HD_DCHECK(k < other->n_steps && depth <= f->path->n_steps);
    const struct hd_sym_step *what = &other->steps[k];
    hd_term t = import(f, other, what->expr, &inputs);
    steps->len = 0;
    related(f, depth, &inputs, steps);
    for (size_t i = 0; i < steps->len; i++) {
        const struct hd_sym_step *s = &f->path->steps[steps->data[i]];
        *(struct hd_bv_lit *)hd_vec_push(&lits) =
            (struct hd_bv_lit){term_of(f, s->expr), s->taken != 0};
    }
    *(struct hd_bv_lit *)hd_vec_push(&lits) = (struct hd_bv_lit){t, what->taken == 0};
    enum hd_sat sat = hd_bv_check(f->bv, lits.data, lits.len, seconds);
    hd_vec_fini(&lits);
    hd_u32vec_fini(&inputs);
    return sat == HD_SAT_NO;
}
