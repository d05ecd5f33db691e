#include "predict/index/must.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "predict/index/world.h"

#include <string.h>

/* From `pos` on, the thread's clock is this one of the pool. */
struct change {
    uint32_t pos;
    uint32_t clock;
};

/* The pass over the trace. `now` and `fresh` are rows of `threads` entries, one for each thread. */
struct pass {
    struct hd_must *m;
    const struct hd_must *before; /* what the pass before this one has found; NULL in the first */
    bool again;  /* a read took a write that comes after it in the trace for a possible source */
    bool better; /* some clock is above that of the pass before */
    hd_eid
        at; /* the event in hand: clocks of earlier events are stored, `now` holds for later ones */
    const struct hd_accesses *conds, *sems, *barriers;
    uint32_t *now;   /* what the next event of the thread needs, so far */
    uint32_t *fresh; /* what "all earlier reads of the thread are fresh" needs on top */
    uint8_t *dirty;  /* by thread: now differs from the last stored clock */
    uint8_t *fresh_dirty;
    uint8_t
        *simple;   /* by barrier: exactly as many users as its size, each alternating in and out */
    uint32_t *low; /* scratch: minimum over the sources of a read */
    uint32_t *needs;      /* scratch: what one source needs */
    struct hd_vec shares; /* scratch: struct share, by user of a counter */
};

/* How many writes of the right value of one thread are looked at; beyond it what the next one needs
 * in order to run is taken as the lower bound. Only the precision of a clock depends on it. */
enum { LOOK_LIMIT = 32 };

/* A location with more users than this is taken to give a read nothing certain, unless its value
 * has only one possible source: the cost of a read grows with users times threads. */
enum { MAX_USERS = 64 };

static const uint32_t *lookup(const struct hd_must *m, const struct hd_vec *changes, uint32_t pos)
{
    size_t lo = 0, hi = changes->len; /* the first change after pos */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (((struct change *)hd_vec_at(changes, mid))->pos <= pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t clock = lo ? ((struct change *)hd_vec_at(changes, lo - 1))->clock : 0;
    return m->pool.data + (size_t)clock * m->threads;
}

const uint32_t *hd_must_all_fresh(const struct hd_must *m, hd_tid u, uint32_t pos)
{
    return lookup(m, &m->all_changes[u], pos);
}

static uint32_t *row(const struct pass *p, uint32_t *rows, hd_tid u)
{
    return rows + (size_t)u * p->m->threads;
}

/* The entry of the clock's own thread is left alone: it says nothing, and would make every clock
 * new. */
static bool join_clock(const struct pass *p, uint32_t *into, const uint32_t *from, hd_tid own)
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
static void need_event(struct pass *p, hd_tid thread, hd_eid f)
{
    const struct hd_trace *t = p->m->w->t;
    uint32_t *now = row(p, p->now, thread);
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

static bool above(const struct pass *p, const uint32_t *clock, const uint32_t *other, hd_tid own)
{
    for (size_t u = 0; u < p->m->threads; u++)
        if (clock[u] > other[u] && u != own)
            return true;
    return false;
}

static void store_now(struct pass *p, hd_eid e)
{
    hd_tid u = p->m->w->t->thread[e];
    if (p->before && join_clock(p, row(p, p->now, u), hd_must_clock(p->before, e), u))
        p->dirty[u] = 1;
    if (!p->better)
        p->better = !p->before || above(p, row(p, p->now, u), hd_must_clock(p->before, e), u);
    if (p->dirty[u]) {
        struct hd_must_steps *steps = &p->m->steps[u];
        hd_marks_add(&steps->at, p->m->t->pos[e]);
        hd_u32vec_push(&steps->clock, store_clock(p->m, row(p, p->now, u)));
    }
    p->dirty[u] = 0;
}

/* One pass over the other users of a lock that `thread` holds: ends the sections it needs a part
 * of. */
static bool end_sections(struct pass *p, hd_tid thread, uint32_t lock, bool shared)
{
    const struct hd_sections *s = p->m->w->sections;
    bool changed = false;
    for (uint32_t i = s->user_start[lock]; i < s->user_start[lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        uint32_t count = row(p, p->now, thread)[user->thread];
        if (user->thread == thread || !count)
            continue;
        uint32_t id = hd_sections_open_at(s, user, count);
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
static void apply_locks(struct pass *p, hd_eid e)
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

/* ---- sources of reads ---- */

static bool raise_needs(struct pass *p, const uint32_t *clock)
{
    bool raised = false;
    for (size_t i = 0; i < p->m->threads; i++)
        if (clock[i] > p->needs[i]) {
            p->needs[i] = clock[i];
            raised = true;
        }
    return raised;
}

static bool raise_to_fresh(struct pass *p, const struct hd_must *m, hd_eid r)
{
    const uint32_t *clock = hd_must_fresh(m, r);
    return clock && raise_needs(p, clock);
}

/* Adds to p->needs what w needs in order to store its traced value, as `m` knows it. */
static bool need_concrete(struct pass *p, const struct hd_must *m, hd_eid w)
{
    const struct hd_trace *t = m->w->t;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    bool more = false;
    if (deps.all && t->control == HD_CONTROL_BRANCHES)
        more |= raise_needs(p, lookup(m, &m->all_changes[t->thread[w]], t->pos[w]));
    if (deps.all && t->op[w] == HD_OP_RMW)
        more |= raise_to_fresh(p, m, w);
    for (uint32_t i = 0; i < deps.n; i++)
        more |= raise_to_fresh(p, m, hd_trace_back(t, w, deps.dist[i]));
    return more;
}

/* Lowers p->low to what w needs in order to run and, if `stores`, to store its traced value. True
 * when the latter needs more than the former. */
static bool add_source(struct pass *p, hd_eid w, bool stores, bool *any)
{
    const struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    hd_tid u = t->thread[w];
    bool more = false;
    memcpy(p->needs, w < p->at ? hd_must_clock(m, w) : row(p, p->now, u),
           m->threads * sizeof *p->needs);
    if (p->before)
        raise_needs(p, hd_must_clock(p->before, w));
    if (stores && w < p->at)
        more |= need_concrete(p, m, w);
    if (stores && p->before)
        more |= need_concrete(p, p->before, w);
    p->again |= w > p->at;
    p->needs[u] = t->pos[w] + 1;
    for (size_t i = 0; i < m->threads; i++)
        if (!*any || p->needs[i] < p->low[i])
            p->low[i] = p->needs[i];
    *any = true;
    return more;
}

/* The user's first write that need not come before the read, as an index. */
static uint32_t first_free(const struct hd_must *m, const struct hd_loc_user *user, hd_eid r,
                           const uint32_t *clock)
{
    const struct hd_trace *t = m->t;
    uint32_t limit = user->thread == t->thread[r] ? t->pos[r] : clock[user->thread];
    return hd_accesses_write_from(m->w->locs, user, limit);
}

/* True when another of the n forced writes must come after w. */
static bool hidden(const struct hd_must *m, const hd_eid *forced, size_t n, hd_eid w)
{
    for (size_t i = 0; i < n; i++)
        if (forced[i] != HD_EID_NONE && forced[i] != w && hd_must_before(m, m->t, w, forced[i]))
            return true;
    return false;
}

/* Writes of another thread, of the right value and from index i on, that need not come before r.
 * What they need in order to run grows along the thread, so the first is the weakest, unless it
 * needs more in order to store that value: then a later one may do with less. */
static void add_free_write(struct pass *p, const struct hd_loc_user *user, hd_eid r,
                           struct hd_value_writes values, uint32_t i, bool *any)
{
    const struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    for (int looked = 0;; looked++, i++) {
        i = hd_accesses_value_from(m->w->locs, user, values, i);
        if (i == user->wend)
            return;
        hd_eid w = m->w->locs->writes[i];
        if (p->before && hd_must_before(p->before, t, r, w))
            return; /* this one and all later ones come too late */
        if (!add_source(p, w, looked < LOOK_LIMIT, any))
            return;
    }
}

/* Of a counter's user: the writes that must have run before r, and those that may have. */
struct share {
    struct hd_counter_sum least, most;
};

/* clock: of r. */
static struct share share_of(const struct pass *p, const struct hd_counter *c,
                             const struct hd_loc_user *user, hd_eid r, const uint32_t *clock)
{
    const struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    const struct hd_accesses *locs = m->w->locs;
    bool own = user->thread == t->thread[r];
    uint32_t limit = own ? t->pos[r] : clock[user->thread];
    uint32_t low = hd_accesses_write_from(locs, user, limit), high = own ? low : user->wend;
    for (uint32_t lo = low; p->before && lo < high;) { /* the first that comes too late */
        uint32_t mid = lo + (high - lo) / 2;
        if (hd_must_before(p->before, t, r, locs->writes[mid]))
            high = mid;
        else
            lo = mid + 1;
    }
    return (struct share){hd_counter_before(m->w->counters, c, user, low),
                          hd_counter_before(m->w->counters, c, user, high)};
}

/* The user's first write with which it has added (or taken) `amount` must have run: raises p->low.
 * Requires that there is one. */
static void need_amount(struct pass *p, const struct hd_counter *c, const struct hd_loc_user *user,
                        int64_t amount, bool up)
{
    const struct hd_world *w = p->m->w;
    uint32_t lo = user->wstart, hi = user->wend - 1;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        struct hd_counter_sum sum = hd_counter_before(w->counters, c, user, mid + 1);
        if ((up ? sum.up : sum.down) < amount)
            lo = mid + 1;
        else
            hi = mid;
    }
    hd_eid write = w->locs->writes[lo];
    const uint32_t *clock =
        write < p->at ? hd_must_clock(p->m, write) : row(p, p->now, user->thread);
    for (size_t i = 0; i < p->m->threads; i++)
        if (clock[i] > p->low[i] && i != user->thread)
            p->low[i] = clock[i];
    if (w->t->pos[write] + 1 > p->low[user->thread])
        p->low[user->thread] = w->t->pos[write] + 1;
}

/* A fresh read of a counter tells what has been added and taken before it: at least `need` of one
 * kind, of which each thread gives what all the others cannot. True when p->low was raised. */
static bool counter_needs(struct pass *p, const struct hd_counter *c,
                          const struct hd_loc_user *users, size_t n, hd_eid r)
{
    struct hd_counter_sum least = {0, 0}, most = {0, 0};
    int64_t difference = (int64_t)(hd_trace_read_value(p->m->w->t, r).bits - (uint64_t)c->base);
    const uint32_t *clock = hd_must_clock(p->m, r);
    bool raised = false;
    p->shares.len = 0;
    for (size_t i = 0; i < n; i++) {
        struct share s = share_of(p, c, &users[i], r, clock);
        *(struct share *)hd_vec_push(&p->shares) = s;
        least.up += s.least.up;
        least.down += s.least.down;
        most.up += s.most.up;
        most.down += s.most.down;
    }
    int64_t up = least.down + difference, down = least.up - difference;
    for (size_t i = 0; i < n; i++) {
        struct share s = *(struct share *)hd_vec_at(&p->shares, i);
        int64_t ups = up - (most.up - s.most.up), downs = down - (most.down - s.most.down);
        if (users[i].thread == p->m->w->t->thread[r])
            continue;
        if (ups > s.least.up && ups <= s.most.up) {
            need_amount(p, c, &users[i], ups, true);
            raised = true;
        }
        if (downs > s.least.down && downs <= s.most.down) {
            need_amount(p, c, &users[i], downs, false);
            raised = true;
        }
    }
    return raised;
}

/* Of a counter with very many users: can the value of r tell anything of one of them, whatever must
 * come before or after r? For the reads of all but the last ones it cannot, and looking at each
 * user for each of them would cost users squared. */
static bool may_tell(const struct hd_counter *c, const struct hd_trace *t, hd_eid r)
{
    int64_t difference = (int64_t)(hd_trace_read_value(t, r).bits - (uint64_t)c->base);
    int64_t ups = c->all.down + difference - (c->all.up - c->most.up);
    int64_t downs = c->all.up - difference - (c->all.down - c->most.down);
    return (c->most.up && ups > 0) || (c->most.down && downs > 0);
}

/* Puts into p->low what every possible source of r needs. False when nothing is known. */
static bool sources_need(struct pass *p, hd_eid r)
{
    const struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    uint32_t loc = t->obj[r];
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(m->w->locs, loc, &n);
    struct hd_value value = hd_trace_read_value(t, r);
    bool any = false, known = false;
    if (value.unique &&
        value.bits < t->n_events) { /* a value left out: the one write that made it */
        add_source(p, (hd_eid)value.bits, true, &any);
        return true;
    }
    if (n == 1 || n > MAX_USERS)
        return false;
    const uint32_t *clock = hd_must_clock(m, r);
    struct hd_value_writes values = hd_accesses_values(m->w->locs, loc, value);
    uint32_t next[MAX_USERS]; /* by user: first_free, */
    hd_eid forced[MAX_USERS]; /* and its last write that must come before r */
    for (size_t i = 0; i < n; i++) {
        next[i] = first_free(m, &users[i], r, clock);
        forced[i] = next[i] == users[i].wstart ? HD_EID_NONE : m->w->locs->writes[next[i] - 1];
        known |= forced[i] != HD_EID_NONE;
    }
    for (size_t i = 0; i < n; i++) {
        hd_eid w = forced[i];
        if (w != HD_EID_NONE && hd_value_eq(hd_trace_write_value(t, w), value) &&
            !hidden(m, forced, n, w))
            add_source(p, w, true, &any);
        if (users[i].thread != t->thread[r])
            add_free_write(p, &users[i], r, values, next[i], &any);
    }
    const struct hd_loc_init *init = &t->loc_init[loc];
    if (!known && init->how != HD_INIT_UNKNOWN && hd_value_eq(init->value, value))
        return false;
    return any;
}

/* Puts into p->low what r needs in order to be fresh. False when nothing is known. */
static bool source_needs(struct pass *p, hd_eid r)
{
    const struct hd_world *w = p->m->w;
    uint32_t loc = w->t->obj[r];
    const struct hd_counter *c = hd_counter_of(w->counters, loc);
    bool known = sources_need(p, r);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(w->locs, loc, &n);
    if (!c || (n > MAX_USERS && !may_tell(c, w->t, r)))
        return known;
    if (!known)
        memset(p->low, 0, p->m->threads * sizeof *p->low);
    return counter_needs(p, c, users, n, r) || known;
}

static void need_fresh(struct pass *p, hd_tid thread, hd_eid r)
{
    if (source_needs(p, r) && join_clock(p, row(p, p->now, thread), p->low, thread))
        p->dirty[thread] = 1;
}

static void need_deps(struct pass *p, hd_eid e, enum hd_dep_role role)
{
    const struct hd_trace *t = p->m->w->t;
    struct hd_deps deps = hd_trace_deps(t, e, role);
    hd_tid u = t->thread[e];
    if (deps.all && join_clock(p, row(p, p->now, u), row(p, p->fresh, u), u))
        p->dirty[u] = 1;
    for (uint32_t i = 0; i < deps.n; i++)
        need_fresh(p, u, hd_trace_back(t, e, deps.dist[i]));
}

/* Stores what r needs in order to be fresh, if that is more than it needs in order to run. */
static void keep_fresh(struct pass *p, hd_eid r)
{
    struct hd_must *m = p->m;
    const uint32_t *clock = hd_must_clock(m, r);
    for (hd_tid u = 0; u < m->threads; u++)
        if (u != m->t->thread[r] && p->low[u] > clock[u]) {
            struct hd_must_steps *steps = &m->steps[m->t->thread[r]];
            hd_marks_add(&steps->fresh_at, m->t->pos[r]);
            hd_u32vec_push(&steps->fresh, store_clock(m, p->low));
            return;
        }
}

/* After a read: what its freshness needs joins what "all reads so far" need. */
static void note_read(struct pass *p, hd_eid r)
{
    struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    hd_tid u = t->thread[r];
    if (source_needs(p, r)) {
        keep_fresh(p, r);
        if (join_clock(p, row(p, p->fresh, u), p->low, u))
            p->fresh_dirty[u] = 1;
    }
    if (p->fresh_dirty[u] && t->control == HD_CONTROL_BRANCHES)
        *(struct change *)hd_vec_push(&m->all_changes[u]) =
            (struct change){t->pos[r] + 1, store_clock(p->m, row(p, p->fresh, u))};
    p->fresh_dirty[u] = 0;
}

/* ---- the other primitives ---- */

/* Something that any one of several events of other threads gives: what the weakest of them needs.
 */
static void need_any(struct pass *p, hd_eid e, const struct hd_accesses *index,
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
            add_source(p, index->writes[g], false, &any);
    }
    hd_tid u = t->thread[e];
    if (any && join_clock(p, row(p, p->now, u), p->low, u))
        p->dirty[u] = 1;
}

/* Post number k, from 1, of the user comes before e. */
static void need_kth_post(struct pass *p, hd_eid e, const struct hd_loc_user *user, uint64_t k)
{
    hd_tid u = p->m->w->t->thread[e];
    bool any = false;
    add_source(p, p->sems->writes[user->wstart + k - 1], false, &any);
    if (join_clock(p, row(p, p->now, u), p->low, u))
        p->dirty[u] = 1;
}

/* Semaphores: the initial count and the posts of the own thread may not do for the P operations
 * that must come first and for this one. Then posts of others are needed: of each as many as all
 * the rest can not give, and of some thread the first. */
static void need_post(struct pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    const uint32_t *now = row(p, p->now, t->thread[e]);
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
static uint32_t arrivals(const struct pass *p, const struct hd_loc_user *user, uint32_t count)
{
    return hd_accesses_write_from(p->barriers, user, count) - user->wstart;
}

static void need_barrier(struct pass *p, hd_eid e)
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

static void find_simple_barriers(struct pass *p)
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

static void need_thread(struct pass *p, hd_eid e)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->m->w->t, p->m->w->t->obj[e], &n);
    if (n)
        need_event(p, p->m->w->t->thread[e], events[n - 1]);
}

static void need_notifier(struct pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    hd_eid wait = hd_trace_back(t, e, 1);
    need_any(p, e, p->conds, hd_must_clock(p->m, wait));
}

static void need_own(struct pass *p, hd_eid e)
{
    const struct hd_trace *t = p->m->w->t;
    hd_tid u = t->thread[e];
    if (t->pos[e] == 0 && t->fork_of[u] != HD_EID_NONE)
        need_event(p, u, t->fork_of[u]);
    if (t->control == HD_CONTROL_ALL && join_clock(p, row(p, p->now, u), row(p, p->fresh, u), u))
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

static void run(struct pass *p)
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
        m->all_changes[u] = HD_VEC_INIT(struct change);
        hd_u32vec_push(&m->pool, 0);
    }
    return m;
}

/* One pass over the trace, which knows what the one before it has found. *again: another may find
 * more. */
static struct hd_must *run_pass(const struct hd_world *w, const struct hd_must *before, bool *again)
{
    const struct hd_trace *t = w->t;
    struct hd_must *m = make(w);
    size_t n = hd_trace_n_threads(t), barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    struct pass p = {.m = m,
                     .before = before,
                     .conds = w->conds,
                     .sems = w->sems,
                     .barriers = w->barriers,
                     .now = hd_calloc(n * n, sizeof *p.now),
                     .fresh = hd_calloc(n * n, sizeof *p.fresh),
                     .dirty = hd_calloc(n, 1),
                     .fresh_dirty = hd_calloc(n, 1),
                     .simple = hd_calloc(barriers, 1),
                     .low = hd_calloc(n, sizeof *p.low),
                     .needs = hd_calloc(n, sizeof *p.needs),
                     .shares = HD_VEC_INIT(struct share)};
    run(&p);
    *again = p.again && p.better;
    hd_free(p.now, n * n * sizeof *p.now);
    hd_free(p.fresh, n * n * sizeof *p.fresh);
    hd_free(p.dirty, n);
    hd_free(p.fresh_dirty, n);
    hd_free(p.simple, barriers);
    hd_free(p.low, n * sizeof *p.low);
    hd_free(p.needs, n * sizeof *p.needs);
    hd_vec_fini(&p.shares);
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

struct hd_must *hd_must_new(const struct hd_world *w)
{
    enum { PASSES = 12 };
    struct hd_must *before = NULL, *m = NULL;
    size_t n = hd_trace_n_threads(w->t);
    /* Two rows for each thread, and one clock at least that is kept. */
    bool again = hd_stop_room(n * n * 3 * sizeof(uint32_t));
    for (int i = 0; i < PASSES && again; i++) {
        before = m;
        m = run_pass(w, before, &again);
        hd_must_free(before);
    }
    if (m)
        trim(m);
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
