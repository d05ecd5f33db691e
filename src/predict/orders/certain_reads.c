/* A read that must be fresh has a source: what comes before all possible ones, and is handed on. */
#include "predict/orders/certain_int.h"

#include <string.h>

/* Where what the write hands to the read was released; HD_EID_NONE: it hands nothing on. */
static hd_eid handed(const struct hd_certain *c, hd_eid write, const struct hd_certain_due *d)
{
    bool plain = !hd_op_is_atomic(c->t->op[write]) || !hd_op_is_atomic(c->t->op[d->read]);
    if (plain || hd_certain_excludes(c, write, d->read))
        return write;
    return d->acquires ? c->releases[write] : HD_EID_NONE;
}

/* Lowers c->low to what comes before one more possible source. False: nothing does. */
static bool add_source(struct hd_certain *c, hd_eid write, const struct hd_certain_due *d,
                       bool *any)
{
    hd_eid from = handed(c, write, d);
    if (from == HD_EID_NONE)
        return false;
    memcpy(c->part, hd_certain_clock(c, from), c->n * sizeof *c->part);
    c->part[c->t->thread[from]] = c->t->pos[from] + 1;
    for (size_t v = 0; v < c->n; v++)
        if (!*any || c->part[v] < c->low[v])
            c->low[v] = c->part[v];
    *any = true;
    return true;
}

/* The last write of the user that must come before the read, or HD_EID_NONE. */
static hd_eid forced_write(const struct hd_certain *c, const struct hd_loc_user *user, hd_eid r)
{
    const struct hd_accesses *locs = c->w->locs;
    uint32_t limit =
        user->thread == c->t->thread[r] ? c->t->pos[r] : hd_must_clock(c->w->must, r)[user->thread];
    uint32_t next = hd_accesses_write_from(locs, user, limit);
    return next == user->wstart ? HD_EID_NONE : locs->writes[next - 1];
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

/* Writes of the value by another thread that need not come before the read. What comes before them
 * grows along the thread: the first has least, if the others hand on at all. */
static bool add_free_writes(struct hd_certain *c, const struct hd_loc_user *user,
                            const struct hd_certain_due *d, bool *any)
{
    const struct hd_accesses *locs = c->w->locs;
    struct hd_value value = hd_trace_read_value(c->t, d->read);
    uint32_t i =
        hd_accesses_write_from(locs, user, hd_must_clock(c->w->must, d->read)[user->thread]);
    for (unsigned looked = 0;; looked++, i++) {
        i = hd_accesses_value_from(locs, user, value, i);
        if (i == user->wend || hd_world_before(c->w, d->read, locs->writes[i]))
            return true;
        if (looked == HD_CERTAIN_SOURCES || !add_source(c, locs->writes[i], d, any))
            return false;
    }
}

/* Puts into c->low what comes before every possible source of the read. False: nothing does. */
static bool sources(struct hd_certain *c, const struct hd_certain_due *d)
{
    const struct hd_trace *t = c->t;
    uint32_t loc = t->obj[d->read];
    struct hd_value value = hd_trace_read_value(t, d->read);
    bool any = false, forced = false;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(c->w->locs, loc, &n);
    if (value.unique && value.bits < t->n_events)
        return add_source(c, (hd_eid)value.bits, d, &any);
    if (n > HD_CERTAIN_USERS)
        return false;
    for (size_t i = 0; i < n; i++) {
        hd_eid w = forced_write(c, &users[i], d->read);
        bool own = users[i].thread == t->thread[d->read];
        forced |= w != HD_EID_NONE;
        if (w != HD_EID_NONE && hd_value_eq(hd_trace_write_value(t, w), value) &&
            !hidden(c, users, n, w, d->read) && (own || !add_source(c, w, d, &any)))
            return false;
        if (!own && !add_free_writes(c, &users[i], d, &any))
            return false;
    }
    const struct hd_loc_init *init = &t->loc_init[loc];
    bool initial = !forced && (init->how == HD_INIT_UNKNOWN || hd_value_eq(init->value, value));
    return any && !initial;
}

void hd_certain_fresh(struct hd_certain *c, const struct hd_certain_due *d)
{
    if (sources(c, d))
        hd_certain_join(c, c->t->thread[d->read], c->low);
    if (hd_op_is_atomic(c->t->op[d->read]))
        hd_certain_rows(c, d);
}
