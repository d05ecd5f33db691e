#include "predict/index/must.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "predict/index/must_int.h"

#include <string.h>

static const uint32_t *lookup(const struct hd_must *m, const struct hd_vec *changes, uint32_t pos)
{
    size_t lo = 0, hi = changes->len; /* the first change after pos */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (((struct hd_must_change *)hd_vec_at(changes, mid))->pos <= pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t clock = lo ? ((struct hd_must_change *)hd_vec_at(changes, lo - 1))->clock : 0;
    return m->pool.data + (size_t)clock * m->threads;
}

const uint32_t *hd_must_all_fresh(const struct hd_must *m, hd_tid u, uint32_t pos)
{
    return lookup(m, &m->all_changes[u], pos);
}

/* The entry of the clock's own thread is left alone: it adds nothing, and would make every clock
 * new. */
static bool join_clock(const struct hd_must_pass *p, uint32_t *into, const uint32_t *from,
                       hd_tid own)
{
    bool changed = false;
    for (size_t u = 0; u < p->m->threads; u++)
        if (from[u] > into[u] && u != own) {
            into[u] = from[u];
            changed = true;
        }
    return changed;
}

/* The thread of e needs event f (of another thread) and all that f needs. */
static void need_event(struct hd_must_pass *p, hd_tid thread, hd_eid f)
{
    const struct hd_trace *t = p->m->w->t;
    uint32_t *now = hd_must_row(p, p->now, thread);
    hd_tid u = t->thread[f];
    if (u == thread || now[u] > t->pos[f])
        return;
    join_clock(p, now, hd_must_clock(p->m, f), thread);
    now[u] = t->pos[f] + 1;
    p->dirty[thread] = 1;
}

/* Number of a new clock in the pool. */
static uint32_t store_clock(struct hd_must *m, const uint32_t *clock)
{
    size_t offset = m->pool.len;
    hd_u32vec_reserve(&m->pool, offset + m->threads);
    memcpy(m->pool.data + offset, clock, m->threads * sizeof *clock);
    m->pool.len += m->threads;
    return (uint32_t)(offset / m->threads);
}

static bool above(const struct hd_must_pass *p, const uint32_t *clock, const uint32_t *other,
                  hd_tid own)
{
    for (size_t u = 0; u < p->m->threads; u++)
        if (clock[u] > other[u] && u != own)
            return true;
    return false;
}

static void store_now(struct hd_must_pass *p, hd_eid e)
{
    hd_tid u = p->m->w->t->thread[e];
    /* Between its steps the pass before has told nothing that was not joined already. */
    bool step = p->before && !hd_must_same(p->before, e);
    if (step && join_clock(p, hd_must_row(p, p->now, u), hd_must_clock(p->before, e), u))
        p->dirty[u] = 1;
    if (step || p->dirty[u])
        p->ahead[u] =
            !p->before || above(p, hd_must_row(p, p->now, u), hd_must_clock(p->before, e), u);
    if (p->ahead[u]) {
        p->better = true;
        hd_must_moved(p, e);
    }
    if (p->dirty[u]) {
        struct hd_must_steps *steps = &p->m->steps[u];
        hd_marks_add(&steps->at, p->m->t->pos[e]);
        hd_u32vec_push(&steps->clock, store_clock(p->m, hd_must_row(p, p->now, u)));
    }
    p->dirty[u] = 0;
}

/* One pass over the other users of a lock that `thread` holds: ends the sections it needs a part
 * of. */
static bool end_sections(struct hd_must_pass *p, hd_tid thread, uint32_t lock, bool shared)
{
    const struct hd_sections *s = p->m->w->sections;
    bool changed = false;
    for (uint32_t i = s->user_start[lock]; i < s->user_start[lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        uint32_t count = hd_must_row(p, p->now, thread)[user->thread];
        if (user->thread == thread || !count)
            continue;
        uint32_t id = hd_sections_open_near(s, user, count, &p->begun[i]);
        if (id == HD_SECTION_NONE)
            continue;
        const struct hd_section *other = hd_section_at(s, id);
        if ((other->shared && shared) || other->close == HD_EID_NONE)
            continue;
        need_event(p, thread, other->close);
        changed = true;
    }
    return changed;
}

/* The lock rule, to a fixpoint, for what the thread holds at e and for the lock that e takes. */
static void apply_locks(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    const struct hd_sections *s = p->m->w->sections;
    uint32_t opened = hd_section_of(s, e);
    bool opens = opened != HD_SECTION_NONE && hd_section_at(s, opened)->open == e;
    /* What the thread held already was looked at when its clock last changed. */
    bool changed = p->dirty[t->thread[e]];
    if (!changed && opens)
        changed = end_sections(p, t->thread[e], hd_section_at(s, opened)->lock,
                               hd_section_at(s, opened)->shared);
    while (changed) {
        changed = false;
        for (uint32_t n = hd_held(s, e); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
            const struct hd_section *x = hd_section_at(s, hd_held_at(s, n)->section);
            changed |= end_sections(p, t->thread[e], x->lock, x->shared);
        }
        if (opens) {
            const struct hd_section *x = hd_section_at(s, opened);
            changed |= end_sections(p, t->thread[e], x->lock, x->shared);
        }
    }
}

/* What r needs in order to be fresh was found when it was come to. Writes between r and the event
 * in hand may be known better by now, which the next pass makes use of. */
static void need_fresh(struct hd_must_pass *p, hd_tid thread, hd_eid r)
{
    const uint32_t *clock = hd_must_fresh(p->m, r);
    if (clock && join_clock(p, hd_must_row(p, p->now, thread), clock, thread))
        p->dirty[thread] = 1;
}

static void need_deps(struct hd_must_pass *p, hd_eid e, enum hd_dep_role role)
{
    const struct hd_trace *t = p->m->w->t;
    struct hd_deps deps = hd_trace_deps(t, e, role);
    hd_tid u = t->thread[e];
    if (deps.all && join_clock(p, hd_must_row(p, p->now, u), hd_must_row(p, p->fresh, u), u))
        p->dirty[u] = 1;
    for (uint32_t i = 0; i < deps.n; i++)
        need_fresh(p, u, hd_trace_back(t, e, deps.dist[i]));
}

/* Stores what r needs in order to be fresh, if that is more than it needs in order to run. */
static void keep_fresh(struct hd_must_pass *p, hd_eid r)
{
    struct hd_must *m = p->m;
    hd_tid own = m->t->thread[r];
    if (!above(p, p->low, hd_must_clock(m, r), own))
        return;
    struct hd_must_steps *steps = &m->steps[own];
    hd_marks_add(&steps->fresh_at, m->t->pos[r]);
    hd_u32vec_push(&steps->fresh, store_clock(m, p->low));
    const uint32_t *before = p->before ? hd_must_fresh(p->before, r) : NULL;
    if (!before || above(p, p->low, before, own)) {
        p->better = true;
        p->fresh_moved[own] = 1;
        hd_must_moved(p, r);
    }
}

/* After a read: what its freshness needs joins what "all reads so far" need. */
static void note_read(struct hd_must_pass *p, hd_eid r)
{
    struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    hd_tid u = t->thread[r];
    if (hd_must_source_needs(p, r)) {
        keep_fresh(p, r);
        if (join_clock(p, hd_must_row(p, p->fresh, u), p->low, u))
            p->fresh_dirty[u] = 1;
    }
    if (p->fresh_dirty[u] && t->control == HD_CONTROL_BRANCHES)
        *(struct hd_must_change *)hd_vec_push(&m->all_changes[u]) =
            (struct hd_must_change){t->pos[r] + 1, store_clock(p->m, hd_must_row(p, p->fresh, u))};
    p->fresh_dirty[u] = 0;
}

/* ---- the other primitives ---- */

/* Something that any one of several events of other threads gives: what the weakest of them needs.
 */
static void need_any(struct hd_must_pass *p, hd_eid e, const struct hd_accesses *index,
                     const uint32_t *after)
{
    const struct hd_trace *t = p->m->w->t;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, t->obj[e], &n);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread == t->thread[e])
            continue;
        uint32_t g = hd_accesses_write_from(index, &users[i], after ? after[users[i].thread] : 0);
        if (g < users[i].wend)
            hd_must_add_source(p, index->writes[g], users[i].thread, false, &any);
    }
    hd_tid u = t->thread[e];
    if (any && join_clock(p, hd_must_row(p, p->now, u), p->low, u))
        p->dirty[u] = 1;
}

/* Post number k, from 1, of the user comes before e. */
static void need_kth_post(struct hd_must_pass *p, hd_eid e, const struct hd_loc_user *user,
                          uint64_t k)
{
    hd_tid u = p->m->w->t->thread[e];
    bool any = false;
    hd_must_add_source(p, p->sems->writes[user->wstart + k - 1], user->thread, false, &any);
    if (join_clock(p, hd_must_row(p, p->now, u), p->low, u))
        p->dirty[u] = 1;
}

/* Semaphores: the initial count and the posts of the own thread may not do for the P operations
 * that must come first and for this one. Then posts of others are needed: of each as many as all
 * the rest can not give, and of some thread the first. */
static void need_post(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    const uint32_t *now = hd_must_row(p, p->now, t->thread[e]);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(p->sems, t->obj[e], &n);
    uint64_t takes = 1, given = t->sem_init[t->obj[e]], others = 0;
    for (size_t i = 0; i < n; i++) {
        bool own = users[i].thread == t->thread[e];
        uint32_t limit = own ? t->pos[e] : now[users[i].thread];
        uint32_t posts = hd_accesses_write_from(p->sems, &users[i], limit) - users[i].wstart;
        takes += hd_accesses_from(p->sems, &users[i], limit) - users[i].start - posts;
        if (own)
            given = given > UINT64_MAX - posts ? UINT64_MAX : given + posts;
        else
            others += users[i].wend - users[i].wstart;
    }
    if (takes <= given)
        return;
    need_any(p, e, p->sems, NULL);
    for (size_t i = 0; i < n; i++) {
        uint64_t posts = users[i].wend - users[i].wstart, rest = given + others - posts;
        if (users[i].thread != t->thread[e] && takes > rest && takes - rest <= posts)
            need_kth_post(p, e, &users[i], takes - rest);
    }
}

/* Number of arrivals of the user among the first `count` events of its thread. */
static uint32_t arrivals(const struct hd_must_pass *p, const struct hd_loc_user *user,
                         uint32_t count)
{
    return hd_accesses_write_from(p->barriers, user, count) - user->wstart;
}

static void need_barrier(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(p->barriers, t->obj[e], &n);
    if (!p->simple[t->obj[e]])
        return;
    uint32_t round = 0;
    for (size_t i = 0; i < n; i++)
        if (users[i].thread == t->thread[e])
            round = arrivals(p, &users[i], t->pos[e]);
    for (size_t i = 0; i < n; i++)
        if (users[i].thread != t->thread[e] && users[i].wend - users[i].wstart >= round)
            need_event(p, t->thread[e], p->barriers->writes[users[i].wstart + round - 1]);
}

static bool alternates(const struct hd_trace *t, const hd_eid *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (t->op[events[i]] != (i % 2 ? HD_OP_BAROUT : HD_OP_BARIN))
            return false;
    return true;
}

static void find_simple_barriers(struct hd_must_pass *p)
{
    const struct hd_trace *t = p->m->w->t;
    for (uint32_t b = 0; b < hd_trace_n_objs(t, HD_OBJ_BARRIER); b++) {
        size_t n;
        const struct hd_loc_user *users = hd_accesses_users(p->barriers, b, &n);
        p->simple[b] = n == t->barrier_size[b];
        for (size_t i = 0; i < n; i++)
            if (!alternates(t, p->barriers->list + users[i].start, users[i].end - users[i].start))
                p->simple[b] = 0;
    }
}

static void need_thread(struct hd_must_pass *p, hd_eid e)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->m->w->t, p->m->w->t->obj[e], &n);
    if (n)
        need_event(p, p->m->w->t->thread[e], events[n - 1]);
}

static void need_notifier(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    hd_eid wait = hd_trace_back(t, e, 1);
    need_any(p, e, p->conds, hd_must_clock(p->m, wait));
}

static void need_own(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    hd_tid u = t->thread[e];
    if (t->pos[e] == 0 && t->fork_of[u] != HD_EID_NONE)
        need_event(p, u, t->fork_of[u]);
    if (t->control == HD_CONTROL_ALL &&
        join_clock(p, hd_must_row(p, p->now, u), hd_must_row(p, p->fresh, u), u))
        p->dirty[u] = 1;
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_BRANCH:
        need_deps(p, e, HD_DEP_CONTROL);
        break;
    case HD_OP_JOIN:
        need_thread(p, e);
        break;
    case HD_OP_WAKE:
        need_notifier(p, e);
        break;
    case HD_OP_SEM:
        need_post(p, e);
        break;
    case HD_OP_BAROUT:
        need_barrier(p, e);
        break;
    default:
        if (hd_op_is_access(t->op[e]))
            need_deps(p, e, HD_DEP_ADDR);
        break;
    }
}

static void run(struct hd_must_pass *p)
{
    const struct hd_trace *t = p->m->w->t;
    find_simple_barriers(p);
    for (hd_eid e = 0; e < t->n_events && !hd_stop_often(e); e++) {
        p->at = e;
        need_own(p, e);
        apply_locks(p, e);
        store_now(p, e);
        if (hd_op_reads(t->op[e]))
            note_read(p, e);
        if (hd_op_writes(t->op[e]))
            hd_must_note_write(p, e);
    }
}

static struct hd_must *make(const struct hd_world *w)
{
    struct hd_must *m = hd_calloc(1, sizeof *m);
    size_t n = hd_trace_n_threads(w->t), len;
    *m = (struct hd_must){.w = w, .t = w->t, .threads = n};
    m->steps = hd_calloc(n, sizeof *m->steps);
    m->all_changes = hd_calloc(n, sizeof *m->all_changes);
    for (hd_tid u = 0; u < n; u++) {
        hd_trace_thread_events(w->t, u, &len);
        hd_marks_init(&m->steps[u].at, len);
        hd_marks_init(&m->steps[u].fresh_at, len);
        m->all_changes[u] = HD_VEC_INIT(struct hd_must_change);
        hd_u32vec_push(&m->pool, 0);
    }
    return m;
}

/* As many as there are locations with users, and no more than stay in the cache. */
static size_t values_kept(const struct hd_accesses *locs)
{
    enum { MOST = 4096 };
    size_t n = 1;
    while (n < MOST && n < locs->users.len)
        n *= 2;
    return n;
}

/* One pass over the trace, which knows what the one before it has found. *again: another may find
 * more. */
static struct hd_must *run_pass(const struct hd_world *w, const struct hd_must *before,
                                struct hd_must_watch *watch, bool *again)
{
    const struct hd_trace *t = w->t;
    struct hd_must *m = make(w);
    size_t n = hd_trace_n_threads(t), barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    struct hd_must_pass p = {.m = m,
                             .before = before,
                             .conds = w->conds,
                             .sems = w->sems,
                             .barriers = w->barriers,
                             .now = hd_calloc(n * n, sizeof *p.now),
                             .fresh = hd_calloc(n * n, sizeof *p.fresh),
                             .watch = watch,
                             .ahead = hd_calloc(n, 1),
                             .fresh_moved = hd_calloc(n, 1),
                             .dirty = hd_calloc(n, 1),
                             .fresh_dirty = hd_calloc(n, 1),
                             .simple = hd_calloc(barriers, 1),
                             .low = hd_calloc(n, sizeof *p.low),
                             .needs = hd_calloc(n, sizeof *p.needs),
                             .shares = HD_VEC_INIT(struct hd_must_share),
                             .begun = hd_calloc(w->sections->users.len, sizeof *p.begun),
                             .near = hd_calloc(w->locs->users.len, sizeof *p.near),
                             .n_values = values_kept(w->locs),
                             .values = hd_calloc(values_kept(w->locs), sizeof *p.values)};
    run(&p);
    *again = p.again && p.better;
    hd_free(p.now, n * n * sizeof *p.now);
    hd_free(p.fresh, n * n * sizeof *p.fresh);
    hd_free(p.ahead, n);
    hd_free(p.fresh_moved, n);
    hd_free(p.dirty, n);
    hd_free(p.fresh_dirty, n);
    hd_free(p.simple, barriers);
    hd_free(p.low, n * sizeof *p.low);
    hd_free(p.needs, n * sizeof *p.needs);
    hd_vec_fini(&p.shares);
    hd_free(p.begun, w->sections->users.len * sizeof *p.begun);
    hd_free(p.near, w->locs->users.len * sizeof *p.near);
    hd_free(p.values, p.n_values * sizeof *p.values);
    return m;
}

/* Nothing is added any more. */
static void trim(struct hd_must *m)
{
    for (size_t u = 0; u < m->threads; u++) {
        hd_u32vec_trim(&m->steps[u].clock);
        hd_u32vec_trim(&m->steps[u].fresh);
        hd_vec_trim(&m->all_changes[u]);
    }
    hd_u32vec_trim(&m->pool);
}

/* *again: the passes were too many, another might find more. */
static struct hd_must *run_passes(const struct hd_world *w, bool watching, bool *again)
{
    enum { PASSES = 12 };
    struct hd_must *before = NULL, *m = NULL;
    struct hd_must_watch *watch = NULL;
    *again = true;
    for (int i = 0; i < PASSES && *again; i++) {
        before = m;
        if (watch)
            hd_must_watch_next(watch);
        else if (before && watching)
            watch = hd_must_watch_new(w->t->n_events);
        m = run_pass(w, before, watch, again);
        hd_must_free(before);
    }
    hd_must_watch_free(watch);
    trim(m);
    return m;
}

#ifdef HD_DEBUG
/* Passes that look at every read find the same. */
static void check_watch(const struct hd_must *m)
{
    enum { MOST = 2000 }; /* events: it takes as long again */
    bool again = true;
    struct hd_must *plain = m->t->n_events <= MOST ? run_passes(m->w, false, &again) : NULL;
    for (hd_eid e = 0; e < m->t->n_events && !again && hd_stop_now() == HD_STOP_NO; e++) {
        const uint32_t *x = hd_must_clock(m, e), *y = hd_must_clock(plain, e);
        const uint32_t *fresh = hd_must_fresh(m, e), *other = hd_must_fresh(plain, e);
        HD_ASSERT(!fresh == !other);
        for (size_t u = 0; u < m->threads; u++)
            HD_ASSERT(u == m->t->thread[e] || (x[u] == y[u] && (!fresh || fresh[u] == other[u])));
    }
    hd_must_free(plain);
}
#endif

struct hd_must *hd_must_new(const struct hd_world *w)
{
    size_t n = hd_trace_n_threads(w->t);
    bool again;
    /* Two rows for each thread, and one clock at least that is kept. */
    if (!hd_stop_room(n * n * 3 * sizeof(uint32_t)))
        return NULL;
    struct hd_must *m = run_passes(w, true, &again);
    if (!again && hd_stop_now() == HD_STOP_NO)
        HD_SELF_CHECK(check_watch(m));
    return m;
}

void hd_must_free(struct hd_must *m)
{
    if (!m)
        return;
    for (size_t u = 0; u < m->threads; u++) {
        hd_marks_fini(&m->steps[u].at);
        hd_marks_fini(&m->steps[u].fresh_at);
        hd_u32vec_fini(&m->steps[u].clock);
        hd_u32vec_fini(&m->steps[u].fresh);
        hd_vec_fini(&m->all_changes[u]);
    }
    hd_free(m->steps, m->threads * sizeof *m->steps);
    hd_free(m->all_changes, m->threads * sizeof *m->all_changes);
    hd_u32vec_fini(&m->pool);
    hd_free(m, sizeof *m);
}
