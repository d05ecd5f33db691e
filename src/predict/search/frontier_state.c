/* States of a frontier search, and what one event makes of them: docs/MODEL.md section 2. */
#include "base/alloc.h"
#include "predict/search/frontier_int.h"

#include <stdlib.h>
#include <string.h>

static void set(struct hd_frontier *f, uint32_t *cell, uint32_t value)
{
    if (*cell == value)
        return;
    *(struct hd_frontier_change *)hd_vec_push(&f->log) =
        (struct hd_frontier_change){(uint32_t)(cell - f->now.all), *cell};
    *cell = value;
}

void hd_frontier_undo(struct hd_frontier *f, size_t mark)
{
    const struct hd_frontier_change *log = f->log.data;
    while (f->log.len > mark) {
        f->log.len--;
        f->now.all[log[f->log.len].cell] = log[f->log.len].old;
    }
}

/* ---- locks ---- */

/* Another thread keeps u from taking the lock. */
static bool is_locked(const struct hd_frontier *f, uint32_t lock, hd_tid u, bool shared)
{
    if (f->now.owner[lock] && f->now.owner[lock] != u + 1)
        return true;
    for (hd_tid v = 0; !shared && v < f->threads; v++)
        if (v != u && f->now.shared[lock * f->threads + v])
            return true;
    return false;
}

/* The section that the event opens, or NULL. */
static const struct hd_section *opens(const struct hd_frontier *f, hd_eid e)
{
    uint32_t id = hd_section_of(f->w->sections, e);
    const struct hd_section *x = id == HD_SECTION_NONE ? NULL : hd_section_at(f->w->sections, id);
    return x && x->open == e ? x : NULL;
}

static bool can_lock(const struct hd_frontier *f, hd_eid e)
{
    const struct hd_section *x = opens(f, e);
    return !x || !is_locked(f, x->lock, x->thread, x->shared);
}

static void run_lock(struct hd_frontier *f, hd_eid e)
{
    uint32_t id = hd_section_of(f->w->sections, e);
    if (id == HD_SECTION_NONE)
        return; /* an inner re-entrant operation */
    const struct hd_section *x = hd_section_at(f->w->sections, id);
    if (x->shared)
        set(f, &f->now.shared[x->lock * f->threads + x->thread], x->open == e);
    else
        set(f, &f->now.owner[x->lock], x->open == e ? x->thread + 1 : 0);
}

/* ---- waits ---- */

/* The wait on this condition that thread u stands in and has not been notified of, or HD_EID_NONE.
 */
static hd_eid waits_for(const struct hd_frontier *f, hd_tid u, uint32_t cond)
{
    if (!(f->now.flags[u] & HD_FRONTIER_WAITS))
        return HD_EID_NONE;
    hd_eid wait = hd_world_event(f->w, u, f->now.pos[u] - 1);
    return f->w->t->obj[wait] == cond ? wait : HD_EID_NONE;
}

/* As recorded: it finds all whom it notified, and no other, but a sig that notified one may. */
static bool can_notify_as_recorded(const struct hd_frontier *f, hd_eid e)
{
    const struct hd_trace *t = f->w->t;
    uint32_t found = 0;
    for (hd_tid u = 0; u < f->threads; u++) {
        hd_eid wait = waits_for(f, u, t->obj[e]);
        if (wait == HD_EID_NONE)
            continue;
        if (f->q->notifier[wait] == e)
            found++;
        else if (t->op[e] == HD_OP_BCAST || !f->q->notified[e])
            return false;
    }
    return found == f->q->notified[e];
}

/* Whether thread u times out of the wait it is in. */
static bool times_out(const struct hd_frontier *f, hd_tid u)
{
    hd_eid leave = hd_frontier_next(f, u);
    return leave != HD_EID_NONE && f->w->t->op[leave] == HD_OP_TMO;
}

static bool can_notify(const struct hd_frontier *f, hd_eid e, hd_tid woken)
{
    const struct hd_trace *t = f->w->t;
    if (f->q->notifier)
        return can_notify_as_recorded(f, e);
    if (woken != HD_TID_NONE)
        return waits_for(f, woken, t->obj[e]) != HD_EID_NONE && !times_out(f, woken);
    for (hd_tid u = 0; u < f->threads; u++)
        if (waits_for(f, u, t->obj[e]) != HD_EID_NONE && (t->op[e] == HD_OP_SIG || times_out(f, u)))
            return false;
    return true;
}

static void notify(struct hd_frontier *f, hd_tid u, hd_tid by)
{
    set(f, &f->now.flags[u],
        (f->now.flags[u] & ~(uint32_t)HD_FRONTIER_WAITS) | HD_FRONTIER_NOTIFIED |
            (f->now.flags[by] & HD_FRONTIER_LOST));
}

/* In the window: whom it notifies by the question; before it: as observed. */
static void run_notify(struct hd_frontier *f, hd_eid e, hd_tid woken)
{
    const struct hd_trace *t = f->w->t;
    for (hd_tid u = 0; u < f->threads; u++) {
        hd_eid wait = waits_for(f, u, t->obj[e]);
        if (wait == HD_EID_NONE)
            continue;
        if (t->op[e] == HD_OP_BCAST || u == woken)
            notify(f, u, t->thread[e]);
        else if (f->q->notifier && f->q->notifier[wait] == e)
            notify(f, u, t->thread[e]);
    }
}

/* ---- accesses ---- */

bool hd_frontier_is_live(const struct hd_frontier *f, uint32_t loc)
{
    uint32_t first = f->w->locs->user_start[loc], end = f->w->locs->user_start[loc + 1];
    for (uint32_t i = first; i < end; i++) {
        hd_tid u = ((const struct hd_loc_user *)hd_vec_at(&f->w->locs->users, i))->thread;
        if (f->last_read[i] > f->now.pos[u] && !(f->now.flags[u] & HD_FRONTIER_STALE))
            return true;
    }
    return false;
}

static void run_access(struct hd_frontier *f, hd_eid e)
{
    const struct hd_trace *t = f->w->t;
    hd_tid u = t->thread[e];
    bool matters = t->pos[e] < f->useful[u];
    uint32_t *value = &f->now.value[t->obj[e]];
    if (hd_op_reads(t->op[e]) && matters && *value != f->read_id[e])
        set(f, &f->now.flags[u], f->now.flags[u] | HD_FRONTIER_STALE);
    if (hd_op_writes(t->op[e]))
        set(f, value, matters && !(f->now.flags[u] & HD_FRONTIER_STALE) ? f->write_id[e] : 0);
}

/* ---- all events ---- */

bool hd_frontier_clock_met(const struct hd_frontier *f, hd_eid e)
{
    const uint32_t *clock = hd_saturation_clock(f->q->known, e);
    hd_tid own = f->w->t->thread[e];
    for (hd_tid v = 0; v < f->threads; v++)
        if (v != own && clock[v] > f->now.pos[v])
            return false;
    return true;
}

bool hd_frontier_can_run(const struct hd_frontier *f, hd_eid e, hd_tid woken)
{
    const struct hd_trace *t = f->w->t;
    hd_tid u = t->thread[e];
    if (!hd_frontier_clock_met(f, e))
        return false;
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
        return can_lock(f, e);
    case HD_OP_TRYFAIL:
        return is_locked(f, t->obj[e], u, false);
    case HD_OP_WAKE:
        return !(f->now.flags[u] & HD_FRONTIER_WAITS) && can_lock(f, e);
    case HD_OP_TMO:
        return (f->now.flags[u] & HD_FRONTIER_WAITS) && can_lock(f, e);
    case HD_OP_SIG:
    case HD_OP_BCAST:
        return can_notify(f, e, woken);
    case HD_OP_SEM:
        return f->now.count[t->obj[e]] > 0;
    case HD_OP_BAROUT:
        return !(f->now.round[t->obj[e]] >> u & 1);
    default:
        return !hd_op_reads(t->op[e]) || t->pos[e] >= f->fresh[u] ||
               f->now.value[t->obj[e]] == f->read_id[e];
    }
}

/* v is lost if u is: what u did must have happened before what v does. */
static void pass_on(struct hd_frontier *f, hd_tid u, hd_tid v)
{
    set(f, &f->now.flags[v], f->now.flags[v] | (f->now.flags[u] & HD_FRONTIER_LOST));
}

static void run_arrival(struct hd_frontier *f, hd_eid e)
{
    uint32_t b = f->w->t->obj[e];
    bool complete = f->now.here[b] + 1 == f->w->t->barrier_size[b];
    set(f, &f->now.here[b], complete ? 0 : f->now.here[b] + 1);
    set(f, &f->now.round[b], complete ? 0 : f->now.round[b] | UINT32_C(1) << f->w->t->thread[e]);
}

void hd_frontier_run(struct hd_frontier *f, hd_eid e, hd_tid woken)
{
    const struct hd_trace *t = f->w->t;
    hd_tid u = t->thread[e];
    uint32_t *flags = &f->now.flags[u];
    if (f->branch && f->branch[e] && (*flags & HD_FRONTIER_STALE))
        set(f, flags, *flags | HD_FRONTIER_LOST);
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
    case HD_OP_REL:
    case HD_OP_RREL:
        run_lock(f, e);
        break;
    case HD_OP_FORK:
        pass_on(f, u, t->obj[e]);
        break;
    case HD_OP_JOIN:
        pass_on(f, t->obj[e], u);
        break;
    case HD_OP_WAIT:
        run_lock(f, e);
        set(f, flags, *flags | HD_FRONTIER_WAITS);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        run_lock(f, e);
        set(f, flags, *flags & ~(uint32_t)(HD_FRONTIER_WAITS | HD_FRONTIER_NOTIFIED));
        break;
    case HD_OP_SIG:
    case HD_OP_BCAST:
        run_notify(f, e, woken);
        break;
    case HD_OP_POST:
        set(f, &f->now.count[t->obj[e]], f->now.count[t->obj[e]] + 1);
        break;
    case HD_OP_SEM:
        set(f, &f->now.count[t->obj[e]], f->now.count[t->obj[e]] - 1);
        break;
    case HD_OP_BARIN:
        run_arrival(f, e);
        break;
    default:
        if (hd_op_is_access(t->op[e]))
            run_access(f, e);
        break;
    }
    set(f, &f->now.pos[u], t->pos[e] + 1);
}

/* ---- values ---- */

static int by_value(const void *a, const void *b)
{
    const struct hd_value *x = a, *y = b;
    if (x->bits != y->bits)
        return x->bits < y->bits ? -1 : 1;
    return (int)x->unique - (int)y->unique;
}

static uint32_t id_of(const struct hd_vec *values, struct hd_value value)
{
    const struct hd_value *at = bsearch(&value, values->data, values->len, values->size, by_value);
    return (uint32_t)(at - (const struct hd_value *)values->data) + 1;
}

/* Equal values lie together after sorting; any of them would do as the id if bsearch found the same
 * one each time, so doubles are dropped. */
static void sort_values(struct hd_vec *values)
{
    struct hd_value *list = values->data;
    size_t kept = 0;
    if (values->len)
        qsort(list, values->len, values->size, by_value);
    for (size_t i = 0; i < values->len; i++)
        if (!kept || !hd_value_eq(list[kept - 1], list[i]))
            list[kept++] = list[i];
    values->len = kept;
}

static void number_values(struct hd_frontier *f)
{
    const struct hd_trace *t = f->w->t;
    struct hd_vec values = HD_VEC_INIT(struct hd_value);
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    for (hd_eid e = 0; e < t->n_events; e++) {
        if (hd_op_reads(t->op[e]))
            *(struct hd_value *)hd_vec_push(&values) = hd_trace_read_value(t, e);
        if (hd_op_writes(t->op[e]))
            *(struct hd_value *)hd_vec_push(&values) = hd_trace_write_value(t, e);
    }
    for (size_t x = 0; x < locs; x++)
        if (t->loc_init[x].how != HD_INIT_UNKNOWN)
            *(struct hd_value *)hd_vec_push(&values) = t->loc_init[x].value;
    sort_values(&values);
    for (hd_eid e = 0; e < t->n_events; e++) {
        if (hd_op_reads(t->op[e]))
            f->read_id[e] = id_of(&values, hd_trace_read_value(t, e));
        if (hd_op_writes(t->op[e]))
            f->write_id[e] = id_of(&values, hd_trace_write_value(t, e));
    }
    for (size_t x = 0; x < locs; x++)
        if (t->loc_init[x].how != HD_INIT_UNKNOWN)
            f->initial_id[x] = id_of(&values, t->loc_init[x].value);
    hd_vec_fini(&values);
}

/* ---- the whole ---- */

static void lay_out(struct hd_frontier_cells *c, const struct hd_world *w)
{
    const struct hd_trace *t = w->t;
    size_t threads = w->n_threads, locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC), barriers = hd_trace_n_objs(t, HD_OBJ_BARRIER);
    c->n =
        2 * threads + locs + 2 * barriers + locks * (1 + threads) + hd_trace_n_objs(t, HD_OBJ_SEM);
    c->all = hd_calloc(c->n, sizeof *c->all);
    c->pos = c->all;
    c->flags = c->pos + threads;
    c->value = c->flags + threads;
    c->round = c->value + locs;
    c->here = c->round + barriers;
    c->owner = c->here + barriers;
    c->shared = c->owner + locks;
    c->count = c->shared + locks * threads;
}

void hd_frontier_init_state(struct hd_frontier *f)
{
    const struct hd_trace *t = f->w->t;
    lay_out(&f->now, f->w);
    f->base = hd_calloc(f->now.n, sizeof *f->base);
    f->read_id = hd_calloc(t->n_events, sizeof *f->read_id);
    f->write_id = hd_calloc(t->n_events, sizeof *f->write_id);
    f->initial_id = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *f->initial_id);
    number_values(f);
}

void hd_frontier_fini_state(struct hd_frontier *f)
{
    const struct hd_trace *t = f->w->t;
    hd_free(f->now.all, f->now.n * sizeof *f->now.all);
    hd_free(f->base, f->now.n * sizeof *f->base);
    hd_free(f->read_id, t->n_events * sizeof *f->read_id);
    hd_free(f->write_id, t->n_events * sizeof *f->write_id);
    hd_free(f->initial_id, hd_trace_n_objs(t, HD_OBJ_LOC) * sizeof *f->initial_id);
}

/* What has run as observed before the window. All reads matter there. */
static void find_base(struct hd_frontier *f)
{
    const struct hd_trace *t = f->w->t;
    memset(f->now.all, 0, f->now.n * sizeof *f->now.all);
    for (uint32_t x = 0; x < hd_trace_n_objs(t, HD_OBJ_LOC); x++)
        f->now.value[x] = f->initial_id[x];
    for (uint32_t s = 0; s < hd_trace_n_objs(t, HD_OBJ_SEM); s++) {
        uint64_t initial = t->sem_init[s]; /* there are fewer operations than half of this */
        f->now.count[s] = initial < UINT32_MAX / 2 ? (uint32_t)initial : UINT32_MAX / 2;
    }
    for (hd_tid u = 0; u < f->threads; u++) {
        f->useful[u] = UINT32_MAX;
        f->end[u] = hd_world_events_before(f->w, u, f->q->to);
    }
    for (hd_eid e = 0; e < f->q->from; e++)
        hd_frontier_run(f, e,
                        t->op[e] == HD_OP_SIG ? hd_matching_woken(f->matching, e) : HD_TID_NONE);
    memcpy(f->base, f->now.all, f->now.n * sizeof *f->base);
    f->from = f->q->from;
    f->to = f->q->to;
}

void hd_frontier_start(struct hd_frontier *f)
{
    if (f->to != f->q->to || f->from != f->q->from)
        find_base(f);
    memcpy(f->now.all, f->base, f->now.n * sizeof *f->base);
    f->log.len = 0;
    f->fresh = hd_saturation_fresh_below(f->q->known);
}
