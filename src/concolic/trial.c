#include "concolic/trial.h"

#include "base/alloc.h"
#include "base/interrupt.h"

#include <string.h>

/* Nodes that one question may compute, all values together: some tenths of a second. */
#define MAX_WORK 30000000u

struct trial {
    struct hd_sym_node *nodes; /* those that matter, from 1, operands first */
    uint8_t *uses;             /* by node: bit i: input i */
    int8_t *want;              /* by node: 0 or 1, or -1: nothing */
    uint32_t n, cap;
    uint32_t input[HD_TRIAL_BYTES]; /* our nodes */
    unsigned n_inputs;
};

static bool has_operands(const struct hd_sym_node *n)
{
    return n->op != HD_SYM_INPUT && n->op != HD_SYM_CONST;
}

/* Marks what the wanted nodes are computed from, in `index`. Answers how many there are, or 0 when
 * they read too many inputs. */
static uint32_t mark(const struct hd_path *p, const struct hd_trial_want *wants, size_t n,
                     uint32_t *index, uint32_t top)
{
    uint32_t count = 0, inputs = 0;
    for (size_t i = 0; i < n; i++)
        index[wants[i].expr] = 1;
    for (uint32_t id = top; id >= 1; id--) {
        const struct hd_sym_node *node = &p->nodes[id];
        if (!index[id])
            continue;
        count++;
        inputs += node->op == HD_SYM_INPUT;
        if (inputs > HD_TRIAL_BYTES)
            return 0;
        if (!has_operands(node))
            continue;
        index[node->a] = 1;
        if (node->op != HD_SYM_EXTRACT)
            index[node->b] = index[node->c] = 1;
    }
    return count;
}

static void take(struct trial *s, const struct hd_path *p, uint32_t id, uint32_t *index,
                 struct hd_trial_answer *answer)
{
    struct hd_sym_node n = p->nodes[id];
    uint32_t mine = ++s->n;
    index[id] = mine;
    s->want[mine] = -1;
    if (n.op == HD_SYM_INPUT) {
        answer->input[s->n_inputs] = id;
        s->input[s->n_inputs] = mine;
        s->uses[mine] = (uint8_t)(1u << s->n_inputs++);
    } else if (has_operands(&n)) {
        n.a = index[n.a];
        s->uses[mine] = s->uses[n.a];
        if (n.op != HD_SYM_EXTRACT) {
            n.b = n.b ? index[n.b] : 0;
            n.c = n.c ? index[n.c] : 0;
            s->uses[mine] |= (uint8_t)(s->uses[n.b] | s->uses[n.c]);
        }
    }
    s->nodes[mine] = n;
}

/* Computes the nodes that use exactly one of the sets of inputs `a` and `b`. False: one is not as
 * it is wanted. */
static bool compute(struct trial *s, uint8_t a, uint8_t b)
{
    for (uint32_t i = 1; i <= s->n; i++) {
        if (s->uses[i] != a && s->uses[i] != b)
            continue;
        s->nodes[i].value = hd_shared_arena_eval(s->nodes, i);
        if (s->want[i] >= 0 && s->nodes[i].value != (uint64_t)s->want[i])
            return false;
    }
    return true;
}

/* Printable characters first, then the others. */
static uint8_t nth(unsigned i)
{
    return (uint8_t)(i < 95 ? i + 32 : i < 127 ? i - 95 : i);
}

static enum hd_sat try_all(struct trial *s, struct hd_trial_answer *answer)
{
    unsigned second = s->n_inputs > 1 ? 256 : 1;
    for (unsigned i = 0; i < 256; i++) {
        if (hd_interrupt_requested())
            return HD_SAT_UNKNOWN;
        s->nodes[s->input[0]].value = nth(i);
        if (!compute(s, 1, 1))
            continue;
        for (unsigned k = 0; k < second; k++) {
            if (s->n_inputs > 1)
                s->nodes[s->input[1]].value = nth(k);
            if (s->n_inputs > 1 && !compute(s, 2, 3))
                continue;
            answer->value[0] = nth(i);
            answer->value[1] = nth(k);
            return HD_SAT_YES;
        }
    }
    return HD_SAT_NO;
}

/* Inputs keep their value while nodes are computed: hd_shared_arena_eval answers it. */
enum hd_sat hd_trial(const struct hd_path *path, const struct hd_trial_want *wants, size_t n,
                     struct hd_trial_answer *answer)
{
    uint32_t top = 0;
    *answer = (struct hd_trial_answer){{0}, {0}};
    for (size_t i = 0; i < n; i++)
        top = wants[i].expr > top ? wants[i].expr : top;
    uint32_t *index = hd_calloc(top + 1, sizeof *index);
    struct trial s = {.cap = mark(path, wants, n, index, top) + 1};
    enum hd_sat sat = HD_SAT_UNKNOWN;
    s.nodes = hd_calloc(s.cap, sizeof *s.nodes);
    s.uses = hd_calloc(s.cap, sizeof *s.uses);
    s.want = hd_calloc(s.cap, sizeof *s.want);
    if (s.cap > 1) {
        index[0] = 0;
        for (uint32_t id = 1; id <= top; id++)
            if (index[id])
                take(&s, path, id, index, answer);
        bool clash = false;
        for (size_t i = 0; i < n; i++) {
            int8_t *want = &s.want[index[wants[i].expr]];
            clash |= *want >= 0 && *want != wants[i].is;
            *want = wants[i].is;
        }
        uint64_t work = (s.n_inputs > 1 ? 65536u : 256u) * (uint64_t)s.n;
        if (clash)
            sat = HD_SAT_NO;
        else if (s.n_inputs > 0 && work <= MAX_WORK)
            sat = try_all(&s, answer);
    }
    hd_free(s.nodes, s.cap * sizeof *s.nodes);
    hd_free(s.uses, s.cap * sizeof *s.uses);
    hd_free(s.want, s.cap * sizeof *s.want);
    hd_free(index, (top + 1) * sizeof *index);
    return sat;
}
