#include "explore/order.h"

#include "base/alloc.h"
#include "log/rt_depend.h"

#include <stdlib.h>
#include <string.h>

#define NO_STEP UINT32_MAX

struct thread {
    uint32_t last;    /* its latest step, or NO_STEP */
    uint32_t n;       /* steps so far */
    uint32_t fork;    /* step that created it, or NO_STEP */
    uint64_t in_cond; /* waiting set that it is in; 0: none */
    uint32_t woken;   /* step that notified it, or NO_STEP */
};

void hd_order_init(struct hd_order *o)
{
    *o = (struct hd_order){.lists = HD_VEC_INIT(struct hd_u32vec),
                           .threads = HD_VEC_INIT(struct thread),
                           .races = HD_VEC_INIT(struct hd_order_race)};
}

void hd_order_fini(struct hd_order *o)
{
    for (size_t i = 0; i < o->lists.len; i++)
        hd_u32vec_fini(hd_vec_at(&o->lists, i));
    hd_vec_fini(&o->lists);
    hd_map_fini(&o->lists_of);
    hd_vec_fini(&o->threads);
    hd_vec_fini(&o->races);
    hd_u32vec_fini(&o->index);
    hd_u32vec_fini(&o->step_of);
    hd_u32vec_fini(&o->found);
    hd_free(o->clocks, o->cap * o->width * sizeof *o->clocks);
    hd_free(o->scratch, 2 * (size_t)o->width * sizeof *o->scratch);
}

static struct thread *thread_at(const struct hd_order *o, uint32_t t)
{
    return hd_vec_at(&o->threads, t);
}

static uint32_t *row(const struct hd_order *o, uint32_t step)
{
    return o->clocks + (size_t)step * o->width;
}

static void join(const struct hd_order *o, uint32_t *to, uint32_t step)
{
    const uint32_t *from = row(o, step);
    for (uint32_t i = 0; i < o->width; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

static const struct hd_steer_op *op_at(const struct hd_order *o, uint32_t i)
{
    return &hd_run_op(o->run, i)->op;
}

/* ---- operations by object ---- */

enum space { MEMORY, SYNC };

static struct hd_u32vec *list_of(struct hd_order *o, uint64_t key, enum space space)
{
    bool fresh;
    uint32_t *at = hd_map_put(&o->lists_of, hd_hash_mix(key * 2 + space) ^ key >> 63, &fresh);
    if (fresh) {
        *at = (uint32_t)o->n_lists++;
        if (*at == o->lists.len)
            *(struct hd_u32vec *)hd_vec_push(&o->lists) = (struct hd_u32vec){0};
        ((struct hd_u32vec *)hd_vec_at(&o->lists, *at))->len = 0;
    }
    return hd_vec_at(&o->lists, *at);
}

/* The keys under which an operation is listed: granules of 8 bytes, or its objects. */
static uint64_t first_key(const struct hd_steer_op *op, enum space *space)
{
    bool access = hd_steer_is_access(op->kind);
    *space = access ? MEMORY : SYNC;
    return access ? op->addr >> 3 : op->addr;
}

static bool next_key(const struct hd_steer_op *op, uint64_t *key)
{
    if (hd_steer_is_access(op->kind)) {
        uint64_t last = (op->addr + (op->size ? op->size - 1 : 0)) >> 3;
        return (*key)++ < last;
    }
    uint64_t lock = hd_steer_lock(op);
    bool more = lock && *key != lock;
    *key = lock;
    return more;
}

static void list_op(struct hd_order *o, uint32_t i)
{
    enum space space;
    const struct hd_steer_op *op = op_at(o, i);
    uint64_t key = first_key(op, &space);
    do
        hd_u32vec_push(list_of(o, key, space), i);
    while (next_key(op, &key));
}

static bool covers(const struct hd_steer_op *w, const struct hd_steer_op *op)
{
    return hd_steer_is_access(w->kind) && hd_steer_writes(w->kind) && w->addr <= op->addr &&
           w->addr + w->size >= op->addr + op->size;
}

/* Steps of other threads with an operation that op depends on: those that others hide, because they
 * come before a write that stands between, may be left out. */
static void find_in_list(struct hd_order *o, const struct hd_u32vec *list,
                         const struct hd_steer_op *op, uint32_t thread)
{
    for (size_t k = list->len; k-- > 0;) {
        const struct hd_steer_op *e = op_at(o, list->data[k]);
        if (e->thread != thread && hd_steer_depend(e, op))
            hd_u32vec_push(&o->found, o->step_of.data[list->data[k]]);
        if (covers(e, op) && hd_steer_depend(e, op))
            return;
    }
}

static void find_dependent(struct hd_order *o, const struct hd_steer_op *op, uint32_t thread)
{
    enum space space;
    uint64_t key = first_key(op, &space);
    do
        find_in_list(o, list_of(o, key, space), op, thread);
    while (next_key(op, &key));
    if (hd_steer_is_flag(op))
        find_in_list(o, list_of(o, op->addr, SYNC), op, thread);
    else if (hd_steer_lock(op))
        find_in_list(o, list_of(o, hd_steer_lock(op) >> 3, MEMORY), op, thread);
}

static int later_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* ---- could a step have run before another one? ---- */

struct candidate { /* a step that may be moved: its operations, and where it stands */
    uint32_t thread, at;
    const struct hd_exec_op *ops;
    uint32_t n;
};

/* Whether step s is in the schedule where everything that waits for i is left out. */
static bool stays(const struct hd_order *o, uint32_t s, uint32_t i, uint32_t j)
{
    return s < i || (s > i && s < j && !hd_order_before(o, i, s));
}

static bool lock_is_free(struct hd_order *o, const struct hd_steer_op *want, uint32_t i,
                         const struct candidate *c)
{
    uint64_t lock = hd_steer_is_flag(want) ? want->addr : hd_steer_lock(want);
    const struct hd_u32vec *list = list_of(o, lock, SYNC);
    uint32_t owner = HD_EXEC_NOBODY, depth = 0, readers = 0;
    for (size_t k = 0; k < list->len; k++) {
        const struct hd_steer_op *e = op_at(o, list->data[k]);
        if (!hd_steer_lock(e) || !stays(o, o->step_of.data[list->data[k]], i, c->at))
            continue;
        if (e->kind == HD_LOG_ACQ || e->kind == HD_LOG_WAKE || e->kind == HD_LOG_TMO) {
            depth = owner == e->thread ? depth + 1 : 1;
            owner = e->thread;
        } else if (e->kind == HD_LOG_REL || e->kind == HD_LOG_REL_FOR || e->kind == HD_LOG_WAIT) {
            depth = depth && e->kind != HD_LOG_WAIT ? depth - 1 : 0;
            owner = depth ? owner : HD_EXEC_NOBODY;
        } else if (e->kind == HD_LOG_RACQ) {
            readers++;
        } else if (readers && e->kind != HD_LOG_TRYFAIL) {
            readers--;
        }
    }
    bool free_of_owner = owner == HD_EXEC_NOBODY || owner == c->thread;
    return free_of_owner && (want->kind == HD_LOG_RACQ || !readers);
}

/* The number that a semaphore or barrier was given last. */
static uint32_t start_of(const struct hd_order *o, uint64_t object, uint32_t none)
{
    for (size_t i = o->run->starts.len; i-- > 0;) {
        const struct hd_exec_start *s = hd_vec_at(&o->run->starts, i);
        if (s->object == object)
            return s->value;
    }
    return none;
}

static bool token_is_there(struct hd_order *o, const struct hd_steer_op *want, uint32_t i,
                           const struct candidate *c)
{
    const struct hd_u32vec *list = list_of(o, want->addr, SYNC);
    int64_t count = start_of(o, want->addr, 0);
    for (size_t k = 0; k < list->len; k++) {
        const struct hd_steer_op *e = op_at(o, list->data[k]);
        if (!stays(o, o->step_of.data[list->data[k]], i, c->at))
            continue;
        count += e->kind == HD_LOG_POST ? 1 : e->kind == HD_LOG_SEM ? -1 : 0;
    }
    return count > 0;
}

static bool could_run(struct hd_order *o, const struct hd_steer_op *op, uint32_t i,
                      const struct candidate *c)
{
    bool timed = op->flags & HD_STEER_TIMED;
    switch (op->kind) {
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        return lock_is_free(o, op, i, c);
    case HD_LOG_ACQ:
    case HD_LOG_RACQ:
        return timed || lock_is_free(o, op, i, c);
    case HD_LOG_AREAD:
        return !hd_steer_is_flag(op) || lock_is_free(o, op, i, c);
    case HD_LOG_SEM:
        return timed || token_is_there(o, op, i, c);
    case HD_LOG_JOIN:
        return timed || thread_at(o, (uint32_t)op->addr)->last != i;
    default:
        return true;
    }
}

static bool could_run_before(struct hd_order *o, uint32_t i, const struct candidate *c)
{
    for (uint32_t k = 0; k < c->n; k++)
        if (!could_run(o, &c->ops[k].op, i, c))
            return false;
    return true;
}

static void add_race(struct hd_order *o, uint32_t i, const struct candidate *c)
{
    const struct hd_exec_step *s = hd_run_step(o->run, i);
    struct hd_order_race r = {
        .i = i, .j = c->at, .thread = c->thread, .op_i = UINT32_MAX, .op_j = UINT32_MAX};
    for (uint32_t a = 0; a < s->n && r.op_i == UINT32_MAX; a++)
        for (uint32_t b = 0; b < c->n && r.op_i == UINT32_MAX; b++)
            if (hd_steer_depend(op_at(o, s->first + a), &c->ops[b].op)) {
                r.op_i = s->first + a;
                r.op_j = b;
            }
    *(struct hd_order_race *)hd_vec_push(&o->races) = r;
}

/* ---- steps ---- */

/* What a step comes after whatever the schedule. */
static void join_causes(struct hd_order *o, const struct candidate *c, uint32_t *clock)
{
    const struct thread *t = thread_at(o, c->thread);
    if (t->last != NO_STEP)
        join(o, clock, t->last);
    else if (t->fork != NO_STEP)
        join(o, clock, t->fork);
    for (uint32_t k = 0; k < c->n; k++) {
        const struct hd_steer_op *op = &c->ops[k].op;
        bool timed = op->flags & HD_STEER_TIMED;
        if (op->kind == HD_LOG_WAKE && t->woken != NO_STEP && timed)
            hd_u32vec_push(&o->found, t->woken); /* its time might have been up first */
        else if (op->kind == HD_LOG_WAKE && t->woken != NO_STEP)
            join(o, clock, t->woken);
    }
}

/* The arrival that let the thread go: the last one of the group in which its own was. */
static void join_barrier(struct hd_order *o, const struct candidate *c,
                         const struct hd_steer_op *op, uint32_t *clock)
{
    const struct hd_u32vec *list = list_of(o, op->addr, SYNC);
    uint32_t size = start_of(o, op->addr, 1), arrived = 0, mine = UINT32_MAX, last = NO_STEP;
    size = size ? size : 1;
    for (size_t k = 0; k < list->len; k++) {
        const struct hd_steer_op *e = op_at(o, list->data[k]);
        if (e->kind != HD_LOG_BARIN)
            continue;
        if (e->thread == c->thread)
            mine = arrived / size;
        arrived++;
    }
    arrived = 0;
    for (size_t k = 0; k < list->len && mine != UINT32_MAX; k++) {
        const struct hd_steer_op *e = op_at(o, list->data[k]);
        if (e->kind == HD_LOG_BARIN && arrived++ / size == mine)
            last = o->step_of.data[list->data[k]];
    }
    if (last != NO_STEP)
        join(o, clock, last);
}

/* `known` is what comes before the step if the order of taking locks and tokens is left open;
 * `clock` is what comes before it in this execution. */
static void order_step(struct hd_order *o, const struct candidate *c, uint32_t *clock, bool wanted)
{
    uint32_t *known = o->scratch + o->width;
    size_t bytes = o->width * sizeof *known;
    memset(clock, 0, bytes);
    o->found.len = 0;
    join_causes(o, c, clock);
    for (uint32_t k = 0; k < c->n; k++) {
        if (c->ops[k].op.kind == HD_LOG_BAROUT)
            join_barrier(o, c, &c->ops[k].op, clock);
        if (!c->ops[k].own)
            find_dependent(o, &c->ops[k].op, c->thread);
    }
    memcpy(known, clock, bytes);
    if (o->found.len > 1)
        qsort(o->found.data, o->found.len, sizeof *o->found.data, later_first);
    for (size_t k = 0; k < o->found.len; k++) {
        uint32_t i = o->found.data[k];
        if (known[hd_run_step(o->run, i)->thread] >= o->index.data[i])
            continue;
        join(o, clock, i);
        if (!could_run_before(o, i, c))
            continue;
        join(o, known, i);
        if (wanted)
            add_race(o, i, c);
    }
}

static void see_effects(struct hd_order *o, const struct hd_steer_op *op, uint32_t step)
{
    struct thread *t = thread_at(o, op->thread);
    switch (op->kind) {
    case HD_LOG_FORK:
        if (op->addr < o->width)
            thread_at(o, (uint32_t)op->addr)->fork = step;
        break;
    case HD_LOG_WAIT:
        t->in_cond = op->addr;
        t->woken = NO_STEP;
        break;
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        t->in_cond = 0;
        break;
    case HD_LOG_SIG:
    case HD_LOG_BCAST:
        for (uint32_t u = 0; u < o->width; u++) {
            struct thread *w = thread_at(o, u);
            if (w->in_cond == op->addr && (op->kind == HD_LOG_BCAST || op->wakes == u)) {
                w->in_cond = 0;
                w->woken = step;
            }
        }
        break;
    default:
        break;
    }
}

/* The row of a step's clock counts the step itself. */
static void end_step(struct hd_order *o, uint32_t step)
{
    const struct hd_exec_step *s = hd_run_step(o->run, step);
    struct thread *t = thread_at(o, s->thread);
    t->last = step;
    hd_u32vec_push(&o->index, ++t->n);
    row(o, step)[s->thread] = t->n;
    for (uint32_t k = 0; k < s->n; k++) {
        see_effects(o, op_at(o, s->first + k), step);
        if (!hd_run_op(o->run, s->first + k)->own)
            list_op(o, s->first + k);
    }
}

/* Blocked threads: what they are about to do races with what keeps them from it. */
static void order_blocked(struct hd_order *o)
{
    for (size_t i = 0; i < o->run->states.len; i++) {
        const struct hd_exec_state *e = hd_vec_at(&o->run->states, i);
        bool lock = e->s.waits == HD_WAITS_LOCK, sem = e->s.waits == HD_WAITS_SEM;
        if ((!lock && !sem) || e->s.timed || e->thread >= o->width)
            continue;
        const struct thread *t = thread_at(o, e->thread);
        struct hd_exec_op op = {.op = {.addr = e->s.object,
                                       .site = e->s.site,
                                       .thread = (uint16_t)e->thread,
                                       .kind = sem ? HD_LOG_SEM : HD_LOG_ACQ}};
        if (lock && t->woken != NO_STEP) {
            op.op.kind = HD_LOG_WAKE;
            op.op.other = e->s.object;
            op.op.addr = 0;
        }
        struct candidate c = {e->thread, (uint32_t)o->run->steps.len, &op, 1};
        order_step(o, &c, o->scratch, true);
    }
}

static void reset(struct hd_order *o, const struct hd_exec_run *run, uint32_t n_threads)
{
    if (o->width != n_threads || o->cap < run->steps.len) {
        size_t rows = run->steps.len + run->steps.len / 2 + 16;
        hd_free(o->clocks, o->cap * o->width * sizeof *o->clocks);
        hd_free(o->scratch, 2 * (size_t)o->width * sizeof *o->scratch);
        o->width = n_threads;
        o->cap = rows;
        o->clocks = hd_calloc(rows * n_threads, sizeof *o->clocks);
        o->scratch = hd_calloc(2 * (size_t)n_threads, sizeof *o->scratch);
    }
    o->run = run;
    o->n_lists = 0;
    hd_map_clear(&o->lists_of);
    o->races.len = o->index.len = o->step_of.len = o->threads.len = 0;
    for (uint32_t t = 0; t < n_threads; t++)
        *(struct thread *)hd_vec_push(&o->threads) =
            (struct thread){.last = NO_STEP, .fork = NO_STEP, .woken = NO_STEP};
}

void hd_order_make(struct hd_order *o, const struct hd_exec_run *run, uint32_t n_threads,
                   uint32_t from)
{
    reset(o, run, n_threads);
    for (uint32_t i = 0; i < run->steps.len; i++) {
        const struct hd_exec_step *s = hd_run_step(run, i);
        for (uint32_t k = 0; k < s->n; k++)
            hd_u32vec_push(&o->step_of, i);
        struct candidate c = {s->thread, i, hd_run_op(run, s->first), s->n};
        order_step(o, &c, row(o, i), i >= from);
        end_step(o, i);
    }
    if (run->end == HD_EXEC_EXIT || run->end == HD_EXEC_CRASH || run->end == HD_EXEC_DEADLOCK ||
        run->end == HD_EXEC_PARKED || run->end == HD_EXEC_BLOCKED)
        order_blocked(o);
}

/* ---- the class ---- */

static uint64_t add_to_hash(uint64_t h, uint64_t x)
{
    return hd_hash_mix(h * UINT64_C(0x9e3779b97f4a7c15) + x);
}

static uint64_t hash_step(const struct hd_order *o, uint32_t step, uint64_t h)
{
    const struct hd_exec_step *s = hd_run_step(o->run, step);
    for (uint32_t k = 0; k < s->n; k++) {
        const struct hd_steer_op *op = op_at(o, s->first + k);
        h = add_to_hash(h, op->kind);
        h = add_to_hash(h, op->addr);
        h = add_to_hash(h, op->size);
        h = add_to_hash(h, op->wakes);
    }
    for (uint32_t t = 0; t < o->width; t++)
        h = row(o, step)[t] ? add_to_hash(h, (uint64_t)t << 32 | row(o, step)[t]) : h;
    return h;
}

/* Threads one by one, so that the order of steps that nothing orders does not matter. */
uint64_t hd_order_class(const struct hd_order *o)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < o->width; t++) {
        uint64_t h = t;
        for (uint32_t i = 0; i < o->run->steps.len; i++)
            if (hd_run_step(o->run, i)->thread == t)
                h = hash_step(o, i, h);
        sum += hd_hash_mix(h);
    }
    return sum;
}
