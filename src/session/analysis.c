#include "session/analysis.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "predict/compare/published_models.h"
#include "predict/compare/ucg_detect.h"

#include <string.h>

/* Pairs of events are listed up to this many; a detector with more reports its places only. */
#define MAX_PAIRS 20000000

/* Leaves the first pair of events of each pair of places. */
static void one_for_places(const struct hd_trace *t, struct hd_pairs *pairs)
{
    struct hd_map seen = {0};
    size_t kept = 0;
    for (size_t i = 0; i < pairs->len; i++) {
        uint64_t p = t->place[pairs->data[i].a], q = t->place[pairs->data[i].b];
        bool fresh;
        hd_map_put(&seen, p < q ? p << 32 | q : q << 32 | p, &fresh);
        if (fresh)
            pairs->data[kept++] = pairs->data[i];
    }
    pairs->len = kept;
    hd_map_fini(&seen);
}

double hd_analysis_share(double seconds, double started, unsigned left)
{
    if (seconds <= 0)
        return seconds;
    double rest = (started + seconds - hd_progress_now()) / __builtin_popcount(left);
    return rest > 0 ? rest : -1;
}

static enum hd_status run_max(const struct hd_trace *t, const struct hd_analysis_options *options,
                              struct hd_analysis *r, struct hd_err *err)
{
    const struct hd_predict_options *o = &options->predict;
    enum hd_status status = HD_OK;
    r->exact = true;
    r->properties = options->properties ? options->properties : 1u << HD_PROPERTY_RACE;
    struct hd_predict_options mine = *o;
    double started = hd_progress_now();
    for (int k = 0; k < HD_PREDICTED_PROPERTIES && status == HD_OK; k++) {
        if (!(r->properties >> k & 1))
            continue;
        mine.seconds = hd_analysis_share(o->seconds, started, r->properties >> k);
        status = hd_predict(t, (enum hd_property)k, &mine, &r->predictions[k], err);
    }
    const struct hd_vec *races = &r->predictions[HD_PROPERTY_RACE].found;
    for (size_t i = 0; i < races->len; i++) {
        const struct hd_predicted *race = hd_vec_at(races, i);
        hd_pairs_push(&r->pairs, race->witness.a, race->witness.b);
        hd_pairs_push(&r->places, t->place[race->witness.a], t->place[race->witness.b]);
    }
    return status;
}

static enum hd_status run_published(enum hd_published model, const struct hd_trace *t,
                                    const struct hd_analysis_options *options,
                                    struct hd_analysis *r)
{
    struct hd_published_options o = {.all_pairs = options->predict.all_pairs,
                                     .seconds = options->predict.seconds,
                                     .window = options->window};
    struct hd_published_result result;
    hd_published_run(model, t, &o, &result);
    for (size_t i = 0; i < result.pairs.len; i++)
        hd_pairs_push(&r->places, t->place[result.pairs.data[i].a],
                      t->place[result.pairs.data[i].b]);
    hd_pairs_sort(&r->places);
    r->pairs = result.pairs;
    r->undecided = result.undecided;
    return HD_OK;
}

static enum hd_status run_rv(const struct hd_trace *t, const struct hd_analysis_options *options,
                             struct hd_analysis *r, struct hd_err *err)
{
    (void)err;
    return run_published(HD_PUBLISHED_RV, t, options, r);
}

static enum hd_status run_said(const struct hd_trace *t, const struct hd_analysis_options *options,
                               struct hd_analysis *r, struct hd_err *err)
{
    (void)err;
    return run_published(HD_PUBLISHED_SAID, t, options, r);
}

/* Pairs of events first if `pairs` is set; places alone where the pairs are too many. */
static enum hd_status run_detector(hd_detect_fn *detect, bool pairs, const struct hd_trace *t,
                                   const struct hd_analysis_options *options, struct hd_analysis *r,
                                   struct hd_err *err)
{
    struct hd_detect_opts opts = {
        .pairs = pairs, .max_pairs = MAX_PAIRS, .recorded_matching = options->recorded_matching};
    opts.whole_graphs = options->predict.whole_graphs;
    double seconds = options->predict.seconds;
    if (seconds != 0)
        opts.deadline = hd_progress_now() + (seconds > 0 ? seconds : 0);
    struct hd_detect_result result = {0};
    enum hd_status status = detect(t, &opts, &result, err);
    if (status == HD_ERR_LIMIT && !options->predict.all_pairs) {
        hd_detect_result_fini(&result);
        result = (struct hd_detect_result){0};
        opts.pairs = false;
        status = detect(t, &opts, &result, err);
    }
    r->cut = result.cut || status == HD_ERR_STOPPED;
    r->pairs = result.pairs;
    r->places = result.places;
    result.pairs = result.places = (struct hd_pairs){0};
    hd_detect_result_fini(&result);
    if (!options->predict.all_pairs)
        one_for_places(t, &r->pairs);
    return r->cut ? HD_OK : status;
}

static enum hd_status run_ucg(const struct hd_trace *t, const struct hd_analysis_options *options,
                              struct hd_analysis *r, struct hd_err *err)
{
    return run_detector(hd_ucg_detect, options->predict.all_pairs, t, options, r, err);
}

/* The detectors of predict/. Those of detect/ have a table of their own, hd_detectors. */
static const struct engine {
    const char *name;
    enum hd_status (*run)(const struct hd_trace *t, const struct hd_analysis_options *options,
                          struct hd_analysis *r, struct hd_err *err);
} engines[] = {{"max", run_max}, {"rv", run_rv}, {"said", run_said}, {"ucg", run_ucg}};

static const struct engine *find_engine(const char *name)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(name, engines[i].name))
            return &engines[i];
    return NULL;
}

bool hd_analysis_known(const char *detector)
{
    return find_engine(detector) || hd_detector_find(detector);
}

enum hd_status hd_analysis_run(const char *detector, const struct hd_trace *t,
                               const struct hd_analysis_options *options, struct hd_analysis *r,
                               struct hd_err *err)
{
    HD_ASSERT(hd_analysis_known(detector));
    double started = hd_progress_now();
    *r = (struct hd_analysis){.detector = detector};
    const struct engine *engine = find_engine(detector);
    enum hd_status status =
        engine ? engine->run(t, options, r, err)
               : run_detector(hd_detector_find(detector)->run, true, t, options, r, err);
    hd_pairs_sort(&r->pairs);
    hd_pairs_sort(&r->places);
    r->seconds = hd_progress_now() - started;
    HD_DEBUG_LINE(SESSION, "%s: %zu pairs of %zu places, %.3f s, status %d", detector, r->pairs.len,
                  r->places.len, r->seconds, (int)status);
    return status;
}

void hd_analysis_fini(struct hd_analysis *r)
{
    for (int p = 0; p < HD_PREDICTED_PROPERTIES; p++)
        hd_prediction_fini(&r->predictions[p]);
    hd_pairs_fini(&r->pairs);
    hd_pairs_fini(&r->places);
    hd_pairs_fini(&r->undecided);
}
