/* The program style: a main thread starts workers, each worker runs one activity after another (a
 * short script of steps), and a scheduler interleaves them. Every shared location has one lock, is
 * atomic, or belongs to one thread, so the only races are the planted ones.
 *
 * No thread is stuck for good: locks are held only inside a script, never two at once; a worker
 * that waits on the empty queue is notified by main when no other thread can move, and then gives
 * up; all workers pass the same number of barriers before they end. */
#include "trace/gen/gen_sim.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum {
    SCRIPT = 40,    /* steps of the longest activity */
    SLOTS = 8,      /* of the queue */
    TABLE = 8,      /* entries of the table */
    BUFFER = 16,    /* private locations of a thread */
    LINES = 100,    /* lines of a source file of ours */
    MAX_BURST = 24, /* steps that a worker runs before the scheduler looks again */
    MAIN = 0,       /* index of the main thread */
};

enum loc { HITS, HEAD, TAIL, COUNT, SLOT, TABLE_AT = SLOT + SLOTS, FIELD = TABLE_AT + TABLE };
enum lock { TABLE_LOCK, QUEUE_LOCK, LOG_LOCK, FIELD_LOCK };
enum file { ACCT_C, TABLE_C, QUEUE_C, WORK_C, MAIN_C, RACE_C, FILES };

/* How the written value comes about, and which slot of the queue a step means. */
enum rule { DRAW, ONE_MORE, ONE_LESS };
enum slot { AS_GIVEN, AT_HEAD, AT_TAIL };

struct step {
    enum hd_op op;
    uint32_t obj, lock, place;
    int8_t deps, addr; /* that many of the latest reads; -1: not given */
    uint8_t rule, slot;
};

/* What follows when a script is done. */
enum then { NEXT_ACTIVITY, PUT_IF_ROOM, TAKE_OR_WAIT, TAKE_OR_LEAVE };

struct worker {
    struct step script[SCRIPT];
    uint32_t n, at;
    enum then then;
    uint32_t until_barrier; /* activities left before it goes to the barrier */
    uint64_t barriers;      /* passed or entered */
};

struct program {
    const struct hd_gen_config *config;
    struct sim *s;
    struct worker *workers; /* by thread; the entry of main is unused */
    uint64_t barriers;      /* the most that any worker has entered */
    uint32_t planted;
    bool finishing;
    uint32_t places[FILES][LINES]; /* ids, or SIM_NOBODY */
};

static uint32_t buffer_of(const struct program *p, uint32_t thread)
{
    return FIELD + p->config->locations + thread * BUFFER;
}

static uint32_t race_loc(const struct program *p, uint32_t i)
{
    return buffer_of(p, p->config->threads) + i;
}

static uint32_t place(struct program *p, enum file file, uint32_t line)
{
    static const char *const names[FILES] = {"acct.c", "table.c", "queue.c",
                                             "work.c", "main.c",  "race.c"};
    uint32_t *id = &p->places[file][line % LINES];
    if (*id == SIM_NOBODY) {
        char text[32];
        size_t len = (size_t)snprintf(text, sizeof text, "%s:%u", names[file], line % LINES + 1);
        *id = hd_builder_place(p->s->builder, text, len);
    }
    return *id;
}

static struct step *push(struct program *p, struct worker *w, enum hd_op op, uint32_t obj,
                         enum file file, uint32_t line)
{
    HD_ASSERT(w->n < SCRIPT);
    struct step *step = &w->script[w->n++];
    *step =
        (struct step){.op = op, .obj = obj, .place = place(p, file, line), .deps = -1, .addr = -1};
    return step;
}

static void push_write(struct program *p, struct worker *w, uint32_t obj, int deps, enum rule rule,
                       enum file file, uint32_t line)
{
    struct step *step = push(p, w, HD_OP_WRITE, obj, file, line);
    step->deps = (int8_t)deps;
    step->rule = (uint8_t)rule;
}

/* lock; read, decide, write a few fields; unlock */
static void plan_update(struct program *p, struct worker *w)
{
    struct hd_rng *rng = &p->s->rng;
    uint32_t k = hd_rng_below(rng, p->config->locks), line = 10 + 20 * (k % 4);
    uint32_t fields = (p->config->locations + p->config->locks - 1 - k) / p->config->locks;
    bool block = hd_rng_chance(rng, 10);
    if (block)
        push(p, w, HD_OP_BEGIN, 0, ACCT_C, line);
    push(p, w, HD_OP_ACQ, FIELD_LOCK + k, ACCT_C, line + 1);
    for (uint32_t i = 1 + hd_rng_below(rng, 4); fields && i > 0; i--) {
        uint32_t field = FIELD + k + p->config->locks * hd_rng_below(rng, fields);
        push(p, w, HD_OP_READ, field, ACCT_C, line + 2);
        push(p, w, HD_OP_BRANCH, 0, ACCT_C, line + 3)->deps = 1;
        if (hd_rng_chance(rng, 70))
            push_write(p, w, field, 1, DRAW, ACCT_C, line + 4);
    }
    push(p, w, HD_OP_REL, FIELD_LOCK + k, ACCT_C, line + 6);
    if (block)
        push(p, w, HD_OP_END, 0, ACCT_C, line + 7);
}

static void plan_table(struct program *p, struct worker *w)
{
    struct hd_rng *rng = &p->s->rng;
    uint32_t entry = TABLE_AT + hd_rng_below(rng, TABLE);
    if (hd_rng_chance(rng, 15)) {
        push(p, w, HD_OP_ACQ, TABLE_LOCK, TABLE_C, 30);
        push_write(p, w, entry, 0, DRAW, TABLE_C, 31);
        push(p, w, HD_OP_REL, TABLE_LOCK, TABLE_C, 32);
        return;
    }
    push(p, w, HD_OP_RACQ, TABLE_LOCK, TABLE_C, 10);
    for (uint32_t i = 1 + hd_rng_below(rng, 3); i > 0; i--) {
        push(p, w, HD_OP_READ, TABLE_AT + hd_rng_below(rng, TABLE), TABLE_C, 12);
        push(p, w, HD_OP_BRANCH, 0, TABLE_C, 13)->deps = 1;
    }
    push(p, w, HD_OP_RREL, TABLE_LOCK, TABLE_C, 15);
}

/* A loop over the thread's own buffer: most of what a program does. */
static void plan_private(struct program *p, struct worker *w, uint32_t thread)
{
    struct hd_rng *rng = &p->s->rng;
    uint32_t base = buffer_of(p, thread), first = hd_rng_below(rng, BUFFER);
    for (uint32_t i = 3 + hd_rng_below(rng, 8); i > 0; i--) {
        uint32_t loc = base + (first + i) % BUFFER;
        push(p, w, HD_OP_READ, loc, WORK_C, 20);
        push_write(p, w, loc, 1, DRAW, WORK_C, 21);
        push(p, w, HD_OP_BRANCH, 0, WORK_C, 22)->deps = 0;
    }
}

static void plan_queue(struct program *p, struct worker *w, bool put)
{
    uint32_t line = put ? 20 : 50;
    push(p, w, HD_OP_ACQ, QUEUE_LOCK, QUEUE_C, line);
    push(p, w, HD_OP_READ, COUNT, QUEUE_C, line + 1);
    push(p, w, HD_OP_BRANCH, 0, QUEUE_C, line + 1)->deps = 1;
    w->then = put ? PUT_IF_ROOM : TAKE_OR_WAIT;
}

static void plan_put(struct program *p, struct worker *w)
{
    push(p, w, HD_OP_READ, TAIL, QUEUE_C, 23);
    struct step *slot = push(p, w, HD_OP_WRITE, SLOT, QUEUE_C, 24);
    slot->slot = AT_TAIL;
    slot->deps = 0;
    slot->addr = 1;
    push_write(p, w, TAIL, 1, ONE_MORE, QUEUE_C, 25);
    push_write(p, w, COUNT, 2, ONE_MORE, QUEUE_C, 26);
    push(p, w, HD_OP_SIG, 0, QUEUE_C, 27);
    push(p, w, HD_OP_REL, QUEUE_LOCK, QUEUE_C, 28);
}

static void plan_take(struct program *p, struct worker *w)
{
    push(p, w, HD_OP_READ, HEAD, QUEUE_C, 55);
    struct step *slot = push(p, w, HD_OP_READ, SLOT, QUEUE_C, 56);
    slot->slot = AT_HEAD;
    slot->addr = 1;
    push_write(p, w, HEAD, 2, ONE_MORE, QUEUE_C, 57);
    push_write(p, w, COUNT, 3, ONE_LESS, QUEUE_C, 58);
    push(p, w, HD_OP_REL, QUEUE_LOCK, QUEUE_C, 59);
}

static void plan_wait(struct program *p, struct worker *w)
{
    push(p, w, HD_OP_WAIT, 0, QUEUE_C, 52)->lock = QUEUE_LOCK;
    push(p, w, HD_OP_WAKE, 0, QUEUE_C, 52)->lock = QUEUE_LOCK;
    push(p, w, HD_OP_READ, COUNT, QUEUE_C, 51);
    push(p, w, HD_OP_BRANCH, 0, QUEUE_C, 51)->deps = 1;
    w->then = TAKE_OR_LEAVE;
}

static void plan_token(struct program *p, struct worker *w)
{
    push(p, w, HD_OP_SEM, 0, WORK_C, 40);
    push(p, w, HD_OP_RMW, HITS, WORK_C, 41)->rule = ONE_MORE;
    push(p, w, HD_OP_POST, 0, WORK_C, 42);
}

static void plan_barrier(struct program *p, struct worker *w)
{
    push(p, w, HD_OP_BARIN, 0, WORK_C, 60);
    push(p, w, HD_OP_BAROUT, 0, WORK_C, 60);
    w->until_barrier = 20 + hd_rng_below(&p->s->rng, 40);
    if (++w->barriers > p->barriers)
        p->barriers = w->barriers;
}

static void plan_activity(struct program *p, struct worker *w, uint32_t thread)
{
    uint32_t ticket = hd_rng_below(&p->s->rng, 100);
    w->until_barrier--;
    if (ticket < 45)
        plan_private(p, w, thread);
    else if (ticket < 70)
        plan_update(p, w);
    else if (ticket < 80)
        plan_table(p, w);
    else if (ticket < 95)
        plan_queue(p, w, hd_rng_chance(&p->s->rng, 55));
    else
        plan_token(p, w);
}

/* Fills an empty script; leaves it empty when the worker ends. */
static void plan(struct program *p, uint32_t thread)
{
    struct worker *w = &p->workers[thread];
    uint64_t count = p->s->locs[COUNT].value;
    enum then then = w->then;
    w->n = w->at = 0;
    w->then = NEXT_ACTIVITY;
    if (then == NEXT_ACTIVITY) {
        if (p->finishing ? w->barriers < p->barriers : w->until_barrier == 0)
            plan_barrier(p, w);
        else if (p->finishing)
            p->s->threads[thread].phase = SIM_ENDED;
        else
            plan_activity(p, w, thread);
    } else if (then == PUT_IF_ROOM && count < SLOTS) {
        plan_put(p, w);
    } else if (then != PUT_IF_ROOM && count > 0) {
        plan_take(p, w);
    } else if (then == TAKE_OR_WAIT) {
        plan_wait(p, w);
    } else {
        push(p, w, HD_OP_REL, QUEUE_LOCK, QUEUE_C, 60);
    }
}

/* Turns a planned step into one of the machine, with the values and reads of this moment. */
static void resolve(struct program *p, uint32_t thread, const struct step *step,
                    struct sim_step *out, hd_eid *room)
{
    struct sim *s = p->s;
    const struct sim_thread *t = &s->threads[thread];
    *out = (struct sim_step){
        .op = step->op, .obj = step->obj, .lock = step->lock, .place = step->place};
    if (step->slot != AS_GIVEN)
        out->obj = SLOT + s->locs[step->slot == AT_HEAD ? HEAD : TAIL].value % SLOTS;
    struct hd_dep_list *lists[] = {&out->deps, &out->addr};
    const int wanted[] = {step->deps, step->addr};
    for (int i = 0; i < 2; i++, room += SIM_MAX_DEPS) {
        lists[i]->given = wanted[i] >= 0;
        lists[i]->events = room;
        for (int k = 0; k < wanted[i] && k < (int)hd_gen_sim_recent_count(t); k++)
            room[lists[i]->n++] = hd_gen_sim_recent_read(t, (uint32_t)k);
    }
    if (!hd_op_is_access(step->op))
        return;
    uint64_t now = s->locs[out->obj].value;
    out->value = step->rule == ONE_MORE   ? now + 1
                 : step->rule == ONE_LESS ? now - 1
                                          : hd_rng_below(&s->rng, p->config->values);
}

static bool take_step(struct program *p, uint32_t thread, const struct step *step,
                      enum hd_status *status, struct hd_err *err)
{
    struct sim_step now;
    hd_eid room[2 * SIM_MAX_DEPS];
    resolve(p, thread, step, &now, room);
    if (!hd_gen_sim_can(p->s, thread, &now))
        return false;
    *status = hd_gen_sim_do(p->s, thread, &now, err);
    return *status == HD_OK;
}

/* Steps that happen one after another with nothing between them. */
static enum hd_status take_at_once(struct program *p, uint32_t thread, const struct worker *w,
                                   struct hd_err *err)
{
    enum hd_status status = HD_OK;
    for (uint32_t i = 0; i < w->n; i++)
        if (!take_step(p, thread, &w->script[i], &status, err))
            return status != HD_OK ? status
                                   : hd_err_set(err, HD_ERR_INTERNAL, "the generator is stuck");
    return status;
}

/* Two accesses side by side in the observed order are a race. The hidden kind puts a critical
 * section of each thread between them; the second thread's could as well have come first. */
static enum hd_status plant_race(struct program *p, uint32_t a, uint32_t b, struct hd_err *err)
{
    struct worker first = {0}, second = {0};
    uint32_t loc = race_loc(p, p->planted), line = p->planted * 7;
    bool hidden = p->planted % 2, reads = hd_rng_chance(&p->s->rng, 50);
    push_write(p, &first, loc, 0, DRAW, RACE_C, line);
    if (hidden) {
        push(p, &first, HD_OP_ACQ, LOG_LOCK, RACE_C, line + 1);
        push(p, &first, HD_OP_REL, LOG_LOCK, RACE_C, line + 2);
        push(p, &second, HD_OP_ACQ, LOG_LOCK, RACE_C, line + 3);
        push(p, &second, HD_OP_REL, LOG_LOCK, RACE_C, line + 4);
    }
    push(p, &second, reads ? HD_OP_READ : HD_OP_WRITE, loc, RACE_C, line + 5);
    p->planted++;
    enum hd_status status = take_at_once(p, a, &first, err);
    return status == HD_OK ? take_at_once(p, b, &second, err) : status;
}

/* Another thread that is between two activities; main always is. */
static uint32_t find_partner(const struct program *p, uint32_t thread)
{
    uint32_t start = hd_rng_below(&p->s->rng, p->config->threads);
    for (uint32_t i = 0; i < p->config->threads; i++) {
        uint32_t u = (start + i) % p->config->threads;
        const struct worker *w = &p->workers[u];
        if (u != thread && p->s->threads[u].phase == SIM_READY && w->at == w->n &&
            w->then == NEXT_ACTIVITY)
            return u;
    }
    return MAIN;
}

static bool race_is_due(const struct program *p)
{
    uint64_t events = p->config->events, part = p->planted + 1;
    return p->planted < p->config->races && p->s->events >= events * part / (p->config->races + 1);
}

/* Runs a worker for a while; *moved is whether it took a step. */
static enum hd_status run_burst(struct program *p, uint32_t thread, bool *moved, struct hd_err *err)
{
    struct worker *w = &p->workers[thread];
    enum hd_status status = HD_OK;
    for (uint32_t i = 1 + hd_rng_below(&p->s->rng, MAX_BURST); i > 0 && status == HD_OK; i--) {
        if (p->s->threads[thread].phase == SIM_ENDED)
            break;
        if (w->at == w->n && w->then == NEXT_ACTIVITY && race_is_due(p)) {
            status = plant_race(p, thread, find_partner(p, thread), err);
            *moved = true;
            continue;
        }
        if (w->at == w->n)
            plan(p, thread);
        if (w->n == 0) {
            *moved = true; /* it has ended */
            break;
        }
        if (!take_step(p, thread, &w->script[w->at], &status, err))
            break;
        w->at++;
        *moved = true;
    }
    return status;
}

static enum hd_status notify_all(struct program *p, struct hd_err *err)
{
    struct worker main_steps = {0};
    push(p, &main_steps, HD_OP_ACQ, QUEUE_LOCK, MAIN_C, 40);
    push(p, &main_steps, HD_OP_BCAST, 0, MAIN_C, 41);
    push(p, &main_steps, HD_OP_REL, QUEUE_LOCK, MAIN_C, 42);
    return take_at_once(p, MAIN, &main_steps, err);
}

static enum hd_status run_workers(struct program *p, struct hd_err *err)
{
    uint32_t n = p->config->threads - 1, running = n;
    enum hd_status status = HD_OK;
    while (running && status == HD_OK) {
        bool moved = false;
        uint32_t start = hd_rng_below(&p->s->rng, n);
        p->finishing = p->s->events + 2 * p->config->threads >= p->config->events &&
                       p->planted == p->config->races;
        for (uint32_t i = 0; i < n && !moved && status == HD_OK; i++) {
            uint32_t u = 1 + (start + i) % n;
            bool was_running = p->s->threads[u].phase != SIM_ENDED;
            if (was_running)
                status = run_burst(p, u, &moved, err);
            running -= was_running && p->s->threads[u].phase == SIM_ENDED;
        }
        if (!moved && status == HD_OK)
            status = notify_all(p, err);
    }
    return status;
}

/* Main sets the queue up and starts the workers. */
static enum hd_status start(struct program *p, struct hd_err *err)
{
    enum hd_status status = HD_OK;
    struct worker steps = {0};
    static const uint32_t zeroed[] = {HEAD, TAIL, COUNT, HITS};
    for (int i = 0; i < 4; i++)
        hd_gen_sim_set_init(p->s, zeroed[i], 0);
    for (int i = 0; i < SLOTS; i++)
        push_write(p, &steps, SLOT + (uint32_t)i, 0, DRAW, MAIN_C, 10);
    for (int i = 0; i < TABLE; i++)
        push_write(p, &steps, TABLE_AT + (uint32_t)i, 0, DRAW, MAIN_C, 11);
    p->s->threads[MAIN].phase = SIM_READY;
    status = take_at_once(p, MAIN, &steps, err);
    for (uint32_t i = 0; i < p->config->locations && status == HD_OK; i++) {
        steps.n = 0;
        push_write(p, &steps, FIELD + i, 0, DRAW, MAIN_C, 12);
        status = take_at_once(p, MAIN, &steps, err);
    }
    for (uint32_t u = 1; u < p->config->threads && status == HD_OK; u++) {
        steps.n = 0;
        push(p, &steps, HD_OP_FORK, u, MAIN_C, 20);
        p->s->threads[u].may_be_forked = true;
        p->workers[u].until_barrier = 1 + hd_rng_below(&p->s->rng, 40);
        status = take_at_once(p, MAIN, &steps, err);
    }
    return status;
}

static enum hd_status finish(struct program *p, struct hd_err *err)
{
    enum hd_status status = HD_OK;
    for (uint32_t u = 1; u < p->config->threads && status == HD_OK; u++) {
        struct worker steps = {0};
        push(p, &steps, HD_OP_JOIN, u, MAIN_C, 50);
        status = take_at_once(p, MAIN, &steps, err);
    }
    return status;
}

static void name_object(enum hd_obj_kind kind, uint32_t i, char *name, size_t size)
{
    static const char *const fixed[] = {"hits", "queue.head", "queue.tail", "queue.count"};
    if (kind == HD_OBJ_LOC && i < SLOT)
        snprintf(name, size, "%s", fixed[i]);
    else if (kind == HD_OBJ_LOC && i < FIELD)
        snprintf(name, size, "%s[%u]", i < TABLE_AT ? "queue.slot" : "table",
                 i < TABLE_AT ? i - SLOT : i - TABLE_AT);
    else if (kind == HD_OBJ_LOC)
        snprintf(name, size, "v%u", i - FIELD + 1);
    else if (kind == HD_OBJ_LOCK && i >= FIELD_LOCK)
        snprintf(name, size, "acct%u.lock", i - FIELD_LOCK + 1);
    else if (kind == HD_OBJ_LOCK)
        snprintf(name, size, "%s",
                 i == TABLE_LOCK   ? "table.rw"
                 : i == QUEUE_LOCK ? "queue.lock"
                                   : "log.lock");
    else if (kind == HD_OBJ_THREAD)
        snprintf(name, size, i == MAIN ? "main" : "worker%u", i);
    else
        snprintf(name, size, "%s",
                 kind == HD_OBJ_COND  ? "queue.filled"
                 : kind == HD_OBJ_SEM ? "tokens"
                                      : "phase");
}

enum hd_status hd_gen_sim_program(const struct hd_gen_config *config, struct sim *s,
                                  struct hd_err *err)
{
    struct program p = {.config = config, .s = s};
    memset(p.places, 0xff, sizeof p.places);
    const uint32_t count[HD_OBJ_THREAD + 1] = {[HD_OBJ_LOC] = race_loc(&p, config->races),
                                               [HD_OBJ_LOCK] = FIELD_LOCK + config->locks,
                                               [HD_OBJ_COND] = 1,
                                               [HD_OBJ_SEM] = 1,
                                               [HD_OBJ_BARRIER] = 1,
                                               [HD_OBJ_THREAD] = config->threads};
    hd_gen_sim_init(s, config->seed, count, name_object);
    hd_gen_sim_set_sem(s, 0, 1 + config->threads / 3);
    s->barrier_size[0] = config->threads - 1;
    p.workers = hd_calloc(config->threads, sizeof *p.workers);
    enum hd_status status = hd_builder_control(
        s->builder, config->control == HD_GEN_CONTROL_ALL ? HD_CONTROL_ALL : HD_CONTROL_BRANCHES,
        err);
    if (status == HD_OK)
        status = start(&p, err);
    if (status == HD_OK)
        status = run_workers(&p, err);
    if (status == HD_OK)
        status = finish(&p, err);
    hd_free(p.workers, config->threads * sizeof *p.workers);
    return status;
}
