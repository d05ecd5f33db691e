#include "explore/reach_int.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "log/rt_depend.h"

/* ---- what is shared ---- */

static void ignore_finding(void *ctx, const struct hd_explore_finding *f)
{
    (void)ctx;
    (void)f;
}

enum hd_status hd_reach_env_init(struct hd_reach_env *e, const struct hd_exec_opts *opts,
                                 unsigned jobs, struct hd_err *err)
{
    enum hd_status s = HD_OK;
    *e = (struct hd_reach_env){.n_execs = jobs};
    hd_exec_names_init(&e->names);
    hd_findings_init(&e->findings, ignore_finding, NULL);
    hd_order_init(&e->order);
    hd_trail_init(&e->trail);
    hd_guards_init(&e->guards);
    e->execs = hd_calloc(jobs, sizeof *e->execs);
    for (unsigned i = 0; i < jobs && s == HD_OK; i++)
        s = hd_exec_open(opts, &e->names, &e->execs[i], err);
    return s;
}

void hd_reach_env_fini(struct hd_reach_env *e)
{
    for (unsigned i = 0; i < e->n_execs; i++)
        hd_exec_close(e->execs[i]);
    hd_free(e->execs, e->n_execs * sizeof *e->execs);
    hd_guards_fini(&e->guards);
    hd_trail_fini(&e->trail);
    hd_order_fini(&e->order);
    hd_findings_fini(&e->findings);
    hd_exec_names_fini(&e->names);
}

enum hd_status hd_reach_env_seed(struct hd_reach_env *e, struct hd_err *err)
{
    struct hd_exec_plan plan = {.first = HD_EXEC_NOBODY};
    struct hd_exec_run run;
    enum hd_status s = hd_exec_run(e->execs[0], &plan, &run, err);
    if (s == HD_OK) {
        hd_guards_see(&e->guards, &run, NULL);
        e->executions++;
        for (size_t i = 0; i < run.ops.len; i++) {
            const struct hd_steer_op *o = &hd_run_op(&run, i)->raw;
            e->mark = hd_hash_mix(hd_hash_mix(e->mark + o->addr) + o->site + o->thread);
        }
    }
    hd_exec_run_fini(&run);
    return s;
}

bool hd_reach_used_up(const struct hd_reach_env *e)
{
    return (e->max_executions && e->executions >= e->max_executions) ||
           (e->deadline > 0 && hd_progress_now() >= e->deadline);
}

/* ---- items ---- */

struct hd_item *hd_item_new(void)
{
    struct hd_item *item = hd_calloc(1, sizeof *item);
    item->choices = HD_VEC_INIT(struct hd_steer_choice);
    item->sleepers = HD_VEC_INIT(struct hd_steer_sleeper);
    item->ops = HD_VEC_INIT(struct hd_steer_op);
    return item;
}

void hd_item_free(struct hd_item *item)
{
    if (item->run) {
        hd_exec_run_fini(item->run);
        hd_free(item->run, sizeof *item->run);
    }
    hd_vec_fini(&item->choices);
    hd_vec_fini(&item->sleepers);
    hd_vec_fini(&item->ops);
    hd_free(item, sizeof *item);
}

void hd_reach_push(struct hd_reach *r, struct hd_item *item, bool hinted)
{
    *(struct hd_item **)hd_vec_push(&r->queue[item->cost][hinted].items) = item;
    r->e->open++;
}

static struct hd_item *queued(const struct hd_item_queue *q, size_t i)
{
    return *(struct hd_item **)hd_vec_at(&q->items, q->head + i);
}

static size_t length(const struct hd_item_queue *q)
{
    return q->items.len - q->head;
}

/* ---- making and freeing ---- */

static uint32_t name_thread(struct hd_reach_env *e, const struct hd_lead *lead, uint32_t index)
{
    const struct hd_steer_thread *t = hd_vec_at(&lead->threads, index);
    return index == 0 ? 0
                      : hd_exec_name_thread(&e->names, name_thread(e, lead, t->parent), t->child);
}

struct hd_reach *hd_reach_blank(struct hd_reach_env *e)
{
    struct hd_reach *r = hd_calloc(1, sizeof *r);
    r->e = e;
    r->visits = HD_VEC_INIT(struct hd_visit);
    r->waiting = HD_VEC_INIT(struct hd_item *);
    for (unsigned i = 0; i < e->n_execs; i++)
        *(struct hd_item **)hd_vec_push(&r->waiting) = NULL;
    for (unsigned i = 0; i < HD_REACH_LEVELS; i++)
        for (unsigned k = 0; k < 2; k++)
            r->queue[i][k].items = HD_VEC_INIT(struct hd_item *);
    return r;
}

struct hd_reach *hd_reach_new(struct hd_reach_env *e, const struct hd_lead *lead, unsigned how)
{
    struct hd_reach *r = hd_reach_blank(e);
    struct hd_item *item = hd_item_new();
    r->parked_thread = name_thread(e, lead, lead->parked);
    r->parked = how & HD_REACH_PARK ? UINT64_C(1) << (r->parked_thread & 63) : 0;
    r->hint = how & HD_REACH_HINT ? name_thread(e, lead, lead->hint) : HD_EXEC_NOBODY;
    r->count = lead->count;
    r->writes = lead->writes;
    r->atomic = lead->atomic;
    for (size_t i = 0; i < lead->choices.len; i++) {
        struct hd_steer_choice c = *(const struct hd_steer_choice *)hd_vec_at(&lead->choices, i);
        c.thread = name_thread(e, lead, c.thread);
        *(struct hd_steer_choice *)hd_vec_push(&item->choices) = c;
    }
    r->n_prefix = (uint32_t)item->choices.len;
    hd_reach_push(r, item, false);
    return r;
}

void hd_reach_free(struct hd_reach *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < HD_REACH_LEVELS; i++)
        for (unsigned k = 0; k < 2; k++) {
            struct hd_item_queue *q = &r->queue[i][k];
            r->e->open -= length(q);
            for (size_t n = 0; n < length(q); n++)
                hd_item_free(queued(q, n));
            hd_vec_fini(&q->items);
        }
    hd_map_fini(&r->visit_of);
    hd_vec_fini(&r->visits);
    hd_vec_fini(&r->waiting);
    hd_free(r, sizeof *r);
}

const struct hd_steer_op *hd_reach_stands(const struct hd_reach *r)
{
    return r->has_stand ? &r->stand : NULL;
}

const char *hd_reach_lost(const struct hd_reach *r)
{
    return r->lost;
}

/* ---- running ---- */

static struct hd_item **worked_on(const struct hd_reach *r, unsigned i)
{
    return hd_vec_at(&r->waiting, i);
}

static enum hd_status start(struct hd_reach *r, unsigned i, struct hd_item *item,
                            struct hd_err *err)
{
    struct hd_exec_plan plan = {
        .choices = item->choices.data,
        .n_choices = item->choices.len,
        .sleepers = item->sleepers.data,
        .n_sleepers = item->sleepers.len,
        .ops = item->ops.data,
        .n_ops = item->ops.len,
        .parked = r->parked,
        .first = r->hint,
    };
    enum hd_status s = hd_exec_start(r->e->execs[i], &plan, err);
    if (s == HD_OK)
        *worked_on(r, i) = item;
    return s;
}

/* The result goes to the item. */
static enum hd_status finish(struct hd_reach *r, unsigned i, struct hd_err *err)
{
    struct hd_item *item = *worked_on(r, i);
    item->run = hd_calloc(1, sizeof *item->run);
    *worked_on(r, i) = NULL;
    return item->status = hd_exec_finish(r->e->execs[i], item->run, err);
}

/* Executors that have nothing to do begin with what will probably come next. */
static enum hd_status start_ahead(struct hd_reach *r, uint32_t level, struct hd_err *err)
{
    enum hd_status s = HD_OK;
    unsigned i = 0;
    for (int k = 1; k >= 0; k--) {
        const struct hd_item_queue *q = &r->queue[level][k];
        for (size_t n = 0; n < length(q) && n < r->e->n_execs && s == HD_OK; n++) {
            struct hd_item *item = queued(q, n);
            bool busy = item->run != NULL;
            for (unsigned j = 0; j < r->e->n_execs; j++)
                busy = busy || *worked_on(r, j) == item;
            while (i < r->e->n_execs && *worked_on(r, i))
                i++;
            if (i < r->e->n_execs && !busy)
                s = start(r, i, item, err);
        }
    }
    return s;
}

static enum hd_status do_item(struct hd_reach *r, struct hd_item *item, uint32_t level,
                              struct hd_err *err)
{
    unsigned mine = 0;
    enum hd_status s = HD_OK;
    if (!item->run) {
        while (mine < r->e->n_execs && *worked_on(r, mine) != item)
            mine++;
        if (mine == r->e->n_execs) {
            mine = 0;
            if (*worked_on(r, mine))
                s = finish(r, mine, err);
            if (s == HD_OK)
                s = start(r, mine, item, err);
        }
        if (s == HD_OK && r->e->n_execs > 1)
            s = start_ahead(r, level, err);
        if (s == HD_OK)
            s = finish(r, mine, err);
    }
    return s != HD_OK ? s : item->status;
}

/* What was begun ahead is not needed. */
static void drop_running(struct hd_reach *r)
{
    for (unsigned i = 0; i < r->e->n_execs; i++)
        if (*worked_on(r, i)) {
            struct hd_err err = {0};
            finish(r, i, &err);
        }
}

/* ---- what happened ---- */

/* How many steps the choices of the lead made. */
static uint32_t steps_of_lead(const struct hd_reach *r, const struct hd_item *item,
                              const struct hd_exec_run *run)
{
    uint32_t at = 0, n = (uint32_t)run->steps.len;
    for (uint32_t k = 0; k < r->n_prefix; k++) {
        const struct hd_steer_choice *c = hd_vec_at(&item->choices, k);
        while (at < n && hd_run_step(run, at)->thread == c->thread &&
               hd_run_step(run, at)->until <= c->until)
            at++;
    }
    return at;
}

static unsigned kind_of(const struct hd_reach *r)
{
    if (r->atomic)
        return r->writes ? HD_LOG_AWRITE : HD_LOG_AREAD;
    return r->writes ? HD_LOG_WRITE : HD_LOG_READ;
}

/* The access at which the parked thread stands. Its memory has the name that the last operation on
 * it had; without one no other thread has used it. */
static bool find_stand(struct hd_reach *r, const struct hd_exec_run *run)
{
    const struct hd_exec_state *s = NULL;
    for (size_t i = 0; i < run->states.len; i++) {
        const struct hd_exec_state *one = hd_vec_at(&run->states, i);
        s = one->thread == r->parked_thread ? one : s;
    }
    if (!s || !s->s.size || s->s.ended || s->s.count != r->count)
        return false;
    struct hd_steer_op raw = {.addr = s->s.addr, .size = (uint32_t)s->s.size};
    for (size_t k = run->ops.len; k-- > 0;) {
        const struct hd_exec_op *o = hd_run_op(run, k);
        if (!hd_steer_is_access(o->raw.kind) || !hd_steer_overlap(&o->raw, &raw))
            continue;
        r->stand = (struct hd_steer_op){.addr = o->op.addr + (raw.addr - o->raw.addr),
                                        .size = raw.size,
                                        .site = s->s.site,
                                        .count = s->s.count + 1,
                                        .wakes = HD_STEER_NOBODY,
                                        .thread = (uint16_t)r->parked_thread,
                                        .kind = (uint8_t)kind_of(r)};
        return r->has_stand = true;
    }
    return false;
}

/* Ordering takes time that grows with the square of their number. Longer executions are looked at
 * for new pairs only (guard.h). */
#define MAX_ORDERED 20000

/* Shows the execution to the findings, with the access of the parked thread as if it were the last
 * step. */
static void show(struct hd_reach *r, struct hd_exec_run *run, uint32_t from)
{
    size_t n_steps = run->steps.len, n_ops = run->ops.len;
    if (n_ops > MAX_ORDERED) {
        hd_findings_see_end(&r->e->findings, run);
        return;
    }
    if (r->parked && find_stand(r, run)) {
        *(struct hd_exec_step *)hd_vec_push(&run->steps) =
            (struct hd_exec_step){.thread = r->parked_thread,
                                  .until = r->stand.count,
                                  .wakes = HD_EXEC_NOBODY,
                                  .first = (uint32_t)n_ops,
                                  .n = 1};
        *(struct hd_exec_op *)hd_vec_push(&run->ops) =
            (struct hd_exec_op){.op = r->stand, .raw = r->stand};
    }
    hd_order_make(&r->e->order, run, (uint32_t)r->e->names.threads.len, from);
    hd_findings_see(&r->e->findings, &r->e->order);
    run->steps.len = n_steps;
    run->ops.len = n_ops;
}

/* Why the schedules that follow from the execution are not searched, or not all; NULL: they are. A
 * derived execution whose last choice could not move is no schedule of the program. */
static const char *loss(const struct hd_reach *r, const struct hd_item *item)
{
    const struct hd_exec_run *run = item->run;
    bool refused =
        run->end == HD_EXEC_BLOCKED && item->depth && run->chosen + 1 == item->choices.len;
    if (r->e->names.threads.len > HD_STEER_THREADS || run->end == HD_EXEC_CROWDED)
        return HD_EXEC_CROWD_TEXT;
    if (run->end == HD_EXEC_CUT || run->ops.len > MAX_ORDERED)
        return "an execution has too many steps";
    if (run->end == HD_EXEC_TIMEOUT)
        return "an execution did not end in its time";
    if (run->end == HD_EXEC_DIED)
        return "the program died and took its other threads with it";
    if (run->end == HD_EXEC_DIVERGED || (run->chosen < item->choices.len && !refused))
        return "the program did not do again what it did before";
    return hd_exec_run_untold(run);
}

static void take(struct hd_reach *r, struct hd_item *item)
{
    struct hd_reach_env *e = r->e;
    struct hd_exec_run *run = item->run;
    bool first = item->depth == 0;
    e->executions++;
    bool whole = run->chosen >= item->choices.len && e->names.threads.len <= HD_STEER_THREADS;
    if (!r->lost && (r->lost = loss(r, item)))
        HD_DEBUG_LINE(EXPLORE, "execution %llu: %s", (unsigned long long)e->executions, r->lost);
    if (first)
        r->base = steps_of_lead(r, item, run);
    if (whole) {
        struct hd_steer_op fresh;
        show(r, run, first ? 0 : item->depth - 1);
        if (hd_guards_see(&e->guards, run, &fresh) && e->fresh)
            e->fresh(e->ctx, run, &fresh);
        hd_reach_derive(r, item, run);
    }
    if (e->progress)
        e->progress(e->ctx);
}

enum hd_status hd_reach_level(struct hd_reach *r, uint32_t level, uint64_t quota, const bool *stop,
                              bool *done, struct hd_err *err)
{
    enum hd_status s = HD_OK;
    uint64_t end = r->e->executions + quota;
    HD_ASSERT(level < HD_REACH_LEVELS);
    *done = false;
    while (s == HD_OK && !*stop && !hd_reach_used_up(r->e)) {
        struct hd_item_queue *q = &r->queue[level][1];
        q = length(q) ? q : &r->queue[level][0];
        *done = !length(q);
        if (*done || r->e->executions >= end)
            break;
        if (hd_interrupt_requested())
            s = hd_err_set(err, HD_ERR_STOPPED, "interrupted");
        struct hd_item *item = queued(q, 0);
        if (s == HD_OK)
            s = do_item(r, item, level, err);
        if (s != HD_OK)
            break;
        q->head++;
        r->e->open--;
        take(r, item);
        hd_item_free(item);
    }
    drop_running(r);
    return s;
}
