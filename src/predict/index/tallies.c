#include "predict/index/guards_int.h"

#include "base/stop.h"

/* What one write makes of the tally of its thread: what the thread has added to the location on
 * balance, since it began. */
struct move {
    hd_eid event, close; /* close: the thread's next move; HD_EID_NONE: there is none */
    hd_tid thread;
    bool stores;      /* whatever was there before: no rmw */
    int64_t from, to; /* the thread's tally */
    int64_t others;   /* the sum of all other tallies, if its read is fresh; rmws only */
};

/* What one move may add, so that sums can not overflow. */
#define MAX_STEP (INT64_C(1) << 33)
#define MAX_SUM  (INT64_C(1) << 61)

/* Which tallies keep all others out, see docs/algorithms/prediction.md. */
enum rule {
    SUMS,    /* those of `level` and more; none is ever negative, nothing is stored */
    SIGN,    /* the negative ones */
    LEVEL,   /* those of `level` and more */
    N_RULES, /* */
};

struct view {
    enum rule rule;
    int64_t sign;  /* 1 or -1: tallies are looked at with this factor */
    int64_t level; /* the highest tally that a thread reaches from 0 while all others are 0 */
};

static bool depends_on_itself(const struct hd_trace *t, hd_eid w)
{
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    for (uint32_t i = 0; i < deps.n; i++)
        if (hd_trace_back(t, w, deps.dist[i]) == w)
            return true;
    return deps.all;
}

/* Adds what w does to a tally of `from`. False: nothing is known about w. */
static bool add_move(struct hd_guard_search *s, hd_eid w, int64_t base, int64_t *tally)
{
    const struct hd_trace *t = s->t;
    struct hd_value to = hd_trace_write_value(t, w);
    struct move m = {.event = w, .close = HD_EID_NONE, .thread = t->thread[w], .from = *tally};
    if (to.unique)
        return false;
    if (t->op[w] == HD_OP_RMW) {
        struct hd_value from = hd_trace_read_value(t, w);
        int64_t step = (int64_t)(to.bits - from.bits);
        if (from.unique || step > MAX_STEP || step < -MAX_STEP || !depends_on_itself(t, w))
            return false;
        m.to = m.from + step;
        m.others = (int64_t)(from.bits - (uint64_t)base) - m.from;
        if (step == 0)
            return true;
    } else {
        m.stores = true;
        m.to = (int64_t)(to.bits - (uint64_t)base);
    }
    if (m.to > MAX_SUM || m.to < -MAX_SUM || m.others > MAX_SUM || m.others < -MAX_SUM)
        return false;
    if (s->moves.len) {
        struct move *last = hd_vec_at(&s->moves, s->moves.len - 1);
        if (last->thread == m.thread)
            last->close = w;
    }
    *tally = m.to;
    *(struct move *)hd_vec_push(&s->moves) = m;
    return true;
}

/* How many first writes of users[k] come before all other threads of the location were made, the
 * last of them being a plain store, which gives *base its value. */
static uint32_t loose_writes(const struct hd_guard_search *s, const struct hd_loc_user *users,
                             size_t n, size_t k, struct hd_value *base)
{
    uint32_t end = users[k].wend;
    for (size_t i = 0; i < n; i++) {
        uint32_t lo = users[k].wstart, hi = end;
        while (i != k && lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (hd_guard_made_after(s->t, users[i].thread, s->locs->writes[mid]))
                lo = mid + 1;
            else
                hi = mid;
        }
        if (i != k)
            end = lo;
    }
    while (end > users[k].wstart && s->t->op[s->locs->writes[end - 1]] == HD_OP_RMW)
        end--;
    if (end > users[k].wstart)
        *base = hd_trace_write_value(s->t, s->locs->writes[end - 1]);
    return end;
}

/* Lists the moves of all threads. False: some write is none. */
static bool find_moves(struct hd_guard_search *s, uint32_t loc)
{
    const struct hd_loc_init *init = &s->t->loc_init[loc];
    size_t n, first = 0;
    const struct hd_loc_user *users = hd_accesses_users(s->locs, loc, &n);
    struct hd_value base = init->value;
    bool known = init->how != HD_INIT_UNKNOWN;
    uint32_t begin = 0;
    for (first = 0; first < n; first++) {
        begin = loose_writes(s, users, n, first, &base);
        if (begin > users[first].wstart)
            break;
    }
    if ((!known && first == n) || base.unique)
        return false;
    s->moves.len = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t tally = 0;
        for (uint32_t k = i == first ? begin : users[i].wstart; k < users[i].wend; k++)
            if (hd_stop_often(k) || !add_move(s, s->locs->writes[k], (int64_t)base.bits, &tally))
                return false;
    }
    return true;
}

static bool keeps_out(const struct view *v, int64_t tally)
{
    return v->rule == SIGN ? tally < 0 : tally >= v->level;
}

/* A thread that came to a tally other than 0 with a stale read goes no further than to its next
 * write: some event before that needs the read. */
static bool ends_if_stale(const struct hd_guard_search *s, const struct move *m)
{
    return m->stores || m->to == 0 || m->close == HD_EID_NONE ||
           s->needed_at[m->event] <= s->t->pos[m->close];
}

/* Whether the rule's conditions hold for the move. */
static bool allowed(const struct hd_guard_search *s, const struct view *v, const struct move *m,
                    bool stored)
{
    int64_t from = m->from * v->sign, to = m->to * v->sign, others = m->others * v->sign;
    if (v->rule == SUMS)
        return to >= 0 && !m->stores;
    if (stored && !ends_if_stale(s, m))
        return false;
    if (!keeps_out(v, to) && to < 0)
        return false;
    if (keeps_out(v, from))
        return true;
    return !m->stores && (keeps_out(v, to) ? others == 0 : from != 0 || !keeps_out(v, others));
}

enum { NO_SECTION, EXCLUSIVE, SHARED };

static int section_of(const struct view *v, const struct move *m)
{
    int64_t from = m->from * v->sign, to = m->to * v->sign, others = m->others * v->sign;
    if (to == 0 || m->stores)
        return NO_SECTION;
    if (v->rule != SUMS)
        return keeps_out(v, to) ? EXCLUSIVE : SHARED;
    if (from != 0 || others >= v->level)
        return NO_SECTION;
    return to < v->level ? SHARED : others == 0 ? EXCLUSIVE : NO_SECTION;
}

static bool try_view(struct hd_guard_search *s, const struct view *v, bool stored)
{
    size_t before = s->out->len;
    bool exclusive = false, two = false;
    for (size_t i = 0; i < s->moves.len; i++)
        if (!allowed(s, v, hd_vec_at(&s->moves, i), stored))
            return false;
    for (size_t i = 0; i < s->moves.len; i++) {
        const struct move *m = hd_vec_at(&s->moves, i);
        int kind = section_of(v, m);
        if (kind != NO_SECTION && s->needed_at[m->event] != UINT32_MAX)
            hd_guard_add_section(s, m->event, m->close, kind == SHARED);
        exclusive |= kind == EXCLUSIVE;
    }
    for (size_t i = before; i + 1 < s->out->len; i++)
        two |= ((struct hd_section *)hd_vec_at(s->out, i))->thread !=
               ((struct hd_section *)hd_vec_at(s->out, i + 1))->thread;
    if (exclusive && two) {
        s->guards++;
        return true;
    }
    s->out->len = before;
    return false;
}

void hd_guard_tallies_init(struct hd_guard_search *s)
{
    s->moves = HD_VEC_INIT(struct move);
}

void hd_guard_tallies_location(struct hd_guard_search *s, uint32_t loc)
{
    bool stored = false;
    if (!find_moves(s, loc))
        return;
    for (int64_t sign = 1; sign >= -1; sign -= 2) {
        struct view v = {.sign = sign};
        for (size_t i = 0; i < s->moves.len; i++) {
            const struct move *m = hd_vec_at(&s->moves, i);
            stored |= m->stores;
            if (m->from == 0 && m->others == 0 && !m->stores && m->to * sign > v.level)
                v.level = m->to * sign;
        }
        for (v.rule = SUMS; v.rule < N_RULES; v.rule++)
            if ((v.level || v.rule == SIGN) && try_view(s, &v, stored))
                return;
    }
}
