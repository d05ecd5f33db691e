#include "explore/schedule_share.h"

#include "log/rt_depend.h"

#define SPARE 4    /* prefixes for each share, at least: subtrees differ in size */
#define MOST  64   /* executions for each share in one walk */
#define LEAST 1000 /* but so many at any rate: they take a second or two */

void hd_schedule_share_scout(struct hd_schedule_top *top, const struct hd_schedule_share *share)
{
    bool divided = share->of > 1;
    *top = (struct hd_schedule_top){.depth = divided, .scouting = divided};
}

bool hd_schedule_share_too_long(const struct hd_schedule_top *top,
                                const struct hd_schedule_share *share)
{
    uint64_t most = (uint64_t)MOST * share->of;
    return top->scouting && top->runs >= (most < LEAST ? LEAST : most);
}

void hd_schedule_share_walked(struct hd_schedule_top *top, const struct hd_schedule_share *share)
{
    struct hd_schedule_top next = {.depth = top->depth, .shallower = top->depth};
    bool enough = top->useful >= (uint64_t)SPARE * share->of;
    bool all = top->short_runs == top->useful + top->redundant; /* deeper is no different */
    if (hd_schedule_share_too_long(top, share) && !enough)
        next.depth = top->shallower ? top->shallower : 1;
    else if (!enough && !all)
        next = (struct hd_schedule_top){
            .depth = top->depth + 1 + top->depth / 4, .shallower = top->depth, .scouting = true};
    *top = next;
}

uint32_t hd_schedule_share_choices(const struct hd_node *before)
{
    if (!before)
        return 0;
    return before->choices + (before->choices < UINT32_MAX && hd_schedule_chooses(before));
}

/* ---- who is to be tried in the top ---- */

/* Whether the second operation might have come first. */
static bool turns(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    bool gives = a->kind == HD_LOG_REL || a->kind == HD_LOG_RREL;
    return !gives && b->kind != HD_LOG_JOIN && hd_steer_depend(a, b);
}

static bool steps_turn(const struct hd_exec_run *run, size_t i, size_t j)
{
    const struct hd_exec_step *p = hd_run_step(run, i), *q = hd_run_step(run, j);
    for (uint32_t a = 0; a < p->n; a++)
        for (uint32_t b = 0; b < q->n; b++)
            if (turns(&hd_run_op(run, p->first + a)->op, &hd_run_op(run, q->first + b)->op))
                return true;
    return false;
}

/* The thread, or the one that leads to its creation, as a set; empty: none of those. */
static uint64_t leads_to(const struct hd_exec_names *names, uint32_t thread, uint64_t among)
{
    while (thread && (thread >= 64 || !(among >> thread & 1))) {
        const struct hd_steer_thread *t = hd_vec_at(&names->threads, thread);
        thread = t->parent;
    }
    return among & UINT64_C(1) << thread;
}

uint64_t hd_schedule_share_guess(const struct hd_exec_names *names, const struct hd_exec_run *run,
                                 size_t i)
{
    const struct hd_exec_step *p = hd_run_step(run, i);
    uint64_t who = 0;
    for (size_t j = i + 1; j < run->steps.len; j++) {
        uint32_t t = hd_run_step(run, j)->thread;
        uint64_t leads = t == p->thread ? 0 : leads_to(names, t, p->may_run);
        if ((leads & ~who) && steps_turn(run, i, j))
            who |= leads;
    }
    return who;
}

bool hd_schedule_share_owns(struct hd_schedule_top *top, const struct hd_schedule_share *share,
                            bool redundant)
{
    uint64_t n = redundant ? top->redundant++ : top->useful++;
    return !top->scouting && (share->of < 2 || n % share->of == share->number);
}
