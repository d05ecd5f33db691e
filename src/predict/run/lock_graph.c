#include "predict/run/lock_graph.h"

#include "base/alloc.h"
#include "base/stop.h"

#include <string.h>

struct edge {
    uint32_t from, to;
};

/* A depth-first search for strongly connected components (Tarjan), without recursion. */
struct search {
    uint32_t *start, *to; /* the edges from each lock */
    uint32_t *number;     /* of the visit, from 1; 0: not visited */
    uint32_t *low;
    uint32_t *next; /* the edge of the lock that is looked at next */
    uint8_t *on_stack;
    struct hd_u32vec stack, path;
    uint32_t visits;
    uint8_t *cyclic;
};

/* The section that the thread took last, of those it still holds when e runs; HD_SECTION_NONE. */
static uint32_t last_held(const struct hd_sections *s, struct hd_u32vec *taken, hd_eid e)
{
    while (taken->len) {
        uint32_t id = taken->data[taken->len - 1];
        hd_eid close = hd_section_at(s, id)->close;
        if (close == HD_EID_NONE || close > e)
            return id;
        taken->len--;
    }
    return HD_SECTION_NONE;
}

static void find_edges(const struct hd_world *w, struct hd_vec *edges)
{
    const struct hd_sections *s = w->sections;
    struct hd_u32vec *taken = hd_calloc(w->n_threads, sizeof *taken);
    for (uint32_t id = 0; id < s->list.len && !hd_stop_often(id); id++) {
        const struct hd_section *x = hd_section_at(s, id); /* by open */
        if (x->lock >= s->n_real)
            continue;
        uint32_t last = last_held(s, &taken[x->thread], x->open);
        if (last != HD_SECTION_NONE)
            *(struct edge *)hd_vec_push(edges) =
                (struct edge){hd_section_at(s, last)->lock, x->lock};
        hd_u32vec_push(&taken[x->thread], id);
    }
    for (size_t u = 0; u < w->n_threads; u++)
        hd_u32vec_fini(&taken[u]);
    hd_free(taken, w->n_threads * sizeof *taken);
}

static void sort_edges(struct search *c, const struct hd_vec *edges, size_t locks)
{
    for (size_t i = 0; i < edges->len; i++) {
        const struct edge *x = hd_vec_at(edges, i);
        c->start[x->from + 1]++;
        if (x->from == x->to)
            c->cyclic[x->from] = 1;
    }
    for (size_t i = 0; i < locks; i++) {
        c->start[i + 1] += c->start[i];
        c->next[i] = c->start[i];
    }
    for (size_t i = 0; i < edges->len; i++) {
        const struct edge *x = hd_vec_at(edges, i);
        c->to[c->next[x->from]++] = x->to;
    }
    for (size_t i = 0; i < locks; i++)
        c->next[i] = c->start[i];
}

static void enter(struct search *c, uint32_t lock)
{
    c->number[lock] = c->low[lock] = ++c->visits;
    c->on_stack[lock] = 1;
    hd_u32vec_push(&c->stack, lock);
    hd_u32vec_push(&c->path, lock);
}

/* All edges of the lock have been looked at: if nothing before it was reached, what stands above it
 * on the stack is its component. */
static void leave(struct search *c, uint32_t lock)
{
    uint32_t other, n = 0;
    c->path.len--;
    if (c->path.len) {
        uint32_t before = c->path.data[c->path.len - 1];
        if (c->low[lock] < c->low[before])
            c->low[before] = c->low[lock];
    }
    if (c->low[lock] != c->number[lock])
        return;
    do {
        other = c->stack.data[--c->stack.len];
        c->on_stack[other] = 0;
        if (other != lock || n > 0) /* alone it is no cycle */
            c->cyclic[other] = 1;
        n++;
    } while (other != lock);
}

static void visit(struct search *c, uint32_t root)
{
    enter(c, root);
    while (c->path.len) {
        uint32_t lock = c->path.data[c->path.len - 1];
        if (c->next[lock] == c->start[lock + 1]) {
            leave(c, lock);
            continue;
        }
        uint32_t to = c->to[c->next[lock]++];
        if (!c->number[to])
            enter(c, to);
        else if (c->on_stack[to] && c->number[to] < c->low[lock])
            c->low[lock] = c->number[to];
    }
}

bool hd_lock_graph_any(const struct hd_world *w)
{
    size_t locks = w->sections->n_real;
    uint8_t *cyclic = hd_lock_graph_cyclic(w);
    bool any = memchr(cyclic, 1, locks) != NULL;
    hd_free(cyclic, locks);
    return any;
}

uint8_t *hd_lock_graph_cyclic(const struct hd_world *w)
{
    size_t locks = w->sections->n_real;
    struct hd_vec edges = HD_VEC_INIT(struct edge);
    find_edges(w, &edges);
    struct search c = {.start = hd_calloc(locks + 1, sizeof *c.start),
                       .to = hd_alloc(edges.len * sizeof *c.to),
                       .number = hd_calloc(locks, sizeof *c.number),
                       .low = hd_calloc(locks, sizeof *c.low),
                       .next = hd_calloc(locks, sizeof *c.next),
                       .on_stack = hd_calloc(locks, 1),
                       .cyclic = hd_calloc(locks, 1)};
    sort_edges(&c, &edges, locks);
    for (uint32_t i = 0; i < locks; i++)
        if (!c.number[i])
            visit(&c, i);
    hd_free(c.start, (locks + 1) * sizeof *c.start);
    hd_free(c.to, edges.len * sizeof *c.to);
    hd_free(c.number, locks * sizeof *c.number);
    hd_free(c.low, locks * sizeof *c.low);
    hd_free(c.next, locks * sizeof *c.next);
    hd_free(c.on_stack, locks);
    hd_u32vec_fini(&c.stack);
    hd_u32vec_fini(&c.path);
    hd_vec_fini(&edges);
    return c.cyclic;
}
