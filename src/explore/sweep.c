#include "explore/sweep.h"

#include "explore/keep.h"

#include <string.h>

/* Ordering the steps of an execution takes time that grows with the square of their number; one of
 * this size takes some tenths of a second. No program with so many steps has few schedules. */
#define MAX_STEPS 20000

struct sweep {
    const struct hd_sweep_options *o;
    struct hd_keeper keeper;
    struct hd_err *err;
    enum hd_status status;
    struct hd_explore_opts opts;
};

static void on_found(void *ctx, const struct hd_explore_finding *f)
{
    struct sweep *s = ctx;
    bool led;
    if (s->status == HD_OK)
        s->status = hd_keep(&s->keeper, f, &led, s->err);
    if (s->status != HD_OK)
        s->opts.runs = 1; /* enough: there is no use in going on */
}

static void on_progress(void *ctx, const struct hd_explore_progress *p)
{
    struct sweep *s = ctx;
    if (s->o->progress)
        s->o->progress(s->o->ctx, p->executions, p->states, p->frontier);
}

static void fill(struct hd_sweep_result *to, const struct hd_explore_result *from)
{
    to->executions = from->p.executions;
    to->schedules = from->p.schedules;
    to->states = from->p.states;
    to->open = from->p.frontier;
    to->complete = from->complete;
    memcpy(to->why, from->why, sizeof to->why);
}

enum hd_status hd_sweep(const struct hd_sweep_options *o, struct hd_sweep_result *result,
                        struct hd_err *err)
{
    struct sweep s = {.o = o, .err = err};
    struct hd_explore_result r = {0};
    s.opts = (struct hd_explore_opts){
        .exec = {.argv = o->argv,
                 .input = o->input,
                 .timeout = (uint32_t)(o->timeout * 1000),
                 .max_steps = MAX_STEPS},
        .budget = (uint64_t)(o->seconds * 1000),
        .runs = o->runs,
        .jobs = o->jobs,
        .preemptions = o->preemptions,
        .share = o->share,
        .state = o->state,
        .resume = o->resume,
        .whole = o->whole,
        .ctx = &s,
        .progress = on_progress,
        .found = on_found,
    };
    *result = (struct hd_sweep_result){0};
    s.keeper = (struct hd_keeper){.dir = o->dir, .next = o->first, .taker = o->taker};
    enum hd_status status = hd_explore_dpor(&s.opts, &r, err);
    fill(result, &r);
    result->recordings = s.keeper.next - o->first;
    return s.status != HD_OK ? s.status : status;
}
