#include "predict/ucg/ucg.h"

#include "base/alloc.h"
#include "predict/ucg/ucg_int.h"

#include <string.h>

/* Levels of one graph at a time: 16 bytes each. */
enum { MAX_LEVELS = 1 << 20 };

/* Labels that are remembered at a time: 16 bytes each. */
enum { MAX_LABELS = 1 << 20 };

struct hd_ucg *hd_ucg_new(const struct hd_ucg_base *base, bool chop)
{
    struct hd_ucg *g = hd_calloc(1, sizeof *g);
    size_t threads = base->n_threads;
    g->b = base;
    g->chop = chop;
    g->max_levels = MAX_LEVELS;
    hd_ucg_edges_init(&g->edges);
    g->regions = hd_calloc(threads, sizeof *g->regions);
    for (size_t u = 0; u < threads; u++) {
        g->regions[u].limits = HD_VEC_INIT(struct hd_ucg_part);
        g->regions[u].rows = HD_VEC_INIT(struct hd_ucg_cell);
    }
    g->low = hd_calloc(threads, sizeof *g->low);
    g->starts = hd_calloc(HD_UCG_BATCH * threads, sizeof *g->starts);
    g->spans = hd_calloc(threads, sizeof *g->spans);
    return g;
}

void hd_ucg_free(struct hd_ucg *g)
{
    if (!g)
        return;
    size_t threads = g->b->n_threads;
    for (size_t u = 0; u < threads; u++) {
        hd_vec_fini(&g->regions[u].limits);
        hd_vec_fini(&g->regions[u].rows);
    }
    hd_ucg_edges_fini(&g->edges);
    hd_free(g->regions, threads * sizeof *g->regions);
    hd_free(g->low, threads * sizeof *g->low);
    hd_free(g->starts, HD_UCG_BATCH * threads * sizeof *g->starts);
    hd_free(g->spans, threads * sizeof *g->spans);
    hd_ucg_labels_fini(&g->labels);
    hd_free(g, sizeof *g);
}

/* ---- what a goal alone asks ---- */

static void need(const struct hd_ucg *g, uint32_t *cut, hd_eid e)
{
    const uint32_t *clock = hd_ucg_base_clock(g->b, e);
    for (hd_tid v = 0; v < g->b->n_threads; v++)
        if (v != g->b->t->thread[e] && clock[v] > cut[v])
            cut[v] = clock[v];
}

/* What two stops hold or own excludes each other. That is a matter of the accesses: others of their
 * stretches, which have the same label, may own less. */
static bool is_excluded(const struct hd_ucg *g, const struct hd_goal *goal)
{
    for (uint32_t i = 0; i < goal->n_stops; i++)
        for (uint32_t k = 0; k < i; k++)
            if (hd_sections_exclude(g->b->sections, goal->stops[i], goal->stops[k]))
                return true;
    return false;
}

/* How many events of each thread run. False: more than may. */
static bool start_goal(const struct hd_ucg *g, const struct hd_goal *goal, uint32_t *cut)
{
    const struct hd_trace *t = g->b->t;
    if (g->b->n_threads)
        memset(cut, 0, g->b->n_threads * sizeof *cut);
    for (uint32_t i = 0; i < goal->n_stops; i++)
        cut[t->thread[goal->stops[i]]] = t->pos[goal->stops[i]];
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        hd_eid needs = hd_goal_needs(t, goal, goal->stops[i]);
        if (needs != HD_EID_NONE)
            need(g, cut, needs);
    }
    if (goal->then != HD_EID_NONE) {
        hd_tid v = t->thread[goal->then];
        need(g, cut, goal->then);
        if (cut[v] <= t->pos[goal->then])
            cut[v] = t->pos[goal->then] + 1;
    }
    for (uint32_t i = 0; i < goal->n_stops; i++)
        if (cut[t->thread[goal->stops[i]]] > t->pos[goal->stops[i]])
            return false;
    return true;
}

/* Where the barrier of a thread may stand at most, for the goal alone. */
static uint32_t bound_of(const struct hd_ucg *g, const struct hd_goal *goal, hd_tid u, uint32_t cut)
{
    const struct hd_trace *t = g->b->t;
    if (goal->then == HD_EID_NONE)
        return cut;
    if (t->thread[goal->then] == u && t->pos[goal->then] < cut)
        cut = t->pos[goal->then];
    if (t->thread[goal->first] == u && t->pos[goal->first] < cut)
        cut = t->pos[goal->first];
    return cut;
}

/* ---- the barrier ---- */

/* Whether the first `count` events of u need no more than `limit` events of v, in the run. */
static bool needs_at_most(const struct hd_ucg *g, hd_tid u, uint32_t count, hd_tid v,
                          uint32_t limit)
{
    if (!count)
        return true;
    hd_eid last = hd_ucg_base_event(g->b, u, count - 1);
    if (hd_ucg_base_clock(g->b, last)[v] > limit)
        return false;
    return !g->b->observed ||
           hd_timeline_clock(hd_mhb_timeline(g->b->observed), u, count - 1)->v[v] <= limit;
}

/* The most first events of u, at most `count`, for which that holds. */
static uint32_t most_within(const struct hd_ucg *g, hd_tid u, uint32_t count, hd_tid v,
                            uint32_t limit)
{
    uint32_t lo = 0, hi = count; /* lo holds */
    if (needs_at_most(g, u, count, v, limit))
        return count;
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (needs_at_most(g, u, mid, v, limit))
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The last barrier within the bounds. */
static void find_barrier(struct hd_ucg *g)
{
    size_t threads = g->b->n_threads;
    bool changed = true;
    for (hd_tid u = 0; u < threads; u++) {
        struct hd_ucg_region *r = &g->regions[u];
        r->barrier = g->chop ? r->bound : 0;
    }
    while (changed) {
        changed = false;
        for (hd_tid u = 0; u < threads; u++) {
            struct hd_ucg_region *r = &g->regions[u];
            uint32_t count = hd_ucg_base_safe(g->b, u, r->barrier);
            for (hd_tid v = 0; v < threads && count; v++)
                if (v != u)
                    count = most_within(g, u, count, v, g->regions[v].barrier);
            changed |= count != r->barrier;
            r->barrier = count;
        }
    }
}

/* ---- one batch ---- */

static void set_limit(struct hd_ucg *g, hd_eid stop, uint64_t of)
{
    struct hd_ucg_region *r = &g->regions[g->b->t->thread[stop]];
    uint32_t limit = g->b->t->pos[stop];
    if (limit < r->low_limit)
        r->low_limit = limit;
    for (size_t i = 0; i < r->limits.len; i++) {
        struct hd_ucg_part *part = hd_vec_at(&r->limits, i);
        if (part->count == limit) {
            part->of |= of;
            return;
        }
    }
    *(struct hd_ucg_part *)hd_vec_push(&r->limits) = (struct hd_ucg_part){of, limit};
}

/* Cuts, limits and bounds, as the goals alone give them. */
static void start_batch(struct hd_ucg *g)
{
    size_t threads = g->b->n_threads;
    g->built = false;
    hd_ucg_edges_clear(&g->edges, UINT64_MAX >> (HD_UCG_BATCH - g->n_goals));
    for (hd_tid u = 0; u < threads; u++) {
        struct hd_ucg_region *r = &g->regions[u];
        r->cut = (struct hd_ucg_cell){0};
        r->reach = 0;
        r->bound = r->low_limit = UINT32_MAX;
        r->limits.len = 0;
    }
    for (unsigned p = 0; p < g->n_goals; p++) {
        const struct hd_goal *goal = &g->goals[g->from + p];
        const uint32_t *cut = g->starts + (g->from + p) * threads;
        for (hd_tid u = 0; u < threads; u++) {
            struct hd_ucg_region *r = &g->regions[u];
            uint32_t bound = bound_of(g, goal, u, cut[u]);
            hd_ucg_run_at_least(g, u, cut[u], UINT64_C(1) << p);
            r->bound = bound < r->bound ? bound : r->bound;
        }
        for (uint32_t i = 0; i < goal->n_stops; i++)
            set_limit(g, goal->stops[i], UINT64_C(1) << p);
    }
}

/* Nodes from the barrier on. What earlier nodes have shown of cuts stays. */
static void build(struct hd_ucg *g)
{
    for (hd_tid u = 0; u < g->b->n_threads; u++) {
        struct hd_ucg_region *r = &g->regions[u];
        for (size_t i = 0; g->built && i < r->rows.len; i++)
            hd_ucg_cell_drop(&g->edges, hd_vec_at(&r->rows, i));
        r->first = hd_ucg_base_sync_from(g->b, u, r->barrier);
        r->n = 0;
        r->rows.len = 0;
    }
    g->built = true;
    for (hd_tid u = 0; u < g->b->n_threads; u++)
        hd_ucg_extend(g, u);
}

/* Closes the graph of `n` waiting goals from `from` on. One that would be too large is made in two
 * parts. */
static void close_batch(struct hd_ucg *g, unsigned from, unsigned n)
{
    enum hd_ucg_outcome outcome;
    g->from = from;
    g->n_goals = n;
    g->graphs++;
    start_batch(g);
    do {
        find_barrier(g);
        build(g);
        outcome = hd_ucg_close(g);
    } while (outcome == HD_UCG_CHOPPED_TOO_MUCH);
    if (outcome == HD_UCG_TOO_LARGE) {
        close_batch(g, from, n / 2);
        close_batch(g, from + n / 2, n - n / 2);
        return;
    }
    g->possible |= g->edges.alive << from;
}

/* ---- how far goals that share a graph may lie apart ---- */

/* In nodes of a thread, beyond what one goal needs anyway. Which span costs least depends on the
 * trace: where graphs are small most goals are best alone, where they are large and nearly the same
 * many share them. What was paid for a goal at each span is kept, and the neighbours of the best
 * are tried now and then. The cost is counted, not timed. */
static uint32_t span(const struct hd_ucg *g)
{
    if (!g->chop) /* everything is in the graph anyway */
        return UINT32_MAX / 2;
    return g->width ? 1u << g->width : 0;
}

/* The first batches try these, as far as they do not make graphs much larger than the first. */
static const uint8_t first_widths[] = {0, 2, 3, 4, 5, 8, 12};
enum { FIRST_WIDTHS = sizeof first_widths };

static bool try_first(struct hd_ucg *g)
{
    unsigned i = g->batches;
    if (i == 1)
        g->first_nodes = g->nodes;
    if (i >= FIRST_WIDTHS || (i > 1 && UINT64_C(1) << first_widths[i] > 2 * g->first_nodes))
        return false;
    g->width = first_widths[i];
    return true;
}

static void learn_span(struct hd_ucg *g, uint64_t work, unsigned goals)
{
    enum { TRY_EVERY = 8 };
    uint64_t threads = g->b->n_threads; /* a barrier compares all with all */
    double cost = (double)(work + threads * (2 * threads + 8)) / goals;
    double *paid = &g->paid[g->width];
    unsigned best = g->width;
    *paid = *paid > 0 ? (3 * *paid + cost) / 4 : cost;
    for (unsigned i = 0; i < HD_UCG_WIDTHS; i++)
        if (g->paid[i] > 0 && g->paid[i] < g->paid[best])
            best = i;
    g->batches++;
    if (try_first(g))
        return;
    g->width = best;
    if (g->batches % TRY_EVERY == 0 && best + 1 < HD_UCG_WIDTHS)
        g->width = best + 1;
    else if (g->batches % TRY_EVERY == TRY_EVERY / 2 && best > 0)
        g->width = best - 1;
}

/* ---- many goals ---- */

/* What a label holds, until its graph is closed: WAITS + the number of the goal that waits. */
enum { IS_NOT = 1, IS = 2, WAITS = 3 };

static uint32_t *label_of(struct hd_ucg *g, const struct hd_goal *goal)
{
    return g->chop ? hd_ucg_label(&g->labels, g->b, goal) : NULL;
}

static uint32_t nodes_between(const struct hd_ucg *g, hd_tid u, uint32_t low, uint32_t high)
{
    return low < high ? hd_ucg_base_sync_from(g->b, u, high) - hd_ucg_base_sync_from(g->b, u, low)
                      : 0;
}

/* Whether the goal lies near to those that wait; if so, or if it is the first, they grow by it. */
static bool admit(struct hd_ucg *g, const struct hd_goal *goal, const uint32_t *cut)
{
    bool near = true;
    for (int grow = 0; grow < 2 && near; grow++)
        for (hd_tid u = 0; u < g->b->n_threads && near; u++) {
            struct hd_ucg_span s = g->spans[u];
            uint32_t low = bound_of(g, goal, u, cut[u]), widest = s.widest;
            if (g->waiting && low >= s.low && cut[u] <= s.high)
                continue;
            uint32_t own = nodes_between(g, u, low, cut[u]);
            s.low = !g->waiting || low < s.low ? low : s.low;
            s.high = !g->waiting || cut[u] > s.high ? cut[u] : s.high;
            s.widest = !g->waiting || own > widest ? own : widest;
            if (grow)
                g->spans[u] = s;
            else
                near = !g->waiting || nodes_between(g, u, s.low, s.high) <= s.widest + span(g);
        }
    return near;
}

/* The answers of all that wait. */
static void answer(struct hd_ucg *g)
{
    g->possible = 0;
    if (g->waiting) {
        uint64_t before = g->edges.work;
        close_batch(g, 0, g->waiting);
        learn_span(g, g->edges.work - before, g->waiting);
    }
    for (unsigned i = 0; i < g->waiting; i++) {
        uint32_t *label = label_of(g, &g->goals[i]);
        if (label)
            *label = g->possible >> i & 1 ? IS : IS_NOT;
    }
    g->waiting = 0;
}

static void settle(struct hd_ucg *g, uint8_t *states, size_t n)
{
    answer(g);
    for (size_t i = 0; i < n; i++)
        if (states[i] >= WAITS)
            states[i] = g->possible >> (states[i] - WAITS) & 1 ? IS : IS_NOT;
}

/* Puts a goal that no label answers among those that wait. */
static uint8_t put_in(struct hd_ucg *g, const struct hd_goal *goal, uint8_t *states, size_t before)
{
    size_t threads = g->b->n_threads;
    uint32_t *cut = g->starts + g->waiting * threads;
    if (!start_goal(g, goal, cut))
        return IS_NOT;
    if (!admit(g, goal, cut)) {
        settle(g, states, before);
        memcpy(g->starts, cut, threads * sizeof *cut);
        admit(g, goal, g->starts);
    }
    g->goals[g->waiting] = *goal;
    return (uint8_t)(WAITS + g->waiting++);
}

void hd_ucg_ask(struct hd_ucg *g, const struct hd_goal *goals, size_t n, bool *possible)
{
    uint8_t states[HD_UCG_BATCH];
    hd_ucg_labels_limit(&g->labels, MAX_LABELS);
    for (size_t i = 0; i < n; i++) {
        bool excluded = is_excluded(g, &goals[i]);
        uint32_t *label = excluded ? NULL : label_of(g, &goals[i]);
        states[i] = excluded ? IS_NOT : label ? (uint8_t)*label : 0;
        g->shared += label && states[i] != 0;
        if (states[i])
            continue;
        states[i] = put_in(g, &goals[i], states, i);
        label = label_of(g, &goals[i]);
        if (label)
            *label = states[i];
    }
    settle(g, states, n);
    for (size_t i = 0; i < n; i++)
        possible[i] = states[i] == IS;
}

bool hd_ucg_possible(struct hd_ucg *g, const struct hd_goal *goal)
{
    bool possible;
    hd_ucg_ask(g, goal, 1, &possible);
    return possible;
}

void hd_ucg_deadline(struct hd_ucg *g, double deadline)
{
    g->deadline = deadline;
}

void hd_ucg_limit(struct hd_ucg *g, size_t levels)
{
    g->max_levels = levels;
}

uint64_t hd_ucg_shared(const struct hd_ucg *g)
{
    return g->shared;
}

uint64_t hd_ucg_graphs(const struct hd_ucg *g)
{
    return g->graphs;
}

/* ---- what the graph of one goal knows ---- */

/* The orders of one node that neither the base nor the node before it has. A graph of one goal has
 * no levels. */
static void list_orders(const struct hd_ucg *g, hd_tid u, uint32_t node, struct hd_vec *orders)
{
    hd_eid e = hd_ucg_node_event(g, u, node);
    const struct hd_ucg_cell *row = hd_ucg_row(g, u, node);
    const struct hd_ucg_cell *before = node ? hd_ucg_row(g, u, node - 1) : NULL;
    const uint32_t *base = hd_ucg_base_clock(g->b, e);
    for (hd_tid v = 0; v < g->b->n_threads; v++)
        if (v != u && row[v].all > base[v] && (!before || row[v].all > before[v].all))
            *(struct hd_ucg_order *)hd_vec_push(orders) =
                (struct hd_ucg_order){hd_ucg_base_event(g->b, v, row[v].all - 1), e};
}

bool hd_ucg_orders(struct hd_ucg *g, const struct hd_goal *goal, struct hd_vec *orders)
{
    orders->len = 0;
    g->possible = 0;
    g->goals[0] = *goal;
    if (!is_excluded(g, goal) && start_goal(g, goal, g->starts))
        close_batch(g, 0, 1);
    if (!g->possible)
        return false;
    for (hd_tid u = 0; u < g->b->n_threads; u++) {
        const struct hd_ucg_region *r = &g->regions[u];
        if (r->cut.all)
            *(struct hd_ucg_order *)hd_vec_push(orders) =
                (struct hd_ucg_order){hd_ucg_base_event(g->b, u, r->cut.all - 1), HD_EID_NONE};
        for (uint32_t node = 0; node < r->n; node++)
            list_orders(g, u, node, orders);
    }
    return true;
}

uint64_t hd_ucg_nodes(const struct hd_ucg *g)
{
    return g->nodes;
}
