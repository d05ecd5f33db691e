#include "predict/search/repair.h"

/* Beyond this many candidate writes of one thread, or sections of one lock, the list is cut off and
 * not complete: the solver decides such pairs. */
enum { MAX_LOOKED_AT = 256 };

struct lister {
    const struct hd_plan *plan;
    const struct hd_world *w;
    const struct hd_sim *sim;
    struct hd_vec *out;
    bool complete;
};

static void add_one(struct lister *l, hd_eid from, hd_eid to)
{
    *(struct hd_repair *)hd_vec_push(l->out) =
        (struct hd_repair){.edges = {{from, to}}, .n_edges = 1, .concrete = HD_EID_NONE};
}

static void add_two(struct lister *l, hd_eid from, hd_eid to, hd_eid from2, hd_eid to2)
{
    *(struct hd_repair *)hd_vec_push(l->out) = (struct hd_repair){
        .edges = {{from, to}, {from2, to2}}, .n_edges = 2, .concrete = HD_EID_NONE};
}

/* Two sections of one lock are both begun: one of them ends before the other begins. */
static void list_lock(struct lister *l, const struct hd_sim_failure *failure)
{
    const struct hd_sections *s = l->w->sections;
    const struct hd_section *mine = hd_section_at(s, hd_section_of(s, failure->event));
    const struct hd_section *other = hd_section_at(s, failure->other);
    if (other->close != HD_EID_NONE)
        add_one(l, other->close, mine->open);
    if (mine->close != HD_EID_NONE)
        add_one(l, mine->close, other->open);
}

/* Read r takes its value from write w: then what hides it now comes before w or after r. */
static void list_source(struct lister *l, hd_eid r, hd_eid hides, hd_eid w)
{
    if (w == hides)
        return;
    if (hides == HD_EID_NONE) {
        add_one(l, w, r);
        return;
    }
    add_two(l, w, r, r, hides);
    add_two(l, w, r, hides, w);
}

/* Sources among the writes of one other thread. Those before the last one that must precede r are
 * hidden by it; those that r must precede come too late. */
static void list_sources_of(struct lister *l, const struct hd_loc_user *user, hd_eid r,
                            hd_eid hides)
{
    const struct hd_trace *t = l->w->t;
    const struct hd_accesses *locs = l->w->locs;
    struct hd_value_writes values = hd_accesses_values(locs, t->obj[r], hd_trace_read_value(t, r));
    bool own = user->thread == t->thread[r];
    uint32_t limit = own ? t->pos[r] : hd_must_clock(l->w->must, r)[user->thread];
    uint32_t i = hd_accesses_write_from(locs, user, limit);
    uint32_t end = own ? i : user->wend;
    if (i > user->wstart)
        i--;
    for (uint32_t looked = 0; i < end; i++, looked++) {
        i = hd_accesses_value_from(locs, user, values, i);
        if (i >= end)
            return;
        hd_eid w = locs->writes[i];
        if (looked == MAX_LOOKED_AT) {
            l->complete = false;
            return;
        }
        if (!own && hd_world_before(l->w, r, w))
            return;
        list_source(l, r, hides, w);
    }
}

static void list_read(struct lister *l, const struct hd_sim_failure *failure)
{
    const struct hd_trace *t = l->w->t;
    hd_eid r = failure->event, hides = failure->other;
    struct hd_value value = hd_trace_read_value(t, r);
    const struct hd_loc_init *init = &t->loc_init[t->obj[r]];
    if (hides != HD_EID_NONE && hd_value_eq(hd_trace_write_value(t, hides), value))
        *(struct hd_repair *)hd_vec_push(l->out) = (struct hd_repair){.concrete = hides};
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(l->w->locs, t->obj[r], &n);
    for (size_t i = 0; i < n; i++)
        list_sources_of(l, &users[i], r, hides);
    if (hides != HD_EID_NONE && init->how != HD_INIT_UNKNOWN && hd_value_eq(init->value, value))
        add_one(l, r, hides);
}

/* Where the event stands in the simulated order; HD_EID_NONE when it is part of the base. */
static uint32_t place_of(const struct lister *l, hd_eid e)
{
    const struct hd_u32vec *order = hd_sim_order(l->sim);
    for (size_t i = order->len; i-- > 0;)
        if (order->data[i] == e)
            return (uint32_t)i;
    return HD_EID_NONE;
}

/* Whether a sig of the condition has run after `wait`: it has picked another waiter, and which one
 * it picks is not a matter of order. */
static bool is_passed_over(const struct lister *l, hd_eid wait)
{
    const struct hd_trace *t = l->w->t;
    const struct hd_u32vec *order = hd_sim_order(l->sim);
    uint32_t from = place_of(l, wait);
    for (size_t i = from; i < order->len; i++)
        if (t->op[order->data[i]] == HD_OP_SIG && t->obj[order->data[i]] == t->obj[wait])
            return true;
    return from == HD_EID_NONE;
}

/* A thread notifies between the wait and the wake. None of those that have run after the wait has:
 * that they might pick this waiter is not said by orders. */
static void list_wake(struct lister *l, hd_eid wake)
{
    const struct hd_trace *t = l->w->t;
    hd_eid wait = hd_trace_back(t, wake, 1);
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(l->w->conds, t->obj[wake], &n);
    if (is_passed_over(l, wait))
        l->complete = false;
    for (size_t i = 0; i < n; i++) {
        if (users[i].thread == t->thread[wake])
            continue;
        uint32_t k = hd_accesses_write_from(l->w->conds, &users[i],
                                            hd_must_clock(l->w->must, wait)[users[i].thread]);
        for (uint32_t looked = 0; k < users[i].wend; k++, looked++) {
            hd_eid notifier = l->w->conds->writes[k];
            if (looked == MAX_LOOKED_AT)
                l->complete = false;
            if (looked == MAX_LOOKED_AT || hd_world_before(l->w, wake, notifier))
                break;
            uint32_t ran = place_of(l, notifier), waits = place_of(l, wait);
            if (ran == HD_EID_NONE || waits == HD_EID_NONE || ran < waits)
                add_two(l, wait, notifier, notifier, wake);
        }
    }
}

/* Another waiter, at this wait, for a sig that finds only threads that time out. */
static void list_waiter(struct lister *l, hd_eid sig, hd_eid wait, hd_eid leave)
{
    if (hd_sim_ran(l->sim, l->w->t->thread[wait]) == l->w->t->pos[wait] + 1)
        l->complete = false; /* it is there, but was notified by another: not a matter of order */
    else if (leave == HD_EID_NONE || !hd_plan_has(l->plan, leave))
        add_one(l, wait, sig);
    else if (l->w->t->op[leave] == HD_OP_WAKE)
        add_two(l, wait, sig, sig, leave);
}

/* A sig finds only threads that time out. The first of them has not come to its wait, or has left
 * it; or there is another waiter. */
static void list_sig(struct lister *l, hd_eid sig)
{
    const struct hd_trace *t = l->w->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, t->obj[sig], &n);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        hd_eid wait = events[i], leave = HD_EID_NONE;
        hd_tid u = t->thread[wait];
        if (t->op[wait] != HD_OP_WAIT || u == t->thread[sig])
            continue;
        if (t->pos[wait] + 1 < hd_world_thread_len(l->w, u))
            leave = hd_world_event(l->w, u, t->pos[wait] + 1);
        bool timed =
            leave != HD_EID_NONE && t->op[leave] == HD_OP_TMO && hd_plan_has(l->plan, leave);
        if (!timed) {
            list_waiter(l, sig, wait, leave);
        } else if (hd_sim_ran(l->sim, u) == t->pos[wait] + 1 && !found) {
            add_one(l, sig, wait);
            add_one(l, leave, sig);
            found = true;
        }
    }
    l->complete &= found;
}

static void list_tmo(struct lister *l, const struct hd_sim_failure *failure)
{
    const struct hd_trace *t = l->w->t;
    if (t->op[failure->other] == HD_OP_SIG)
        l->complete = false;
    add_one(l, failure->event, failure->other);
    add_one(l, failure->other, hd_trace_back(t, failure->event, 1));
}

static void list_tryfail(struct lister *l, hd_eid e)
{
    const struct hd_trace *t = l->w->t;
    const struct hd_sections *s = l->w->sections;
    for (uint32_t i = s->user_start[t->obj[e]]; i < s->user_start[t->obj[e] + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        if (user->thread == t->thread[e])
            continue;
        if (user->end - user->start > MAX_LOOKED_AT) {
            l->complete = false;
            continue;
        }
        for (uint32_t k = user->start; k < user->end; k++) {
            const struct hd_section *x = hd_section_at(s, s->order[k]);
            if (x->close != HD_EID_NONE && hd_plan_has(l->plan, x->close))
                add_two(l, x->open, e, e, x->close);
            else
                add_one(l, x->open, e);
        }
    }
}

/* One more must be given before e: of each other thread the next one to give. */
static void list_given(struct lister *l, const struct hd_accesses *index, hd_eid e)
{
    const struct hd_trace *t = l->w->t;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, t->obj[e], &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t ran = hd_sim_ran(l->sim, users[i].thread);
        uint32_t give = hd_accesses_write_from(index, &users[i], ran);
        if (users[i].thread != t->thread[e] && give < users[i].wend)
            add_one(l, index->writes[give], e);
    }
}

/* Of each other thread, its last arrival before that of departure e comes after that one: then e
 * may belong to an earlier round. */
static void list_arrived(struct lister *l, hd_eid e)
{
    const struct hd_trace *t = l->w->t;
    const struct hd_u32vec *order = hd_sim_order(l->sim);
    hd_eid in = e;
    while (t->op[in] != HD_OP_BARIN || t->obj[in] != t->obj[e])
        in = hd_trace_back(t, in, 1);
    uint32_t place = place_of(l, in);
    if (place == HD_EID_NONE)
        return; /* in the base, as all before it */
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(l->w->barriers, t->obj[e], &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = place; users[i].thread != t->thread[e] && k-- > 0;) {
            hd_eid x = order->data[k];
            if (t->thread[x] != users[i].thread || t->op[x] != HD_OP_BARIN ||
                t->obj[x] != t->obj[e])
                continue;
            add_one(l, in, x);
            break;
        }
}

/* Or one fewer taken: of each other thread the last one that took. */
static void list_taken(struct lister *l, hd_eid e)
{
    const struct hd_trace *t = l->w->t;
    const struct hd_accesses *index = l->w->sems;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, t->obj[e], &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t k = hd_accesses_from(index, &users[i], hd_sim_ran(l->sim, users[i].thread));
        while (k > users[i].start && t->op[index->list[k - 1]] != HD_OP_SEM)
            k--;
        if (users[i].thread != t->thread[e] && k > users[i].start)
            add_one(l, e, index->list[k - 1]);
    }
}

bool hd_repair_list(const struct hd_plan *plan, const struct hd_sim *sim, enum hd_sim_result result,
                    const struct hd_sim_failure *failure, struct hd_vec *out)
{
    struct lister l = {plan, plan->w, sim, out, true};
    hd_eid e = failure->event;
    switch (result) {
    case HD_SIM_LOCK:
        list_lock(&l, failure);
        break;
    case HD_SIM_READ:
        list_read(&l, failure);
        break;
    case HD_SIM_WAKE:
        list_wake(&l, e);
        break;
    case HD_SIM_TMO:
        list_tmo(&l, failure);
        break;
    case HD_SIM_TRYFAIL:
        list_tryfail(&l, e);
        break;
    case HD_SIM_SEM:
        list_given(&l, l.w->sems, e);
        list_taken(&l, e);
        break;
    case HD_SIM_BARRIER:
        list_given(&l, l.w->barriers, e);
        list_arrived(&l, e);
        break;
    case HD_SIM_SIG:
        list_sig(&l, e);
        break;
    case HD_SIM_CYCLE:
    case HD_SIM_CUT:
    case HD_SIM_DONE:
        break;
    }
    return l.complete;
}

bool hd_repair_apply(struct hd_plan *plan, const struct hd_repair *repair)
{
    for (uint32_t i = 0; i < repair->n_edges; i++) {
        const struct hd_edge *edge = &repair->edges[i];
        if (!hd_plan_include(plan, edge->from) || !hd_plan_include(plan, edge->to) ||
            !hd_plan_order(plan, edge->from, edge->to))
            return false;
    }
    if (repair->concrete != HD_EID_NONE)
        hd_plan_concrete(plan, repair->concrete);
    return true;
}
