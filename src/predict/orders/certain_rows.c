/* A row of read-modify-writes, each of which reads from the one before: a read at its end gets what
 * every write of the row released. */
#include "predict/orders/certain_int.h"

#define LOOK_BACK 8                  /* writes, for one that releases */
#define TOGETHER  64                 /* writes of a count whose users are looked at together */
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
    return hd_trace_updates(t, w) && !hd_trace_read_value(t, w).unique &&
           !hd_trace_write_value(t, w).unique && added(t, w) > -FAR && added(t, w) < FAR;
}

/* The user's writes that must come before the read: up to which index. */
static uint32_t first_open(const struct hd_certain *c, const struct hd_loc_user *user, hd_eid r)
{
    const struct hd_must *m = c->w->must;
    hd_tid v = user->thread;
    const uint32_t *fresh = hd_must_fresh(m, r);
    uint32_t clock = hd_must_clock(m, r)[v];
    if (v == c->t->thread[r])
        clock = c->t->pos[r];
    else if (fresh && fresh[v] > clock)
        clock = fresh[v];
    return hd_accesses_write_from(c->w->locs, user, clock);
}

/* A location that threads count in, for one read of it. Of each user as many writes have come
 * before the read as `at` minus wstart, for an `at` from `from` to `end`. */
struct count {
    const struct hd_loc_user *users;
    size_t n;
    hd_eid read, base; /* the write that it starts from, or HD_EID_NONE */
    int64_t total;     /* what all have added on balance */
    uint32_t from[HD_CERTAIN_USERS], end[HD_CERTAIN_USERS];
    bool together; /* few enough writes to look at how users depend on each other */
};

/* What the write adds to the count: nothing, if it is the store that the count starts from or one
 * before that. */
static int64_t part_of(const struct hd_certain *c, const struct count *k, hd_eid w)
{
    bool store = k->base != HD_EID_NONE && c->t->thread[w] == c->t->thread[k->base] &&
                 c->t->pos[w] <= c->t->pos[k->base];
    return store ? 0 : added(c->t, w);
}

/* Where the user's writes that may come before the read end. False: one of them does not add, and
 * is not one of those that come first of all, the last of which is the base. */
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
        if (k->base != (at > user->wstart ? writes[at - 1] : HD_EID_NONE))
            return false;
        k->base = w;
    }
    k->end[i] = at;
    return true;
}

/* Whether the base comes before the read, and before what other users write. */
static bool is_first(const struct hd_certain *c, const struct count *k)
{
    if (k->base == HD_EID_NONE)
        return true;
    for (size_t i = 0; i < k->n; i++) {
        const struct hd_loc_user *user = &k->users[i];
        if (user->thread != c->t->thread[k->base] && user->wstart < k->end[i] &&
            !hd_world_before(c->w, k->base, c->w->locs->writes[user->wstart]))
            return false;
    }
    return hd_world_before(c->w, k->base, k->read);
}

/* What a user may have added on balance. */
struct span {
    int64_t least, most;
};

static void widen(struct span *s, int64_t sum)
{
    s->least = sum < s->least ? sum : s->least;
    s->most = sum > s->most ? sum : s->most;
}

/* For numbers of writes from `from` to `end`, which is not less. */
static struct span span_of(const struct hd_certain *c, const struct count *k, size_t i,
                           uint32_t from, uint32_t end)
{
    const hd_eid *writes = c->w->locs->writes;
    struct span s = {INT64_MAX, INT64_MIN};
    int64_t sum = 0;
    for (uint32_t at = k->users[i].wstart; at <= end; at++) {
        if (at >= from)
            widen(&s, sum);
        if (at < end)
            sum += part_of(c, k, writes[at]);
    }
    return s;
}

/* How many writes of user j come before write w of another user in every schedule that runs w. */
static uint32_t needed(const struct hd_certain *c, const struct count *k, hd_eid w, size_t j)
{
    const struct hd_loc_user *user = &k->users[j];
    return hd_accesses_write_from(c->w->locs, user, hd_must_clock(c->w->must, w)[user->thread]);
}

/* What user j may have added when user i is at `at`: it has made no write that needs more of i. */
static struct span span_beside(const struct hd_certain *c, const struct count *k, size_t j,
                               size_t i, uint32_t at)
{
    uint32_t end = k->from[j];
    while (end < k->end[j] && needed(c, k, c->w->locs->writes[end], i) <= at)
        end++;
    return span_of(c, k, j, k->from[j], end);
}

/* Whether the others can make up the total when user i is at `at` and has added `sum`. */
static bool fits(const struct hd_certain *c, const struct count *k, size_t i, uint32_t at,
                 int64_t sum)
{
    int64_t least = 0, most = 0;
    for (size_t j = 0; j < k->n; j++) {
        if (j == i)
            continue;
        struct span s = span_beside(c, k, j, i, at);
        least += s.least;
        most += s.most;
    }
    return k->total - sum >= least && k->total - sum <= most;
}

/* Moves from[i] to the first number of writes that fits. `others` have added together what the rest
 * of the users may have, each for itself. True: it moved. None fits: it stays. */
static bool advance(const struct hd_certain *c, struct count *k, size_t i, struct span others)
{
    const hd_eid *writes = c->w->locs->writes;
    int64_t sum = 0;
    for (uint32_t at = k->users[i].wstart; at <= k->end[i]; at++) {
        int64_t rest = k->total - sum;
        if (at >= k->from[i] && rest >= others.least && rest <= others.most &&
            (!k->together || fits(c, k, i, at, sum))) {
            bool moved = at > k->from[i];
            k->from[i] = at;
            return moved;
        }
        if (at < k->end[i])
            sum += part_of(c, k, writes[at]);
    }
    return false;
}

/* One look at each user. True: one of them moved. */
static bool advance_all(const struct hd_certain *c, struct count *k)
{
    struct span all = {0, 0}, own[HD_CERTAIN_USERS];
    bool moved = false;
    for (size_t i = 0; i < k->n; i++) {
        own[i] = span_of(c, k, i, k->from[i], k->end[i]);
        all.least += own[i].least;
        all.most += own[i].most;
    }
    for (size_t i = 0; i < k->n; i++)
        moved |= advance(c, k, i, (struct span){all.least - own[i].least, all.most - own[i].most});
    return moved;
}

/* Fills k for the read. False: its value does not tell what was added. */
static bool count_from(const struct hd_certain *c, struct count *k)
{
    const struct hd_trace *t = c->t;
    const struct hd_loc_init *init = &t->loc_init[t->obj[k->read]];
    struct hd_value value = hd_trace_read_value(t, k->read);
    uint32_t writes = 0;
    for (size_t i = 0; i < k->n; i++) {
        writes += k->users[i].wend - k->users[i].wstart;
        if (k->users[i].wend - k->users[i].wstart > HD_CERTAIN_SOURCES)
            return false;
    }
    for (size_t i = 0; i < k->n; i++)
        if (!find_end(c, k, i))
            return false;
    if (value.unique || !is_first(c, k) ||
        (k->base == HD_EID_NONE && (init->how == HD_INIT_UNKNOWN || init->value.unique)))
        return false;
    struct hd_value start = k->base == HD_EID_NONE ? init->value : hd_trace_write_value(t, k->base);
    for (size_t i = 0; i < k->n; i++) {
        k->from[i] = first_open(c, &k->users[i], k->read);
        if (k->from[i] > k->end[i])
            return false;
    }
    k->together = writes <= TOGETHER;
    k->total = (int64_t)(value.bits - start.bits);
    return !start.unique && k->total > -FAR && k->total < FAR;
}

/* A fresh read of a number that threads add to has what all have added on balance. Of each as many
 * writes must have come before as it takes until its part can be right, whatever the others did;
 * what is known of one may then show more of another. */
static void counted(struct hd_certain *c, const struct hd_certain_due *d)
{
    struct count k = {.read = d->read, .base = HD_EID_NONE};
    k.users = hd_accesses_users(c->w->locs, c->t->obj[d->read], &k.n);
    if (!count_from(c, &k))
        return;
    while (advance_all(c, &k) && k.together)
        ;
    for (size_t i = 0; i < k.n; i++)
        if (k.users[i].thread != c->t->thread[d->read])
            join_row(c, &k.users[i], k.from[i], d->read);
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
