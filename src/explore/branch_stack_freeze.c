/* The path of a search in a file. */
#include "explore/freeze.h"
#include "explore/branch_stack.h"

static void freeze_step(struct hd_freezer *z, struct hd_exec_step *s)
{
    hd_freeze_u32(z, &s->thread);
    hd_freeze_u32(z, &s->until);
    hd_freeze_u32(z, &s->wakes);
    hd_freeze_u32(z, &s->n);
    hd_freeze_u64(z, &s->may_run);
    hd_freeze_u64(z, &s->waiters);
}

static void freeze_node(struct hd_freezer *z, struct hd_node *n)
{
    freeze_step(z, &n->step);
    hd_freeze_u32(z, &n->op);
    hd_freeze_u32(z, &n->sleeper);
    hd_freeze_u32(z, &n->n_sleepers);
    hd_freeze_u64(z, &n->to_try);
    hd_freeze_u64(z, &n->tried);
    hd_freeze_u64(z, &n->asleep);
    hd_freeze_u64(z, &n->promised);
    hd_freeze_u64(z, &n->wakes_left);
    hd_freeze_u32(z, &n->preemptions);
    hd_freeze_u32(z, &n->choices);
    hd_freeze_u64(z, &n->extra);
    hd_freeze_bool(z, &n->fresh);
}

static bool inside(uint32_t first, uint32_t n, size_t len)
{
    return first <= len && n <= len - first;
}

/* Everything points to something. */
static bool holds_together(const struct hd_branch_stack *s, uint32_t n_threads)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        const struct hd_node *n = hd_stack_at(s, i);
        if (n->step.thread >= n_threads || !inside(n->op, n->step.n, s->ops.len) ||
            !inside(n->sleeper, n->n_sleepers, s->sleepers.len) ||
            (n->fresh && i + 1 < s->nodes.len))
            return false;
    }
    for (size_t i = 0; i < s->sleepers.len; i++) {
        const struct hd_sleeper *z = hd_vec_at(&s->sleepers, i);
        if (z->thread >= n_threads || !inside(z->op, z->n, s->ops.len))
            return false;
    }
    return true;
}

void hd_branch_stack_freeze(struct hd_branch_stack *s, struct hd_freezer *z, uint32_t n_threads)
{
    hd_freeze_len(z, &s->nodes);
    for (size_t i = 0; i < s->nodes.len; i++)
        freeze_node(z, hd_stack_at(s, i));
    hd_freeze_len(z, &s->sleepers);
    for (size_t i = 0; i < s->sleepers.len; i++) {
        struct hd_sleeper *one = hd_vec_at(&s->sleepers, i);
        hd_freeze_u32(z, &one->thread);
        hd_freeze_u32(z, &one->op);
        hd_freeze_u32(z, &one->n);
    }
    hd_freeze_len(z, &s->ops);
    for (size_t i = 0; i < s->ops.len; i++) {
        struct hd_exec_op *o = hd_vec_at(&s->ops, i);
        hd_freeze_steer_op(z, &o->op);
        hd_freeze_steer_op(z, &o->raw);
        hd_freeze_bool(z, &o->own);
    }
    z->bad = z->bad || !holds_together(s, n_threads);
}

bool hd_branch_stack_lies_so(const struct hd_branch_stack *s, const struct hd_exec_run *run,
                             size_t n)
{
    for (size_t i = 0; i + n < s->nodes.len; i++) {
        const struct hd_node *d = hd_stack_at(s, i);
        const struct hd_exec_step *b = hd_run_step(run, i);
        for (uint32_t k = 0; k < d->step.n; k++) {
            const struct hd_exec_op *mine = hd_vec_at(&s->ops, d->op + k);
            const struct hd_exec_op *other = hd_run_op(run, b->first + k);
            if (mine->raw.addr != other->raw.addr || mine->raw.site != other->raw.site)
                return false;
        }
    }
    return true;
}
