#include "predict/run/predict.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "model/check.h"
#include "predict/index/candidates.h"
#include "predict/orders/orders.h"
#include "predict/run/beside.h"
#include "predict/run/crew.h"
#include "predict/run/cycles.h"
#include "predict/run/fold.h"
#include "predict/run/lock_graph.h"
#include "predict/run/races.h"
#include "predict/run/share.h"
#include "predict/run/triples.h"
#include "trace/trace_head.h"

/* What is being predicted. */
struct job {
    const struct hd_predict_options *options;
    struct hd_fold fold;
    struct hd_world *w;
    double started;
    enum hd_stop why; /* finding the candidates ended early */
    struct hd_prediction *r;
};

/* Finds the candidates: what is done between begin and end answers to the stop. */
static struct hd_stop_scope begin(struct job *j, bool linear)
{
    struct hd_stop_scope around = hd_crew_scope(j->options, j->fold.in, j->started, linear);
    j->w = hd_world_new(j->fold.in);
    return around;
}

static bool end(struct job *j, struct hd_stop_scope around)
{
    j->why = hd_stop_end(around);
    HD_DEBUG_LINE(PREDICT, "%s: %zu events, %zu after chains; indices in %.3f s%s",
                  hd_property_names[j->r->property], j->fold.t->n_events, j->fold.in->n_events,
                  hd_progress_now() - j->started, j->why == HD_STOP_NO ? "" : ", cut");
    j->r->step_seconds[HD_STEP_MUST] = hd_progress_now() - j->started;
    if (j->why == HD_STOP_NO)
        return true;
    j->r->cut = true;
    j->r->cut_why = hd_predict_stopped(j->why);
    return false;
}

static void decide_beside(struct job *j, const struct hd_candidates *c, const uint32_t *places)
{
    struct hd_predict_options all = *j->options;
    struct hd_candidates *few = hd_beside_choose(j->w, c, places, all.n_beside);
    all.all_pairs = true;
    hd_races_decide(j->w, few, &all, j->started, j->r);
    hd_candidates_free(few);
}

static void predict_races(struct job *j)
{
    const struct hd_predict_options *o = j->options;
    struct hd_stop_scope around = begin(j, j->fold.few);
    uint32_t *spots = o->spots ? o->spots(j->fold.t) : NULL;
    uint32_t *places = hd_beside_places(j->fold.t, o, spots);
    spots = hd_fold_numbers(&j->fold, spots);
    j->w->spots = spots;
    struct hd_candidates *c = hd_candidates_new(j->w);
    struct hd_map owners = {0};
    if (end(j, around) && o->n_beside) {
        decide_beside(j, c, places);
    } else if (j->why == HD_STOP_NO) {
        if (hd_share_divided(o))
            hd_share_keep(c, o, &owners);
        hd_races_decide(j->w, c, o, j->started, j->r);
        if (!o->sc)
            hd_orders_predict(j->w, o, &owners, j->started, j->r);
    }
    hd_map_fini(&owners);
    hd_candidates_free(c);
    hd_free(places, 2 * o->n_beside * sizeof *places);
    hd_free(spots, j->fold.in->n_events * sizeof *spots);
}

static void predict_atomicity(struct job *j)
{
    struct hd_stop_scope around = begin(j, false);
    struct hd_triples triples;
    uint32_t *functions = j->options->functions ? j->options->functions(j->fold.t) : NULL;
    j->w->functions = functions;
    hd_triples_init(&triples, j->w, j->options->all_pairs);
    if (end(j, around))
        hd_triples_decide(&triples, j->options, j->started, j->r);
    hd_triples_fini(&triples);
    hd_free(functions, j->fold.t->n_events * sizeof *functions);
}

/* Most programs take their locks in one order. Then there is nothing to decide, and no other index
 * is needed. */
static struct hd_stop_scope begin_locks(struct job *j)
{
    struct hd_stop_scope around = hd_crew_scope(j->options, j->fold.in, j->started, false);
    j->w = hd_world_new_locks(j->fold.in);
    if (hd_stop_now() == HD_STOP_NO && hd_lock_graph_any(j->w)) {
        hd_world_free(j->w);
        j->w = hd_world_new(j->fold.in);
    }
    return around;
}

static void predict_deadlocks(struct job *j)
{
    struct hd_stop_scope around = begin_locks(j);
    struct hd_cycles cycles;
    hd_cycles_init(&cycles, j->w, !(j->options->steps >> HD_STEP_LOCKSET & 1));
    if (end(j, around)) {
        hd_cycles_decide(&cycles, j->options, j->started, j->r);
        j->r->cut = !cycles.complete && j->options->shard == 0;
        j->r->cut_why = HD_WHY_LIMIT;
    }
    hd_cycles_done(&cycles);
}

/* By property. Blocks are stretches of a thread: triples are not looked for in chains of them. */
static const struct kind {
    void (*predict)(struct job *j);
    bool folds;
} kinds[HD_PREDICTED_PROPERTIES] = {
    {predict_races, true}, {predict_atomicity, false}, {predict_deadlocks, true}};

#ifdef HD_DEBUG
static void check_consistent(const struct hd_trace *t)
{
    struct hd_err err = {0};
    HD_ASSERT(hd_check_trace(t, NULL, &err) == HD_OK);
}
#endif

static void predict_trace(const struct hd_trace *t, const struct hd_predict_options *options,
                          double started, struct hd_prediction *result)
{
    struct job j = {.options = options, .started = started, .r = result};
    hd_fold_init(&j.fold, t, options, kinds[result->property].folds);
    kinds[result->property].predict(&j);
    hd_fold_back(&j.fold, result);
    hd_world_free(j.w);
    hd_fold_fini(&j.fold);
}

/* What the first n events have, of a trace that is too long for the time. */
static void predict_head(const struct hd_trace *t, size_t n,
                         const struct hd_predict_options *options, double started,
                         struct hd_prediction *result)
{
    struct hd_trace head;
    HD_DEBUG_LINE(PREDICT, "only the first %zu of %zu events are looked at", n, t->n_events);
    hd_trace_head_make(t, n, &head);
    predict_trace(&head, options, started, result);
    hd_trace_head_fini(&head);
    result->looked = n;
    result->cut_why = result->cut ? result->cut_why : HD_WHY_TIME;
    result->cut = true;
}

enum hd_status hd_predict(const struct hd_trace *t, enum hd_property property,
                          const struct hd_predict_options *options, struct hd_prediction *result,
                          struct hd_err *err)
{
    HD_ASSERT(property < HD_PREDICTED_PROPERTIES);
    HD_SELF_CHECK(check_consistent(t));
    double started = hd_progress_now();
    size_t n = hd_crew_fit(t, options, started);
    hd_prediction_init(result, property);
    if (n < t->n_events)
        predict_head(t, n, options, started, result);
    else
        predict_trace(t, options, started, result);
    result->seconds = hd_progress_now() - started;
    (void)err;
    return HD_OK;
}
