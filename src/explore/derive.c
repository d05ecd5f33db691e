/* From an execution to others: where another thread could have run. */
#include "explore/reach_int.h"

#include "base/alloc.h"
#include "log/rt_depend.h"

#define WIDTH  HD_STEER_THREADS
#define NOBODY HD_EXEC_NOBODY

struct held {
    uint64_t lock;
    uint32_t owner, depth;
};

struct walk {
    struct hd_reach *r;
    const struct hd_item *item;
    const struct hd_exec_run *run;
    uint32_t *next;     /* by step: the next one of the same thread, or the number of steps */
    uint32_t at[WIDTH]; /* by thread: its next step */
    struct hd_vec held; /* struct held */
    struct hd_vec done; /* struct hd_steer_choice: the steps that were passed */
    uint64_t awake;     /* sleepers of the item that something depended on */
    uint32_t last;      /* the thread that ran last */
};

static uint64_t bit(uint32_t thread)
{
    return thread < 64 ? UINT64_C(1) << thread : 0;
}

/* ---- what threads are about to do ---- */

static void find_next(struct walk *w)
{
    uint32_t n = (uint32_t)w->run->steps.len;
    for (unsigned i = 0; i < WIDTH; i++)
        w->at[i] = n;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t t = hd_run_step(w->run, i)->thread;
        w->next[i] = t < WIDTH ? w->at[t] : n;
        if (t < WIDTH)
            w->at[t] = i;
    }
}

/* The first operation of its next step; NULL: it does none in this execution. */
static const struct hd_steer_op *pending(const struct walk *w, uint32_t thread)
{
    if (thread >= WIDTH || w->at[thread] >= w->run->steps.len)
        return NULL;
    return &hd_run_op(w->run, hd_run_step(w->run, w->at[thread])->first)->op;
}

static struct held *held_by(const struct walk *w, uint64_t lock)
{
    for (size_t i = 0; i < w->held.len; i++) {
        struct held *h = hd_vec_at(&w->held, i);
        if (h->lock == lock)
            return h;
    }
    return NULL;
}

static bool is_blocked(const struct walk *w, uint32_t thread)
{
    const struct hd_steer_op *o = pending(w, thread);
    if (!o || (o->kind != HD_LOG_ACQ && o->kind != HD_LOG_WAKE))
        return false;
    const struct held *h = held_by(w, hd_steer_lock(o));
    return h && h->depth && h->owner != thread;
}

static void hold(struct walk *w, const struct hd_steer_op *o)
{
    bool takes = o->kind == HD_LOG_ACQ || o->kind == HD_LOG_WAKE || o->kind == HD_LOG_TMO;
    bool gives = o->kind == HD_LOG_REL || o->kind == HD_LOG_WAIT || o->kind == HD_LOG_REL_FOR;
    if (!takes && !gives)
        return;
    struct held *h = held_by(w, hd_steer_lock(o));
    if (!h) {
        h = hd_vec_push(&w->held);
        *h = (struct held){.lock = hd_steer_lock(o)};
    }
    h->owner = o->thread;
    h->depth = takes ? h->depth + 1 : o->kind == HD_LOG_REL && h->depth ? h->depth - 1 : 0;
}

/* Whether it matters that a thread is stopped before this operation: giving something to others
 * can as well be done at once. */
static bool is_point(const struct walk *w, const struct hd_steer_op *o)
{
    if (!o)
        return false;
    if (hd_steer_is_access(o->kind) && !hd_steer_is_atomic(o->kind))
        return hd_guards_open(&w->r->e->guards, o);
    switch (o->kind) {
    case HD_LOG_REL:
    case HD_LOG_RREL:
    case HD_LOG_POST:
    case HD_LOG_FORK:
    case HD_LOG_JOIN:
    case HD_LOG_BAROUT:
        return false;
    default:
        return true;
    }
}

/* ---- sleepers ---- */

static uint64_t asleep(const struct walk *w)
{
    uint64_t set = 0;
    for (size_t i = 0; i < w->item->sleepers.len; i++)
        set |= bit(((const struct hd_steer_sleeper *)hd_vec_at(&w->item->sleepers, i))->thread);
    return set & ~w->awake;
}

static void wake(struct walk *w, const struct hd_steer_op *raw)
{
    for (size_t i = 0; i < w->item->sleepers.len; i++) {
        const struct hd_steer_sleeper *s = hd_vec_at(&w->item->sleepers, i);
        for (uint32_t k = 0; k < s->n && !(w->awake & bit(s->thread)); k++)
            if (hd_steer_depend(raw, hd_vec_at(&w->item->ops, s->first + k)))
                w->awake |= bit(s->thread);
    }
}

static void put_to_sleep(struct hd_item *item, uint32_t thread, const struct hd_exec_run *run,
                         const struct hd_exec_step *s)
{
    *(struct hd_steer_sleeper *)hd_vec_push(&item->sleepers) =
        (struct hd_steer_sleeper){thread, (uint32_t)item->ops.len, s->n};
    for (uint32_t k = 0; k < s->n; k++)
        *(struct hd_steer_op *)hd_vec_push(&item->ops) = hd_run_op(run, s->first + k)->raw;
}

static void copy_sleepers(const struct walk *w, struct hd_item *item)
{
    for (size_t i = 0; i < w->item->sleepers.len; i++) {
        const struct hd_steer_sleeper *s = hd_vec_at(&w->item->sleepers, i);
        if (w->awake & bit(s->thread))
            continue;
        *(struct hd_steer_sleeper *)hd_vec_push(&item->sleepers) =
            (struct hd_steer_sleeper){s->thread, (uint32_t)item->ops.len, s->n};
        for (uint32_t k = 0; k < s->n; k++)
            *(struct hd_steer_op *)hd_vec_push(&item->ops) =
                *(const struct hd_steer_op *)hd_vec_at(&w->item->ops, s->first + k);
    }
}

/* ---- other executions ---- */

static void add_done(struct walk *w, const struct hd_exec_step *s)
{
    struct hd_steer_choice *last = w->done.len ? hd_vec_at(&w->done, w->done.len - 1) : NULL;
    if (!last || last->thread != s->thread || last->wakes != NOBODY || s->wakes != NOBODY)
        last = hd_vec_push(&w->done);
    *last = (struct hd_steer_choice){s->thread, s->until, s->wakes};
}

/* Steps 0 to i - 1 as they were, then one of thread u, whose signal wakes a given thread. Those
 * steps have been passed. */
static struct hd_item *branch(struct walk *w, uint32_t i, uint32_t u, uint32_t wakes, uint32_t cost)
{
    struct hd_item *item = hd_item_new();
    for (size_t k = 0; k < w->done.len; k++)
        *(struct hd_steer_choice *)hd_vec_push(&item->choices) =
            *(const struct hd_steer_choice *)hd_vec_at(&w->done, k);
    *(struct hd_steer_choice *)hd_vec_push(&item->choices) =
        (struct hd_steer_choice){.thread = u, .wakes = wakes};
    item->depth = i + 1;
    item->cost = cost;
    copy_sleepers(w, item);
    return item;
}

static void derive(struct walk *w, uint32_t i, uint32_t u, uint32_t cost)
{
    const struct hd_exec_step *taken = hd_run_step(w->run, i);
    struct hd_item *item = branch(w, i, u, NOBODY, cost);
    put_to_sleep(item, taken->thread, w->run, taken);
    hd_reach_push(w->r, item, u == w->r->hint);
}

/* The step as it was, but for whom its signal wakes. */
static void wake_others(struct walk *w, uint32_t i)
{
    const struct hd_exec_step *s = hd_run_step(w->run, i);
    for (uint32_t u = 0; u < WIDTH && s->wakes != NOBODY; u++)
        if (u != s->wakes && s->waiters & bit(u))
            hd_reach_push(w->r, branch(w, i, s->thread, u, w->item->cost), s->thread == w->r->hint);
}

static void look_around(struct walk *w, uint32_t i)
{
    const struct hd_exec_step *s = hd_run_step(w->run, i);
    uint64_t may = s->may_run & ~w->r->parked & ~asleep(w) & ~bit(s->thread);
    bool could_go_on =
        w->last != NOBODY && s->may_run & bit(w->last) & ~w->r->parked && !is_blocked(w, w->last);
    bool point = is_point(w, pending(w, w->last));
    for (uint32_t u = 0; u < WIDTH; u++) {
        if (!(may >> u & 1) || is_blocked(w, u))
            continue;
        bool preempts = could_go_on && u != w->last;
        if ((!preempts || point) && w->item->cost + preempts <= w->r->e->max_level)
            derive(w, i, u, w->item->cost + preempts);
    }
}

/* False: what follows from here has been looked at. */
static bool visit(struct walk *w)
{
    struct hd_reach *r = w->r;
    uint64_t key = hd_hash_mix(hd_trail_mark(&r->e->trail) + w->last);
    struct hd_visit now = {w->item->cost, asleep(w)};
    bool fresh;
    uint32_t *at = hd_map_put(&r->visit_of, key, &fresh);
    if (fresh) {
        *at = (uint32_t)r->visits.len;
        *(struct hd_visit *)hd_vec_push(&r->visits) = now;
        r->e->states++;
        return true;
    }
    struct hd_visit *v = hd_vec_at(&r->visits, *at);
    if (v->cost <= now.cost && !(v->asleep & ~now.asleep))
        return false;
    if (now.cost <= v->cost && !(now.asleep & ~v->asleep))
        *v = now;
    return true;
}

static void pass(struct walk *w, uint32_t i)
{
    const struct hd_exec_step *s = hd_run_step(w->run, i);
    hd_trail_step(&w->r->e->trail, w->run, s);
    add_done(w, s);
    for (uint32_t k = s->first; k < s->first + s->n; k++) {
        hold(w, &hd_run_op(w->run, k)->op);
        if (i + 1 >= w->item->depth)
            wake(w, &hd_run_op(w->run, k)->raw);
    }
    if (s->thread < WIDTH)
        w->at[s->thread] = w->next[i];
    w->last = s->thread;
}

void hd_reach_derive(struct hd_reach *r, const struct hd_item *item, const struct hd_exec_run *run)
{
    uint32_t n = (uint32_t)run->steps.len;
    struct walk w = {.r = r,
                     .item = item,
                     .run = run,
                     .held = HD_VEC_INIT(struct held),
                     .done = HD_VEC_INIT(struct hd_steer_choice)};
    w.last = NOBODY;
    w.next = hd_calloc(n + 1, sizeof *w.next);
    find_next(&w);
    hd_trail_restart(&r->e->trail);
    for (uint32_t i = 0; i < n; i++) {
        if (i >= r->base && i >= item->depth) {
            if (!visit(&w))
                break;
            look_around(&w, i);
            wake_others(&w, i);
        }
        pass(&w, i);
    }
    hd_vec_fini(&w.held);
    hd_vec_fini(&w.done);
    hd_free(w.next, (n + 1) * sizeof *w.next);
}
