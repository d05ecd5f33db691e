/* Pruning by interpolation: docs/algorithms/inputs.md.
 *
 * A node N of the tree is in the same state as an older node M (hd_tree_same). From M on, every
 * continuation is known: those that were run, and those that are infeasible, each for a reason, a
 * core of steps. The part of a core before M is what the choices up to M contributed. If the path
 * to N implies these parts, the same continuations are infeasible from N, and the others cover what
 * M's have covered. */
#include "concolic/input_search_int.h"

#include "base/interrupt.h"
#include "base/log.h"

#define TRIES    8   /* nodes M that are tried for one N */
#define MAX_SIZE 512 /* nodes below M that are looked at */

struct question {
    struct hd_search *s;
    struct hd_path *path; /* of N */
    uint32_t depth;       /* steps of path before N */
    struct hd_formula f;
    bool has_formula;
    struct hd_u32vec used; /* steps of path that the answer rests on */
};

static void use(struct question *q, uint32_t step)
{
    for (size_t i = 0; i < q->used.len; i++)
        if (q->used.data[i] == step)
            return;
    hd_u32vec_push(&q->used, step);
}

/* The same choice among the steps before N. */
static bool is_said(struct question *q, uint64_t choice)
{
    for (uint32_t i = 0; i < q->depth; i++)
        if (hd_path_choice(q->path, i, q->path->steps[i].taken) == choice) {
            use(q, i);
            return true;
        }
    return false;
}

/* Does the path to N imply that step k of another path goes as it went there? */
static bool is_implied(struct question *q, const struct hd_path *other, uint32_t k)
{
    if (is_said(q, hd_path_choice(other, k, other->steps[k].taken)))
        return true;
    if (!q->has_formula) {
        hd_formula_init(&q->f, hd_input_search_solver(q->s), q->path);
        q->has_formula = true;
    }
    struct hd_u32vec steps = {0};
    bool yes = hd_formula_implies(&q->f, q->depth, other, k, q->s->o->solver_seconds, &steps);
    for (size_t i = 0; yes && i < steps.len; i++)
        use(q, steps.data[i]);
    hd_u32vec_fini(&steps);
    return yes;
}

/* All reasons at a node of M's subtree hold for N, as far as they lie before M. */
static bool holds_at(struct question *q, const struct hd_tree_node *n, uint32_t before)
{
    for (size_t i = 0; i < n->core.steps.len; i++)
        if (n->core.steps.data[i] < before && !is_implied(q, n->core.path, n->core.steps.data[i]))
            return false;
    return true;
}

/* Visits M's subtree. False: a reason does not hold, or there is too much of it. */
static bool holds_below(struct question *q, uint32_t m)
{
    const struct hd_tree *t = &q->s->tree;
    uint32_t before = hd_tree_at(t, m)->depth;
    struct hd_u32vec work = {0};
    bool good = true;
    unsigned seen = 0;
    hd_u32vec_push(&work, m);
    while (good && work.len > 0) {
        const struct hd_tree_node *n = hd_tree_at(t, work.data[--work.len]);
        good = ++seen <= MAX_SIZE && !hd_interrupt_requested() && holds_at(q, n, before);
        for (uint32_t c = n->child; c; c = hd_tree_at(t, c)->sibling)
            hd_u32vec_push(&work, c);
    }
    hd_u32vec_fini(&work);
    return good;
}

static bool is_known(const struct hd_tree *t, uint32_t m, uint32_t node)
{
    const struct hd_tree_node *n = hd_tree_at(t, m);
    return n->pending == 0 && !n->given_up && n->child && !hd_tree_is_above(t, m, node);
}

bool hd_input_search_prune(struct hd_search *s, struct hd_path *p, uint32_t node, uint32_t i)
{
    struct question q = {.s = s, .path = p, .depth = i};
    bool pruned = false;
    unsigned tries = 0;
    for (uint32_t m = hd_tree_same(&s->tree, node, 0); m && !pruned && tries < TRIES;
         m = hd_tree_same(&s->tree, node, m)) {
        if (!is_known(&s->tree, m, node))
            continue;
        tries++;
        q.used.len = 0;
        pruned = holds_below(&q, m);
    }
    if (pruned) {
        HD_DEBUG_LINE(CONCOLIC, "choice %u: the rest of this path is known (%u looked at)", i,
                      tries);
        hd_tree_at(&s->tree, node)->flip = HD_FLIP_PRUNED;
        hd_tree_set_core(&s->tree, node, p, &q.used);
    }
    if (q.has_formula)
        hd_formula_fini(&q.f);
    hd_u32vec_fini(&q.used);
    return pruned;
}
