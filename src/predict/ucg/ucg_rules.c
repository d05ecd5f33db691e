/* What orders, locks and waits add to a causality graph, to the fixpoint. */
#include "predict/ucg/ucg_int.h"

#include "base/interrupt.h"
#include "base/progress.h"

#include <string.h>

/* ---- looking at the graph ---- */

/* The row of the last node of the thread at or before a position, or NULL. */
static const struct hd_ucg_cell *row_before(const struct hd_ucg *g, hd_tid u, uint32_t pos)
{
    const struct hd_ucg_region *r = &g->regions[u];
    if (!r->n || pos < g->b->sync[r->first])
        return NULL;
    uint32_t i = hd_ucg_base_sync_from(g->b, u, pos + 1) - r->first;
    return hd_ucg_row(g, u, (i < r->n ? i : r->n) - 1);
}

static uint32_t base_known(const struct hd_ucg *g, hd_eid e, hd_tid v)
{
    return v == g->b->t->thread[e] ? 0 : hd_ucg_base_clock(g->b, e)[v];
}

/* A question that has an answer for each property: that of the one in hand. */
static bool ask(struct hd_ucg *g, uint64_t yes)
{
    bool answer = yes >> g->one & 1;
    g->same &= answer ? yes : ~yes;
    return answer;
}

/* How many events of v come before e. */
static uint32_t known(struct hd_ucg *g, hd_eid e, hd_tid v)
{
    const struct hd_trace *t = g->b->t;
    const struct hd_ucg_cell *row = row_before(g, t->thread[e], t->pos[e]);
    uint32_t base = base_known(g, e, v);
    if (!row || !ask(g, hd_ucg_edges_above(&g->edges, row[v], base, g->same)))
        return base;
    return hd_ucg_edges_count(&g->edges, row[v], g->one, &g->same);
}

/* Those of the properties for which event f comes before e. */
static uint64_t known_before(const struct hd_ucg *g, hd_eid f, hd_eid e, uint64_t of)
{
    const struct hd_trace *t = g->b->t;
    hd_tid v = t->thread[f];
    if (base_known(g, e, v) > t->pos[f])
        return of;
    const struct hd_ucg_cell *row = row_before(g, t->thread[e], t->pos[e]);
    return row ? hd_ucg_edges_above(&g->edges, row[v], t->pos[f], of) : 0;
}

static bool is_before(struct hd_ucg *g, hd_eid f, hd_eid e)
{
    return ask(g, known_before(g, f, e, g->same));
}

/* Those of the properties that do not allow the first `count` events of u. */
static uint64_t beyond_limit(const struct hd_ucg *g, hd_tid u, uint32_t count)
{
    const struct hd_ucg_region *r = &g->regions[u];
    uint64_t beyond = 0;
    for (size_t i = 0; count > r->low_limit && i < r->limits.len; i++) {
        const struct hd_ucg_part *limit = hd_vec_at(&r->limits, i);
        if (count > limit->count)
            beyond |= limit->of;
    }
    return beyond;
}

static bool may_run(struct hd_ucg *g, hd_eid e)
{
    return !ask(g, beyond_limit(g, g->b->t->thread[e], g->b->t->pos[e] + 1));
}

static void kill(struct hd_ucg *g, uint64_t of)
{
    g->edges.alive &= ~of;
}

/* Those of the properties for which the event at this position runs. */
static uint64_t runs(const struct hd_ucg *g, hd_tid u, uint32_t pos)
{
    return hd_ucg_edges_above(&g->edges, g->regions[u].cut, pos, g->edges.alive);
}

/* ---- adding to it ---- */

static void join(struct hd_ucg *g, struct hd_ucg_cell *into, const struct hd_ucg_cell *from,
                 hd_tid skip, uint64_t of)
{
    g->edges.work += g->b->n_threads;
    for (size_t v = 0; v < g->b->n_threads; v++)
        if (v != skip && (from[v].all > into[v].all || from[v].more))
            g->changed |= hd_ucg_edges_raise_cell(&g->edges, &into[v], from[v], of);
}

/* Event e comes before the holder of the row, and with it all that comes before e. */
static void add_order(struct hd_ucg *g, struct hd_ucg_cell *into, hd_eid e, uint64_t of)
{
    const struct hd_trace *t = g->b->t;
    hd_tid u = t->thread[e];
    const struct hd_ucg_cell *row = row_before(g, u, t->pos[e]);
    const uint32_t *clock = hd_ucg_base_clock(g->b, e);
    g->edges.work += g->b->n_threads;
    for (size_t v = 0; v < g->b->n_threads; v++)
        if (v != u)
            g->changed |= hd_ucg_raise(&g->edges, &into[v], clock[v], of);
    if (row)
        join(g, into, row, u, of);
    g->changed |= hd_ucg_raise(&g->edges, &into[u], t->pos[e] + 1, of);
}

void hd_ucg_extend(struct hd_ucg *g, hd_tid u)
{
    struct hd_ucg_region *r = &g->regions[u];
    size_t threads = g->b->n_threads;
    uint32_t n = hd_ucg_base_sync_from(g->b, u, r->reach) - r->first;
    if (!g->built || r->reach <= r->barrier || n <= r->n)
        return;
    hd_vec_reserve(&r->rows, n * threads);
    r->rows.len = n * threads;
    g->nodes += n - r->n;
    while (r->n < n) {
        struct hd_ucg_cell *row = hd_ucg_row(g, u, r->n);
        const uint32_t *clock = hd_ucg_base_clock(g->b, hd_ucg_node_event(g, u, r->n));
        for (size_t v = 0; v < threads; v++)
            row[v] = (struct hd_ucg_cell){.all = v == u ? 0 : clock[v]};
        r->n++;
    }
}

void hd_ucg_run_at_least(struct hd_ucg *g, hd_tid u, uint32_t count, uint64_t of)
{
    struct hd_ucg_region *r = &g->regions[u];
    if (count <= r->cut.all)
        return;
    uint64_t beyond = beyond_limit(g, u, count);
    kill(g, of & beyond);
    if (!hd_ucg_raise(&g->edges, &r->cut, count, of & ~beyond))
        return;
    g->changed = true;
    if (count > r->reach) {
        r->reach = count;
        hd_ucg_extend(g, u);
    }
}

static void run_row(struct hd_ucg *g, const struct hd_ucg_cell *row, hd_tid own, uint64_t of)
{
    struct hd_ucg_part parts[HD_UCG_BATCH];
    for (hd_tid v = 0; v < g->b->n_threads; v++) {
        if (v == own || (row[v].all <= g->regions[v].cut.all && !row[v].more))
            continue;
        size_t n = hd_ucg_edges_parts(&g->edges, row[v], of, parts);
        for (size_t i = 0; i < n; i++)
            hd_ucg_run_at_least(g, v, parts[i].count, parts[i].of);
    }
}

/* ---- locks ---- */

/* Of the sections of a user that exclude x and begin among its first `count` events, the end of the
 * last; HD_EID_NONE: one of them never ends. False: there is none. */
static bool last_end(const struct hd_ucg *g, const struct hd_lock_user *user,
                     const struct hd_section *x, uint32_t count, hd_eid *end)
{
    const struct hd_sections *s = g->b->sections;
    bool any = false;
    for (uint32_t i = hd_sections_begun(s, user, count); i > user->start; i--) {
        const struct hd_section *y = hd_section_at(s, s->order[i - 1]);
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

/* The sections of one user that must come before x, which begins at the holder of the row. */
static void after_user(struct hd_ucg *g, const struct hd_lock_user *user,
                       const struct hd_section *x, struct hd_ucg_cell *row)
{
    const struct hd_ucg_region *other = &g->regions[user->thread];
    bool stays = x->close == HD_EID_NONE || !may_run(g, x->close);
    hd_eid end = HD_EID_NONE;
    uint32_t count = stays ? UINT32_MAX : known(g, x->close, user->thread);
    if (!ask(g, hd_ucg_edges_above(&g->edges, other->cut, count, g->same)))
        count = hd_ucg_edges_count(&g->edges, other->cut, g->one, &g->same);
    if (!last_end(g, user, x, count, &end))
        return;
    if (end == HD_EID_NONE || !may_run(g, end))
        kill(g, g->same);
    else
        add_order(g, row, end, g->same);
}

static void after_sections(struct hd_ucg *g, const struct hd_section *x, struct hd_ucg_cell *row,
                           uint64_t of)
{
    const struct hd_sections *s = g->b->sections;
    for (uint32_t i = s->user_start[x->lock]; i < s->user_start[x->lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        if (user->thread == x->thread || !g->regions[user->thread].reach)
            continue;
        for (uint64_t left = of & g->edges.alive; left; left &= ~g->same & g->edges.alive) {
            g->same = left;
            g->one = (unsigned)__builtin_ctzll(left);
            after_user(g, user, x, row);
        }
    }
}

/* ---- waits ---- */

/* Index of the user's first notifier that can come after the wait, or its end. */
static uint32_t first_notifier(struct hd_ucg *g, const struct hd_loc_user *user, hd_eid wait)
{
    return hd_accesses_write_from(g->b->conds, user, known(g, wait, user->thread));
}

/* Index after the user's last notifier that can come before the event e of another thread: it is
 * not known to come after e, and may run at all. */
static uint32_t end_notifier(struct hd_ucg *g, const struct hd_loc_user *user, hd_eid e)
{
    uint32_t lo = user->wstart, hi = user->wend;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        hd_eid notifier = g->b->conds->writes[mid];
        if (may_run(g, notifier) && !is_before(g, e, notifier))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Event e must be in the graph, as something that an order points at. */
static enum hd_ucg_outcome want_node(struct hd_ucg *g, hd_eid e)
{
    const struct hd_trace *t = g->b->t;
    struct hd_ucg_region *r = &g->regions[t->thread[e]];
    if (t->pos[e] >= r->barrier)
        return HD_UCG_GOES_ON;
    r->bound = t->pos[e];
    return HD_UCG_CHOPPED_TOO_MUCH;
}

/* `from` comes before the notifier, where that is known to run. */
static enum hd_ucg_outcome order_before(struct hd_ucg *g, hd_eid from, hd_eid notifier)
{
    const struct hd_trace *t = g->b->t;
    hd_tid v = t->thread[notifier];
    enum hd_ucg_outcome outcome = want_node(g, notifier);
    uint64_t of = g->same & runs(g, v, t->pos[notifier]);
    if (outcome == HD_UCG_GOES_ON && of) {
        uint32_t node = hd_ucg_base_sync_from(g->b, v, t->pos[notifier]) - g->regions[v].first;
        add_order(g, hd_ucg_row(g, v, node), from, of);
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
static enum hd_ucg_outcome after_notifier(struct hd_ucg *g, hd_eid wake, hd_tid u, uint32_t node)
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
        enum hd_ucg_outcome outcome = want_node(g, first);
        if (outcome != HD_UCG_GOES_ON)
            return outcome;
        meet(g, first, givers++ == 0);
        last = g->b->conds->writes[to - 1];
    }
    if (!givers) {
        kill(g, g->same);
        return HD_UCG_GOES_ON;
    }
    for (hd_tid v = 0; v < g->b->n_threads; v++)
        if (v != u)
            g->changed |= hd_ucg_raise(&g->edges, &hd_ucg_row(g, u, node)[v], g->low[v], g->same);
    return givers == 1 ? order_before(g, wait, last) : HD_UCG_GOES_ON;
}

/* The same with the notifier of the observed run. */
static enum hd_ucg_outcome after_recorded(struct hd_ucg *g, hd_eid wake, hd_tid u, uint32_t node)
{
    const struct hd_trace *t = g->b->t;
    hd_eid by = g->b->notifier[wake];
    if (by == HD_EID_NONE)
        return HD_UCG_GOES_ON;
    if (!may_run(g, by)) {
        kill(g, g->same);
        return HD_UCG_GOES_ON;
    }
    enum hd_ucg_outcome outcome = want_node(g, by);
    if (outcome != HD_UCG_GOES_ON)
        return outcome;
    add_order(g, hd_ucg_row(g, u, node), by, g->same);
    hd_ucg_run_at_least(g, t->thread[by], t->pos[by] + 1, g->same);
    return order_before(g, hd_trace_back(t, wake, 1), by);
}

/* Whether a time-out of another thread excludes this notifier from its wait: a sig may choose
 * another thread if there is one. */
static bool notifies_all(const struct hd_ucg *g, hd_eid notifier)
{
    const struct hd_trace *t = g->b->t;
    return t->op[notifier] == HD_OP_BCAST || g->b->few_waiters[t->obj[notifier]];
}

/* The node is a time-out: a notifier that comes before it comes before its wait, one that comes
 * after the wait comes after it. */
static enum hd_ucg_outcome without_notifier(struct hd_ucg *g, hd_eid tmo, hd_tid u, uint32_t node)
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
            add_order(g, hd_ucg_row(g, u, node - 1), conds->writes[to - 1], g->same);
        uint32_t from = end_notifier(g, &users[i], wait);
        while (from < users[i].wend && !notifies_all(g, conds->writes[from]))
            from++;
        if (from < users[i].wend && is_before(g, wait, conds->writes[from])) {
            enum hd_ucg_outcome outcome = order_before(g, tmo, conds->writes[from]);
            if (outcome != HD_UCG_GOES_ON)
                return outcome;
        }
    }
    return HD_UCG_GOES_ON;
}

static enum hd_ucg_outcome end_wait(struct hd_ucg *g, hd_eid e, hd_tid u, uint32_t node,
                                    uint64_t of)
{
    enum hd_ucg_outcome outcome = HD_UCG_GOES_ON;
    for (; of && outcome == HD_UCG_GOES_ON; of &= ~g->same & g->edges.alive) {
        g->same = of;
        g->one = (unsigned)__builtin_ctzll(of);
        outcome = g->b->t->op[e] == HD_OP_TMO ? without_notifier(g, e, u, node)
                  : g->b->notifier            ? after_recorded(g, e, u, node)
                                              : after_notifier(g, e, u, node);
    }
    return outcome;
}

/* ---- the fixpoint ---- */

/* What comes before the events that come before the node. */
static void follow_edges(struct hd_ucg *g, hd_tid u, uint32_t node, uint64_t of)
{
    struct hd_ucg_cell *row = hd_ucg_row(g, u, node);
    struct hd_ucg_part parts[HD_UCG_BATCH];
    for (hd_tid v = 0; v < g->b->n_threads; v++) {
        if (v == u || (row[v].all <= g->regions[v].barrier && !row[v].more))
            continue;
        size_t n = hd_ucg_edges_parts(&g->edges, row[v], of, parts);
        for (size_t i = 0; i < n; i++)
            if (parts[i].count > g->regions[v].barrier)
                add_order(g, row, hd_ucg_base_event(g->b, v, parts[i].count - 1), parts[i].of);
    }
}

static enum hd_ucg_outcome visit_node(struct hd_ucg *g, hd_tid u, uint32_t node)
{
    const struct hd_trace *t = g->b->t;
    hd_eid e = hd_ucg_node_event(g, u, node);
    struct hd_ucg_cell *row = hd_ucg_row(g, u, node);
    if (node)
        join(g, row, hd_ucg_row(g, u, node - 1), HD_MAX_THREADS, g->edges.alive);
    uint64_t of = runs(g, u, t->pos[e]);
    if (!of)
        return HD_UCG_GOES_ON;
    follow_edges(g, u, node, of);
    kill(g, hd_ucg_edges_above(&g->edges, row[u], t->pos[e], of));
    run_row(g, row, u, of & g->edges.alive);
    enum hd_ucg_outcome outcome = HD_UCG_GOES_ON;
    if (t->op[e] == HD_OP_WAKE || t->op[e] == HD_OP_TMO)
        outcome = end_wait(g, e, u, node, of & g->edges.alive);
    uint32_t id = hd_section_of(g->b->sections, e);
    if (outcome == HD_UCG_GOES_ON && id != HD_SECTION_NONE &&
        hd_section_at(g->b->sections, id)->open == e)
        after_sections(g, hd_section_at(g->b->sections, id), row, of);
    return outcome;
}

/* The thread's last event of the cut needs all that comes before it; and so does its stop. */
static void visit_end(struct hd_ucg *g, hd_tid u)
{
    const struct hd_ucg_region *r = &g->regions[u];
    struct hd_ucg_part parts[HD_UCG_BATCH];
    size_t n = hd_ucg_edges_parts(&g->edges, r->cut, g->edges.alive, parts);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].count <= r->barrier)
            continue;
        hd_eid last = hd_ucg_base_event(g->b, u, parts[i].count - 1);
        const uint32_t *clock = hd_ucg_base_clock(g->b, last);
        const struct hd_ucg_cell *row = row_before(g, u, parts[i].count - 1);
        for (hd_tid v = 0; v < g->b->n_threads; v++)
            if (v != u)
                hd_ucg_run_at_least(g, v, clock[v], parts[i].of);
        if (row)
            run_row(g, row, u, parts[i].of & g->edges.alive);
    }
}

/* `first` comes before `then`, and so before the thread's next synchronisation. */
static void visit_goal(struct hd_ucg *g, unsigned property)
{
    const struct hd_trace *t = g->b->t;
    hd_eid first = g->goals[g->from + property].first, then = g->goals[g->from + property].then;
    uint64_t of = UINT64_C(1) << property & g->edges.alive;
    if (then == HD_EID_NONE || !of)
        return;
    hd_tid v = t->thread[then];
    kill(g, known_before(g, then, first, of));
    uint32_t node = hd_ucg_base_sync_from(g->b, v, t->pos[then]) - g->regions[v].first;
    if (node < g->regions[v].n)
        add_order(g, hd_ucg_row(g, v, node), first,
                  of & runs(g, v, g->b->sync[g->regions[v].first + node]));
}

/* Looked at now and then: a large graph takes seconds. */
static bool late(struct hd_ucg *g)
{
    enum { OFTEN = 1024 };
    return ++g->visits % OFTEN == 0 &&
           (hd_interrupt_requested() || (g->deadline != 0 && hd_progress_now() >= g->deadline));
}

enum hd_ucg_outcome hd_ucg_close(struct hd_ucg *g)
{
    enum hd_ucg_outcome outcome = HD_UCG_GOES_ON;
    do {
        g->changed = false;
        for (unsigned p = 0; p < g->n_goals; p++)
            visit_goal(g, p);
        for (hd_tid u = 0; u < g->b->n_threads && g->edges.alive; u++) {
            for (uint32_t node = 0; node < g->regions[u].n && outcome == HD_UCG_GOES_ON; node++) {
                if (late(g))
                    return HD_UCG_GOES_ON;
                outcome = visit_node(g, u, node);
            }
            if (outcome != HD_UCG_GOES_ON)
                return outcome;
            visit_end(g, u);
        }
        if (g->n_goals > 1 && g->edges.levels.len > g->max_levels)
            return HD_UCG_TOO_LARGE;
    } while (g->changed && g->edges.alive);
    return HD_UCG_GOES_ON;
}
