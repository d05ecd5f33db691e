#include "predict/greedy.h"

/* How many begun sections may be ended on the way before the step gives up. */
enum { MAX_ENDED = 16 };

hd_eid hd_greedy_base(const struct hd_goal *goal)
{
    hd_eid base = goal->stops[0];
    for (uint32_t i = 1; i < goal->n_stops; i++)
        base = goal->stops[i] < base ? goal->stops[i] : base;
    if (goal->then != HD_EID_NONE && goal->then < goal->first && goal->then < base)
        base = goal->then;
    return base;
}

enum hd_verdict hd_greedy_decide(struct hd_sim *sim, struct hd_plan *plan)
{
    const struct hd_sections *sections = plan->w->sections;
    hd_eid base = hd_greedy_base(&plan->goal);
    struct hd_sim_failure failure;
    if (!hd_plan_widen(plan, base))
        return HD_UNKNOWN;
    for (int i = 0; i < MAX_ENDED; i++) {
        enum hd_sim_result result = hd_sim_run(sim, plan, base, &failure);
        if (result == HD_SIM_DONE)
            return HD_RACE;
        if (result != HD_SIM_LOCK)
            return HD_UNKNOWN;
        hd_eid close = hd_section_at(sections, failure.other)->close;
        if (close == HD_EID_NONE || !hd_plan_include(plan, close))
            return HD_UNKNOWN;
    }
    return HD_UNKNOWN;
}
