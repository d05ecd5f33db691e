#include "predict/ucg.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "predict/ucg_labels.h"

#include <string.h>

/* The events of one thread that the graph has: its synchronisation events from the barrier to the
 * cut. A row is a clock: how many events of each thread come before. */
struct region {
    uint32_t barrier; /* events before it are not in the graph */
    uint32_t bound;   /* the barrier is not beyond this */
    uint32_t cut;     /* events that run in every schedule with the property */
    uint32_t limit;   /* events that may run; the position of the stop, if there is one */
    uint32_t first;   /* index of the first node in base->sync */
    uint32_t n;       /* nodes */
    bool parked;      /* it has a stop */
    struct hd_u32vec rows;
};

enum outcome { GOES_ON, IMPOSSIBLE, CHOPPED_TOO_MUCH };

struct hd_ucg {
    const struct hd_ucg_base *b;
    bool chop;
    struct hd_goal goal;
    struct region *regions; /* by thread */
    uint32_t *low;          /* scratch: a row */
    bool built;             /* the regions have their nodes */
    bool changed;
    struct hd_ucg_labels labels;
    uint64_t nodes, shared;
};

struct hd_ucg *hd_ucg_new(const struct hd_ucg_base *base, bool chop)
{
    struct hd_ucg *g = hd_calloc(1, sizeof *g);
    g->b = base;
    g->chop = chop;
    g->regions = hd_calloc(base->n_threads, sizeof *g->regions);
    g->low = hd_calloc(base->n_threads, sizeof *g->low);
    return g;
}

void hd_ucg_free(struct hd_ucg *g)
{
    if (!g)
        return;
    for (size_t u = 0; u < g->b->n_threads; u++)
        hd_u32vec_fini(&g->regions[u].rows);
    hd_free(g->regions, g->b->n_threads * sizeof *g->regions);
    hd_free(g->low, g->b->n_threads * sizeof *g->low);
    hd_ucg_labels_fini(&g->labels);
    hd_free(g, sizeof *g);
}

/* ---- clocks ---- */

static uint32_t *row_at(const struct hd_ucg *g, hd_tid u, uint32_t node)
{
    return g->regions[u].rows.data + (size_t)node * g->b->n_threads;
}

static hd_eid node_event(const struct hd_ucg *g, hd_tid u, uint32_t node)
{
    return hd_ucg_base_event(g->b, u, g->b->sync[g->regions[u].first + node]);
}

/* The row of the last node of the thread at or before a position, or NULL. */
static const uint32_t *row_before(const struct hd_ucg *g, hd_tid u, uint32_t pos)
{
    const struct region *r = &g->regions[u];
    if (!r->n || pos < g->b->sync[r->first])
        return NULL;
    uint32_t i = hd_ucg_sync_from(g->b, u, pos + 1) - r->first;
    return row_at(g, u, (i < r->n ? i : r->n) - 1);
}

/* How many events of v come before e. */
static uint32_t known(const struct hd_ucg *g, hd_eid e, hd_tid v)
{
    const struct hd_trace *t = g->b->t;
    const uint32_t *row = row_before(g, t->thread[e], t->pos[e]);
    uint32_t base = v == t->thread[e] ? 0 : hd_ucg_base_clock(g->b, e)[v];
    return row && row[v] > base ? row[v] : base;
}

static bool join(uint32_t *into, const uint32_t *from, size_t n, hd_tid skip)
{
    bool changed = false;
    for (size_t v = 0; v < n; v++)
        if (from[v] > into[v] && v != skip) {
            into[v] = from[v];
            changed = true;
        }
    return changed;
}

/* Event e comes before the holder of the row, and with it all that comes before e. */
static bool join_event(const struct hd_ucg *g, uint32_t *into, hd_eid e)
{
    const struct hd_trace *t = g->b->t;
    hd_tid u = t->thread[e];
    const uint32_t *row = row_before(g, u, t->pos[e]);
    bool changed = join(into, hd_ucg_base_clock(g->b, e), g->b->n_threads, u);
    if (row)
        changed |= join(into, row, g->b->n_threads, u);
    if (into[u] <= t->pos[e]) {
        into[u] = t->pos[e] + 1;
        changed = true;
    }
    return changed;
}

static void add_order(struct hd_ucg *g, uint32_t *into, hd_eid e)
{
    g->changed |= join_event(g, into, e);
}

/* ---- what runs ---- */

/* Gives the new nodes below the cut their rows. */
static void extend(struct hd_ucg *g, hd_tid u)
{
    struct region *r = &g->regions[u];
    size_t threads = g->b->n_threads;
    uint32_t n = hd_ucg_sync_from(g->b, u, r->cut) - r->first;
    if (!g->built || r->cut <= r->barrier || n <= r->n)
        return;
    hd_u32vec_reserve(&r->rows, n * threads);
    r->rows.len = n * threads;
    g->nodes += n - r->n;
    while (r->n < n) {
        uint32_t *row = row_at(g, u, r->n);
        memcpy(row, hd_ucg_base_clock(g->b, node_event(g, u, r->n)), threads * sizeof *row);
        row[u] = 0;
        r->n++;
    }
}

/* At least `count` events of u run. */
static bool raise(struct hd_ucg *g, hd_tid u, uint32_t count)
{
    struct region *r = &g->regions[u];
    if (count > r->limit)
        return false;
    if (count > r->cut) {
        r->cut = count;
        g->changed = true;
        extend(g, u);
    }
    return true;
}

static bool raise_all(struct hd_ucg *g, const uint32_t *row, hd_tid own)
{
    for (hd_tid v = 0; v < g->b->n_threads; v++)
        if (v != own && !raise(g, v, row[v]))
            return false;
    return true;
}

/* ---- locks ---- */

/* Of the sections of a user that exclude x and begin among its first `count` events, the end of the
 * last; HD_EID_NONE: one of them never ends. False: there is none. */
static bool last_end(const struct hd_ucg *g, const struct hd_lock_user *user,
                     const struct hd_section *x, uint32_t count, hd_eid *end)
{
    const struct hd_sections *s = g->b->sections;
    const struct hd_trace *t = g->b->t;
    uint32_t lo = user->start, hi = user->end;
    bool any = false;
    while (lo < hi) { /* the first that begins too late */
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->pos[hd_section_at(s, s->order[mid])->open] < count)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo > user->start; lo--) {
        const struct hd_section *y = hd_section_at(s, s->order[lo - 1]);
        if (!hd_section_excludes(x, y))
            continue;
        if (!any || y->close == HD_EID_NONE || (*end != HD_EID_NONE && y->close > *end))
            *end = y->close;
        any = true;
        if (!s->mixed[x->lock]) /* else an earlier one may end later */
            break;
    }
    return any;
}

/* The node opens section x: the sections that must come before it. */
static enum outcome after_sections(struct hd_ucg *g, const struct hd_section *x, uint32_t *row)
{
    const struct hd_sections *s = g->b->sections;
    const struct hd_trace *t = g->b->t;
    bool stays = x->close == HD_EID_NONE || t->pos[x->close] >= g->regions[x->thread].limit;
    for (uint32_t i = s->user_start[x->lock]; i < s->user_start[x->lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        const struct region *other = &g->regions[user->thread];
        hd_eid end = HD_EID_NONE;
        if (user->thread == x->thread)
            continue;
        uint32_t count = stays ? other->cut : known(g, x->close, user->thread);
        if (count > other->cut)
            count = other->cut;
        if (!last_end(g, user, x, count, &end))
            continue;
        if (end == HD_EID_NONE || t->pos[end] >= other->limit)
            return IMPOSSIBLE;
        add_order(g, row, end);
    }
    return GOES_ON;
}

/* ---- waits ---- */

/* Index of the user's first notifier that can come after the wait, or its end. */
static uint32_t first_notifier(const struct hd_ucg *g, const struct hd_loc_user *user, hd_eid wait)
{
    return hd_accesses_write_from(g->b->conds, user, known(g, wait, user->thread));
}

/* Index after the user's last notifier that can come before the event e of another thread: it is
 * not known to come after e, and may run at all. */
static uint32_t end_notifier(const struct hd_ucg *g, const struct hd_loc_user *user, hd_eid e)
{
    const struct hd_trace *t = g->b->t;
    const struct region *r = &g->regions[user->thread];
    uint32_t lo = user->wstart;
    uint32_t hi = hd_accesses_write_from(g->b->conds, user, r->limit);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (known(g, g->b->conds->writes[mid], t->thread[e]) <= t->pos[e])
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Event e must be in the graph, as something that an order points at. */
static enum outcome want_node(struct hd_ucg *g, hd_eid e)
{
    const struct hd_trace *t = g->b->t;
    struct region *r = &g->regions[t->thread[e]];
    if (t->pos[e] >= r->barrier)
        return GOES_ON;
    r->bound = t->pos[e];
    return CHOPPED_TOO_MUCH;
}

/* `from` comes before the notifier, if that is known to run. */
static enum outcome order_before(struct hd_ucg *g, hd_eid from, hd_eid notifier)
{
    const struct hd_trace *t = g->b->t;
    hd_tid v = t->thread[notifier];
    enum outcome outcome = want_node(g, notifier);
    if (outcome == GOES_ON && t->pos[notifier] < g->regions[v].cut) {
        uint32_t node = hd_ucg_sync_from(g->b, v, t->pos[notifier]) - g->regions[v].first;
        add_order(g, row_at(g, v, node), from);
    }
    return outcome;
}

/* Lowers g->low to what comes before e. */
static void meet(struct hd_ucg *g, hd_eid e, bool first)
{
    const struct hd_trace *t = g->b->t;
    for (hd_tid v = 0; v < g->b->n_threads; v++) {
        uint32_t count = v == t->thread[e] ? t->pos[e] + 1 : known(g, e, v);
        if (first || count < g->low[v])
            g->low[v] = count;
    }
}

/* The node is a wake: one of the notifiers that are left came between the wait and it. */
static enum outcome after_notifier(struct hd_ucg *g, hd_eid wake, hd_tid u, uint32_t node)
{
    const struct hd_trace *t = g->b->t;
    hd_eid wait = hd_trace_back(t, wake, 1), last = HD_EID_NONE;
    size_t n, givers = 0;
    const struct hd_loc_user *users = hd_accesses_users(g->b->conds, t->obj[wake], &n);
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread == u)
            continue;
        uint32_t from = first_notifier(g, &users[i], wait), to = end_notifier(g, &users[i], wake);
        if (from >= to)
            continue;
        hd_eid first = g->b->conds->writes[from];
        enum outcome outcome = want_node(g, first);
        if (outcome != GOES_ON)
            return outcome;
        meet(g, first, givers++ == 0);
        last = g->b->conds->writes[to - 1];
    }
    if (!givers)
        return IMPOSSIBLE;
    g->changed |= join(row_at(g, u, node), g->low, g->b->n_threads, u);
    return givers == 1 ? order_before(g, wait, last) : GOES_ON;
}

/* The same with the notifier of the observed run. */
static enum outcome after_recorded(struct hd_ucg *g, hd_eid wake, hd_tid u, uint32_t node)
{
    const struct hd_trace *t = g->b->t;
    hd_eid by = g->b->notifier[wake];
    if (by == HD_EID_NONE)
        return GOES_ON;
    if (t->pos[by] >= g->regions[t->thread[by]].limit)
        return IMPOSSIBLE;
    enum outcome outcome = want_node(g, by);
    if (outcome != GOES_ON)
        return outcome;
    add_order(g, row_at(g, u, node), by);
    return raise(g, t->thread[by], t->pos[by] + 1) ? order_before(g, hd_trace_back(t, wake, 1), by)
                                                   : IMPOSSIBLE;
}

/* Whether a time-out of another thread excludes this notifier from its wait: a sig may choose
 * somebody else if there is anybody else. */
static bool notifies_all(const struct hd_ucg *g, hd_eid notifier)
{
    const struct hd_trace *t = g->b->t;
    return t->op[notifier] == HD_OP_BCAST || g->b->few_waiters[t->obj[notifier]];
}

/* The node is a time-out: a notifier that comes before it comes before its wait, one that comes
 * after the wait comes after it. */
static enum outcome without_notifier(struct hd_ucg *g, hd_eid tmo, hd_tid u, uint32_t node)
{
    const struct hd_trace *t = g->b->t;
    const struct hd_accesses *conds = g->b->conds;
    hd_eid wait = hd_trace_back(t, tmo, 1);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(conds, t->obj[tmo], &n);
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread == u)
            continue;
        uint32_t to = hd_accesses_write_from(conds, &users[i], known(g, tmo, users[i].thread));
        while (to > users[i].wstart && !notifies_all(g, conds->writes[to - 1]))
            to--;
        if (to > users[i].wstart)
            add_order(g, row_at(g, u, node - 1), conds->writes[to - 1]);
        uint32_t from = end_notifier(g, &users[i], wait);
        while (from < users[i].wend && !notifies_all(g, conds->writes[from]))
            from++;
        if (from < users[i].wend && known(g, conds->writes[from], u) > t->pos[wait]) {
            enum outcome outcome = order_before(g, tmo, conds->writes[from]);
            if (outcome != GOES_ON)
                return outcome;
        }
    }
    return GOES_ON;
}

/* ---- the fixpoint ---- */

static enum outcome visit_node(struct hd_ucg *g, hd_tid u, uint32_t node)
{
    const struct hd_trace *t = g->b->t;
    size_t threads = g->b->n_threads;
    hd_eid e = node_event(g, u, node);
    if (node)
        g->changed |= join(row_at(g, u, node), row_at(g, u, node - 1), threads, HD_MAX_THREADS);
    for (hd_tid v = 0; v < threads; v++) {
        uint32_t count = row_at(g, u, node)[v];
        if (v != u && count > g->regions[v].barrier)
            add_order(g, row_at(g, u, node), hd_ucg_base_event(g->b, v, count - 1));
    }
    if (row_at(g, u, node)[u] > t->pos[e] || !raise_all(g, row_at(g, u, node), u))
        return IMPOSSIBLE;
    enum outcome outcome = GOES_ON;
    if (t->op[e] == HD_OP_WAKE)
        outcome = g->b->notifier ? after_recorded(g, e, u, node) : after_notifier(g, e, u, node);
    else if (t->op[e] == HD_OP_TMO)
        outcome = without_notifier(g, e, u, node);
    uint32_t id = g->b->sections->of[e];
    if (outcome == GOES_ON && id != HD_SECTION_NONE && hd_section_at(g->b->sections, id)->open == e)
        outcome = after_sections(g, hd_section_at(g->b->sections, id), row_at(g, u, node));
    return outcome;
}

/* The thread's last event of the cut needs all that comes before it; and so does its stop. */
static bool visit_end(struct hd_ucg *g, hd_tid u)
{
    const struct region *r = &g->regions[u];
    if (r->cut <= r->barrier)
        return true;
    hd_eid last = hd_ucg_base_event(g->b, u, r->cut - 1);
    memset(g->low, 0, g->b->n_threads * sizeof *g->low);
    join_event(g, g->low, last);
    return raise_all(g, g->low, u);
}

/* `first` comes before `then`, and so before the thread's next synchronisation. */
static bool visit_goal(struct hd_ucg *g)
{
    const struct hd_trace *t = g->b->t;
    hd_eid first = g->goal.first, then = g->goal.then;
    if (then == HD_EID_NONE)
        return true;
    hd_tid v = t->thread[then];
    if (known(g, first, v) > t->pos[then])
        return false;
    uint32_t node = hd_ucg_sync_from(g->b, v, t->pos[then]) - g->regions[v].first;
    if (node < g->regions[v].n)
        add_order(g, row_at(g, v, node), first);
    return true;
}

static enum outcome close_graph(struct hd_ucg *g)
{
    do {
        g->changed = false;
        if (!visit_goal(g))
            return IMPOSSIBLE;
        for (hd_tid u = 0; u < g->b->n_threads; u++) {
            for (uint32_t node = 0; node < g->regions[u].n; node++) {
                enum outcome outcome = visit_node(g, u, node);
                if (outcome != GOES_ON)
                    return outcome;
            }
            if (!visit_end(g, u))
                return IMPOSSIBLE;
        }
    } while (g->changed);
    return GOES_ON;
}

/* ---- the beginning ---- */

/* Cuts and limits from the goal alone. False: contradiction. */
static bool start(struct hd_ucg *g, const struct hd_goal *goal)
{
    const struct hd_trace *t = g->b->t;
    g->goal = *goal;
    g->built = false;
    for (hd_tid u = 0; u < g->b->n_threads; u++) {
        struct region *r = &g->regions[u];
        size_t len;
        hd_trace_thread_events(t, u, &len);
        *r = (struct region){.limit = (uint32_t)len, .bound = UINT32_MAX, .rows = r->rows};
    }
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        struct region *r = &g->regions[t->thread[goal->stops[i]]];
        r->parked = true;
        r->cut = r->limit = t->pos[goal->stops[i]];
        for (uint32_t k = 0; k < i; k++)
            if (hd_sections_exclude(g->b->sections, goal->stops[i], goal->stops[k]))
                return false;
    }
    for (uint32_t i = 0; i < goal->n_stops; i++) {
        hd_eid needs = hd_goal_needs(t, goal, goal->stops[i]);
        if (needs != HD_EID_NONE && !raise_all(g, hd_ucg_base_clock(g->b, needs), t->thread[needs]))
            return false;
    }
    if (goal->then == HD_EID_NONE)
        return true;
    g->regions[t->thread[goal->then]].bound = t->pos[goal->then];
    g->regions[t->thread[goal->first]].bound = t->pos[goal->first];
    return raise(g, t->thread[goal->then], t->pos[goal->then] + 1) &&
           raise_all(g, hd_ucg_base_clock(g->b, goal->then), t->thread[goal->then]);
}

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
        struct region *r = &g->regions[u];
        r->barrier = !g->chop ? 0 : r->bound < r->cut ? r->bound : r->cut;
    }
    while (changed) {
        changed = false;
        for (hd_tid u = 0; u < threads; u++) {
            struct region *r = &g->regions[u];
            uint32_t count = hd_ucg_safe(g->b, u, r->barrier);
            for (hd_tid v = 0; v < threads && count; v++)
                if (v != u)
                    count = most_within(g, u, count, v, g->regions[v].barrier);
            changed |= count != r->barrier;
            r->barrier = count;
        }
    }
    g->built = true;
    for (hd_tid u = 0; u < threads; u++) {
        struct region *r = &g->regions[u];
        r->first = hd_ucg_sync_from(g->b, u, r->barrier);
        r->n = 0;
        r->rows.len = 0;
        extend(g, u);
    }
}

static bool make_graph(struct hd_ucg *g, const struct hd_goal *goal)
{
    if (!start(g, goal))
        return false;
    enum outcome outcome;
    do {
        find_barrier(g);
        outcome = close_graph(g);
    } while (outcome == CHOPPED_TOO_MUCH);
    return outcome == GOES_ON;
}

bool hd_ucg_possible(struct hd_ucg *g, const struct hd_goal *goal)
{
    enum { IS_NOT = 1, IS = 2 };
    uint32_t *answer = g->chop ? hd_ucg_label(&g->labels, g->b, goal) : NULL;
    if (!answer)
        return make_graph(g, goal);
    if (*answer)
        g->shared++;
    else
        *answer = make_graph(g, goal) ? IS : IS_NOT;
    return *answer == IS;
}

uint64_t hd_ucg_shared(const struct hd_ucg *g)
{
    return g->shared;
}

/* The orders of one node that neither the base nor the node before it has. */
static void list_orders(const struct hd_ucg *g, hd_tid u, uint32_t node, struct hd_vec *orders)
{
    hd_eid e = node_event(g, u, node);
    const uint32_t *row = row_at(g, u, node), *base = hd_ucg_base_clock(g->b, e);
    const uint32_t *before = node ? row_at(g, u, node - 1) : NULL;
    for (hd_tid v = 0; v < g->b->n_threads; v++)
        if (v != u && row[v] > base[v] && (!before || row[v] > before[v]))
            *(struct hd_ucg_order *)hd_vec_push(orders) =
                (struct hd_ucg_order){hd_ucg_base_event(g->b, v, row[v] - 1), e};
}

bool hd_ucg_orders(struct hd_ucg *g, const struct hd_goal *goal, struct hd_vec *orders)
{
    orders->len = 0;
    if (!make_graph(g, goal))
        return false;
    for (hd_tid u = 0; u < g->b->n_threads; u++) {
        const struct region *r = &g->regions[u];
        if (r->cut)
            *(struct hd_ucg_order *)hd_vec_push(orders) =
                (struct hd_ucg_order){hd_ucg_base_event(g->b, u, r->cut - 1), HD_EID_NONE};
        for (uint32_t node = 0; node < r->n; node++)
            list_orders(g, u, node, orders);
    }
    return true;
}

uint64_t hd_ucg_nodes(const struct hd_ucg *g)
{
    return g->nodes;
}
