/* said and rv as formulas over complete orders, each order written out: see naive.h. */
#include "naive.h"
#include "naive_int.h"

#include <string.h>

struct order {
    const struct nv_trace *t;
    int at[NV_MAX];              /* position of each event */
    int notifier[NV_MAX];        /* of a wait: the event that woke it in the trace, or -1 */
    bool before[NV_MAX][NV_MAX]; /* must happen before */
};

static int same_thread(const struct nv_trace *t, int i, int step)
{
    for (int j = i + step; j >= 0 && j < t->n; j += step)
        if (t->ev[j].thread == t->ev[i].thread)
            return j;
    return -1;
}

/* What has to be over before i is its thread's next event: the event before it, or its thread's
 * fork. */
static int predecessor(const struct nv_trace *t, int i)
{
    int before = same_thread(t, i, -1);
    for (int j = 0; j < t->n && before < 0; j++)
        if (t->ev[j].op == HD_OP_FORK && t->ev[j].obj == t->ev[i].thread)
            before = j;
    return before;
}

/* Formula (3): each stands between the neighbours of the other. */
static bool between_neighbours(const struct order *o, int a, int b)
{
    int before = predecessor(o->t, a), after = same_thread(o->t, a, 1);
    return (before < 0 || o->at[before] < o->at[b]) && (after < 0 || o->at[b] < o->at[after]);
}

static int last_write(const struct order *o, int read)
{
    int found = -1;
    for (int w = 0; w < o->t->n; w++)
        if (w != read && nv_writes(o->t->ev[w].op) && o->t->ev[w].obj == o->t->ev[read].obj &&
            o->at[w] < o->at[read] && (found < 0 || o->at[w] > o->at[found]))
            found = w;
    return found;
}

/* Concretely feasible: the last write before has the value, and all reads before that write (an
 * rmw's own among them) are concretely feasible. */
static bool feasible(const struct order *o, int read)
{
    const struct nv_trace *t = o->t;
    int w = last_write(o, read);
    if (w < 0)
        return nv_initial(t, t->ev[read].obj) == t->ev[read].value &&
               t->ev[read].value != NV_UNKNOWN;
    uint64_t value = t->ev[w].op == HD_OP_RMW ? t->ev[w].new_value : t->ev[w].value;
    if (value != t->ev[read].value)
        return false;
    for (int r = 0; r <= w; r++)
        if (t->ev[r].thread == t->ev[w].thread && nv_reads(t->ev[r].op) && !feasible(o, r))
            return false;
    return true;
}

static bool is_branch(const struct nv_trace *t, int i)
{
    const struct nv_event *e = &t->ev[i];
    return t->control_all || e->op == HD_OP_BRANCH ||
           (nv_access(e->op) && e->addr_given && e->addr);
}

static bool guards_feasible(const struct order *o, int e)
{
    const struct nv_trace *t = o->t;
    for (int u = 0; u < t->threads; u++) {
        int branch = -1;
        for (int i = 0; i < t->n; i++)
            if (t->ev[i].thread == u && is_branch(t, i) && (i == e || o->before[i][e]))
                branch = i;
        for (int r = 0; r < branch; r++)
            if (t->ev[r].thread == u && nv_reads(t->ev[r].op) && !feasible(o, r))
                return false;
    }
    return true;
}

static void judge_order(struct order *o, const struct nv_run *r, struct nv_pairs *said,
                        struct nv_pairs *rv)
{
    const struct nv_trace *t = o->t;
    uint64_t held;
    uint32_t stale = nv_memory(t, r, 0, &held);
    for (int k = 0; k < r->n; k++)
        o->at[r->event[k]] = k;
    for (int a = 0; a < t->n; a++)
        for (int b = a + 1; b < t->n; b++) {
            if (!nv_conflict(&t->ev[a], &t->ev[b]))
                continue;
            int distance = o->at[a] - o->at[b];
            if (said && !stale && between_neighbours(o, a, b) && between_neighbours(o, b, a))
                said->race[a][b] = true;
            if (rv && (distance == 1 || distance == -1) && guards_feasible(o, a) &&
                guards_feasible(o, b))
                rv->race[a][b] = true;
        }
}

/* May this notification run with exactly its recorded effect? */
static bool as_recorded(const struct order *o, const struct nv_run *r, int i)
{
    const struct nv_event *e = &o->t->ev[i];
    int own = 0, others = 0, recorded = 0;
    for (int u = 0; u < o->t->threads; u++)
        if (nv_waiting(o->t, r, u, e->obj))
            *(o->notifier[nv_last(o->t, r, u)] == i ? &own : &others) += 1;
    for (int w = 0; w < o->t->n; w++)
        recorded += o->notifier[w] == i;
    if (e->op == HD_OP_BCAST || !recorded)
        return own == recorded && !others;
    return own == recorded;
}

/* All complete orders after r; recorded: notifications as in the trace. */
static void all_orders(struct order *o, struct nv_run *r, bool recorded, struct nv_pairs *said,
                       struct nv_pairs *rv)
{
    const struct nv_trace *t = o->t;
    if (r->n == t->n)
        judge_order(o, r, said, rv);
    for (int i = 0; i < t->n; i++) {
        enum hd_op op = t->ev[i].op;
        if (!nv_possible(t, r, i, 0))
            continue;
        if (recorded && (op == HD_OP_SIG || op == HD_OP_BCAST) && !as_recorded(o, r, i))
            continue;
        bool waiters = false;
        for (int u = 0; u <= t->threads; u++) {
            bool waits = u < t->threads && op == HD_OP_SIG && nv_waiting(t, r, u, t->ev[i].obj);
            waiters = waiters || waits;
            if (!waits && (u < t->threads || waiters))
                continue;
            if (waits && recorded && o->notifier[nv_last(t, r, u)] != i)
                continue;
            r->event[r->n] = i;
            r->woken[r->n++] = waits ? u : -1;
            all_orders(o, r, recorded, said, rv);
            r->n--;
        }
    }
}

/* Who woke whom along the trace, given the choice at each sig. */
static void find_notifiers(struct order *o, const int *woken)
{
    const struct nv_trace *t = o->t;
    struct nv_run r = {0};
    for (int i = 0; i < t->n; i++)
        o->notifier[i] = -1;
    for (int i = 0; i < t->n; i++) {
        for (int u = 0; u < t->threads; u++)
            if (((t->ev[i].op == HD_OP_SIG && woken[i] == u) || t->ev[i].op == HD_OP_BCAST) &&
                nv_waiting(t, &r, u, t->ev[i].obj))
                o->notifier[nv_last(t, &r, u)] = i;
        r.event[r.n] = i;
        r.woken[r.n++] = woken[i];
    }
}

static bool ordered(const struct order *o, int i, int j)
{
    const struct nv_event *e = &o->t->ev[i], *f = &o->t->ev[j];
    if (e->thread == f->thread)
        return i < j;
    if (e->op == HD_OP_FORK && e->obj == f->thread)
        return true;
    if (f->op == HD_OP_JOIN && f->obj == e->thread)
        return true;
    return f->op == HD_OP_WAKE && o->notifier[same_thread(o->t, j, -1)] == i;
}

void nv_published(const struct nv_trace *t, const int *woken, struct nv_pairs *said,
                  struct nv_pairs *rv)
{
    struct order o = {.t = t};
    struct nv_run r = {0};
    memset(said, 0, sizeof *said);
    memset(rv, 0, sizeof *rv);
    find_notifiers(&o, woken);
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->n; j++)
            o.before[i][j] = i != j && ordered(&o, i, j);
    for (int k = 0; k < t->n; k++)
        for (int i = 0; i < t->n; i++)
            for (int j = 0; j < t->n; j++)
                o.before[i][j] = o.before[i][j] || (o.before[i][k] && o.before[k][j]);
    all_orders(&o, &r, false, said, NULL);
    all_orders(&o, &r, true, NULL, rv);
}
