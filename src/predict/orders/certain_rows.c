/* A row of read-modify-writes, each of which reads from the one before: a read at its end gets what
 * every write of the row released. */
#include "predict/orders/certain_int.h"

#define LOOK_BACK 8                  /* writes, for one that releases */
#define FAR       (INT64_C(1) << 40) /* numbers that large are no counts, and sums of them overflow */

void hd_certain_rows_init(struct hd_certain *c)
{
    const struct hd_accesses *locs = c->w->locs;
    for (uint32_t x = 0; x < hd_trace_n_objs(c->t, HD_OBJ_LOC); x++) {
        size_t n;
        const struct hd_loc_user *users = hd_accesses_users(locs, x, &n);
        for (size_t i = 0; i < n; i++)
            for (uint32_t k = users[i].wend, store = k; k-- > users[i].wstart;) {
                store = c->t->op[locs->writes[k]] == HD_OP_RMW ? store : k;
                c->next_store[k] = store;
            }
    }
}

/* Between w and the read nothing but read-modify-writes can come. If the read must come before a
 * write, then before later ones of that thread, too: so the first that is none decides. */
static bool unbroken(const struct hd_certain *c, hd_eid w, hd_eid r)
{
    const struct hd_trace *t = c->t;
    const struct hd_accesses *locs = c->w->locs;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(locs, t->obj[r], &n);
    for (size_t i = 0; i < n; i++) {
        hd_tid v = users[i].thread;
        uint32_t from = v == t->thread[w] ? t->pos[w] + 1 : hd_must_clock(c->w->must, w)[v];
        uint32_t k = hd_accesses_write_from(locs, &users[i], from);
        uint32_t store = k < users[i].wend ? c->next_store[k] : k;
        if (store < users[i].wend && !hd_world_before(c->w, r, locs->writes[store]))
            return false;
    }
    return true;
}

/* The last of the user's writes before index `next` that releases comes before the read, if nothing
 * ends the row in between. What one of them releases is known where a later one's is. */
static void join_row(struct hd_certain *c, const struct hd_loc_user *user, uint32_t next, hd_eid r)
{
    const hd_eid *writes = c->w->locs->writes;
    for (int k = 0; k < LOOK_BACK && next > user->wstart; k++, next--) {
        hd_eid from = c->releases[writes[next - 1]];
        if (from != HD_EID_NONE &&
            hd_certain_now(c, c->t->thread[r])[user->thread] > c->t->pos[from])
            return;
        if (from != HD_EID_NONE && unbroken(c, writes[next - 1], r)) {
            hd_certain_join_event(c, c->t->thread[r], from);
            return;
        }
    }
}

static int64_t added(const struct hd_trace *t, hd_eid w)
{
    return (int64_t)(hd_trace_write_value(t, w).bits - hd_trace_read_value(t, w).bits);
}

/* An rmw whose value comes from its own read: while what follows it in a row is fresh, it has added
 * what it added in the trace. */
static bool adds(const struct hd_trace *t, hd_eid w)
{
    if (t->op[w] != HD_OP_RMW)
        return false;
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    bool own = deps.all;
    for (uint32_t i = 0; i < deps.n; i++)
        own |= deps.dist[i] == 0;
    return own && !hd_trace_read_value(t, w).unique && !hd_trace_write_value(t, w).unique &&
           added(t, w) > -FAR && added(t, w) < FAR;
}

/* The user's writes that must come before the read: up to which index. */
static uint32_t first_open(const struct hd_certain *c, const struct hd_loc_user *user, hd_eid r)
{
    const struct hd_must *m = c->w->must;
    hd_tid v = user->thread;
    const uint32_t *fresh = m->pool.data + (size_t)m->fresh_of[r] * m->threads;
    uint32_t clock = hd_must_clock(m, r)[v];
    if (v == c->t->thread[r])
        clock = c->t->pos[r];
    else if (fresh[v] > clock)
        clock = fresh[v];
    return hd_accesses_write_from(c->w->locs, user, clock);
}

/* A location that threads count in, for one read of it. */
struct count {
    const struct hd_loc_user *users;
    size_t n;
    hd_eid read, base;              /* the write that it starts from, or HD_EID_NONE */
    uint32_t end[HD_CERTAIN_USERS]; /* writes from here on come after the read */
    int64_t least[HD_CERTAIN_USERS],
        most[HD_CERTAIN_USERS]; /* what each may have added on balance */
};

/* Where the user's writes that may come before the read end. False: one of them does not add, and
 * is not the first of all. */
static bool find_end(const struct hd_certain *c, struct count *k, size_t i)
{
    const struct hd_loc_user *user = &k->users[i];
    const hd_eid *writes = c->w->locs->writes;
    bool own = user->thread == c->t->thread[k->read];
    uint32_t at = user->wstart;
    for (; at < user->wend; at++) {
        hd_eid w = writes[at];
        if (own ? c->t->pos[w] >= c->t->pos[k->read] : hd_world_before(c->w, k->read, w))
            break;
        if (adds(c->t, w))
            continue;
        if (k->base != HD_EID_NONE || at != user->wstart)
            return false;
        k->base = w;
    }
    k->end[i] = at;
    return true;
}

static bool is_first(const struct hd_certain *c, const struct count *k)
{
    for (size_t i = 0; i < k->n && k->base != HD_EID_NONE; i++) {
        uint32_t at = k->users[i].wstart;
        at += at < k->end[i] && c->w->locs->writes[at] == k->base;
        if (at < k->end[i] && !hd_world_before(c->w, k->base, c->w->locs->writes[at]))
            return false;
    }
    return k->base == HD_EID_NONE || hd_world_before(c->w, k->base, k->read);
}

/* The first index from which on what the user has added is within the bounds. */
static uint32_t look_along(const struct hd_certain *c, struct count *k, size_t i, int64_t low,
                           int64_t high)
{
    const struct hd_loc_user *user = &k->users[i];
    uint32_t from = first_open(c, user, k->read);
    bool own = user->thread == c->t->thread[k->read];
    int64_t sum = 0;
    k->least[i] = INT64_MAX;
    k->most[i] = INT64_MIN;
    uint32_t found = UINT32_MAX;
    for (uint32_t at = user->wstart; at <= k->end[i]; at++) {
        if (at >= from || (own && at == k->end[i])) {
            k->least[i] = sum < k->least[i] ? sum : k->least[i];
            k->most[i] = sum > k->most[i] ? sum : k->most[i];
            if (found == UINT32_MAX && sum >= low && sum <= high)
                found = at;
        }
        if (at < k->end[i] && c->w->locs->writes[at] != k->base)
            sum += added(c->t, c->w->locs->writes[at]);
    }
    return found;
}

/* A fresh read of a number that threads add to tells what all have added on balance. Of each as
 * many writes must have come before as it takes until its part can be right, whatever the others
 * did. */
static void counted(struct hd_certain *c, const struct hd_certain_due *d)
{
    const struct hd_trace *t = c->t;
    const struct hd_loc_init *init = &t->loc_init[t->obj[d->read]];
    struct hd_value value = hd_trace_read_value(t, d->read);
    struct count k = {.read = d->read, .base = HD_EID_NONE};
    k.users = hd_accesses_users(c->w->locs, t->obj[d->read], &k.n);
    int64_t least = 0, most = 0;
    for (size_t i = 0; i < k.n; i++)
        if (k.users[i].wend - k.users[i].wstart > HD_CERTAIN_SOURCES)
            return;
    for (size_t i = 0; i < k.n; i++)
        if (!find_end(c, &k, i))
            return;
    if (value.unique || !is_first(c, &k) ||
        (k.base == HD_EID_NONE && (init->how == HD_INIT_UNKNOWN || init->value.unique)))
        return;
    struct hd_value start = k.base == HD_EID_NONE ? init->value : hd_trace_write_value(t, k.base);
    if (start.unique)
        return;
    for (size_t i = 0; i < k.n; i++) {
        look_along(c, &k, i, 0, 0);
        if (k.least[i] > k.most[i])
            return;
        least += k.least[i];
        most += k.most[i];
    }
    int64_t total = (int64_t)(value.bits - start.bits);
    if (total <= -FAR || total >= FAR)
        return;
    for (size_t i = 0; i < k.n; i++) {
        uint32_t at =
            look_along(c, &k, i, total - (most - k.most[i]), total - (least - k.least[i]));
        if (at != UINT32_MAX && k.users[i].thread != t->thread[d->read])
            join_row(c, &k.users[i], at, d->read);
    }
}

/* Writes that must come before the read, in one row of read-modify-writes with its source: each
 * that releases hands on. */
void hd_certain_rows(struct hd_certain *c, const struct hd_certain_due *d)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(c->w->locs, c->t->obj[d->read], &n);
    if (!d->acquires || n > HD_CERTAIN_USERS)
        return;
    for (size_t i = 0; i < n; i++)
        if (users[i].thread != c->t->thread[d->read])
            join_row(c, &users[i], first_open(c, &users[i], d->read), d->read);
    counted(c, d);
}
