#include "model/state.h"

#include "base/err.h"

uint32_t hd_state_read_holds(const struct hd_state *s, hd_tid u, uint32_t l)
{
    uint32_t slot;
    return hd_map_get(&s->layout->read_slot, (uint64_t)u << 32 | l, &slot) ? s->reads[slot] : 0;
}

bool hd_state_waits(const struct hd_state *s, hd_tid u, uint32_t c)
{
    if (u >= hd_trace_n_threads(s->t) || !s->thread[u].waiting)
        return false;
    /* A waiting thread has run its wait last. */
    size_t n;
    const hd_eid *events = hd_trace_thread_events(s->t, u, &n);
    return s->t->obj[events[s->thread[u].next - 1]] == c;
}

/* Is a read of this set of e stale? e is its thread's next event, or (VALUE) an rmw whose read has
 * just run. */
static bool any_stale(const struct hd_state *s, hd_eid e, enum hd_dep_role role)
{
    const struct hd_trace *t = s->t;
    if (!s->thread[t->thread[e]].n_stale)
        return false;
    struct hd_deps deps = hd_trace_deps(t, e, role);
    if (deps.all)
        return true;
    for (uint32_t i = 0; i < deps.n; i++)
        if (hd_state_is_stale(s, hd_trace_back(t, e, deps.dist[i])))
            return true;
    return false;
}

/* May u take the lock for writing? No other thread may hold it for acq; no thread at all for one
 * that comes back from a wait, whose ownership ended there. */
static enum hd_why why_not_acq(const struct hd_state *s, hd_tid u, uint32_t l)
{
    const struct hd_lock_state *lock = &s->lock[l];
    if (lock->owner && lock->owner != u + 1)
        return HD_WHY_OWNED;
    if (lock->readers && lock->readers > hd_state_read_holds(s, u, l))
        return HD_WHY_READ;
    return HD_WHY_ENABLED;
}

static enum hd_why why_not_free(const struct hd_state *s, uint32_t l)
{
    if (s->lock[l].owner)
        return HD_WHY_OWNED;
    return s->lock[l].readers ? HD_WHY_READ : HD_WHY_ENABLED;
}

static enum hd_why why_not_lock_op(const struct hd_state *s, hd_eid e, hd_tid u)
{
    uint32_t l = s->t->obj[e];
    const struct hd_lock_state *lock = &s->lock[l];
    switch (s->t->op[e]) {
    case HD_OP_ACQ:
        return why_not_acq(s, u, l);
    case HD_OP_RACQ:
        return lock->owner ? HD_WHY_OWNED : HD_WHY_ENABLED;
    case HD_OP_REL:
        return lock->owner == u + 1 ? HD_WHY_ENABLED : HD_WHY_NOT_HELD;
    case HD_OP_RREL:
        return hd_state_read_holds(s, u, l) ? HD_WHY_ENABLED : HD_WHY_NOT_HELD;
    default: /* tryfail: it fails exactly when an acq could not run */
        return why_not_acq(s, u, l) ? HD_WHY_ENABLED : HD_WHY_NOBODY_HOLDS;
    }
}

/* wake and tmo. The thread's wait is the event just before: a thread in a wait runs nothing else.
 */
static enum hd_why why_not_return(const struct hd_state *s, hd_eid e, hd_tid u)
{
    const struct hd_trace *t = s->t;
    const struct hd_thread_state *me = &s->thread[u];
    if (!me->wait_depth)
        return HD_WHY_NO_WAIT;
    hd_eid wait = hd_trace_back(t, e, 1);
    if (t->obj[wait] != t->obj[e] || hd_trace_lock(t, wait) != hd_trace_lock(t, e))
        return HD_WHY_NO_WAIT;
    if (t->op[e] == HD_OP_WAKE && me->waiting)
        return HD_WHY_NOT_NOTIFIED;
    if (t->op[e] == HD_OP_TMO && !me->waiting)
        return HD_WHY_NOTIFIED;
    return why_not_free(s, hd_trace_lock(t, e));
}

static enum hd_why why_not_barout(const struct hd_state *s, hd_eid e, hd_tid u)
{
    uint32_t b = s->t->obj[e], slot;
    if (!hd_map_get(&s->layout->arrival_slot, (uint64_t)u << 32 | b, &slot) || !s->arrivals[slot])
        return HD_WHY_NO_ARRIVAL;
    uint64_t complete = s->arrived[b] / s->t->barrier_size[b];
    return s->arrivals[slot] <= complete ? HD_WHY_ENABLED : HD_WHY_GENERATION;
}

static enum hd_why why_not_sem(const struct hd_state *s, uint32_t sem)
{
    int64_t taken = s->sem_taken[sem];
    bool positive = taken < 0 || (uint64_t)taken < s->t->sem_init[sem];
    return positive ? HD_WHY_ENABLED : HD_WHY_SEM;
}

static enum hd_why why_not_join(const struct hd_state *s, hd_tid u)
{
    size_t n;
    hd_trace_thread_events(s->t, u, &n);
    return s->thread[u].next == n ? HD_WHY_ENABLED : HD_WHY_UNFINISHED;
}

/* The rule of the op itself, apart from stale reads. */
static enum hd_why why_not_op(const struct hd_state *s, hd_eid e, hd_tid u)
{
    const struct hd_trace *t = s->t;
    switch (t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_REL:
    case HD_OP_RACQ:
    case HD_OP_RREL:
    case HD_OP_TRYFAIL:
        return why_not_lock_op(s, e, u);
    case HD_OP_JOIN:
        return why_not_join(s, t->obj[e]);
    case HD_OP_WAIT:
        return s->lock[hd_trace_lock(t, e)].owner == u + 1 ? HD_WHY_ENABLED : HD_WHY_NOT_HELD;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        return why_not_return(s, e, u);
    case HD_OP_SEM:
        return why_not_sem(s, t->obj[e]);
    case HD_OP_BAROUT:
        return why_not_barout(s, e, u);
    case HD_OP_END:
        return s->thread[u].blocks ? HD_WHY_ENABLED : HD_WHY_NO_BEGIN;
    default: /* accesses, br, fork, sig, bcast, post, barin, begin: nothing but stale reads */
        return HD_WHY_ENABLED;
    }
}

enum hd_why hd_state_why_order(const struct hd_state *s, hd_eid e)
{
    const struct hd_trace *t = s->t;
    hd_tid u = t->thread[e];
    const struct hd_thread_state *me = &s->thread[u];
    if (me->next != t->pos[e])
        return HD_WHY_NOT_NEXT;
    /* A thread that has run anything has been forked. */
    if (!me->next && t->fork_of[u] != HD_EID_NONE && !hd_state_ran(s, t->fork_of[u]))
        return HD_WHY_NOT_FORKED;
    if (me->wait_depth && t->op[e] != HD_OP_WAKE && t->op[e] != HD_OP_TMO)
        return HD_WHY_IN_WAIT;
    return why_not_op(s, e, u);
}

/* Requires: e is its thread's next event. */
static enum hd_why why_not_data(const struct hd_state *s, hd_eid e)
{
    const struct hd_trace *t = s->t;
    if (!s->thread[t->thread[e]].n_stale)
        return HD_WHY_ENABLED;
    if (t->control == HD_CONTROL_ALL)
        return HD_WHY_CONTROL;
    if (t->op[e] == HD_OP_BRANCH && any_stale(s, e, HD_DEP_CONTROL))
        return HD_WHY_DEPS;
    if (hd_op_is_access(t->op[e]) && any_stale(s, e, HD_DEP_ADDR))
        return HD_WHY_ADDR;
    return HD_WHY_ENABLED;
}

enum hd_why hd_state_why(const struct hd_state *s, hd_eid e)
{
    enum hd_why why = hd_state_why_order(s, e);
    return why ? why : why_not_data(s, e);
}

bool hd_state_blocked_by(const struct hd_state *s, hd_eid e, hd_tid holder)
{
    const struct hd_trace *t = s->t;
    uint32_t lock = hd_trace_lock(t, e);
    if (s->thread[t->thread[e]].next != t->pos[e] || holder == t->thread[e] || why_not_data(s, e))
        return false;
    if (s->lock[lock].owner == holder + 1)
        return true;
    return t->op[e] != HD_OP_RACQ && hd_state_read_holds(s, holder, lock) > 0;
}

static void step_access(struct hd_state *s, hd_eid e, hd_tid u)
{
    const struct hd_trace *t = s->t;
    struct hd_cell *cell = &s->mem[t->obj[e]];
    if (hd_op_reads(t->op[e])) {
        struct hd_value v = hd_trace_read_value(t, e);
        uint64_t kind = v.unique ? HD_CELL_UNIQUE : HD_CELL_NUMBER;
        if (cell->kind != kind || cell->bits != v.bits) {
            s->stale[e / 64] |= UINT64_C(1) << (e % 64);
            s->thread[u].n_stale++;
        }
    }
    if (hd_op_writes(t->op[e])) {
        struct hd_value v = hd_trace_write_value(t, e);
        if (any_stale(s, e, HD_DEP_VALUE))
            *cell = (struct hd_cell){0, HD_CELL_UNKNOWN};
        else
            *cell = (struct hd_cell){v.bits, v.unique ? HD_CELL_UNIQUE : HD_CELL_NUMBER};
    }
}

static void step_lock_op(struct hd_state *s, hd_eid e, hd_tid u)
{
    uint32_t l = s->t->obj[e], slot = 0;
    struct hd_lock_state *lock = &s->lock[l];
    switch (s->t->op[e]) {
    case HD_OP_ACQ:
        lock->owner = u + 1;
        lock->depth++;
        break;
    case HD_OP_REL:
        if (!--lock->depth)
            lock->owner = 0;
        break;
    case HD_OP_RACQ:
    case HD_OP_RREL: {
        HD_ASSERT(hd_map_get(&s->layout->read_slot, (uint64_t)u << 32 | l, &slot));
        uint32_t change = s->t->op[e] == HD_OP_RACQ ? 1 : UINT32_MAX;
        s->reads[slot] += change;
        lock->readers += change;
        break;
    }
    default: /* tryfail changes nothing */
        break;
    }
}

static void enter_set(struct hd_state *s, hd_tid u, uint32_t c)
{
    s->thread[u].waiting = 1;
    s->n_waiting[c]++;
    s->link[2 * u] = s->head[c];
    s->link[2 * u + 1] = 0;
    if (s->head[c])
        s->link[2 * (s->head[c] - 1) + 1] = u + 1;
    s->head[c] = u + 1;
}

static void leave_set(struct hd_state *s, hd_tid u, uint32_t c)
{
    uint32_t next = s->link[2 * u], prev = s->link[2 * u + 1];
    if (prev)
        s->link[2 * (prev - 1)] = next;
    else
        s->head[c] = next;
    if (next)
        s->link[2 * (next - 1) + 1] = prev;
    s->thread[u].waiting = 0;
    s->n_waiting[c]--;
}

static void step_cond_op(struct hd_state *s, hd_eid e, hd_tid u, hd_tid woken)
{
    const struct hd_trace *t = s->t;
    uint32_t c = t->obj[e];
    struct hd_lock_state *lock = hd_op_info[t->op[e]].has_lock ? &s->lock[t->val[e]] : NULL;
    switch (t->op[e]) {
    case HD_OP_WAIT:
        s->thread[u].wait_depth = lock->depth;
        lock->owner = lock->depth = 0;
        enter_set(s, u, c);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        if (s->thread[u].waiting)
            leave_set(s, u, c);
        lock->owner = u + 1;
        lock->depth = s->thread[u].wait_depth;
        s->thread[u].wait_depth = 0;
        break;
    case HD_OP_SIG:
        if (!s->n_waiting[c]) {
            HD_ASSERT(woken == HD_TID_NONE);
            break;
        }
        HD_ASSERT(hd_state_waits(s, woken, c));
        leave_set(s, woken, c);
        break;
    default: /* bcast */
        while (s->head[c])
            leave_set(s, s->head[c] - 1, c);
        break;
    }
}

static void step_barin(struct hd_state *s, hd_eid e, hd_tid u)
{
    uint32_t b = s->t->obj[e], slot = 0;
    HD_ASSERT(hd_map_get(&s->layout->arrival_slot, (uint64_t)u << 32 | b, &slot));
    s->arrivals[slot] = s->arrived[b] / s->t->barrier_size[b] + 1;
    s->arrived[b]++;
}

void hd_state_step(struct hd_state *s, hd_eid e, hd_tid woken)
{
    HD_DCHECK(hd_state_why_order(s, e) == HD_WHY_ENABLED); /* the published models allow more */
    const struct hd_trace *t = s->t;
    hd_tid u = t->thread[e];
    switch (hd_op_info[t->op[e]].kind) {
    case HD_OBJ_LOC:
        step_access(s, e, u);
        break;
    case HD_OBJ_LOCK:
        step_lock_op(s, e, u);
        break;
    case HD_OBJ_COND:
        step_cond_op(s, e, u, woken);
        break;
    case HD_OBJ_SEM:
        s->sem_taken[t->obj[e]] += t->op[e] == HD_OP_SEM ? 1 : -1;
        break;
    case HD_OBJ_BARRIER:
        if (t->op[e] == HD_OP_BARIN)
            step_barin(s, e, u);
        break;
    case HD_OBJ_THREAD: /* fork, join: the position is enough */
        break;
    case HD_OBJ_NONE:
        if (t->op[e] == HD_OP_BEGIN || t->op[e] == HD_OP_END)
            s->thread[u].blocks += t->op[e] == HD_OP_BEGIN ? 1 : UINT32_MAX;
        break;
    }
    s->thread[u].next++;
}
