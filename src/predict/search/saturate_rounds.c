/* Barriers in saturation, by rounds.
 *
 * Where each thread comes and goes in turn, its arrivals are of different rounds: so an order of
 * all events divides the arrivals at a barrier into rounds of as many different threads as its
 * size, and a last one that may be short and that nothing leaves. A cut is what has arrived when
 * some rounds are complete, as a number of first arrivals of each thread. The rounds of an order
 * are a way of cuts; which ways the orders that are known leave is looked up over all cuts. */
#include "predict/search/saturate_int.h"

#include <string.h>

enum { FROM_START = 1, TO_END = 2, OPEN = 4, CLOSED = 8 };

/* How many arrivals of each thread have come at a cut. */
struct cut {
    uint32_t id, of[HD_ROUNDS_THREADS];
};

/* Of each arrival: over all rounds that it can be in, the least that has come of each thread in
 * whole rounds before (from), and with this round (to). */
struct least {
    uint32_t from[HD_ROUNDS_ARRIVALS][HD_ROUNDS_THREADS];
    uint32_t to[HD_ROUNDS_ARRIVALS][HD_ROUNDS_THREADS];
};

static hd_eid arrival(const struct hd_rounds *r, size_t u, uint32_t i)
{
    return r->party[u].list[2 * (size_t)i];
}

static hd_eid departure(const struct hd_rounds *r, size_t u, uint32_t i)
{
    uint32_t k = 2 * i + 1;
    return k < r->party[u].len ? r->party[u].list[k] : HD_EID_NONE;
}

static struct cut cut_of(const struct hd_rounds *r, uint32_t id)
{
    struct cut c = {.id = id};
    for (size_t u = 0; u < r->n; u++)
        c.of[u] = id / r->party[u].stride % (r->party[u].count + 1);
    return c;
}

/* All that is in whole rounds arrives before all that is not. */
static bool is_cut(const struct hd_saturation *s, const struct hd_rounds *r, const struct cut *c)
{
    for (size_t u = 0; u < r->n; u++)
        for (size_t v = 0; v < r->n && c->of[u]; v++)
            if (c->of[v] < r->party[v].count &&
                hd_saturation_precedes(s, arrival(r, v, c->of[v]), arrival(r, u, c->of[u] - 1)))
                return false;
    return true;
}

/* The next arrivals of the threads in `set` may be one round: nothing leaves it before all have
 * come. */
static bool may_meet(const struct hd_saturation *s, const struct hd_rounds *r, const struct cut *c,
                     uint32_t set)
{
    for (size_t v = 0; v < r->n; v++) {
        hd_eid out = set >> v & 1 ? departure(r, v, c->of[v]) : HD_EID_NONE;
        for (size_t u = 0; out != HD_EID_NONE && u < r->n; u++)
            if ((set >> u & 1) && hd_saturation_precedes(s, out, arrival(r, u, c->of[u])))
                return false;
    }
    return true;
}

/* The threads that have arrivals left. */
static uint32_t find_left(const struct hd_rounds *r, const struct cut *c)
{
    uint32_t left = 0;
    for (size_t u = 0; u < r->n; u++)
        left |= (uint32_t)(c->of[u] < r->party[u].count) << u;
    return left;
}

/* What is left is a round that stays incomplete. */
static bool may_end(const struct hd_rounds *r, const struct cut *c, uint32_t left)
{
    if ((uint32_t)__builtin_popcount(left) >= r->size)
        return false;
    for (size_t u = 0; u < r->n; u++)
        if ((left >> u & 1) && departure(r, u, c->of[u]) != HD_EID_NONE)
            return false;
    return true;
}

/* The cut after one more round, of the threads in `set`; HD_ROUNDS_CUTS: there is none. */
static uint32_t next_cut(const struct hd_saturation *s, const struct hd_rounds *r,
                         const struct cut *c, uint32_t set, uint8_t *known)
{
    uint32_t id = c->id;
    for (size_t u = 0; u < r->n; u++)
        id += set >> u & 1 ? r->party[u].stride : 0;
    if (!(known[id] & (OPEN | CLOSED))) {
        struct cut next = cut_of(r, id);
        known[id] |= is_cut(s, r, &next) ? OPEN : CLOSED;
    }
    return (known[id] & OPEN) && may_meet(s, r, c, set) ? id : HD_ROUNDS_CUTS;
}

static bool is_round(const struct hd_rounds *r, uint32_t set, uint32_t left)
{
    return !(set & ~left) && (uint32_t)__builtin_popcount(set) == r->size;
}

static void find_from_start(const struct hd_saturation *s, const struct hd_rounds *r,
                            uint8_t *known)
{
    known[0] = FROM_START | OPEN;
    for (uint32_t id = 0; id < r->cuts; id++) {
        if (!(known[id] & FROM_START))
            continue;
        struct cut c = cut_of(r, id);
        uint32_t left = find_left(r, &c);
        for (uint32_t set = 1; set <= left; set++) {
            uint32_t next =
                is_round(r, set, left) ? next_cut(s, r, &c, set, known) : HD_ROUNDS_CUTS;
            if (next != HD_ROUNDS_CUTS)
                known[next] |= FROM_START;
        }
    }
}

/* The next arrivals of `set` are the round after c, which is on a way. (One that stays incomplete
 * has no departures to say something of.) */
static void lower(const struct hd_rounds *r, const struct cut *c, uint32_t set, struct least *least)
{
    for (size_t u = 0; u < r->n; u++) {
        uint32_t i = r->party[u].first + c->of[u];
        for (size_t v = 0; (set >> u & 1) && v < r->n; v++) {
            uint32_t to = c->of[v] + (set >> v & 1);
            if (c->of[v] < least->from[i][v])
                least->from[i][v] = c->of[v];
            if (to < least->to[i][v])
                least->to[i][v] = to;
        }
    }
}

/* False: no way leads to the end. */
static bool find_to_end(const struct hd_saturation *s, const struct hd_rounds *r, uint8_t *known,
                        struct least *least)
{
    for (uint32_t id = r->cuts; id-- > 0;) {
        if (!(known[id] & FROM_START))
            continue;
        struct cut c = cut_of(r, id);
        uint32_t left = find_left(r, &c);
        if (may_end(r, &c, left)) {
            known[id] |= TO_END;
            lower(r, &c, left, least);
        }
        for (uint32_t set = 1; set <= left; set++) {
            uint32_t next =
                is_round(r, set, left) ? next_cut(s, r, &c, set, known) : HD_ROUNDS_CUTS;
            if (next == HD_ROUNDS_CUTS || !(known[next] & TO_END))
                continue;
            known[id] |= TO_END;
            lower(r, &c, set, least);
        }
    }
    return known[0] & TO_END;
}

/* The arrivals that come in whole rounds before, and those of rounds up to the own one. */
static bool say_least(struct hd_saturation *s, const struct hd_rounds *r, size_t u, uint32_t i,
                      const struct least *least)
{
    const uint32_t *from = least->from[r->party[u].first + i];
    const uint32_t *to = least->to[r->party[u].first + i];
    hd_eid out = departure(r, u, i);
    for (size_t v = 0; v < r->n; v++) {
        if (v == u)
            continue;
        if (from[v] && !hd_saturation_order(s, arrival(r, v, from[v] - 1), arrival(r, u, i)))
            return false;
        if (out != HD_EID_NONE && to[v] && !hd_saturation_order(s, arrival(r, v, to[v] - 1), out))
            return false;
    }
    return true;
}

static bool close_barrier(struct hd_saturation *s, const struct hd_rounds *r)
{
    uint8_t known[HD_ROUNDS_CUTS] = {0};
    struct least least;
    memset(&least, 0xff, sizeof least);
    find_from_start(s, r, known);
    if (!find_to_end(s, r, known, &least))
        return false;
    for (size_t u = 0; u < r->n; u++)
        for (uint32_t i = 0; i < r->party[u].count; i++)
            if (!say_least(s, r, u, i, &least))
                return false;
    return true;
}

bool hd_saturation_close_rounds(struct hd_saturation *s)
{
    for (size_t i = 0; i < s->rounds.len; i++)
        if (!close_barrier(s, hd_vec_at(&s->rounds, i)))
            return false;
    return true;
}

/* ---- which barriers ---- */

/* Of the user's events those of rounds that are not over when the window begins. False: it does not
 * come and go in turn. */
static bool find_party(const struct hd_saturation *s, const struct hd_loc_user *user, uint32_t over,
                       struct hd_party *party)
{
    const hd_eid *list = s->w->barriers->list + user->start;
    uint32_t n = user->end - user->start;
    for (uint32_t k = 0; k < n; k++)
        if ((s->w->t->op[list[k]] == HD_OP_BAROUT) != (bool)(k % 2))
            return false;
    while (n && list[n - 1] >= s->to)
        n--;
    party->list = list + 2 * (size_t)over;
    party->len = n > 2 * over ? n - 2 * over : 0;
    party->count = (party->len + 1) / 2;
    return true;
}

/* How many arrivals of the thread are in rounds that are complete before the window. */
static uint32_t count_over(const struct hd_saturation *s, uint32_t barrier, hd_tid u)
{
    const struct hd_trace *t = s->w->t;
    uint32_t size = t->barrier_size[barrier], arrived = 0, own = 0, over = 0;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_BARRIER, barrier, &n);
    for (size_t i = 0; i < n && events[i] < s->from; i++) {
        if (t->op[events[i]] != HD_OP_BARIN)
            continue;
        own += t->thread[events[i]] == u;
        if (++arrived % size == 0)
            over = own;
    }
    return over;
}

bool hd_saturation_find_rounds(const struct hd_saturation *s, uint32_t barrier, struct hd_rounds *r)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->barriers, barrier, &n);
    uint32_t first = 0;
    if (n > HD_ROUNDS_THREADS)
        return false;
    *r = (struct hd_rounds){.size = s->w->t->barrier_size[barrier], .n = n, .cuts = 1};
    for (size_t u = 0; u < n; u++) {
        struct hd_party *p = &r->party[u];
        if (!find_party(s, &users[u], count_over(s, barrier, users[u].thread), p))
            return false;
        p->first = first;
        p->stride = r->cuts;
        first += p->count;
        if (first > HD_ROUNDS_ARRIVALS || (r->cuts *= p->count + 1) > HD_ROUNDS_CUTS)
            return false;
    }
    return true;
}
