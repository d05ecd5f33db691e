#include "predict/run/worker.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "predict/index/notify.h"
#include "predict/search/greedy.h"

#include <stdio.h>
#include <string.h>

/* What the closure step may cost for one pair. A node is one simulation of the plan; most pairs
 * need fewer than ten. The limit on events keeps long plans from using up the whole run on one
 * pair. */
static const struct hd_closure_budget closure_budget = {.nodes = 400, .steps = 20000000};

/* The same after a part of the trace that is left as it was, and how many events before the goal
 * that part ends, in the second attempt. */
static const struct hd_closure_budget nearby_budget = {.nodes = 100, .steps = 100000};
enum { NEARBY = 200 };

/* How many events before the goal an attempt of greedy may begin. */
enum { LATE = 256 };

void hd_worker_init(struct hd_worker *k, const struct hd_world *w, const struct hd_ucg_base *ucg,
                    const struct hd_matching *matching, const struct hd_predict_options *options,
                    double deadline)
{
    *k = (struct hd_worker){.w = w, .matching = matching, .options = options, .deadline = deadline};
    k->hints = HD_VEC_INIT(struct hd_ucg_order);
    k->ucg = ucg ? hd_ucg_new(ucg, true) : NULL;
    if (k->ucg)
        hd_ucg_deadline(k->ucg, deadline);
    hd_plan_init(&k->plan, w);
    k->sim = hd_sim_new(w, matching);
    k->shortener = hd_shortener_new(w, k->sim);
    k->checker = hd_checker_new(w->t);
}

void hd_worker_fini(struct hd_worker *k)
{
    hd_ucg_free(k->ucg);
    hd_vec_fini(&k->hints);
    hd_plan_fini(&k->plan);
    hd_sim_free(k->sim);
    hd_shortener_free(k->shortener);
    hd_encoder_free(k->encoder);
    hd_encoder_free(k->afresh);
    hd_checker_free(k->checker);
    hd_witness_fini(&k->witness);
}

static uint64_t work_of(const struct hd_worker *k)
{
    return k->looks + hd_sim_steps(k->sim);
}

void hd_worker_begin(struct hd_worker *k, uint64_t work)
{
    k->work_end = work_of(k) + work;
    k->cheap = work > 0;
    k->asked = 0;
}

/* The time is over. */
static bool is_late(struct hd_worker *k)
{
    enum { SELDOM = 16 };
    if (k->deadline != 0 && (!k->cheap || k->asked++ % SELDOM == 0))
        k->late = hd_progress_now() >= k->deadline;
    return k->late;
}

bool hd_worker_stopped(struct hd_worker *k, enum hd_reason *why)
{
    if (hd_interrupt_requested()) {
        *why = HD_WHY_STOPPED;
        return true;
    }
    if (is_late(k) && work_of(k) >= k->work_end) {
        *why = HD_WHY_TIME;
        return true;
    }
    return false;
}

/* What the witness is about, and the entries that follow the order. */
static void name_goal(struct hd_witness *w, const struct hd_goal *goal, hd_eid *tail)
{
    w->property = goal->property;
    if (goal->property == HD_PROPERTY_RACE) {
        w->a = goal->stops[0] < goal->stops[1] ? goal->stops[0] : goal->stops[1];
        w->b = goal->stops[0] < goal->stops[1] ? goal->stops[1] : goal->stops[0];
        tail[0] = w->a;
        tail[1] = w->b;
        return;
    }
    bool triple = goal->property == HD_PROPERTY_ATOMICITY;
    w->n_events = triple ? 3 : goal->n_stops;
    w->events = hd_alloc(w->n_events * sizeof *w->events);
    if (!triple) {
        memcpy(w->events, goal->stops, w->n_events * sizeof *w->events);
        return;
    }
    w->events[0] = goal->first;
    w->events[1] = goal->then;
    w->events[2] = tail[0] = goal->stops[0];
}

/* The witness, in short form: `base` events of the trace, then `order`, then the tail of the goal.
 */
static void make_witness(struct hd_worker *k, const struct hd_goal *goal, hd_eid base,
                         const struct hd_u32vec *order, const struct hd_vec *wakes)
{
    struct hd_witness *w = &k->witness;
    hd_eid tail[2];
    hd_witness_fini(w);
    name_goal(w, goal, tail);
    w->prefix = base;
    w->n = order->len + hd_goal_tail(goal);
    w->schedule = hd_alloc(w->n * sizeof *w->schedule);
    if (order->len)
        memcpy(w->schedule, order->data, order->len * sizeof *order->data);
    for (size_t i = 0; i < hd_goal_tail(goal); i++)
        w->schedule[order->len + i] = tail[i];
    w->n_wakes = wakes->len;
    w->wakes = hd_alloc(w->n_wakes * sizeof *w->wakes);
    if (wakes->len)
        memcpy(w->wakes, wakes->data, wakes->len * sizeof *w->wakes);
}

/* Every witness goes through model/ before anyone sees it. */
static enum hd_verdict accept(struct hd_worker *k)
{
    struct hd_err reason = {0};
    bool race = k->witness.property == HD_PROPERTY_RACE;
    if (k->options->spoil)
        k->options->spoil(k->step, &k->witness);
    if (hd_checker_check(k->checker, &k->witness, NULL, &reason) == HD_OK)
        return HD_RACE;
    HD_DEBUG_LINE(PREDICT, "a witness by %s was rejected: %s", hd_step_names[k->step], reason.text);
    if (!k->rejected.n++)
        hd_err_set(&k->rejected.first, HD_ERR_INTERNAL,
                   "the witness (%s) of events %llu and %llu, found by %s, was rejected: %.300s",
                   hd_property_names[k->witness.property],
                   (unsigned long long)(race ? k->witness.a : k->witness.events[0]) + 1,
                   (unsigned long long)(race ? k->witness.b : k->witness.events[1]) + 1,
                   hd_step_names[k->step], reason.text);
    k->goal_rejected = true;
    return HD_UNKNOWN;
}

static enum hd_verdict timed(struct hd_worker *k, double started, enum hd_verdict verdict)
{
    k->seconds[k->step] += hd_progress_now() - started;
    return verdict;
}

void hd_worker_filter(struct hd_worker *k, const struct hd_goal *goals, size_t n, bool *impossible)
{
    double started = hd_progress_now();
    bool possible[HD_UCG_ASK];
    HD_ASSERT(n <= HD_UCG_ASK);
    k->step = HD_STEP_UCG;
    for (size_t i = 0; i < n; i++)
        possible[i] = true;
    if (k->ucg && !is_late(k))
        hd_ucg_ask(k->ucg, goals, n, possible);
    for (size_t i = 0; i < n; i++)
        impossible[i] = !possible[i];
    timed(k, started, HD_UNKNOWN);
}

/* The next simulations, each of which costs a look at each thread, do not go beyond what is left
 * when there is no time. */
static void limit_work(struct hd_worker *k)
{
    k->looks += k->w->n_threads;
    if (is_late(k))
        hd_sim_limit(k->sim, k->work_end > k->looks ? k->work_end - k->looks : 0);
}

/* base: where the attempt begins. */
static enum hd_verdict try_greedy(struct hd_worker *k, const struct hd_goal *goal, hd_eid base,
                                  enum hd_verdict (*how)(struct hd_sim *, struct hd_plan *))
{
    double started = hd_progress_now();
    k->step = HD_STEP_GREEDY;
    if (!hd_plan_start(&k->plan, goal))
        return timed(k, started, HD_UNKNOWN);
    limit_work(k);
    enum hd_verdict verdict = how(k->sim, &k->plan);
    hd_sim_limit(k->sim, UINT64_MAX);
    if (verdict == HD_RACE) {
        make_witness(k, goal, base, hd_sim_order(k->sim), hd_sim_wakes(k->sim));
        verdict = accept(k);
    }
    return timed(k, started, verdict);
}

enum hd_verdict hd_worker_greedy(struct hd_worker *k, const struct hd_goal *goal, bool follow)
{
    k->goal_rejected = false;
    if (!hd_worker_may(k, HD_STEP_GREEDY))
        return HD_UNKNOWN;
    hd_eid base = hd_greedy_base(goal), begin = hd_greedy_begin(k->w, goal);
    enum hd_verdict verdict = try_greedy(k, goal, base, hd_greedy_decide);
    if (verdict == HD_UNKNOWN && begin < base && base - begin < LATE)
        verdict = try_greedy(k, goal, begin, hd_greedy_late);
    if (verdict == HD_UNKNOWN && follow)
        verdict = try_greedy(k, goal, base, hd_greedy_follow);
    return verdict;
}

/* Closure that changes the observed order only from `base` on. */
static enum hd_verdict close_after(struct hd_worker *k, const struct hd_goal *goal, hd_eid base)
{
    struct hd_closure_budget budget = nearby_budget;
    budget.deadline = k->deadline;
    if (!hd_plan_start(&k->plan, goal) || !hd_plan_widen(&k->plan, base) ||
        hd_closure_after(k->sim, &k->plan, base, budget) != HD_RACE)
        return HD_UNKNOWN;
    make_witness(k, goal, base, hd_sim_order(k->sim), hd_sim_wakes(k->sim));
    return accept(k);
}

enum hd_verdict hd_worker_nearby(struct hd_worker *k, const struct hd_goal *goal)
{
    double started = hd_progress_now();
    if (!hd_worker_may(k, HD_STEP_CLOSURE))
        return HD_UNKNOWN;
    k->step = HD_STEP_CLOSURE;
    hd_eid begin = hd_greedy_begin(k->w, goal);
    enum hd_verdict verdict = close_after(k, goal, begin);
    if (verdict == HD_UNKNOWN && begin > 0)
        verdict = close_after(k, goal, begin > NEARBY ? begin - NEARBY : 0);
    return timed(k, started, verdict);
}

enum hd_verdict hd_worker_closure(struct hd_worker *k, const struct hd_goal *goal)
{
    double started = hd_progress_now();
    if (!hd_worker_may(k, HD_STEP_CLOSURE))
        return HD_UNKNOWN;
    k->step = HD_STEP_CLOSURE;
    if (!hd_plan_start(&k->plan, goal))
        return timed(k, started, HD_IMPOSSIBLE);
    struct hd_closure_budget budget = closure_budget;
    budget.deadline = k->deadline;
    enum hd_verdict verdict = hd_closure_decide(k->sim, &k->plan, budget);
    if (verdict == HD_RACE) {
        make_witness(k, goal, 0, hd_sim_order(k->sim), hd_sim_wakes(k->sim));
        verdict = accept(k);
    }
    return timed(k, started, verdict);
}

enum hd_verdict hd_worker_try_prefix(struct hd_worker *k, const struct hd_goal *goal,
                                     const uint32_t *ran)
{
    double started = hd_progress_now();
    enum hd_verdict verdict = HD_UNKNOWN;
    struct hd_sim_failure failure;
    hd_eid base = (hd_eid)k->w->t->n_events; /* the first event that is left out */
    k->step = HD_STEP_SYNCP;
    k->goal_rejected = false;
    if (!hd_plan_start(&k->plan, goal))
        return timed(k, started, HD_UNKNOWN);
    for (hd_tid u = 0; u < k->w->n_threads; u++) {
        k->plan.cut[u] = ran[u];
        if (ran[u] < hd_world_thread_len(k->w, u) && hd_world_event(k->w, u, ran[u]) < base)
            base = hd_world_event(k->w, u, ran[u]);
    }
    limit_work(k);
    enum hd_sim_result result = hd_sim_run(k->sim, &k->plan, base, &failure);
    hd_sim_limit(k->sim, UINT64_MAX);
    if (result == HD_SIM_DONE) {
        make_witness(k, goal, base, hd_sim_order(k->sim), hd_sim_wakes(k->sim));
        verdict = accept(k);
    }
    return timed(k, started, verdict);
}

/* The solver that serves all pairs is quick with proofs, but the order that it finds for a race
 * depends on what it was asked before, and so on which worker had which pairs. A race is therefore
 * put to a new solver, and its order is the one kept; when that runs out of time, so be it. Without
 * the closure step most races come here, and this would be most of the work: not then. */
static enum hd_verdict ask_solver(struct hd_worker *k, const struct hd_goal *goal, double limit,
                                  struct hd_u32vec *order)
{
    if (!k->encoder) {
        struct hd_solver_limits limits = {k->deadline, k->options->solver_memory};
        k->encoder = hd_encoder_new(k->w, limits);
        k->afresh = hd_encoder_new(k->w, limits);
        hd_encoder_hints(k->encoder, &k->hints);
        hd_encoder_hints(k->afresh, &k->hints);
    }
    if (k->options->no_increments)
        hd_encoder_reset(k->encoder);
    enum hd_verdict verdict = hd_encoder_decide(k->encoder, goal, limit, order);
    if (verdict != HD_RACE || !hd_worker_may(k, HD_STEP_CLOSURE))
        return verdict;
    struct hd_u32vec again = {0};
    hd_encoder_reset(k->afresh);
    if (hd_encoder_decide(k->afresh, goal, limit, &again) == HD_RACE) {
        struct hd_u32vec first = *order;
        *order = again;
        again = first;
    }
    hd_u32vec_fini(&again);
    return HD_RACE;
}

static enum hd_reason reason(enum hd_lost lost)
{
    return lost == HD_LOST_MEMORY   ? HD_WHY_MEMORY
           : lost == HD_LOST_FAILED ? HD_WHY_SOLVER
                                    : HD_WHY_PAIR_TIME;
}

enum hd_verdict hd_worker_decide_exact(struct hd_worker *k, const struct hd_goal *goal,
                                       enum hd_reason *why)
{
    k->goal_rejected = *why == HD_WHY_REJECTED;
    if (!hd_worker_may(k, HD_STEP_SMT) || hd_worker_stopped(k, why))
        return HD_UNKNOWN;
    double started = hd_progress_now(), limit = k->options->pair_seconds;
    bool shared = k->item_end != 0 && (limit <= 0 || k->item_end - started < limit);
    if (shared)
        limit = k->item_end - started;
    if (shared && limit <= 0) {
        *why = k->goal_rejected ? HD_WHY_REJECTED : HD_WHY_TIME;
        return HD_UNKNOWN;
    }
    struct hd_u32vec order = {0};
    struct hd_vec wakes = HD_VEC_INIT(struct hd_wake);
    k->step = HD_STEP_SMT;
    if (k->ucg && !k->options->no_hints)
        hd_ucg_orders(k->ucg, goal, &k->hints);
    enum hd_verdict verdict = ask_solver(k, goal, limit, &order);
    if (verdict == HD_RACE) {
        hd_notify_choose(k->w, order.data, order.len, &wakes);
        make_witness(k, goal, 0, &order, &wakes);
        verdict = accept(k);
    }
    hd_u32vec_fini(&order);
    hd_vec_fini(&wakes);
    if (verdict == HD_UNKNOWN && !hd_worker_stopped(k, why))
        *why = k->goal_rejected ? HD_WHY_REJECTED : reason(hd_encoder_lost(k->encoder));
    if (*why == HD_WHY_PAIR_TIME && shared)
        *why = HD_WHY_TIME;
    HD_DEBUG_LINE(PREDICT, "solver: verdict %d after %.3f s of %.3f s%s", (int)verdict,
                  hd_progress_now() - started, limit, shared ? ", the pair's share" : "");
    return timed(k, started, verdict);
}

void hd_worker_shorten(struct hd_worker *k, const struct hd_goal *goal, struct hd_witness *w,
                       uint64_t steps)
{
    struct hd_witness shorter;
    double started = hd_progress_now();
    if (steps < HD_SHORTEN_STEPS && 2 * (w->prefix + w->n) > steps)
        return;
    if (hd_shorten(k->shortener, goal, w, k->matching, steps, &shorter)) {
        bool good = hd_checker_check(k->checker, &shorter, NULL, NULL) == HD_OK;
        hd_witness_fini(good ? w : &shorter);
        if (good)
            *w = shorter;
        else
            hd_witness_expand(w, k->w->t, k->matching);
    }
    k->shorten_seconds += hd_progress_now() - started;
}

struct hd_witness hd_worker_take(struct hd_worker *k)
{
    struct hd_witness taken = k->witness;
    k->witness = (struct hd_witness){0};
    return taken;
}

struct hd_witness hd_worker_take_short(struct hd_worker *k, const struct hd_goal *goal,
                                       size_t *kept)
{
    struct hd_witness *w = &k->witness;
    if (*kept < HD_PREDICT_KEPT_ENTRIES) {
        if (!hd_interrupt_requested())
            hd_worker_shorten(k, goal, w, HD_SHORTEN_STEPS);
        *kept += w->n;
    } else {
        hd_free(w->schedule, w->n * sizeof *w->schedule);
        hd_free(w->wakes, w->n_wakes * sizeof *w->wakes);
        w->schedule = NULL;
        w->wakes = NULL;
        w->n = w->n_wakes = w->prefix = 0;
    }
    return hd_worker_take(k);
}
