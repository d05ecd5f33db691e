/* A read that must be fresh has a source: what comes before all possible ones, and is handed on.
 *
 * A read-modify-write hands on what it releases itself, and what its own source hands on, whatever
 * its order: it continues the release sequence. So sources have sources, up to a few. */
#include "predict/orders/certain_int.h"

#include <string.h>

/* The reads whose sources are looked at: that of the due one, then of the read-modify-writes that
 * it may read from, each reading from the next. */
struct chain {
    struct hd_certain *c;
    uint32_t *part; /* what the due read gets from one source */
    unsigned own;   /* the due read is fresh: so many writes of its own thread are looked behind */
    hd_eid on[HD_CERTAIN_CHAIN + 1];
    unsigned n;
    bool acquires; /* the due read does */
    bool free; /* one of the chain writes its value whatever it read: those behind it need not be
                  fresh */
    unsigned left; /* sources of others, and reads behind own writes, to be looked at */
    const struct hd_certain_case *in; /* or NULL: all schedules */
};

/* What comes before every possible source so far, and is handed on. */
struct common {
    uint32_t *low;
    bool any;
};

static void put_event(const struct hd_certain *c, uint32_t *clock, hd_eid e)
{
    const uint32_t *before = hd_certain_clock(c, e);
    hd_tid u = c->t->thread[e];
    for (size_t v = 0; v < c->n; v++)
        if (before[v] > clock[v])
            clock[v] = before[v];
    if (clock[u] <= c->t->pos[e])
        clock[u] = c->t->pos[e] + 1;
}

/* The user's first write that need not come before the read, as an index. Reads that follow each
 * other in the trace mostly get the same answer or the next. */
static uint32_t first_free(const struct hd_certain *c, const struct hd_loc_user *user, hd_eid r)
{
    const struct hd_accesses *locs = c->w->locs;
    uint32_t limit =
        user->thread == c->t->thread[r] ? c->t->pos[r] : hd_must_clock(c->w->must, r)[user->thread];
    uint32_t *near = &c->near[user - (const struct hd_loc_user *)locs->users.data];
    return *near = hd_accesses_write_near(locs, user, limit, *near);
}

/* The last write of the user that must come before the read, or HD_EID_NONE. */
static hd_eid forced_write(const struct hd_certain *c, const struct hd_loc_user *user, hd_eid r)
{
    uint32_t next = first_free(c, user, r);
    return next == user->wstart ? HD_EID_NONE : c->w->locs->writes[next - 1];
}

/* The writes of this value, which are mostly near those of the value that was asked for last. */
static struct hd_value_writes values_of(const struct hd_certain *c, uint32_t loc,
                                        struct hd_value value)
{
    struct hd_value_writes writes =
        hd_accesses_values_near(c->w->locs, loc, value, c->value_near[loc]);
    c->value_near[loc] = writes.start;
    return writes;
}

static bool hidden(const struct hd_certain *c, const struct hd_loc_user *users, size_t n, hd_eid w,
                   hd_eid r)
{
    for (size_t i = 0; i < n; i++) {
        hd_eid other = forced_write(c, &users[i], r);
        if (other != HD_EID_NONE && other != w && hd_world_before(c->w, w, other))
            return true;
    }
    return false;
}

/* What a read is known to return, if it is. */
struct sought {
    struct hd_value value;
    bool known;
};

static bool add_source(struct chain *chain, hd_eid write, struct common *common);

/* Sources by another thread that need not come before the read. values: NULL, if any may be. */
static bool add_free_writes(struct chain *chain, const struct hd_loc_user *user,
                            const struct hd_value_writes *values, struct common *common)
{
    const struct hd_certain *c = chain->c;
    const struct hd_accesses *locs = c->w->locs;
    hd_eid read = chain->on[chain->n - 1];
    uint32_t i = first_free(c, user, read);
    for (unsigned looked = 0;; looked++, i++) {
        if (values)
            i = hd_accesses_value_from(locs, user, *values, i);
        if (i == user->wend || hd_world_before(c->w, read, locs->writes[i]))
            return true;
        if (looked == HD_CERTAIN_SOURCES || !add_source(chain, locs->writes[i], common))
            return false;
    }
}

static bool has_value(const struct hd_certain *c, hd_eid w, const struct sought *sought)
{
    return !sought->known || hd_value_eq(hd_trace_write_value(c->t, w), sought->value);
}

/* Is the last write of the read's own thread a source that hands nothing on? Most reads of memory
 * that a thread keeps to itself for a while have such a one, and need no look at others. */
static bool is_own(const struct chain *chain, const struct hd_loc_user *users, size_t n,
                   const struct sought *sought)
{
    const struct hd_certain *c = chain->c;
    hd_eid read = chain->on[0], w = HD_EID_NONE;
    if (chain->n > 1 || chain->own || chain->in)
        return false;
    for (size_t i = 0; i < n; i++)
        if (users[i].thread == c->t->thread[read])
            w = forced_write(c, &users[i], read);
    return w != HD_EID_NONE && has_value(c, w, sought) && !hidden(c, users, n, w, read);
}

/* Every possible source of the last read of the chain. False: nothing is common to them. */
static bool add_sources(struct chain *chain, const struct sought *sought, struct common *common)
{
    const struct hd_certain *c = chain->c;
    const struct hd_trace *t = c->t;
    hd_eid read = chain->on[chain->n - 1];
    bool forced = false;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(c->w->locs, t->obj[read], &n);
    if (sought->known && sought->value.unique && sought->value.bits < t->n_events)
        return add_source(chain, (hd_eid)sought->value.bits, common) && common->any;
    if (n > HD_CERTAIN_USERS || is_own(chain, users, n, sought))
        return false;
    struct hd_value_writes values = {0, 0};
    if (sought->known)
        values = values_of(c, t->obj[read], sought->value);
    for (size_t i = 0; i < n; i++) {
        hd_eid w = forced_write(c, &users[i], read);
        forced |= w != HD_EID_NONE;
        if (w != HD_EID_NONE && has_value(c, w, sought) && !hidden(c, users, n, w, read) &&
            !add_source(chain, w, common))
            return false;
        if (users[i].thread != t->thread[read] &&
            !add_free_writes(chain, &users[i], sought->known ? &values : NULL, common))
            return false;
    }
    const struct hd_loc_init *init = &t->loc_init[t->obj[read]];
    bool initial = !forced && (!sought->known || init->how == HD_INIT_UNKNOWN ||
                               hd_value_eq(init->value, sought->value));
    return common->any && !initial;
}

/* Puts into `clock` what an acquiring read gets that reads from the write, in every schedule in
 * which the chain is how it is. False: nothing. */
static bool hands(struct chain *chain, hd_eid write, uint32_t *clock)
{
    struct hd_certain *c = chain->c;
    const struct hd_trace *t = c->t;
    bool some = c->releases[write] != HD_EID_NONE;
    memset(clock, 0, c->n * sizeof *clock);
    if (some)
        put_event(c, clock, c->releases[write]);
    if (t->op[write] != HD_OP_RMW || chain->n > HD_CERTAIN_CHAIN)
        return some;
    struct common common = {.low = c->chain + (size_t)chain->n * 2 * c->n};
    bool was_free = chain->free;
    chain->free = was_free || !hd_trace_updates(t, write);
    chain->on[chain->n++] = write;
    struct sought sought = {hd_trace_read_value(t, write), !chain->free};
    bool more = add_sources(chain, &sought, &common);
    chain->n--;
    chain->free = was_free;
    for (size_t v = 0; more && v < c->n; v++)
        if (common.low[v] > clock[v])
            clock[v] = common.low[v];
    return some || more;
}

static bool is_on(const struct chain *chain, hd_eid e)
{
    for (unsigned i = 0; i < chain->n; i++)
        if (chain->on[i] == e)
            return true;
    return false;
}

static void lower(const struct hd_certain *c, const uint32_t *clock, struct common *common)
{
    for (size_t v = 0; v < c->n; v++)
        if (!common->any || clock[v] < common->low[v])
            common->low[v] = clock[v];
    common->any = true;
}

/* One more possible source of the last read of a chain of read-modify-writes. All of the chain come
 * before the due read, and each but once. */
static bool add_link(struct chain *chain, hd_eid write, struct common *common)
{
    struct hd_certain *c = chain->c;
    uint32_t *clock = common->low + c->n;
    if (is_on(chain, write) || hd_world_before(c->w, chain->on[0], write))
        return true;
    if (!chain->left || !hd_op_is_atomic(c->t->op[write]))
        return false;
    chain->left--;
    if (!hands(chain, write, clock))
        return false;
    lower(c, clock, common);
    return true;
}

/* Puts into chain->part what the due read gets that reads from a write of its own thread. As it is
 * fresh, the write has stored its value; so the reads that this depends on are fresh, too, and get
 * something from their sources. False: nothing. */
static bool hands_own(struct chain *chain, hd_eid write)
{
    struct hd_certain *c = chain->c;
    struct hd_deps deps = hd_trace_deps(c->t, write, HD_DEP_VALUE);
    bool some = false;
    if (chain->own == 0)
        return false;
    uint32_t *low = c->own + (size_t)(chain->own - 1) * 2 * c->n;
    memset(chain->part, 0, c->n * sizeof *chain->part);
    for (uint32_t i = 0; i < deps.n && chain->left; i++) {
        hd_eid read = hd_trace_back(c->t, write, deps.dist[i]);
        struct chain behind = {.c = c,
                               .part = low + c->n,
                               .own = chain->own - 1,
                               .on = {read},
                               .n = 1,
                               .left = chain->left - 1};
        struct sought sought = {hd_trace_read_value(c->t, read), true};
        struct common common = {.low = low};
        bool more = add_sources(&behind, &sought, &common);
        some |= more;
        chain->left = behind.left;
        for (size_t v = 0; more && v < c->n; v++)
            if (low[v] > chain->part[v])
                chain->part[v] = low[v];
    }
    return some;
}

/* Puts into chain->part what the due read gets that reads from the write. False: nothing. */
static bool hands_first(struct chain *chain, hd_eid write)
{
    struct hd_certain *c = chain->c;
    hd_eid read = chain->on[0];
    bool plain = !hd_op_is_atomic(c->t->op[write]) || !hd_op_is_atomic(c->t->op[read]);
    if (c->t->thread[write] == c->t->thread[read])
        return hands_own(chain, write);
    if (!plain && !hd_certain_excludes(c, write, read))
        return chain->acquires && hands(chain, write, chain->part);
    memset(chain->part, 0, c->n * sizeof *chain->part);
    put_event(c, chain->part, write);
    return true;
}

/* One more possible source of the due read. */
static bool add_first(struct chain *chain, hd_eid write, struct common *common)
{
    struct hd_certain *c = chain->c;
    const struct hd_certain_case *in = chain->in;
    bool handed = hands_first(chain, write);
    if (in && !(handed && chain->part[c->t->thread[in->first]] > c->t->pos[in->first]))
        return in->impossible(in->ctx, chain->on[0], write);
    if (handed)
        lower(c, chain->part, common);
    return handed;
}

static bool add_source(struct chain *chain, hd_eid write, struct common *common)
{
    return chain->n == 1 ? add_first(chain, write, common) : add_link(chain, write, common);
}

void hd_certain_read(struct hd_certain *c, hd_eid e)
{
    size_t n;
    if (c->t->op[e] != HD_OP_READ)
        return; /* its object is another kind's */
    const struct hd_loc_user *users = hd_accesses_users(c->w->locs, c->t->obj[e], &n);
    if (n > HD_CERTAIN_FEW || users[n - 1].wend - users[0].wstart > HD_CERTAIN_WRITES)
        return;
    struct chain chain = {.c = c, .part = c->part, .on = {e}, .n = 1};
    struct sought any = {.known = false};
    struct common common = {.low = c->low};
    if (add_sources(&chain, &any, &common))
        hd_certain_join(c, c->t->thread[e], c->low);
}

/* To look behind own writes at every read of every pass would cost more than all the rest. */
static struct chain fresh_chain(struct hd_certain *c, const struct hd_certain_due *d,
                                const struct hd_certain_case *in)
{
    return (struct chain){.c = c,
                          .part = c->part,
                          .own = in ? HD_CERTAIN_OWN : 0,
                          .on = {d->read},
                          .n = 1,
                          .acquires = d->acquires,
                          .left = HD_CERTAIN_LINKS,
                          .in = in};
}

void hd_certain_fresh(struct hd_certain *c, const struct hd_certain_due *d)
{
    struct chain chain = fresh_chain(c, d, NULL);
    struct sought sought = {hd_trace_read_value(c->t, d->read), true};
    struct common common = {.low = c->low};
    if (add_sources(&chain, &sought, &common))
        hd_certain_join(c, c->t->thread[d->read], c->low);
    if (hd_op_is_atomic(c->t->op[d->read]))
        hd_certain_rows(c, d);
}

bool hd_certain_hands(struct hd_certain *c, const struct hd_certain_due *d,
                      const struct hd_certain_case *in)
{
    struct chain chain = fresh_chain(c, d, in);
    struct sought sought = {hd_trace_read_value(c->t, d->read), true};
    struct common common = {.low = c->low};
    return add_sources(&chain, &sought, &common);
}
