#include "predict/search/sim_state.h"

#include "base/alloc.h"

struct hd_sim *hd_sim_new(const struct hd_world *w, const struct hd_matching *matching)
{
    const struct hd_trace *t = w->t;
    struct hd_sim *s = hd_calloc(1, sizeof *s);
    s->limit = UINT64_MAX;
    s->w = w;
    s->matching = matching;
    s->cells = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *s->cells);
    s->locks = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOCK), sizeof *s->locks);
    s->sems = hd_calloc(hd_trace_n_objs(t, HD_OBJ_SEM), sizeof *s->sems);
    s->barriers = hd_calloc(hd_trace_n_objs(t, HD_OBJ_BARRIER), sizeof *s->barriers);
    s->threads = hd_calloc(w->n_threads, sizeof *s->threads);
    hd_bitset_init(&s->stale, t->n_events);
    s->wakes = HD_VEC_INIT(struct hd_wake);
    s->arrivals = HD_VEC_INIT(struct hd_sim_arrival);
    return s;
}

void hd_sim_free(struct hd_sim *s)
{
    if (!s)
        return;
    const struct hd_trace *t = s->w->t;
    hd_free(s->cells, hd_trace_n_objs(t, HD_OBJ_LOC) * sizeof *s->cells);
    hd_free(s->locks, hd_trace_n_objs(t, HD_OBJ_LOCK) * sizeof *s->locks);
    hd_free(s->sems, hd_trace_n_objs(t, HD_OBJ_SEM) * sizeof *s->sems);
    hd_free(s->barriers, hd_trace_n_objs(t, HD_OBJ_BARRIER) * sizeof *s->barriers);
    hd_free(s->threads, s->w->n_threads * sizeof *s->threads);
    hd_bitset_fini(&s->stale);
    hd_u32vec_fini(&s->stale_reads);
    hd_u32vec_fini(&s->order);
    hd_vec_fini(&s->wakes);
    hd_vec_fini(&s->arrivals);
    hd_free(s, sizeof *s);
}

/* A thread that stands in a wait at the base: has one of the observed notifications reached it? */
static void derive_wait(struct hd_sim *s, struct hd_sim_thread *thread, hd_tid u, hd_eid wait)
{
    const struct hd_trace *t = s->w->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, t->obj[wait], &n);
    thread->wait = HD_SIM_WAITING;
    thread->cond = t->obj[wait];
    for (size_t i = n; i-- > 0 && events[i] > wait;) {
        hd_eid e = events[i];
        if (e >= s->base)
            continue;
        if (t->op[e] != HD_OP_BCAST &&
            !(t->op[e] == HD_OP_SIG && hd_matching_woken(s->matching, e) == u))
            continue;
        thread->wait = HD_SIM_NOTIFIED;
        thread->notifier = e;
    }
}

static void reset_thread(struct hd_sim *s, hd_tid u)
{
    const struct hd_trace *t = s->w->t;
    struct hd_sim_thread *thread = &s->threads[u];
    uint32_t ran = s->base ? hd_world_events_before(s->w, u, s->base) : 0;
    *thread = (struct hd_sim_thread){.next = ran,
                                     .base = ran,
                                     .first_stale = UINT32_MAX,
                                     .next_target = UINT32_MAX,
                                     .notifier = HD_EID_NONE};
    if (!ran)
        return;
    hd_eid last = hd_world_event(s->w, u, ran - 1);
    if (t->op[last] == HD_OP_WAIT)
        derive_wait(s, thread, u, last);
}

void hd_sim_reset(struct hd_sim *s, const struct hd_plan *plan, hd_eid base)
{
    const struct hd_trace *t = s->w->t;
    s->plan = plan;
    s->base = base;
    s->run++;
    s->order.len = 0;
    s->wakes.len = 0;
    s->arrivals.len = 0;
    for (size_t i = 0; i < s->stale_reads.len; i++)
        hd_bitset_del(&s->stale, s->stale_reads.data[i]);
    s->stale_reads.len = 0;
    for (hd_tid u = 0; u < s->w->n_threads; u++)
        reset_thread(s, u);
    for (size_t i = 0; i < plan->edges.len; i++) {
        const struct hd_edge *edge = hd_vec_at(&plan->edges, i);
        struct hd_sim_thread *thread = &s->threads[t->thread[edge->to]];
        if (t->pos[edge->to] < thread->next_target)
            thread->next_target = t->pos[edge->to];
    }
}

struct hd_sim_cell *hd_sim_cell(struct hd_sim *s, uint32_t loc)
{
    struct hd_sim_cell *cell = &s->cells[loc];
    if (cell->run == s->run)
        return cell;
    *cell =
        (struct hd_sim_cell){s->run, HD_EID_NONE, s->w->t->loc_init[loc].how != HD_INIT_UNKNOWN};
    if (!s->base)
        return cell;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->locs, loc, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t next =
            hd_accesses_write_from(s->w->locs, &users[i], s->threads[users[i].thread].base);
        if (next == users[i].wstart)
            continue;
        hd_eid write = s->w->locs->writes[next - 1];
        if (cell->write == HD_EID_NONE || write > cell->write)
            cell->write = write;
        cell->known = true;
    }
    return cell;
}

static void hold(struct hd_sim_lock *state, const struct hd_sections *sections, uint32_t id)
{
    if (id == HD_SECTION_NONE)
        return;
    if (hd_section_at(sections, id)->shared)
        state->shared++;
    else
        state->owner = id;
}

/* A lock of which a thread may hold both sides: every section of the user that is open at the base.
 */
static void derive_mixed(const struct hd_sim *s, const struct hd_lock_user *user, uint32_t base,
                         struct hd_sim_lock *state)
{
    const struct hd_sections *sections = s->w->sections;
    const struct hd_trace *t = s->w->t;
    uint32_t i = hd_sections_begun(sections, user, base);
    for (; i > user->start && sections->reach[i - 1] >= base; i--) {
        const struct hd_section *x = hd_section_at(sections, sections->order[i - 1]);
        if (x->close == HD_EID_NONE || t->pos[x->close] >= base)
            hold(state, sections, sections->order[i - 1]);
    }
}

struct hd_sim_lock *hd_sim_lock(struct hd_sim *s, uint32_t lock)
{
    struct hd_sim_lock *state = &s->locks[lock];
    if (state->run == s->run)
        return state;
    *state = (struct hd_sim_lock){s->run, HD_SECTION_NONE, 0};
    if (!s->base)
        return state;
    const struct hd_sections *sections = s->w->sections;
    for (uint32_t i = sections->user_start[lock]; i < sections->user_start[lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&sections->users, i);
        uint32_t base = s->threads[user->thread].base;
        if (sections->mixed[lock]) {
            derive_mixed(s, user, base, state);
            continue;
        }
        hold(state, sections, hd_sections_open_at(sections, user, base));
    }
    return state;
}

struct hd_sim_count *hd_sim_sem(struct hd_sim *s, uint32_t sem)
{
    struct hd_sim_count *state = &s->sems[sem];
    if (state->run == s->run)
        return state;
    /* There are fewer operations than this, so a larger count changes nothing, and can not
     * overflow. */
    uint64_t initial = s->w->t->sem_init[sem];
    *state = (struct hd_sim_count){s->run, initial < UINT32_MAX ? initial : UINT32_MAX};
    size_t n;
    const struct hd_accesses *index = s->w->sems;
    const struct hd_loc_user *users = hd_accesses_users(index, sem, &n);
    for (size_t i = 0; i < n && s->base; i++) {
        uint32_t base = s->threads[users[i].thread].base;
        uint32_t posts = hd_accesses_write_from(index, &users[i], base) - users[i].wstart;
        uint32_t all = hd_accesses_from(index, &users[i], base) - users[i].start;
        state->count += posts;
        state->count -= all - posts;
    }
    return state;
}

struct hd_sim_count *hd_sim_barrier(struct hd_sim *s, uint32_t barrier)
{
    struct hd_sim_count *state = &s->barriers[barrier];
    if (state->run == s->run)
        return state;
    *state = (struct hd_sim_count){s->run, 0};
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->w->barriers, barrier, &n);
    for (size_t i = 0; i < n && s->base; i++) {
        uint32_t base = s->threads[users[i].thread].base;
        state->count += hd_accesses_write_from(s->w->barriers, &users[i], base) - users[i].wstart;
    }
    return state;
}

uint64_t hd_sim_rank(const struct hd_sim *s, hd_eid departure)
{
    const struct hd_trace *t = s->w->t;
    hd_eid in = departure;
    while (t->op[in] != HD_OP_BARIN || t->obj[in] != t->obj[departure])
        in = hd_trace_back(t, in, 1);
    for (size_t i = s->arrivals.len; i-- > 0;) {
        const struct hd_sim_arrival *arrival = hd_vec_at(&s->arrivals, i);
        if (arrival->event == in)
            return arrival->rank;
    }
    size_t n; /* it lies before the base: as observed */
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_BARRIER, t->obj[in], &n);
    uint64_t rank = 0;
    for (size_t i = 0; i < n && events[i] < in; i++)
        rank += t->op[events[i]] == HD_OP_BARIN;
    return rank;
}
