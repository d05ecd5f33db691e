#include "predict/orders/order_cut.h"

#include "base/alloc.h"

#include <string.h>

void hd_order_cut_init(struct hd_order_cut *c, const struct hd_trace *t)
{
    *c = (struct hd_order_cut){.t = t};
    hd_edges_init(&c->edges, t);
    hd_matching_check(t, &c->matching);
    c->need = hd_calloc(hd_trace_n_threads(t), sizeof *c->need);
    c->wanted = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), 1);
    c->releases = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOCK), 1);
}

void hd_order_cut_fini(struct hd_order_cut *c)
{
    const struct hd_trace *t = c->t;
    hd_edges_fini(&c->edges);
    hd_matching_fini(&c->matching);
    hd_free(c->need, hd_trace_n_threads(t) * sizeof *c->need);
    hd_free(c->wanted, hd_trace_n_objs(t, HD_OBJ_LOC));
    hd_free(c->releases, hd_trace_n_objs(t, HD_OBJ_LOCK));
}

static void need(struct hd_order_cut *c, hd_eid e)
{
    uint32_t *n = &c->need[c->t->thread[e]];
    *n = *n > c->t->pos[e] ? *n : c->t->pos[e] + 1;
}

/* e comes before something that is needed: does that need e itself? */
static void look_back(struct hd_order_cut *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    enum hd_op op = t->op[e];
    uint32_t l = op == HD_OP_REL || op == HD_OP_RREL || op == HD_OP_WAIT ? hd_trace_lock(t, e) : 0;
    if (hd_op_writes(op) && c->wanted[t->obj[e]]) {
        c->wanted[t->obj[e]] = 0;
        need(c, e);
    } else if ((op == HD_OP_REL || op == HD_OP_WAIT) && c->releases[l]) {
        c->releases[l] = 0;
        need(c, e);
    } else if (op == HD_OP_RREL && c->releases[l] == 2) {
        need(c, e);
    }
}

/* What e, which is needed, needs of the events before it; its program order apart. */
static void look_ahead(struct hd_order_cut *c, hd_eid e)
{
    const struct hd_trace *t = c->t;
    enum hd_op op = t->op[e];
    if (hd_op_reads(op))
        c->wanted[t->obj[e]] = 1;
    else if (op == HD_OP_ACQ || op == HD_OP_WAKE || op == HD_OP_TMO)
        c->releases[hd_trace_lock(t, e)] = 2;
    else if (op == HD_OP_RACQ && !c->releases[t->obj[e]])
        c->releases[t->obj[e]] = 1;
}

static void add_wakes(const struct hd_order_cut *c, struct hd_witness *w)
{
    const struct hd_matching *m = &c->matching;
    w->wakes = hd_alloc(m->n * sizeof *w->wakes);
    for (size_t i = 0; i < m->n; i++) {
        hd_eid sig = m->wakes[i].sig;
        if (sig < w->b && c->t->pos[sig] < c->need[c->t->thread[sig]])
            w->wakes[w->n_wakes++] = m->wakes[i];
    }
    w->wakes = hd_realloc(w->wakes, m->n * sizeof *w->wakes, w->n_wakes * sizeof *w->wakes);
}

struct hd_witness hd_order_cut_make(struct hd_order_cut *c, hd_eid a, hd_eid b)
{
    HD_ASSERT(a < b && b < c->t->n_events);
    const struct hd_trace *t = c->t;
    struct hd_witness w = {.a = a, .b = b, .unordered = true};
    memset(c->need, 0, hd_trace_n_threads(t) * sizeof *c->need);
    memset(c->wanted, 0, hd_trace_n_objs(t, HD_OBJ_LOC));
    memset(c->releases, 0, hd_trace_n_objs(t, HD_OBJ_LOCK));
    need(c, a);
    need(c, b);
    size_t edge = c->edges.n;
    for (hd_eid e = b + 1; e-- > 0;) {
        while (edge && c->edges.edge[edge - 1].to > e)
            edge--;
        look_back(c, e);
        if (t->pos[e] >= c->need[t->thread[e]])
            continue;
        w.n++;
        if (e != b) /* what b reads decides nothing before it */
            look_ahead(c, e);
        for (size_t i = edge; i > 0 && c->edges.edge[i - 1].to == e; i--)
            need(c, c->edges.edge[i - 1].from);
    }
    w.schedule = hd_alloc(w.n * sizeof *w.schedule);
    size_t at = 0;
    for (hd_eid e = 0; e <= b; e++)
        if (t->pos[e] < c->need[t->thread[e]])
            w.schedule[at++] = e;
    add_wakes(c, &w);
    return w;
}
