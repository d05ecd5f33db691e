#include "explore/sample.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"

#include <stdio.h>
#include <unistd.h>

/* Of a run that never ends, so that looking at it ends: so many, or so many times as many as the
 * first run has, whichever is more. */
#define MAX_EVENTS 500000
#define MAX_TIMES  20
#define MAX_FIRST  20000000

struct sampler {
    const struct hd_sample_options *o;
    struct hd_sample_state *state;
    struct hd_err *err;
    double deadline;
    struct hd_record_child *ring; /* jobs of them; run n is at n % jobs */
    uint64_t started;             /* runs 1 to started were started */
};

static bool may_start(const struct sampler *s)
{
    if (hd_interrupt_requested() || (s->deadline > 0 && hd_progress_now() > s->deadline))
        return false;
    return s->o->last == 0 || s->started < s->o->last;
}

/* A program of n events in which it matters when a thread is stopped once or twice wants long
 * stretches; one in which many small things matter wants short ones. So all lengths come in turn.
 */
static void choose(const struct sampler *s, uint64_t number, struct hd_record_opts *r)
{
    const struct hd_sample_options *o = s->o;
    uint64_t length = s->state->length > 8 ? s->state->length : 8;
    r->keep_all = true; /* other runs may not order what this one does */
    r->policy = number == 1 ? HD_POLICY_FIFO : o->policy;
    r->seed = o->seed + number - 1;
    r->quantum = o->quantum ? o->quantum : length >> (1 + number % 6);
    r->quantum += r->quantum == 0;
    r->depth = o->depth ? o->depth : (uint32_t)(2 + number % 3);
    uint64_t most = MAX_TIMES * length > MAX_EVENTS ? MAX_TIMES * length : MAX_EVENTS;
    r->limit = number == 1 || most > MAX_FIRST ? MAX_FIRST : most;
    r->steps = o->steps ? o->steps : (uint32_t)(length < UINT32_MAX ? length : UINT32_MAX);
}

static enum hd_status start(struct sampler *s)
{
    uint64_t number = ++s->started;
    char trace[PATH_MAX], output[PATH_MAX];
    int n = snprintf(trace, sizeof trace, "%s/run-%llu.hdr", s->o->dir, (unsigned long long)number);
    int m = snprintf(output, sizeof output, "%s/output-%llu.txt", s->o->dir,
                     (unsigned long long)number);
    if (n >= (int)sizeof trace || m >= (int)sizeof output)
        return hd_err_set(s->err, HD_ERR_IO, "the path of the folder is too long");
    struct hd_record_child_opts opts = {.record = {.out = trace, .argv = s->o->argv},
                                        .output = output,
                                        .input = s->o->input,
                                        .seconds = s->o->timeout,
                                        .after = hd_behaviour_of_file};
    choose(s, number, &opts.record);
    return hd_record_child_start(&s->ring[number % s->o->jobs], &opts, s->err);
}

static enum hd_status land(struct sampler *s)
{
    uint64_t number = s->state->done + 1;
    struct hd_record_child *run = &s->ring[number % s->o->jobs];
    enum hd_status status = hd_record_child_wait(run, s->err);
    if (status != HD_OK) {
        hd_record_child_remove(run);
        return status;
    }
    if (!s->state->length) /* run 1, unless another strategy used up the number */
        s->state->length = run->events ? run->events : 1;
    struct hd_sampled sampled = {.number = number, .path = run->trace, .run = run};
    sampled.fresh = run->after != 0 && hd_behaviours_add(&s->state->seen, run->after);
    HD_DEBUG_LINE(EXPLORE, "sample %llu: %s behaviour, %llu events", (unsigned long long)number,
                  sampled.fresh ? "a new" : "a known", (unsigned long long)run->events);
    if (sampled.fresh || run->ending != HD_END_EXIT)
        status = s->o->take(s->o->ctx, &sampled, s->err);
    else
        unlink(run->trace);
    unlink(run->output);
    s->state->done = number;
    if (s->o->progress)
        s->o->progress(s->o->ctx, number, s->state->seen.list.len);
    return status;
}

enum hd_status hd_sample(const struct hd_sample_options *o, struct hd_sample_state *state,
                         struct hd_err *err)
{
    struct sampler s = {.o = o, .state = state, .err = err, .started = state->done};
    enum hd_status status = HD_OK;
    s.deadline = o->seconds > 0 ? hd_progress_now() + o->seconds : 0;
    s.ring = hd_calloc(o->jobs, sizeof *s.ring);
    for (unsigned i = 0; i < o->jobs; i++)
        s.ring[i].answer = -1;
    while (status == HD_OK) {
        /* The choices of the others depend on the length of the first run. */
        unsigned room = state->length == 0 ? 1 : o->jobs;
        while (status == HD_OK && s.started - state->done < room && may_start(&s))
            status = start(&s);
        if (status != HD_OK || s.started == state->done)
            break;
        status = land(&s);
    }
    for (unsigned i = 0; i < o->jobs; i++)
        hd_record_child_kill(&s.ring[i]);
    hd_free(s.ring, o->jobs * sizeof *s.ring);
    return status;
}
