#include "trace/gen/gen_sim.h"

#include "base/alloc.h"

#include <string.h>

void hd_gen_sim_init(struct sim *s, uint64_t seed, const uint32_t count[HD_OBJ_THREAD + 1],
                     sim_name *name)
{
    *s = (struct sim){.builder = hd_builder_new(), .name = name};
    hd_rng_init(&s->rng, seed);
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++) {
        s->count[kind] = count[kind];
        s->ids[kind] = hd_alloc(count[kind] * sizeof *s->ids[kind]);
        for (uint32_t i = 0; i < count[kind]; i++)
            s->ids[kind][i] = SIM_NOBODY;
    }
    s->locs = hd_calloc(count[HD_OBJ_LOC], sizeof *s->locs);
    s->locks = hd_calloc(count[HD_OBJ_LOCK], sizeof *s->locks);
    s->sems = hd_calloc(count[HD_OBJ_SEM], sizeof *s->sems);
    s->sem_start = hd_calloc(count[HD_OBJ_SEM], sizeof *s->sem_start);
    s->arrivals = hd_calloc(count[HD_OBJ_BARRIER], sizeof *s->arrivals);
    s->barrier_size = hd_calloc(count[HD_OBJ_BARRIER], sizeof *s->barrier_size);
    s->threads = hd_calloc(count[HD_OBJ_THREAD], sizeof *s->threads);
    for (uint32_t i = 0; i < count[HD_OBJ_LOCK]; i++)
        s->locks[i].owner = SIM_NOBODY;
}

void hd_gen_sim_fini(struct sim *s)
{
    const uint32_t *count = s->count;
    hd_builder_free(s->builder);
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++)
        hd_free(s->ids[kind], count[kind] * sizeof *s->ids[kind]);
    hd_free(s->locs, count[HD_OBJ_LOC] * sizeof *s->locs);
    hd_free(s->locks, count[HD_OBJ_LOCK] * sizeof *s->locks);
    hd_free(s->sems, count[HD_OBJ_SEM] * sizeof *s->sems);
    hd_free(s->sem_start, count[HD_OBJ_SEM] * sizeof *s->sem_start);
    hd_free(s->arrivals, count[HD_OBJ_BARRIER] * sizeof *s->arrivals);
    hd_free(s->barrier_size, count[HD_OBJ_BARRIER] * sizeof *s->barrier_size);
    hd_free(s->threads, count[HD_OBJ_THREAD] * sizeof *s->threads);
}

void hd_gen_sim_set_sem(struct sim *s, uint32_t sem, uint64_t count)
{
    s->sems[sem] = s->sem_start[sem] = count;
}

void hd_gen_sim_set_init(struct sim *s, uint32_t loc, uint64_t value)
{
    s->locs[loc] = (struct sim_loc){SIM_KNOWN, true, value};
}

/* The id of an object in the trace; its first use names it and writes its directive. */
static enum hd_status enter(struct sim *s, enum hd_obj_kind kind, uint32_t i, uint32_t *id,
                            struct hd_err *err)
{
    *id = s->ids[kind][i];
    if (*id != SIM_NOBODY)
        return HD_OK;
    char name[48];
    s->name(kind, i, name, sizeof name);
    size_t len = strlen(name);
    enum hd_status status = HD_OK;
    if (kind == HD_OBJ_THREAD)
        status = hd_builder_thread(s->builder, name, len, id, err);
    else
        *id = hd_builder_obj(s->builder, kind, name, len);
    s->ids[kind][i] = *id;
    if (kind == HD_OBJ_LOC && s->locs[i].has_init)
        status = hd_builder_init(s->builder, *id, s->locs[i].value, err);
    else if (kind == HD_OBJ_SEM && s->sem_start[i])
        status = hd_builder_sem(s->builder, *id, s->sem_start[i], err);
    else if (kind == HD_OBJ_BARRIER)
        status = hd_builder_barrier(s->builder, *id, s->barrier_size[i], err);
    return status;
}

struct sim_held *hd_gen_sim_held(const struct sim *s, uint32_t thread, uint32_t lock)
{
    struct sim_thread *t = &s->threads[thread];
    for (uint32_t i = 0; i < t->n_held; i++)
        if (t->held[i].lock == lock)
            return &t->held[i];
    return NULL;
}

static bool is_free(const struct sim *s, uint32_t lock)
{
    return s->locks[lock].owner == SIM_NOBODY && s->locks[lock].readers == 0;
}

static bool can_lock(const struct sim *s, uint32_t thread, const struct sim_step *step)
{
    const struct sim_thread *t = &s->threads[thread];
    const struct sim_lock *l = &s->locks[step->obj];
    const struct sim_held *held = hd_gen_sim_held(s, thread, step->obj);
    bool room = held || t->n_held < SIM_MAX_HELD;
    uint32_t own_reads = held ? held->reads : 0;
    switch (step->op) {
    case HD_OP_ACQ:
        return room && (l->owner == SIM_NOBODY || l->owner == thread) && l->readers == own_reads;
    case HD_OP_RACQ:
        return room && l->owner == SIM_NOBODY;
    case HD_OP_REL:
        return held && held->depth > 0;
    case HD_OP_RREL:
        return own_reads > 0;
    default: /* tryfail */
        return (l->owner != SIM_NOBODY && l->owner != thread) || l->readers > own_reads;
    }
}

static bool can_join(const struct sim *s, uint32_t thread, uint32_t other)
{
    const struct sim_thread *u = &s->threads[other];
    return other != thread && !u->joined && u->phase == SIM_ENDED;
}

static bool can_when_ready(const struct sim *s, uint32_t thread, const struct sim_step *step)
{
    const struct sim_held *held;
    switch (step->op) {
    case HD_OP_ACQ:
    case HD_OP_REL:
    case HD_OP_RACQ:
    case HD_OP_RREL:
    case HD_OP_TRYFAIL:
        return can_lock(s, thread, step);
    case HD_OP_FORK:
        return s->threads[step->obj].phase == SIM_UNBORN && s->threads[step->obj].may_be_forked;
    case HD_OP_JOIN:
        return can_join(s, thread, step->obj);
    case HD_OP_WAIT:
        held = hd_gen_sim_held(s, thread, step->lock);
        return held && held->depth > 0 && held->reads == 0;
    case HD_OP_SEM:
        return s->sems[step->obj] > 0;
    case HD_OP_END:
        return s->threads[thread].blocks > 0;
    case HD_OP_WAKE:
    case HD_OP_TMO:
    case HD_OP_BAROUT:
        return false;
    default:
        return true;
    }
}

bool hd_gen_sim_can(const struct sim *s, uint32_t thread, const struct sim_step *step)
{
    const struct sim_thread *t = &s->threads[thread];
    switch (t->phase) {
    case SIM_READY:
        return can_when_ready(s, thread, step);
    case SIM_WAITING:
        return step->op == HD_OP_TMO && is_free(s, t->lock);
    case SIM_NOTIFIED:
        return step->op == HD_OP_WAKE && is_free(s, t->lock);
    case SIM_AT_BARRIER: {
        uint64_t size = s->barrier_size[t->barrier];
        return step->op == HD_OP_BAROUT &&
               s->arrivals[t->barrier] >= (t->arrival / size + 1) * size;
    }
    default:
        return false;
    }
}

static void do_lock(struct sim *s, uint32_t thread, const struct sim_step *step)
{
    struct sim_thread *t = &s->threads[thread];
    struct sim_lock *l = &s->locks[step->obj];
    struct sim_held *held = hd_gen_sim_held(s, thread, step->obj);
    if (!held) {
        held = &t->held[t->n_held++];
        *held = (struct sim_held){.lock = step->obj};
    }
    if (step->op == HD_OP_ACQ) {
        held->depth++;
        l->owner = thread;
    } else if (step->op == HD_OP_RACQ) {
        held->reads++;
        l->readers++;
    } else if (step->op == HD_OP_REL) {
        if (--held->depth == 0)
            l->owner = SIM_NOBODY;
    } else {
        held->reads--;
        l->readers--;
    }
    if (held->depth == 0 && held->reads == 0) /* keeps the order in which the others were taken */
        memmove(held, held + 1, (size_t)(&t->held[t->n_held--] - (held + 1)) * sizeof *held);
}

static void do_wait(struct sim *s, uint32_t thread, const struct sim_step *step)
{
    struct sim_thread *t = &s->threads[thread];
    struct sim_held *held = hd_gen_sim_held(s, thread, step->lock);
    t->phase = SIM_WAITING;
    s->waiting++;
    t->cond = step->obj;
    t->lock = step->lock;
    t->lock_depth = held->depth;
    s->locks[step->lock].owner = SIM_NOBODY;
    memmove(held, held + 1, (size_t)(&t->held[t->n_held--] - (held + 1)) * sizeof *held);
}

static void do_wake(struct sim *s, uint32_t thread)
{
    struct sim_thread *t = &s->threads[thread];
    *(t->phase == SIM_WAITING ? &s->waiting : &s->notified) -= 1;
    t->phase = SIM_READY;
    t->held[t->n_held++] = (struct sim_held){.lock = t->lock, .depth = t->lock_depth};
    s->locks[t->lock].owner = thread;
}

static bool waits_on(const struct sim *s, uint32_t thread, uint32_t cond)
{
    return s->threads[thread].phase == SIM_WAITING && s->threads[thread].cond == cond;
}

/* Removes one waiter, drawn by chance, or all of them. */
static void do_notify(struct sim *s, uint32_t cond, bool all)
{
    uint32_t n = s->waiting ? s->count[HD_OBJ_THREAD] : 0, here = 0;
    for (uint32_t u = 0; u < n; u++)
        here += waits_on(s, u, cond);
    uint32_t chosen = here && !all ? hd_rng_below(&s->rng, here) : 0;
    for (uint32_t u = 0, i = 0; u < n; u++) {
        if (!waits_on(s, u, cond) || (i++ != chosen && !all))
            continue;
        s->threads[u].phase = SIM_NOTIFIED;
        s->waiting--;
        s->notified++;
    }
}

static void do_sync(struct sim *s, uint32_t thread, const struct sim_step *step)
{
    struct sim_thread *t = &s->threads[thread];
    switch (step->op) {
    case HD_OP_ACQ:
    case HD_OP_REL:
    case HD_OP_RACQ:
    case HD_OP_RREL:
        do_lock(s, thread, step);
        break;
    case HD_OP_FORK:
        s->threads[step->obj].phase = SIM_READY;
        break;
    case HD_OP_JOIN:
        s->threads[step->obj].joined = true;
        break;
    case HD_OP_WAIT:
        do_wait(s, thread, step);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        do_wake(s, thread);
        break;
    case HD_OP_SIG:
    case HD_OP_BCAST:
        do_notify(s, step->obj, step->op == HD_OP_BCAST);
        break;
    case HD_OP_POST:
        s->sems[step->obj]++;
        break;
    case HD_OP_SEM:
        s->sems[step->obj]--;
        break;
    case HD_OP_BARIN:
        t->phase = SIM_AT_BARRIER;
        t->barrier = step->obj;
        t->arrival = s->arrivals[step->obj]++;
        break;
    case HD_OP_BAROUT:
        t->phase = SIM_READY;
        break;
    case HD_OP_BEGIN:
        t->blocks++;
        break;
    case HD_OP_END:
        t->blocks--;
        break;
    default:
        break;
    }
}

/* Fills in the values of an access and what memory holds after it. */
static void do_access(struct sim *s, struct sim_thread *t, const struct sim_step *step,
                      struct hd_event *ev)
{
    struct sim_loc *loc = &s->locs[step->obj];
    bool reads = hd_op_reads(step->op), writes = hd_op_writes(step->op);
    bool omit = step->omit || (reads && loc->state == SIM_OPAQUE);
    if (reads && loc->state == SIM_UNSET)
        *loc = (struct sim_loc){omit ? SIM_OPAQUE : SIM_KNOWN, false, step->value};
    ev->has_value = !omit;
    ev->value = reads ? loc->value : step->value;
    ev->new_value = step->value;
    if (writes)
        *loc = (struct sim_loc){omit ? SIM_OPAQUE : SIM_KNOWN, false, step->value};
    if (reads)
        t->reads[t->n_reads++ % SIM_RING] = (hd_eid)s->events;
}

enum hd_status hd_gen_sim_do(struct sim *s, uint32_t thread, const struct sim_step *step,
                             struct hd_err *err)
{
    HD_ASSERT(hd_gen_sim_can(s, thread, step));
    struct sim_thread *t = &s->threads[thread];
    const struct hd_op_info *info = &hd_op_info[step->op];
    struct hd_event ev = {.op = step->op,
                          .place = step->place,
                          .deps = step->deps,
                          .addr = step->addr,
                          .order = step->order};
    HD_ASSERT(hd_gen_sim_can(s, thread, step));
    enum hd_status status = enter(s, HD_OBJ_THREAD, thread, &ev.thread, err);
    if (status == HD_OK && info->kind != HD_OBJ_NONE)
        status = enter(s, info->kind, step->obj, &ev.obj, err);
    if (status == HD_OK && info->has_lock)
        status = enter(s, HD_OBJ_LOCK, step->lock, &ev.lock, err);
    if (status != HD_OK)
        return status;
    if (hd_op_is_access(step->op))
        do_access(s, t, step, &ev);
    else
        do_sync(s, thread, step);
    t->events++;
    s->events++;
    return hd_builder_add(s->builder, &ev, err);
}
