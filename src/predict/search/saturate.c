#include "predict/search/saturate_int.h"

#include "base/alloc.h"

#include <string.h>

/* A read with more possible sources is left to the simulation. */
enum { MOST_SOURCES = 32 };

/* loc: of the reads that may have to be looked at again, or NO_LOC. */
struct change {
    uint32_t *where, old, loc;
};
#define NO_LOC UINT32_MAX

struct apart {
    hd_eid open, close, point;
};

static void touch(struct hd_saturation *s, uint32_t loc)
{
    if (loc != NO_LOC)
        s->moved[loc] = ++s->time;
}

static void set(struct hd_saturation *s, uint32_t *where, uint32_t value, uint32_t loc)
{
    *(struct change *)hd_vec_push(&s->log) = (struct change){where, *where, loc};
    *where = value;
    s->changed = true;
    touch(s, loc);
}

static uint32_t loc_of(const struct hd_saturation *s, hd_eid e)
{
    return hd_op_is_access(s->w->t->op[e]) ? s->w->t->obj[e] : NO_LOC;
}

/* ---- orders ---- */

/* All events of thread v from starts[v] on come after s->ends[u] events of each thread u. */
static void raise_before(struct hd_saturation *s, hd_tid v)
{
    for (uint32_t p = s->starts[v]; p < s->end[v]; p++) {
        hd_eid e = hd_world_event(s->w, v, p);
        uint32_t *row = hd_saturation_before(s, e);
        bool news = false;
        for (hd_tid u = 0; u < s->threads; u++)
            if (row[u] < s->ends[u]) {
                set(s, &row[u], s->ends[u], loc_of(s, e));
                news = true;
            }
        if (!news)
            return; /* nor have the later ones of the thread */
    }
}

static void lower_after(struct hd_saturation *s, hd_tid u)
{
    for (uint32_t p = s->ends[u]; p-- > s->first[u];) {
        uint32_t *row = hd_saturation_after(s, hd_world_event(s->w, u, p));
        bool news = false;
        for (hd_tid v = 0; v < s->threads; v++)
            if (row[v] > s->starts[v]) {
                set(s, &row[v], s->starts[v], NO_LOC); /* touched by raise_before */
                news = true;
            }
        if (!news)
            return;
    }
}

bool hd_saturation_order(struct hd_saturation *s, hd_eid x, hd_eid y)
{
    const struct hd_trace *t = s->w->t;
    HD_DCHECK(x < s->to && y < s->to);
    if (hd_saturation_precedes(s, x, y))
        return true;
    if (x == y || hd_saturation_precedes(s, y, x))
        return false;
    memcpy(s->ends, hd_saturation_before(s, x), s->threads * sizeof *s->ends);
    s->ends[t->thread[x]] = t->pos[x] + 1;
    memcpy(s->starts, hd_saturation_after(s, y), s->threads * sizeof *s->starts);
    s->starts[t->thread[y]] = t->pos[y];
    for (hd_tid u = 0; u < s->threads; u++)
        raise_before(s, u);
    for (hd_tid u = 0; u < s->threads; u++)
        lower_after(s, u);
    return true;
}

/* Because of a read of `loc`. */
static void want_fresh(struct hd_saturation *s, hd_tid u, uint32_t below, uint32_t loc)
{
    if (s->fresh_below[u] < below)
        set(s, &s->fresh_below[u], below, loc);
}

void hd_saturation_fresh(struct hd_saturation *s, hd_tid u, uint32_t below)
{
    want_fresh(s, u, below, NO_LOC);
}

/* ---- sections ---- */

static bool runs(const struct hd_saturation *s, hd_eid e)
{
    return e != HD_EID_NONE && e < s->to;
}

/* The last section of `user` that has begun before x ends, and excludes x, ends before x begins. */
static bool close_user(struct hd_saturation *s, const struct hd_section *x,
                       const struct hd_lock_user *user)
{
    const struct hd_sections *sections = s->w->sections;
    uint32_t count =
        runs(s, x->close) ? hd_saturation_before(s, x->close)[user->thread] : s->end[user->thread];
    uint32_t k = hd_sections_begun(sections, user, count);
    while (k > user->start) {
        const struct hd_section *y = hd_section_at(sections, sections->order[--k]);
        if (hd_section_excludes(x, y))
            return runs(s, y->close) && hd_saturation_order(s, y->close, x->open);
    }
    return true;
}

static bool close_sections(struct hd_saturation *s)
{
    const struct hd_sections *sections = s->w->sections;
    for (uint32_t i = 0; i < sections->list.len; i++) {
        const struct hd_section *x = hd_section_at(sections, i);
        if (x->open >= s->to)
            break;              /* the list is by open */
        if (x->close < s->from) /* it is over */
            continue;
        if (x->open < s->from && !runs(s, x->close))
            continue; /* open all the time: nothing that would exclude it can have run */
        for (uint32_t k = sections->user_start[x->lock]; k < sections->user_start[x->lock + 1];
             k++) {
            const struct hd_lock_user *user = hd_vec_at(&sections->users, k);
            if (user->thread != x->thread && !close_user(s, x, user))
                return false;
        }
    }
    return true;
}

static bool close_aparts(struct hd_saturation *s)
{
    for (size_t i = 0; i < s->aparts.len; i++) {
        const struct apart *a = hd_vec_at(&s->aparts, i);
        if (hd_saturation_precedes(s, a->open, a->point) &&
            (a->close == HD_EID_NONE || !hd_saturation_order(s, a->close, a->point)))
            return false;
        if ((a->close == HD_EID_NONE || hd_saturation_precedes(s, a->point, a->close)) &&
            !hd_saturation_order(s, a->point, a->open))
            return false;
    }
    return true;
}

/* ---- reads ---- */

struct sources {
    hd_eid list[MOST_SOURCES];
    uint32_t n;
    bool initial; /* or the initial value */
    bool many;    /* there are more */
};

/* The user's last write that comes before x, or HD_EID_NONE. */
static hd_eid last_write(const struct hd_saturation *s, const struct hd_loc_user *user, hd_eid x)
{
    uint32_t i = hd_accesses_write_from(s->w->locs, user, hd_saturation_before(s, x)[user->thread]);
    return i > user->wstart ? s->w->locs->writes[i - 1] : HD_EID_NONE;
}

/* A write that must come before r comes after w. */
static bool is_hidden(const struct hd_saturation *s, hd_eid w, hd_eid r)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->locs, s->w->t->obj[r], &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid h = last_write(s, &users[i], r);
        if (h != HD_EID_NONE && h != w && hd_saturation_precedes(s, w, h))
            return true;
    }
    return false;
}

/* The writes of one thread that may be the last before r: the last one that must come before it,
 * and those that may. */
static void find_sources_of(const struct hd_saturation *s, const struct hd_loc_user *user, hd_eid r,
                            struct sources *sources)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_accesses *locs = s->w->locs;
    struct hd_value_writes values = hd_accesses_values(locs, t->obj[r], hd_trace_read_value(t, r));
    bool own = user->thread == t->thread[r];
    uint32_t limit = own ? t->pos[r] : hd_saturation_after(s, r)[user->thread];
    uint32_t i = hd_accesses_write_from(locs, user, hd_saturation_before(s, r)[user->thread]);
    for (i -= i > user->wstart; !sources->many; i++) {
        i = hd_accesses_value_from(locs, user, values, i);
        if (i >= user->wend || t->pos[locs->writes[i]] >= limit)
            return;
        if (is_hidden(s, locs->writes[i], r))
            continue;
        sources->many = sources->n == MOST_SOURCES;
        if (!sources->many)
            sources->list[sources->n++] = locs->writes[i];
    }
}

static void find_sources(const struct hd_saturation *s, hd_eid r, struct sources *sources)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_loc_init *init = &t->loc_init[t->obj[r]];
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->locs, t->obj[r], &n);
    sources->n = 0;
    sources->many = false;
    sources->initial =
        init->how != HD_INIT_UNKNOWN && hd_value_eq(init->value, hd_trace_read_value(t, r));
    for (size_t i = 0; i < n; i++) {
        sources->initial &= last_write(s, &users[i], r) == HD_EID_NONE;
        find_sources_of(s, &users[i], r, sources);
    }
}

/* The user's first write that may come after w; HD_EID_NONE: the initial value. */
static uint32_t first_after(const struct hd_saturation *s, const struct hd_loc_user *user, hd_eid w)
{
    uint32_t from = w == HD_EID_NONE || w < s->from ? s->first[user->thread]
                                                    : hd_saturation_after(s, w)[user->thread];
    return hd_accesses_write_from(s->w->locs, user, from);
}

/* r has its only source w, and each other write comes before w or after r: nothing is left to say.
 */
static bool is_settled(const struct hd_saturation *s, hd_eid r, hd_eid w)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->locs, s->w->t->obj[r], &n);
    for (size_t i = 0; i < n; i++)
        if (hd_accesses_write_from(s->w->locs, &users[i],
                                   hd_saturation_before(s, r)[users[i].thread]) <
            first_after(s, &users[i], w))
            return false;
    return true;
}

/* w (HD_EID_NONE: the initial value) is the only source of r. */
static bool take_source(struct hd_saturation *s, hd_eid r, hd_eid w)
{
    const struct hd_trace *t = s->w->t;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->locs, t->obj[r], &n);
    if (w != HD_EID_NONE) {
        if (!hd_saturation_order(s, w, r))
            return false;
        if (w >= s->from)
            want_fresh(s, t->thread[w], t->pos[w] + (t->op[w] == HD_OP_RMW), t->obj[r]);
    }
    for (size_t i = 0; i < n; i++) {
        hd_eid h = last_write(s, &users[i], r);
        if (h != HD_EID_NONE && h != w && !hd_saturation_order(s, h, w))
            return false;
        uint32_t next = first_after(s, &users[i], w);
        if (next >= users[i].wend || !runs(s, s->w->locs->writes[next]))
            continue;
        h = s->w->locs->writes[next];
        if (h != r && !hd_saturation_order(s, r, h))
            return false;
    }
    if (is_settled(s, r, w))
        set(s, &s->settled[r - s->from], 1, NO_LOC);
    return true;
}

/* What all sources need comes before r. */
static bool take_common(struct hd_saturation *s, hd_eid r, const struct sources *sources)
{
    const struct hd_trace *t = s->w->t;
    for (hd_tid u = 0; u < s->threads; u++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < sources->n; i++) {
            hd_eid w = sources->list[i];
            uint32_t count = w < s->from         ? 0
                             : t->thread[w] == u ? t->pos[w] + 1
                                                 : hd_saturation_before(s, w)[u];
            if (count < least)
                least = count;
        }
        if (least > hd_saturation_before(s, r)[u] &&
            !hd_saturation_order(s, hd_world_event(s->w, u, least - 1), r))
            return false;
    }
    return true;
}

static bool close_read(struct hd_saturation *s, hd_eid r)
{
    struct sources sources;
    find_sources(s, r, &sources);
    if (sources.many)
        return true;
    if (sources.n + sources.initial == 0)
        return false;
    if (sources.n + sources.initial == 1)
        return take_source(s, r, sources.n ? sources.list[0] : HD_EID_NONE);
    return sources.initial || take_common(s, r, &sources);
}

/* Which orders a read adds depends on the accesses of its location alone: it is looked at again
 * when the orders of one of them have changed, or those that it added were taken back. */
static bool close_moved(struct hd_saturation *s, hd_eid r)
{
    uint64_t *looked = &s->looked[r - s->from], now = s->time;
    if (s->settled[r - s->from] || *looked >= s->moved[s->w->t->obj[r]])
        return true;
    if (!close_read(s, r))
        return false;
    *looked = now;
    return true;
}

static bool close_reads(struct hd_saturation *s)
{
    for (hd_tid u = 0; u < s->threads; u++)
        for (uint32_t p = s->first[u]; p < s->end[u] && p < s->fresh_below[u]; p++) {
            hd_eid r = hd_world_event(s->w, u, p);
            if (hd_op_reads(s->w->t->op[r]) && !close_moved(s, r))
                return false;
        }
    return true;
}

/* Rounds cost more than all else, and come last. */
bool hd_saturation_close(struct hd_saturation *s)
{
    s->changed = true;
    while (s->changed) {
        s->changed = false;
        if (!close_sections(s) || !close_aparts(s) || !hd_saturation_close_sync(s) ||
            !close_reads(s) || (!s->changed && !hd_saturation_close_rounds(s)))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

void hd_saturation_apart(struct hd_saturation *s, hd_eid open, hd_eid close, hd_eid point)
{
    *(struct apart *)hd_vec_push(&s->aparts) = (struct apart){open, close, point};
}

size_t hd_saturation_mark(const struct hd_saturation *s)
{
    return s->log.len;
}

void hd_saturation_undo(struct hd_saturation *s, size_t mark)
{
    const struct change *log = s->log.data;
    while (s->log.len > mark) {
        const struct change *change = &log[--s->log.len];
        *change->where = change->old;
        touch(s, change->loc);
    }
}

bool hd_saturation_says(const struct hd_saturation *s, hd_eid x, hd_eid y)
{
    return hd_saturation_precedes(s, x, y);
}

const uint32_t *hd_saturation_clock(const struct hd_saturation *s, hd_eid e)
{
    return hd_saturation_before(s, e);
}

const uint32_t *hd_saturation_fresh_below(const struct hd_saturation *s)
{
    return s->fresh_below;
}

/* Program order, then the must-orders. */
static void order_all(struct hd_saturation *s)
{
    const struct hd_trace *t = s->w->t;
    for (hd_eid e = s->from; e < s->to; e++)
        for (hd_tid u = 0; u < s->threads; u++) {
            bool own = u == t->thread[e];
            hd_saturation_before(s, e)[u] = own ? t->pos[e] : s->first[u];
            hd_saturation_after(s, e)[u] = own ? t->pos[e] + 1 : s->end[u];
        }
    for (hd_eid e = s->from; e < s->to; e++) {
        const uint32_t *clock = hd_must_clock(s->w->must, e);
        for (hd_tid u = 0; u < s->threads; u++)
            if (u != t->thread[e] && clock[u] > hd_saturation_before(s, e)[u])
                hd_saturation_order(s, hd_world_event(s->w, u, clock[u] - 1), e);
    }
    s->log.len = 0;
}

static void find_synced(struct hd_saturation *s)
{
    const struct hd_trace *t = s->w->t;
    size_t n = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    uint8_t *by_rounds = hd_calloc(n, 1);
    for (uint32_t b = 0; b < n; b++) {
        struct hd_rounds rounds;
        by_rounds[b] = hd_saturation_find_rounds(s, b, &rounds);
        if (by_rounds[b])
            *(struct hd_rounds *)hd_vec_push(&s->rounds) = rounds;
    }
    for (hd_eid e = s->from; e < s->to; e++)
        if (t->op[e] == HD_OP_TRYFAIL || t->op[e] == HD_OP_WAKE || t->op[e] == HD_OP_SEM ||
            (t->op[e] == HD_OP_BAROUT && !by_rounds[t->obj[e]]))
            hd_u32vec_push(&s->synced, e);
    hd_free(by_rounds, n);
}

struct hd_saturation *hd_saturation_new(const struct hd_world *w, hd_eid from, hd_eid to)
{
    struct hd_saturation *s = hd_calloc(1, sizeof *s);
    size_t n = w->n_threads, cells = (size_t)(to - from) * n;
    *s = (struct hd_saturation){.w = w, .from = from, .to = to, .threads = n};
    s->log = HD_VEC_INIT(struct change);
    s->aparts = HD_VEC_INIT(struct apart);
    s->rounds = HD_VEC_INIT(struct hd_rounds);
    s->first = hd_calloc(n, sizeof *s->first);
    s->end = hd_calloc(n, sizeof *s->end);
    s->fresh_below = hd_calloc(n, sizeof *s->fresh_below);
    s->ends = hd_calloc(n, sizeof *s->ends);
    s->starts = hd_calloc(n, sizeof *s->starts);
    s->before = hd_calloc(cells, sizeof *s->before);
    s->after = hd_calloc(cells, sizeof *s->after);
    s->moved = hd_calloc(hd_trace_n_objs(w->t, HD_OBJ_LOC), sizeof *s->moved);
    s->looked = hd_calloc(to - from, sizeof *s->looked);
    s->settled = hd_calloc(to - from, sizeof *s->settled);
    for (size_t x = 0; x < hd_trace_n_objs(w->t, HD_OBJ_LOC); x++)
        s->moved[x] = ++s->time;
    for (hd_tid u = 0; u < n; u++) {
        s->first[u] = hd_world_events_before(w, u, from);
        s->end[u] = hd_world_events_before(w, u, to);
    }
    order_all(s);
    find_synced(s);
    return s;
}

void hd_saturation_free(struct hd_saturation *s)
{
    if (!s)
        return;
    size_t n = s->threads, cells = (size_t)(s->to - s->from) * n;
    hd_free(s->first, n * sizeof *s->first);
    hd_free(s->end, n * sizeof *s->end);
    hd_free(s->fresh_below, n * sizeof *s->fresh_below);
    hd_free(s->ends, n * sizeof *s->ends);
    hd_free(s->starts, n * sizeof *s->starts);
    hd_free(s->before, cells * sizeof *s->before);
    hd_free(s->after, cells * sizeof *s->after);
    hd_free(s->moved, hd_trace_n_objs(s->w->t, HD_OBJ_LOC) * sizeof *s->moved);
    hd_free(s->looked, (s->to - s->from) * sizeof *s->looked);
    hd_free(s->settled, (s->to - s->from) * sizeof *s->settled);
    hd_vec_fini(&s->log);
    hd_vec_fini(&s->aparts);
    hd_u32vec_fini(&s->synced);
    hd_vec_fini(&s->rounds);
    hd_free(s, sizeof *s);
}
