#include "predict/run/crew.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/pool.h"
#include "base/progress.h"
#include "model/matching.h"
#include "solve/solve.h"

#include <stdatomic.h>

/* See free_work. */
static const uint64_t FREE_ALL = 20000000, FREE_EVENT = 8, FREE_EACH = 1024;

/* Events of a brief trace. */
static const size_t BRIEF = 1 << 20;
/* Events whose indices are made in a second, by a machine that does other things as well. */
static const double RATE = 500000;

struct job {
    const struct hd_crew *crew;
    struct hd_worker *workers;
    unsigned n_workers, phase;
    double deadline;
    size_t n_items;     /* of the phase */
    atomic_size_t done; /* of them */
};

/* When the worker has to be done with an item: in the shared phase, its share of what is left. */
static double item_end(const struct job *j, size_t done)
{
    if (j->deadline == 0 || j->crew->options->undivided || j->phase < j->crew->shared ||
        j->phase >= j->crew->shared + j->crew->n_shared)
        return j->deadline;
    double now = hd_progress_now(), left = j->deadline - now;
    size_t items = j->n_items - done, workers = items < j->n_workers ? items : j->n_workers;
    return left <= 0 ? j->deadline : now + left * (double)workers / (double)items;
}

static bool is_brief(const struct hd_trace *t)
{
    return t->n_events <= BRIEF;
}

size_t hd_crew_fit(const struct hd_trace *t, const struct hd_predict_options *options,
                   double started)
{
    double left = started + options->seconds - hd_progress_now();
    size_t fit = left > 0 && left * RATE > (double)BRIEF ? (size_t)(left * RATE) : BRIEF;
    bool whole = options->seconds == 0 || options->n_beside || t->n_events <= fit;
    return whole ? t->n_events : fit;
}

uint64_t hd_crew_free(const struct hd_world *w)
{
    return is_brief(w->t) ? FREE_ALL + FREE_EVENT * w->t->n_events : 0;
}

/* What an item of a cheap phase may cost when the time is over, in looks and simulated events: all
 * together hd_crew_free and a little for each item. */
static uint64_t free_work(const struct job *j)
{
    uint64_t all = hd_crew_free(j->crew->w);
    if (j->phase >= j->crew->cheap || !j->n_items || !all)
        return 0;
    return FREE_EACH + all / j->n_items;
}

static void run_item(void *ctx, size_t item, unsigned worker)
{
    struct job *j = ctx;
    const struct hd_predict_options *o = j->crew->options;
    struct hd_worker *k = &j->workers[worker];
    k->item_end = item_end(j, atomic_load(&j->done));
    hd_worker_begin(k, free_work(j));
    j->crew->decide(j->crew->ctx, j->phase, item, k);
    size_t done = atomic_fetch_add(&j->done, 1) + 1;
    if (worker == 0 && o->progress)
        o->progress(o->progress_ctx, done, j->n_items);
}

static void collect(struct job *j, unsigned n, const struct hd_crew_result *r)
{
    for (unsigned i = 0; i < n; i++) {
        struct hd_worker *k = &j->workers[i];
        for (int s = 0; s < HD_STEPS; s++)
            r->seconds[s] += k->seconds[s];
        *r->shortening += k->shorten_seconds;
        if (k->rejected.n && !r->rejected->n)
            r->rejected->first = k->rejected.first;
        r->rejected->n += k->rejected.n;
        hd_worker_fini(k);
    }
}

struct hd_stop_scope hd_crew_scope(const struct hd_predict_options *options,
                                   const struct hd_trace *t, double started, bool linear)
{
    bool timed = options->seconds != 0 && !((linear || options->seconds < 0) && is_brief(t));
    return hd_stop_begin(timed ? started + options->seconds : 0, hd_alloc_limit() / 8 * 7);
}

/* Not asked when the time is over. */
static struct hd_ucg_base *make_ucg(const struct hd_crew *crew)
{
    const struct hd_world *w = crew->w;
    struct hd_stop_scope around = hd_crew_scope(crew->options, w->t, crew->started, false);
    struct hd_ucg_base *ucg = NULL;
    if (crew->options->steps >> HD_STEP_UCG & 1)
        ucg = hd_ucg_base_new(w->t, w->sections, w->conds, w->must, HD_MHB_ANY_WAITER);
    hd_stop_end(around);
    return ucg;
}

void hd_crew_run(const struct hd_crew *crew, const struct hd_crew_result *result)
{
    const struct hd_predict_options *o = crew->options;
    const struct hd_world *w = crew->w;
    double deadline = o->seconds != 0 ? crew->started + o->seconds : 0;
    unsigned n = o->jobs ? o->jobs : hd_pool_cpus();
    struct hd_matching matching = {0};
    struct job j = {.crew = crew, .deadline = deadline};
    if (!crew->items)
        return; /* no index of what workers need is made */
    j.n_items = crew->prepare(crew->ctx, 0, deadline);
    if (n > crew->items)
        n = (unsigned)crew->items;
    j.n_workers = n;
    hd_matching_check(w->t, &matching);
    struct hd_ucg_base *ucg = make_ucg(crew);
    j.workers = hd_calloc(n, sizeof *j.workers);
    for (unsigned i = 0; i < n; i++)
        hd_worker_init(&j.workers[i], w, ucg, &matching, o, deadline);
    if (n > 1 && o->steps >> HD_STEP_SMT & 1)
        hd_solver_prepare(2 * n);
    for (; j.phase < crew->phases; j.phase++) {
        if (j.phase)
            j.n_items = crew->prepare(crew->ctx, j.phase, deadline);
        atomic_store(&j.done, 0);
        hd_pool_for(j.n_items, n, run_item, &j);
    }
    collect(&j, n, result);
    hd_free(j.workers, n * sizeof *j.workers);
    hd_ucg_base_free(ucg);
    hd_matching_fini(&matching);
}
