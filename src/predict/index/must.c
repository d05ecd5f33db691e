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

/* Looks at the other users of a lock that `thread` holds: ends the sections it needs a part of.
 * before: the clock for which that was done; of what did not change since, nothing comes. NULL: it
 * was not done. */
static bool end_sections(struct hd_must_pass *p, hd_tid thread, const struct hd_section *held,
                         const uint32_t *before)
{
    const struct hd_sections *s = p->m->w->sections;
    const uint32_t *now = hd_must_row(p, p->now, thread);
    bool changed = false;
    for (uint32_t i = s->user_start[held->lock]; i < s->user_start[held->lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        uint32_t count = now[user->thread];
        if (user->thread == thread || !count || (before && before[user->thread] == count))
            continue;
        uint32_t id = hd_sections_open_near(s, user, count, &p->begun[i]);
        if (id == HD_SECTION_NONE)
            continue;
        const struct hd_section *other = hd_section_at(s, id);
        if ((other->shared && held->shared) || other->close == HD_EID_NONE)
            continue;
        need_event(p, thread, other->close);
        changed = true;
    }
    return changed;
}

/* One round of the lock rule, for what the thread holds at e and the lock that e takes, if any. */
static bool lock_round(struct hd_must_pass *p, hd_eid e, const struct hd_section *taken,
                       bool taken_before)
{
    const struct hd_sections *s = p->m->w->sections;
    hd_tid thread = p->m->t->thread[e];
    uint32_t *closed = hd_must_row(p, p->closed, thread);
    bool changed = false;
    memcpy(p->closed_before, closed, p->m->threads * sizeof *closed);
    if (p->leaves_out) /* else it stays 0, which no section is needed by */
        memcpy(closed, hd_must_row(p, p->now, thread), p->m->threads * sizeof *closed);
    for (uint32_t n = hd_held(s, e); n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next)
        changed |=
            end_sections(p, thread, hd_section_at(s, hd_held_at(s, n)->section), p->closed_before);
    if (taken)
        changed |= end_sections(p, thread, taken, taken_before ? p->closed_before : NULL);
    return changed;
}

/* The lock rule, to a fixpoint, for what the thread holds at e and for the lock that e takes. */
static void apply_locks(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_sections *s = p->m->w->sections;
    hd_tid thread = p->m->t->thread[e];
    uint32_t opened = hd_section_of(s, e);
    const struct hd_section *taken = opened == HD_SECTION_NONE ? NULL : hd_section_at(s, opened);
    taken = taken && taken->open == e ? taken : NULL;
    /* What the thread held already was looked at when its clock last changed. The lock that e takes
     * adds nothing with the clock of the pass before, if that has no step here: of the sections
     * that the clock needs a part of, it needs the ends. */
    bool changed = p->dirty[thread];
    bool known = p->leaves_out && p->before && !p->ahead[thread] && hd_must_same(p->before, e);
    if (!changed && taken && !known)
        changed = end_sections(p, thread, taken, NULL);
    for (bool again = false; changed; again = true)
        changed = lock_round(p, e, taken, again);
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

static void run_event(struct hd_must_pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->t;
    p->at = e;
    need_own(p, e);
    apply_locks(p, e);
    store_now(p, e);
    if (hd_op_reads(t->op[e]))
        note_read(p, e);
    if (hd_op_writes(t->op[e]))
        hd_must_note_write(p, e);
}

static void run(struct hd_must_pass *p)
{
    size_t n = p->m->t->n_events;
    find_simple_barriers(p);
    for (size_t from = 0; from < n && !hd_stop_often(from); from += 64) {
        uint64_t bits = p->busy ? p->busy[from / 64] : UINT64_MAX;
        for (; bits && from + (size_t)__builtin_ctzll(bits) < n; bits &= bits - 1)
            run_event(p, (hd_eid)(from + (size_t)__builtin_ctzll(bits)));
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

/* What a pass leaves out; nothing in passes that look at everything. */
struct left_out {
    bool any;
    uint64_t *busy;
    struct hd_must_watch *watch;
};

/* One pass over the trace, which knows what the one before it has found. *again: another may find
 * more. */
static struct hd_must *run_pass(const struct hd_world *w, const struct hd_must *before,
                                const struct left_out *out, bool *again)
{
    const struct hd_trace *t = w->t;
    struct hd_must *m = make(w);
    size_t n = hd_trace_n_threads(t), barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    struct hd_must_pass p = {.m = m,
                             .before = before,
                             .leaves_out = out->any,
                             .busy = out->busy,
                             .conds = w->conds,
                             .sems = w->sems,
                             .barriers = w->barriers,
                             .now = hd_calloc(n * n, sizeof *p.now),
                             .fresh = hd_calloc(n * n, sizeof *p.fresh),
                             .closed = hd_calloc(n * n, sizeof *p.closed),
                             .closed_before = hd_calloc(n, sizeof *p.closed_before),
                             .watch = out->watch,
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
                             .late = before ? hd_must_late_new(before) : NULL,
                             .n_values = values_kept(w->locs),
                             .value_near = hd_calloc(values_kept(w->locs), sizeof *p.value_near),
                             .values = hd_calloc(values_kept(w->locs), sizeof *p.values)};
    run(&p);
    *again = p.again && p.better;
    hd_free(p.now, n * n * sizeof *p.now);
    hd_free(p.fresh, n * n * sizeof *p.fresh);
    hd_free(p.closed, n * n * sizeof *p.closed);
    hd_free(p.closed_before, n * sizeof *p.closed_before);
    hd_free(p.ahead, n);
    hd_free(p.fresh_moved, n);
    hd_free(p.dirty, n);
    hd_free(p.fresh_dirty, n);
    hd_free(p.simple, barriers);
    hd_free(p.low, n * sizeof *p.low);
    hd_free(p.needs, n * sizeof *p.needs);
    hd_vec_fini(&p.shares);
    hd_free(p.begun, w->sections->users.len * sizeof *p.begun);
    hd_free(p.late, p.late ? n * n * sizeof *p.late : 0);
    hd_free(p.near, w->locs->users.len * sizeof *p.near);
    hd_free(p.value_near, p.n_values * sizeof *p.value_near);
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
static struct hd_must *run_passes(const struct hd_world *w, bool leave_out, bool *again)
{
    enum { PASSES = 12 };
    struct hd_must *before = NULL, *m = NULL;
    struct left_out out = {.any = leave_out, .busy = leave_out ? hd_must_busy_new(w) : NULL};
    *again = true;
    for (int i = 0; i < PASSES && *again; i++) {
        before = m;
        if (out.watch)
            hd_must_watch_next(out.watch);
        else if (before && leave_out)
            out.watch = hd_must_watch_new(w->t->n_events);
        m = run_pass(w, before, &out, again);
        hd_must_free(before);
    }
    hd_must_watch_free(out.watch);
    hd_must_busy_free(w, out.busy);
    trim(m);
    return m;
}

struct hd_must *hd_must_new_plain(const struct hd_world *w, bool *whole)
{
    bool again;
    struct hd_must *m = run_passes(w, false, &again);
    *whole = !again;
    return m;
}

#ifdef HD_DEBUG
/* Passes that look at everything find the same. */
static void check(const struct hd_must *m)
{
    enum { MOST = 2000 }; /* events: it takes as long again */
    if (m->t->n_events > MOST)
        return;
    bool whole;
    struct hd_must *plain = hd_must_new_plain(m->w, &whole);
    for (hd_eid e = 0; e < m->t->n_events && whole && hd_stop_now() == HD_STOP_NO; e++) {
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
    /* Four rows for each thread, one of pairs, and one clock at least that is kept. */
    if (!hd_stop_room(n * n * 6 * sizeof(uint32_t)))
        return NULL;
    struct hd_must *m = run_passes(w, true, &again);
    if (!again && hd_stop_now() == HD_STOP_NO)
        HD_SELF_CHECK(check(m));
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
