#include "predict/search/closure.h"

#include "base/interrupt.h"
#include "base/progress.h"
#include "predict/search/repair.h"

struct search {
    struct hd_sim *sim;
    uint64_t nodes_left;
    uint64_t steps_end;
    double deadline;
    hd_eid base;
};

static enum hd_verdict explore(struct search *s, struct hd_plan *plan);

/* Whether the repair asks for an order against that of the base. */
static bool against_base(const struct search *s, const struct hd_repair *repair)
{
    for (uint32_t i = 0; i < repair->n_edges; i++)
        if (repair->edges[i].to < s->base && repair->edges[i].from > repair->edges[i].to)
            return true;
    return false;
}

/* Tries each repair on a copy of the plan. */
static enum hd_verdict try_all(struct search *s, const struct hd_plan *plan,
                               const struct hd_vec *repairs)
{
    enum hd_verdict verdict = HD_IMPOSSIBLE;
    struct hd_plan next;
    hd_plan_init(&next, plan->w);
    for (size_t i = 0; i < repairs->len && verdict != HD_RACE; i++) {
        hd_plan_copy(&next, plan);
        if (against_base(s, hd_vec_at(repairs, i)) ||
            !hd_repair_apply(&next, hd_vec_at(repairs, i)))
            continue;
        enum hd_verdict one = explore(s, &next);
        if (one != HD_IMPOSSIBLE)
            verdict = one;
        if (verdict == HD_UNKNOWN && !s->nodes_left)
            break;
    }
    hd_plan_fini(&next);
    return verdict;
}

static enum hd_verdict explore(struct search *s, struct hd_plan *plan)
{
    struct hd_sim_failure failure;
    if (!s->nodes_left || hd_sim_steps(s->sim) > s->steps_end || hd_interrupt_requested() ||
        (s->deadline != 0 && hd_progress_now() >= s->deadline)) {
        s->nodes_left = 0;
        return HD_UNKNOWN;
    }
    s->nodes_left--;
    enum hd_sim_result result = hd_sim_run(s->sim, plan, s->base, &failure);
    if (result == HD_SIM_DONE)
        return HD_RACE;
    if (result == HD_SIM_CYCLE)
        return HD_IMPOSSIBLE;
    if (result == HD_SIM_CUT)
        return HD_UNKNOWN;
    struct hd_vec repairs = HD_VEC_INIT(struct hd_repair);
    bool complete = hd_repair_list(plan, s->sim, result, &failure, &repairs);
    enum hd_verdict verdict = try_all(s, plan, &repairs);
    hd_vec_fini(&repairs);
    return verdict == HD_IMPOSSIBLE && !complete ? HD_UNKNOWN : verdict;
}

static enum hd_verdict explore_after(struct hd_sim *sim, struct hd_plan *plan, hd_eid base,
                                     struct hd_closure_budget budget)
{
    struct search s = {sim, budget.nodes, hd_sim_steps(sim) + budget.steps, budget.deadline, base};
    return explore(&s, plan);
}

enum hd_verdict hd_closure_decide(struct hd_sim *sim, struct hd_plan *plan,
                                  struct hd_closure_budget budget)
{
    return explore_after(sim, plan, 0, budget);
}

enum hd_verdict hd_closure_after(struct hd_sim *sim, struct hd_plan *plan, hd_eid base,
                                 struct hd_closure_budget budget)
{
    return explore_after(sim, plan, base, budget) == HD_RACE ? HD_RACE : HD_UNKNOWN;
}
