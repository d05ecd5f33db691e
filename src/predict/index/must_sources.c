#include "predict/index/must_int.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

/* How many writes of the right value of one thread are looked at; beyond it what the next one needs
 * in order to run is taken as the lower bound. Only the precision of a clock depends on it. */
enum { LOOK_LIMIT = 32 };

/* A location with more users than this is taken to give a read nothing certain, unless its value
 * has only one possible source: the cost of a read grows with users times threads. */
enum { MAX_USERS = 64 };

static bool raise_needs(struct hd_must_pass *p, const uint32_t *clock)
{
    bool raised = false;
    for (size_t i = 0; i < p->m->threads; i++)
        if (clock[i] > p->needs[i]) {
            p->needs[i] = clock[i];
            raised = true;
        }
    return raised;
}

static bool raise_to_fresh(struct hd_must_pass *p, const struct hd_must *m, hd_tid u, uint32_t pos)
{
    const uint32_t *clock = hd_must_fresh_at(m, u, pos);
    return clock && raise_needs(p, clock);
}

/* Adds to p->needs what w, at position pos of thread u, needs in order to store its traced value,
 * as `m` knows it. Positions are enough: to look at other columns of w and the reads would cost
 * more than all the rest in a long trace. */
static bool need_concrete(struct hd_must_pass *p, const struct hd_must *m, hd_eid w, hd_tid u,
                          uint32_t pos)
{
    const struct hd_trace *t = m->t;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    bool more = false;
    if (deps.all && t->control == HD_CONTROL_BRANCHES)
        more |= raise_needs(p, hd_must_all_fresh(m, u, pos));
    if (deps.all && t->op[w] == HD_OP_RMW)
        more |= raise_to_fresh(p, m, u, pos);
    for (uint32_t i = 0; i < deps.n; i++)
        more |= raise_to_fresh(p, m, u, pos - deps.dist[i]);
    return more;
}

bool hd_must_add_source(struct hd_must_pass *p, hd_eid w, hd_tid u, bool stores, bool *any)
{
    const struct hd_must *m = p->m;
    uint32_t pos = m->t->pos[w];
    bool more = false;
    memcpy(p->needs, w < p->at ? hd_must_clock_at(m, u, pos) : hd_must_row(p, p->now, u),
           m->threads * sizeof *p->needs);
    if (p->before)
        raise_needs(p, hd_must_clock_at(p->before, u, pos));
    if (stores && w < p->at)
        more |= need_concrete(p, m, w, u, pos);
    if (stores && p->before)
        more |= need_concrete(p, p->before, w, u, pos);
    p->again |= w > p->at;
    p->seen_later |= w > p->at;
    hd_must_see(p, w);
    p->needs[u] = pos + 1;
    for (size_t i = 0; i < m->threads; i++)
        if (!*any || p->needs[i] < p->low[i])
            p->low[i] = p->needs[i];
    *any = true;
    return more;
}

/* The user's first write that need not come before the read, as an index. Reads that follow each
 * other in the trace mostly get the same answer or the next. */
static uint32_t first_free(struct hd_must_pass *p, const struct hd_loc_user *user, hd_eid r,
                           const uint32_t *clock)
{
    const struct hd_trace *t = p->m->t;
    uint32_t limit = user->thread == t->thread[r] ? t->pos[r] : clock[user->thread];
    uint32_t *near = &p->near[user - (const struct hd_loc_user *)p->m->w->locs->users.data].free;
    return *near = hd_accesses_write_near(p->m->w->locs, user, limit, *near);
}

/* hd_accesses_values; the last answers are kept. */
static struct hd_must_values *values_of(struct hd_must_pass *p, uint32_t loc, struct hd_value value)
{
    const struct hd_accesses *locs = p->m->w->locs;
    uint64_t hash = hd_hash_mix(hd_hash_mix(loc) + value.bits * 2 + value.unique);
    struct hd_must_values *kept = &p->values[hash & (p->n_values - 1)];
    if (kept->loc != loc + 1 || !hd_value_eq(kept->value, value)) {
        uint32_t *near = &p->value_near[loc & (p->n_values - 1)];
        struct hd_value_writes writes = hd_accesses_values_near(locs, loc, value, *near);
        *near = writes.start;
        uint8_t rank = writes.start < writes.end ? locs->value_rank[locs->by_value[writes.start]]
                                                 : HD_VALUE_RANK_MANY;
        *kept = (struct hd_must_values){loc + 1, rank, value, writes};
    }
    return kept;
}

/* hd_accesses_value_from; when few values are written, the right one is likely to be near. */
static uint32_t value_from(const struct hd_accesses *locs, const struct hd_loc_user *user,
                           const struct hd_must_values *values, uint32_t i)
{
    enum { NEAR = 64 };
    uint32_t n = user->wend - i > NEAR ? NEAR : user->wend - i;
    if (n && values->rank != HD_VALUE_RANK_MANY) {
        const uint8_t *found = memchr(locs->value_rank + i, values->rank, n);
        if (found)
            return (uint32_t)(found - locs->value_rank);
        i += n;
    }
    return hd_accesses_value_from(locs, user, values->writes, i);
}

static void set_late(const struct hd_must *m, struct hd_must_late *late, hd_tid u, size_t pos)
{
    const struct hd_marks *at = &m->steps[u].at;
    pos = hd_marks_next(at, pos);
    late->event = pos < at->size ? hd_world_event(m->w, u, (uint32_t)pos) : HD_EID_NONE;
}

struct hd_must_late *hd_must_late_new(const struct hd_must *before)
{
    size_t n = before->threads;
    struct hd_must_late *late = hd_calloc(n * n, sizeof *late);
    for (size_t i = 0; i < n * n; i++)
        set_late(before, &late[i], (hd_tid)(i % n), 0);
    return late;
}

/* The first event of thread u that must come after r: reads of a thread are asked for in their
 * order, and what comes after one comes after those before it. HD_EID_NONE: none is known. */
static hd_eid late_from(struct hd_must_pass *p, hd_tid u, hd_eid r)
{
    const struct hd_must *before = p->before;
    const struct hd_trace *t = p->m->t;
    hd_tid own = t->thread[r];
    if (!before)
        return HD_EID_NONE;
    struct hd_must_late *late = &p->late[(size_t)own * before->threads + u];
    const struct hd_must_steps *steps = &before->steps[u];
    while (late->event != HD_EID_NONE &&
           before->pool.data[(size_t)steps->clock.data[late->step] * before->threads + own] <=
               t->pos[r]) {
        late->step++;
        set_late(before, late, u, t->pos[late->event] + (size_t)1);
    }
    return late->event;
}

/* True when another of the n forced writes must come after w. */
static bool hidden(struct hd_must_pass *p, const hd_eid *forced, size_t n, hd_eid w)
{
    for (size_t i = 0; i < n; i++) {
        if (forced[i] == HD_EID_NONE || forced[i] <= w)
            continue; /* orders hold in the trace, too */
        hd_must_see(p, forced[i]);
        if (hd_must_before(p->m, p->m->t, w, forced[i]))
            return true;
    }
    return false;
}

/* Does p->low ask for more than r needs in order to run? If not, further sources, which can only
 * lower it, need not be looked at. */
static bool tells(const struct hd_must_pass *p, hd_eid r, const uint32_t *clock)
{
    for (hd_tid u = 0; u < p->m->threads; u++)
        if (p->low[u] > clock[u] && u != p->m->t->thread[r])
            return true;
    return false;
}

/* Adds writes of another thread, of the right value and from index i on, that need not come before
 * r. What they need in order to run grows along the thread, so the first is the weakest, unless it
 * needs more in order to store that value: then a later one may do with less. */
static void add_free_writes(struct hd_must_pass *p, const struct hd_loc_user *user, hd_eid r,
                            const struct hd_must_values *values, uint32_t i, bool *any)
{
    const struct hd_accesses *locs = p->m->w->locs;
    hd_eid late = late_from(p, user->thread, r);
    for (int looked = 0; i < user->wend && locs->writes[i] < late; looked++, i++) {
        i = value_from(locs, user, values, i);
        if (i == user->wend || locs->writes[i] >= late)
            return; /* this one and all later ones come too late */
        hd_eid w = locs->writes[i];
        if (!hd_must_add_source(p, w, user->thread, looked < LOOK_LIMIT, any))
            return;
    }
}

/* The first of the user's writes from index lo on that must come after r. */
static uint32_t first_late(struct hd_must_pass *p, const struct hd_loc_user *user, hd_eid r,
                           uint32_t lo)
{
    const struct hd_accesses *locs = p->m->w->locs;
    uint32_t *near = &p->near[user - (const struct hd_loc_user *)locs->users.data].late;
    *near = hd_accesses_write_after(locs, user, late_from(p, user->thread, r), *near);
    if (*near <= lo)
        return lo;
    hd_must_see(p, locs->writes[*near - 1]); /* the next one to come too late */
    return *near;
}

/* clock: of r. */
static struct hd_must_share share_of(struct hd_must_pass *p, const struct hd_counter *c,
                                     const struct hd_loc_user *user, hd_eid r,
                                     const uint32_t *clock)
{
    const struct hd_counters *counters = p->m->w->counters;
    uint32_t low = first_free(p, user, r, clock), high = user->wend;
    if (user->thread == p->m->t->thread[r])
        high = low;
    else if (p->before)
        high = first_late(p, user, r, low);
    return (struct hd_must_share){hd_counter_before(counters, c, user, low),
                                  hd_counter_before(counters, c, user, high), low, high};
}

/* The user's first write with which it has added (or taken) `amount` must have run: raises p->low.
 * Requires that this is one of those that may have run and need not. */
static void need_amount(struct hd_must_pass *p, const struct hd_counter *c,
                        const struct hd_loc_user *user, const struct hd_must_share *share,
                        int64_t amount, bool up)
{
    const struct hd_world *w = p->m->w;
    uint32_t lo = share->low, hi = share->high - 1;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        struct hd_counter_sum sum = hd_counter_before(w->counters, c, user, mid + 1);
        if ((up ? sum.up : sum.down) < amount)
            lo = mid + 1;
        else
            hi = mid;
    }
    hd_eid write = w->locs->writes[lo];
    hd_must_see(p, write);
    const uint32_t *clock =
        write < p->at ? hd_must_clock(p->m, write) : hd_must_row(p, p->now, user->thread);
    for (size_t i = 0; i < p->m->threads; i++)
        if (clock[i] > p->low[i] && i != user->thread)
            p->low[i] = clock[i];
    if (w->t->pos[write] + 1 > p->low[user->thread])
        p->low[user->thread] = w->t->pos[write] + 1;
}

/* Whether the read comes behind the store that begins the counter and before the write that ends
 * it. */
static bool in_life(struct hd_must_pass *p, const struct hd_counter *c, hd_eid r,
                    const uint32_t *clock)
{
    const struct hd_trace *t = p->m->t;
    hd_tid u = t->thread[r], v;
    if (c->begin != HD_EID_NONE) {
        v = t->thread[c->begin];
        if (v == u ? t->pos[c->begin] > t->pos[r] : clock[v] <= t->pos[c->begin])
            return false;
    }
    if (c->end == HD_EID_NONE)
        return true;
    if (t->thread[c->end] == u)
        return t->pos[r] < t->pos[c->end];
    hd_must_see(p, c->end);
    return p->before && hd_must_clock(p->before, c->end)[u] > t->pos[r];
}

/* A fresh read of a counter shows what has been added and taken before it: at least `need` of one
 * kind, of which each thread gives what all the others cannot. True when p->low was raised. */
static bool counter_needs(struct hd_must_pass *p, const struct hd_counter *c,
                          const struct hd_loc_user *users, size_t n, hd_eid r)
{
    struct hd_counter_sum least = {0, 0}, most = {0, 0};
    int64_t difference = (int64_t)(hd_trace_read_value(p->m->w->t, r).bits - (uint64_t)c->base);
    const uint32_t *clock = hd_must_clock(p->m, r);
    bool raised = false;
    if (!in_life(p, c, r, clock))
        return false;
    p->shares.len = 0;
    for (size_t i = 0; i < n; i++) {
        struct hd_must_share s = share_of(p, c, &users[i], r, clock);
        *(struct hd_must_share *)hd_vec_push(&p->shares) = s;
        least.up += s.least.up;
        least.down += s.least.down;
        most.up += s.most.up;
        most.down += s.most.down;
    }
    int64_t up = least.down + difference, down = least.up - difference;
    for (size_t i = 0; i < n; i++) {
        struct hd_must_share s = *(struct hd_must_share *)hd_vec_at(&p->shares, i);
        int64_t ups = up - (most.up - s.most.up), downs = down - (most.down - s.most.down);
        if (users[i].thread == p->m->w->t->thread[r])
            continue;
        if (ups > s.least.up && ups <= s.most.up) {
            need_amount(p, c, &users[i], &s, ups, true);
            raised = true;
        }
        if (downs > s.least.down && downs <= s.most.down) {
            need_amount(p, c, &users[i], &s, downs, false);
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

/* Writes that must come before r: each user's last one, if it has the right value and none of the
 * others must come after it. False: r can do without them, it may find the initial value. */
static bool add_forced_writes(struct hd_must_pass *p, const struct hd_loc_user *users, size_t n,
                              hd_eid r, const uint32_t *next, bool *any)
{
    const struct hd_must *m = p->m;
    const struct hd_trace *t = m->w->t;
    struct hd_value value = hd_trace_read_value(t, r);
    hd_eid forced[MAX_USERS];
    bool known = false;
    for (size_t i = 0; i < n; i++) {
        forced[i] = next[i] == users[i].wstart ? HD_EID_NONE : m->w->locs->writes[next[i] - 1];
        known |= forced[i] != HD_EID_NONE;
    }
    for (size_t i = 0; i < n; i++)
        if (forced[i] != HD_EID_NONE && hd_value_eq(hd_trace_write_value(t, forced[i]), value) &&
            !hidden(p, forced, n, forced[i]))
            hd_must_add_source(p, forced[i], users[i].thread, true, any);
    const struct hd_loc_init *init = &t->loc_init[t->obj[r]];
    return known || init->how == HD_INIT_UNKNOWN || !hd_value_eq(init->value, value);
}

/* The same for a read of a location with a few users. */
static bool users_need(struct hd_must_pass *p, const struct hd_loc_user *users, size_t n, hd_eid r)
{
    const struct hd_trace *t = p->m->t;
    const uint32_t *clock = hd_must_clock(p->m, r);
    const struct hd_must_values *values = values_of(p, t->obj[r], hd_trace_read_value(t, r));
    uint32_t next[MAX_USERS]; /* by user: first_free */
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        next[i] = first_free(p, &users[i], r, clock);
        if (users[i].thread == t->thread[r])
            continue;
        add_free_writes(p, &users[i], r, values, next[i], &any);
        if (any && !tells(p, r, clock))
            return false;
    }
    return add_forced_writes(p, users, n, r, next, &any) && any && tells(p, r, clock);
}

/* The one write that made the value of r, which was left out in the trace; HD_EID_NONE: there may
 * be others. */
static hd_eid only_source(const struct hd_trace *t, hd_eid r)
{
    struct hd_value value = hd_trace_read_value(t, r);
    return value.unique && value.bits < t->n_events ? (hd_eid)value.bits : HD_EID_NONE;
}

/* Puts into p->low what every possible source of r needs, if that is more than r needs in order to
 * run. False when it is not, or nothing is known. c: NULL when r is not of a counter. */
static bool sources_need(struct hd_must_pass *p, const struct hd_loc_user *users, size_t n,
                         const struct hd_counter *c, hd_eid r)
{
    hd_eid only = only_source(p->m->t, r);
    bool any = false, known = false;
    if (only != HD_EID_NONE) {
        hd_must_add_source(p, only, p->m->t->thread[only], true, &any);
        known = true;
    } else if (n > 1 && n <= MAX_USERS) {
        known = users_need(p, users, n, r);
    }
    if (!c)
        return known;
    if (!known)
        memset(p->low, 0, p->m->threads * sizeof *p->low);
    return counter_needs(p, c, users, n, r) || known;
}

bool hd_must_source_needs(struct hd_must_pass *p, hd_eid r)
{
    const struct hd_world *w = p->m->w;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(w->locs, w->t->obj[r], &n);
    const struct hd_counter *c = hd_counter_of(w->counters, w->t->obj[r]);
    bool told;
    if (c && n > MAX_USERS && !may_tell(c, w->t, r))
        c = NULL;
    if (!c && (n == 1 || n > MAX_USERS) && only_source(w->t, r) == HD_EID_NONE)
        return false;
    if (hd_must_watch_same(p, r, &told))
        return told;
    p->n_seen = 0;
    p->seen_later = false;
    told = sources_need(p, users, n, c, r);
    hd_must_watch_set(p, !told || tells(p, r, hd_must_clock(p->m, r)));
    return told;
}
