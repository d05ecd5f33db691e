#include "explore/branch_stack.h"

#include "log/rt_depend.h"

void hd_branch_stack_init(struct hd_branch_stack *s)
{
    *s = (struct hd_branch_stack){.nodes = HD_VEC_INIT(struct hd_node),
                                  .sleepers = HD_VEC_INIT(struct hd_sleeper),
                                  .ops = HD_VEC_INIT(struct hd_exec_op),
                                  .choices = HD_VEC_INIT(struct hd_steer_choice),
                                  .plan_sleepers = HD_VEC_INIT(struct hd_steer_sleeper),
                                  .plan_ops = HD_VEC_INIT(struct hd_steer_op)};
}

void hd_branch_stack_fini(struct hd_branch_stack *s)
{
    hd_vec_fini(&s->nodes);
    hd_vec_fini(&s->sleepers);
    hd_vec_fini(&s->ops);
    hd_vec_fini(&s->choices);
    hd_vec_fini(&s->plan_sleepers);
    hd_vec_fini(&s->plan_ops);
}

static uint64_t bit(uint32_t thread)
{
    return thread < 64 ? UINT64_C(1) << thread : 0;
}

/* ---- who sleeps ---- */

static bool depend(const struct hd_branch_stack *s, const struct hd_sleeper *z,
                   const struct hd_node *n)
{
    const struct hd_exec_op *ops = s->ops.data;
    for (uint32_t a = 0; a < z->n; a++)
        for (uint32_t b = 0; b < n->step.n; b++)
            if (hd_steer_depend(&ops[z->op + a].op, &ops[n->op + b].op))
                return true;
    return false;
}

/* Those who sleep at a node and are not woken by its step sleep at the next one, too. */
static void inherit(struct hd_branch_stack *s, size_t from, struct hd_node *to)
{
    const struct hd_node *n = hd_stack_at(s, from);
    to->sleeper = (uint32_t)s->sleepers.len;
    for (uint32_t k = 0; k < n->n_sleepers; k++) {
        struct hd_sleeper z = *(struct hd_sleeper *)hd_vec_at(&s->sleepers, n->sleeper + k);
        if (z.thread == n->step.thread || depend(s, &z, n))
            continue;
        *(struct hd_sleeper *)hd_vec_push(&s->sleepers) = z;
        to->n_sleepers++;
        to->asleep |= bit(z.thread);
    }
}

/* ---- growing ---- */

/* Whether the thread before could have gone on at a node where another one runs. */
static bool preempts(const struct hd_branch_stack *s, size_t at, uint32_t thread)
{
    if (!at)
        return false;
    uint32_t before = hd_stack_at(s, at - 1)->step.thread;
    return before != thread && hd_stack_at(s, at)->step.may_run & bit(before);
}

static void take_step(struct hd_branch_stack *s, struct hd_node *n, const struct hd_exec_run *run,
                      uint32_t i)
{
    uint32_t wakes = n->step.wakes;
    n->step = *hd_run_step(run, i);
    n->op = (uint32_t)s->ops.len;
    for (uint32_t k = 0; k < n->step.n; k++)
        *(struct hd_exec_op *)hd_vec_push(&s->ops) = *hd_run_op(run, n->step.first + k);
    if (wakes == HD_EXEC_NOBODY && n->step.wakes != HD_EXEC_NOBODY)
        n->wakes_left = n->step.waiters & ~bit(n->step.wakes);
    n->fresh = false;
}

bool hd_branch_stack_add(struct hd_branch_stack *s, const struct hd_exec_run *run, uint32_t i)
{
    const struct hd_exec_step *step = hd_run_step(run, i);
    HD_DCHECK(i == s->nodes.len || i + 1 == s->nodes.len);
    if (i + 1 == s->nodes.len && hd_stack_at(s, i)->fresh) {
        take_step(s, hd_stack_at(s, i), run, i);
        return true;
    }
    struct hd_node n = {.to_try = bit(step->thread), .step = {.wakes = HD_EXEC_NOBODY}};
    if (i) {
        const struct hd_node *before = hd_stack_at(s, i - 1);
        n.preemptions = before->preemptions + preempts(s, i - 1, before->step.thread);
        inherit(s, i - 1, &n);
    }
    if (n.asleep & bit(step->thread)) {
        s->sleepers.len = n.sleeper;
        return false;
    }
    take_step(s, &n, run, i);
    *(struct hd_node *)hd_vec_push(&s->nodes) = n;
    return true;
}

bool hd_branch_stack_agrees(const struct hd_branch_stack *s, const struct hd_exec_run *run,
                            size_t n)
{
    HD_DCHECK(n <= s->nodes.len);
    size_t known = s->nodes.len - n;
    if (run->steps.len < known)
        return false;
    for (size_t i = 0; i < known; i++) {
        const struct hd_exec_step *a = &hd_stack_at(s, i)->step, *b = hd_run_step(run, i);
        if (a->thread != b->thread || a->until != b->until || a->n != b->n || a->wakes != b->wakes)
            return false;
    }
    return true;
}

/* ---- the next choice ---- */

/* Its step has been explored: from here on its thread sleeps. */
static void end_thread(struct hd_branch_stack *s, struct hd_node *n, bool use_sleep)
{
    n->tried |= bit(n->step.thread);
    s->ops.len = n->op + n->step.n;
    if (!use_sleep || n->fresh)
        return;
    *(struct hd_sleeper *)hd_vec_push(&s->sleepers) =
        (struct hd_sleeper){n->step.thread, n->op, n->step.n};
    n->n_sleepers++;
}

static uint64_t left_of(const struct hd_node *n)
{
    return n->to_try & ~n->tried & ~n->asleep & ~bit(n->step.thread);
}

/* What comes next must not change when more is added: it may be running already. */
static void promise(struct hd_node *n)
{
    uint64_t left = left_of(n);
    if (!(n->promised & left))
        n->promised = left & -left;
}

void hd_branch_stack_try(struct hd_node *n, uint64_t threads)
{
    n->to_try |= threads;
    promise(n);
}

static bool choose(struct hd_branch_stack *s, struct hd_node *n, uint32_t limit, bool *bounded)
{
    for (uint64_t left = left_of(n); left; left = left_of(n)) {
        promise(n);
        uint32_t t = (uint32_t)__builtin_ctzll(n->promised);
        if (n->preemptions + preempts(s, s->nodes.len - 1, t) > limit) {
            *bounded = true;
            n->tried |= bit(t);
            continue;
        }
        n->step =
            (struct hd_exec_step){.thread = t, .wakes = HD_EXEC_NOBODY, .may_run = n->step.may_run};
        n->op = (uint32_t)s->ops.len;
        n->wakes_left = 0;
        n->fresh = true;
        promise(n);
        return true;
    }
    return false;
}

static bool choose_waiter(struct hd_node *n)
{
    if (!n->wakes_left || n->fresh)
        return false;
    uint32_t w = (uint32_t)__builtin_ctzll(n->wakes_left);
    n->wakes_left &= n->wakes_left - 1;
    n->step.wakes = w;
    n->fresh = true;
    return true;
}

bool hd_branch_stack_next(struct hd_branch_stack *s, uint32_t preemptions, bool use_sleep,
                          bool *bounded)
{
    while (s->nodes.len) {
        struct hd_node *n = hd_stack_at(s, s->nodes.len - 1);
        s->sleepers.len = n->sleeper + n->n_sleepers;
        s->ops.len = n->op + n->step.n;
        if (choose_waiter(n))
            return true;
        end_thread(s, n, use_sleep);
        if (choose(s, n, preemptions, bounded))
            return true;
        if (n->extra) {
            hd_branch_stack_try(n, n->extra);
            n->extra = 0;
            n->choices = UINT32_MAX;
            if (choose(s, n, preemptions, bounded))
                return true;
        }
        s->nodes.len--;
    }
    return false;
}

/* ---- plans ---- */

static void plan_choices(struct hd_branch_stack *s, size_t n_nodes)
{
    struct hd_steer_choice *last = NULL;
    s->choices.len = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        const struct hd_node *n = hd_stack_at(s, i);
        bool joins = last && last->thread == n->step.thread && last->wakes == HD_STEER_NOBODY &&
                     n->step.wakes == HD_EXEC_NOBODY && !n->fresh;
        if (!joins)
            last = hd_vec_push(&s->choices);
        *last =
            (struct hd_steer_choice){n->step.thread, n->fresh ? 0 : n->step.until, n->step.wakes};
    }
}

/* Memory that no other thread knows wakes no thread: the same address may be another block's by
 * then. */
static void plan_sleeper(struct hd_branch_stack *s, uint32_t thread, uint32_t op, uint32_t n)
{
    struct hd_steer_sleeper *p = hd_vec_push(&s->plan_sleepers);
    *p = (struct hd_steer_sleeper){thread, (uint32_t)s->plan_ops.len, 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct hd_exec_op *o = hd_vec_at(&s->ops, op + i);
        if (o->own)
            continue;
        *(struct hd_steer_op *)hd_vec_push(&s->plan_ops) = o->raw;
        p->n++;
    }
}

static void plan_sleepers(struct hd_branch_stack *s, const struct hd_node *n, uint32_t chosen)
{
    s->plan_sleepers.len = s->plan_ops.len = 0;
    for (uint32_t k = 0; n && k < n->n_sleepers; k++) {
        const struct hd_sleeper *z = hd_vec_at(&s->sleepers, n->sleeper + k);
        if (z->thread != chosen)
            plan_sleeper(s, z->thread, z->op, z->n);
    }
}

static void fill_plan(const struct hd_branch_stack *s, struct hd_exec_plan *plan)
{
    *plan = (struct hd_exec_plan){.choices = s->choices.data,
                                  .n_choices = s->choices.len,
                                  .sleepers = s->plan_sleepers.data,
                                  .n_sleepers = s->plan_sleepers.len,
                                  .ops = s->plan_ops.data,
                                  .n_ops = s->plan_ops.len,
                                  .first = HD_EXEC_NOBODY};
}

void hd_branch_stack_plan(struct hd_branch_stack *s, struct hd_exec_plan *plan)
{
    const struct hd_node *n = s->nodes.len ? hd_stack_at(s, s->nodes.len - 1) : NULL;
    plan_choices(s, s->nodes.len);
    plan_sleepers(s, n, n ? n->step.thread : HD_EXEC_NOBODY);
    fill_plan(s, plan);
}

bool hd_branch_stack_plan_later(struct hd_branch_stack *s, size_t i, struct hd_exec_plan *plan)
{
    const struct hd_node *n = hd_stack_at(s, i);
    uint64_t next = n->promised & left_of(n);
    if (n->fresh || n->wakes_left || !next)
        return false;
    uint32_t thread = (uint32_t)__builtin_ctzll(next);
    plan_choices(s, i);
    *(struct hd_steer_choice *)hd_vec_push(&s->choices) =
        (struct hd_steer_choice){thread, 0, HD_STEER_NOBODY};
    plan_sleepers(s, n, thread);
    plan_sleeper(s, n->step.thread, n->op, n->step.n);
    fill_plan(s, plan);
    return true;
}
