#include "predict/search/sim.h"

#include "base/interrupt.h"
#include "predict/search/sim_state.h"

/* ---- one event ---- */

/* A section of the lock, open now, that keeps `thread` from opening one; HD_SECTION_NONE when free.
 */
static uint32_t blocker(struct hd_sim *s, uint32_t lock, hd_tid thread, bool shared)
{
    const struct hd_sections *sections = s->w->sections;
    struct hd_sim_lock *state = hd_sim_lock(s, lock);
    if (state->owner != HD_SECTION_NONE && hd_section_at(sections, state->owner)->thread != thread)
        return state->owner;
    if (shared || !state->shared)
        return HD_SECTION_NONE;
    for (uint32_t i = sections->user_start[lock]; i < sections->user_start[lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&sections->users, i);
        if (user->thread == thread)
            continue;
        uint32_t id = hd_sections_open_at(sections, user, s->threads[user->thread].next);
        if (id != HD_SECTION_NONE)
            return id;
    }
    return HD_SECTION_NONE;
}

static enum hd_sim_result run_lock(struct hd_sim *s, hd_eid e, struct hd_sim_failure *failure)
{
    const struct hd_sections *sections = s->w->sections;
    uint32_t id = hd_section_of(sections, e);
    if (id == HD_SECTION_NONE)
        return HD_SIM_DONE; /* an inner re-entrant operation */
    const struct hd_section *section = hd_section_at(sections, id);
    struct hd_sim_lock *state = hd_sim_lock(s, section->lock);
    if (section->open == e) {
        failure->other = blocker(s, section->lock, section->thread, section->shared);
        if (failure->other != HD_SECTION_NONE)
            return HD_SIM_LOCK;
        if (section->shared)
            state->shared++;
        else
            state->owner = id;
    } else if (section->shared) {
        state->shared--;
    } else {
        state->owner = HD_SECTION_NONE;
    }
    return HD_SIM_DONE;
}

static enum hd_sim_result run_read(struct hd_sim *s, hd_eid e, struct hd_sim_failure *failure)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_sim_cell *cell = hd_sim_cell(s, t->obj[e]);
    struct hd_sim_thread *thread = &s->threads[t->thread[e]];
    if (cell->known && hd_value_eq(hd_sim_value(s, t->obj[e], cell), hd_trace_read_value(t, e)))
        return HD_SIM_DONE;
    if (hd_plan_needs(s->plan, e)) {
        failure->other = cell->write;
        return HD_SIM_READ;
    }
    hd_bitset_add(&s->stale, e);
    hd_u32vec_push(&s->stale_reads, e);
    if (t->pos[e] < thread->first_stale)
        thread->first_stale = t->pos[e];
    return HD_SIM_DONE;
}

/* Whether the write stores its traced value: none of the reads it depends on is stale. */
static bool is_concrete(const struct hd_sim *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    uint32_t first_stale = s->threads[t->thread[e]].first_stale;
    if (first_stale == UINT32_MAX)
        return true;
    struct hd_deps deps = hd_trace_deps(t, e, HD_DEP_VALUE);
    if (deps.all)
        return first_stale > t->pos[e];
    for (uint32_t i = 0; i < deps.n; i++)
        if (hd_bitset_has(&s->stale, hd_trace_back(t, e, deps.dist[i])))
            return false;
    return true;
}

static enum hd_sim_result run_access(struct hd_sim *s, hd_eid e, struct hd_sim_failure *failure)
{
    const struct hd_trace *t = s->w->t;
    if (hd_op_reads(t->op[e]) && run_read(s, e, failure) != HD_SIM_DONE)
        return HD_SIM_READ;
    if (hd_op_writes(t->op[e])) {
        struct hd_sim_cell *cell = hd_sim_cell(s, t->obj[e]);
        cell->write = e;
        cell->known = is_concrete(s, e);
    }
    return HD_SIM_DONE;
}

static void notify(struct hd_sim *s, hd_tid u, hd_eid notifier)
{
    s->threads[u].wait = HD_SIM_NOTIFIED;
    s->threads[u].notifier = notifier;
}

/* How well a waiting thread serves as the one to notify: lower is better (see model/matching.h). */
static uint64_t notify_rank(const struct hd_sim *s, hd_tid u)
{
    const struct hd_trace *t = s->w->t;
    uint32_t next = s->threads[u].next;
    if (next >= s->plan->cut[u])
        return UINT32_MAX; /* stays in its wait: no other is better */
    hd_eid leave = hd_world_event(s->w, u, next);
    return t->op[leave] == HD_OP_WAKE ? leave : UINT64_MAX;
}

static enum hd_sim_result run_sig(struct hd_sim *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    hd_tid best = 0;
    uint64_t best_rank = UINT64_MAX;
    size_t waiting = 0;
    for (hd_tid u = 0; u < s->w->n_threads; u++) {
        if (s->threads[u].wait != HD_SIM_WAITING || s->threads[u].cond != t->obj[e])
            continue;
        waiting++;
        if (notify_rank(s, u) < best_rank) {
            best = u;
            best_rank = notify_rank(s, u);
        }
    }
    if (!waiting)
        return HD_SIM_DONE;
    if (best_rank == UINT64_MAX)
        return s->plan->unnotified ? HD_SIM_DONE : HD_SIM_SIG;
    notify(s, best, e);
    *(struct hd_wake *)hd_vec_push(&s->wakes) = (struct hd_wake){e, best};
    return HD_SIM_DONE;
}

static void run_bcast(struct hd_sim *s, hd_eid e)
{
    for (hd_tid u = 0; u < s->w->n_threads; u++)
        if (s->threads[u].wait == HD_SIM_WAITING && s->threads[u].cond == s->w->t->obj[e])
            notify(s, u, e);
}

static enum hd_sim_result run_leave_wait(struct hd_sim *s, hd_eid e, struct hd_sim_failure *failure)
{
    const struct hd_trace *t = s->w->t;
    struct hd_sim_thread *thread = &s->threads[t->thread[e]];
    bool notified = thread->wait == HD_SIM_NOTIFIED, any = s->plan->unnotified;
    if (t->op[e] == HD_OP_WAKE && !notified && !any)
        return HD_SIM_WAKE;
    if (t->op[e] == HD_OP_TMO && notified && !any) {
        failure->other = thread->notifier;
        return HD_SIM_TMO;
    }
    enum hd_sim_result result = run_lock(s, e, failure);
    if (result == HD_SIM_DONE)
        thread->wait = HD_SIM_NOT_WAITING;
    return result;
}

static enum hd_sim_result run_tryfail(struct hd_sim *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    return blocker(s, t->obj[e], t->thread[e], false) == HD_SECTION_NONE ? HD_SIM_TRYFAIL
                                                                         : HD_SIM_DONE;
}

static enum hd_sim_result run_counted(struct hd_sim *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    uint64_t size;
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_POST:
        hd_sim_sem(s, t->obj[e])->count++;
        return HD_SIM_DONE;
    case HD_OP_SEM:
        if (hd_sim_sem(s, t->obj[e])->count == 0)
            return HD_SIM_SEM;
        hd_sim_sem(s, t->obj[e])->count--;
        return HD_SIM_DONE;
    case HD_OP_BARIN:
        *(struct hd_sim_arrival *)hd_vec_push(&s->arrivals) =
            (struct hd_sim_arrival){e, hd_sim_barrier(s, t->obj[e])->count++};
        return HD_SIM_DONE;
    default: /* barout */
        size = t->barrier_size[t->obj[e]];
        return hd_sim_barrier(s, t->obj[e])->count >= (hd_sim_rank(s, e) / size + 1) * size
                   ? HD_SIM_DONE
                   : HD_SIM_BARRIER;
    }
}

static enum hd_sim_result run_event(struct hd_sim *s, hd_eid e, struct hd_sim_failure *failure)
{
    const struct hd_trace *t = s->w->t;
    struct hd_sim_thread *thread = &s->threads[t->thread[e]];
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_REL:
    case HD_OP_RACQ:
    case HD_OP_RREL:
        return run_lock(s, e, failure);
    case HD_OP_WAIT:
        thread->wait = HD_SIM_WAITING;
        thread->cond = t->obj[e];
        return run_lock(s, e, failure);
    case HD_OP_WAKE:
    case HD_OP_TMO:
        return run_leave_wait(s, e, failure);
    case HD_OP_SIG:
        return run_sig(s, e);
    case HD_OP_BCAST:
        run_bcast(s, e);
        return HD_SIM_DONE;
    case HD_OP_TRYFAIL:
        return run_tryfail(s, e);
    case HD_OP_POST:
    case HD_OP_SEM:
    case HD_OP_BARIN:
    case HD_OP_BAROUT:
        return run_counted(s, e);
    default:
        return hd_op_is_access(t->op[e]) ? run_access(s, e, failure) : HD_SIM_DONE;
    }
}

/* ---- the order ---- */

static bool edges_met(const struct hd_sim *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_vec *edges = &s->plan->edges;
    for (size_t i = 0; i < edges->len; i++) {
        const struct hd_edge *edge = hd_vec_at(edges, i);
        if (edge->to == e && t->pos[edge->from] >= s->threads[t->thread[edge->from]].next)
            return false;
    }
    return true;
}

static bool clock_met(const struct hd_sim *s, hd_tid u, const uint32_t *clock)
{
    for (hd_tid v = 0; v < s->w->n_threads; v++)
        if (v != u && clock[v] > s->threads[v].next)
            return false;
    return true;
}

/* The next event of the thread may run now, as far as edges and must-orders tell. Without edges the
 * observed order satisfies all must-orders, so nothing is looked up. */
static bool is_ready(const struct hd_sim *s, hd_tid u, hd_eid e)
{
    if (s->plan->saturation)
        return clock_met(s, u, hd_saturation_clock(s->plan->saturation, e));
    if (!s->plan->edges.len)
        return true;
    if (s->w->t->pos[e] == s->threads[u].next_target && !edges_met(s, e))
        return false;
    uint32_t p = s->threads[u].next;
    if (p > s->threads[u].base && hd_must_same(s->w->must, e))
        return true; /* met when the event before it ran */
    return clock_met(s, u, hd_must_clock(s->w->must, e));
}

static void advance(struct hd_sim *s, hd_tid u, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    struct hd_sim_thread *thread = &s->threads[u];
    thread->next++;
    hd_u32vec_push(&s->order, e);
    s->steps++;
    if (t->pos[e] != thread->next_target)
        return;
    thread->next_target = UINT32_MAX;
    for (size_t i = 0; i < s->plan->edges.len; i++) {
        const struct hd_edge *edge = hd_vec_at(&s->plan->edges, i);
        if (t->thread[edge->to] == u && t->pos[edge->to] >= thread->next &&
            t->pos[edge->to] < thread->next_target)
            thread->next_target = t->pos[edge->to];
    }
}

/* The ready thread whose next event is first in the trace; *limit: how far it may run before
 * another thread's turn. False when no thread is ready; *left is whether any has events left. */
static bool choose(const struct hd_sim *s, hd_tid *chosen, hd_eid *limit, bool *left)
{
    hd_eid first = HD_EID_NONE;
    *limit = HD_EID_NONE;
    *left = false;
    for (hd_tid u = 0; u < s->w->n_threads; u++) {
        if (s->threads[u].next >= s->plan->cut[u])
            continue;
        *left = true;
        hd_eid e = hd_world_event(s->w, u, s->threads[u].next);
        hd_eid loser = e;
        if (e < first && is_ready(s, u, e)) {
            loser = first;
            first = e;
            *chosen = u;
        }
        if (loser < *limit)
            *limit = loser;
    }
    return first != HD_EID_NONE;
}

static bool is_cut(const struct hd_sim *s)
{
    return s->steps >= s->limit || ((s->steps & 0xfff) == 0 && hd_interrupt_requested());
}

enum hd_sim_result hd_sim_run(struct hd_sim *s, const struct hd_plan *plan, hd_eid base,
                              struct hd_sim_failure *failure)
{
    HD_DCHECK(plan->w == s->w && base <= s->w->t->n_events);
    for (hd_tid u = 0; u < s->w->n_threads; u++)
        HD_DCHECK(hd_world_events_before(s->w, u, base) <= plan->cut[u]);
    hd_sim_reset(s, plan, base);
    *failure = (struct hd_sim_failure){0, HD_EID_NONE};
    hd_tid u = 0;
    hd_eid limit;
    bool left;
    while (choose(s, &u, &limit, &left)) {
        if (is_cut(s))
            return HD_SIM_CUT;
        hd_eid e = hd_world_event(s->w, u, s->threads[u].next);
        do {
            *failure = (struct hd_sim_failure){e, HD_EID_NONE};
            enum hd_sim_result result = run_event(s, e, failure);
            if (result != HD_SIM_DONE)
                return result;
            advance(s, u, e);
            if (s->threads[u].next >= plan->cut[u])
                break;
            e = hd_world_event(s->w, u, s->threads[u].next);
        } while (e < limit && is_ready(s, u, e) && !is_cut(s));
    }
    return left ? HD_SIM_CYCLE : HD_SIM_DONE;
}

uint32_t hd_sim_ran(const struct hd_sim *s, hd_tid u)
{
    return s->threads[u].next;
}

const struct hd_u32vec *hd_sim_order(const struct hd_sim *s)
{
    return &s->order;
}

const struct hd_vec *hd_sim_wakes(const struct hd_sim *s)
{
    return &s->wakes;
}

uint64_t hd_sim_steps(const struct hd_sim *s)
{
    return s->steps;
}

void hd_sim_limit(struct hd_sim *s, uint64_t steps)
{
    s->limit = steps;
}
