#include "detect/filters/mhb.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/stop.h"
#include "base/vec.h"
#include "detect/edges.h"

#include <stdlib.h>
#include <string.h>

/* Rounds over the trace. Each uses the orders of the one before to rule out notifications and
 * posts; a round that adds nothing is the last. More than three rarely add anything, and stopping
 * early only leaves orders out. */
#define MAX_ROUNDS 4

/* A sem that may be served by posts of several threads in many ways is skipped: finding what all
 * ways share costs the number of posts for each thread. */
#define MAX_POSTS 64

/* Suppliers of one object, grouped by thread: notifications of a condition, posts or sems of a
 * semaphore. */
struct group {
    hd_tid thread;
    uint32_t first, n; /* positions in pos[] */
};

struct supply {
    struct group *group;
    size_t n_groups, cap_groups;
    struct hd_u32vec pos; /* of the events within their threads, ascending in each group */
};

struct barrier {
    bool strict; /* as many threads as its size, each arriving and leaving in turn */
    uint32_t n_threads;
    struct hd_clock **round; /* by round: what all arrivals know; ticks included */
    uint32_t n_rounds, cap_rounds;
};

struct hd_mhb {
    struct hd_timeline line;
};

struct work {
    const struct hd_trace *t;
    struct hd_mhb *now, *before;         /* before: the last round, or NULL in the first */
    struct supply *notify, *post, *take; /* by condition, semaphore, semaphore */
    struct barrier *barrier;
    struct hd_map arrivals; /* thread << 32 | barrier: arrivals so far << 1 | inside */
    bool recorded;
    struct hd_edges edges; /* recorded only */
    size_t next_edge;
    uint32_t *meet; /* scratch: one clock */
    bool repeats;   /* there are orders that depend on others */
};

static void supply_add(struct supply *s, hd_tid u, uint32_t pos)
{
    /* Collected thread by thread, so a new thread opens a new group. */
    if (!s->n_groups || s->group[s->n_groups - 1].thread != u) {
        if (s->n_groups == s->cap_groups) {
            size_t cap = s->cap_groups ? s->cap_groups * 2 : 2;
            s->group =
                hd_realloc(s->group, s->cap_groups * sizeof *s->group, cap * sizeof *s->group);
            s->cap_groups = cap;
        }
        s->group[s->n_groups++] = (struct group){u, (uint32_t)s->pos.len, 0};
    }
    s->group[s->n_groups - 1].n++;
    hd_u32vec_push(&s->pos, pos);
}

static void collect_supplies(struct work *w)
{
    const struct hd_trace *t = w->t;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        for (size_t i = 0; i < n; i++) {
            hd_eid e = events[i];
            if (t->op[e] == HD_OP_SIG || t->op[e] == HD_OP_BCAST)
                supply_add(&w->notify[t->obj[e]], u, t->pos[e]);
            else if (t->op[e] == HD_OP_POST)
                supply_add(&w->post[t->obj[e]], u, t->pos[e]);
            else if (t->op[e] == HD_OP_SEM)
                supply_add(&w->take[t->obj[e]], u, t->pos[e]);
            else if (t->op[e] != HD_OP_WAKE)
                continue;
            w->repeats = true;
        }
    }
}

/* How many events of the group have a position below limit. */
static uint32_t below(const struct supply *s, const struct group *g, uint32_t limit)
{
    uint32_t lo = 0, hi = g->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->pos.data[g->first + mid] < limit)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The clock of an event of another thread, as far as known: this round's if it was passed already.
 */
static const struct hd_clock *known_clock(const struct work *w, hd_tid u, uint32_t pos, hd_eid here)
{
    const struct hd_index *index = &w->t->by_obj[HD_OBJ_THREAD];
    hd_eid e = index->list[index->start[u] + pos];
    const struct hd_mhb *m = e < here || !w->before ? w->now : w->before;
    if (e > here && !w->before)
        return NULL;
    return hd_timeline_clock(&m->line, u, pos);
}

/* Whether the event at pos of u is known to come after position `at` of thread self. */
static bool comes_after(const struct work *w, hd_tid u, uint32_t pos, hd_eid here, hd_tid self,
                        uint32_t at)
{
    const struct hd_clock *c = known_clock(w, u, pos, here);
    return c && c->v[self] > at;
}

/* What the candidates lo .. hi-1 of every group have in common, if at least `need` of them come
 * first: for each thread, the need-th smallest entry. Only for need == 1 or few candidates. */
struct span {
    const struct group *g;
    uint32_t lo, hi;
};

static void entries_of(const struct work *w, const struct supply *s, const struct span *sp,
                       hd_eid here, uint32_t i, uint32_t *row)
{
    uint32_t pos = s->pos.data[sp->g->first + i];
    const struct hd_clock *c = known_clock(w, sp->g->thread, pos, here);
    size_t width = w->now->line.pool.width;
    if (c)
        memcpy(row, c->v, width * sizeof *row);
    else
        memset(row, 0, width * sizeof *row);
    row[sp->g->thread] = pos + 1;
}

static int by_value(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* The need-th smallest entry for each thread over all rows. */
static void select_rows(struct work *w, uint32_t *rows, size_t n, uint32_t need)
{
    size_t width = w->now->line.pool.width;
    uint32_t column[MAX_POSTS];
    for (size_t i = 0; i < width; i++) {
        if (need == 1 || n > MAX_POSTS) {
            w->meet[i] = rows[i];
            for (size_t k = 1; k < n; k++)
                if (rows[k * width + i] < w->meet[i])
                    w->meet[i] = rows[k * width + i];
            continue;
        }
        for (size_t k = 0; k < n; k++)
            column[k] = rows[k * width + i];
        qsort(column, n, sizeof *column, by_value);
        w->meet[i] = column[need - 1];
    }
}

/* Joins what every choice of `need` candidates has before event e. A later candidate of a thread
 * knows all that an earlier one knows, so for need == 1 the first of each span is enough. */
static void join_meet(struct work *w, hd_eid e, const struct supply *s, const struct span *span,
                      size_t n_spans, uint32_t need)
{
    size_t width = w->now->line.pool.width, n = 0, cap = 0;
    for (size_t i = 0; i < n_spans; i++)
        cap += need == 1 ? 1 : span[i].hi - span[i].lo;
    uint32_t *rows = hd_alloc(cap * width * sizeof *rows);
    for (size_t i = 0; i < n_spans; i++) {
        uint32_t hi = need == 1 ? span[i].lo + 1 : span[i].hi;
        for (uint32_t k = span[i].lo; k < hi; k++)
            entries_of(w, s, &span[i], e, k, rows + n++ * width);
    }
    select_rows(w, rows, n, need);
    hd_free(rows, cap * width * sizeof *rows);
    struct hd_clock *c = hd_clock_new(&w->now->line.pool);
    memcpy(c->v, w->meet, width * sizeof *c->v);
    hd_timeline_join_clock(&w->now->line, e, c);
    hd_clock_put(&w->now->line.pool, c);
}

/* The candidates among a supply for event e of its thread: not the thread's own, at position
 * from[u] or later, and not known to come after e. */
static size_t candidates(struct work *w, hd_eid e, const struct supply *s, const uint32_t *from,
                         struct span *span)
{
    const struct hd_trace *t = w->t;
    size_t n = 0;
    for (size_t i = 0; i < s->n_groups; i++) {
        const struct group *g = &s->group[i];
        if (g->thread == t->thread[e] && from)
            continue; /* a waiting thread does not notify itself */
        uint32_t lo = from ? below(s, g, from[g->thread]) : 0, hi = g->n;
        if (g->thread == t->thread[e]) {
            hi = below(s, g, t->pos[e]);
        } else {
            uint32_t a = lo, b = hi; /* first one known to come after e */
            while (a < b) {
                uint32_t mid = a + (b - a) / 2;
                if (comes_after(w, g->thread, s->pos.data[g->first + mid], e, t->thread[e],
                                t->pos[e]))
                    b = mid;
                else
                    a = mid + 1;
            }
            hi = a;
        }
        if (lo < hi)
            span[n++] = (struct span){g, lo, hi};
    }
    return n;
}

static void wake(struct work *w, hd_eid e)
{
    const struct supply *s = &w->notify[w->t->obj[e]];
    /* The clock in force at the wake so far is that of its wait. */
    const struct hd_clock *c = hd_timeline_now(&w->now->line, w->t->thread[e]);
    struct span *span = hd_alloc(s->n_groups * sizeof *span);
    size_t n = candidates(w, e, s, c->v, span);
    if (n)
        join_meet(w, e, s, span, n, 1);
    hd_free(span, s->n_groups * sizeof *span);
}

/* How many takes come before e, itself included, in every schedule. */
static uint64_t takes_before(const struct work *w, hd_eid e)
{
    const struct supply *s = &w->take[w->t->obj[e]];
    const struct hd_clock *c = hd_timeline_now(&w->now->line, w->t->thread[e]);
    uint64_t n = 0;
    for (size_t i = 0; i < s->n_groups; i++) {
        bool own = s->group[i].thread == w->t->thread[e];
        n += below(s, &s->group[i], own ? w->t->pos[e] + 1 : c->v[s->group[i].thread]);
    }
    return n;
}

static void semaphore(struct work *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    const struct supply *s = &w->post[t->obj[e]];
    uint64_t takes = takes_before(w, e), init = t->sem_init[t->obj[e]], total = 0;
    if (takes <= init)
        return;
    uint64_t need = takes - init;
    struct span *span = hd_alloc(s->n_groups * sizeof *span);
    size_t n = candidates(w, e, s, NULL, span);
    for (size_t i = 0; i < n; i++)
        total += span[i].hi - span[i].lo;
    if (n == 1 && need <= total) { /* one thread posts: its need-th post */
        span[0].lo += (uint32_t)need - 1;
        join_meet(w, e, s, span, 1, 1);
    } else if (need <= total && (need == 1 || total <= MAX_POSTS)) {
        join_meet(w, e, s, span, n, (uint32_t)need);
    }
    hd_free(span, s->n_groups * sizeof *span);
}

/* Which barriers are used by exactly as many threads as their size, in strict turns. */
static void judge_barriers(struct work *w)
{
    const struct hd_trace *t = w->t;
    for (uint32_t b = 0; b < hd_trace_n_objs(t, HD_OBJ_BARRIER); b++)
        w->barrier[b].strict = true;
    for (size_t i = 0; i < t->n_events; i++) {
        if (t->op[i] != HD_OP_BARIN && t->op[i] != HD_OP_BAROUT)
            continue;
        struct barrier *b = &w->barrier[t->obj[i]];
        bool fresh, in = t->op[i] == HD_OP_BARIN;
        uint32_t *seen = hd_map_put(&w->arrivals, (uint64_t)t->thread[i] << 32 | t->obj[i], &fresh);
        b->n_threads += fresh;
        b->strict &= in != (*seen & 1);
        *seen = in ? (*seen | 1) + 2 : *seen & ~1u;
    }
    for (uint32_t b = 0; b < hd_trace_n_objs(t, HD_OBJ_BARRIER); b++)
        w->barrier[b].strict &= w->barrier[b].n_threads == t->barrier_size[b];
}

static void barrier_in(struct work *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    struct barrier *b = &w->barrier[t->obj[e]];
    if (!b->strict)
        return;
    struct hd_clock_pool *pool = &w->now->line.pool;
    uint32_t *seen = hd_map_put(&w->arrivals, (uint64_t)t->thread[e] << 32 | t->obj[e], NULL);
    uint32_t round = (*seen)++;
    if (round == b->n_rounds) {
        if (b->n_rounds == b->cap_rounds) {
            uint32_t cap = b->cap_rounds ? b->cap_rounds * 2 : 4;
            b->round =
                hd_realloc(b->round, b->cap_rounds * sizeof *b->round, cap * sizeof *b->round);
            b->cap_rounds = cap;
        }
        b->round[b->n_rounds++] = hd_clock_new(pool);
    }
    struct hd_stamp s = {hd_timeline_now(&w->now->line, t->thread[e]), t->pos[e] + 1, t->thread[e]};
    hd_clock_join(pool, &b->round[round], HD_MAX_THREADS + 1, &s);
}

static void barrier_out(struct work *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    struct barrier *b = &w->barrier[t->obj[e]];
    if (!b->strict)
        return;
    uint32_t *seen = hd_map_put(&w->arrivals, (uint64_t)t->thread[e] << 32 | t->obj[e], NULL);
    if (*seen)
        hd_timeline_join_clock(&w->now->line, e, b->round[*seen - 1]);
}

static void join_whole_thread(struct work *w, hd_eid e, hd_tid u)
{
    const struct hd_trace *t = w->t;
    size_t n;
    hd_trace_thread_events(t, u, &n);
    if (!n)
        return;
    struct hd_stamp s = {hd_timeline_now(&w->now->line, u), (uint32_t)n, u};
    hd_timeline_join(&w->now->line, t->thread[e], t->pos[e], &s);
}

static void recorded_edges(struct work *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    const struct hd_edges *edges = &w->edges;
    while (w->next_edge < edges->n && edges->edge[w->next_edge].to < e)
        w->next_edge++;
    for (; w->next_edge < edges->n && edges->edge[w->next_edge].to == e; w->next_edge++) {
        hd_eid from = edges->edge[w->next_edge].from;
        hd_tid u = t->thread[from];
        struct hd_stamp s = {hd_timeline_clock(&w->now->line, u, t->pos[from]), t->pos[from] + 1,
                             u};
        hd_timeline_join(&w->now->line, t->thread[e], t->pos[e], &s);
    }
}

static void step(struct work *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_eid fork = t->pos[e] == 0 ? t->fork_of[t->thread[e]] : HD_EID_NONE;
    if (fork != HD_EID_NONE && fork < e) {
        hd_tid u = t->thread[fork];
        struct hd_stamp s = {hd_timeline_clock(&w->now->line, u, t->pos[fork]), t->pos[fork] + 1,
                             u};
        hd_timeline_join(&w->now->line, t->thread[e], t->pos[e], &s);
    }
    if (t->op[e] == HD_OP_JOIN)
        join_whole_thread(w, e, t->obj[e]);
    else if (t->op[e] == HD_OP_WAKE && !w->recorded)
        wake(w, e);
    else if (t->op[e] == HD_OP_WAKE)
        recorded_edges(w, e);
    else if (t->op[e] == HD_OP_SEM)
        semaphore(w, e);
    else if (t->op[e] == HD_OP_BARIN)
        barrier_in(w, e);
    else if (t->op[e] == HD_OP_BAROUT)
        barrier_out(w, e);
}

static void clear_barriers(struct work *w)
{
    for (uint32_t b = 0; b < hd_trace_n_objs(w->t, HD_OBJ_BARRIER); b++) {
        struct barrier *bar = &w->barrier[b];
        for (uint32_t i = 0; i < bar->n_rounds; i++)
            hd_clock_put(&w->now->line.pool, bar->round[i]);
        hd_free(bar->round, bar->cap_rounds * sizeof *bar->round);
        bar->round = NULL;
        bar->n_rounds = bar->cap_rounds = 0;
    }
    hd_map_clear(&w->arrivals);
}

static bool same_changes(const struct hd_timeline *x, const struct hd_timeline *y)
{
    for (size_t u = 0; u < hd_trace_n_threads(x->t); u++) {
        if (x->n[u] != y->n[u])
            return false;
        for (uint32_t i = 0; i < x->n[u]; i++)
            if (x->of[u][i].pos != y->of[u][i].pos ||
                !hd_clock_covers(&x->pool, x->of[u][i].clock->v, y->of[u][i].clock->v, (hd_tid)u) ||
                !hd_clock_covers(&x->pool, y->of[u][i].clock->v, x->of[u][i].clock->v, (hd_tid)u))
                return false;
    }
    return true;
}

static void one_round(struct work *w)
{
    w->now = hd_calloc(1, sizeof *w->now);
    hd_timeline_init(&w->now->line, w->t);
    w->next_edge = 0;
    for (size_t e = 0; e < w->t->n_events && !hd_stop_often(e); e++)
        step(w, (hd_eid)e);
    clear_barriers(w);
}

static void free_supplies(struct supply *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hd_free(s[i].group, s[i].cap_groups * sizeof *s[i].group);
        hd_u32vec_fini(&s[i].pos);
    }
    hd_free(s, n * sizeof *s);
}

struct hd_mhb *hd_mhb_new_matching(const struct hd_trace *t, enum hd_mhb_matching matching)
{
    size_t conds = hd_trace_n_objs(t, HD_OBJ_COND), sems = hd_trace_n_objs(t, HD_OBJ_SEM);
    size_t barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    struct work w = {.t = t, .recorded = matching == HD_MHB_RECORDED};
    w.notify = hd_calloc(conds, sizeof *w.notify);
    w.post = hd_calloc(sems, sizeof *w.post);
    w.take = hd_calloc(sems, sizeof *w.take);
    w.barrier = hd_calloc(barriers, sizeof *w.barrier);
    if (w.recorded)
        hd_edges_init(&w.edges, t);
    collect_supplies(&w);
    judge_barriers(&w);
    hd_map_clear(&w.arrivals);
    size_t width = (hd_trace_n_threads(t) + HD_CLOCK_LANE - 1) / HD_CLOCK_LANE * HD_CLOCK_LANE;
    w.meet = hd_alloc(width * sizeof *w.meet);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        one_round(&w);
        bool done = !w.repeats || (w.before && same_changes(&w.now->line, &w.before->line));
        hd_mhb_free(w.before);
        w.before = w.now;
        if (done)
            break;
    }
    hd_free(w.meet, width * sizeof *w.meet);
    free_supplies(w.notify, conds);
    free_supplies(w.post, sems);
    free_supplies(w.take, sems);
    hd_free(w.barrier, barriers * sizeof *w.barrier);
    hd_map_fini(&w.arrivals);
    hd_edges_fini(&w.edges);
    return w.before;
}

struct hd_mhb *hd_mhb_new(const struct hd_trace *t)
{
    return hd_mhb_new_matching(t, HD_MHB_ANY_WAITER);
}

void hd_mhb_free(struct hd_mhb *m)
{
    if (!m)
        return;
    hd_timeline_fini(&m->line);
    hd_free(m, sizeof *m);
}

bool hd_mhb_ordered(const struct hd_mhb *m, hd_eid a, hd_eid b)
{
    HD_DCHECK(a != b);
    bool before = hd_timeline_before(&m->line, a, b);
    HD_DCHECK(!before || a < b); /* the observed order is one of the schedules */
    return before;
}

const struct hd_timeline *hd_mhb_timeline(const struct hd_mhb *m)
{
    return &m->line;
}
