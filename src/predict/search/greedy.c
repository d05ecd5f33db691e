#include "predict/search/greedy.h"

#include "base/alloc.h"

#include <string.h>

/* How many begun sections may be ended on the way, how many threads may be left behind, and how
 * many events all tries may run, before the step gives up. */
enum { MAX_ENDED = 16, MAX_LEFT = 16, MAX_STEPS = 1 << 22 };

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

hd_eid hd_greedy_begin(const struct hd_world *w, const struct hd_goal *goal)
{
    const struct hd_sections *s = w->sections;
    hd_eid begin = hd_greedy_base(goal);
    for (uint32_t i = 0; i <= goal->n_stops; i++) {
        hd_eid e = i < goal->n_stops ? goal->stops[i] : goal->then;
        for (uint32_t n = e == HD_EID_NONE ? HD_HELD_EMPTY : hd_held(s, e); n != HD_HELD_EMPTY;
             n = hd_held_at(s, n)->next) {
            hd_eid open = hd_section_at(s, hd_held_at(s, n)->section)->open;
            begin = open < begin ? open : begin;
        }
    }
    return begin;
}

/* The section that a stop stands in begins after the last one of each other thread that the plan
 * runs. */
static bool wait_for_others(struct hd_plan *p, uint32_t section)
{
    const struct hd_sections *s = p->w->sections;
    const struct hd_section *mine = hd_section_at(s, section);
    for (uint32_t i = s->user_start[mine->lock]; i < s->user_start[mine->lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        uint32_t begun = hd_sections_begun(s, user, p->cut[user->thread]);
        if (user->thread == mine->thread || begun == user->start)
            continue;
        const struct hd_section *last = hd_section_at(s, s->order[begun - 1]);
        if (last->close != HD_EID_NONE && last->close > mine->open &&
            hd_section_excludes(mine, last) && !hd_plan_order(p, last->close, mine->open))
            return false;
    }
    return true;
}

static bool wait_at_stops(struct hd_plan *p)
{
    const struct hd_sections *s = p->w->sections;
    p->edges.len = 0;
    for (uint32_t i = 0; i < p->goal.n_stops; i++)
        for (uint32_t n = hd_held(s, p->goal.stops[i]); n != HD_HELD_EMPTY;
             n = hd_held_at(s, n)->next)
            if (!wait_for_others(p, hd_held_at(s, n)->section))
                return false;
    return true;
}

enum hd_verdict hd_greedy_late(struct hd_sim *sim, struct hd_plan *plan)
{
    const struct hd_sections *sections = plan->w->sections;
    hd_eid base = hd_greedy_begin(plan->w, &plan->goal);
    struct hd_sim_failure failure;
    if (plan->goal.then != HD_EID_NONE || !hd_plan_widen(plan, base))
        return HD_UNKNOWN;
    for (int i = 0; i < MAX_ENDED && wait_at_stops(plan); i++) {
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

/* Whether the event must come after a stop, so that no witness runs it. */
static bool after_stop(const struct hd_plan *p, hd_eid e)
{
    for (uint32_t i = 0; i < p->goal.n_stops; i++)
        if (hd_world_before(p->w, p->goal.stops[i], e))
            return true;
    return false;
}

/* Lets every thread go as far as it went before `end` in the trace, or to what must come after a
 * stop. */
static void go_on(struct hd_plan *p, hd_eid end)
{
    for (hd_tid u = 0; u < p->w->n_threads; u++) {
        if (p->parked[u])
            continue;
        uint32_t low = p->cut[u], high = hd_world_events_before(p->w, u, end);
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (after_stop(p, hd_world_event(p->w, u, mid)))
                high = mid;
            else
                low = mid + 1;
        }
        p->cut[u] = low;
    }
}

/* The position of the thread's first event that needs more than the first `count` events of u. */
static uint32_t needs_more(const struct hd_plan *p, hd_tid v, hd_tid u, uint32_t count)
{
    uint32_t low = 0, high = p->cut[v];
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (hd_must_clock(p->w->must, hd_world_event(p->w, v, mid))[u] > count)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Stops a thread at a position, and every other thread before its first event that needs more of a
 * stopped one: a fork or a join that does not run, above all. False: a thread would stop before
 * what the goal needs of it. What the goal needs is closed: it needs no more of any thread. */
static bool leave_behind(struct hd_plan *p, hd_tid thread, uint32_t pos, const uint32_t *least)
{
    bool changed = true;
    p->cut[thread] = pos;
    if (pos < least[thread])
        return false;
    while (changed) {
        changed = false;
        for (hd_tid v = 0; v < p->w->n_threads; v++)
            for (hd_tid u = 0; u < p->w->n_threads && p->cut[v] > least[v]; u++) {
                uint32_t limit = u == v ? p->cut[v] : needs_more(p, v, u, p->cut[u]);
                if (limit < least[v])
                    return false;
                changed |= limit < p->cut[v];
                p->cut[v] = limit;
            }
    }
    return true;
}

static enum hd_verdict follow(struct hd_sim *sim, struct hd_plan *p, hd_eid base,
                              const uint32_t *least)
{
    const struct hd_trace *t = p->w->t;
    uint64_t end = hd_sim_steps(sim) + MAX_STEPS;
    for (int i = 0; i < MAX_LEFT && hd_sim_steps(sim) < end; i++) {
        struct hd_sim_failure failure;
        enum hd_sim_result result = hd_sim_run(sim, p, base, &failure);
        if (result == HD_SIM_DONE)
            return HD_RACE;
        hd_tid u = t->thread[failure.event];
        if (result == HD_SIM_CYCLE || result == HD_SIM_CUT || p->parked[u] ||
            !leave_behind(p, u, t->pos[failure.event], least))
            return HD_UNKNOWN;
    }
    return HD_UNKNOWN;
}

enum hd_verdict hd_greedy_follow(struct hd_sim *sim, struct hd_plan *plan)
{
    const struct hd_goal *goal = &plan->goal;
    hd_eid base = hd_greedy_base(goal), end = base;
    size_t bytes = plan->w->n_threads * sizeof *plan->cut;
    for (uint32_t i = 0; i < goal->n_stops; i++)
        end = goal->stops[i] > end ? goal->stops[i] : end;
    if (goal->then != HD_EID_NONE || end - base > MAX_STEPS || !hd_plan_widen(plan, base))
        return HD_UNKNOWN;
    uint32_t *least = hd_alloc(bytes);
    memcpy(least, plan->cut, bytes);
    go_on(plan, end);
    enum hd_verdict verdict = follow(sim, plan, base, least);
    hd_free(least, bytes);
    return verdict;
}
