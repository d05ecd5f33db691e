/* The random style: each event is drawn by chance among those that can happen. */
#include "trace/gen/gen_sim.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 12, LINES = 40, MAX_NESTING = 3 };

/* How often an operation is tried, and the feature that allows it. Releases outweigh acquires, so
 * that critical sections stay short; accesses and locks make up most of a trace, because that is
 * what a predictor has to get right. */
static const struct {
    uint8_t weight;
    uint8_t feature;
} moves[HD_OP_COUNT] = {
    [HD_OP_READ] = {20, HD_GEN_READ},      [HD_OP_WRITE] = {20, HD_GEN_WRITE},
    [HD_OP_AREAD] = {3, HD_GEN_ATOMIC},    [HD_OP_AWRITE] = {3, HD_GEN_ATOMIC},
    [HD_OP_RMW] = {4, HD_GEN_RMW},         [HD_OP_BRANCH] = {16, HD_GEN_BRANCH},
    [HD_OP_ACQ] = {22, HD_GEN_MUTEX},      [HD_OP_REL] = {22, HD_GEN_MUTEX},
    [HD_OP_RACQ] = {5, HD_GEN_RWLOCK},     [HD_OP_RREL] = {10, HD_GEN_RWLOCK},
    [HD_OP_TRYFAIL] = {5, HD_GEN_TRYFAIL}, [HD_OP_FORK] = {20, HD_GEN_FORK},
    [HD_OP_JOIN] = {9, HD_GEN_JOIN},       [HD_OP_WAIT] = {10, HD_GEN_COND},
    [HD_OP_SIG] = {4, HD_GEN_COND},        [HD_OP_BCAST] = {2, HD_GEN_COND},
    [HD_OP_POST] = {4, HD_GEN_SEM},        [HD_OP_SEM] = {6, HD_GEN_SEM},
    [HD_OP_BARIN] = {4, HD_GEN_BARRIER},   [HD_OP_BEGIN] = {3, HD_GEN_BLOCK},
    [HD_OP_END] = {6, HD_GEN_BLOCK},       [HD_OP_TMO] = {0, HD_GEN_TIMEOUT},
    [HD_OP_WAKE] = {0, HD_GEN_COND},       [HD_OP_BAROUT] = {0, HD_GEN_BARRIER},
    [HD_OP_FENCE] = {8, HD_GEN_ORDERS},
};

/* What threads do in programs, where races and their absence have reasons. Read left to right:
 * A, R acquire and release the lock; r, w read and write the first location; s, v the second;
 * b branches on the latest read; W waits, N notifies one; ( and ) stand
 * around a block meant to be atomic. The lock is the guard of the first
 * location if it has one.
 * In shapes, too: B branches on the first read of the plan, V writes the second location with a
 * value that comes from it; a, z take and give the read side; T fails to take the lock; M notifies
 * all; Y arrives at a barrier; P, S are post and sem. */
static const char *const habits_of_code[] = {
    "ArbwR",    /* check and update under the lock */
    "AwR",      /* update under the lock */
    "ArR",      /* look under the lock */
    "AwvR",     /* update two things under the lock */
    "AsrbwR",   /* decide on one, update the other */
    "vAwR",     /* an access that only the order of two critical sections hides */
    "ARv",      /* its counterpart */
    "vAwRrb",   /* publish, then look again */
    "ArRbv",    /* wait for a flag, then touch what it protects */
    "ArRbs",    /* the same, reading */
    "rbv",      /* decide without a lock */
    "wv",       /* two writes in a row */
    "AWrbvR",   /* sleep until a thread has something */
    "(ArRAwR)", /* meant to be atomic, with a gap */
    "(rbw)",    /* meant to be atomic, without a lock */
    "AwNR",     /* and that thread */
    "rsbw",     /* combine two values */
};

/* What chance hardly ever brings together, and where predictors have been wrong. */
static const char *const shapes[] = {
    "rwB", /* a source between a read and the branch that depends on it */
    "rvBw",     "rswB",    "rAwRB",   "ArwvRB", "rsVB",
    "rwVbv",    "arz", /* the read side, the write side, both */
    "arbzAwR",  "aArRz",   "aarzbz",  "AwRarz", "arzBv",
    "AAwRvR",                                 /* re-entrant, with accesses at each depth */
    "AAArRRbR", "AAWrRbR", "ArAwRsR", "Tbv",  /* a failed try shows that a thread holds the lock */
    "rTBw",     "TAwR",    "AwTR",    "AWrR", /* several waiters, notified one by one and all at
                                                 once */
    "AWrbR",    "AwNNR",   "AwMR",    "NAwRM",  "wYr", /* barriers, one or two of them */
    "YwYr",     "rYbYv",   "AYR",     "wPSr",          /* semaphores */
    "SwP",      "PrSb",
};

struct plan {
    const char *next; /* NULL: none */
    uint32_t lock, first, second;
    hd_eid read; /* the first of the plan, or HD_EID_NONE */
};

struct random_gen {
    struct plan *plans; /* by thread */
    uint32_t planned;   /* percent of choices that start a plan */
    const struct hd_gen_config *config;
    struct sim *s;
    uint32_t cumulative[HD_OP_COUNT];
    uint32_t *guard;     /* by location: the lock that mostly protects it, or SIM_NOBODY */
    uint32_t current;    /* the thread that ran last */
    uint32_t stay;       /* percent of steps that stay with it */
    uint32_t discipline; /* percent of accesses without the guard that are not made */
    hd_eid deps[SIM_MAX_DEPS], addr[SIM_MAX_DEPS];
};

static bool has(const struct random_gen *g, enum hd_gen_feature feature)
{
    return g->config->features >> feature & 1;
}

/* Each trace has a temper of its own: some are full of locks, some of branches. */
static void draw_weights(struct random_gen *g)
{
    uint32_t sum = 0;
    bool orders = has(g, HD_GEN_ORDERS);
    for (int op = 0; op < HD_OP_COUNT; op++) {
        if (op == HD_OP_FENCE && !orders) { /* traces without orders stay what they always were */
            g->cumulative[op] = sum;
            break;
        }
        uint32_t factor = 1 + hd_rng_below(&g->s->rng, 3);
        if (orders && hd_op_is_atomic((enum hd_op)op))
            factor *= 4;
        if (has(g, (enum hd_gen_feature)moves[op].feature))
            sum += moves[op].weight * factor;
        g->cumulative[op] = sum;
    }
    static const uint8_t habits[] = {0, 30, 60, 80}, disciplines[] = {0, 70, 90, 97};
    g->stay = habits[hd_rng_below(&g->s->rng, sizeof habits)];
    g->discipline = disciplines[hd_rng_below(&g->s->rng, sizeof disciplines)];
    g->planned = hd_rng_below(&g->s->rng, 80);
}

static enum hd_op draw_op(struct random_gen *g)
{
    uint32_t total = g->cumulative[HD_OP_COUNT - 1];
    uint32_t ticket = total ? hd_rng_below(&g->s->rng, total) : 0;
    int op = 0;
    while (op < HD_OP_COUNT - 1 && g->cumulative[op] <= ticket)
        op++;
    return (enum hd_op)op;
}

/* A thread stands at the barrier and misses others. */
static bool has_gap(const struct sim *s, uint32_t barrier)
{
    return s->arrivals[barrier] % s->barrier_size[barrier] != 0;
}

static bool completes(const struct sim *s, uint32_t barrier)
{
    return (s->arrivals[barrier] + 1) % s->barrier_size[barrier] == 0;
}

/* Notifications and arrivals are worth most while a thread waits for them. */
static enum hd_op draw_useful_op(struct random_gen *g)
{
    struct sim *s = g->s;
    bool more = has(g, HD_GEN_SHAPES) && s->waiting == 1; /* wait for a second waiter */
    if (s->waiting && hd_rng_chance(&s->rng, more ? 4 : 20))
        return hd_rng_chance(&s->rng, 75) ? HD_OP_SIG : HD_OP_BCAST;
    bool gap = false;
    for (uint32_t b = 0; b < s->count[HD_OBJ_BARRIER]; b++)
        gap |= has_gap(s, b);
    if (gap && hd_rng_chance(&s->rng, 15))
        return HD_OP_BARIN;
    enum hd_op op = draw_op(g);
    bool idle = (op == HD_OP_SIG || op == HD_OP_BCAST) && !s->waiting;
    return idle && hd_rng_chance(&s->rng, 70) ? draw_op(g) : op;
}

/* A location that the thread may touch by the discipline of this trace; false when it found none.
 */
static bool draw_location(struct random_gen *g, uint32_t thread, uint32_t *loc)
{
    for (int tries = 0; tries < 3; tries++) {
        *loc = hd_rng_below(&g->s->rng, g->s->count[HD_OBJ_LOC]);
        if (g->guard[*loc] == SIM_NOBODY || hd_gen_sim_held(g->s, thread, g->guard[*loc]) ||
            !hd_rng_chance(&g->s->rng, g->discipline))
            return true;
    }
    return false;
}

/* Up to three of the thread's latest reads, each at most once; an rmw may name itself. */
static struct hd_dep_list draw_deps(struct random_gen *g, uint32_t thread, bool own, hd_eid *room)
{
    const struct sim_thread *t = &g->s->threads[thread];
    uint32_t wanted = hd_rng_below(&g->s->rng, 4), n = 0;
    for (uint32_t k = 0; k < hd_gen_sim_recent_count(t) && n < wanted; k++)
        if (hd_rng_chance(&g->s->rng, 60))
            room[n++] = hd_gen_sim_recent_read(t, k);
    if (own && hd_rng_chance(&g->s->rng, 50))
        room[n++] = (hd_eid)g->s->events;
    return (struct hd_dep_list){.given = true, .n = n, .events = room};
}

static enum hd_mem_order draw_order(struct random_gen *g, enum hd_op op)
{
    enum hd_mem_order order;
    do
        order = (enum hd_mem_order)hd_rng_below(&g->s->rng, HD_ORDER_COUNT);
    while (!hd_mem_order_fits(op, order));
    return order;
}

/* Value and dependences of an access. */
static void decorate_access(struct random_gen *g, uint32_t thread, struct sim_step *step)
{
    struct hd_rng *rng = &g->s->rng;
    step->value = hd_rng_below(rng, g->config->values);
    step->omit = has(g, HD_GEN_OMIT) && hd_rng_chance(rng, 25);
    if (hd_op_is_atomic(step->op) && has(g, HD_GEN_ORDERS))
        step->order = draw_order(g, step->op);
    if (hd_op_writes(step->op) && has(g, HD_GEN_VAL) && hd_rng_chance(rng, 60))
        step->deps = draw_deps(g, thread, step->op == HD_OP_RMW, g->deps);
    if (has(g, HD_GEN_ADDR) && hd_rng_chance(rng, 15))
        step->addr = draw_deps(g, thread, false, g->addr);
}

/* Which lock to release: mostly the one taken last. SIM_NOBODY when none is held. */
static uint32_t draw_held(struct random_gen *g, uint32_t thread)
{
    const struct sim_thread *t = &g->s->threads[thread];
    if (!t->n_held)
        return SIM_NOBODY;
    bool last = hd_rng_chance(&g->s->rng, 80);
    return t->held[last ? t->n_held - 1 : hd_rng_below(&g->s->rng, t->n_held)].lock;
}

/* A thread may block only while another one can go on. */
static bool may_block(const struct random_gen *g, uint32_t thread)
{
    for (uint32_t u = 0; u < g->s->count[HD_OBJ_THREAD]; u++)
        if (u != thread && g->s->threads[u].phase == SIM_READY)
            return true;
    return false;
}

/* Lets a thread that holds nothing come to its end, so that it can be joined. */
static void end_thread(struct random_gen *g, uint32_t thread, uint32_t other)
{
    struct sim_thread *u = &g->s->threads[other];
    if (other != thread && u->phase == SIM_READY && u->n_held == 0 && u->blocks == 0 && u->events)
        u->phase = SIM_ENDED;
}

static bool wants_lock(struct random_gen *g, uint32_t thread, const struct sim_step *step)
{
    const struct sim_thread *t = &g->s->threads[thread];
    const struct sim_held *held = hd_gen_sim_held(g->s, thread, step->obj);
    if (step->op == HD_OP_ACQ && held && (!has(g, HD_GEN_REENTRANT) || held->depth >= MAX_NESTING))
        return false;
    if (step->op == HD_OP_RACQ && held && held->reads >= MAX_NESTING)
        return false;
    if (step->op == HD_OP_TRYFAIL)
        return true;
    return t->n_held < MAX_NESTING && (!t->n_held || hd_rng_chance(&g->s->rng, 60));
}

/* Fills in the object of a step; false when the operation makes no sense here. */
static bool draw_object(struct random_gen *g, uint32_t thread, struct sim_step *step)
{
    struct sim *s = g->s;
    enum hd_obj_kind kind = hd_op_info[step->op].kind;
    if (kind != HD_OBJ_NONE) {
        if (!s->count[kind])
            return false;
        step->obj = hd_rng_below(&s->rng, s->count[kind]);
    }
    switch (step->op) {
    case HD_OP_BRANCH:
        if (has(g, HD_GEN_DEPS) && hd_rng_chance(&s->rng, 70))
            step->deps = draw_deps(g, thread, false, g->deps);
        return true;
    case HD_OP_ACQ:
    case HD_OP_RACQ:
    case HD_OP_TRYFAIL:
        return wants_lock(g, thread, step);
    case HD_OP_REL:
    case HD_OP_RREL:
        step->obj = draw_held(g, thread);
        return step->obj != SIM_NOBODY;
    case HD_OP_WAIT:
        step->lock = draw_held(g, thread);
        return step->lock != SIM_NOBODY && may_block(g, thread);
    case HD_OP_BARIN:
        return completes(s, step->obj) || may_block(g, thread);
    case HD_OP_JOIN:
        end_thread(g, thread, step->obj);
        return true;
    case HD_OP_BEGIN:
        return s->threads[thread].blocks < 2;
    case HD_OP_FENCE:
        step->order = draw_order(g, step->op);
        return true;
    default:
        if (!hd_op_is_access(step->op))
            return true;
        decorate_access(g, thread, step);
        return draw_location(g, thread, &step->obj);
    }
}

static void start_plan(struct random_gen *g, struct plan *plan)
{
    struct hd_rng *rng = &g->s->rng;
    const uint32_t *count = g->s->count;
    plan->next = habits_of_code[hd_rng_below(rng, sizeof habits_of_code / sizeof *habits_of_code)];
    if (has(g, HD_GEN_SHAPES) && hd_rng_chance(rng, 70))
        plan->next = shapes[hd_rng_below(rng, sizeof shapes / sizeof *shapes)];
    if (has(g, HD_GEN_SHAPES) && g->s->waiting == 1 && hd_rng_chance(rng, 50))
        plan->next = "AWrbR";
    plan->read = HD_EID_NONE;
    plan->first = hd_rng_below(rng, count[HD_OBJ_LOC]);
    plan->second = hd_rng_below(rng, count[HD_OBJ_LOC]);
    plan->lock = g->guard[plan->first];
    if (plan->lock == SIM_NOBODY && count[HD_OBJ_LOCK])
        plan->lock = hd_rng_below(rng, count[HD_OBJ_LOCK]);
}

/* The latest read, or the first of the plan, as all that a branch or a value depends on. */
static void depend(struct random_gen *g, uint32_t thread, const struct plan *plan,
                   struct sim_step *step)
{
    bool first = *plan->next == 'B' || *plan->next == 'V';
    if (!g->s->threads[thread].n_reads || (first && plan->read == HD_EID_NONE))
        return;
    g->deps[0] = first ? plan->read : hd_gen_sim_recent_read(&g->s->threads[thread], 0);
    step->deps = (struct hd_dep_list){.given = true, .n = 1, .events = g->deps};
}

/* The letters of shapes alone. */
static bool read_shape(struct random_gen *g, uint32_t thread, const struct plan *plan,
                       struct sim_step *step)
{
    static const struct {
        char letter;
        uint8_t op;
    } ops[] = {{'a', HD_OP_RACQ},  {'z', HD_OP_RREL},   {'T', HD_OP_TRYFAIL},
               {'M', HD_OP_BCAST}, {'Y', HD_OP_BARIN},  {'P', HD_OP_POST},
               {'S', HD_OP_SEM},   {'B', HD_OP_BRANCH}, {'V', HD_OP_WRITE}};
    uint32_t i = 0;
    while (ops[i].letter != *plan->next)
        i++;
    *step = (struct sim_step){.op = (enum hd_op)ops[i].op};
    enum hd_obj_kind kind = hd_op_info[step->op].kind;
    if (!has(g, (enum hd_gen_feature)moves[step->op].feature) ||
        (step->op == HD_OP_BRANCH && !has(g, HD_GEN_DEPS)) ||
        (step->op == HD_OP_WRITE && !has(g, HD_GEN_VAL)))
        return false;
    if (kind == HD_OBJ_LOCK)
        step->obj = plan->lock;
    else if (kind != HD_OBJ_NONE && kind != HD_OBJ_LOC)
        step->obj = hd_rng_below(&g->s->rng, g->s->count[kind]);
    if (step->op == HD_OP_BRANCH || step->op == HD_OP_WRITE) {
        decorate_access(g, thread, step);
        step->omit = false;
        step->addr = (struct hd_dep_list){0};
        depend(g, thread, plan, step);
        step->obj = step->op == HD_OP_WRITE ? plan->second : 0;
    }
    const struct sim_held *held = kind == HD_OBJ_LOCK && plan->lock != SIM_NOBODY
                                      ? hd_gen_sim_held(g->s, thread, plan->lock)
                                      : NULL;
    if (step->op == HD_OP_RREL && !(held && held->reads))
        return false;
    if (step->op == HD_OP_BARIN && !completes(g->s, step->obj) && !may_block(g, thread))
        return false;
    return kind != HD_OBJ_LOCK || plan->lock != SIM_NOBODY;
}

/* Whether a plan may take or give its lock as its step asks. Shapes nest, and mix both sides. */
static bool fits_lock(const struct random_gen *g, uint32_t thread, const struct plan *plan)
{
    const struct sim_held *held = hd_gen_sim_held(g->s, thread, plan->lock);
    if (!has(g, HD_GEN_SHAPES) || !held)
        return (*plan->next == 'R') == (held != NULL);
    if (*plan->next == 'R')
        return held->depth > 0;
    return has(g, HD_GEN_REENTRANT) && held->depth && held->depth < MAX_NESTING;
}

/* The step that a letter stands for; false when the configuration or the state has no use for it.
 */
static bool read_letter(struct random_gen *g, uint32_t thread, const struct plan *plan,
                        struct sim_step *step)
{
    if (strchr("azTMYPSBV", *plan->next))
        return read_shape(g, thread, plan, step);
    switch (*plan->next) {
    case 'A':
    case 'R':
        *step =
            (struct sim_step){.op = *plan->next == 'A' ? HD_OP_ACQ : HD_OP_REL, .obj = plan->lock};
        if (plan->lock == SIM_NOBODY || !has(g, HD_GEN_MUTEX))
            return false;
        return fits_lock(g, thread, plan);
    case 'W':
    case 'N':
        *step = (struct sim_step){.op = *plan->next == 'W' ? HD_OP_WAIT : HD_OP_SIG,
                                  .lock = plan->lock};
        if (*plan->next == 'W' && (plan->lock == SIM_NOBODY || !may_block(g, thread)))
            return false;
        return has(g, HD_GEN_COND);
    case '(':
    case ')':
        *step = (struct sim_step){.op = *plan->next == '(' ? HD_OP_BEGIN : HD_OP_END};
        return has(g, HD_GEN_BLOCK) && hd_gen_sim_can(g->s, thread, step);
    case 'b':
        *step = (struct sim_step){.op = HD_OP_BRANCH};
        if (has(g, HD_GEN_DEPS))
            depend(g, thread, plan, step);
        return has(g, HD_GEN_BRANCH);
    case 'r':
    case 's':
        *step = (struct sim_step){.op = HD_OP_READ};
        decorate_access(g, thread, step);
        step->obj = *plan->next == 'r' ? plan->first : plan->second;
        return has(g, HD_GEN_READ);
    default:
        *step = (struct sim_step){.op = HD_OP_WRITE};
        decorate_access(g, thread, step);
        step->obj = *plan->next == 'w' ? plan->first : plan->second;
        return has(g, HD_GEN_WRITE);
    }
}

/* Follows the plan of a thread. False when it has none, or cannot go on just now; a plan that stays
 * blocked is given up in the end. */
static bool draw_planned(struct random_gen *g, uint32_t thread, struct sim_step *step)
{
    struct plan *plan = &g->plans[thread];
    if (!plan->next && hd_rng_chance(&g->s->rng, g->planned))
        start_plan(g, plan);
    while (plan->next && *plan->next) {
        if (!read_letter(g, thread, plan, step)) {
            plan->next++;
            continue;
        }
        if (hd_gen_sim_can(g->s, thread, step)) {
            if (hd_op_reads(step->op) && plan->read == HD_EID_NONE)
                plan->read = (hd_eid)g->s->events;
            plan->next++;
            return true;
        }
        if (!hd_rng_chance(&g->s->rng, 10))
            return false;
        plan->next = NULL;
    }
    plan->next = NULL;
    return false;
}

/* The step of a thread that waits or stands at a barrier: there is only one kind. */
static bool draw_resume(struct random_gen *g, uint32_t thread, struct sim_step *step)
{
    const struct sim_thread *t = &g->s->threads[thread];
    *step = (struct sim_step){.obj = t->cond, .lock = t->lock};
    if (t->phase == SIM_WAITING) {
        step->op = HD_OP_TMO;
        return has(g, HD_GEN_TIMEOUT);
    }
    step->op = HD_OP_WAKE;
    if (t->phase == SIM_AT_BARRIER)
        *step = (struct sim_step){.op = HD_OP_BAROUT, .obj = t->barrier};
    return t->phase == SIM_NOTIFIED || t->phase == SIM_AT_BARRIER;
}

static bool draw_step(struct random_gen *g, uint32_t thread, struct sim_step *step)
{
    if (g->s->threads[thread].phase != SIM_READY)
        return draw_resume(g, thread, step) && hd_gen_sim_can(g->s, thread, step);
    if (!g->cumulative[HD_OP_COUNT - 1])
        return false;
    if (draw_planned(g, thread, step))
        return true;
    if (g->plans[thread].next)
        return false;
    *step = (struct sim_step){.op = draw_useful_op(g)};
    return draw_object(g, thread, step) && hd_gen_sim_can(g->s, thread, step);
}

/* Towards the end: a release by a thread that still holds a lock. */
static bool draw_release(struct random_gen *g, uint32_t *thread, struct sim_step *step)
{
    uint32_t held = 0, holder = SIM_NOBODY;
    for (uint32_t u = 0; u < g->s->count[HD_OBJ_THREAD]; u++) {
        held += g->s->threads[u].n_held;
        if (g->s->threads[u].n_held && g->s->threads[u].phase == SIM_READY)
            holder = u;
    }
    if (holder == SIM_NOBODY || g->config->events - g->s->events > held ||
        hd_rng_chance(&g->s->rng, 30))
        return false;
    const struct sim_thread *t = &g->s->threads[holder];
    const struct sim_held *last = &t->held[t->n_held - 1];
    *thread = holder;
    *step = (struct sim_step){.op = last->depth ? HD_OP_REL : HD_OP_RREL, .obj = last->lock};
    return true;
}

/* Chance has found nothing: goes through the threads in turn with more patience. */
static bool search_step(struct random_gen *g, uint32_t *thread, struct sim_step *step)
{
    uint32_t first = hd_rng_below(&g->s->rng, g->s->count[HD_OBJ_THREAD]);
    for (uint32_t i = 0; i < g->s->count[HD_OBJ_THREAD]; i++) {
        *thread = (first + i) % g->s->count[HD_OBJ_THREAD];
        bool ready = g->s->threads[*thread].phase == SIM_READY;
        for (int tries = ready ? 20 * TRIES : 1; tries > 0; tries--)
            if (draw_step(g, *thread, step))
                return true;
    }
    return false;
}

/* Mostly the thread that ran last or any one, now and then one that was notified. */
static uint32_t draw_thread(struct random_gen *g)
{
    struct sim *s = g->s;
    uint32_t n = s->count[HD_OBJ_THREAD], first = hd_rng_below(&s->rng, n);
    if (s->notified && hd_rng_chance(&s->rng, 40))
        for (uint32_t i = 0; i < n; i++)
            if (s->threads[(first + i) % n].phase == SIM_NOTIFIED)
                return (first + i) % n;
    return hd_rng_chance(&s->rng, g->stay) ? g->current : first;
}

static bool next_step(struct random_gen *g, uint32_t *thread, struct sim_step *step)
{
    struct sim *s = g->s;
    if (g->config->events - s->events < 16 && draw_release(g, thread, step))
        return true;
    *thread = draw_thread(g);
    for (int tries = 0; tries < TRIES; tries++) {
        if (draw_step(g, *thread, step))
            return true;
        if (tries % 4 == 3)
            *thread = hd_rng_below(&s->rng, s->count[HD_OBJ_THREAD]);
    }
    return search_step(g, thread, step);
}

static void start_objects(struct random_gen *g)
{
    struct sim *s = g->s;
    const uint32_t *count = s->count;
    for (uint32_t i = 0; i < count[HD_OBJ_THREAD]; i++) {
        bool waits = i > 0 && has(g, HD_GEN_FORK) && hd_rng_chance(&s->rng, 50);
        s->threads[i].may_be_forked = waits;
        s->threads[i].phase = waits ? SIM_UNBORN : SIM_READY;
    }
    for (uint32_t i = 0; i < count[HD_OBJ_LOC]; i++) {
        bool guarded = count[HD_OBJ_LOCK] && hd_rng_chance(&s->rng, 75);
        g->guard[i] = guarded ? hd_rng_below(&s->rng, count[HD_OBJ_LOCK]) : SIM_NOBODY;
        if (has(g, HD_GEN_INIT) && hd_rng_chance(&s->rng, 60))
            hd_gen_sim_set_init(s, i, hd_rng_below(&s->rng, g->config->values));
    }
    static const uint64_t huge[] = {UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32,
                                    UINT64_C(1) << 62};
    for (uint32_t i = 0; i < count[HD_OBJ_SEM]; i++) {
        hd_gen_sim_set_sem(s, i, hd_rng_below(&s->rng, 3));
        if (has(g, HD_GEN_SHAPES) && hd_rng_chance(&s->rng, 20))
            hd_gen_sim_set_sem(s, i, huge[hd_rng_below(&s->rng, sizeof huge / sizeof *huge)]);
    }
    for (uint32_t i = 0; i < count[HD_OBJ_BARRIER]; i++) {
        uint32_t most = count[HD_OBJ_THREAD] > 2 ? 2 : 1;
        s->barrier_size[i] = hd_rng_chance(&s->rng, 5) ? 1 : 2 + hd_rng_below(&s->rng, most);
    }
}

static enum hd_status run(struct random_gen *g, struct hd_err *err)
{
    struct sim *s = g->s;
    enum hd_status status = HD_OK;
    while (s->events < g->config->events && status == HD_OK) {
        uint32_t thread;
        struct sim_step step;
        if (!next_step(g, &thread, &step))
            break;
        char place[32];
        size_t len = (size_t)snprintf(place, sizeof place, "t%u.c:%u", thread + 1,
                                      (unsigned)(s->threads[thread].events % LINES) + 1);
        step.place = hd_builder_place(s->builder, place, len);
        g->current = thread;
        status = hd_gen_sim_do(s, thread, &step, err);
    }
    return status;
}

static void name_object(enum hd_obj_kind kind, uint32_t i, char *name, size_t size)
{
    static const char letter[] = {'x', 'l', 'c', 's', 'b', 't'};
    snprintf(name, size, "%c%u", letter[kind], i + 1);
}

enum hd_status hd_gen_sim_random(const struct hd_gen_config *config, struct sim *s,
                                 struct hd_err *err)
{
    struct random_gen g = {.config = config, .s = s};
    uint32_t each = has(&g, HD_GEN_SHAPES) ? 2 : 1; /* semaphores and barriers */
    const uint32_t count[HD_OBJ_THREAD + 1] = {
        [HD_OBJ_LOC] = config->locations,
        [HD_OBJ_LOCK] = config->locks,
        [HD_OBJ_COND] = has(&g, HD_GEN_COND) ? 1 + config->threads / (4 * each) : 0,
        [HD_OBJ_SEM] = has(&g, HD_GEN_SEM) ? each : 0,
        [HD_OBJ_BARRIER] = has(&g, HD_GEN_BARRIER) ? each : 0,
        [HD_OBJ_THREAD] = config->threads};
    hd_gen_sim_init(s, config->seed, count, name_object);
    g.guard = hd_calloc(config->locations, sizeof *g.guard);
    g.plans = hd_calloc(config->threads, sizeof *g.plans);
    draw_weights(&g);
    enum hd_control control = HD_CONTROL_BRANCHES;
    if (config->control == HD_GEN_CONTROL_ALL ||
        (config->control == HD_GEN_CONTROL_MIXED && hd_rng_chance(&s->rng, 35)))
        control = HD_CONTROL_ALL;
    start_objects(&g);
    enum hd_status status = hd_builder_control(s->builder, control, err);
    if (status == HD_OK)
        status = run(&g, err);
    hd_free(g.guard, config->locations * sizeof *g.guard);
    hd_free(g.plans, config->threads * sizeof *g.plans);
    return status;
}
